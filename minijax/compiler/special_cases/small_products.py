"""Products inside of compiled loops: small ones are loops, larger ones calls of BLAS.

Whatever takes so long that nothing is won by leaving Python out is left to NumPy, between kernels
that run in threads.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from minijax.compiler.generated_text import TextWriter, kernel_text
from minijax.compiler.kernels.elements import FLOATS, KERNEL_DTYPES, literal_text
from minijax.compiler.kernels.loop_nests import Source
from minijax.compiler.kernels.row_major import row_major
from minijax.compiler.lowerings import register_lowering
from minijax.compiler.passes.rewriting import Draft, forward
from minijax.compiler.passes.simplify import copy, rewrite_eqn
from minijax.compiler.special_cases.other_types import with_programs
from minijax.core.config import derived
from minijax.core.primitives import (
    broadcast_in_dim, cast, dot_general_p, mul, remaining, reshape, transpose, transpose_p,
)
from minijax.core.staging import Atom, ClosedJaxpr, JaxprEqn, Var, trace_to_jaxpr

LARGEST = 1 << 20  # multiplications, where BLAS can't be called
LARGEST_BY_BLAS = 1 << 24
# Multiplications of two matrices from which BLAS is faster than loops: where a loop runs along rows
# of the second and of the result, and where each number of the result is a sum by itself.
ROWS_BY_BLAS, NUMBERS_BY_BLAS = 1 << 15, 1 << 12
MATRIX_BY_BLAS = 1 << 21  # bytes of a matrix from which its product with a row is BLAS's
TINY = 1 << 15  # of one matrix
TOGETHER = 4  # rows of either operand that are worked on at once


class Axis(NamedTuple):
    """One loop of a product: how far a turn moves in both operands and in the result."""

    name: str
    size: int
    lhs: int
    rhs: int
    out: int


ONCE = Axis("k", 1, 0, 0, 0)  # a sum over no axis is one product


class Arrays(NamedTuple):
    """The names of both operands and of the result in a text."""

    lhs: str
    rhs: str
    out: str


OWN = Arrays("x0", "x1", "y0")  # of a kernel that is a product and nothing else


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


def in_one_go(axes: Sequence[Axis]) -> list[Axis]:
    """The loops for these axes: neighbours that all arrays run through in a line are one."""
    found: list[Axis] = []
    for axis in axes:
        if found and found[-1][2:] == tuple(axis.size * step for step in axis[2:]):
            found[-1] = axis._replace(size=found[-1].size * axis.size)
        elif axis.size != 1:
            found.append(axis)
    return found


def casts(eqn: JaxprEqn) -> list[str] | None:
    """What is written around the elements of each operand: they become numbers of the result's
    dtype. None where a float would lose something, or a dtype is not one of kernels'."""
    [x, y, out] = [v.aval.dtype for v in (*eqn.invars, *eqn.outvars)]
    are_kept = [np.can_cast(t, out) for t in (x, y) if t in FLOATS or out == np.bool_]
    if not {x, y, out} <= KERNEL_DTYPES or not all(are_kept):
        return None
    return ["{}" if t == out else f"{out}({{}})" for t in (x, y)]


def dot_source(eqn: JaxprEqn) -> Source | None:
    """The kernel of a product, unless it is a large one of matrices, which NumPy does."""
    (kept, summed), forms = map(in_one_go, product_axes(eqn)), casts(eqn)
    cost = math.prod(axis.size for axis in (*kept, *summed))
    lines = TextWriter()
    dtypes = [x.aval.dtype for x in (*eqn.invars, *eqn.outvars)]
    if cost <= LARGEST_BY_BLAS and write_call(lines, kept, summed, dtypes):
        text = kernel_text(lines, OWN)
        return Source(text, tuple(eqn.invars), tuple(eqn.outvars), (), (), None, cost)
    are_matrices = any(not axis.lhs for axis in kept) and any(not axis.rhs for axis in kept)
    if forms is None or (cost > LARGEST and summed and are_matrices):
        return None
    write_loops(lines, kept, summed or [ONCE], eqn.outvars[0].aval.dtype, forms)
    text = kernel_text(lines, OWN)
    return Source(text, tuple(eqn.invars), tuple(eqn.outvars), (), (), None, cost)


# Lines.


@contextmanager
def within(lines: TextWriter, outer: Sequence[Axis], count: int = 1) -> Iterator[None]:
    """Loops around the lines inside, which do `count` turns of the innermost one at once.

    Where those don't go into its size, the last ones are moved back: some turns are done twice.
    """
    with ExitStack() as opened:
        for axis in outer:
            at_once = count if axis is outer[-1] else 1
            turns = f"0, {axis.size}, {at_once}" if at_once > 1 else axis.size
            opened.enter_context(lines.block(f"for {axis.name} in range({turns}):"))
            if axis.size % at_once:
                lines.emit(f"{axis.name} = min({axis.name}, {axis.size - at_once})")
        yield


def place(axes: Sequence[Axis], which: str) -> str:
    """The position in an operand or in the result, as far as these loops move it."""
    moves = [(axis.name, getattr(axis, which)) for axis in axes]
    return " + ".join(f"{name} * {move}" for name, move in moves if move) or "0"


def with_products(total: str, pairs: Sequence[tuple[str, str]], dtype: np.dtype) -> str:
    """A total and some products more; of bools, whether one of them holds."""
    if dtype == np.bool_:
        return " | ".join([total, *(f"({a} & {b})" for a, b in pairs)])
    return f"{dtype}({' + '.join([total, *(f'{a} * {b}' for a, b in pairs)])})"


def exchanged(axes: Sequence[Axis]) -> list[Axis]:
    """The same axes, with the operands in each other's place."""
    return [axis._replace(lhs=axis.rhs, rhs=axis.lhs) for axis in axes]


def write_loops(
    lines: TextWriter, kept: Sequence[Axis], summed: Sequence[Axis], dtype: np.dtype,
    forms: Sequence[str], arrays: Arrays = OWN,
) -> None:  # fmt: skip
    """A product, row after row if an operand has such, or number after number."""
    if kept and kept[-1].lhs == 1 and not kept[-1].rhs:  # rows of the first operand
        forms, arrays = forms[::-1], Arrays(arrays.rhs, arrays.lhs, arrays.out)
        kept, summed = exchanged(kept), exchanged(summed)
    write = write_rows if kept and kept[-1].rhs == 1 and not kept[-1].lhs else write_numbers
    write(lines, kept, summed, dtype, forms, arrays)


def write_numbers(
    lines: TextWriter, outer: Sequence[Axis], summed: Sequence[Axis], dtype: np.dtype,
    forms: Sequence[str], arrays: Arrays,
) -> None:  # fmt: skip
    """Numbers of the result, which are sums of products: up to four neighbours at once, so that
    what they have in common is read once."""
    last = outer[-1] if outer else ONCE
    neighbours = range(min(last.size, TOGETHER) or 1)
    with within(lines, outer, len(neighbours)):
        lines.emit(f"p = {place(outer, 'lhs')}", f"q = {place(outer, 'rhs')}")
        for n in neighbours:
            lines.emit(f"s_{n} = {zero(dtype)}")
        with within(lines, summed):
            for n in neighbours:
                x = forms[0].format(f"{arrays.lhs}[p + {n * last.lhs} + {place(summed, 'lhs')}]")
                y = forms[1].format(f"{arrays.rhs}[q + {n * last.rhs} + {place(summed, 'rhs')}]")
                total = with_products(f"s_{n}", [(x, y)], dtype)
                if dtype in FLOATS:
                    total = f"added_{FLOATS[dtype]}(s_{n}, {x} * {y})"
                lines.emit(f"s_{n} = {total}")
        for n in neighbours:
            lines.emit(f"{arrays.out}[{place(outer, 'out')} + {n * last.out}] = s_{n}")


def write_rows(
    lines: TextWriter, outer: Sequence[Axis], summed: Sequence[Axis], dtype: np.dtype,
    forms: Sequence[str], arrays: Arrays,
) -> None:  # fmt: skip
    """Rows of the result, which are sums of rows of rhs, each times a number of lhs.

    Four of the result take in four of rhs at once: to read or write a row costs as much as a
    product, and so each that is read is used four times.
    """
    (*outer, row), (*others, k) = outer, summed
    side = outer[-1] if outer and not outer[-1].rhs else Axis("", 1, 0, 0, 0)
    count, whole = min(side.size, TOGETHER) or 1, k.size - k.size % TOGETHER
    with within(lines, outer, count):
        lines.emit(f"o = {place(outer, 'out')}")
        for n in range(count):
            lines.emit(cut(f"y_{n} = {arrays.out}", f"o + {n * side.out}", row))
        with within(lines, [row]):
            for n in range(count):
                lines.emit(f"y_{n}[{row.name}] = {zero(dtype)}")
        with within(lines, others):
            lines.emit(f"p = {place([*outer, *others], 'lhs')}")
            lines.emit(f"q = {place([*outer, *others], 'rhs')}")
            for begin, end in ((0, whole), (whole, k.size)):
                together = min(end - begin, TOGETHER)
                if together:
                    with lines.block(f"for {k.name} in range({begin}, {end}, {together}):"):
                        counts = count, together
                        write_terms(lines, row, k, side.lhs, counts, dtype, forms, arrays)


def write_terms(
    lines: TextWriter, row: Axis, k: Axis, step: int, counts: tuple[int, int], dtype: np.dtype,
    forms: Sequence[str], arrays: Arrays,
) -> None:  # fmt: skip
    """Some terms of some rows; `step` is from one row's numbers in lhs to the next one's."""
    rows, terms = map(range, counts)
    at = [f"({k.name} + {t}) * " for t in terms]
    for t in terms:
        lines.emit(cut(f"r_{t} = {arrays.rhs}", f"q + {at[t]}{k.rhs}", row))
    for n, t in product(rows, terms):
        number = f"{arrays.lhs}[p + {n * step} + {at[t]}{k.lhs}]"
        lines.emit(f"a_{n}{t} = {forms[0].format(number)}")
    with within(lines, [row]):
        for t in terms:
            lines.emit(f"b_{t} = {forms[1].format(f'r_{t}[{row.name}]')}")
        for n in rows:
            pairs, here = [(f"a_{n}{t}", f"b_{t}") for t in terms], f"y_{n}[{row.name}]"
            lines.emit(f"{here} = {with_products(here, pairs, dtype)}")


def write_call(
    lines: TextWriter, kept: Sequence[Axis], summed: Sequence[Axis], dtypes: Sequence[np.dtype],
    arrays: Arrays = OWN, is_added: bool = False,
) -> bool:  # fmt: skip
    """Whether BLAS is to multiply the matrices of the last axes; then the lines that call it, and
    that add the product to the result if it `is_added`.

    They are m x k and k x n, each as it stands or transposed: the numbers of its rows lie side by
    side, or those of its columns.
    """
    from minijax.compiler.maths.blas import AS_IT_IS, TRANSPOSED, function_of

    *others, dtype = dtypes
    rows, columns = [[a for a in kept if not getattr(a, side)] for side in ("rhs", "lhs")]
    if dtype not in FLOATS or others != [dtype] * 2 or len(summed) != 1:
        return False
    if not rows or not columns:
        return write_row_call(lines, kept, summed[0], dtype, arrays, is_added)
    m, n, [k] = rows[-1], columns[-1], summed
    smallest = ROWS_BY_BLAS if n.rhs == 1 else NUMBERS_BY_BLAS
    if m.size * n.size * k.size < smallest or 1 not in (m.lhs, k.lhs) or 1 not in (k.rhs, n.rhs):
        return False
    if function_of("gemm", dtype) is None:
        return False

    def matrix(name: str, side: str, row: Axis, column: Axis) -> str:
        step, across = getattr(row, side), getattr(column, side)
        form = f"{AS_IT_IS}, {step}" if across == 1 else f"{TRANSPOSED}, {across}"
        return f"{name}[{place(outer, side)}:], {form}"

    outer = [axis for axis in kept if axis not in (m, n)]
    x, y = matrix(arrays.lhs, "lhs", m, k), matrix(arrays.rhs, "rhs", k, n)
    function = f"{'product_onto' if is_added else 'product'}_{FLOATS[dtype]}"
    with within(lines, outer):
        out = f"{arrays.out}[{place(outer, 'out')}:], {m.out}"
        lines.emit(f"{function}({x}, {y}, {out}, {m.size}, {n.size}, {k.size})")
    return True


def write_row_call(
    lines: TextWriter, kept: Sequence[Axis], k: Axis, dtype: np.dtype, arrays: Arrays,
    is_added: bool,
) -> bool:  # fmt: skip
    """Like `write_call`, of a matrix and a row: where the matrix is larger than the memory that is
    near to one processor, the library's threads each have a part of it near."""
    from minijax.compiler.maths.blas import AS_IT_IS, TRANSPOSED, function_of

    if not kept or not (bool(kept[-1].lhs) ^ bool(kept[-1].rhs)):
        return False
    m, outer = kept[-1], kept[:-1]
    side, other = ("lhs", "rhs") if m.lhs else ("rhs", "lhs")
    across, along = getattr(m, side), getattr(k, side)
    if m.size * k.size * dtype.itemsize < MATRIX_BY_BLAS or 1 not in (across, along):
        return False
    if function_of("gemv", dtype) is None:
        return False
    form = f"{AS_IT_IS}, {across}, {m.size}, {k.size}"
    if along != 1:
        form = f"{TRANSPOSED}, {along}, {k.size}, {m.size}"
    with within(lines, outer):
        x, y, out = (f"{getattr(arrays, s)}[{place(outer, s)}:]" for s in (side, other, "out"))
        lines.emit(f"product_with_row_{FLOATS[dtype]}({x}, {form}, {y}, {getattr(k, other)}, {out},"
                   f" {m.out}, {float(is_added)})")  # fmt: skip
    return True


def zero(dtype: np.dtype) -> str:
    return literal_text(np.zeros((), dtype))


def cut(name: str, begin: str, row: Axis) -> str:
    """A line that gives a row of an array a name."""
    return f"{name}[{begin}:{begin} + {row.size}]"


def is_tiny(eqn: JaxprEqn) -> bool:
    """Whether each matrix of a product is so small that a call of the library takes longer."""
    (kept, summed), numbers = product_axes(eqn), eqn.params["dimension_numbers"]
    batch = math.prod(eqn.outvars[0].aval.shape[: len(numbers[1][0])])
    return math.prod(axis.size for axis in (*kept, *summed)) <= TINY * max(batch, 1)


register_lowering(dot_general_p, source=dot_source, alone=is_tiny)


# A transposed product is the product of the operands in the other order. Derivatives of products
# are full of these, and it takes longer to read an array across its rows than to compute it.


def turned_product(product: JaxprEqn, transpose: JaxprEqn) -> JaxprEqn | None:
    """The transpose of a product as a product, where what is kept of its operands changes places.

    Sums are those of before, perhaps in another order.
    """
    x, y = product.invars
    (x_contract, y_contract), (x_batch, y_batch) = product.params["dimension_numbers"]
    first, last = len(x_batch), x.aval.ndim - len(x_contract)
    axes = range(product.outvars[0].aval.ndim)
    if transpose.params["permutation"] != (*axes[:first], *axes[last:], *axes[first:last]):
        return None
    params, numbers = product.params, ((y_contract, x_contract), (y_batch, x_batch))
    precision = params["precision"]
    params = {**params, "dimension_numbers": numbers,
              "precision": precision[::-1] if type(precision) is tuple else precision}  # fmt: skip
    return product._replace(invars=[y, x], outvars=transpose.outvars, params=params)


def of_transposed(product: JaxprEqn, made: dict[Var, JaxprEqn]) -> JaxprEqn:
    """A product whose operands are transposes as the product of what these transpose: BLAS reads
    either. `made` has the transposes, by their results."""
    (lhs, rhs), (contract, batch) = product.invars, product.params["dimension_numbers"]
    invars, new_contract, new_batch = [], [], []
    for x, summed, paired in zip((lhs, rhs), contract, batch, strict=True):
        order = range(x.aval.ndim)
        if x in made:
            found = made[x].params["permutation"]
            free = [found[d] for d in remaining(x.aval.ndim, summed, paired)]
            if free == sorted(free):
                order, x = found, made[x].invars[0]
        invars.append(x)
        new_contract.append(tuple(order[d] for d in summed))
        new_batch.append(tuple(order[d] for d in paired))
    numbers = (tuple(new_contract), tuple(new_batch))
    params = {**product.params, "dimension_numbers": numbers}
    return product._replace(invars=invars, params=params)


def is_for_blas(eqn: JaxprEqn) -> bool:
    kept, summed = product_axes(eqn)
    is_enough = math.prod(axis.size for axis in (*kept, *summed)) >= ROWS_BY_BLAS
    return is_enough and eqn.outvars[0].aval.dtype in FLOATS


@derived
def turned(closed: ClosedJaxpr) -> ClosedJaxpr:
    """The program without transposes of products that nothing else reads, nor of what BLAS
    multiplies, and with products over nothing as products of elements, at any depth."""
    uses = Counter(x for eqn in closed.eqns for x in eqn.invars if type(x) is Var)
    uses.update(x for x in closed.outvars if type(x) is Var)
    made = {eqn.outvars[0]: eqn for eqn in closed.eqns if eqn.primitive is dot_general_p}
    found: dict[Var, JaxprEqn | None] = {}
    for eqn in closed.eqns:
        if eqn.primitive is transpose_p and eqn.invars[0] in made and uses[eqn.invars[0]] == 1:
            product = turned_product(made[eqn.invars[0]], eqn)
            if product is not None:
                found |= {eqn.invars[0]: product, eqn.outvars[0]: None}
    eqns = [found.get(eqn.outvars[0], eqn) if eqn.outvars else eqn for eqn in closed.eqns]
    transposes = {eqn.outvars[0]: eqn for eqn in eqns if eqn and eqn.primitive is transpose_p}
    eqns = [of_transposed(eqn, transposes)
            if eqn and eqn.primitive is dot_general_p and is_for_blas(eqn) else eqn
            for eqn in eqns]  # fmt: skip
    eqns = [eqn._replace(params=with_programs(eqn.params, turned)) for eqn in eqns if eqn]
    return forward(ClosedJaxpr(closed.jaxpr.replace(eqns=eqns), closed.consts), by_elements)


# A product that sums over nothing is one of elements, which joins the loops around it.


def by_elements(draft: Draft, eqn: JaxprEqn) -> Sequence[Atom]:
    """Writes an equation down; such a product as its operands, repeated along each other's axes."""
    if eqn.primitive is not dot_general_p or not is_outer(eqn):
        return draft.write(eqn)
    [out], numbers = eqn.outvars, eqn.params["dimension_numbers"]

    def repeated(x: Any, contract: Sequence[int], batch: Sequence[int], is_last: bool) -> Any:
        free = remaining(x.aval.ndim, contract, batch)
        order, shape = (*batch, *free, *contract), x.aval.shape
        x = reshape(transpose(x, order), [shape[d] for d in order[: len(batch) + len(free)]])
        behind = range(out.aval.ndim)[len(batch) :]
        behind = behind[len(behind) - len(free) :] if is_last else behind[: len(free)]
        axes = (*range(len(batch)), *behind)
        return cast(broadcast_in_dim(x, out.aval.shape, axes), out.aval.dtype)

    def product(*operands: Any) -> list[Any]:
        return [mul(*map(repeated, operands, *numbers, (False, True)))]

    program = trace_to_jaxpr(product, [x.aval for x in eqn.invars])
    return copy(draft, program, eqn.invars, rewrite_eqn)


def is_outer(eqn: JaxprEqn) -> bool:
    """Whether a kernel can make each number of a product of one pair."""
    _, summed = product_axes(eqn)
    is_number = eqn.outvars[0].aval.dtype != np.bool_
    return is_number and casts(eqn) is not None and all(axis.size == 1 for axis in summed)
