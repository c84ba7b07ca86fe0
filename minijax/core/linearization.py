"""Linearization: a function's value now, and its derivative as a program for later."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from minijax.core.forward import (
    JVPTrace,
    JVPTracer,
    Zero,
    check_callable,
    debug_info,
    flatten_fun,
    instantiate_zeros,
    split_aux,
)
from minijax.core.jitting import bind_jit, cached_by_jaxpr, jit_p
from minijax.core.pytrees import Partial, PyTreeDef, tree_flatten, tree_unflatten
from minijax.core.staging import (
    ClosedJaxpr,
    JaxprTrace,
    dce_jaxpr,
    eval_jaxpr,
    jaxpr_as_fun,
)
from minijax.core.tracing import (
    DebugInfo,
    Primitive,
    ShapedArray,
    Trace,
    Tracer,
    float0,
    new_trace,
    trace_ctx,
    typeof,
)

# Two interpreters at once: now for the primals, later for the tangents.


class SplitTrace(Trace):
    """Records what touches a tangent, and hands every other operation to its parent."""

    def __init__(self, parent: Trace, tangent_trace: JaxprTrace) -> None:
        self.parent, self.tangent_trace = parent, tangent_trace

    def process_primitive(self, primitive: Primitive, args: Sequence[Any], params: dict) -> Any:
        if any(isinstance(x, Tracer) and x._trace is self.tangent_trace for x in args):
            return self.tangent_trace.process_primitive(primitive, args, params)
        return self.parent.process_primitive(primitive, args, params)


class LinearizeTracer(JVPTracer):
    """A value, and a tangent that is a variable of the linear program."""

    __slots__ = ()

    def __repr__(self) -> str:
        tangent = self.tangent.aval.str_short(short_dtypes=True)
        return f"GradTracer(primal={self.primal}, typeof(tangent)={tangent})"


class LinearizeTrace(JVPTrace):
    """jvp, run under a SplitTrace."""

    tracer_class = LinearizeTracer

    def __init__(
        self, parent: Trace, tangent_trace: JaxprTrace, debug_info: DebugInfo | None = None
    ) -> None:
        super().__init__(SplitTrace(parent, tangent_trace), debug_info)

    def find_rule(self, primitive: Primitive) -> Callable:
        if primitive in primitive_linearizations:
            return primitive_linearizations[primitive]
        return super().find_rule(primitive)


# Rules for primitives whose JVP rule would not split: they carry a jaxpr, which must split too.
primitive_linearizations: dict[Primitive, Callable] = {}


class Linearized(NamedTuple):
    """Results, which of them have a tangent, and the program for those: its consts are the
    residuals, the values from the forward run that it needs."""

    primals_out: list[Any]
    out_nonzeros: list[bool]
    jaxpr: ClosedJaxpr


def linearize_flat(
    flat_fun: Callable, primals: Sequence[Any], nonzeros: Sequence[bool],
    info: DebugInfo | None = None,
) -> Linearized:  # fmt: skip
    """Linearizes a function of lists of leaves in those arguments that `nonzeros` marks."""
    tangent_trace = JaxprTrace(info)
    try:
        tangents = [
            tangent_trace.new_arg(typeof(x).to_tangent_aval()) if nonzero
            else Zero.from_primal_value(x)
            for x, nonzero in zip(primals, nonzeros, strict=True)
        ]  # fmt: skip
        with new_trace(LinearizeTrace(trace_ctx.trace, tangent_trace, info)) as trace:
            out = flat_fun(*map(trace.box, primals, tangents))
            pairs = [trace.to_primal_tangent_pair(x) for x in out]
        jaxpr = tangent_trace.to_jaxpr([t for _, t in pairs if type(t) is not Zero])
    finally:
        tangent_trace.ended = True
    return Linearized([p for p, _ in pairs], [type(t) is not Zero for _, t in pairs], jaxpr)


def has_tangent(x: Any) -> bool:
    """Whether a value can change by a little: floats and complex numbers can."""
    return typeof(x).to_tangent_aval().dtype != float0


# jit's rule: its jaxpr splits in two.


class SplitJaxpr(NamedTuple):
    """A jaxpr in two parts. `forward` returns the results, then residuals; `linear` takes
    residuals, then tangents. `sources` says where each residual is found."""

    forward: ClosedJaxpr
    linear: ClosedJaxpr
    sources: list[tuple[str, Any]]  # ("arg", i), ("out", i) or ("const", value)
    out_nonzeros: list[bool]


@cached_by_jaxpr
def linearize_jaxpr(closed: ClosedJaxpr, nonzeros: tuple[bool, ...]) -> SplitJaxpr:
    """Splits a jaxpr, by linearizing it while staging it.

    Residuals that are arguments or results are not returned a second time.
    """
    with new_trace(JaxprTrace(closed.jaxpr.debug_info)) as trace:
        args = [trace.new_arg(aval) for aval in closed.in_avals]
        linearized = linearize_flat(jaxpr_as_fun(closed), args, nonzeros)
        linear, used = _dce_consts(linearized.jaxpr)
        outs = list(map(trace.to_atom, linearized.primals_out))
        sources: list[tuple[str, Any]] = []
        for x in used:
            if not isinstance(x, Tracer):
                sources.append(("const", x))
            elif x.var in trace.invars:
                sources.append(("arg", trace.invars.index(x.var)))
            else:
                if x.var not in outs:
                    outs.append(x.var)
                sources.append(("out", outs.index(x.var)))
        forward = trace.to_jaxpr([])
    jaxpr, _ = dce_jaxpr(forward.jaxpr.replace(outvars=outs), [True] * len(outs), instantiate=True)
    return SplitJaxpr(ClosedJaxpr(jaxpr, forward.consts), linear, sources, linearized.out_nonzeros)


def _dce_consts(closed: ClosedJaxpr) -> tuple[ClosedJaxpr, list[Any]]:
    """The jaxpr without dead code, its constvars turned into first arguments, and their values."""
    open_jaxpr = closed.jaxpr.replace(constvars=[], invars=[*closed.constvars, *closed.invars])
    num_consts = len(closed.consts)
    keep = [False] * num_consts + [True] * len(closed.invars)
    jaxpr, used = dce_jaxpr(open_jaxpr, [True] * len(closed.outvars), instantiate=keep)
    values = [x for x, use in zip(closed.consts, used[:num_consts], strict=True) if use]
    return ClosedJaxpr(jaxpr, []), values


def _jit_linearize(primals: Sequence, tangents: Sequence, jaxpr: ClosedJaxpr, **params: Any):
    nonzeros = tuple(type(t) is not Zero for t in tangents)
    split = linearize_jaxpr(jaxpr, nonzeros)
    out = bind_jit(split.forward, primals, params)
    find = {"arg": primals.__getitem__, "out": out.__getitem__, "const": lambda x: x}
    residuals = [find[kind](which) for kind, which in split.sources]
    primals_out = out[: len(split.out_nonzeros)]
    given = [t for t in tangents if type(t) is not Zero]
    linear_args = [*residuals, *given]
    out_dot = iter(bind_jit(split.linear, linear_args, params) if any(split.out_nonzeros) else [])
    return primals_out, [
        next(out_dot) if nonzero else Zero.from_primal_value(x)
        for x, nonzero in zip(primals_out, split.out_nonzeros, strict=True)
    ]


primitive_linearizations[jit_p] = _jit_linearize

# What the user calls.


def linearize(fun: Callable, *primals: Any, has_aux: bool = False) -> tuple:
    """(fun(*primals), f_jvp): the value, and the derivative as a linear function of tangents.

    f_jvp takes tangents like the primals and raises ValueError for others. It computes nothing
    of the forward run again. With `has_aux`, `fun` returns (out, aux), and aux comes third.

    >>> y, f_jvp = linearize(lambda x: x * x, 3.0)
    >>> f_jvp(1.0)
    Array(6., dtype=float32, weak_type=True)
    """
    check_callable(fun, "linearize")
    leaves, in_tree = tree_flatten((primals, {}))
    main_fun, aux = split_aux(fun, "linearize") if has_aux else (fun, None)
    flat_fun, out_tree = flatten_fun(main_fun, in_tree)
    info = debug_info("linearize", fun, primals, {})
    lin = linearize_flat(flat_fun, leaves, list(map(has_tangent, leaves)), info)
    in_avals = tuple(typeof(x).to_tangent_aval() for x in leaves)
    out_avals = tuple(typeof(x).to_tangent_aval() for x in lin.primals_out)
    f_jvp = partial(
        _apply_linear, lin.jaxpr.jaxpr, in_tree, in_avals, out_tree(), out_avals,
        tuple(lin.out_nonzeros),
    )  # fmt: skip
    out = tree_unflatten(out_tree(), lin.primals_out)
    f_jvp = Partial(f_jvp, lin.jaxpr.consts)
    return (out, f_jvp, aux()) if has_aux else (out, f_jvp)


def _apply_linear(
    jaxpr: Any, in_tree: PyTreeDef, in_avals: Sequence[ShapedArray], out_tree: PyTreeDef,
    out_avals: Sequence[ShapedArray], out_nonzeros: Sequence[bool], consts: list, *tangents: Any,
) -> Any:  # fmt: skip
    leaves, tree = tree_flatten((tangents, {}))
    if tree != in_tree:
        raise TypeError(
            f"The linear function takes tangents with the structure {in_tree} of the primals, "
            f"and got {tree}."
        )
    for x, aval in zip(leaves, in_avals, strict=True):
        if (typeof(x).shape, typeof(x).dtype) != (aval.shape, aval.dtype):
            raise ValueError(
                f"The linear function takes a tangent of type {aval} here, and got {typeof(x)}."
            )
    given = [x for x, aval in zip(leaves, in_avals, strict=True) if aval.dtype != float0]
    out = iter(eval_jaxpr(jaxpr, consts, *given))
    return tree_unflatten(out_tree, [
        next(out) if nonzero else instantiate_zeros(Zero(aval))
        for aval, nonzero in zip(out_avals, out_nonzeros, strict=True)
    ])  # fmt: skip
