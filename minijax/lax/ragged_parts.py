"""Products in groups of rows, inside of compiled loops: row after row, whose group is counted."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from minijax.compiler.kernels.row_major import row_major
from minijax.compiler.special_cases.small_products import (
    LARGEST,
    Axis,
    casts,
    in_one_go,
    place,
    with_products,
    within,
    zero,
)
from minijax.core.primitives import remaining
from minijax.core.staging import JaxprEqn
from minijax.lax.kernel_parts import Part


class RaggedAxes(NamedTuple):
    """The loops of such a product; and how far the next group lies in rhs and in the result."""

    batch: list[Axis]
    row: Axis
    others: list[Axis]
    group: Axis


def ragged_axes(eqn: JaxprEqn) -> RaggedAxes:
    """Where the ragged axis is contracted, the result has an axis of groups in front."""
    x, y, sizes = [v.aval.shape for v in eqn.invars]
    numbers, [ragged], group = eqn.params["ragged_dot_dimension_numbers"]
    (x_contract, y_contract), (x_batch, y_batch) = numbers
    left, right, steps = row_major(x), row_major(y), row_major(eqn.outvars[0].aval.shape)
    to_matrix, to_sum = (right[group[0]], 0) if group else (0, steps.pop(0))
    out = iter(steps)
    batch = [Axis(f"b{d}", x[d], left[d], right[e], next(out))
             for d, e in zip(x_batch, y_batch, strict=True)]  # fmt: skip
    rows = [Axis(f"i{d}", x[d], left[d], 0, next(out))
            for d in remaining(len(x), x_contract, x_batch)]  # fmt: skip
    columns = [Axis(f"j{d}", y[d], 0, right[d], next(out))
               for d in remaining(len(y), y_contract, y_batch, group)]  # fmt: skip
    summed = [Axis(f"k{d}", x[d], left[d], right[e], 0)
              for d, e in zip(x_contract, y_contract, strict=True)]  # fmt: skip
    others = [*rows, *summed, *columns]
    [row] = [axis for axis in others if axis.name in (f"i{ragged}", f"k{ragged}")]
    others.remove(row)
    return RaggedAxes(batch, row, others, Axis("g", sizes[-1], 0, to_matrix, to_sum))


def ragged_part(eqn: JaxprEqn) -> Any:
    """Zeros, to which each row of each group adds its products."""
    [x, y, sizes], [out] = eqn.invars, eqn.outvars
    axes, forms = ragged_axes(eqn), casts(eqn._replace(invars=[x, y]))
    cost = math.prod(axis.size for axis in (*axes.batch, axes.row, *axes.others))
    if forms is None or cost > LARGEST:
        return None
    part, dtype = Part(eqn), out.aval.dtype
    lhs, rhs, counts = map(part.array, (x, y, sizes))
    with part.loops(("i", out.aval.size)):
        part.emit(f"y0[i] = {zero(dtype)}")
    with within(part, axes.batch):
        part.emit(f"c = {_first_count(axes, sizes.aval.shape)}", "stop = 0")
        with within(part, [axes.group]):
            part.emit("start = stop", f"stop = start + int64({counts}[c + g])")
            turns = ", ".join(f"min(max({end}, 0), {axes.row.size})" for end in ("start", "stop"))
            with part.block(f"for {axes.row.name} in range({turns}):"):
                _add_row(part, axes, (lhs, rhs), dtype, forms)
    return part.finished(cost)


def _first_count(axes: RaggedAxes, shape: Sequence[int]) -> str:
    """Where the sizes of a batch's groups begin, if it has its own."""
    steps = row_major(shape)[:-1]
    moves = zip(axes.batch, steps, strict=True) if steps else ()
    return " + ".join(f"{axis.name} * {step}" for axis, step in moves) or "0"


def _add_row(
    part: Part, axes: RaggedAxes, arrays: Sequence[str], dtype: np.dtype, forms: Sequence[str]
) -> None:  # fmt: skip
    outer, inner = [*axes.batch, axes.group, axes.row], in_one_go(axes.others)
    sides = ("lhs", "rhs", "out")
    part.emit(*(f"{at} = {place(outer, side)}" for at, side in zip("pqo", sides, strict=True)))
    with within(part, inner):
        pair = [
            form.format(f"{array}[{at} + {place(inner, side)}]")
            for form, array, at, side in zip(forms, arrays, "pq", sides[:2], strict=True)
        ]
        here = f"y0[o + {place(inner, 'out')}]"
        part.emit(f"{here} = {with_products(here, [tuple(pair)], dtype)}")
