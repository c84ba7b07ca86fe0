"""Many values become one by an operation that goes from two to one: times, and, or; any other."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from inspect import unwrap
from typing import Any

import numpy as np

from minijax.compiler.kernels.elements import for_kinds
from minijax.compiler.lowerings import register_lowering
from minijax.compiler.maths.bounds import dtype_bounds
from minijax.core.arrays import Array, as_array, raw_value
from minijax.core.batching import (
    AxisData,
    batch_flat,
    bdim_at_front,
    defreducer,
    not_mapped,
    primitive_batchers,
)
from minijax.core.calls import check_callable
from minijax.core.dtypes import integers, issubdtype
from minijax.core.forward import constant, instantiate_zeros, is_nonzero, jvp_flat, primitive_jvps
from minijax.core.primitives import (
    add,
    broadcast_in_dim,
    cast,
    mul,
    numpy_primitive,
    reduce_sum,
    reduce_sum_p,
    reduced_type,
    remaining,
    reshape,
    through_float32,
    transpose,
)
from minijax.core.primitives import max as lax_max
from minijax.core.printing import pp_eqn_rules
from minijax.core.pytrees import tree_flatten, tree_unflatten
from minijax.core.staging import Atom, ClosedJaxpr, JaxprEqn, jaxpr_as_fun, stage, trace_to_jaxpr
from minijax.core.tracing import Primitive, ShapedArray, Tracer, typeof
from minijax.lax.custom.rule_calls import without_address
from minijax.lax.elementwise.arithmetic import min as lax_min
from minijax.lax.elementwise.bits import bitwise_and, bitwise_or, bitwise_xor
from minijax.lax.out_sharding import lying, said
from minijax.lax.reductions.extrema import reduce_max, reduce_min
from minijax.lax.shapes.axes import as_integers, squeeze
from minijax.lax.shapes.slicing import concatenate, pad, slice_in_dim

# A derivative for any of them: pair after pair, until one is left.


def _pair_up(combine: Callable, inits: Sequence[Any], xs: Sequence[Any]) -> list[Any]:
    """The first halves combined with the second ones, again and again, along axis 0."""
    size = typeof(xs[0]).shape[0]
    if not size:
        pairs = zip(inits, xs, strict=True)
        return [broadcast_in_dim(i, typeof(x).shape[1:], ()) for i, x in pairs]
    while size > 1:
        half = (size + 1) // 2
        first = [slice_in_dim(x, 0, half) for x in xs]
        second = [slice_in_dim(x, half, None) for x in xs]
        if size % 2:
            edges = [(0, 1, 0)] + [(0, 0, 0)] * (typeof(xs[0]).ndim - 1)
            second = [pad(x, i, edges) for x, i in zip(second, inits, strict=True)]
        xs, size = combine(*first, *second), half
    return [squeeze(x, (0,)) for x in xs]


def _reduce_jvp(
    combine: Callable, inits: Sequence[Any], primals: Sequence[Any], tangents: Sequence[Any],
    axes: Sequence[int],
) -> tuple:  # fmt: skip
    """The reduced axes go to the front, as one, and the pairs are differentiated."""
    shape = typeof(primals[0]).shape
    kept = remaining(len(shape), axes)
    size = int(np.prod([shape[d] for d in axes], dtype=int))
    sizes = (size, *(shape[d] for d in kept))

    def flat(x: Any) -> Any:
        in_place = (*axes, *kept) == tuple(range(len(shape))) and sizes == shape
        return x if in_place else reshape(x, sizes, (*axes, *kept))

    primals = list(map(flat, primals))
    tangents = [flat(instantiate_zeros(t)) for t in tangents]
    return jvp_flat(lambda *xs: _pair_up(combine, inits, xs), primals, tangents)


# The product.


def _reduce_prod_rule(x: ShapedArray, *, axes: tuple) -> ShapedArray:
    return reduced_type("lax.reduce_prod", [np.number], x, axes)


def _reduce_prod_jvp(primals, tangents, *, axes):
    one = constant(primals[0], 1)
    (out,), (out_dot,) = _reduce_jvp(lambda x, y: [mul(x, y)], [one], primals, tangents, axes)
    return out, out_dot


reduce_prod_p = numpy_primitive(
    "reduce_prod", _reduce_prod_rule,
    through_float32(lambda x, axes: np.multiply.reduce(x, axes, x.dtype)),
)  # fmt: skip
primitive_jvps[reduce_prod_p] = _reduce_prod_jvp
register_lowering(
    reduce_prod_p, start=lambda dtype: 1, monoid=True,
    template=for_kinds("multiplied_{t}({0}, {1})", "{0} * {1}"),
)  # fmt: skip
defreducer(reduce_prod_p)


def reduce_prod(operand: Any, axes: Sequence[int]) -> Any:
    """The product over `axes`; 1 where there are no elements.

    >>> reduce_prod(np.array([[1, 5], [3, 2]]), [0])
    Array([ 3, 10], dtype=int32)
    """
    return reduce_prod_p.bind(operand, axes=integers(axes))


# Bit by bit.


def _logical(name: str, sign: str, ufunc: Any, doc: str) -> tuple[Primitive, Callable]:
    def type_rule(x: ShapedArray, *, axes: tuple) -> ShapedArray:
        return reduced_type(f"lax.{name}", [np.bool_, np.integer], x, axes).strip_weak_type()

    def fun(operand: Any, axes: Sequence[int]) -> Any:
        return primitive.bind(operand, axes=integers(axes))

    primitive = numpy_primitive(name, type_rule, lambda x, axes: ufunc.reduce(x, axes, x.dtype))
    defreducer(primitive)
    register_lowering(
        primitive, start=lambda dtype: ufunc.reduce(np.zeros(0, dtype)), monoid=True,
        template=f"{{0}} {sign} {{1}}",
    )  # fmt: skip
    fun.__name__ = fun.__qualname__ = name
    fun.__doc__ = f"{doc} over `axes`, of bools or, bit by bit, of integers."
    return primitive, fun


reduce_and_p, reduce_and = _logical("reduce_and", "&", np.bitwise_and, "Whether all are true")
reduce_or_p, reduce_or = _logical("reduce_or", "|", np.bitwise_or, "Whether any is true")
reduce_xor_p, reduce_xor = _logical(
    "reduce_xor", "^", np.bitwise_xor, "Whether an odd number is true"
)

# Any operation.


def check_operands(
    name: str, argument: str, xs: Sequence[ShapedArray], inits: Sequence[ShapedArray]
) -> None:
    """TypeError unless what each operand starts from has its dtype, ValueError unless all operands
    have one shape."""
    if [x.dtype for x in xs] != [init.dtype for init in inits]:
        raise TypeError(
            f"{name} of {', '.join(map(str, xs))} got {argument} of other dtypes,\n"
            f"{', '.join(map(str, inits))}. Convert them with x.astype(dtype)."
        )
    if len({x.shape for x in xs}) > 1:
        raise ValueError(
            f"{name} got operands of the shapes {', '.join(str(x.shape) for x in xs)}.\n"
            f"Give operands of one shape."
        )


def _reduce_rule(
    *avals: ShapedArray, computation: Callable, jaxpr: ClosedJaxpr, dimensions: tuple
) -> list[ShapedArray]:
    """`jaxpr` goes from two values of each operand to one; the operands come, then the inits."""
    size = len(avals) // 2
    xs, inits = avals[:size], avals[size:]
    if any(init.shape for init in inits):
        raise ValueError(
            f"lax.reduce starts from single numbers, and got init_values {inits[0]}. Give scalars."
        )
    check_operands("lax.reduce", "init_values", xs, inits)
    out = [(aval.shape, aval.dtype) for aval in jaxpr.out_avals]
    if out != [((), x.dtype) for x in xs]:
        raise ValueError(
            f"lax.reduce needs a computation that gives scalars like its init_values,\n"
            f"{', '.join(map(str, inits))}, and it gave {', '.join(map(str, jaxpr.out_avals))}. "
            f"Return such."
        )
    return [
        reduced_type("lax.reduce", [np.bool_, np.number], x, dimensions).update(
            weak_type=x.weak_type and init.weak_type
        )
        for x, init in zip(xs, inits, strict=True)
    ]


def each_element(jaxpr: ClosedJaxpr, ndim: int) -> Callable:
    """The computation on arrays with `ndim` axes, element by element."""

    def fun(*args: Any) -> list[Any]:
        if not ndim:
            return jaxpr_as_fun(jaxpr)(*args)
        size, zeros = typeof(args[0]).shape[0], [0] * len(args)
        out, dims = batch_flat(each_element(jaxpr, ndim - 1), AxisData(None, size), zeros, args)
        return [bdim_at_front(x, d, size) for x, d in zip(out, dims, strict=True)]

    return fun


def _in_rounds(
    args: Sequence[Any], jaxpr: ClosedJaxpr, dimensions: tuple, avals: Sequence[ShapedArray]
) -> list[Any]:
    """Combines neighbours, in their order, until one is left, and this with the initial value.

    Each round is one run of the program, batched, on all pairs in a row. Without any dimensions
    nothing is combined.
    """
    size, shape = len(avals), typeof(args[0]).shape
    kept = remaining(len(shape), dimensions)
    out_shape = [shape[d] for d in kept]

    def combined() -> list[Any]:
        inits = [broadcast_in_dim(i, out_shape, ()) for i in args[size:]]
        count = math.prod(shape[d] for d in dimensions)
        xs = [reshape(transpose(x, (*dimensions, *kept)), (count, *out_shape))
              for x in args[:size]]  # fmt: skip
        combine = each_element(jaxpr, len(kept) + 1)
        while count > 1:
            pairs = count // 2 * 2
            done = combine(*(slice_in_dim(x, i, pairs, 2) for i in (0, 1) for x in xs))
            rest = [slice_in_dim(x, pairs, None) for x in xs]
            xs = [concatenate([y, r], 0) if pairs < count else y
                  for y, r in zip(done, rest, strict=True)]  # fmt: skip
            count -= pairs // 2
        if not count:
            return inits
        return each_element(jaxpr, len(kept))(*inits, *(squeeze(x, (0,)) for x in xs))

    out = combined() if dimensions else args[:size]
    return [cast(x, aval.dtype, aval.weak_type) for x, aval in zip(out, avals, strict=True)]


def _reduce_impl(
    *args: Any, computation: Callable, jaxpr: ClosedJaxpr, dimensions: tuple
) -> list[Array]:
    avals = _reduce_rule(
        *map(typeof, args), computation=computation, jaxpr=jaxpr, dimensions=dimensions
    )
    return list(map(as_array, _in_rounds(args, jaxpr, dimensions, avals)))


def _reduce_call(eqn: JaxprEqn) -> tuple[ClosedJaxpr, list[Atom]]:
    """The rounds as a program, for the compiler: its types say nothing of how arrays lie."""
    jaxpr, dimensions = eqn.params["jaxpr"], eqn.params["dimensions"]
    avals, given = (
        [ShapedArray(x.aval.shape, x.aval.dtype, x.aval.weak_type) for x in xs]
        for xs in (eqn.outvars, eqn.invars)
    )
    rounds = trace_to_jaxpr(lambda *xs: _in_rounds(xs, jaxpr, dimensions, avals), given)
    return rounds, eqn.invars


def _general_reduce_jvp(primals, tangents, *, computation, jaxpr, dimensions):
    size = len(primals) // 2
    if any(map(is_nonzero, tangents[size:])):
        raise NotImplementedError(
            "lax.reduce by a function of your own has no derivative in its init_values.\n"
            "Give constants, and combine the result with the value itself."
        )
    combine = each_element(jaxpr, typeof(primals[0]).ndim - len(dimensions) + 1)
    return _reduce_jvp(combine, primals[size:], primals[:size], tangents[:size], dimensions)


def _reduce_batcher(args, dims, *, computation, jaxpr, dimensions):
    size = len(args) // 2
    if any(d is not not_mapped for d in dims[size:]):
        raise NotImplementedError(
            "lax.reduce by a function of your own has no init_values for each example of vmap.\n"
            "Give the same for all, and combine the results with them."
        )
    length = next(typeof(x).shape[d] for x, d in zip(args, dims, strict=True) if d is not None)
    xs = [bdim_at_front(x, d, length) for x, d in zip(args[:size], dims[:size], strict=True)]
    out = reduce_p.bind(
        *xs, *args[size:], computation=computation, jaxpr=jaxpr,
        dimensions=tuple(d + 1 for d in dimensions),
    )  # fmt: skip
    return out, [0] * size


reduce_p = Primitive("reduce")
reduce_p.multiple_results = True
reduce_p.def_abstract_eval(_reduce_rule)
reduce_p.def_impl(_reduce_impl)
primitive_jvps[reduce_p] = _general_reduce_jvp
primitive_batchers[reduce_p] = _reduce_batcher
register_lowering(reduce_p, call=_reduce_call)
pp_eqn_rules[reduce_p] = lambda params: {
    **params, "computation": without_address(params["computation"]),
}  # fmt: skip


def monoid_of(computation: Callable, init: Any) -> Callable | None:
    """The operation of lax that a computation is, if it starts from that one's neutral element."""
    dtype = typeof(init).dtype
    if isinstance(init, Tracer) or typeof(init).ndim:
        return None
    smallest, largest = dtype_bounds(dtype)
    known = {add: 0, mul: 1, lax_max: smallest, lax_min: largest}
    if issubdtype(dtype, np.bool_, np.integer):
        all_bits = np.array(-1).astype(dtype)
        known |= {bitwise_or: 0, bitwise_xor: 0, bitwise_and: all_bits}
    for operation, neutral in known.items():
        if unwrap(computation) is unwrap(operation) and raw_value(init) == neutral:
            return operation
    return None


_REDUCTIONS = {
    add: reduce_sum, mul: reduce_prod, lax_max: reduce_max, lax_min: reduce_min,
    bitwise_or: reduce_or, bitwise_xor: reduce_xor, bitwise_and: reduce_and,
}  # fmt: skip


def reduce(
    operands: Any, init_values: Any, computation: Callable, dimensions: Sequence[int],
    out_sharding: Any = None,
) -> Any:  # fmt: skip
    """The values along `dimensions` combined into one by `computation`, two at a time.

    `computation` maps two pytrees of scalars to one, like `operands` and `init_values`. It must be
    associative and commutative, and `init_values` must change nothing, since the order in which
    values are combined isn't fixed. Results lie on devices as `out_sharding` says, if it is given.
    TypeError or ValueError for operands or results that don't fit.

    >>> reduce(np.array([3, 1, 2]), 0, lambda x, y: lax_max(x, y), [0])
    Array(3, dtype=int32)
    """
    xs, tree = tree_flatten(operands)
    inits, init_tree = tree_flatten(init_values)
    if tree != init_tree:
        raise ValueError(
            f"lax.reduce got operands of the structure {tree}, and init_values of {init_tree}.\n"
            f"Give each operand one."
        )
    dimensions = as_integers("lax.reduce", "dimensions", dimensions)
    monoid = monoid_of(computation, inits[0]) if len(inits) == 1 else None
    if monoid:
        weak_type = typeof(xs[0]).weak_type and typeof(inits[0]).weak_type
        if monoid is add and out_sharding is not None:
            out = reduce_sum_p.bind(xs[0], axes=dimensions, **said("lax.reduce", out_sharding))
        else:
            out = lying("lax.reduce", _REDUCTIONS[monoid](xs[0], dimensions), out_sharding)
        return cast(out, typeof(out).dtype, weak_type)
    check_callable(computation, "lax.reduce")
    avals = tree_unflatten(tree, list(map(typeof, inits)))
    staged, _ = stage(computation, (avals, avals), {}, "reduce", aval_of=lambda aval: aval)
    if staged.tracers:
        raise NotImplementedError(
            "lax.reduce takes a computation that uses no traced values but its arguments.\n"
            "Give such values as operands."
        )
    out = reduce_p.bind(
        *xs, *inits, computation=computation, jaxpr=staged.closed, dimensions=dimensions
    )
    outs = [lying("lax.reduce", x, out_sharding) for x in out]
    return tree_unflatten(staged.out_tree, outs)
