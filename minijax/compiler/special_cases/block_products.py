"""Products of blocks: in a compiled loop, BLAS reads blocks where they lie, and adds to a result.

A hand multiplies matrices block by block: `z += x_block @ y_block`. BLAS takes how far apart a
matrix's rows are, so a block of a larger array need not be copied; and it adds a product to what is
in memory. So this is one call, and neither the blocks nor the product are arrays of their own.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from minijax.compiler.generated_text import TextWriter, kernel_text
from minijax.compiler.kernels.elements import FLOATS
from minijax.compiler.kernels.loop_nests import Source
from minijax.compiler.kernels.row_major import only_first, row_major
from minijax.compiler.lowerings import register_lowering
from minijax.compiler.passes.rewriting import Draft, forward
from minijax.compiler.special_cases.other_types import with_programs
from minijax.compiler.special_cases.reads_in_place import lies_in_a_row, start_along
from minijax.compiler.special_cases.small_products import (
    LARGEST_BY_BLAS, ROWS_BY_BLAS, Arrays, Axis, write_call,
)
from minijax.core.arrays import Array, raw_value
from minijax.core.config import derived
from minijax.core.primitives import add_any_p, add_p, dot_general_p
from minijax.core.staging import Atom, ClosedJaxpr, JaxprEqn, Literal, Var
from minijax.core.tracing import Primitive, ShapedArray, no_effects


class Window(NamedTuple):
    """A matrix in an array: where it begins along each axis of the array, how far it goes, and
    which axes its own two are."""

    array: Atom
    starts: tuple[Atom, ...]
    sizes: tuple[int, ...]
    axes: tuple[int, ...]


# The primitive. Operands: what the product is added to, if it is; both arrays; the starts of both
# windows. `sizes` and `axes` are the windows'; `summed` has the axis of each matrix that is summed.

block_product_p = Primitive("block_product")


@block_product_p.def_abstract_eval
def _block_product_rule(
    *avals: ShapedArray, is_added: bool, sizes: tuple, axes: tuple, summed: tuple, out: ShapedArray
) -> ShapedArray:
    return out


def windows(operands: Sequence[Any], is_added: bool, sizes: tuple, axes: tuple) -> list[Window]:
    x, y, *starts = operands[is_added:]
    rank = len(sizes[0])
    return [Window(x, tuple(starts[:rank]), sizes[0], axes[0]),
            Window(y, tuple(starts[rank:]), sizes[1], axes[1])]  # fmt: skip


@block_product_p.def_impl
def _block_product_impl(
    *operands: Any, is_added: bool, sizes: tuple, axes: tuple, summed: tuple, out: ShapedArray
) -> Array:
    matrices = []
    for array, starts, lengths, own in windows(operands, is_added, sizes, axes):
        value = raw_value(array)
        firsts = [min(max(int(raw_value(i)), 0), n - m)
                  for i, n, m in zip(starts, value.shape, lengths, strict=True)]  # fmt: skip
        part = value[tuple(slice(i, i + m) for i, m in zip(firsts, lengths, strict=True))]
        matrices.append(part.reshape([lengths[axis] for axis in own]))
    product = np.tensordot(*matrices, axes=[[axis] for axis in summed])
    return Array(raw_value(operands[0]) + product if is_added else product, out)


def block_product_source(eqn: JaxprEqn) -> Source | None:
    params, [out] = eqn.params, eqn.outvars
    pair = windows(eqn.invars, params["is_added"], params["sizes"], params["axes"])
    reads, lines = list[Atom](), TextWriter()
    for window in pair:
        for x in (window.array, *window.starts):
            if type(x) is not Literal and all(x is not known for known in reads):
                reads.append(x)
    names = {x: f"x{k}" for k, x in enumerate(reads)}
    for letter, window in zip("ab", pair, strict=True):
        shape = window.array.aval.shape
        terms = [
            start_along(names, i, n - m, step)
            for i, n, m, step in zip(
                window.starts, shape, window.sizes, row_major(shape), strict=True
            )
        ]
        at = " + ".join(term for term in terms if term != "0") or "0"
        lines.emit(f"{letter} = {names[window.array]}[{at}:]")
    kept, summed = axes_of_windows(pair, params["summed"], out.aval.shape)
    dtypes = [out.aval.dtype] * 3
    if not write_call(lines, kept, summed, dtypes, Arrays("a", "b", "y0"), params["is_added"]):
        return None
    cost = math.prod(axis.size for axis in (*kept, *summed))
    text = kernel_text(lines, [*names.values(), "y0"])
    return Source(text, tuple(reads), (out,), (), (), None, cost)


def axes_of_windows(
    pair: Sequence[Window], summed: Sequence[int], shape: Sequence[int]
) -> tuple[list[Axis], list[Axis]]:
    """The axes of the result, and the one that is summed over."""
    (m, k), (n, other) = [
        [(w.sizes[axis], row_major(w.array.aval.shape)[axis])
         for axis in (w.axes[1 - own], w.axes[own])]
        for w, own in zip(pair, summed, strict=True)
    ]  # fmt: skip
    rows, columns = Axis("i", m[0], m[1], 0, shape[1]), Axis("j", n[0], 0, n[1], 1)
    return [rows, columns], [Axis("k", k[0], k[1], other[1], 0)]


register_lowering(
    block_product_p, source=block_product_source,
    overwrites=lambda eqn: only_first(eqn) if eqn.params["is_added"] else [],
)  # fmt: skip


# Where there are such: in the programs of loops and choices.


def in_blocks(closed: ClosedJaxpr) -> ClosedJaxpr:
    """The program in whose loops products of blocks are one equation each."""
    return with_bodies(closed, lambda eqn: math.inf if is_shared(eqn) else LARGEST_BY_BLAS)


def is_shared(eqn: JaxprEqn) -> bool:
    """Whether threads share the turns of a loop: then nothing in it waits for a large product."""
    return eqn.params.get("num_carry") == 0 and eqn.params["length"] > 1


def with_bodies(closed: ClosedJaxpr, largest: Callable[[JaxprEqn], float]) -> ClosedJaxpr:
    eqns = [
        eqn._replace(params=with_programs(eqn.params, partial(body_in_blocks, most=largest(eqn))))
        for eqn in closed.eqns
    ]
    return ClosedJaxpr(closed.jaxpr.replace(eqns=eqns), closed.consts)


@derived
def body_in_blocks(closed: ClosedJaxpr, most: float) -> ClosedJaxpr:
    """The body of a loop; `most` are the multiplications of the largest product that is BLAS's."""
    closed = with_bodies(closed, lambda eqn: most)
    uses = Counter(x for eqn in closed.eqns for x in eqn.invars if type(x) is Var)
    uses.update(x for x in closed.outvars if type(x) is Var)
    added: dict[Var, JaxprEqn] = {}  # products that an addition takes in: by their results
    made = {v: eqn for eqn in closed.eqns for v in eqn.outvars}
    arguments = {*closed.invars}
    for eqn in closed.eqns:
        product = taken_in(eqn, made, arguments, uses, most)
        if product is not None:
            added[product] = eqn

    def visit(draft: Draft, eqn: JaxprEqn) -> Sequence[Atom]:
        if eqn.outvars and eqn.outvars[0] in added:
            draft.made_by[eqn.outvars[0]] = eqn  # written with the addition
            return eqn.outvars
        product = next((x for x in eqn.invars if added.get(x) is not None), None)
        if product is not None and eqn.primitive in SUMS:
            [other] = [x for x in eqn.invars if x is not product]
            return draft.write(block_product(draft, draft.made_by[product], eqn.outvars, other))
        is_cut = any(cut_from(draft, x) for x in eqn.invars)
        if multiplies_matrices(eqn, most) and (is_cut or multiplications(eqn) > LARGEST_BY_BLAS):
            return draft.write(block_product(draft, eqn, eqn.outvars))
        return draft.write(eqn)

    return forward(closed, visit)


SUMS = (add_p, add_any_p)


def taken_in(
    eqn: JaxprEqn, made: dict[Var, JaxprEqn], arguments: set[Var], uses: Counter, most: float
) -> Var | None:
    """The product that an equation adds to an argument of the program, or to what a choice or a
    multiplication made and nobody else reads: so that the sum can take its place. `made` has the
    equations, by their results."""
    if eqn.primitive not in SUMS or eqn.invars[0] is eqn.invars[1]:
        return None
    for x, other in (eqn.invars, eqn.invars[::-1]):
        is_kept = other in arguments or (
            other in made and uses[other] == 1 and made[other].primitive.name in ("cond", "mul")
        )
        is_product = x in made and multiplies_matrices(made[x], most) and uses[x] == 1
        if is_kept and is_product and other.aval.shape == x.aval.shape:
            return x
    return None


def multiplies_matrices(eqn: JaxprEqn, most: float) -> bool:
    """Whether it is a product of two matrices that a loop calls BLAS for."""
    if eqn.primitive is not dot_general_p:
        return False
    from minijax.compiler.maths.blas import function_of

    (summed, batch), [out] = eqn.params["dimension_numbers"], eqn.outvars
    dtypes = {x.aval.dtype for x in (*eqn.invars, out)}
    if any(x.aval.ndim != 2 for x in eqn.invars) or batch[0] or len(summed[0]) != 1:
        return False
    sizes = (*out.aval.shape, eqn.invars[0].aval.shape[summed[0][0]])
    if min(sizes) < 2 or not ROWS_BY_BLAS <= multiplications(eqn) <= most:
        return False
    return dtypes == {out.aval.dtype} and out.aval.dtype in FLOATS and (
        function_of("gemm", out.aval.dtype) is not None
    )  # fmt: skip


def multiplications(eqn: JaxprEqn) -> int:
    """How many a product of matrices takes."""
    (summed, _), [out] = eqn.params["dimension_numbers"], eqn.outvars
    return out.aval.size * math.prod(eqn.invars[0].aval.shape[axis] for axis in summed[0])


def cut_from(draft: Draft, x: Atom) -> Window | None:
    """The window that a matrix is, where it is a block of an array whose rows lie apart."""
    made, axes = draft.made_by.get(x), (0, 1)
    if made is not None and made.primitive.name == "squeeze":
        dropped = made.params["dimensions"]
        axes = tuple(k for k in range(made.invars[0].aval.ndim) if k not in dropped)
        made = draft.made_by.get(made.invars[0])
    if made is None or made.primitive.name != "dynamic_slice":
        return None
    (array, *starts), sizes = made.invars, made.params["slice_sizes"]
    if type(array) is not Var or lies_in_a_row(sizes, array.aval.shape):
        return None
    return Window(array, tuple(starts), sizes, axes)


def window_of(draft: Draft, x: Atom) -> Window:
    """A matrix as a window: of another array, or of itself."""
    at_its_start = Window(x, (Literal(np.int32(0)),) * 2, x.aval.shape, (0, 1))
    return cut_from(draft, x) or at_its_start


def block_product(
    draft: Draft, product: JaxprEqn, outvars: list[Var], other: Atom | None = None
) -> JaxprEqn:
    pair = [window_of(draft, x) for x in product.invars]
    invars = [*([] if other is None else [other]), *(w.array for w in pair)]
    invars += [i for w in pair for i in w.starts]
    params = {
        "is_added": other is not None, "sizes": tuple(w.sizes for w in pair),
        "axes": tuple(w.axes for w in pair), "out": outvars[0].aval,
        "summed": tuple(axis for [axis] in product.params["dimension_numbers"][0]),
    }  # fmt: skip
    return JaxprEqn(invars, outvars, block_product_p, params, no_effects, product.source_info)
