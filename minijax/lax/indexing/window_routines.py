"""Windows of arrays inside of compiled loops: read, or updated in their place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minijax.compiler.kernels.elements import literal_text, typed_template
from minijax.compiler.kernels.row_major import row_major
from minijax.compiler.lowerings import lowerings
from minijax.core.staging import Atom, JaxprEqn
from minijax.core.tracing import Primitive
from minijax.lax.indexing.dimension_numbers import GatherScatterMode, Numbers, window_sizes
from minijax.lax.kernel_parts import Part, block, clamped, each, nest, position

# One window, which starts where scalars say.


def _window_start(part: Part, shape: Sequence[int], sizes: Sequence[int], starts: Any) -> str:
    """The name of the place in the flat array where a window begins."""
    lasts = [n - m for n, m in zip(shape, sizes, strict=True)]
    terms = [
        (part.start(i, last), step)
        for i, last, step in zip(starts, lasts, row_major(shape), strict=True)
    ]
    part.lines.append(f"s = {position(0, terms)}")
    return "s"


def dynamic_slice_part(eqn: JaxprEqn) -> Any:
    x, *starts = eqn.invars
    return _window_part(eqn, x, starts, eqn.params["slice_sizes"], "y0[{{p}}] = {0}[{{q}}]")


def dynamic_update_slice_part(eqn: JaxprEqn) -> Any:
    _, update, *starts = eqn.invars
    return _window_part(eqn, update, starts, update.aval.shape, "y0[{{q}}] = {0}[{{p}}]")


def _window_part(
    eqn: JaxprEqn, source: Atom, starts: Sequence[Atom], sizes: Sequence[int], line: str
) -> Any:
    """Copies a window: `q` is its place in the whole array, `p` that in the window."""
    part, shape = Part(eqn), eqn.invars[0].aval.shape
    array, start = part.array(source), _window_start(part, shape, sizes, starts)
    part.lines += each(
        sizes, [line.format(array)], p=(0, row_major(sizes)), q=(start, row_major(shape))
    )
    return part.source()


# Many windows, which start where an array of indices says.


class Windows:
    """The loops over many windows: over the indices, then through a window.

    `o` is where a window begins in the array of windows, `q` where it begins in the operand.
    """

    def __init__(
        self, part: Part, numbers: Numbers, indices: Atom, x: Any, windows: Any, sizes: Any
    ) -> None:
        self.part, self.numbers, self.sizes = part, numbers, sizes
        self.where = indices.aval.shape[:-1]
        self.counters = [f"w{k}" for k in range(len(self.where))]
        self.lasts = [n - m for n, m in zip(x.shape, sizes, strict=True)]
        self.operand_steps, self.window_steps = row_major(x.shape), row_major(windows.shape)
        self.dtype = indices.aval.dtype
        self.indices, self.index_steps = part.array(indices), row_major(indices.aval.shape)

    def start_lines(self) -> list[str]:
        """Where a window begins: the index's entries, and o and q."""
        window, _, mapped, batch, indices_batch = self.numbers
        at = list(zip(self.counters, self.index_steps, strict=False))
        lines = [f"s{k} = {self.indices}[{position(k, at)}]" for k in range(len(mapped))]
        terms = [(self.counters[axis], self.operand_steps[d])
                 for d, axis in zip(batch, indices_batch, strict=True)]  # fmt: skip
        terms += [(clamped(f"s{k}", self.dtype, self.lasts[d]), self.operand_steps[d])
                  for k, d in enumerate(mapped)]  # fmt: skip
        steps = [step for d, step in enumerate(self.window_steps) if d not in window]
        places = zip(self.counters, steps, strict=True)
        return [*lines, f"q = {position(0, terms)}", f"o = {position(0, list(places))}"]

    def is_inside(self) -> str:
        """Whether no entry lies outside."""
        tests = [
            f"(int64(s{k}) >= 0) & (int64(s{k}) <= {self.lasts[d]})"
            for k, d in enumerate(self.numbers[2])
        ]
        return " & ".join(tests) or "True"

    def each(self, *lines: str) -> list[str]:
        """Lines for each element of a window: {p} is its place among the windows, {q} in x."""
        window, left_out, _, batch, _ = self.numbers
        axes = [d for d in range(len(self.sizes)) if d not in (*left_out, *batch)]
        return each(
            [self.sizes[d] for d in axes], lines,
            p=("o", [self.window_steps[d] for d in window]),
            q=("q", [self.operand_steps[d] for d in axes]),
        )  # fmt: skip

    def write(self, body: Sequence[str], is_split: bool) -> None:
        """The loops over the indices, with this for each window; the outer one from lo to hi."""
        counters: list[tuple[str, int | str]] = list(zip(self.counters, self.where, strict=True))
        if is_split and counters:
            self.part.turns, counters[0] = self.where[0], (self.counters[0], "lo, hi")
        self.part.lines += nest(counters, [*self.start_lines(), *body])


def have_room(sizes: Sequence[int], shape: Sequence[int]) -> bool:
    """Whether windows lie inside at all. Else a start that is moved inside is below 0."""
    return all(m <= n for m, n in zip(sizes, shape, strict=True))


def gather_part(eqn: JaxprEqn) -> Any:
    (x, indices), [out], params = eqn.invars, eqn.outvars, eqn.params
    if not out.aval.size:
        return Part(eqn).source()
    part, sizes = Part(eqn), params["slice_sizes"]
    if not have_room(sizes, x.aval.shape):
        return None
    array = part.array(x)
    windows = Windows(part, params["dimension_numbers"], indices, x.aval, out.aval, sizes)
    body = windows.each(f"y0[{{p}}] = {array}[{{q}}]")
    if params["mode"] is GatherScatterMode.FILL_OR_DROP:
        fill = literal_text(np.asarray(params["fill_value"]).astype(x.aval.dtype))
        body = [
            *block(f"if {windows.is_inside()}:", body),
            *block("else:", windows.each(f"y0[{{p}}] = {fill}")),
        ]
    windows.write(body, is_split=True)
    return part.source()


def scatter_part(eqn: JaxprEqn, combine: Primitive | None = None) -> Any:
    """Updates replace the elements, or are combined with them."""
    (x, indices, updates), params = eqn.invars, eqn.params
    part, numbers, dtype = Part(eqn), params["dimension_numbers"], x.aval.dtype
    template: str | None = "{1}"
    if combine is not None:
        template = typed_template(lowerings[combine].template, [dtype, dtype], dtype)
    if template is None or (combine is None and params["update_jaxpr"] is not None):
        return None
    if not updates.aval.size:
        return part.source()
    sizes = window_sizes(numbers, updates.aval.shape, x.aval.ndim)
    if not have_room(sizes, x.aval.shape):
        return None
    array = part.array(updates)
    windows = Windows(part, numbers, indices, x.aval, updates.aval, sizes)
    new = template.format("a", "b")
    body = windows.each("a = y0[{q}]", f"b = {array}[{{p}}]", f"y0[{{q}}] = {new}")
    if params["mode"] is not GatherScatterMode.CLIP:
        body = block(f"if {windows.is_inside()}:", body)
    windows.write(body, is_split=False)
    return part.source()
