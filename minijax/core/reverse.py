"""Reverse mode: the linear program, run backwards, carries cotangents from results to inputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from minijax.core.arguments import call_by, check_scalar, differentiable
from minijax.core.calls import check_callable, debug_info
from minijax.core.config import config
from minijax.core.errors import JaxprTypeError, api_boundary, typematch, wraps
from minijax.core.forward import (
    Zero, add_tangents, find_rule, instantiate_zeros, is_nonzero, linear_jvp, primitive_jvps,
)
from minijax.core.linearization import (
    VJP, LinearizedCall, check_like, has_tangent, linearize_call, put_zeros,
)
from minijax.core.primitives import (
    add_any_p, add_p, broadcast_in_dim, broadcast_in_dim_p, cast, contract, convert_element_type_p,
    div, div_p, dot_general_p, expand_dims, fill, mul, mul_p, neg, neg_p, reduce_sum, reduce_sum_p,
    remaining, reshape, reshape_p, select_n, select_n_p, sub_p, transpose, transpose_p,
)
from minijax.core.pytrees import tree_flatten, tree_unflatten
from minijax.core.staging import Jaxpr, JaxprEqn, Literal, enter_source, keep_source
from minijax.core.tracing import (
    Primitive, ShapedArray, named_scope, pytype_aval_mappings, trace_ctx, typeof,
)

# Walking a linear program backwards.


class UndefinedPrimal:
    """The place of an operand in which an equation is linear: its value is not known.

    Its cotangents are values, or are added to a reference, `held`. Those of a reference always are.
    """

    __slots__ = ("aval", "held")

    def __init__(self, aval: Any, held: Any = None) -> None:
        self.aval, self.held = aval, held

    first = property(lambda self: Zero(self.aval) if self.held is None else self.held)

    def __repr__(self) -> str:
        return f"UndefinedPrimal({self.aval})"


def is_undefined_primal(x: Any) -> bool:
    return type(x) is UndefinedPrimal


class NoValueError(TypeError):
    """Something asked for the value of an UndefinedPrimal."""


def _no_value(x: UndefinedPrimal) -> Any:
    raise NoValueError(f"{x} has no value.")


pytype_aval_mappings[UndefinedPrimal] = _no_value


def backward_pass(
    jaxpr: Jaxpr, consts: Sequence[Any], args: Sequence[Any], cts_out: Sequence[Any]
) -> list[Any]:
    """The cotangents of the inputs, from those of the results.

    The jaxpr is linear in the inputs whose `args` are UndefinedPrimal; the others are values.
    A cotangent that nothing flows into is a `Zero`.
    """
    values = dict(zip([*jaxpr.constvars, *jaxpr.invars], [*consts, *args], strict=True))
    cts, linear_eqns = dict[Any, Any](), list[JaxprEqn]()

    def read(x: Any) -> Any:
        return x.val if type(x) is Literal else values[x]

    def accumulate(xs: Sequence[Any], new: Sequence[Any]) -> None:
        for x, ct in zip(xs, new, strict=True):
            if is_undefined_primal(place := read(x)) and ct is not None and type(ct) is not Zero:
                if place.held is None:
                    cts[x] = add_tangents(cts[x], ct) if x in cts else ct
                else:
                    place.held.addupdate(ct)

    outer = keep_source()
    try:
        for eqn in jaxpr.eqns:  # forwards, for what is not linear
            operands = list(map(read, eqn.invars))
            if any(map(is_undefined_primal, operands)) or any(v.aval.mutable for v in eqn.outvars):
                values.update((v, UndefinedPrimal(v.aval)) for v in eqn.outvars)
                linear_eqns.append(eqn)
            else:
                enter_source(eqn, outer)
                out = eqn.primitive.bind(*operands, **eqn.params)
                outs = out if eqn.primitive.multiple_results else [out]
                values.update(zip(eqn.outvars, outs, strict=True))
        accumulate(jaxpr.outvars, cts_out)
        for eqn in reversed(linear_eqns):  # backwards, for what is
            enter_source(eqn, outer)
            ct_out = [cts.pop(v, values[v].first) for v in eqn.outvars]
            if any(map(is_nonzero, ct_out)) or any(x.aval.mutable for x in eqn.invars):
                accumulate(eqn.invars, transpose_eqn(eqn, ct_out, read))
    finally:
        trace_ctx.source, trace_ctx.name_stack = outer
    return [cts.get(v, Zero(v.aval)) for v in jaxpr.invars]


def transpose_eqn(eqn: JaxprEqn, cts_out: list[Any], read: Callable) -> Sequence[Any]:
    """The cotangents of the operands of one equation, which is linear in some of them."""
    primitive = eqn.primitive
    rule = find_rule(primitive_transposes, primitive, "transpose", "primitive_transposes")
    ct = cts_out if primitive.multiple_results else cts_out[0]
    try:
        cts_in = rule(ct, *map(read, eqn.invars), **primitive.active(eqn.params))
    except NoValueError:
        raise TypeError(
            f"This program is not linear, so it has no transpose. To transpose this equation takes "
            f"the value of an operand that depends on the unknown inputs:\n  {eqn}\n"
            f"  here: {eqn.source_info}"
        ) from None
    if config.jax_enable_checks:
        check_cotangents(eqn, cts_in)
    return cts_in


def check_cotangents(eqn: JaxprEqn, cts_in: Sequence[Any]) -> None:
    """JaxprTypeError where a rule's cotangents are not like the operands.

    Where a function of integers is transposed, theirs are integers too.
    """
    given = [(x, ct) for x, ct in zip(eqn.invars, cts_in, strict=True) if ct is not None]
    for x, ct in given:
        got = ct.aval if type(ct) is Zero else typeof(ct)
        wanted = x.aval.to_tangent_aval().to_ct_aval()
        if not any(typematch(got, aval) for aval in (wanted, x.aval)):
            raise JaxprTypeError(
                f"The transpose rule of {eqn.primitive} gave a cotangent of type {got} for an "
                f"operand of type {x.aval}. Return one of type {wanted}."
            )


# The rules. A rule maps the cotangent of the result, and the operands, to the cotangents of the
# operands: None or a Zero for those that are known.

primitive_transposes: dict[Primitive, Callable] = {}


def deflinear2(primitive: Primitive, transpose_rule: Callable) -> None:
    """A linear primitive: its tangents go the way of the primals, and its cotangents back.

    `transpose_rule` maps (cotangent, *operands, **params) to a list of cotangents.
    """
    primitive_jvps[primitive] = partial(linear_jvp, primitive)
    primitive_transposes[primitive] = transpose_rule


def deflinear(primitive: Primitive, transpose_rule: Callable) -> None:
    """Like `deflinear2`, for a rule that maps (cotangent, **params) to a list of cotangents."""
    deflinear2(primitive, lambda ct, *operands, **params: transpose_rule(ct, **params))


def unbroadcast(aval: ShapedArray, ct: Any) -> Any:
    """Sums a cotangent over the axes along which its operand was repeated."""
    shape = typeof(ct).shape
    if shape == aval.shape:
        return ct
    if not aval.shape:
        return reduce_sum(ct, range(len(shape)))
    axes = [d for d, (n, m) in enumerate(zip(aval.shape, shape, strict=True)) if n != m]
    return reshape(reduce_sum(ct, axes), aval.shape)


def inverse(permutation: Sequence[int]) -> list[int]:
    return sorted(range(len(permutation)), key=permutation.__getitem__)


def _broadcast_in_dim_transpose(ct, x, *, shape, broadcast_dimensions):
    repeated = [d for d, n in enumerate(x.aval.shape) if n == 1]
    kept = [b for d, b in enumerate(broadcast_dimensions) if d not in repeated]
    return [expand_dims(reduce_sum(ct, remaining(len(shape), kept)), repeated)]


def _reduce_sum_transpose(ct, x, *, axes):
    return [broadcast_in_dim(ct, x.aval.shape, remaining(x.aval.ndim, axes))]


def _convert_element_type_transpose(ct, x, *, new_dtype, weak_type):
    return [cast(ct, x.aval.dtype, x.aval.weak_type)]


deflinear(neg_p, lambda ct: [neg(ct)])
deflinear2(reshape_p, lambda ct, x, *, new_sizes: [reshape(ct, x.aval.shape)])
deflinear(transpose_p, lambda ct, *, permutation: [transpose(ct, inverse(permutation))])
deflinear2(broadcast_in_dim_p, _broadcast_in_dim_transpose)
deflinear2(reduce_sum_p, _reduce_sum_transpose)
primitive_transposes[convert_element_type_p] = _convert_element_type_transpose

# Rules for several operands.


def _sum_transpose(second: Callable, ct: Any, x: Any, y: Any) -> list[Any]:
    """add, sub and add_any are linear in both operands; `second` maps ct to y's."""
    return [
        unbroadcast(x.aval, ct) if is_undefined_primal(x) else None,
        unbroadcast(y.aval, second(ct)) if is_undefined_primal(y) else None,
    ]


def _mul_transpose(ct: Any, x: Any, y: Any) -> list[Any]:
    if is_undefined_primal(x):
        return [unbroadcast(x.aval, mul(ct, y)), None]
    return [None, unbroadcast(y.aval, mul(x, ct))]


def _div_transpose(ct: Any, x: Any, y: Any) -> list[Any]:
    ct_x = div(ct, y)  # where y is unknown, this says so
    return [unbroadcast(x.aval, ct_x), None]


primitive_transposes[add_p] = partial(_sum_transpose, lambda ct: ct)
primitive_transposes[add_any_p] = partial(_sum_transpose, lambda ct: ct)
primitive_transposes[sub_p] = partial(_sum_transpose, neg)
primitive_transposes[mul_p] = _mul_transpose
primitive_transposes[div_p] = _div_transpose


def _select_n_transpose(ct: Any, which: Any, *cases: Any) -> list[Any]:
    nothing = fill(typeof(ct), 0)
    return [None] + [
        select_n(which, *(ct if i == j else nothing for j in range(len(cases))))
        if is_undefined_primal(case) else None
        for i, case in enumerate(cases)
    ]  # fmt: skip


primitive_transposes[select_n_p] = _select_n_transpose


def _dot_general_transpose(ct, x, y, *, dimension_numbers, **params):
    (x_contract, y_contract), (x_batch, y_batch) = dimension_numbers
    if is_undefined_primal(x):
        numbers = x_contract, y_contract, x_batch, y_batch
        return [_dot_operand_ct(ct, x.aval, y, numbers, params, first=True), None]
    numbers = y_contract, x_contract, y_batch, x_batch
    return [None, _dot_operand_ct(ct, y.aval, x, numbers, params, first=False)]


def _dot_operand_ct(
    ct: Any, aval: ShapedArray, other: Any, numbers: tuple, params: dict, first: bool
) -> Any:
    """Contracts ct's axes that came from the other operand with those axes, and sorts the rest."""
    contracted, other_contract, batch, other_batch = numbers
    free = remaining(aval.ndim, contracted, batch)
    other_free = remaining(typeof(other).ndim, other_contract, other_batch)
    start = len(batch) + (len(free) if first else 0)
    ct_other = range(start, start + len(other_free))
    dims = (ct_other, other_free), (range(len(batch)), other_batch)
    product = contract(ct, other, dims, **params)
    if typeof(product).dtype != aval.dtype:
        product = cast(product, aval.dtype)
    in_others_order = [mine for _, mine in sorted(zip(other_contract, contracted, strict=True))]
    return transpose(product, inverse([*batch, *free, *in_others_order]))


primitive_transposes[dot_general_p] = _dot_general_transpose

# What the user calls.


@api_boundary
def vjp(fun: Callable, *primals: Any, has_aux: bool = False) -> tuple:
    """(fun(*primals), f_vjp): the value, and the function from cotangents of the result to
    cotangents of the primals, a tuple.

    f_vjp raises ValueError for a cotangent that is not like the result. With `has_aux`, `fun`
    returns (out, aux), and aux comes third.

    >>> y, f_vjp = vjp(lambda x, y: x * y, 2.0, 3.0)
    >>> f_vjp(1.0)
    (Array(3., dtype=float32, weak_type=True), Array(2., dtype=float32, weak_type=True))
    """
    check_callable(fun, "vjp")
    info = debug_info("vjp", fun, primals, {})
    return linearize_call(fun, primals, has_aux, info, apply_transpose, VJP)


def apply_transpose(
    call: LinearizedCall, residuals: list, *out_cts: Any, args: Any = (),
    end: Callable = instantiate_zeros,
) -> tuple:  # fmt: skip
    """Cotangents of the arguments, as `end` has them; `args` are those of the linear program."""
    if len(out_cts) != 1:
        raise TypeError(
            f"The vjp function takes one cotangent, with the structure of the result "
            f"{call.out_tree}, and got {len(out_cts)}. Give one."
        )
    cts, tree = tree_flatten(out_cts[0])
    if tree != call.out_tree:
        raise ValueError(
            f"The vjp function takes a cotangent with the structure of the result, "
            f"{call.out_tree}, and got {tree}. Give it that structure."
        )
    # Of those of whole numbers, which nobody reads, the shape alone counts.
    types = [
        aval if has_tangent(aval) else aval.update(dtype=typeof(ct).dtype)
        for ct, aval in zip(cts, call.out_avals, strict=True)
    ]
    check_like(cts, types, "A cotangent given to the vjp function")
    given = [x for x, nonzero in zip(cts, call.out_nonzeros, strict=True) if nonzero]
    args = args or [UndefinedPrimal(v.aval) for v in call.jaxpr.invars]
    with named_scope("transpose()"):
        cts_in = backward_pass(call.jaxpr, residuals, args, given)
    nonzeros = list(map(has_tangent, call.in_avals))
    all_cts = put_zeros(cts_in, nonzeros, call.in_avals)
    args_out, _ = tree_unflatten(call.in_tree, map(end, all_cts))
    return args_out


def value_and_grad(
    fun: Callable, argnums: int | Sequence[int] = 0, has_aux: bool = False,
    holomorphic: bool = False, allow_int: bool = False,
) -> Callable:  # fmt: skip
    """A function that returns (fun(...), gradient) in one forward and one backward run.

    `fun` returns one float, or with `has_aux` a pair (float, aux); the result is then
    ((float, aux), gradient). The gradient is like the argument that `argnums` names, or a tuple
    of such for a sequence. Raises TypeError for other outputs and for integer inputs.

    >>> value_and_grad(lambda x: x * x)(3.0)
    (Array(9., dtype=float32, weak_type=True), Array(6., dtype=float32, weak_type=True))
    """
    return _value_and_grad(fun, argnums, has_aux, holomorphic, allow_int, "value_and_grad")


def _value_and_grad(
    fun: Callable, argnums: Any, has_aux: bool, holomorphic: bool, allow_int: bool, name: str
) -> Callable:
    check_callable(fun, name)

    @api_boundary
    @wraps(fun)
    def value_and_grad_fun(*args: Any, **kwargs: Any) -> Any:
        allow = differentiable(allow_int)
        call = call_by(fun, argnums, args, kwargs, name, allow, holomorphic=holomorphic)
        partial_fun, chosen, info = call
        ans, f_vjp, *aux = linearize_call(partial_fun, chosen, has_aux, info, apply_transpose)
        check_scalar(ans, name, holomorphic)
        grads = f_vjp(fill(typeof(ans), 1))
        grad_out = grads[0] if isinstance(argnums, int | np.integer) else grads
        return ((ans, *aux) if has_aux else ans), grad_out

    return value_and_grad_fun


def grad(
    fun: Callable, argnums: int | Sequence[int] = 0, has_aux: bool = False,
    holomorphic: bool = False, allow_int: bool = False,
) -> Callable:  # fmt: skip
    """The gradient of a function whose result is one float; with `has_aux`, (gradient, aux).

    The arguments are those of `value_and_grad`.

    >>> grad(lambda x: x * x)(3.0)
    Array(6., dtype=float32, weak_type=True)
    """
    value_and_grad_fun = _value_and_grad(fun, argnums, has_aux, holomorphic, allow_int, "grad")

    @api_boundary
    @wraps(fun)
    def grad_fun(*args: Any, **kwargs: Any) -> Any:
        value, gradient = value_and_grad_fun(*args, **kwargs)
        return (gradient, value[1]) if has_aux else gradient

    return grad_fun
