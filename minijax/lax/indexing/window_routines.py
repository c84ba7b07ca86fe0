"""Windows of arrays inside of compiled loops: read, or updated in their place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import numpy as np

from minijax.compiler.kernels.elements import literal_text, typed_template
from minijax.compiler.kernels.row_major import row_major
from minijax.compiler.lowerings import lowerings
from minijax.core.staging import Atom, JaxprEqn
from minijax.core.tracing import Primitive
from minijax.lax.indexing.dimension_numbers import GatherScatterMode, Numbers, window_sizes
from minijax.lax.kernel_parts import Part, clamped, position

# One window, which starts where scalars say.


def _window_start(part: Part, shape: Sequence[int], sizes: Sequence[int], starts: Any) -> str:
    """The name of the place in the flat array where a window begins."""
    lasts = [n - m for n, m in zip(shape, sizes, strict=True)]
    terms = [
        (part.start(i, last), step)
        for i, last, step in zip(starts, lasts, row_major(shape), strict=True)
    ]
    part.emit(f"s = {position(0, terms)}")
    return "s"


def dynamic_slice_part(eqn: JaxprEqn) -> Any:
    x, *starts = eqn.invars
    part, sizes, shape = Part(eqn), eqn.params["slice_sizes"], x.aval.shape
    array, start = part.array(x), _window_start(part, shape, sizes, starts)
    part.move(sizes, array, source=(start, row_major(shape)), target=(0, row_major(sizes)))
    return part.finished()


def dynamic_update_slice_part(eqn: JaxprEqn) -> Any:
    x, update, *starts = eqn.invars
    part, sizes, shape = Part(eqn), update.aval.shape, x.aval.shape
    array, start = part.array(update), _window_start(part, shape, sizes, starts)
    part.move(sizes, array, source=(0, row_major(sizes)), target=(start, row_major(shape)))
    return part.finished()


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

    def emit_starts(self) -> None:
        """Where a window begins: the index's entries, and o and q."""
        window, _, mapped, batch, indices_batch = self.numbers
        at = list(zip(self.counters, self.index_steps, strict=False))
        for k in range(len(mapped)):
            self.part.emit(f"s{k} = {self.indices}[{position(k, at)}]")
        terms = [(self.counters[axis], self.operand_steps[d])
                 for d, axis in zip(batch, indices_batch, strict=True)]  # fmt: skip
        terms += [(clamped(f"s{k}", self.dtype, self.lasts[d]), self.operand_steps[d])
                  for k, d in enumerate(mapped)]  # fmt: skip
        steps = [step for d, step in enumerate(self.window_steps) if d not in window]
        places = zip(self.counters, steps, strict=True)
        self.part.emit(f"q = {position(0, terms)}", f"o = {position(0, list(places))}")

    def only_inside(self, is_asked: bool) -> AbstractContextManager[None]:
        """Around what is done only, if that is asked, where no entry lies outside."""
        tests = [
            f"(int64(s{k}) >= 0) & (int64(s{k}) <= {self.lasts[d]})"
            for k, d in enumerate(self.numbers[2])
        ]
        return self.part.block(f"if {' & '.join(tests) or 'True'}:") if is_asked else nullcontext()

    def each(self) -> AbstractContextManager[list[str]]:
        """Loops over a window's elements; gives the place of each among the windows, and in x."""
        window, left_out, _, batch, _ = self.numbers
        axes = [d for d in range(len(self.sizes)) if d not in (*left_out, *batch)]
        return self.part.each(
            [self.sizes[d] for d in axes], ("o", [self.window_steps[d] for d in window]),
            ("q", [self.operand_steps[d] for d in axes]),
        )  # fmt: skip

    @contextmanager
    def loops(self, is_split: bool) -> Iterator[None]:
        """The loops over the indices, around what is done for each window; the outer one may run
        from lo to hi."""
        counters = zip(self.counters, self.where, strict=True)
        with self.part.loops(*counters, is_split=is_split):
            self.emit_starts()
            yield


def have_room(sizes: Sequence[int], shape: Sequence[int]) -> bool:
    """Whether windows lie inside at all. Else a start that is moved inside is below 0."""
    return all(m <= n for m, n in zip(sizes, shape, strict=True))


def gather_part(eqn: JaxprEqn) -> Any:
    (x, indices), [out], params = eqn.invars, eqn.outvars, eqn.params
    if not out.aval.size:
        return Part(eqn).finished()
    part, sizes = Part(eqn), params["slice_sizes"]
    if not have_room(sizes, x.aval.shape):
        return None
    array = part.array(x)
    windows = Windows(part, params["dimension_numbers"], indices, x.aval, out.aval, sizes)
    may_fill = params["mode"] is GatherScatterMode.FILL_OR_DROP
    with windows.loops(is_split=True):
        with windows.only_inside(may_fill), windows.each() as (p, q):
            part.emit(f"y0[{p}] = {array}[{q}]")
        if may_fill:
            fill = literal_text(np.asarray(params["fill_value"]).astype(x.aval.dtype))
            with part.block("else:"), windows.each() as (p, _):
                part.emit(f"y0[{p}] = {fill}")
    return part.finished()


def gather_rows(eqn: JaxprEqn) -> list[int] | None:
    """How far a turn of the outer loop moves in the operand and in the indices, where each makes a
    row of the result."""
    (x, indices), numbers = eqn.invars, eqn.params["dimension_numbers"]
    if indices.aval.ndim < 2 or not indices.aval.size or 0 in numbers.offset_dims:
        return None
    batching = dict(zip(numbers.start_indices_batching_dims, numbers.operand_batching_dims,
                        strict=True))  # fmt: skip
    if batching.get(0, 0) != 0:
        return None
    step = x.aval.size // x.aval.shape[0] if 0 in batching else 0
    return [step, indices.aval.size // indices.aval.shape[0]]


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
        return part.finished()
    sizes = window_sizes(numbers, updates.aval.shape, x.aval.ndim)
    if not have_room(sizes, x.aval.shape):
        return None
    array = part.array(updates)
    windows = Windows(part, numbers, indices, x.aval, updates.aval, sizes)
    may_drop, new = params["mode"] is not GatherScatterMode.CLIP, template.format("a", "b")
    with windows.loops(is_split=False), windows.only_inside(may_drop), windows.each() as (p, q):
        part.emit(f"a = y0[{q}]", f"b = {array}[{p}]", f"y0[{q}] = {new}")
    return part.finished()
