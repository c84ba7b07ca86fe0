"""Forward mode: every value carries a small change of itself along."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import Any

from minijax.core.arguments import with_type
from minijax.core.calls import check_args, check_callable, debug_info, flatten_fun, split_aux
from minijax.core.config import config
from minijax.core.dtypes import float0
from minijax.core.errors import DebugInfo, api_boundary, check_types, typematch
from minijax.core.primitives import (
    add, add_any_p, add_jaxvals, add_p, broadcast_in_dim, broadcast_in_dim_p, cast,
    convert_element_type_p, cos, cos_p, div, div_p, dot_general_p, eq, eq_p, exp_p, fill, gt_p,
    integer_pow, integer_pow_p, log_p, max_p, mul, mul_p, neg, neg_p, reduce_sum_p, reshape,
    reshape_p, select, select_n, select_n_p, sin, sin_p, sub, sub_p, transpose_p, zeros,
)
from minijax.core.pytrees import register_pytree_node, tree_flatten, tree_structure, tree_unflatten
from minijax.core.tracing import (
    Primitive, Trace, Tracer, for_tangents, new_trace, trace_ctx, typeof, unzip2,
)

# The interpreter: every value is a pair.


class JVPTracer(Tracer):
    """A value and its tangent."""

    __slots__ = ("primal", "tangent", "aval")
    aval: Any

    def __init__(self, trace: JVPTrace, primal: Any, tangent: Any) -> None:
        super().__init__(trace)
        self.primal, self.tangent, self.aval = primal, tangent, typeof(primal)

    def to_concrete_value(self) -> Any:
        return self.primal.to_concrete_value() if isinstance(self.primal, Tracer) else self.primal

    def __repr__(self) -> str:
        return f"JVPTracer(primal={self.primal!s}, tangent={self.tangent!s})"


# A tangent that is known to be zero costs nothing.


class Zero:
    """The tangent zero of a type, never stored as numbers."""

    __slots__ = ("aval",)

    def __init__(self, aval: Any) -> None:
        self.aval = aval

    @classmethod
    def from_primal_value(cls, x: Any) -> Zero:
        return cls(typeof(x).to_tangent_aval())

    def __repr__(self) -> str:
        return f"Zero({self.aval})"


# In a pytree it counts for no leaf, so it may pass through what takes and gives pytrees.
register_pytree_node(Zero, lambda zero: ((), zero.aval), lambda aval, _: Zero(aval))


def instantiate_zeros(tangent: Any) -> Any:
    return zeros(tangent.aval) if type(tangent) is Zero else tangent


def add_tangents(x: Any, y: Any) -> Any:
    if type(x) is Zero:
        return y
    return x if type(y) is Zero else add_jaxvals(x, y)


def is_nonzero(tangent: Any) -> bool:
    return type(tangent) is not Zero


jvps_of_zeros: set[Primitive] = set()  # whose rule is asked even where all tangents are zero


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

    def lower(self, x: Any) -> Any:
        return x.primal if isinstance(x, JVPTracer) and x._trace is self else x

    def process_primitive(self, primitive: Primitive, args: Sequence[Any], params: dict) -> Any:
        primals, tangents = map(tuple, unzip2(map(self.to_primal_tangent_pair, args)))
        if not any(map(is_nonzero, tangents)) and primitive not in jvps_of_zeros:
            return primitive.bind(*primals, **params)
        seen = for_tangents(primitive, params)
        out, out_dot = self.apply_rule(primitive, primals, tangents, seen)
        if not primitive.multiple_results:
            out, out_dot = [out], [out_dot]
        if config.jax_enable_checks and primitive.has_types:
            check_jvp(primitive, primals, params, out, out_dot)
        boxed = list(map(self.box, out, out_dot))
        return boxed if primitive.multiple_results else boxed[0]

    def apply_rule(
        self, primitive: Primitive, primals: Sequence, tangents: Sequence, params: dict
    ) -> tuple[Any, Any]:
        rule = find_rule(primitive_jvps, primitive, "JVP", "primitive_jvps")
        return rule(primals, tangents, **params)


# The rules. A rule maps primals and tangents to a primal and a tangent.

primitive_jvps: dict[Primitive, Callable] = {}


def find_rule(rules: dict, primitive: Primitive, kind: str, table: str) -> Callable:
    """The primitive's entry in one of the tables of rules; `table` is its name."""
    if primitive not in rules:
        way_out = f"Define one: {table}[{primitive}_p] = rule."
        raise NotImplementedError(f"{primitive} has no {kind} rule. {way_out}")
    return rules[primitive]


def check_jvp(
    primitive: Primitive, primals: Sequence, params: dict, out: Sequence, out_dot: Sequence
) -> None:
    """JaxprTypeError where a rule's primals have the wrong types, or its tangents others."""
    avals = list(map(typeof, out))
    expected = primitive.out_avals(list(map(typeof, primals)), params)
    check_types(primitive, "JVP rule", avals, expected)
    got = [t.aval if type(t) is Zero else typeof(t) for t in out_dot]
    check_types(primitive, "JVP rule's tangent", got, [a.to_tangent_aval() for a in avals])


def defjvp2(primitive: Primitive, *jvprules: Callable | None) -> None:
    """One function for each operand: (tangent, result, *primals, **params) -> its part."""

    def standard_jvp(primals: Sequence[Any], tangents: Sequence[Any], **params: Any) -> tuple:
        ans = primitive.bind(*primals, **params)
        nothing = Zero.from_primal_value(ans)
        is_whole = nothing.aval.dtype == float0
        parts = [
            rule(tangent, ans, *primals, **params)
            for rule, tangent in zip(jvprules, tangents, strict=True)
            if rule is not None and type(tangent) is not Zero and not is_whole
        ]
        return ans, reduce(add_tangents, parts, nothing)

    primitive_jvps[primitive] = standard_jvp


def defjvp(primitive: Primitive, *jvprules: Callable | None) -> None:
    """Like `defjvp2`, for rules that don't look at the result."""

    def without_ans(rule: Callable) -> Callable:
        return lambda tangent, ans, *primals, **params: rule(tangent, *primals, **params)

    defjvp2(primitive, *(rule and without_ans(rule) for rule in jvprules))


# One line for a function, as in a table of derivatives.


def _integer_pow_jvp(g: Any, x: Any, y: int) -> Any:
    if y == 0:
        return Zero.from_primal_value(x)
    if y == 1:
        return g
    return mul(g, mul(constant(x, y), x if y == 2 else integer_pow(x, y - 1)))


def constant(x: Any, number: float) -> Any:
    """A number in the dtype of x, and weak where x is one number and weak."""
    aval = typeof(x)
    return cast(number, aval.dtype, aval.weak_type and not aval.shape)


defjvp(sin_p, lambda g, x: mul(g, cos(x)))
defjvp(cos_p, lambda g, x: neg(mul(g, sin(x))))
defjvp(log_p, lambda g, x: div(g, x))
defjvp2(exp_p, lambda g, ans, x: mul(g, ans))
defjvp(integer_pow_p, _integer_pow_jvp)
defjvp(mul_p, lambda g, x, y: mul(g, y), lambda g, x, y: mul(x, g))
defjvp(
    div_p,
    lambda g, x, y: div(g, y),
    lambda g, x, y: mul(mul(neg(g), x), integer_pow(y, -2)),
)

# What is linear, and what moves in jumps.


def linear_jvp(
    primitive: Primitive, primals: Sequence[Any], tangents: Sequence[Any], **params: Any
) -> tuple:
    """A linear primitive does to the tangents what it does to the primals."""
    ans = primitive.bind(*primals, **params)
    return ans, primitive.bind(*map(instantiate_zeros, tangents), **params)


def zero_jvp(
    primitive: Primitive, primals: Sequence[Any], tangents: Sequence[Any], **params: Any
) -> tuple:
    """The result does not change with the operands, or only in jumps."""
    ans = primitive.bind(*primals, **params)
    return ans, Zero.from_primal_value(ans)


for _primitive in [neg_p, add_any_p, broadcast_in_dim_p, reshape_p, transpose_p, reduce_sum_p]:
    primitive_jvps[_primitive] = partial(linear_jvp, _primitive)
for _primitive in [eq_p, gt_p]:
    primitive_jvps[_primitive] = partial(zero_jvp, _primitive)
defjvp(
    dot_general_p,
    lambda g, x, y, **params: dot_general_p.bind(g, y, **params),
    lambda g, x, y, **params: dot_general_p.bind(x, g, **params),
)
defjvp(convert_element_type_p, lambda g, x, **params: convert_element_type_p.bind(g, **params))

# Operands may be scalars where the result isn't: sums must then spread the tangent out.


def spread(tangent: Any, ans: Any) -> Any:
    """The tangent, broadcast to the shape of the result."""
    old, new = typeof(tangent).shape, typeof(ans).shape
    if old == new:
        return tangent
    kept = [d for d, n in enumerate(old) if n == new[d]]
    squeezed = tangent if len(kept) == len(old) else reshape(tangent, [old[d] for d in kept])
    return broadcast_in_dim(squeezed, new, kept)


def _sum_jvp(fun: Callable, second: Callable, primals: Sequence[Any], tangents: Sequence[Any]):
    """The JVP of `fun`, add or sub; `second` does to y's tangent what `fun` does to y."""
    ans = fun(*primals)
    x_dot, y_dot = tangents
    if type(x_dot) is Zero:
        return ans, spread(second(y_dot), ans)
    return ans, spread(x_dot, ans) if type(y_dot) is Zero else fun(x_dot, y_dot)


primitive_jvps[add_p] = partial(_sum_jvp, add, lambda tangent: tangent)
primitive_jvps[sub_p] = partial(_sum_jvp, sub, neg)

# Choices.


def _share(x: Any, ans: Any, other: Any) -> Any:
    """1 where x is the result of max or min, 1/2 in a tie with the other operand, 0 elsewhere."""
    number = partial(fill, typeof(ans))
    is_x = select(eq(x, ans), number(1), number(0))
    return div(is_x, select(eq(other, ans), number(2), number(1)))


def extreme_jvp(primitive: Primitive) -> None:
    """max's rule, and min's."""
    defjvp2(
        primitive,
        lambda g, ans, x, y: mul(g, _share(x, ans, y)),
        lambda g, ans, x, y: mul(g, _share(y, ans, x)),
    )


extreme_jvp(max_p)


def _select_n_jvp(primals: Sequence[Any], tangents: Sequence[Any]) -> tuple:
    which, *cases = primals
    ans = select_n(which, *cases)
    nothing = fill(typeof(ans), 0)
    return ans, select_n(which, *(t if is_nonzero(t) else nothing for t in tangents[1:]))


primitive_jvps[select_n_p] = _select_n_jvp

# What the user calls.


def jvp_flat(
    flat_fun: Callable, primals: Sequence[Any], tangents: Sequence[Any],
    info: DebugInfo | None = None,
) -> tuple[list[Any], list[Any]]:  # fmt: skip
    """Results and their tangents, some of them `Zero`, of a function of lists of leaves."""
    with new_trace(JVPTrace(trace_ctx.trace, info)) as trace:
        boxed = map(trace.box, primals, tangents)
        return unzip2(map(trace.to_primal_tangent_pair, flat_fun(*boxed)))


def as_given(results: Sequence[Any], leaves: Sequence[Any], given: Sequence[Any]) -> list[Any]:
    """The results; those that are arguments as the user gave them, before `with_type`."""
    places = {id(x): old for x, old in zip(leaves, given, strict=True)}
    return [places.get(id(x), x) for x in results]


def check_tangent(primal: Any, tangent: Any) -> Any:
    """The tangent, or a `Zero` for float0; an error when its type isn't the primal's."""
    expected, got = typeof(primal).to_tangent_aval(), typeof(tangent)
    if not typematch(got, expected):
        hint = " Make it with np.zeros(shape, jax.dtypes.float0)." * (expected.dtype == float0)
        raise (ValueError if got.dtype == expected.dtype else TypeError)(
            f"Give jvp a tangent of type {expected.str_short()} for a primal of type "
            f"{typeof(primal)}; it got one of type {got}.{hint}"
        )
    return Zero(expected) if expected.dtype == float0 else tangent


@api_boundary
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
            f"jvp takes its primals and its tangents as tuples or lists, and got "
            f"{type(primals).__name__} and {type(tangents).__name__}. Give (x,) and (t,)."
        )
    flat_primals, in_tree = tree_flatten((tuple(primals), {}))
    flat_tangents, tangent_tree = tree_flatten((tuple(tangents), {}))
    if in_tree != tangent_tree:
        raise TypeError(
            f"jvp got primals of the structure {tree_structure(tuple(primals))}, and tangents of "
            f"{tree_structure(tuple(tangents))}. Give each primal one."
        )
    info = debug_info("jvp", fun, primals, {})
    check_args(flat_primals, info)
    check_args(flat_tangents, info)
    flat_tangents = list(map(check_tangent, flat_primals, flat_tangents))
    main_fun, aux = split_aux(fun, info.traced_for) if has_aux else (fun, tuple)
    flat_fun, out_tree = flatten_fun(main_fun, in_tree, "jvp()")
    given = flat_primals + flat_tangents
    leaves = list(map(with_type, given))
    primals, tangents = leaves[: len(flat_primals)], leaves[len(flat_primals) :]
    results = (as_given(xs, leaves, given) for xs in jvp_flat(flat_fun, primals, tangents, info))
    primals_out, tangents_out = results
    out = tree_unflatten(out_tree(), primals_out)
    out_dot = tree_unflatten(out_tree(), map(instantiate_zeros, tangents_out))
    return (out, out_dot, aux()) if has_aux else (out, out_dot)
