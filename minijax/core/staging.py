"""Staging: a function becomes a jaxpr, a small program that can be read, checked and run."""

from __future__ import annotations

import dataclasses
import threading
import weakref
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import cached_property, partial, wraps
from typing import Any, NamedTuple

import numpy as np

from minijax.core.arguments import (
    ShapeDtypeStruct, abstractify, as_positions, split_static, static_key,
)
from minijax.core.arrays import Array, ArrayImpl, as_array, as_number, is_number, raw_value
from minijax.core.calls import check_args, check_callable, debug_info, flatten_fun
from minijax.core.config import FunctionCache, config, tell_of_trace
from minijax.core.dtypes import SymbolicDimension, float0
from minijax.core.errors import (
    DebugInfo, JaxprTypeError, SourceInfo, UnexpectedTracerError, api_boundary, typematch,
)
from minijax.core.primitives import (
    broadcast_in_dim_p, cast, convert_element_type_p, cos_p, dot_general_p, exp_p, log_p, mul_p,
    sin_p,
)
from minijax.core.printing import (
    format_eqn, format_jaxpr, hide_none, pp_eqn_rules, programs_in_params,
)
from minijax.core.pytrees import PyTreeDef, tree_flatten, tree_unflatten
from minijax.core.tracing import (
    AbstractValue, NamedAxisEffect, Primitive, Trace, Tracer, current_source, new_trace, no_effects,
    trace_ctx, typeof, unzip2,
)

# The language: variables, literals, equations, jaxprs.


class Var:
    """A variable of a jaxpr: it has a type, and no name until it is printed."""

    __slots__ = ("aval",)

    def __init__(self, aval: Any) -> None:
        self.aval = aval

    def __repr__(self) -> str:
        return f"Var(id={id(self)}):{self.aval.str_short()}"


class Literal:
    """A number written into an equation: an array without axes."""

    __slots__ = ("val",)
    aval = property(lambda self: self.val.aval)

    def __init__(self, x: Any) -> None:
        self.val = as_number(x)

    def __repr__(self) -> str:
        return f"Literal({self.val.number})"

    def __str__(self) -> str:
        return f"{self.val.number}:{self.aval.str_short(short_dtypes=True)}"


Atom = Var | Literal


class JaxprEqn(NamedTuple):
    """outvars = primitive[params] invars, what it does beside, and the line that it came from."""

    invars: list[Atom]
    outvars: list[Var]
    primitive: Primitive
    params: dict[str, Any]
    effects: frozenset
    source_info: SourceInfo

    def __repr__(self) -> str:
        return format_eqn(self)


@dataclasses.dataclass(eq=False, repr=False)
class Jaxpr:
    """lambda constvars; invars. let eqns in outvars. Nobody changes it; `replace` makes another."""

    constvars: list[Var]
    invars: list[Var]
    outvars: list[Atom]
    eqns: list[JaxprEqn]
    debug_info: DebugInfo | None = None

    def __post_init__(self) -> None:
        self.effects = no_effects.union(*{eqn.effects for eqn in self.eqns})

    def replace(self, **changes: Any) -> Jaxpr:
        return dataclasses.replace(self, **changes)

    @cached_property
    def last_uses(self) -> list[set[Var]]:
        """For each equation, the variables that no later one reads, nor the result."""
        seen: set[Atom] = set(self.outvars)
        ended = []
        for eqn in reversed(self.eqns):
            last = {x for x in (*eqn.invars, *eqn.outvars) if type(x) is Var and x not in seen}
            seen |= last
            ended.append(last)
        return ended[::-1]

    def __repr__(self) -> str:
        return format_jaxpr(self)


@dataclasses.dataclass(eq=False, repr=False)
class ClosedJaxpr:
    """A jaxpr and the values of its constvars; and, kept with it, what was derived from it."""

    jaxpr: Jaxpr
    consts: list[Any]
    derived: dict = dataclasses.field(default_factory=dict, init=False)

    eqns = property(lambda self: self.jaxpr.eqns)
    invars = property(lambda self: self.jaxpr.invars)
    outvars = property(lambda self: self.jaxpr.outvars)
    constvars = property(lambda self: self.jaxpr.constvars)
    literals = property(lambda self: self.consts)
    effects = property(lambda self: self.jaxpr.effects)
    in_avals = property(lambda self: [v.aval for v in self.jaxpr.invars])
    out_avals = property(lambda self: [v.aval for v in self.jaxpr.outvars])

    def __repr__(self) -> str:
        return format_jaxpr(self.jaxpr)


def convert_constvars_jaxpr(jaxpr: Jaxpr) -> Jaxpr:
    """The jaxpr with its constvars as first arguments."""
    return jaxpr.replace(constvars=[], invars=[*jaxpr.constvars, *jaxpr.invars])


# Running a jaxpr: under the current trace, whatever it is.


def eval_jaxpr(jaxpr: Jaxpr, consts: Sequence[Any], *args: Any) -> list[Any]:
    """The results of a jaxpr, by binding its primitives one after the other.

    Each value is dropped after its last use. What the equations make comes from their lines.

    >>> closed = make_jaxpr(lambda x: 2 * x)(3)
    >>> eval_jaxpr(closed.jaxpr, closed.consts, 5)
    [Array(10, dtype=int32, weak_type=True)]
    """
    if len(args) != len(jaxpr.invars):
        takes = f"The jaxpr takes {len(jaxpr.invars)} arguments"
        raise TypeError(f"{takes}, and got {len(args)}. Give as many as it takes.")
    env: dict[Atom, Any] = dict(zip(jaxpr.constvars, consts, strict=True))
    env.update(zip(jaxpr.invars, args, strict=True))
    del args
    outer = keep_source()
    try:
        for eqn, dead in zip(jaxpr.eqns, jaxpr.last_uses, strict=True):
            enter_source(eqn, outer)
            operands = [x.val if type(x) is Literal else env[x] for x in eqn.invars]
            out = eqn.primitive.bind(*operands, **eqn.params)
            outs = out if eqn.primitive.multiple_results else [out]
            env.update(zip(eqn.outvars, outs, strict=True))
            for v in dead:
                del env[v]
            del operands, out, outs
    finally:
        trace_ctx.source, trace_ctx.name_stack = outer
    return [x.val if type(x) is Literal else env[x] for x in jaxpr.outvars]


def keep_source() -> tuple:
    return trace_ctx.source, trace_ctx.name_stack


def enter_source(eqn: JaxprEqn, outer: tuple) -> None:
    """Has what is made next come from the equation's line, in its scopes inside the outer ones."""
    trace_ctx.source = source = eqn.source_info
    trace_ctx.name_stack = outer[1] + source.name_stack if source.name_stack else outer[1]


def jaxpr_as_fun(closed: ClosedJaxpr) -> Callable:
    """The jaxpr as a function from a list of leaves to a list of leaves."""
    return partial(eval_jaxpr, closed.jaxpr, closed.consts)


# Recording one.


class DynamicJaxprTracer(Tracer):
    """A variable of the jaxpr that is being written."""

    __slots__ = ("aval", "val")
    _trace: JaxprTrace
    aval: Any

    def __init__(self, trace: JaxprTrace, var: Atom) -> None:
        self._trace, self.aval, self.val = trace, var.aval, var

    def _origin(self) -> str:
        names = argument_names(self._trace, self.val)
        arguments = f"\n  it depends on: {', '.join(names)}" if names else ""
        return super()._origin() + arguments

    def _made_at(self) -> str:
        made = (eqn for eqn in self._trace.frame.eqns if self.val in eqn.outvars)
        return "".join(f"\n  made by: {eqn.primitive} at {eqn.source_info}" for eqn in made)

    def __repr__(self) -> str:
        return f"JitTracer({self.aval})"


def argument_names(trace: JaxprTrace, var: Atom) -> list[str]:
    """What the function calls the arguments that a variable depends on."""
    needed: set[Atom] = {var}
    for eqn in reversed(trace.frame.eqns):
        if not needed.isdisjoint(eqn.outvars):
            needed.update(eqn.invars)
    places = [i for i, v in enumerate(trace.frame.invars) if v in needed]
    names = map(trace.debug_info.arg_name, places) if trace.debug_info else ()
    return list(filter(None, names))


class JaxprTrace(Trace):
    """Computes nothing: it writes every operation down as an equation."""

    def __init__(self, debug_info: DebugInfo | None = None) -> None:
        self.debug_info = debug_info
        self.frame = JaxprStackFrame()
        self.scopes_outside = len(trace_ctx.name_stack)

    def new_arg(self, aval: Any) -> DynamicJaxprTracer:
        var = Var(aval)
        self.frame.invars.append(var)
        return DynamicJaxprTracer(self, var)

    def to_atom(self, x: Any) -> Atom:
        """My tracers are variables, numbers are literals, all else becomes a constvar, once."""
        if isinstance(x, DynamicJaxprTracer) and x._trace is self:
            return x.val
        if isinstance(x, Tracer):
            if x._trace.ended:
                raise UnexpectedTracerError(x)
        elif is_number(x) and typeof(x).dtype != float0:
            return Literal(x)
        elif isinstance(x, SymbolicDimension):
            return x.staged(self).val
        return self.frame.constvar(x)

    def process_primitive(self, primitive: Primitive, args: Sequence[Any], params: dict) -> Any:
        if primitive in custom_staging_rules:
            return custom_staging_rules[primitive](self, args, params)
        return self.record(primitive, args, params)

    def record(self, primitive: Primitive, args: Sequence[Any], params: dict) -> Any:
        invars = [self.to_atom(x) for x in args]
        in_avals = [x.aval for x in invars]
        out, effects = primitive.abstract_eval(*in_avals, **params)
        outvars = [Var(aval) for aval in (out if primitive.multiple_results else [out])]
        params = {**params, **primitive.inert, **params} if primitive.inert else params
        source = current_source(self.scopes_outside)
        self.frame.eqns.append(JaxprEqn(invars, outvars, primitive, params, effects, source))
        tracers = [DynamicJaxprTracer(self, v) for v in outvars]
        return tracers if primitive.multiple_results else tracers[0]

    def to_jaxpr(self, outs: Sequence[Any]) -> ClosedJaxpr:
        """What was recorded, as a program with these results."""
        return self.frame.to_jaxpr([self.to_atom(x) for x in outs], self.debug_info)


class JaxprStackFrame:
    """A program while it is being written."""

    def __init__(self) -> None:
        self.invars: list[Var] = []
        self.eqns: list[JaxprEqn] = []
        self.constants: dict[Any, tuple[Var, Any]] = {}  # by id; the value is kept alive
        self.copies: dict[int, tuple[np.ndarray, Array]] = {}  # by id of a NumPy array

    def constvar(self, x: Any) -> Var:
        """The variable of a constant, the same one for the same value."""
        if isinstance(x, np.ndarray) and typeof(x).dtype != float0:
            x = self.copy_of(x)
        # Several handles may be of one array.
        key = (id(x._value), x.aval) if type(x) is ArrayImpl and not x.is_deleted() else id(x)
        if key not in self.constants:
            self.constants[key] = Var(typeof(x)), own_handle(x)
        return self.constants[key][0]

    def copy_of(self, x: np.ndarray) -> Array:
        """A NumPy array may change later: what counts is what it holds now, so it is copied."""
        copy = self.copies[id(x)][1] if id(x) in self.copies else None
        if copy is None or not np.array_equal(raw_value(x), raw_value(copy)):
            copy = as_array(x)
            self.copies[id(x)] = x, copy
        return copy

    def to_jaxpr(self, outvars: list[Atom], debug_info: DebugInfo | None) -> ClosedJaxpr:
        constvars, consts = unzip2(self.constants.values())
        closed = ClosedJaxpr(Jaxpr(constvars, self.invars, outvars, self.eqns, debug_info), consts)
        if config.jax_enable_checks:
            check_jaxpr(closed)
        return closed


def own_handle(x: Any) -> Any:
    """The same array as another object, so that nobody can delete a program's constant."""
    return Array(raw_value(x), x.aval) if type(x) is ArrayImpl and not x.is_deleted() else x


def _convert_staging(trace: JaxprTrace, args: Sequence[Any], params: dict) -> Any:
    """A number is converted now, not by an equation; who sees it from now sees a variable."""
    if not isinstance(number := trace.to_atom(args[0]), Literal):
        return trace.record(convert_element_type_p, args, params)
    converted = cast(number.val, params["new_dtype"], params["weak_type"])
    return DynamicJaxprTracer(trace, Literal(converted))


# How a primitive is recorded, where it isn't simply as an equation of its own.
custom_staging_rules: dict[Primitive, Callable] = {convert_element_type_p: _convert_staging}


def trace_to_jaxpr(
    flat_fun: Callable, in_avals: Sequence[AbstractValue], info: DebugInfo | None = None
) -> ClosedJaxpr:
    """The jaxpr of a function of lists of leaves; its consts may hold tracers of outer traces."""
    outer = keep_source()
    trace_ctx.source, trace_ctx.name_stack = None, ()
    try:
        with new_trace(JaxprTrace(info)) as trace:
            return trace.to_jaxpr(flat_fun(*[trace.new_arg(aval) for aval in in_avals]))
    finally:
        trace_ctx.source, trace_ctx.name_stack = outer


# Checking one.


# A rule raises JaxprTypeError where an equation of the primitive has other parameters than it may.
custom_typechecks: dict[Primitive, Callable[[JaxprEqn], None]] = {}
# What the programs of an equation count on, by its parameters: such as named axes.
program_contexts: dict[Primitive, Callable[[dict], Any]] = {}


def check_jaxpr(jaxpr: Jaxpr | ClosedJaxpr) -> None:
    """Raises JaxprTypeError, naming the equation, unless every variable is bound once, before
    its use, and every equation has the parameters, results and effects that its primitive's rules
    give; in the programs that equations carry too.

    >>> check_jaxpr(make_jaxpr(lambda x: 2 * x)(3))
    """
    _check_jaxpr(jaxpr, set())


def _check_jaxpr(jaxpr: Jaxpr | ClosedJaxpr, seen: set[Jaxpr]) -> None:
    if isinstance(jaxpr, ClosedJaxpr):
        _check_consts(jaxpr)
        jaxpr = jaxpr.jaxpr
    if jaxpr in seen:
        return
    seen.add(jaxpr)
    bound: set[Atom] = set()

    def check(where: str, reads: Sequence[Atom], binds: Sequence[Var]) -> None:
        for x in reads:
            if type(x) is Var and x not in bound:
                raise JaxprTypeError(f"{where} reads a variable of type {x.aval} before it is set.")
        for v in binds:
            if v in bound:
                raise JaxprTypeError(f"{where} binds a variable of type {v.aval} a second time.")
            bound.add(v)

    check("The lambda", [], [*jaxpr.constvars, *jaxpr.invars])
    for i, eqn in enumerate(jaxpr.eqns):
        try:
            _check_eqn(eqn, seen)
            check("It", eqn.invars, eqn.outvars)
        except JaxprTypeError as error:
            where = f"Equation {i}, {_eqn_text(eqn)}, from {eqn.source_info}"
            raise JaxprTypeError(f"{where}: {error}") from error
    check("The result", jaxpr.outvars, [])


def _eqn_text(eqn: JaxprEqn) -> str:
    """A flaw may be such that the equation can't be printed."""
    try:
        return str(eqn)
    except Exception:
        return str(eqn.primitive)


def _check_consts(closed: ClosedJaxpr) -> None:
    avals = [typeof(x) for x in closed.consts]
    variables = [v.aval for v in closed.jaxpr.constvars]
    if len(avals) != len(variables) or not all(map(typematch, avals, variables)):
        raise JaxprTypeError(f"The constvars have the types {variables}, their values {avals}.")


def _check_eqn(eqn: JaxprEqn, seen: set[Jaxpr]) -> None:
    strangers = [x for x in eqn.invars if not isinstance(x, Atom)]
    strangers += [v for v in eqn.outvars if not isinstance(v, Var)]
    if strangers:
        raise JaxprTypeError(f"It has a {type(strangers[0]).__name__} in a variable's place.")
    with program_contexts.get(eqn.primitive, nullcontext)(eqn.params):
        for jaxpr in programs_in_params(eqn.params):
            _check_jaxpr(jaxpr, seen)
    if eqn.primitive in custom_typechecks:
        custom_typechecks[eqn.primitive](eqn)
    primitive, in_avals = eqn.primitive, [x.aval for x in eqn.invars]
    try:
        out, effects = primitive.abstract_eval(*in_avals, **eqn.params)
    except (TypeError, ValueError) as error:
        raise JaxprTypeError(f"Its operands do not fit: {error}") from error
    out, got = out if primitive.multiple_results else [out], [v.aval for v in eqn.outvars]
    if len(out) != len(got) or not all(map(typematch, out, got)):
        raise JaxprTypeError(f"Its results have the types {got}; its rule says {list(out)}.")
    if set(map(type, effects)) != set(map(type, eqn.effects)):
        raise JaxprTypeError(f"Its effects are {eqn.effects}; its rule says {effects}.")


# Removing what nobody uses.

# A rule maps (which results are used, equation) to (which operands it needs, the new equation).
dce_rules: dict[Primitive, Callable] = {}


def has_effect(eqn: JaxprEqn) -> bool:
    """Whether the equation does something, beside giving its results, that may not be left out."""
    return any(not isinstance(effect, NamedAxisEffect) for effect in eqn.effects)


def dce_jaxpr(
    jaxpr: Jaxpr, used_outputs: Sequence[bool], instantiate: bool | Sequence[bool] = False
) -> tuple[Jaxpr, list[bool]]:
    """The jaxpr with only the outputs that are used, what they need and what has an effect;
    and which inputs those need. Inputs marked in `instantiate` stay in any case.

    >>> jaxpr = make_jaxpr(lambda x, y: (x + 1, y * 2))(1, 2).jaxpr
    >>> dce_jaxpr(jaxpr, [True, False])[1]
    [True, False]
    """
    if isinstance(instantiate, bool):
        instantiate = [instantiate] * len(jaxpr.invars)
    outvars = [x for x, used in zip(jaxpr.outvars, used_outputs, strict=True) if used]
    needed, eqns = set(outvars), []
    for eqn in reversed(jaxpr.eqns):
        used = [v in needed for v in eqn.outvars]
        if not any(used) and not has_effect(eqn):
            continue
        used_operands, new_eqn = [True] * len(eqn.invars), eqn
        if eqn.primitive in dce_rules:
            used_operands, new_eqn = dce_rules[eqn.primitive](used, eqn)
        if new_eqn is not None:
            eqns.append(new_eqn)
        needed.update(x for x, use in zip(eqn.invars, used_operands, strict=True) if use)
    used_inputs = [keep or v in needed for v, keep in zip(jaxpr.invars, instantiate, strict=True)]
    invars = [v for v, used in zip(jaxpr.invars, used_inputs, strict=True) if used]
    return jaxpr.replace(invars=invars, outvars=outvars, eqns=eqns[::-1]), used_inputs


# How the core's primitives print.

for _primitive in [sin_p, cos_p, exp_p, log_p]:
    pp_eqn_rules[_primitive] = hide_none("accuracy")
pp_eqn_rules[mul_p] = hide_none("out_dtype")
pp_eqn_rules[convert_element_type_p] = hide_none("sharding")
pp_eqn_rules[broadcast_in_dim_p] = lambda params: {
    k: v for k, v in params.items() if k == "broadcast_dimensions" and v
}


def _dot_general_params(params: dict) -> dict:
    lists = tuple(tuple(map(list, pair)) for pair in params["dimension_numbers"])
    shown = hide_none("precision", "preferred_element_type")(params)
    shown.pop("out_sharding")  # the result's type says it
    return {**shown, "dimension_numbers": lists}


pp_eqn_rules[dot_general_p] = _dot_general_params

# What the user calls.


class Staged:
    """The program of a function at the types of its arguments.

    `closed` is as it was traced. To be run is `program`, with `consts` as first arguments and
    `held` as last ones. Where `closed` holds a tracer, all its constants come first; else what it
    holds of references comes last, or `program` is `closed` itself. `calls` have gone the long way.
    """

    def __init__(self, closed: ClosedJaxpr, in_tree: PyTreeDef, out_tree: PyTreeDef) -> None:
        self.closed, self.in_tree, self.out_tree, self.calls = closed, in_tree, out_tree, 0
        self.tracers = [x for x in closed.consts if isinstance(x, Tracer)]
        self.program, self.consts, self.held = closed, [], []
        variables = (*closed.constvars, *closed.invars, *closed.outvars)
        self.refs = [v.aval for v in variables if v.aval.mutable]
        if self.tracers:
            self.program = ClosedJaxpr(convert_constvars_jaxpr(closed.jaxpr), [])
            self.consts = closed.consts
        elif self.refs:
            self.program, self.held = self.refs[0].held_last(closed)

    def operands(self, leaves: Sequence[Any]) -> list[Any]:
        return [*self.consts, *leaves, *self.held]

    def donated(self, marks: tuple[bool, ...]) -> tuple[bool, ...]:
        return (False,) * len(self.consts) + marks + (False,) * len(self.held)

    def is_alive(self) -> bool:
        return not any(x._trace.ended for x in self.tracers)

    def reference(self) -> Callable[[], Staged | None]:
        """How a cache holds this: for good, or for as long as the trace of a tracer in it lives."""
        if not self.tracers:
            return lambda: self
        self.tracers[0]._trace.keep(self)
        return weakref.ref(self)


staged_programs = FunctionCache()


def stage(
    fun: Callable, args: tuple, kwargs: dict, name: str, static: tuple[Any, Any] = ((), ()),
    cache: dict | None = None, aval_of: Callable = abstractify,
) -> tuple[Staged, list[Any]]:  # fmt: skip
    """The program of a function, and the leaves of its arguments that are not static.

    Traced once for all who ask: `make_jaxpr`, `eval_shape`, `jit`. `name` is theirs, for messages;
    `static` has the positions and the names of static arguments, `cache` is the function's,
    `aval_of` says what may be an argument.
    """
    call_fun, call_args, call_kwargs, statics = split_static(fun, args, kwargs, *static)
    leaves, in_tree = tree_flatten((call_args, call_kwargs))
    try:
        avals = tuple(map(aval_of, leaves))
    except TypeError:
        check_args(leaves, _info(name, fun, args, kwargs, statics), aval_of)
        raise
    cache = staged_programs.of(fun) if cache is None else cache
    key = _program_key(fun, in_tree, avals, statics)
    own_key = (*key, threading.get_ident())  # a tracer is known to its thread alone
    entry = cache.get(key) or cache.get(own_key)
    staged = entry() if entry is not None else None
    if staged is None or not staged.is_alive():
        flat_fun, out_tree = flatten_fun(call_fun, in_tree)
        tell_of_trace(fun, info := _info(name, fun, args, kwargs, statics), key, cache)
        closed = trace_to_jaxpr(flat_fun, avals, info)
        staged = Staged(closed, in_tree, out_tree())
        cache[own_key if staged.tracers else key] = staged.reference()
    for aval in staged.refs[:1]:
        aval.check_call(staged, leaves, _info(name, fun, args, kwargs, statics))
    return staged, leaves


def _program_key(fun: Callable, in_tree: PyTreeDef, avals: tuple, statics: tuple) -> tuple:
    """All that a program depends on."""
    axes, known = trace_ctx.axis_sizes, static_key(statics, fun) if statics else ()
    named = (trace_ctx.manual, *axes.items()) if axes else ()
    return in_tree, avals, known, named, config.trace_key()


def _info(name: str, fun: Callable, args: tuple, kwargs: dict, statics: tuple) -> DebugInfo:
    static = {place for place, _ in statics}
    places = [place for place in (*range(len(args)), *kwargs) if place not in static]
    return debug_info(name, fun, args, kwargs, places)


def make_jaxpr(
    fun: Callable, static_argnums: int | Sequence[int] = (),
    axis_env: Sequence[tuple[Any, int]] | None = None, return_shape: bool = False,
) -> Callable:  # fmt: skip
    """A function that returns the jaxpr of `fun` at the types of its arguments.

    `axis_env` has names of axes that collectives in `fun` may ask for, with their sizes. With
    `return_shape`, it returns a pair, the second a pytree of ShapeDtypeStructs.

    >>> make_jaxpr(lambda x: x * x + 1)(2.0)
    { lambda ; a:f32[]. let b:f32[] = mul a a; c:f32[] = add b 1.0:f32[] in (c,) }
    """
    check_callable(fun, "make_jaxpr")
    static = as_positions("make_jaxpr", static_argnums)

    @api_boundary
    @wraps(fun)
    def make_jaxpr_fun(*args: Any, **kwargs: Any) -> Any:
        outer = trace_ctx.axis_sizes
        trace_ctx.axis_sizes = {**outer, **dict(axis_env or ())}
        try:
            staged, _ = stage(fun, args, kwargs, "make_jaxpr", (static, ()))
        finally:
            trace_ctx.axis_sizes = outer
        return (staged.closed, out_info(staged)) if return_shape else staged.closed

    return make_jaxpr_fun


def out_info(staged: Staged) -> Any:
    """The shapes and dtypes of the results."""
    return tree_unflatten(staged.out_tree, [
        ShapeDtypeStruct(aval.shape, aval.dtype, weak_type=aval.weak_type,
                         sharding=getattr(aval, "said_sharding", None))
        for aval in staged.closed.out_avals
    ])  # fmt: skip


@api_boundary
def eval_shape(fun: Callable, *args: Any, **kwargs: Any) -> Any:
    """The shapes and dtypes that `fun` would return, without computing anything.

    >>> eval_shape(lambda x: x * 1.5, ShapeDtypeStruct((3,), "int32"))
    ShapeDtypeStruct(shape=(3,), dtype=float32, weak_type=True)
    """
    check_callable(fun, "eval_shape")
    return out_info(stage(fun, args, kwargs, "eval_shape")[0])
