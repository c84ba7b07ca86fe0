"""Unreduced sums and reduced arrays in types, `{U:x}` and `{R:x}`: which operations take them.

Of an unreduced sum each device along `x` has a term, so what is done to it has to be linear. The
cotangents of a reduced array are unreduced sums, and those of an unreduced sum are reduced arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minijax.compiler.lowerings import lowerings
from minijax.core.primitives import (
    add_any_p,
    add_p,
    broadcast_in_dim_p,
    convert_element_type_p,
    dot_general_p,
    mul_p,
    reduce_sum_p,
    reshape_p,
    select_n_p,
    transpose_p,
)
from minijax.core.staging import JaxprEqn
from minijax.core.tracing import Primitive
from minijax.lax.custom.barriers import optimization_barrier_p
from minijax.lax.elementwise.arithmetic import copy_p, stop_gradient_p
from minijax.lax.elementwise.floats import reduce_precision_p
from minijax.lax.indexing.dynamic_slicing import dynamic_slice_p, dynamic_update_slice_p
from minijax.lax.indexing.gather_scatter import gather_p
from minijax.lax.shapes.axes import rev_p, squeeze_p
from minijax.lax.shapes.slicing import concatenate_p, pad_p, slice_p, split_p
from minijax.lax.shapes.stacking import stack_p
from minijax.lax.sharding.explicit_rules import ShardingTypeError
from minijax.lax.sharding.placed_types import PlacedArray

# Linear in all operands together, but for those that say which, or where.
of_terms = {
    add_p, add_any_p, concatenate_p, select_n_p, transpose_p, reduce_sum_p, broadcast_in_dim_p,
    convert_element_type_p, squeeze_p, slice_p, pad_p, copy_p, optimization_barrier_p,
    dynamic_update_slice_p, split_p, stack_p, reduce_precision_p, stop_gradient_p,
}  # fmt: skip
# Which operands are alike; all, of any other.
_alike = {
    select_n_p: slice(1, None), pad_p: slice(1), dynamic_slice_p: slice(1),
    dynamic_update_slice_p: slice(2), gather_p: slice(1),
}  # fmt: skip
_RESHARD = "Use jax.reshard(x, P(...)) to add the terms up first."


def unreduced_of(aval: Any) -> frozenset:
    return getattr(aval, "unreduced", frozenset())


def reduced_of(aval: Any) -> frozenset:
    return getattr(aval, "reduced", frozenset())


def is_inside(avals: Sequence[Any]) -> bool:
    """Whether these are types of a shard_map's body, where numbers say what they are, too."""
    return any(type(aval) is PlacedArray for aval in avals)


def sums_of_result(primitive: Primitive, avals: Sequence[Any]) -> dict[str, frozenset]:
    """Along which names a result is an unreduced sum, and a reduced array.

    ShardingTypeError where operands don't go together; NotImplementedError, or ValueError, for
    what is not linear.
    """
    if any(map(unreduced_of, avals)):
        return {"unreduced": _unreduced(primitive, avals)}
    if primitive is dot_general_p:
        return {}
    avals = avals[_alike.get(primitive, slice(None))]
    reduced = frozenset().union(*map(reduced_of, avals))
    others = [
        aval for aval in avals
        if reduced_of(aval) != reduced and (is_inside(avals) or getattr(aval, "shape", ()))
    ]
    if reduced and others:
        raise ShardingTypeError(
            f"{primitive} got {_listed(avals)}: one is reduced over {_names(reduced)}, and another "
            f"isn't. Use jax.reshard(x, P(reduced={{...}})) on it."
        )
    return {"reduced": reduced}


def _unreduced(primitive: Primitive, avals: Sequence[Any]) -> frozenset:
    sums = frozenset().union(*map(unreduced_of, avals))
    if primitive is mul_p:
        x, y = sorted(avals, key=lambda aval: not unreduced_of(aval))
        if not unreduced_of(y) and reduced_of(y) == sums:
            return sums
        _refuse(
            avals, primitive, f"only an array that is reduced over {_names(sums)} multiplies it"
        )
    if primitive is dot_general_p:
        _refuse(avals, primitive, "an operand is an unreduced sum")
    if primitive not in of_terms and not (primitive is reshape_p and is_inside(avals)):
        has_no_rule = _is_elementwise(primitive) or primitive in (rev_p, dynamic_slice_p)
        raise (NotImplementedError if has_no_rule else ValueError)(
            f"{primitive} got {_listed(avals)}, and takes no unreduced sum. {_RESHARD}"
        )
    if any(unreduced_of(aval) != sums for aval in avals[_alike.get(primitive, slice(None))]):
        _refuse(avals, primitive, "not all of them are unreduced sums over the same names")
    return sums


def _is_elementwise(primitive: Primitive) -> bool:
    lowering = lowerings[primitive]
    return lowering.template is not None and lowering.start is None


def _refuse(avals: Sequence[Any], primitive: Primitive, why: str) -> None:
    raise ShardingTypeError(f"{primitive} got {_listed(avals)}: {why}. {_RESHARD}")


def _listed(avals: Sequence[Any]) -> str:
    return ", ".join(map(str, avals))


def _names(names: frozenset) -> str:
    return ", ".join(map(repr, sorted(names, key=str)))


def terms_of_product(eqn: JaxprEqn, sharding: Any) -> None:
    """ShardingTypeError where a product is asked for as an unreduced sum, and its terms are not
    those that devices have: both operands are cut, along the axes that are summed over, by these
    names."""
    if not sharding.spec.unreduced:
        return
    if names_summed_over(eqn) != sharding.spec.unreduced:
        avals = [x.aval for x in eqn.invars]
        raise ShardingTypeError(
            f"{eqn.primitive} got {_listed(avals)}, and is to be an unreduced sum over "
            f"{_names(sharding.spec.unreduced)}: the axes that are summed over are not both cut by "
            f"these. Use jax.reshard on the operands."
        )


def names_summed_over(eqn: JaxprEqn) -> frozenset:
    """The names by which the axes that an equation sums over are cut, in all operands."""
    cuts = [getattr(x.aval, "cut", None) or ((),) * x.aval.ndim for x in eqn.invars]
    if eqn.primitive is reduce_sum_p:
        return frozenset(name for d in eqn.params["axes"] for name in cuts[0][d])
    (x_sum, y_sum), _ = eqn.params["dimension_numbers"]
    pairs = [(cuts[0][d], cuts[1][e]) for d, e in zip(x_sum, y_sum, strict=True)]
    return frozenset(name for one, other in pairs if one == other for name in one)
