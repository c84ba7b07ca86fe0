"""Convolutions as kernels: a product of which one operand is what the windows see.

That is lhs itself, gone through by other steps: one from window to window, and one from place to
place in a window. So a small convolution is the loops of a product. For a larger one, what some
windows see is copied, as a matrix, which BLAS multiplies by the kernel; then come the next windows.
Where a window has more places than there are windows, as in the derivative for a kernel, what is
copied is seen at some of the places, and the products are added up.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from minijax.compiler.generated_text import TextWriter
from minijax.compiler.kernel_functions import unknown_functions
from minijax.compiler.kernels.elements import FLOATS, literal_text
from minijax.compiler.kernels.row_major import row_major
from minijax.compiler.special_cases.small_products import (
    ONCE,
    Arrays,
    Axis,
    casts,
    exchanged,
    in_one_go,
    place,
    within,
    write_call,
    write_loops,
)
from minijax.core.staging import JaxprEqn
from minijax.lax.kernel_parts import Part
from minijax.lax.windows.convolution_axes import (
    Axes,
    conv_axes,
    in_order,
    laid_out,
    share_of,
    shared_out,
    size_of,
)
from minijax.lax.windows.convolution_numbers import permuted
from minijax.lax.windows.window_shapes import Windows, spread

# Numbers that are copied at a time: about as many as the other matrix has, between these bounds.
FEWEST, MOST = 1 << 17, 1 << 21
NARROW = 8  # features of a group's result, and numbers of a window: below, copies don't pay
CALLED = "added_f32(), product_f32(), product_onto_f32()"  # which kernels must have


def conv_part(eqn: JaxprEqn) -> Any:
    (lhs, rhs), [out], params = eqn.invars, eqn.outvars, eqn.params
    numbers, forms = params["dimension_numbers"], casts(eqn)
    shapes = [v.aval.shape for v in (lhs, rhs, out)]
    windows = Windows(
        permuted(shapes[1], numbers.rhs_spec)[2:],
        *(params[name] for name in ("window_strides", "padding", "lhs_dilation", "rhs_dilation")),
    )
    if forms is None or not out.aval.size or not rhs.aval.size or unknown_functions(CALLED):
        return None
    part, dtypes = Part(eqn), [v.aval.dtype for v in (lhs, rhs, out)]
    x, w = part.array(lhs), part.array(rhs)
    windows, shares = shared_out(windows, permuted(shapes[0], numbers.lhs_spec)[2:])
    if not windows.are_within:
        x, shapes[0] = write_padded(part, x, dtypes[0], shapes[0], numbers.lhs_spec, windows)
    groups = params["feature_group_count"], params["batch_group_count"]
    whole = conv_axes(shapes, windows, numbers, *groups)
    parts = [share_of(whole, chosen) for chosen in product(*shares)]
    sizes, cost = [math.prod(shape) for shape in shapes], 0
    if any(axes.is_empty or plan(axes).added for axes, _ in parts):
        fill_with_zeros(part, "y0", sizes[2], dtypes[2])
    for axes, starts in parts:
        if not axes.is_empty:
            arrays = begun_at(part, Arrays(x, w, "y0"), starts, sizes)
            write_share(part, axes, dtypes, forms, arrays)
            cost += size_of([axes.groups, *axes.rows, axes.features, *axes.summed])
    return part.finished(cost)


def fill_with_zeros(part: Part, array: str, size: int, dtype: np.dtype) -> None:
    with part.loops(("j", size)):
        part.emit(f"{array}[j] = {literal_text(np.zeros((), dtype))}")


def begun_at(part: Part, arrays: Arrays, starts: Sequence[int], sizes: Sequence[int]) -> Arrays:
    """The names of the arrays from these places on."""
    names = []
    for array, name, start, size in zip(arrays, ("sx", "sw", "sy"), starts, sizes, strict=True):
        if start:
            part.emit(f"{name} = {array}[{start}:{size}]")
        names.append(name if start else array)
    return Arrays(*names)


def write_share(
    part: Part, axes: Axes, dtypes: Sequence[np.dtype], forms: Sequence[str], arrays: Arrays
) -> None:
    """A convolution whose results lie side by side, or are brought to where they belong."""
    kept, target = axes.kept, arrays.out
    is_apart = bool(kept) and kept[-1].out != 1
    if is_apart:
        steps = laid_out(kept)
        target = part.scratch(size_of(kept), dtypes[2])
        if plan(axes).added:
            fill_with_zeros(part, target, size_of(kept), dtypes[2])
        axes = axes.moved("out", steps)
    if not write_large(part, axes, dtypes, arrays._replace(out=target)):
        write_small(part, axes, dtypes[2], forms, arrays._replace(out=target))
    if is_apart:
        places = (0, [axis.out for axis in kept]), (0, list(steps.values()))
        with part.each([axis.size for axis in kept], *places, letter="w") as (p, q):
            part.emit(f"{arrays.out}[{p}] = {target}[{q}]")


def write_padded(
    part: Part, array: str, dtype: np.dtype, shape: Sequence[int], spec: Sequence[int],
    windows: Windows,
) -> tuple[str, list[int]]:  # fmt: skip
    """The name and the shape of the array with zeros around and between its elements."""
    sizes, padded, begin, start = list(shape), list(shape), 0, 0
    for d, gap, (low, high) in zip(spec[2:], windows.base_dilation, windows.padding, strict=True):
        padded[d] = low + spread(shape[d], gap) + high
    steps, out_steps = row_major(shape), row_major(padded)
    for d, gap, (low, _) in zip(spec[2:], windows.base_dilation, windows.padding, strict=True):
        first = max(-(low // gap), 0)  # the first one that is inside, and the one behind the last
        end = min(-((low - padded[d]) // gap), shape[d])
        sizes[d] = max(end - first, 0)
        begin += first * steps[d]
        start += (low + first * gap) * out_steps[d]
        out_steps[d] *= gap
    target = part.scratch(math.prod(padded), dtype)
    fill_with_zeros(part, target, math.prod(padded), dtype)
    if 0 not in sizes:
        with part.each(sizes, (start, out_steps), (begin, steps)) as (p, q):
            part.emit(f"{target}[{p}] = {array}[{q}]")
    return target, padded


# By loops.


def write_small(
    part: Part, axes: Axes, dtype: np.dtype, forms: Sequence[str], arrays: Arrays
) -> None:
    """Rows along what lies side by side in the result; beside them what reads the same numbers."""
    kept = axes.kept
    if kept and kept[-1].name != "g":
        row = kept.pop()
        others = [a for a in kept if a.name != "g" and (a.name == "f") != (row.name == "f")]
        kept = [a for a in kept if a not in others[-1:]] + [*others[-1:], row]
    summed = in_one_go(in_order(axes.summed, "lhs")) or [ONCE]
    write_loops(part, in_one_go(kept), summed, dtype, forms, arrays)


# By BLAS.


class Plan(NamedTuple):
    """Axes cut in two: what is copied at a time, and the loops around it."""

    outer: list[Axis]
    rows: list[Axis]
    added: list[Axis]  # the loops whose products are added up
    summed: list[Axis]

    @property
    def matrix(self) -> list[Axis]:
        """The copy's axes: with a row for each window if numbers of one window lie side by side,
        and more of them than of several windows at one place."""
        by_rows = together(self.summed) >= together(self.rows)
        return [*self.rows, *self.summed] if by_rows else [*self.summed, *self.rows]

    @property
    def copied(self) -> tuple[list[Axis], list[Axis]]:
        """Rows and what is summed over, with their steps in the copy."""
        steps = laid_out(self.matrix)
        rows, summed = ([axis._replace(lhs=steps[axis.name]) for axis in axes]
                        for axes in (self.rows, self.summed))  # fmt: skip
        return rows, in_one_go(summed)


def plan(axes: Axes) -> Plan:
    rows, summed = in_order(axes.rows, "out"), in_order(axes.summed, "lhs")
    if size_of(axes.rows[1:]) >= size_of(axes.summed[1:]):  # more windows than places in one
        outer, rows = cut(rows, room(axes.features.size, size_of(summed)))
        return Plan(outer, rows, [], summed)
    added, summed = cut(summed, room(axes.features.size, size_of(rows)))
    return Plan([], rows, added, summed)


def room(features: int, size: int) -> int:
    """How many rows, or columns, of this size are copied at a time."""
    return min(max(features * size, FEWEST), MOST) // size


def cut(axes: Sequence[Axis], most: int) -> tuple[list[Axis], list[Axis]]:
    """The outer ones, and as many of the last ones as have at most so many numbers together; one
    may be cut, into equal parts."""
    outer, inner = list(axes), list[Axis]()
    while outer and outer[-1].size <= most:
        inner.insert(0, outer.pop())
        most //= inner[0].size
    if outer and most > 1:
        axis = outer[-1]
        size = max(n for n in range(1, most + 1) if axis.size % n == 0)
        steps = [size * step for step in axis[2:]]
        outer[-1] = Axis(f"{axis.name}_", axis.size // size, *steps)
        inner.insert(0, axis._replace(size=size))
    return outer, inner


def together(axes: Sequence[Axis]) -> int:
    """How many numbers of lhs lie side by side."""
    return max((axis.size for axis in axes if axis.lhs == 1), default=0)


def write_large(part: Part, axes: Axes, dtypes: Sequence[np.dtype], arrays: Arrays) -> bool:
    """Whether BLAS is to multiply; then the lines that copy what it needs, and that call it.

    Where products are added up, that is to what the result holds.
    """
    x, w, y = arrays
    if size_of(axes.summed[1:]) == 1:  # windows of one place: lhs is a matrix as it stands
        if call(part, axes.kept, in_one_go(in_order(axes.summed, "lhs")), dtypes, arrays):
            return True
    if min(axes.features.size, size_of(axes.summed)) < NARROW:
        return False
    of_whole = len(plan(axes).copied[1]) > 1
    found = with_kernel_copied(axes) if of_whole else axes
    outer, rows, added, summed = how = plan(found)
    copied, terms = how.copied
    kept = in_order([*copied, found.features], "out")
    if not call(TextWriter(), kept, terms, dtypes, arrays, bool(added)):
        return False
    if of_whole:
        w = write_kernel_copy(part, axes, found, dtypes[1], w)
    target = part.scratch(size_of(how.matrix), dtypes[0])
    around = [axis for axis in (found.groups, *outer, *added) if axis.size > 1]
    with within(part, around):
        part.emit(*(f"{name} = {place(around, side)}" for name, side in
                    (("p", "lhs"), ("q", "rhs"), ("o", "out"))))  # fmt: skip
        source = "p", [axis.lhs for axis in how.matrix]
        to = 0, list(laid_out(how.matrix).values())
        with part.each([axis.size for axis in how.matrix], to, source, letter="u") as (s, r):
            part.emit(f"{target}[{s}] = {x}[{r}]")
        arrays = Arrays(target, f"{w}[q:]", f"{y}[o:]")
        call(part, kept, terms, dtypes, arrays, bool(added))
    return True


def call(
    lines: TextWriter, kept: Sequence[Axis], summed: Sequence[Axis], dtypes: Sequence[np.dtype],
    arrays: Arrays, is_added: bool = False,
) -> bool:  # fmt: skip
    """Like `write_call`, of axes in the result's order: rows of the result may be either's."""
    kept = in_one_go(kept)
    if not kept or kept[-1].out != 1 or len(set(dtypes)) > 1 or dtypes[0] not in FLOATS:
        return False
    if not kept[-1].rhs:
        kept, summed = exchanged(kept), exchanged(summed)
        arrays = Arrays(arrays.rhs, arrays.lhs, arrays.out)
    return write_call(lines, kept, summed, dtypes, arrays, is_added)


def with_kernel_copied(axes: Axes) -> Axes:
    """The axes for a copy of rhs that has its numbers in the order in which lhs is gone through."""
    order = [axes.groups, *in_order(axes.summed, "lhs"), axes.features]
    return axes.moved("rhs", laid_out(order))


def write_kernel_copy(part: Part, axes: Axes, copied: Axes, dtype: np.dtype, w: str) -> str:
    """The name of that copy."""
    pairs = [(axes.groups, copied.groups), (axes.features, copied.features)]
    pairs[1:1] = zip(axes.summed, copied.summed, strict=True)
    target = part.scratch(size_of([axis for axis, _ in pairs]), dtype)
    to, source = (0, [new.rhs for _, new in pairs]), (0, [old.rhs for old, _ in pairs])
    with part.each([axis.size for axis, _ in pairs], to, source, letter="v") as (p, q):
        part.emit(f"{target}[{p}] = {w}[{q}]")
    return target
