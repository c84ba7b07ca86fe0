"""Forward mode: every value carries a small change of itself along."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import partial, reduce, wraps
from typing import Any

import numpy as np

import minijax.core.primitives as lax
from minijax.core.arrays import is_array_like
from minijax.core.pytrees import (
    PyTreeDef,
    keystr,
    tree_flatten,
    tree_leaves_with_path,
    tree_map,
    tree_structure,
    tree_unflatten,
)
from minijax.core.tracing import (
    DebugInfo,
    Primitive,
    ShapedArray,
    Trace,
    Tracer,
    dtype_kind,
    float0,
    new_trace,
    set_current_trace,
    trace_ctx,
    typeof,
    unzip2,
)

# Tangents that are known to be zero cost nothing.


class Zero:
    """The tangent zero of a type, never stored as numbers."""

    __slots__ = ("aval",)

    def __init__(self, aval: ShapedArray) -> None:
        self.aval = aval

    @classmethod
    def from_primal_value(cls, x: Any) -> Zero:
        return cls(typeof(x).to_tangent_aval())

    def __repr__(self) -> str:
        return f"Zero({self.aval})"


def zeros_like_aval(aval: ShapedArray) -> Any:
    """Zeros of a type; of float0, a NumPy array that holds nothing."""
    if aval.dtype == float0:
        return np.zeros(aval.shape, float0)
    zero = lax.convert_element_type(0, aval.dtype, aval.weak_type)
    return lax.broadcast_in_dim(zero, aval.shape, ())


def instantiate_zeros(tangent: Any) -> Any:
    return zeros_like_aval(tangent.aval) if type(tangent) is Zero else tangent


def add_tangents(x: Any, y: Any) -> Any:
    if type(x) is Zero:
        return y
    return x if type(y) is Zero else lax.add_jaxvals(x, y)


def is_nonzero(tangent: Any) -> bool:
    return type(tangent) is not Zero


def put_zeros(
    given: Iterable[Any], nonzeros: Sequence[bool], avals: Sequence[ShapedArray]
) -> list[Any]:
    """The given tangents in their places, and a `Zero` of the right type in the others."""
    given = iter(given)
    return [
        next(given) if nonzero else Zero(aval.to_tangent_aval())
        for nonzero, aval in zip(nonzeros, avals, strict=True)
    ]


# The interpreter.


class JVPTracer(Tracer):
    """A value and its tangent."""

    __slots__ = ("primal", "tangent")

    def __init__(self, trace: JVPTrace, primal: Any, tangent: Any) -> None:
        self._trace, self.primal, self.tangent = trace, primal, tangent

    @property
    def aval(self) -> ShapedArray:
        return typeof(self.primal)

    def to_concrete_value(self) -> Any:
        return self.primal.to_concrete_value() if isinstance(self.primal, Tracer) else self.primal

    def __repr__(self) -> str:
        return f"JVPTracer(primal={self.primal!s}, tangent={self.tangent!s})"


class JVPTrace(Trace):
    """Runs every operation on primals, and its JVP rule on primals and tangents."""

    tracer_class = JVPTracer

    def __init__(self, parent: Trace, debug_info: DebugInfo | None = None) -> None:
        self.parent, self.debug_info = parent, debug_info

    def to_primal_tangent_pair(self, x: Any) -> tuple[Any, Any]:
        if isinstance(x, JVPTracer) and x._trace is self:
            return x.primal, x.tangent
        return x, Zero.from_primal_value(x)

    def box(self, primal: Any, tangent: Any) -> Any:
        return primal if type(tangent) is Zero else self.tracer_class(self, primal, tangent)

    def process_primitive(self, primitive: Primitive, args: Sequence[Any], params: dict) -> Any:
        primals, tangents = unzip2(map(self.to_primal_tangent_pair, args))
        if not any(map(is_nonzero, tangents)):
            return self.parent.process_primitive(primitive, primals, params)
        with set_current_trace(self.parent):
            primal_out, tangent_out = self.find_rule(primitive)(primals, tangents, **params)
        if primitive.multiple_results:
            return list(map(self.box, primal_out, tangent_out))
        return self.box(primal_out, tangent_out)

    def find_rule(self, primitive: Primitive) -> Callable:
        return find_rule(primitive_jvps, primitive, "JVP", "primitive_jvps")


# The rules. A rule maps primals and tangents to a primal and a tangent.

primitive_jvps: dict[Primitive, Callable] = {}


def find_rule(rules: dict, primitive: Primitive, kind: str, table: str) -> Callable:
    """The primitive's entry in one of the tables of rules; `table` is its name."""
    if primitive not in rules:
        way_out = f"Define one: {table}[{primitive}_p] = rule."
        raise NotImplementedError(f"{primitive} has no {kind} rule. {way_out}")
    return rules[primitive]


def defjvp2(primitive: Primitive, *jvprules: Callable | None) -> None:
    """One function for each operand: (tangent, result, *primals, **params) -> its part."""

    def standard_jvp(primals: Sequence[Any], tangents: Sequence[Any], **params: Any) -> tuple:
        ans = primitive.bind(*primals, **params)
        parts = [
            rule(tangent, ans, *primals, **params)
            for rule, tangent in zip(jvprules, tangents, strict=True)
            if rule is not None and type(tangent) is not Zero
        ]
        return ans, reduce(add_tangents, parts, Zero.from_primal_value(ans))

    primitive_jvps[primitive] = standard_jvp


def defjvp(primitive: Primitive, *jvprules: Callable | None) -> None:
    """Like `defjvp2`, for rules that don't look at the result."""

    def without_ans(rule: Callable) -> Callable:
        return lambda tangent, ans, *primals, **params: rule(tangent, *primals, **params)

    defjvp2(primitive, *(rule and without_ans(rule) for rule in jvprules))


def deflinear_jvp(primitive: Primitive) -> None:
    """A linear primitive does to the tangents what it does to the primals."""

    def linear_jvp(primals: Sequence[Any], tangents: Sequence[Any], **params: Any) -> tuple:
        ans = primitive.bind(*primals, **params)
        return ans, primitive.bind(*map(instantiate_zeros, tangents), **params)

    primitive_jvps[primitive] = linear_jvp


def defzero_jvp(primitive: Primitive) -> None:
    """A primitive whose result does not change with its operands, or only in jumps."""

    def zero_jvp(primals: Sequence[Any], tangents: Sequence[Any], **params: Any) -> tuple:
        ans = primitive.bind(*primals, **params)
        return ans, Zero.from_primal_value(ans)

    primitive_jvps[primitive] = zero_jvp


for _primitive in [
    lax.neg_p, lax.add_any_p, lax.copy_p, lax.broadcast_in_dim_p, lax.reshape_p, lax.squeeze_p,
    lax.transpose_p, lax.rev_p, lax.concatenate_p, lax.slice_p, lax.pad_p, lax.reduce_sum_p,
]:  # fmt: skip
    deflinear_jvp(_primitive)

for _primitive in [
    *lax.comparison_primitives, lax.and_p, lax.or_p, lax.not_p, lax.sign_p, lax.stop_gradient_p,
]:  # fmt: skip
    defzero_jvp(_primitive)


def _const(x: Any, value: float) -> Any:
    """A number in the dtype of x, and weak where x is."""
    return lax.convert_element_type(value, typeof(x).dtype, typeof(x).weak_type)


def _tanh_jvp(g: Any, ans: Any, one: Any) -> Any:
    """g * (1 + ans) * (1 - ans), which keeps its precision where ans is near 1."""
    return lax.mul(lax.add(g, lax.mul(g, ans)), lax.sub(one, ans))


defjvp(lax.sin_p, lambda g, x, **_: lax.mul(g, lax.cos(x)))
defjvp(lax.cos_p, lambda g, x, **_: lax.neg(lax.mul(g, lax.sin(x))))
defjvp(lax.log_p, lambda g, x, **_: lax.div(g, x))
defjvp(lax.square_p, lambda g, x: lax.mul(g, lax.mul(_const(x, 2), x)))
defjvp2(lax.exp_p, lambda g, ans, x, **_: lax.mul(g, ans))
defjvp2(lax.tanh_p, lambda g, ans, x, **_: _tanh_jvp(g, ans, _const(x, 1)))
defjvp2(lax.sqrt_p, lambda g, ans, x, **_: lax.mul(g, lax.div(_const(x, 0.5), ans)))
defjvp2(lax.rsqrt_p, lambda g, ans, x, **_: lax.mul(g, lax.mul(_const(x, -0.5), lax.div(ans, x))))
defjvp2(lax.logistic_p, lambda g, ans, x, **_: lax.mul(g, lax.mul(ans, lax.sub(_const(x, 1), ans))))


def _abs_jvp(g: Any, ans: Any, x: Any) -> Any:
    if dtype_kind(typeof(x).dtype) == "c":  # the real part of g |x| / x
        safe = lax.select(lax.eq(x, _const(x, 0)), lax.full_like(x, 1), x)
        turned = lax.mul(g, lax.div(lax.convert_element_type(ans, typeof(x).dtype), safe))
        return lax.convert_element_type_p.bind(
            turned, new_dtype=typeof(ans).dtype, weak_type=False, sharding=None
        )
    return lax.select(lax.ge(x, _const(x, 0)), g, lax.neg(g))


def _integer_pow_jvp(g: Any, x: Any, y: int) -> Any:
    if y == 0:
        return Zero.from_primal_value(x)
    if y == 1:
        return g
    return lax.mul(g, lax.mul(_const(x, y), x if y == 2 else lax.integer_pow(x, y - 1)))


defjvp2(lax.abs_p, _abs_jvp)
defjvp(lax.integer_pow_p, _integer_pow_jvp)

# Operands may be scalars where the result isn't: sums must then spread the tangent out.


def spread(tangent: Any, ans: Any) -> Any:
    """The tangent, broadcast to the shape of the result."""
    old, new = typeof(tangent).shape, typeof(ans).shape
    if old == new:
        return tangent
    kept = [d for d, n in enumerate(old) if n == new[d]]
    return lax.broadcast_in_dim(lax.reshape(tangent, [old[d] for d in kept]), new, kept)


def _sum_jvp(fun: Callable, second: Callable, primals: Sequence[Any], tangents: Sequence[Any]):
    """The JVP of `fun`, add or sub; `second` does to y's tangent what `fun` does to y."""
    ans = fun(*primals)
    x_dot, y_dot = tangents
    if type(x_dot) is Zero:
        return ans, y_dot if type(y_dot) is Zero else spread(second(y_dot), ans)
    return ans, spread(x_dot, ans) if type(y_dot) is Zero else fun(x_dot, y_dot)


primitive_jvps[lax.add_p] = partial(_sum_jvp, lax.add, lambda tangent: tangent)
primitive_jvps[lax.sub_p] = partial(_sum_jvp, lax.sub, lax.neg)
defjvp(lax.mul_p, lambda g, x, y, **_: lax.mul(g, y), lambda g, x, y, **_: lax.mul(x, g))
defjvp(
    lax.div_p,
    lambda g, x, y: lax.div(g, y),
    lambda g, x, y: lax.mul(lax.mul(lax.neg(g), x), lax.integer_pow(y, -2)),
)



def _share(x: Any, ans: Any, other: Any) -> Any:
    """1 where x is the result of max or min, 1/2 where x and the other operand both are."""
    is_x = lax.select(lax.eq(x, ans), lax.full_like(ans, 1), lax.full_like(ans, 0))
    both = lax.select(lax.eq(other, ans), lax.full_like(ans, 2), lax.full_like(ans, 1))
    return lax.div(is_x, both)


for _primitive in [lax.max_p, lax.min_p]:
    defjvp2(
        _primitive,
        lambda g, ans, x, y: lax.mul(g, _share(x, ans, y)),
        lambda g, ans, x, y: lax.mul(g, _share(y, ans, x)),
    )


def _pow_jvp_x(g: Any, ans: Any, x: Any, y: Any) -> Any:
    x, y = (lax.convert_element_type(operand, typeof(x).dtype) for operand in (x, y))
    return lax.mul(g, lax.mul(y, lax.pow(x, lax.sub(y, lax.full_like(y, 1)))))


def _pow_jvp_y(g: Any, ans: Any, x: Any, y: Any) -> Any:
    # 0**y does not change with y.
    safe = lax.select(lax.eq(x, _const(x, 0)), lax.full_like(x, 1), x)
    return lax.mul(g, lax.mul(lax.log(safe), ans))


defjvp2(lax.pow_p, _pow_jvp_x, _pow_jvp_y)

# Products, choices, conversions, extremes.

defjvp(
    lax.dot_general_p,
    lambda g, x, y, **params: lax.dot_general_p.bind(g, y, **params),
    lambda g, x, y, **params: lax.dot_general_p.bind(x, g, **params),
)


def _select_n_jvp(primals: Sequence[Any], tangents: Sequence[Any]) -> tuple:
    which, *cases = primals
    ans = lax.select_n(which, *cases)
    if not any(map(is_nonzero, tangents[1:])):
        return ans, Zero.from_primal_value(ans)
    zeros = lax.full_like(ans, 0)
    return ans, lax.select_n(which, *(t if is_nonzero(t) else zeros for t in tangents[1:]))


def _convert_element_type_jvp(g: Any, ans: Any, x: Any, new_dtype: Any, **params: Any) -> Any:
    if dtype_kind(new_dtype) not in "fc":
        return Zero.from_primal_value(ans)
    return lax.convert_element_type_p.bind(g, new_dtype=new_dtype, **params)


def _reduce_extreme_jvp(g: Any, ans: Any, x: Any, axes: Sequence[int]) -> Any:
    """The mean of the tangents of those elements that equal the extreme."""
    kept = [1 if d in axes else n for d, n in enumerate(typeof(x).shape)]
    chosen = lax.convert_element_type(lax.eq(x, lax.reshape(ans, kept)), typeof(g).dtype)
    count = lax.reduce_sum(chosen, axes)
    return lax.div(lax.reduce_sum(lax.mul(g, chosen), axes), count)


primitive_jvps[lax.select_n_p] = _select_n_jvp
defjvp2(lax.convert_element_type_p, _convert_element_type_jvp)
defjvp2(lax.reduce_max_p, _reduce_extreme_jvp)
defjvp2(lax.reduce_min_p, _reduce_extreme_jvp)

# Functions of pytrees as functions of lists of leaves.


def flatten_fun(fun: Callable, in_tree: PyTreeDef) -> tuple[Callable, Callable]:
    """`fun` on the leaves of (args, kwargs), and a thunk for the tree of its last result."""
    out_trees = []

    def flat_fun(*leaves: Any) -> list[Any]:
        args, kwargs = tree_unflatten(in_tree, leaves)
        out_leaves, out_tree = tree_flatten(fun(*args, **kwargs))
        check_results(fun, out_leaves)
        out_trees.append(out_tree)
        return out_leaves

    return flat_fun, lambda: out_trees[-1]


def check_results(fun: Callable, leaves: Sequence[Any]) -> None:
    for x in leaves:
        if not is_array_like(x):
            raise TypeError(
                f"{getattr(fun, '__name__', fun)} returned {x!r} of type {type(x).__name__} where "
                f"an array or a number is needed. has_aux, where there is one, takes other values."
            )


def flat_arg_names(fun: Callable, args: Sequence[Any], kwargs: dict) -> list[str]:
    """What to call each leaf of the arguments in a message: `params['W']`, `x`."""
    try:
        bound = inspect.signature(fun).bind(*args, **kwargs)
        named = bound.arguments.items()
    except (TypeError, ValueError):
        named = [*((f"args[{i}]", arg) for i, arg in enumerate(args)), *kwargs.items()]
    return [
        name + keystr(path) for name, arg in named for path, _ in tree_leaves_with_path(arg)
    ]


def debug_info(traced_for: str, fun: Callable, args: Sequence[Any], kwargs: dict) -> DebugInfo:
    """The facts that an error message names; the arguments' names are found when asked for.

    A function that stands for a call of another (`partial_on`) brings the facts of that call.
    """
    if hasattr(fun, "call_info"):
        return fun.call_info
    _, in_tree = tree_flatten((tuple(args), kwargs))

    def arg_names(fun: Callable) -> list[str]:
        return flat_arg_names(fun, *tree_unflatten(in_tree, range(in_tree.num_leaves)))

    return DebugInfo(traced_for, fun, arg_names)


def check_args(leaves: Sequence[Any], info: DebugInfo, rule: Callable = typeof) -> None:
    """TypeError, naming the argument, for what is neither an array nor a number: has no type
    by `rule`."""
    for i, x in enumerate(leaves):
        try:
            rule(x)
        except TypeError as error:
            call = f"{info.traced_for}({info.func_name})"
            raise TypeError(f"{call}, argument {info.arg_name(i)}: {error}") from error


def split_aux(fun: Callable, name: str) -> tuple[Callable, Callable]:
    """A function that returns (out, aux), as one that returns out, and a thunk for aux.

    aux leaves the trace as plain values, whatever it holds.
    """
    aux_values = []

    @wraps(fun)
    def main_fun(*args: Any, **kwargs: Any) -> Any:
        pair = fun(*args, **kwargs)
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise TypeError(
                f"{name} with has_aux=True needs a function that returns a pair (output, aux); "
                f"it returned {type(pair).__name__}."
            )
        aux_values.append(pair[1])
        return pair[0]

    def lower(x: Any) -> Any:
        while isinstance(x, JVPTracer) and x._trace.ended:
            x = x.primal
        return x

    return main_fun, lambda: tree_map(lower, aux_values[-1])


def check_callable(fun: Any, name: str) -> None:
    if not callable(fun):
        raise TypeError(f"{name} takes a function as its first argument, and got {fun!r}.")


# What the user calls.


def jvp_flat(
    flat_fun: Callable, primals: Sequence[Any], tangents: Sequence[Any],
    info: DebugInfo | None = None,
) -> tuple[list[Any], list[Any]]:  # fmt: skip
    """Results and their tangents, some of them `Zero`, of a function of lists of leaves."""
    with new_trace(JVPTrace(trace_ctx.trace, info)) as trace:
        out = flat_fun(*map(trace.box, primals, tangents))
        return unzip2(map(trace.to_primal_tangent_pair, out))


def check_tangent(primal: Any, tangent: Any) -> Any:
    """The tangent, or a `Zero` for float0; an error when its type isn't the primal's."""
    expected, got = typeof(primal).to_tangent_aval(), typeof(tangent)
    if expected.dtype != got.dtype:
        raise TypeError(
            f"jvp needs tangents of the primals' dtypes (float0 for integers and bools): a primal "
            f"of type {typeof(primal)} came with a tangent of type {got}, not {expected.dtype}."
        )
    if expected.shape != got.shape:
        raise ValueError(
            f"jvp needs tangents of the primals' shapes: a primal of shape {expected.shape} came "
            f"with a tangent of shape {got.shape}."
        )
    return Zero(expected) if expected.dtype == float0 else tangent


def jvp(
    fun: Callable, primals: Sequence[Any], tangents: Sequence[Any], has_aux: bool = False
) -> tuple:
    """The value of `fun` and its derivative in a direction: (fun(*primals), J @ tangents).

    `primals` and `tangents` are tuples or lists of pytrees, alike in structure, shapes and
    dtypes. With `has_aux`, `fun` returns (out, aux), and aux comes third. Raises TypeError for
    unlike structures or dtypes, ValueError for unlike shapes.

    >>> jvp(lambda x: x * x, (3.0,), (1.0,))
    (Array(9., dtype=float32, weak_type=True), Array(6., dtype=float32, weak_type=True))
    """
    check_callable(fun, "jvp")
    if not isinstance(primals, tuple | list) or type(primals) is not type(tangents):
        raise TypeError(
            f"jvp takes its primals and its tangents as tuples or lists, one entry for each "
            f"argument of the function; got {type(primals).__name__} and {type(tangents).__name__}."
        )
    flat_primals, in_tree = tree_flatten((tuple(primals), {}))
    flat_tangents, tangent_tree = tree_flatten((tuple(tangents), {}))
    if in_tree != tangent_tree:
        raise TypeError(
            f"jvp needs tangents of the same structure as the primals; the primals are "
            f"{tree_structure(tuple(primals))}, the tangents {tree_structure(tuple(tangents))}."
        )
    info = debug_info("jvp", fun, primals, {})
    check_args(flat_primals, info)
    flat_tangents = list(map(check_tangent, flat_primals, flat_tangents))
    main_fun, aux = split_aux(fun, info.traced_for) if has_aux else (fun, None)
    flat_fun, out_tree = flatten_fun(main_fun, in_tree)
    primals_out, tangents_out = jvp_flat(flat_fun, flat_primals, flat_tangents, info)
    out = tree_unflatten(out_tree(), primals_out)
    out_dot = tree_unflatten(out_tree(), map(instantiate_zeros, tangents_out))
    return (out, out_dot, aux()) if has_aux else (out, out_dot)
