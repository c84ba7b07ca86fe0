"""Reverse mode: the linear program, run backwards, carries cotangents from results to inputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, wraps
from typing import Any

import numpy as np

import minijax.core.forward as ad
import minijax.core.primitives as lax
import minijax.core.staging as pe
from minijax.core.jitting import cached_by_jaxpr, jit_p
from minijax.core.linearization import LinearizedCall, check_like, linearize_call
from minijax.core.pytrees import tree_flatten, tree_unflatten
from minijax.core.tracing import DebugInfo, Primitive, ShapedArray, dtype_kind, float0, typeof

# Walking a linear program backwards.


class UndefinedPrimal:
    """The place of an operand in which an equation is linear: its value is not known."""

    __slots__ = ("aval",)

    def __init__(self, aval: ShapedArray) -> None:
        self.aval = aval

    def __repr__(self) -> str:
        return f"UndefinedPrimal({self.aval})"


def is_undefined_primal(x: Any) -> bool:
    return type(x) is UndefinedPrimal


def backward_pass(
    jaxpr: pe.Jaxpr, consts: Sequence[Any], args: Sequence[Any], cts_out: Sequence[Any]
) -> list[Any]:
    """The cotangents of the inputs, from those of the results.

    The jaxpr is linear in the inputs whose `args` are UndefinedPrimal; the others are values.
    A cotangent that nothing flows into is a `Zero`.
    """
    values: dict[pe.Var, Any] = dict(zip(jaxpr.constvars, consts, strict=True))
    linear: set[pe.Var] = set()
    for v, x in zip(jaxpr.invars, args, strict=True):
        if is_undefined_primal(x):
            linear.add(v)
        else:
            values[v] = x

    def read(x: Any) -> Any:
        if type(x) is pe.Literal:
            return x.val
        return UndefinedPrimal(x.aval) if x in linear else values[x]

    # Forwards, for what is not linear.
    linear_eqns = []
    for eqn in jaxpr.eqns:
        if any(type(x) is pe.Var and x in linear for x in eqn.invars):
            linear.update(eqn.outvars)
            linear_eqns.append(eqn)
        else:
            out = eqn.primitive.bind(*map(read, eqn.invars), **eqn.params)
            out = out if eqn.primitive.multiple_results else [out]
            values.update(zip(eqn.outvars, out, strict=True))

    # Backwards, for what is.
    cts: dict[pe.Var, Any] = {}

    def accumulate(x: Any, ct: Any) -> None:
        if type(x) is pe.Var and x in linear and ct is not None and type(ct) is not ad.Zero:
            cts[x] = lax.add_jaxvals(cts[x], ct) if x in cts else ct

    for x, ct in zip(jaxpr.outvars, cts_out, strict=True):
        accumulate(x, ct)
    for eqn in reversed(linear_eqns):
        out = [cts.pop(v) if v in cts else ad.Zero(v.aval) for v in eqn.outvars]
        if all(type(ct) is ad.Zero for ct in out):
            continue
        primitive = eqn.primitive
        rule = ad.find_rule(primitive_transposes, primitive, "transpose", "primitive_transposes")
        ct_out = out if eqn.primitive.multiple_results else out[0]
        cts_in = rule(ct_out, *map(read, eqn.invars), **eqn.params)
        for x, ct in zip(eqn.invars, cts_in, strict=True):
            accumulate(x, ct)
    return [cts.get(v, ad.Zero(v.aval)) for v in jaxpr.invars]


# The rules. A rule maps the cotangent of the result, and the operands, to the cotangents of the
# operands: None or a Zero for those that are known.

primitive_transposes: dict[Primitive, Callable] = {}


def deflinear(primitive: Primitive, rule: Callable) -> None:
    """For a primitive of one operand: `rule` maps (ct, operand's type, **params) to its ct."""

    def linear_transpose(ct: Any, x: Any, **params: Any) -> list[Any]:
        return [rule(ct, x.aval, **params)]

    primitive_transposes[primitive] = linear_transpose


def _unbroadcast(aval: ShapedArray, ct: Any) -> Any:
    """Sums a cotangent over the axes along which its operand was repeated."""
    shape = typeof(ct).shape
    if shape == aval.shape:
        return ct
    if not aval.shape:
        return lax.reduce_sum(ct, range(len(shape)))
    axes = [d for d, (n, m) in enumerate(zip(aval.shape, shape, strict=True)) if n != m]
    return lax.reshape(lax.reduce_sum(ct, axes), aval.shape)


def _inverse(permutation: Sequence[int]) -> list[int]:
    return sorted(range(len(permutation)), key=permutation.__getitem__)


def _broadcast_in_dim_transpose(ct, aval, shape, broadcast_dimensions, **_):
    repeated = [d for d, n in enumerate(aval.shape) if n == 1]
    kept = [b for d, b in enumerate(broadcast_dimensions) if d not in repeated]
    return lax.expand_dims(lax.reduce_sum(ct, lax.remaining(len(shape), kept)), repeated)


def _slice_transpose(ct, aval, start_indices, limit_indices, strides):
    strides = strides or (1,) * aval.ndim
    config = []
    for start, size, n, stride in zip(
        start_indices, aval.shape, typeof(ct).shape, strides, strict=True
    ):
        span = n + max(n - 1, 0) * (stride - 1)
        config.append((start, size - start - span, stride - 1))
    return lax.pad(ct, lax.convert_element_type(0, typeof(ct).dtype), config)


def _reduce_sum_transpose(ct, aval, axes, **_):
    return lax.broadcast_in_dim(ct, aval.shape, lax.remaining(aval.ndim, axes))


deflinear(lax.neg_p, lambda ct, aval: lax.neg(ct))
deflinear(lax.copy_p, lambda ct, aval: lax.copy_p.bind(ct))
deflinear(lax.reshape_p, lambda ct, aval, **_: lax.reshape(ct, aval.shape))
deflinear(lax.squeeze_p, lambda ct, aval, dimensions: lax.expand_dims(ct, dimensions))
deflinear(lax.transpose_p, lambda ct, aval, permutation: lax.transpose(ct, _inverse(permutation)))
deflinear(lax.rev_p, lambda ct, aval, dimensions: lax.rev(ct, dimensions))
deflinear(lax.broadcast_in_dim_p, _broadcast_in_dim_transpose)
deflinear(lax.slice_p, _slice_transpose)
deflinear(lax.reduce_sum_p, _reduce_sum_transpose)
deflinear(lax.convert_element_type_p, lambda ct, aval, **_: lax.convert_element_type_p.bind(
    ct, new_dtype=aval.dtype, weak_type=aval.weak_type, sharding=None))  # fmt: skip

# Rules for several operands.


def _sum_transpose(second: Callable, ct: Any, x: Any, y: Any) -> list[Any]:
    """add, sub and add_any are linear in both operands; `second` maps ct to y's."""
    return [
        _unbroadcast(x.aval, ct) if is_undefined_primal(x) else None,
        _unbroadcast(y.aval, second(ct)) if is_undefined_primal(y) else None,
    ]


def _mul_transpose(ct: Any, x: Any, y: Any, **_: Any) -> list[Any]:
    if is_undefined_primal(x):
        return [_unbroadcast(x.aval, lax.mul(ct, y)), None]
    return [None, _unbroadcast(y.aval, lax.mul(x, ct))]


def _div_transpose(ct: Any, x: Any, y: Any) -> list[Any]:
    return [_unbroadcast(x.aval, lax.div(ct, y)), None]


primitive_transposes[lax.add_p] = partial(_sum_transpose, lambda ct: ct)
primitive_transposes[lax.add_any_p] = partial(_sum_transpose, lambda ct: ct)
primitive_transposes[lax.sub_p] = partial(_sum_transpose, lax.neg)
primitive_transposes[lax.mul_p] = _mul_transpose
primitive_transposes[lax.div_p] = _div_transpose


def _select_n_transpose(ct: Any, which: Any, *cases: Any) -> list[Any]:
    zeros = lax.full_like(ct, 0)
    return [None] + [
        lax.select_n(which, *(ct if i == j else zeros for j in range(len(cases))))
        if is_undefined_primal(case) else None
        for i, case in enumerate(cases)
    ]  # fmt: skip


def _concatenate_transpose(ct: Any, *operands: Any, dimension: int) -> list[Any]:
    parts, start = [], 0
    for x in operands:
        stop = start + (x.aval if is_undefined_primal(x) else typeof(x)).shape[dimension]
        linear = is_undefined_primal(x)
        parts.append(lax.slice_in_dim(ct, start, stop, axis=dimension) if linear else None)
        start = stop
    return parts


def _pad_transpose(ct: Any, x: Any, value: Any, padding_config: tuple) -> list[Any]:
    """x gets back what lies where it was put; the padding value, the sum of all the rest."""
    edges = [(-low, -high, 0) for low, high, _ in padding_config]
    inner = lax.pad(ct, lax.convert_element_type(0, typeof(ct).dtype), edges)
    shape = typeof(inner).shape
    strides = [interior + 1 for _, _, interior in padding_config]
    x_ct = lax.slice(inner, [0] * len(shape), shape, strides)
    value_ct = None
    if is_undefined_primal(value):
        axes = range(len(shape))
        value_ct = lax.sub(lax.reduce_sum(ct, axes), lax.reduce_sum(x_ct, axes))
    return [x_ct if is_undefined_primal(x) else None, value_ct]


primitive_transposes[lax.select_n_p] = _select_n_transpose
primitive_transposes[lax.concatenate_p] = _concatenate_transpose
primitive_transposes[lax.pad_p] = _pad_transpose


def _dot_general_transpose(ct: Any, x: Any, y: Any, dimension_numbers: tuple, **params: Any):
    (x_contract, y_contract), (x_batch, y_batch) = dimension_numbers
    dtype = params["preferred_element_type"]
    if is_undefined_primal(x):
        numbers = x_contract, y_contract, x_batch, y_batch
        return [_dot_operand_ct(ct, x.aval, y, numbers, dtype, first=True), None]
    numbers = y_contract, x_contract, y_batch, x_batch
    return [None, _dot_operand_ct(ct, y.aval, x, numbers, dtype, first=False)]


def _dot_operand_ct(
    ct: Any, aval: ShapedArray, other: Any, numbers: tuple, dtype: Any, first: bool
) -> Any:
    """Contracts ct's axes that came from the other operand with those axes, and sorts the rest."""
    contract, other_contract, batch, other_batch = numbers
    free = lax.remaining(aval.ndim, contract, batch)
    other_free = lax.remaining(typeof(other).ndim, other_contract, other_batch)
    num_batch, num_free = len(batch), len(free)
    start = num_batch + num_free if first else num_batch
    ct_other = range(start, start + len(other_free))
    dims = (ct_other, other_free), (range(num_batch), other_batch)
    product = lax.dot_general(ct, other, dims, preferred_element_type=dtype)
    if typeof(product).dtype != aval.dtype:
        product = lax.convert_element_type(product, aval.dtype)
    contract_in_order = [contract[i] for i in _inverse(other_contract)]
    return lax.transpose(product, _inverse([*batch, *free, *contract_in_order]))


primitive_transposes[lax.dot_general_p] = _dot_general_transpose

# jit's rule.


@cached_by_jaxpr
def transpose_jaxpr(
    closed: pe.ClosedJaxpr, linear: tuple[bool, ...], nonzero_cts: tuple[bool, ...]
) -> tuple[pe.ClosedJaxpr, list[bool]]:
    """The jaxpr from known inputs and non-zero cotangents to the cotangents that are not zero,
    and which inputs' those are."""
    known = [aval for aval, lin in zip(closed.in_avals, linear, strict=True) if not lin]
    cts = [aval for aval, nonzero in zip(closed.out_avals, nonzero_cts, strict=True) if nonzero]
    ct_nonzeros = []

    def transposed(*args: Any) -> list[Any]:
        values, given = iter(args[: len(known)]), args[len(known) :]
        primals = [
            UndefinedPrimal(aval) if lin else next(values)
            for aval, lin in zip(closed.in_avals, linear, strict=True)
        ]
        cts_out = ad.put_zeros(given, nonzero_cts, closed.out_avals)
        cts_in = backward_pass(closed.jaxpr, closed.consts, primals, cts_out)
        ct_nonzeros.extend(map(ad.is_nonzero, cts_in))
        return list(filter(ad.is_nonzero, cts_in))

    return pe.trace_to_jaxpr(transposed, [*known, *cts], closed.jaxpr.debug_info), ct_nonzeros


def _jit_transpose(cts: Sequence, *args: Any, jaxpr: pe.ClosedJaxpr, **params: Any) -> list[Any]:
    linear = tuple(map(is_undefined_primal, args))
    nonzero_cts = tuple(map(ad.is_nonzero, cts))
    new_jaxpr, ct_nonzeros = transpose_jaxpr(jaxpr, linear, nonzero_cts)
    known = [x for x in args if not is_undefined_primal(x)]
    out = jit_p.bind(*known, *filter(ad.is_nonzero, cts), jaxpr=new_jaxpr, **params)
    return ad.put_zeros(out, ct_nonzeros, jaxpr.in_avals)


primitive_transposes[jit_p] = _jit_transpose

# What the user calls.


def vjp(fun: Callable, *primals: Any, has_aux: bool = False) -> tuple:
    """(fun(*primals), f_vjp): the value, and the function from cotangents of the result to
    cotangents of the primals, a tuple.

    f_vjp raises ValueError for a cotangent that is not like the result. With `has_aux`, `fun`
    returns (out, aux), and aux comes third.

    >>> y, f_vjp = vjp(lambda x, y: x * y, 2.0, 3.0)
    >>> f_vjp(1.0)
    (Array(3., dtype=float32, weak_type=True), Array(2., dtype=float32, weak_type=True))
    """
    return linearize_call(fun, primals, has_aux, "vjp", _apply_transpose)


def _apply_transpose(call: LinearizedCall, consts: list, *out_cts: Any) -> tuple:
    if len(out_cts) != 1:
        raise TypeError(
            f"The vjp function takes one cotangent, with the structure of the result "
            f"{call.out_tree}, and got {len(out_cts)}."
        )
    cts, tree = tree_flatten(out_cts[0])
    if tree != call.out_tree:
        raise ValueError(
            f"The vjp function takes a cotangent with the structure of the result, "
            f"{call.out_tree}, and got {tree}."
        )
    check_like(cts, call.out_avals, "A cotangent given to the vjp function")
    args = [UndefinedPrimal(v.aval) for v in call.jaxpr.invars]
    given = [x for x, nonzero in zip(cts, call.out_nonzeros, strict=True) if nonzero]
    cts_in = backward_pass(call.jaxpr, consts, args, given)
    nonzeros = [aval.dtype != float0 for aval in call.in_avals]
    all_cts = ad.put_zeros(cts_in, nonzeros, call.in_avals)
    args_out, _ = tree_unflatten(call.in_tree, map(ad.instantiate_zeros, all_cts))
    return args_out


def _check_inputs(leaves: Sequence[Any], info: DebugInfo, allow_int: bool) -> None:
    ad.check_args(leaves, info)
    for i, x in enumerate(leaves):
        kind = dtype_kind(typeof(x).dtype)
        if kind == "f" or (kind in "biu" and allow_int):
            continue
        way_out = (
            "Use vjp or jvp." if kind == "c"
            else "Convert it with x.astype(float), or pass allow_int=True for a float0 gradient."
        )  # fmt: skip
        got = f"{typeof(x)} for {info.arg_name(i)}"
        raise TypeError(f"{info.traced_for} needs inputs that are floats, and got {got}. {way_out}")


def check_output(x: Any, name: str) -> None:
    if dtype_kind(typeof(x).dtype) != "f":
        raise TypeError(f"{name} needs a float result, and the function returned {typeof(x)}.")


def refuse_holomorphic(name: str, holomorphic: bool) -> None:
    if holomorphic:
        raise TypeError(f"{name}(holomorphic=True) is not here. Use jvp or vjp.")


def partial_on(
    fun: Callable, argnums: int | Sequence[int], args: tuple, kwargs: dict, name: str,
    allow_int: bool = False,
) -> tuple[Callable, tuple]:  # fmt: skip
    """The function of only the arguments `argnums`, and these arguments; for `name`, which
    needs them to be floats."""
    nums = pe.as_tuple(argnums)
    if not nums or min(nums) < -len(args):
        raise ValueError(f"{name} needs argnums of {len(args)} positional arguments; got {nums}.")
    places = {i % len(args) for i in nums if i < len(args)}
    if len(places) != len(nums):
        raise TypeError(
            f"{name} was to differentiate with respect to the arguments {nums}, which must differ, "
            f"and the function was called with {len(args)} positional arguments."
        )
    # The other arguments stand as None: a tree with no leaf, so it takes no leaf's name.
    shown = [x if i in places else None for i, x in enumerate(args)]
    info = ad.debug_info(name, fun, shown, dict.fromkeys(kwargs))
    _check_inputs(tree_flatten(shown)[0], info, allow_int)

    @wraps(fun)
    def partial_fun(*chosen: Any) -> Any:
        all_args = list(args)
        for i, x in zip(nums, chosen, strict=True):
            all_args[i] = x
        return fun(*all_args, **kwargs)

    partial_fun.call_info = info
    return partial_fun, tuple(args[i] for i in nums)


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
    ad.check_callable(fun, name)
    refuse_holomorphic(name, holomorphic)

    @wraps(fun)
    def value_and_grad_fun(*args: Any, **kwargs: Any) -> Any:
        partial_fun, chosen = partial_on(fun, argnums, args, kwargs, name, allow_int)
        ans, f_vjp, *aux = vjp(partial_fun, *chosen, has_aux=has_aux)
        _check_scalar(ans, name)
        grads = f_vjp(lax.full_like(ans, 1))
        grad_out = grads[0] if isinstance(argnums, int | np.integer) else grads
        return ((ans, *aux) if has_aux else ans), grad_out

    return value_and_grad_fun


def _check_scalar(x: Any, name: str) -> None:
    leaves, tree = tree_flatten(x)
    if len(leaves) != 1 or tree != tree_flatten(0)[1]:
        raise TypeError(
            f"{name} needs a function whose result is one number, and it returned {tree}. "
            f"With extra results, return a pair (number, extra) and pass has_aux=True."
        )
    if typeof(x).shape:
        raise TypeError(
            f"{name} needs a function whose result is one number, and it returned {typeof(x)}. "
            f"Sum or average it first, or use jacrev."
        )
    check_output(x, name)


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

    @wraps(fun)
    def grad_fun(*args: Any, **kwargs: Any) -> Any:
        value, gradient = value_and_grad_fun(*args, **kwargs)
        return (gradient, value[1]) if has_aux else gradient

    return grad_fun
