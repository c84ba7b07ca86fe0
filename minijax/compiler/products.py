"""Products inside of compiled loops: small ones, where a call of a library would cost more."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from minijax.compiler.flat import row_major
from minijax.compiler.kernels import Source
from minijax.compiler.lowering import FLOATS, INTEGERS, part_rules
from minijax.core.primitives import dot_general_p, remaining
from minijax.core.staging import JaxprEqn

LARGEST = 1 << 20  # multiplications


class Axis(NamedTuple):
    """One loop of a product: how far a turn moves in both operands and in the result."""

    name: str
    size: int
    lhs: int
    rhs: int
    out: int


def product_axes(eqn: JaxprEqn) -> tuple[list[Axis], list[Axis]]:
    """The axes of the result in its order, and those that are summed over."""
    lhs, rhs = [x.aval.shape for x in eqn.invars]
    (lhs_contract, rhs_contract), (lhs_batch, rhs_batch) = eqn.params["dimension_numbers"]
    left, right, out = row_major(lhs), row_major(rhs), iter(row_major(eqn.outvars[0].aval.shape))
    kept = [Axis(f"b{d}", lhs[d], left[d], right[e], next(out))
            for d, e in zip(lhs_batch, rhs_batch, strict=True)]  # fmt: skip
    kept += [Axis(f"i{d}", lhs[d], left[d], 0, next(out))
             for d in remaining(len(lhs), lhs_contract, lhs_batch)]  # fmt: skip
    kept += [Axis(f"j{d}", rhs[d], 0, right[d], next(out))
             for d in remaining(len(rhs), rhs_contract, rhs_batch)]  # fmt: skip
    summed = [Axis(f"k{d}", lhs[d], left[d], right[e], 0)
              for d, e in zip(lhs_contract, rhs_contract, strict=True)]  # fmt: skip
    return kept, summed


def dot_source(eqn: JaxprEqn) -> Source | None:
    """The kernel of a product of two arrays of one dtype, summed over one axis."""
    dtypes = {x.aval.dtype for x in (*eqn.invars, *eqn.outvars)}
    kept, summed = product_axes(eqn)
    cost = math.prod(axis.size for axis in (*kept, *summed))
    if len(dtypes) > 1 or dtypes.isdisjoint({*FLOATS, *INTEGERS}) or len(summed) != 1:
        return None
    if cost > LARGEST:
        return None
    (dtype,) = dtypes
    last = kept[-1] if kept else None
    is_row = last is not None and last.size > 1 and 1 in (last.lhs, last.rhs) and not (
        last.lhs and last.rhs
    )  # fmt: skip
    outer = kept[:-1] if is_row else kept
    lines = ["def kernel(x0, x1, y0):"]
    for depth, axis in enumerate(outer):
        lines.append("    " * (depth + 1) + f"for {axis.name} in range({axis.size}):")
    body = row_lines(outer, last, summed[0], str(dtype)) if is_row else (
        number_lines(outer, summed[0], dtype)
    )  # fmt: skip
    lines += ["    " * (len(outer) + 1) + line for line in body]
    return Source(
        "\n".join([*lines, ""]), tuple(eqn.invars), tuple(eqn.outvars), (), (), None, cost
    )


def place(axes: Sequence[Axis], which: str) -> str:
    """The position in an operand or in the result, as far as these loops move it."""
    moves = [(axis.name, getattr(axis, which)) for axis in axes]
    return " + ".join(f"{name} * {move}" for name, move in moves if move) or "0"


def number_lines(outer: Sequence[Axis], k: Axis, dtype: object) -> list[str]:
    """One number of the result: a sum of products."""
    step = f"x0[p + {k.name} * {k.lhs}] * x1[q + {k.name} * {k.rhs}]"
    total = f"added_{FLOATS[dtype]}(s, {step})" if dtype in FLOATS else f"{dtype}(s + {step})"
    return [
        f"p = {place(outer, 'lhs')}", f"q = {place(outer, 'rhs')}", f"s = {dtype}(0)",
        f"for {k.name} in range({k.size}):", f"    s = {total}",
        f"y0[{place(outer, 'out')}] = s",
    ]  # fmt: skip


def row_lines(outer: Sequence[Axis], row: Axis, k: Axis, dtype: str) -> list[str]:
    """A row of the result: a sum of rows of one operand, each times a number of the other; four at
    a time, since to read and to write the result costs as much as a product."""
    many, one = ("x1", "x0") if row.rhs else ("x0", "x1")
    of_many, of_one = ("rhs", "lhs") if row.rhs else ("lhs", "rhs")
    stride, step = getattr(k, of_many), getattr(k, of_one)
    lines = [
        f"p = {place(outer, of_one)}", f"q = {place(outer, of_many)}",
        f"y = y0[{place(outer, 'out')}:{place(outer, 'out')} + {row.size}]",
        f"for {row.name} in range({row.size}):", f"    y[{row.name}] = {dtype}(0)",
    ]  # fmt: skip
    fours = k.size - k.size % 4
    for begin, end, count in ((0, fours, 4), (fours, k.size, 1)):
        if begin == end:
            continue
        lines.append(f"for {k.name} in range({begin}, {end}, {count}):")
        terms = []
        for n in range(count):
            at = f"({k.name} + {n})"
            lines.append(f"    a{n} = {one}[p + {at} * {step}]")
            lines.append(f"    r{n} = {many}[q + {at} * {stride}:q + {at} * {stride} + {row.size}]")
            terms.append(f"a{n} * r{n}[{row.name}]")
        lines.append(f"    for {row.name} in range({row.size}):")
        lines.append(f"        y[{row.name}] = {dtype}(y[{row.name}] + {' + '.join(terms)})")
    return lines


part_rules[dot_general_p] = dot_source
