"""Programs within programs: each rule of a primitive that carries a jaxpr makes another jaxpr."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from minijax.core.batching import (
    AxisData, batch_flat, batched_aval, fancy_primitive_batchers, matchaxis,
)
from minijax.core.config import derived
from minijax.core.errors import DebugInfo
from minijax.core.forward import is_nonzero, jvp_flat, primitive_jvps
from minijax.core.jitting import jit_p
from minijax.core.linearization import (
    force_nonzero, linearize_flat, primitive_linearizations, put_zeros,
)
from minijax.core.reverse import (
    UndefinedPrimal, backward_pass, is_undefined_primal, primitive_transposes,
)
from minijax.core.staging import (
    ClosedJaxpr, JaxprEqn, convert_constvars_jaxpr, dce_jaxpr, dce_rules, has_effect, jaxpr_as_fun,
    trace_to_jaxpr,
)
from minijax.core.tracing import NamedAxisEffect, Tracer, typeof

# From a program to the program of its derivative along a direction.

Flags = tuple[bool, ...]


@derived
def jvp_jaxpr(
    closed: ClosedJaxpr, nonzeros: Flags, instantiate: bool | Flags = False
) -> tuple[ClosedJaxpr, Flags]:
    """The jaxpr from primals and non-zero tangents to results and non-zero tangents of these.

    With it, which results have a tangent; those marked in `instantiate` have one in any case.
    """
    avals, info = closed.in_avals, closed.jaxpr.debug_info
    forced = as_flags(instantiate, len(closed.out_avals))

    def jvp_fun(*args: Any) -> tuple[list[Any], Flags]:
        primals, given = args[: len(avals)], args[len(avals) :]
        tangents = put_zeros(given, nonzeros, avals)
        out, out_dot = jvp_flat(jaxpr_as_fun(closed), primals, tangents, info)
        out_dot = force_nonzero(out_dot, forced)
        return [*out, *filter(is_nonzero, out_dot)], tuple(map(is_nonzero, out_dot))

    in_avals = [*avals, *(aval.to_tangent_aval() for aval in choose(avals, nonzeros))]
    return trace_with_aux(jvp_fun, in_avals, info)


def trace_with_aux(
    fun: Callable, in_avals: Sequence[Any], info: DebugInfo | None
) -> tuple[ClosedJaxpr, Any]:
    """The jaxpr of a function that returns (results, aux), and its aux."""
    aux = []

    def main_fun(*args: Any) -> list[Any]:
        out, said = fun(*args)
        aux.append(said)
        return out

    return trace_to_jaxpr(main_fun, in_avals, info), aux[0]


def as_flags(which: bool | Sequence[bool], size: int) -> Flags:
    """One answer for all, or one for each."""
    return (which,) * size if isinstance(which, bool) else tuple(which)


def choose(values: Sequence[Any], which: Sequence[bool]) -> list[Any]:
    """The values that are marked."""
    return [x for x, chosen in zip(values, which, strict=True) if chosen]


def _jit_jvp(primals, tangents, *, jaxpr, donated_invars, **params):
    nonzeros = tuple(map(is_nonzero, tangents))
    new_jaxpr, out_nonzeros = jvp_jaxpr(jaxpr, nonzeros)
    operands = [*primals, *choose(tangents, nonzeros)]
    donated = (*donated_invars, *choose(donated_invars, nonzeros))
    out = jit_p.bind(*operands, jaxpr=new_jaxpr, donated_invars=donated, **params)
    size = len(jaxpr.out_avals)
    return out[:size], put_zeros(out[size:], out_nonzeros, jaxpr.out_avals)


primitive_jvps[jit_p] = _jit_jvp

# To the program of all examples at once.


@derived
def batch_jaxpr(
    closed: ClosedJaxpr, axis_data: AxisData, dims: tuple[int | None, ...],
    dims_out: tuple[int | None, ...] | None = None,
) -> tuple[ClosedJaxpr, tuple[int | None, ...]]:  # fmt: skip
    """The jaxpr for all examples at once, and the batch dimensions of its results.

    Where `dims_out` says an axis, that result is batched there in any case.
    """
    size, cut, info = axis_data.size, axis_data.cut, closed.jaxpr.debug_info
    forced = dims_out or (None,) * len(closed.out_avals)

    def batch_fun(*vals: Any) -> tuple[list[Any], tuple[int | None, ...]]:
        out, found = batch_flat(jaxpr_as_fun(closed), axis_data, dims, vals, info)
        wanted = tuple(d if f is None else f for d, f in zip(found, forced, strict=True))
        moves = zip(out, found, wanted, strict=True)
        return [matchaxis(size, src, dst, x) for x, src, dst in moves], wanted

    pairs = zip(closed.in_avals, dims, strict=True)
    return trace_with_aux(batch_fun, [batched_aval(aval, size, d, cut) for aval, d in pairs], info)


def _jit_batcher(axis_data, vals, dims, *, jaxpr, **params):
    names_axis = NamedAxisEffect(axis_data.name) in jaxpr.effects
    if not names_axis and all(d is None for d in dims):
        return jit_p.bind(*vals, jaxpr=jaxpr, **params), [None] * len(jaxpr.out_avals)
    new_jaxpr, dims_out = batch_jaxpr(jaxpr, axis_data, tuple(dims))
    return jit_p.bind(*vals, jaxpr=new_jaxpr, **params), dims_out


fancy_primitive_batchers[jit_p] = _jit_batcher

# To the program without what nobody uses.


@derived
def dce_closed_jaxpr(
    closed: ClosedJaxpr, used_outputs: Flags, instantiate: bool | Flags = False
) -> tuple[ClosedJaxpr, Flags]:
    """The jaxpr with only the outputs that are used and what they need, and which inputs that is.

    Inputs marked in `instantiate` stay in any case.
    """
    jaxpr, used_inputs = dce_jaxpr(closed.jaxpr, used_outputs, instantiate)
    return ClosedJaxpr(jaxpr, closed.consts), tuple(used_inputs)


def _jit_dce(used_outputs: Sequence[bool], eqn: JaxprEqn) -> tuple[Flags, JaxprEqn | None]:
    jaxpr, used_inputs = dce_closed_jaxpr(eqn.params["jaxpr"], tuple(used_outputs))
    donated = tuple(choose(eqn.params["donated_invars"], used_inputs))
    new_eqn = JaxprEqn(
        choose(eqn.invars, used_inputs), choose(eqn.outvars, used_outputs), jit_p,
        {**eqn.params, "jaxpr": jaxpr, "donated_invars": donated}, eqn.effects & jaxpr.effects,
        eqn.source_info,
    )  # fmt: skip
    return used_inputs, new_eqn if new_eqn.outvars or has_effect(new_eqn) else None


dce_rules[jit_p] = _jit_dce

# To two programs: the value now, the derivative later.


class SplitJaxpr(NamedTuple):
    """A jaxpr in two parts. `forward` returns the results, then residuals; `linear` takes
    residuals, then tangents. `sources` says where each residual is found."""

    forward: ClosedJaxpr
    linear: ClosedJaxpr
    sources: tuple[tuple[str, Any], ...]  # ("arg", i), ("out", i) or ("const", value)
    out_nonzeros: Flags

    def residuals(self, primals: Sequence[Any], out: Sequence[Any]) -> list[Any]:
        """The residuals, from the arguments of `forward` and what it returned for them."""
        values = {"arg": primals, "out": out}
        return [x if kind == "const" else values[kind][x] for kind, x in self.sources]


@derived
def linearize_jaxpr(
    closed: ClosedJaxpr, nonzeros: Flags, instantiate: bool | Flags = False
) -> SplitJaxpr:
    """Splits a jaxpr, by linearizing it while staging it.

    Residuals that are arguments or results are not returned a second time. Results marked in
    `instantiate` have a tangent in any case.
    """
    fun, info = jaxpr_as_fun(closed), closed.jaxpr.debug_info
    forced = as_flags(instantiate, len(closed.out_avals))

    def forward_fun(*args: Any) -> tuple[list[Any], tuple]:
        out, out_nonzeros, linear = linearize_flat(fun, args, nonzeros, info, forced)
        results, sources = place_residuals(args, out, linear.consts)
        return results, (linear.jaxpr, tuple(sources), tuple(out_nonzeros))

    forward, (jaxpr, *rest) = trace_with_aux(forward_fun, closed.in_avals, info)
    forward, _ = dce_closed_jaxpr(forward, (True,) * len(forward.out_avals), instantiate=True)
    return SplitJaxpr(forward, ClosedJaxpr(convert_constvars_jaxpr(jaxpr), []), *rest)


def place_residuals(
    args: Sequence[Any], out: Sequence[Any], residuals: Sequence[Any]
) -> tuple[list[Any], list[tuple[str, Any]]]:
    """The results with those residuals that are neither arguments nor results behind them, and
    where each residual is then found."""
    results = list(out)
    places = {id(x): ("out", i) for i, x in enumerate(out)}  # all of these live on in `results`
    places |= {id(x): ("arg", i) for i, x in enumerate(args)}  # and in `args`
    for x in residuals:
        if id(x) not in places and isinstance(x, Tracer):
            places[id(x)] = ("out", len(results))
            results.append(x)
    return results, [places.get(id(x), ("const", x)) for x in residuals]


def _jit_linearize(nonzeros, *primals, jaxpr, donated_invars, **params):
    split = linearize_jaxpr(jaxpr, tuple(nonzeros))
    needed = {which for kind, which in split.sources if kind == "arg"}
    donated = tuple(d and i not in needed for i, d in enumerate(donated_invars))
    out = jit_p.bind(*primals, jaxpr=split.forward, donated_invars=donated, **params)

    def linearized(residuals, *tangents):
        args = [*residuals, *filter(is_nonzero, tangents)]
        keep = (False,) * len(args)
        out_dot = jit_p.bind(*args, jaxpr=split.linear, donated_invars=keep, **params)
        return put_zeros(out_dot, split.out_nonzeros, jaxpr.out_avals)

    primals_out = out[: len(jaxpr.out_avals)]
    return primals_out, split.out_nonzeros, split.residuals(primals, out), linearized


primitive_linearizations[jit_p] = _jit_linearize

# To the program of cotangents.


@derived
def transpose_jaxpr(
    closed: ClosedJaxpr, linear: tuple, nonzero_cts: Flags, instantiate: bool | Flags = False
) -> tuple[ClosedJaxpr, Flags]:
    """The jaxpr from known inputs and non-zero cotangents to the cotangents that are not zero,
    and which inputs' those are. Those marked in `instantiate` are returned in any case.

    Where `linear` has the type of a reference, that is an input, and cotangents are added to it.
    """
    inputs = list(zip(closed.in_avals, linear, strict=True))
    known = [lin or aval for aval, lin in inputs if lin is not True]
    forced = as_flags(instantiate, len(linear))

    def transposed(*args: Any) -> tuple[list[Any], Flags]:
        values, given = iter(args[: len(known)]), args[len(known) :]
        held = (None if lin is True else next(values) for lin in linear)
        primals = [UndefinedPrimal(aval, next(held)) if lin else next(held) for aval, lin in inputs]
        cts_out = put_zeros(given, nonzero_cts, closed.out_avals)
        cts = backward_pass(closed.jaxpr, closed.consts, primals, cts_out)
        cts = force_nonzero(cts, forced)
        return list(filter(is_nonzero, cts)), tuple(map(is_nonzero, cts))

    ct_avals = choose([aval.to_ct_aval() for aval in closed.out_avals], nonzero_cts)
    return trace_with_aux(transposed, [*known, *ct_avals], closed.jaxpr.debug_info)


def linear_and_known(args: Sequence[Any]) -> tuple[tuple, list[Any]]:
    """Of operands which are linear, as `transpose_jaxpr` is told it; and those of its program."""
    for x in filter(is_undefined_primal, args):
        x.held = x.aval.of_zeros() if x.held is None and x.aval.mutable else x.held
    linear = tuple(is_undefined_primal(x) and (x.held is None or typeof(x.held)) for x in args)
    known = (x.held if is_undefined_primal(x) else x for x in args)
    return linear, [x for x, lin in zip(known, linear, strict=True) if lin is not True]


def _jit_transpose(cts, *args, jaxpr, donated_invars, **params):
    (linear, known), nonzero_cts = linear_and_known(args), tuple(map(is_nonzero, cts))
    new_jaxpr, ct_nonzeros = transpose_jaxpr(jaxpr, linear, nonzero_cts)
    operands = [*known, *filter(is_nonzero, cts)]
    keep = (False,) * len(operands)
    out = jit_p.bind(*operands, jaxpr=new_jaxpr, donated_invars=keep, **params)
    return put_zeros(out, ct_nonzeros, jaxpr.in_avals)


primitive_transposes[jit_p] = _jit_transpose
