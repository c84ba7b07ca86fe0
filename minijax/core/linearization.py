"""Linearization: a function's value now, and its derivative as a program for later."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from minijax.core.arguments import with_type
from minijax.core.calls import check_args, check_callable, debug_info, flatten_fun, split_aux
from minijax.core.dtypes import float0
from minijax.core.errors import DebugInfo, api_boundary, typematch
from minijax.core.forward import JVPTrace, JVPTracer, Zero, as_given, instantiate_zeros, is_nonzero
from minijax.core.primitives import zeros
from minijax.core.pytrees import (
    PyTreeDef, register_pytree_node, tree_flatten, tree_structure, tree_unflatten,
)
from minijax.core.staging import (
    ClosedJaxpr, Jaxpr, JaxprTrace, dce_jaxpr, eval_jaxpr, trace_to_jaxpr,
)
from minijax.core.tracing import (
    AbstractValue, Primitive, Trace, Tracer, new_trace, set_current_trace, trace_ctx, typeof,
    unzip2,
)

# Rules for primitives whose JVP rule would not split, such as those that carry a program:
# (nonzeros, *primals, **params) -> (results, their nonzeros, residuals, linearized).
primitive_linearizations: dict[Primitive, Callable] = {}

# Two interpreters at once: now for the primals, later for the tangents.


class SplitTrace(Trace):
    """Records what touches a tangent, and hands every other operation to its parent."""

    def __init__(self, parent: Trace, tangent_trace: JaxprTrace) -> None:
        self.parent, self.tangent_trace = parent, tangent_trace

    def process_primitive(self, primitive: Primitive, args: Sequence[Any], params: dict) -> Any:
        touched = [isinstance(x, Tracer) and x._trace is self.tangent_trace for x in args]
        if not any(touched):
            return primitive.bind(*args, **params)
        if primitive in primitive_linearizations and not all(touched):
            return split_program(self.tangent_trace, primitive, args, touched, params)
        with set_current_trace(self.tangent_trace):
            return primitive.bind(*args, **params)


class LinearizeTracer(JVPTracer):
    """A value, and a tangent that is a variable of the linear program."""

    __slots__ = ()

    def __repr__(self) -> str:
        tangent = self.tangent.aval.str_short(short_dtypes=True)
        return f"GradTracer(primal={self.primal!s}, typeof(tangent)={tangent})"


class LinearizeTrace(JVPTrace):
    """jvp, run under a SplitTrace."""

    tracer_class = LinearizeTracer
    parent: SplitTrace

    def __init__(
        self, parent: Trace, tangent_trace: JaxprTrace, debug_info: DebugInfo | None = None
    ) -> None:
        super().__init__(SplitTrace(parent, tangent_trace), debug_info)

    def apply_rule(
        self, primitive: Primitive, primals: Sequence, tangents: Sequence, params: dict
    ) -> tuple[Any, Any]:
        if primitive not in primitive_linearizations:
            out, out_dot = super().apply_rule(primitive, primals, tangents, params)
            for x in out if primitive.multiple_results else [out]:
                if isinstance(x, Tracer) and x._trace is self.parent.tangent_trace:
                    raise ValueError(
                        f"{primitive}'s rule has a result that depends on a tangent, so there is "
                        f"no value now and no gradient. Use jvp, or compute it of primals alone."
                    )
            return out, out_dot
        nonzeros = list(map(is_nonzero, tangents))
        rule = primitive_linearizations[primitive]
        primals_out, _, residuals, linearized = rule(nonzeros, *primals, **params)
        with set_current_trace(self.parent.tangent_trace):
            return primals_out, linearized(residuals, *tangents)


class Linearized(NamedTuple):
    """Results, which of them have a tangent, and the program for those: its consts are the
    residuals, the values from the forward run that it needs."""

    primals_out: list[Any]
    out_nonzeros: list[bool]
    jaxpr: ClosedJaxpr


def linearize_flat(
    flat_fun: Callable, primals: Sequence[Any], nonzeros: Sequence[bool],
    info: DebugInfo | None = None, instantiate: Sequence[bool] = (),
) -> Linearized:  # fmt: skip
    """Linearizes a function of lists of leaves in those arguments that `nonzeros` marks.

    Results marked in `instantiate` have a tangent, if only zeros.
    """
    tangent_trace = JaxprTrace(info)
    try:
        tangent_avals = [typeof(x).to_tangent_aval() for x in primals]
        tangents = [
            tangent_trace.new_arg(aval) if nonzero else Zero(aval)
            for aval, nonzero in zip(tangent_avals, nonzeros, strict=True)
        ]
        with new_trace(LinearizeTrace(trace_ctx.trace, tangent_trace, info)) as trace:
            boxed = map(trace.box, primals, tangents)
            primals_out, tangents_out = unzip2(map(trace.to_primal_tangent_pair, flat_fun(*boxed)))
        tangents_out = force_nonzero(tangents_out, instantiate or [False] * len(tangents_out))
        jaxpr = tangent_trace.to_jaxpr(list(filter(is_nonzero, tangents_out)))
    finally:
        tangent_trace.end()
    return Linearized(primals_out, list(map(is_nonzero, tangents_out)), dce_linear(jaxpr))


def force_nonzero(tangents: Sequence[Any], forced: Sequence[bool]) -> list[Any]:
    """The tangents, with zeros written out where that is asked for."""
    return [instantiate_zeros(t) if f else t for t, f in zip(tangents, forced, strict=True)]


def dce_linear(closed: ClosedJaxpr) -> ClosedJaxpr:
    """The linear program without what leads to no result, and without the consts for that."""
    jaxpr, _ = dce_jaxpr(closed.jaxpr, [True] * len(closed.outvars), instantiate=True)
    used = {x for eqn in jaxpr.eqns for x in eqn.invars}.union(jaxpr.outvars)
    kept = [(v, x) for v, x in zip(jaxpr.constvars, closed.consts, strict=True) if v in used]
    constvars, consts = unzip2(kept)
    return ClosedJaxpr(jaxpr.replace(constvars=constvars), consts)


def has_tangent(aval: Any) -> bool:
    """Whether values of a type can change by a little: floats and complex numbers can."""
    return aval.to_tangent_aval().dtype != float0


# A function as a pytree.


class Partial(functools.partial):
    """`functools.partial` as a pytree: its arguments are children, its function is static.

    >>> leaves, tree = tree_flatten(Partial(lambda c, x: c * x, 10))
    >>> leaves, tree_unflatten(tree, [11])(2)
    ([10], 22)
    """

    def __new__(cls, func: Callable[..., Any], *args: Any, **kw: Any) -> Partial:
        if isinstance(func, functools.partial):
            func = func.__call__  # else the two merge, and the inner arguments are children too
        return super().__new__(cls, func, *args, **kw)


class VJP(Partial):
    """What `vjp` returns beside the value: a function from cotangents to cotangents."""


for _cls in (Partial, VJP):
    register_pytree_node(
        _cls, lambda p: ((p.args, p.keywords), p.func),
        lambda f, xs, cls=_cls: cls(f, *xs[0], **xs[1]),  # type: ignore[misc]
    )  # fmt: skip


# What the user calls.


class LinearizedCall(NamedTuple):
    """A call of a function of pytrees, linearized, without any values."""

    jaxpr: Jaxpr
    in_tree: PyTreeDef
    in_avals: tuple[AbstractValue, ...]
    out_tree: PyTreeDef
    out_avals: tuple[Any, ...]
    out_nonzeros: tuple[bool, ...]


def linearize_call(
    fun: Callable, primals: tuple, has_aux: bool, info: DebugInfo, apply: Any, make: Any = Partial
) -> tuple:
    """What linearize and vjp have in common: (out, f_later), and aux where there is one.

    f_later(*args) is apply(call, residuals, *args). It is a pytree, the residuals are its leaves.
    """
    leaves, in_tree = tree_flatten((primals, {}))
    check_args(leaves, info)
    # Numbers keep the types that they have now, whatever the settings inside `fun`.
    given, leaves = leaves, list(map(with_type, leaves))
    main_fun, aux = split_aux(fun, info.traced_for) if has_aux else (fun, tuple)
    flat_fun, out_tree = flatten_fun(main_fun, in_tree, "jvp()")
    nonzeros = [has_tangent(typeof(x)) for x in leaves]
    lin = linearize_flat(flat_fun, leaves, nonzeros, info)
    in_avals, out_avals = (
        tuple(typeof(x).to_tangent_aval() for x in xs) for xs in (leaves, lin.primals_out)
    )
    call = LinearizedCall(
        lin.jaxpr.jaxpr, in_tree, in_avals, out_tree(), out_avals, tuple(lin.out_nonzeros)
    )

    @api_boundary
    def run_later(residuals: list, *args: Any, apply: Callable = apply) -> Any:
        return apply(call, residuals, *args)

    f_later = make(run_later, lin.jaxpr.consts)
    out = tree_unflatten(out_tree(), as_given(lin.primals_out, leaves, given))
    return (out, f_later, aux()) if has_aux else (out, f_later)


def check_like(leaves: Sequence[Any], avals: Sequence[AbstractValue], what: str) -> None:
    """ValueError unless the values have these types."""
    for x, aval in zip(leaves, avals, strict=True):
        if not typematch(typeof(x), aval):
            raise ValueError(f"{what} must have the type {aval}. Give it that, not {typeof(x)}.")


@api_boundary
def linearize(fun: Callable, *primals: Any, has_aux: bool = False) -> tuple:
    """(fun(*primals), f_jvp): the value, and the derivative as a linear function of tangents.

    f_jvp takes tangents like the primals (TypeError for another structure, ValueError for other
    types) and computes nothing of the forward run again. With `has_aux`, `fun` returns (out, aux),
    and aux comes third.

    >>> y, f_jvp = linearize(lambda x: x * x, 3.0)
    >>> f_jvp(1.0)
    Array(6., dtype=float32, weak_type=True)
    """
    check_callable(fun, "linearize")
    info = debug_info("linearize", fun, primals, {})
    return linearize_call(fun, primals, has_aux, info, _apply_linear)


def _apply_linear(call: LinearizedCall, residuals: list, *tangents: Any) -> Any:
    leaves, tree = tree_flatten((tangents, {}))
    if tree != call.in_tree:
        primals, _ = call.in_tree._children
        raise TypeError(
            f"The linear function takes tangents with the structure of the primals, "
            f"{primals}, and got {tree_structure(tangents)}. Give each primal one."
        )
    check_like(leaves, call.in_avals, "A tangent given to the linear function")
    given = [x for x in leaves if has_tangent(typeof(x))]
    out = eval_jaxpr(call.jaxpr, residuals, *given)
    tangents_out = put_zeros(out, call.out_nonzeros, call.out_avals)
    return tree_unflatten(call.out_tree, map(instantiate_zeros, tangents_out))


def put_zeros(
    given: Iterable[Any], nonzeros: Sequence[bool], avals: Sequence[AbstractValue]
) -> list[Any]:
    """The given tangents in their places, and a `Zero` of the right type in the others."""
    given = iter(given)
    return [
        next(given) if nonzero else Zero(aval.to_tangent_aval())
        for nonzero, aval in zip(nonzeros, avals, strict=True)
    ]


# One operation, half now and half later.


def split_program(
    tangent_trace: JaxprTrace, primitive: Primitive, args: Sequence[Any], touched: list[bool],
    params: dict,
) -> list[Any]:  # fmt: skip
    """The results of an operation that carries a program, some of its operands being tangents.

    In these it is linear: its derivative at zero is itself. The rest of it is done now.
    """
    later: list[Any] = []

    def now(*known: Any) -> list[Any]:
        values, rule = iter(known), primitive_linearizations[primitive]
        primals = [zeros(x.aval) if t else next(values) for x, t in zip(args, touched, strict=True)]
        out, nonzeros, residuals, linear = rule(touched, *primals, **primitive.active(params))
        leaves, tree = tree_flatten(residuals)
        later.extend([nonzeros, tree, linear])
        return [x for x, nonzero in zip(out, nonzeros, strict=True) if not nonzero] + leaves

    known = [x for x, t in zip(args, touched, strict=True) if not t]
    closed = trace_to_jaxpr(now, list(map(typeof, known)), tangent_trace.debug_info)
    jaxpr, _ = dce_jaxpr(closed.jaxpr, [True] * len(closed.outvars), instantiate=True)
    out = iter(eval_jaxpr(jaxpr, closed.consts, *known))
    nonzeros, tree, linear = later
    primals_out = [None if nonzero else next(out) for nonzero in nonzeros]
    with set_current_trace(tangent_trace):
        zeroed = [x if t else Zero.from_primal_value(x) for x, t in zip(args, touched, strict=True)]
        out_dot = linear(tree_unflatten(tree, out), *zeroed)
    pairs = zip(primals_out, out_dot, strict=True)
    return [primal if type(dot) is Zero else dot for primal, dot in pairs]
