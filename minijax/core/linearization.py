"""Linearization: a function's value now, and its derivative as a program for later."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import minijax.core.forward as ad
import minijax.core.staging as pe
from minijax.core.jitting import cached_by_jaxpr, jit_p
from minijax.core.pytrees import Partial, PyTreeDef, tree_flatten, tree_unflatten
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
    unzip2,
)

# Two interpreters at once: now for the primals, later for the tangents.


class SplitTrace(Trace):
    """Records what touches a tangent, and hands every other operation to its parent."""

    def __init__(self, parent: Trace, tangent_trace: pe.JaxprTrace) -> None:
        self.parent, self.tangent_trace = parent, tangent_trace

    def process_primitive(self, primitive: Primitive, args: Sequence[Any], params: dict) -> Any:
        if any(isinstance(x, Tracer) and x._trace is self.tangent_trace for x in args):
            return self.tangent_trace.process_primitive(primitive, args, params)
        return self.parent.process_primitive(primitive, args, params)


class LinearizeTracer(ad.JVPTracer):
    """A value, and a tangent that is a variable of the linear program."""

    __slots__ = ()

    def __repr__(self) -> str:
        tangent = self.tangent.aval.str_short(short_dtypes=True)
        return f"GradTracer(primal={self.primal!s}, typeof(tangent)={tangent})"


class LinearizeTrace(ad.JVPTrace):
    """jvp, run under a SplitTrace."""

    tracer_class = LinearizeTracer

    def __init__(
        self, parent: Trace, tangent_trace: pe.JaxprTrace, debug_info: DebugInfo | None = None
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
    jaxpr: pe.ClosedJaxpr


def linearize_flat(
    flat_fun: Callable, primals: Sequence[Any], nonzeros: Sequence[bool],
    info: DebugInfo | None = None,
) -> Linearized:  # fmt: skip
    """Linearizes a function of lists of leaves in those arguments that `nonzeros` marks."""
    tangent_trace = pe.JaxprTrace(info)
    try:
        avals = list(map(typeof, primals))
        given = [tangent_trace.new_arg(a) for a, nz in zip(avals, nonzeros, strict=True) if nz]
        tangents = ad.put_zeros(given, nonzeros, avals)
        with new_trace(LinearizeTrace(trace_ctx.trace, tangent_trace, info)) as trace:
            out = flat_fun(*map(trace.box, primals, tangents))
            primals_out, tangents_out = unzip2(map(trace.to_primal_tangent_pair, out))
        jaxpr = tangent_trace.to_jaxpr(list(filter(ad.is_nonzero, tangents_out)))
    finally:
        tangent_trace.ended = True
    return Linearized(primals_out, list(map(ad.is_nonzero, tangents_out)), dce_linear(jaxpr))


def consts_as_args(closed: pe.ClosedJaxpr) -> pe.Jaxpr:
    """The jaxpr with its constvars as first arguments."""
    return closed.jaxpr.replace(constvars=[], invars=[*closed.constvars, *closed.invars])


def dce_linear(closed: pe.ClosedJaxpr) -> pe.ClosedJaxpr:
    """The linear program without what leads to no result, and without the consts for that."""
    keep = [False] * len(closed.consts) + [True] * len(closed.invars)
    jaxpr, used = pe.dce_jaxpr(consts_as_args(closed), [True] * len(closed.outvars), keep)
    consts = [x for x, use in zip(closed.consts, used, strict=False) if use]
    size = len(consts)
    jaxpr = jaxpr.replace(constvars=jaxpr.invars[:size], invars=jaxpr.invars[size:])
    return pe.ClosedJaxpr(jaxpr, consts)


def has_tangent(x: Any) -> bool:
    """Whether a value can change by a little: floats and complex numbers can."""
    return typeof(x).to_tangent_aval().dtype != float0


# jit's rule: its jaxpr splits in two.


class SplitJaxpr(NamedTuple):
    """A jaxpr in two parts. `forward` returns the results, then residuals; `linear` takes
    residuals, then tangents. `sources` says where each residual is found."""

    forward: pe.ClosedJaxpr
    linear: pe.ClosedJaxpr
    sources: list[tuple[str, Any]]  # ("arg", i), ("out", i) or ("const", value)
    out_nonzeros: list[bool]


@cached_by_jaxpr
def linearize_jaxpr(closed: pe.ClosedJaxpr, nonzeros: tuple[bool, ...]) -> SplitJaxpr:
    """Splits a jaxpr, by linearizing it while staging it.

    Residuals that are arguments or results are not returned a second time.
    """
    with new_trace(pe.JaxprTrace(closed.jaxpr.debug_info)) as trace:
        args = [trace.new_arg(aval) for aval in closed.in_avals]
        linearized = linearize_flat(pe.jaxpr_as_fun(closed), args, nonzeros)
        residuals = linearized.jaxpr.consts
        outs = list(map(trace.to_atom, linearized.primals_out))
        sources: list[tuple[str, Any]] = []
        for x in residuals:
            if not isinstance(x, Tracer):
                sources.append(("const", x))
            elif x.val in trace.invars:
                sources.append(("arg", trace.invars.index(x.val)))
            else:
                if x.val not in outs:
                    outs.append(x.val)
                sources.append(("out", outs.index(x.val)))
        forward = trace.to_jaxpr([])
    jaxpr = forward.jaxpr.replace(outvars=outs)
    jaxpr, _ = pe.dce_jaxpr(jaxpr, [True] * len(outs), instantiate=True)
    forward = pe.ClosedJaxpr(jaxpr, forward.consts)
    linear = pe.ClosedJaxpr(consts_as_args(linearized.jaxpr), [])
    return SplitJaxpr(forward, linear, sources, linearized.out_nonzeros)


def _jit_linearize(primals: Sequence, tangents: Sequence, jaxpr: pe.ClosedJaxpr, **params: Any):
    split = linearize_jaxpr(jaxpr, tuple(map(ad.is_nonzero, tangents)))
    out = jit_p.bind(*primals, jaxpr=split.forward, **params)
    find = {"arg": primals.__getitem__, "out": out.__getitem__, "const": lambda x: x}
    residuals = [find[kind](which) for kind, which in split.sources]
    given = filter(ad.is_nonzero, tangents)
    out_dot = jit_p.bind(*residuals, *given, jaxpr=split.linear, **params)
    tangents_out = ad.put_zeros(out_dot, split.out_nonzeros, jaxpr.out_avals)
    return out[: len(tangents_out)], tangents_out


primitive_linearizations[jit_p] = _jit_linearize

# What the user calls.


class LinearizedCall(NamedTuple):
    """A call of a function of pytrees, linearized, without any values."""

    jaxpr: pe.Jaxpr
    in_tree: PyTreeDef
    in_avals: tuple[ShapedArray, ...]
    out_tree: PyTreeDef
    out_avals: tuple[ShapedArray, ...]
    out_nonzeros: tuple[bool, ...]


def linearize_call(
    fun: Callable, primals: tuple, has_aux: bool, name: str, apply: Callable
) -> tuple:
    """What linearize and vjp have in common: (out, f_later), and aux where there is one.

    f_later(*args) is apply(call, consts, *args). It is a pytree, whose leaves are the consts.
    """
    ad.check_callable(fun, name)
    leaves, in_tree = tree_flatten((primals, {}))
    info = ad.debug_info(name, fun, primals, {})
    ad.check_args(leaves, info)
    main_fun, aux = ad.split_aux(fun, info.traced_for) if has_aux else (fun, None)
    flat_fun, out_tree = ad.flatten_fun(main_fun, in_tree)
    lin = linearize_flat(flat_fun, leaves, list(map(has_tangent, leaves)), info)
    in_avals, out_avals = (
        tuple(typeof(x).to_tangent_aval() for x in xs) for xs in (leaves, lin.primals_out)
    )
    call = LinearizedCall(
        lin.jaxpr.jaxpr, in_tree, in_avals, out_tree(), out_avals, tuple(lin.out_nonzeros)
    )
    out = tree_unflatten(out_tree(), lin.primals_out)
    f_later = Partial(partial(apply, call), lin.jaxpr.consts)
    return (out, f_later, aux()) if has_aux else (out, f_later)


def check_like(leaves: Sequence[Any], avals: Sequence[ShapedArray], what: str) -> None:
    """ValueError unless the values have these types."""
    for x, aval in zip(leaves, avals, strict=True):
        if not pe.same_type(typeof(x), aval):
            raise ValueError(f"{what} must have the type {aval} here, and has {typeof(x)}.")


def linearize(fun: Callable, *primals: Any, has_aux: bool = False) -> tuple:
    """(fun(*primals), f_jvp): the value, and the derivative as a linear function of tangents.

    f_jvp takes tangents like the primals (TypeError for another structure, ValueError for other
    types) and computes nothing of the forward run again. With `has_aux`, `fun` returns (out, aux),
    and aux comes third.

    >>> y, f_jvp = linearize(lambda x: x * x, 3.0)
    >>> f_jvp(1.0)
    Array(6., dtype=float32, weak_type=True)
    """
    return linearize_call(fun, primals, has_aux, "linearize", _apply_linear)


def _apply_linear(call: LinearizedCall, consts: list, *tangents: Any) -> Any:
    leaves, tree = tree_flatten((tangents, {}))
    if tree != call.in_tree:
        raise TypeError(
            f"The linear function takes tangents with the structure {call.in_tree} of the "
            f"primals, and got {tree}."
        )
    check_like(leaves, call.in_avals, "A tangent given to the linear function")
    given = filter(has_tangent, leaves)
    out = pe.eval_jaxpr(call.jaxpr, consts, *given)
    tangents_out = ad.put_zeros(out, call.out_nonzeros, call.out_avals)
    return tree_unflatten(call.out_tree, map(ad.instantiate_zeros, tangents_out))
