"""Products of operands in blocks: each block of an operand has a scale, a number for all of it.

So numbers of 8 bits and fewer hold what their exponents have no room for. (Rouhani et al.,
Microscaling data formats for deep learning, 2023.)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import ml_dtypes

from minijax.compiler.executable import PASSES
from minijax.compiler.passes.rewriting import Draft, forward
from minijax.compiler.simpler_programs import simpler_programs
from minijax.compiler.special_cases.other_types import holds, put, with_programs
from minijax.core.batching import bdim_at_front, primitive_batchers, shift_axes
from minijax.core.config import derived
from minijax.core.dtypes import bfloat16
from minijax.core.primitives import broadcast_in_dim, cast, contract, fill, mul, remaining, reshape
from minijax.core.staging import Atom, ClosedJaxpr, JaxprEqn
from minijax.core.tracing import Primitive, ShapedArray, typeof
from minijax.lax.elementwise.arithmetic import convert_element_type, dtype_for
from minijax.lax.products import pairs_of_axes

NAME = "lax.scaled_dot"
Numbers = tuple[tuple[tuple[int, ...], tuple[int, ...]], tuple[tuple[int, ...], tuple[int, ...]]]


def _check_scale(side: str, x: ShapedArray, scale: ShapedArray, contract: Sequence[int]) -> None:
    """A scale is for two elements or more of each contracted axis, and for one of the others."""
    for d, (size, scales) in enumerate(zip(x.shape, scale.shape, strict=True)):
        if d not in contract and scales != size:
            raise TypeError(
                f"{NAME} got {side}_scale {scale} for {side} {x}: axis {d} is not contracted.\n"
                f"Give the scale the size {size} along it."
            )
        if d in contract and (scales < 1 or size % scales or size < 2 * scales):
            raise TypeError(
                f"{NAME} got {side}_scale {scale} for {side} {x}: along the contracted axis {d}, "
                f"the size of the one is no multiple, at least twice, of the other's.\n"
                f"Give a scale for each block of two or more."
            )


def _scaled_dot_rule(
    lhs: ShapedArray, rhs: ShapedArray, lhs_scale: ShapedArray, rhs_scale: ShapedArray, *,
    dimension_numbers: Numbers, preferred_element_type: Any = None,
) -> ShapedArray:  # fmt: skip
    given = {"lhs": lhs, "rhs": rhs, "lhs_scale": lhs_scale, "rhs_scale": rhs_scale}
    if len({x.ndim for x in given.values()}) > 1:
        raise TypeError(
            f"{NAME} got {', '.join(f'{name} {x}' for name, x in given.items())}.\n"
            f"Give all as many axes."
        )
    (lhs_contract, rhs_contract), (lhs_batch, rhs_batch) = dimension_numbers
    for kind, *pair in (("contract", lhs_contract, rhs_contract), ("batch", lhs_batch, rhs_batch)):
        sizes = [[x.shape[d] for d in axes if 0 <= d < x.ndim]
                 for x, axes in zip((lhs, rhs), pair, strict=True)]  # fmt: skip
        if sizes[0] != sizes[1] or [*map(len, pair)] != [*map(len, sizes)]:
            raise TypeError(
                f"{NAME} cannot {kind} the axes {pair[0]} of lhs {lhs} with the axes {pair[1]} of "
                f"rhs {rhs}.\nGive axes of one size."
            )
    _check_scale("lhs", lhs, lhs_scale, lhs_contract)
    _check_scale("rhs", rhs, rhs_scale, rhs_contract)
    shape = [lhs.shape[d] for d in lhs_batch]
    shape += [lhs.shape[d] for d in remaining(lhs.ndim, lhs_contract, lhs_batch)]
    shape += [rhs.shape[d] for d in remaining(rhs.ndim, rhs_contract, rhs_batch)]
    return ShapedArray(shape, preferred_element_type or bfloat16)


def _scaled(x: Any, scale: Any, contract: Sequence[int]) -> Any:
    """The operand in bfloat16, each block times its scale."""
    shape, scales = typeof(x).shape, typeof(scale).shape
    sizes: list[int] = []  # a contracted axis as two: its blocks, and what is in each
    places = []
    for d, size in enumerate(scales):
        places.append(len(sizes))
        sizes += [size, shape[d] // size] if d in contract else [size]
    repeated = reshape(broadcast_in_dim(scale, sizes, places), shape)
    return mul(cast(x, bfloat16), cast(repeated, bfloat16))


def _as_product(
    lhs: Any, rhs: Any, lhs_scale: Any, rhs_scale: Any, dimension_numbers: Numbers,
    preferred_element_type: Any,
) -> Any:  # fmt: skip
    (lhs_contract, rhs_contract), _ = dimension_numbers
    x, y = _scaled(lhs, lhs_scale, lhs_contract), _scaled(rhs, rhs_scale, rhs_contract)
    return contract(x, y, dimension_numbers, preferred_element_type=preferred_element_type)


scaled_dot_p = Primitive("scaled_dot")
scaled_dot_p.def_abstract_eval(_scaled_dot_rule)


@scaled_dot_p.def_impl
def _scaled_dot_impl(*operands: Any, **params: Any) -> Any:
    _scaled_dot_rule(*map(typeof, operands), **params)
    return _as_product(*operands, **params)


@derived
def _written_out(closed: ClosedJaxpr) -> ClosedJaxpr:
    def visit(draft: Draft, eqn: JaxprEqn) -> Sequence[Atom]:
        if eqn.primitive is scaled_dot_p:
            return put(draft, lambda *xs: [_as_product(*xs, **eqn.params)], *eqn.invars)
        return draft.write(eqn._replace(params=with_programs(eqn.params, _written_out)))

    return forward(closed, visit)


def without_scaled_dots(closed: ClosedJaxpr) -> ClosedJaxpr:
    """The program with products in their place, also in loops: before the pass that finds
    bfloat16, which is in them."""
    return _written_out(closed) if holds(closed.jaxpr, scaled_dot_p) else closed


PASSES.insert(0, without_scaled_dots)
simpler_programs[scaled_dot_p] = _as_product


def _scaled_dot_batcher(args, dims, *, dimension_numbers, preferred_element_type):
    """One more batch axis, in front of the others."""
    size = next(typeof(x).shape[d] for x, d in zip(args, dims, strict=True) if d is not None)
    operands = [bdim_at_front(x, d, size) for x, d in zip(args, dims, strict=True)]
    contract, batch = dimension_numbers
    numbers = (
        tuple(shift_axes(axes, 0) for axes in contract),
        tuple((0, *shift_axes(axes, 0)) for axes in batch),
    )
    out = scaled_dot_p.bind(
        *operands, dimension_numbers=numbers, preferred_element_type=preferred_element_type
    )
    return out, 0


primitive_batchers[scaled_dot_p] = _scaled_dot_batcher


def _ones(x: ShapedArray, contract: Sequence[int]) -> Any:
    """The scales of an operand that has none: powers of two have a dtype of their own."""
    shape = [1 if d in contract else n for d, n in enumerate(x.shape)]
    return convert_element_type(fill(ShapedArray(shape, bfloat16), 1), ml_dtypes.float8_e8m0fnu)


def scaled_dot(
    lhs: Any, rhs: Any, *, lhs_scale: Any = None, rhs_scale: Any = None,
    dimension_numbers: Any = None, preferred_element_type: Any = None,
) -> Any:  # fmt: skip
    """A `dot_general` of operands that are multiplied by scales first, in bfloat16.

    A scale has its operand's shape, but for contracted axes, of which it has a number for each
    block of two or more; the scale 1 if it is not given. `dimension_numbers` are those of
    `dot_general`; else the last axis of lhs and the one before the last of rhs are contracted, and
    all before them are batch axes. The result is in `preferred_element_type`, or bfloat16.

    TypeError for shapes and axes that don't fit. It has no derivative (NotImplementedError).

    >>> import minijax.numpy as jnp
    >>> scales = {"lhs_scale": jnp.full((2, 2), 2.0), "rhs_scale": jnp.full((1, 3), 0.5)}
    >>> scaled_dot(jnp.ones((2, 4)), jnp.ones((4, 3)), **scales, preferred_element_type="float32")
    Array([[4., 4., 4.],
           [4., 4., 4.]], dtype=float32)
    """
    x, y = typeof(lhs), typeof(rhs)
    if dimension_numbers is None:
        if x.ndim < 2:
            raise TypeError(f"{NAME} got lhs {x}. Give matrices, or stacks of them.")
        batch = tuple(range(x.ndim - 2))
        dimension_numbers = ((x.ndim - 1,), (x.ndim - 2,)), (batch, batch)
    dimension_numbers = pairs_of_axes(NAME, dimension_numbers)
    (lhs_contract, rhs_contract), _ = dimension_numbers
    wanted = bfloat16 if preferred_element_type is None else preferred_element_type
    return scaled_dot_p.bind(
        lhs, rhs, _ones(x, lhs_contract) if lhs_scale is None else lhs_scale,
        _ones(y, rhs_contract) if rhs_scale is None else rhs_scale,
        dimension_numbers=dimension_numbers, preferred_element_type=dtype_for(NAME, wanted),
    )  # fmt: skip


# The product of stacks of matrices that only some machines have, in one operation.

scaled_matmul_p = Primitive("scaled_matmul_wrapper")
scaled_matmul_p.multiple_results = True


@scaled_matmul_p.def_abstract_eval
def _scaled_matmul_rule(
    lhs: ShapedArray, rhs: ShapedArray, lhs_scales: ShapedArray, rhs_scales: ShapedArray, *,
    preferred_element_type: Any,
) -> list[ShapedArray]:  # fmt: skip
    return [ShapedArray((*lhs.shape[:2], rhs.shape[1]), preferred_element_type)]


@scaled_matmul_p.def_impl
def _scaled_matmul_impl(*operands: Any, preferred_element_type: Any) -> list[Any]:
    raise NotImplementedError(
        "nn.scaled_matmul is an operation of a GPU's, which a CPU has not. Use lax.scaled_dot, or "
        "multiply the operands by their scales first."
    )


def _scaled_matmul_batcher(args, dims, **params):
    """Examples are more matrices of the stacks."""
    size = next(typeof(x).shape[d] for x, d in zip(args, dims, strict=True) if d is not None)
    lhs, rhs, *scales = (bdim_at_front(x, d, size) for x, d in zip(args, dims, strict=True))
    (*batch, rows, _), (*_, columns, _) = typeof(lhs).shape, typeof(rhs).shape

    def one_stack(x: Any) -> Any:
        return reshape(x, (math.prod(batch), *typeof(x).shape[2:]))

    x, s, y, t = map(one_stack, (lhs, scales[0], rhs, scales[1]))
    [out] = scaled_matmul_p.bind(x, y, s, t, **params)
    return [reshape(out, (*batch, rows, columns))], [0]


primitive_batchers[scaled_matmul_p] = _scaled_matmul_batcher
