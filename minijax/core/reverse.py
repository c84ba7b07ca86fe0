"""Reverse mode: the linear program, run backwards, carries cotangents from results to inputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, wraps
from typing import Any

import numpy as np

from minijax.core.batching import vmap
from minijax.core.forward import (
    Zero,
    check_callable,
    debug_info,
    flatten_fun,
    instantiate_zeros,
    jvp,
    split_aux,
)
from minijax.core.jitting import bind_jit, cached_by_jaxpr, jit_p
from minijax.core.linearization import has_tangent, linearize_flat
import minijax.core.primitives as lax
from minijax.core.pytrees import Partial, PyTreeDef, tree_flatten, tree_map, tree_unflatten
from minijax.core.staging import (
    ClosedJaxpr,
    Jaxpr,
    Literal,
    Var,
    trace_to_jaxpr,
)
from minijax.core.tracing import Primitive, ShapedArray, dtype_kind, float0, typeof

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
    jaxpr: Jaxpr, consts: Sequence[Any], args: Sequence[Any], cts_out: Sequence[Any]
) -> list[Any]:
    """The cotangents of the inputs, from those of the results.

    The jaxpr is linear in the inputs whose `args` are UndefinedPrimal; the others are values.
    A cotangent that nothing flows into is a `Zero`.
    """
    values: dict[Var, Any] = dict(zip(jaxpr.constvars, consts, strict=True))
    linear: set[Var] = set()
    for v, x in zip(jaxpr.invars, args, strict=True):
        if is_undefined_primal(x):
            linear.add(v)
        else:
            values[v] = x

    def read(x: Any) -> Any:
        if type(x) is Literal:
            return x.val
        return UndefinedPrimal(x.aval) if x in linear else values[x]

    # Forwards, for what is not linear.
    linear_eqns = []
    for eqn in jaxpr.eqns:
        if any(type(x) is Var and x in linear for x in eqn.invars):
            linear.update(eqn.outvars)
            linear_eqns.append(eqn)
        else:
            out = eqn.primitive.bind(*map(read, eqn.invars), **eqn.params)
            out = out if eqn.primitive.multiple_results else [out]
            values.update(zip(eqn.outvars, out, strict=True))

    # Backwards, for what is.
    cts: dict[Var, Any] = {}

    def accumulate(x: Any, ct: Any) -> None:
        if type(x) is Var and x in linear and ct is not None and type(ct) is not Zero:
            cts[x] = lax.add_jaxvals(cts[x], ct) if x in cts else ct

    for x, ct in zip(jaxpr.outvars, cts_out, strict=True):
        accumulate(x, ct)
    for eqn in reversed(linear_eqns):
        out = [cts.pop(v) if v in cts else Zero(v.aval) for v in eqn.outvars]
        if all(type(ct) is Zero for ct in out):
            continue
        rule = _find_transpose_rule(eqn.primitive)
        ct_out = out if eqn.primitive.multiple_results else out[0]
        cts_in = rule(ct_out, *map(read, eqn.invars), **eqn.params)
        for x, ct in zip(eqn.invars, cts_in, strict=True):
            accumulate(x, ct)
    return [cts.get(v, Zero(v.aval)) for v in jaxpr.invars]


# The rules. A rule maps the cotangent of the result, and the operands, to the cotangents of the
# operands: None for those that are known.

primitive_transposes: dict[Primitive, Callable] = {}


def _find_transpose_rule(primitive: Primitive) -> Callable:
    if primitive in primitive_transposes:
        return primitive_transposes[primitive]
    raise NotImplementedError(
        f"The primitive {primitive} has no transpose rule, so it cannot be differentiated in "
        f"reverse mode. Define one: primitive_transposes[{primitive}_p] = rule."
    )


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


def _convert_transpose(ct, aval, **_):
    return lax.convert_element_type(ct, aval.dtype, aval.weak_type)


deflinear(lax.neg_p, lambda ct, aval: lax.neg(ct))
deflinear(lax.copy_p, lambda ct, aval: lax.copy_p.bind(ct))
deflinear(lax.reshape_p, lambda ct, aval, **_: lax.reshape(ct, aval.shape))
deflinear(lax.squeeze_p, lambda ct, aval, dimensions: lax.expand_dims(ct, dimensions))
deflinear(lax.transpose_p, lambda ct, aval, permutation: lax.transpose(ct, _inverse(permutation)))
deflinear(lax.rev_p, lambda ct, aval, dimensions: lax.rev(ct, dimensions))
deflinear(lax.broadcast_in_dim_p, _broadcast_in_dim_transpose)
deflinear(lax.slice_p, _slice_transpose)
deflinear(lax.reduce_sum_p, _reduce_sum_transpose)
deflinear(lax.convert_element_type_p, _convert_transpose)

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
    contract_in_order = [contract[i] for i in _inverse(other_contract)]
    return lax.transpose(product, _inverse([*batch, *free, *contract_in_order]))


primitive_transposes[lax.dot_general_p] = _dot_general_transpose

# jit's rule.


@cached_by_jaxpr
def transpose_jaxpr(
    closed: ClosedJaxpr, linear: tuple[bool, ...], nonzero_cts: tuple[bool, ...]
) -> tuple[ClosedJaxpr, list[bool]]:
    """The jaxpr from known inputs and non-zero cotangents to cotangents of the linear inputs,
    and which of these are non-zero."""
    known = [aval for aval, lin in zip(closed.in_avals, linear, strict=True) if not lin]
    out_avals = closed.out_avals
    cts = [aval for aval, nonzero in zip(out_avals, nonzero_cts, strict=True) if nonzero]
    ct_nonzeros = []

    def transposed(*args: Any) -> list[Any]:
        values, given = iter(args[: len(known)]), iter(args[len(known) :])
        primals = [
            UndefinedPrimal(aval) if lin else next(values)
            for aval, lin in zip(closed.in_avals, linear, strict=True)
        ]
        cts_out = [
            next(given) if nonzero else Zero(aval)
            for aval, nonzero in zip(out_avals, nonzero_cts, strict=True)
        ]
        cts_in = backward_pass(closed.jaxpr, closed.consts, primals, cts_out)
        linear_cts = [ct for ct, lin in zip(cts_in, linear, strict=True) if lin]
        ct_nonzeros.extend(type(ct) is not Zero for ct in linear_cts)
        return [ct for ct in linear_cts if type(ct) is not Zero]

    return trace_to_jaxpr(transposed, [*known, *cts], closed.jaxpr.debug_info), ct_nonzeros


def _jit_transpose(cts: Sequence[Any], *args: Any, jaxpr: ClosedJaxpr, **params: Any) -> list[Any]:
    linear = tuple(map(is_undefined_primal, args))
    nonzero_cts = tuple(type(ct) is not Zero for ct in cts)
    new_jaxpr, ct_nonzeros = transpose_jaxpr(jaxpr, linear, nonzero_cts)
    known = [x for x in args if not is_undefined_primal(x)]
    out = iter(bind_jit(new_jaxpr, [*known, *(ct for ct in cts if type(ct) is not Zero)], params))
    nonzeros = iter(ct_nonzeros)
    return [next(out) if lin and next(nonzeros) else None for lin in linear]


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
    check_callable(fun, "vjp")
    leaves, in_tree = tree_flatten((primals, {}))
    main_fun, aux = split_aux(fun, "vjp") if has_aux else (fun, None)
    flat_fun, out_tree = flatten_fun(main_fun, in_tree)
    nonzeros = tuple(map(has_tangent, leaves))
    lin = linearize_flat(flat_fun, leaves, nonzeros, debug_info("vjp", fun, primals, {}))
    in_avals = tuple(typeof(x).to_tangent_aval() for x in leaves)
    out_avals = tuple(typeof(x).to_tangent_aval() for x in lin.primals_out)
    f_vjp = partial(
        _apply_transpose, lin.jaxpr.jaxpr, in_tree, in_avals, out_tree(), out_avals,
        tuple(lin.out_nonzeros),
    )  # fmt: skip
    out = tree_unflatten(out_tree(), lin.primals_out)
    f_vjp = Partial(f_vjp, lin.jaxpr.consts)
    return (out, f_vjp, aux()) if has_aux else (out, f_vjp)


def _apply_transpose(
    jaxpr: Jaxpr, in_tree: PyTreeDef, in_avals: Sequence[ShapedArray], out_tree: PyTreeDef,
    out_avals: Sequence[ShapedArray], out_nonzeros: Sequence[bool], consts: list, ct: Any,
) -> tuple:  # fmt: skip
    cts, tree = tree_flatten(ct)
    if tree != out_tree:
        raise ValueError(
            f"The vjp function takes a cotangent with the structure of the result, {out_tree}, "
            f"and got {tree}."
        )
    for x, aval in zip(cts, out_avals, strict=True):
        if (typeof(x).shape, typeof(x).dtype) != (aval.shape, aval.dtype):
            raise ValueError(
                f"The vjp function takes a cotangent of the result's type {aval}, "
                f"and got {typeof(x)}."
            )
    args = [UndefinedPrimal(v.aval) for v in jaxpr.invars]
    given = [x for x, nonzero in zip(cts, out_nonzeros, strict=True) if nonzero]
    cts_in = iter(backward_pass(jaxpr, consts, args, given))
    all_cts = [Zero(aval) if aval.dtype == float0 else next(cts_in) for aval in in_avals]
    args_out, _ = tree_unflatten(in_tree, map(instantiate_zeros, all_cts))
    return args_out


def _check_input(x: Any, name: str, allow_int: bool) -> None:
    kind = dtype_kind(typeof(x).dtype)
    if kind == "c":
        raise TypeError(
            f"{name} was given an input of type {typeof(x)}. It differentiates real functions; "
            f"use vjp or jvp for complex ones."
        )
    if kind in "biu" and not allow_int:
        raise TypeError(
            f"{name} needs inputs that are floats, and got {typeof(x)}. Convert it with "
            f"x.astype(float), or pass allow_int=True for a float0 gradient."
        )


def _check_output(x: Any, name: str) -> None:
    kind = dtype_kind(typeof(x).dtype)
    if kind != "f":
        raise TypeError(
            f"{name} needs a function whose result is a float, and it returned {typeof(x)}. "
            f"Use vjp for others."
        )


def _refuse_holomorphic(name: str, holomorphic: bool) -> None:
    if holomorphic:
        raise NotImplementedError(
            f"{name}(holomorphic=True) is not here. Use jvp or vjp, which take complex numbers."
        )


def _partial_on(fun: Callable, argnums: int | Sequence[int], args: tuple, kwargs: dict, name: str):
    """The function of only the arguments `argnums`, and these arguments."""
    nums = (argnums,) if isinstance(argnums, int) else tuple(argnums)
    if any(not -len(args) <= i < len(args) for i in nums):
        raise ValueError(
            f"{name} was to differentiate with respect to the arguments {nums}, and the function "
            f"was called with {len(args)} positional arguments."
        )
    nums = tuple(i % len(args) for i in nums)

    @wraps(fun)
    def partial_fun(*chosen: Any) -> Any:
        all_args = list(args)
        for i, x in zip(nums, chosen, strict=True):
            all_args[i] = x
        return fun(*all_args, **kwargs)

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
    check_callable(fun, name)
    _refuse_holomorphic(name, holomorphic)

    @wraps(fun)
    def value_and_grad_fun(*args: Any, **kwargs: Any) -> Any:
        partial_fun, chosen = _partial_on(fun, argnums, args, kwargs, name)
        tree_map(lambda x: _check_input(x, name, allow_int), chosen)
        ans, f_vjp, *aux = vjp(partial_fun, *chosen, has_aux=has_aux)
        _check_scalar(ans, name)
        grads = f_vjp(lax.full_like(ans, 1))
        grad_out = grads[0] if isinstance(argnums, int) else grads
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
    _check_output(x, name)


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


# Jacobians: vmap over a basis of directions.


def _standard_basis(leaves: Sequence[Any]) -> list[Any]:
    """For each leaf, all directions stacked: the i-th changes the i-th number of all leaves."""
    sizes = [typeof(x).size for x in leaves]
    total, start, basis = sum(sizes), 0, []
    iota = partial(lax.broadcasted_iota, np.int32, (total, total))
    identity = lax.eq(iota(0), iota(1))
    for x, size in zip(leaves, sizes, strict=True):
        part = lax.slice_in_dim(identity, start, start + size, axis=1)
        part = lax.reshape(part, (total, *typeof(x).shape))
        basis.append(lax.convert_element_type(part, typeof(x).dtype))
        start += size
    return basis


def _split_axis(x: Any, like: Sequence[Any], axis: int) -> list[Any]:
    """One axis of x, which counts the numbers of all leaves of `like`, cut up leaf by leaf."""
    parts, start = [], 0
    shape = typeof(x).shape
    for leaf in like:
        aval = typeof(leaf)
        part = lax.slice_in_dim(x, start, start + aval.size, axis=axis)
        parts.append(lax.reshape(part, (*shape[:axis], *aval.shape, *shape[axis + 1 :])))
        start += aval.size
    return parts


def jacfwd(
    fun: Callable, argnums: int | Sequence[int] = 0, has_aux: bool = False,
    holomorphic: bool = False,
) -> Callable:  # fmt: skip
    """The Jacobian of `fun`, column by column: one jvp for each number that goes in.

    For a result of shape s and an argument of shape t, an array of shape (*s, *t); for pytrees,
    the result's structure, with the argument's in each leaf.

    >>> jacfwd(lambda x: x * x)(np.array([1.0, 2.0], np.float32))
    Array([[2., 0.],
           [0., 4.]], dtype=float32)
    """
    check_callable(fun, "jacfwd")
    _refuse_holomorphic("jacfwd", holomorphic)

    @wraps(fun)
    def jacfwd_fun(*args: Any, **kwargs: Any) -> Any:
        partial_fun, chosen = _partial_on(fun, argnums, args, kwargs, "jacfwd")
        tree_map(lambda x: _check_input(x, "jacfwd", False), chosen)
        single = isinstance(argnums, int)
        leaves, in_tree = tree_flatten(chosen)

        def push(*directions: Any) -> Any:
            tangents = tree_unflatten(in_tree, directions)
            return jvp(partial_fun, chosen, tangents, has_aux=has_aux)[1:]

        columns, *aux = vmap(push, out_axes=(-1, None)[: 1 + has_aux])(*_standard_basis(leaves))
        inner = in_tree.children()[0] if single else in_tree
        jacobian = tree_map(
            lambda y: tree_unflatten(inner, _split_axis(y, leaves, typeof(y).ndim - 1)), columns
        )
        return (jacobian, *aux) if has_aux else jacobian

    return jacfwd_fun


def jacrev(
    fun: Callable, argnums: int | Sequence[int] = 0, has_aux: bool = False,
    holomorphic: bool = False, allow_int: bool = False,
) -> Callable:  # fmt: skip
    """The Jacobian of `fun`, row by row: one vjp for each number that comes out.

    The result is like that of `jacfwd`.

    >>> jacrev(lambda x: x * x)(np.array([1.0, 2.0], np.float32))
    Array([[2., 0.],
           [0., 4.]], dtype=float32)
    """
    check_callable(fun, "jacrev")
    _refuse_holomorphic("jacrev", holomorphic)

    @wraps(fun)
    def jacrev_fun(*args: Any, **kwargs: Any) -> Any:
        partial_fun, chosen = _partial_on(fun, argnums, args, kwargs, "jacrev")
        tree_map(lambda x: _check_input(x, "jacrev", allow_int), chosen)
        ans, f_vjp, *aux = vjp(partial_fun, *chosen, has_aux=has_aux)
        outs, out_tree = tree_flatten(ans)
        for y in outs:
            _check_output(y, "jacrev")
        pull = vmap(lambda *cts: f_vjp(tree_unflatten(out_tree, cts)))
        rows = pull(*_standard_basis(outs))
        rows = rows[0] if isinstance(argnums, int) else rows
        cells, in_tree = tree_flatten(rows)
        split = [_split_axis(x, outs, 0) for x in cells]
        jacobian = tree_unflatten(out_tree, [
            tree_unflatten(in_tree, [parts[i] for parts in split]) for i in range(len(outs))
        ])  # fmt: skip
        return (jacobian, *aux) if has_aux else jacobian

    return jacrev_fun


def hessian(
    fun: Callable, argnums: int | Sequence[int] = 0, has_aux: bool = False,
    holomorphic: bool = False,
) -> Callable:  # fmt: skip
    """The matrix of second derivatives of `fun`: forward mode over reverse mode.

    >>> hessian(lambda x: x[0] * x[1])(np.array([1.0, 2.0], np.float32))
    Array([[0., 1.],
           [1., 0.]], dtype=float32)
    """
    inner = jacrev(fun, argnums, has_aux=has_aux, holomorphic=holomorphic)
    return jacfwd(inner, argnums, has_aux=has_aux, holomorphic=holomorphic)
