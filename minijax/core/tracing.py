"""Primitives, traces and tracers: one thread-local says who interprets an operation."""

from __future__ import annotations

import inspect
import math
import operator
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from minijax.core.config import config
from minijax.core.dtypes import ExtendedDType, dtype_registry, float0, integers
from minijax.core.errors import (
    ConcretizationTypeError, DebugInfo, SourceInfo, TracerArrayConversionError,
    TracerBoolConversionError, TracerIntegerConversionError, UnexpectedTracerError, check_leaks,
    check_rule, check_types, describe, present, safe_repr, user_source,
)

# The machine: primitives ask the current trace, the trace answers.


class Rules:
    """What is said of an operation: how to compute it, and the type of its result."""

    name: str
    multiple_results = False

    def impl(self, *args: Any, **params: Any) -> Any:
        raise NotImplementedError(f"{self} has no implementation. Give it one: {self}_p.def_impl.")

    def abstract_eval(self, *in_avals: AbstractValue, **params: Any) -> tuple[Any, frozenset]:
        """The types of the results (of one result, its type), and the effects."""
        raise NotImplementedError(f"{self} has no rule for types. Use {self}_p.def_abstract_eval.")

    def def_impl(self, impl: Callable) -> Callable:
        self.impl = impl
        return impl

    def def_abstract_eval(self, rule: Callable) -> Callable:
        """`rule` maps the operands' types to the results'. Where it has parameters that can only
        be given by name, those are the primitive's, and others are refused."""
        self.def_effectful_abstract_eval(rule)
        self.abstract_eval = lambda *xs, **named: answer(self, rule, xs, named, False)
        return rule

    def def_effectful_abstract_eval(self, rule: Callable) -> Callable:
        """Like `def_abstract_eval`, of a rule that returns a pair of types and a set of effects."""
        named = keyword_names(rule)
        self.parameters = None if named is None else named.union(self.inert)
        self.abstract_eval = lambda *xs, **named: answer(self, rule, xs, named)
        return rule

    # Rarer questions.
    refinements: list[Callable] = []  # noqa: RUF012  (primitive, avals, params, out, effects) -> better
    says_what_varies = False  # whether that rule does, on the devices of a mesh
    parameters: frozenset | None = None  # the names that the type rule takes, where it says so
    inert: dict[str, Any]  # parameters that JAX has and that mean nothing here
    laid: str | None = None  # but the one in which a program says how the result lies
    numpy_fun: Callable | None = None  # what computes it of NumPy arrays, where one function does
    has_types = property(lambda self: "abstract_eval" in vars(self))


class Primitive(Rules):
    """An operation that every interpreter knows by name; `bind` hands it to the current trace.

    Parameters in `inert` mean nothing here: equations show them, and no rule sees them.
    """

    def __init__(self, name: str, inert: dict[str, Any] | None = None) -> None:
        self.name, self.inert = name, inert or {}

    def bind(self, *args: Any, **params: Any) -> Any:
        """The results of the current trace. While it works, its parent is in charge."""
        if params and self.parameters is not None and not self.parameters.issuperset(params):
            raise unknown_parameters(self, params)
        trace, source = trace_ctx.trace, trace_ctx.source
        try:
            if trace is eval_trace:
                return trace.process_primitive(self, args, params)
            if trace_ctx.manual is not None:
                args = trace_ctx.manual.vary(self, args, params)
            trace.primitive = self
            trace_ctx.trace, trace_ctx.source = trace.parent or eval_trace, source or user_source()
            try:
                return trace.process_primitive(self, args, params)
            finally:
                trace_ctx.trace, trace_ctx.source = trace, source
        except Exception as error:
            present(error, source)
            raise

    def active(self, params: dict) -> dict:
        """The parameters without the inert ones."""
        if not params or self.inert.keys().isdisjoint(params):
            return params
        return {name: value for name, value in params.items() if name not in self.inert}

    def out_avals(self, in_avals: Sequence[AbstractValue], params: dict) -> Sequence:
        """The types of the results, as a list for any primitive."""
        out, _ = self.abstract_eval(*in_avals, **params)
        return out if self.multiple_results else [out]

    def __repr__(self) -> str:
        return self.name


class Trace:
    """An interpreter: what a primitive means while this trace is the current one.

    Every trace says the same sentence: unbox what is mine, run the rule under my parent,
    box the results. Mine is decided by identity (`tracer._trace is self`); whatever isn't
    mine is a constant to me. `bind` has put the parent in charge before the trace is asked.
    """

    parent: Trace | None = None
    debug_info: DebugInfo | None = None
    primitive: Primitive | None = None  # that the trace was asked about last
    ended = False

    def process_primitive(self, primitive: Primitive, args: Sequence[Any], params: dict) -> Any:
        raise NotImplementedError(f"{type(self).__name__} does not say what {primitive} means.")

    def lower(self, x: Any) -> Any:
        """The value as it was before this trace boxed it, where it can be had."""
        return x

    def keep(self, x: Any) -> None:
        """Keeps something alive until this trace ends."""
        vars(self).setdefault("kept", []).append(x)

    def end(self) -> None:
        self.ended = True
        vars(self).pop("kept", None)


class EvalTrace(Trace):
    """The ground floor: it runs the implementation."""

    def process_primitive(self, primitive: Primitive, args: Sequence[Any], params: dict) -> Any:
        for arg in args:
            if isinstance(arg, Tracer):
                raise UnexpectedTracerError(arg)
        out = primitive.impl(*args, **primitive.active(params))
        if config.jax_enable_checks and primitive.has_types:
            outs = out if primitive.multiple_results else [out]
            expected = primitive.out_avals([typeof(x) for x in args], params)
            check_types(primitive, "implementation", list(map(typeof, outs)), expected)
        return out


eval_trace = EvalTrace()


class TraceContext(threading.local):
    """Each thread has a current trace of its own, named axes, and a place in the user's code."""

    trace: Trace = eval_trace
    axis_sizes: dict[Any, int] = {}  # noqa: RUF012  (replaced, never changed)
    manual: Any = None  # the devices that run what is traced, where that is a shard_map's body
    source: SourceInfo | None = None  # of the equation that is run, where one is
    name_stack: tuple[str, ...] = ()


trace_ctx = TraceContext()


class set_current_trace:
    """`with set_current_trace(trace):` runs the block under `trace`; the old one comes back."""

    __slots__ = ("trace", "previous")

    def __init__(self, trace: Trace) -> None:
        self.trace = trace

    def __enter__(self) -> Trace:
        self.previous = trace_ctx.trace
        trace_ctx.trace = self.trace
        return self.trace

    def __exit__(self, *exception: Any) -> None:
        trace_ctx.trace = self.previous


@contextmanager
def new_trace(trace: Trace) -> Iterator[Any]:
    """Like `set_current_trace`, for the whole life of a trace: afterwards it has ended."""
    with set_current_trace(trace):
        try:
            yield trace
        finally:
            trace.end()
    if config.jax_check_tracer_leaks:
        check_leaks(trace)


# Types of values: what can be known without knowing the value.


class AbstractValue:
    """A type of values. That of arrays is `ShapedArray`; others may be added."""

    __slots__ = ()
    mutable = False  # whether such a value is a reference: a place whose content programs change

    def to_tangent_aval(self) -> AbstractValue:
        """The type of a small change of such a value."""
        return ShapedArray((), float0)

    def to_ct_aval(self) -> Any:
        """The type of the cotangents of such values, where they are tangents."""
        return self

    def strip_weak_type(self) -> AbstractValue:
        return self

    def spliced(self: Any, d: int, count: int, *sizes: int) -> Any:
        """The type with axes of these sizes in the place of `count` axes."""
        return self.update(shape=(*self.shape[:d], *sizes, *self.shape[d + count :]))

    def cut_along(self, d: int) -> Any:
        """How such arrays are cut among devices along an axis, where their type says it."""

    def str_short(self, short_dtypes: bool = False) -> str:
        return str(self)


_interned: weakref.WeakValueDictionary[tuple, ShapedArray] = weakref.WeakValueDictionary()
_interning = threading.RLock()  # two threads may want one type


def interned(aval: ShapedArray, *said: Any) -> ShapedArray:
    """The type, or the equal one that there is; `said` is what it says beside shape and dtype."""
    with _interning:
        return _interned.setdefault((aval.shape, aval.dtype, aval.weak_type, *said), aval)


class ShapedArray(AbstractValue):
    """The type of an array: shape, dtype, and whether the dtype is weak.

    Equal types are one object for as long as anybody has it: compare types with `is`.

    >>> ShapedArray((2, 3), np.float32)
    ShapedArray(float32[2,3])
    """

    __slots__ = ("shape", "dtype", "weak_type", "__weakref__")
    shape: tuple[int, ...]
    dtype: Any
    weak_type: bool
    vma: frozenset = frozenset()  # the axes of a mesh along which such values vary
    placed = staticmethod(lambda x: x)  # x, of this shape and dtype, as a value of this type
    laid: Callable  # the type of arrays that lie on devices in a certain way

    def __new__(cls, shape: Sequence, dtype: Any, weak_type: Any = False, *, sharding: Any = None):
        aval = object.__new__(cls)
        aval.shape, aval.weak_type = integers(shape), bool(weak_type)
        aval.dtype = dtype if isinstance(dtype, ExtendedDType) else np.dtype(dtype)
        return interned(aval) if sharding is None else interned(aval).laid(sharding)

    ndim = property(lambda self: len(self.shape))
    size = property(lambda self: math.prod(self.shape))

    def update(self, **changes: Any) -> ShapedArray:
        old = {"shape": self.shape, "dtype": self.dtype, "weak_type": self.weak_type}
        return ShapedArray(**{**old, **changes})

    def strip_weak_type(self) -> ShapedArray:
        return self.update(weak_type=False) if self.weak_type else self

    def to_tangent_aval(self) -> ShapedArray:
        """The type of a small change of such a value: floats stay, all else becomes float0."""
        tangent_dtype = dtype_registry[self.dtype].tangent_dtype
        return self if tangent_dtype == self.dtype else self.update(dtype=tangent_dtype)

    def str_short(self, short_dtypes: bool = False) -> str:
        short = short_dtypes or self.dtype == float0
        name = dtype_registry[self.dtype].short_name if short else str(self.dtype)
        return f"{name}[{','.join(map(str, self.shape))}]"

    def __str__(self) -> str:
        return ("~" if self.weak_type else "") + self.str_short()

    def __repr__(self) -> str:
        return f"ShapedArray({self.str_short()}{', weak_type=True' if self.weak_type else ''})"

    def __reduce__(self) -> tuple:
        return ShapedArray, (self.shape, self.dtype, self.weak_type)


pytype_aval_mappings: dict[type, Callable[[Any], Any]] = {
    np.ndarray: lambda x: ShapedArray(x.shape, x.dtype),
}


def aval_rule(x: Any) -> Callable[[Any], Any] | None:
    """What tells the type of a value: by its class, or the nearest class that this derives from."""
    return next(filter(None, map(pytype_aval_mappings.get, type(x).__mro__)), None)


def typeof(x: Any) -> Any:
    """The type of a tracer, an array or a number.

    >>> typeof(np.zeros(3, np.float32))
    ShapedArray(float32[3])
    """
    if isinstance(x, Tracer):
        return x.aval
    rule = pytype_aval_mappings.get(type(x)) or aval_rule(x)
    if rule is None:
        raise (ValueError if hasattr(x, "__jax_array__") else TypeError)(
            f"{safe_repr(x)} of type {type(x).__name__} is not an array or a number. "
            f"If it is a constant of the function, mark it static or close over it."
        )
    return rule(x)


class Effect:
    """Something that an operation does beside giving its results: it must then not be left out."""


@dataclass(frozen=True)
class NamedAxisEffect(Effect):
    """An operation depends on a named axis. It may be left out where nobody uses its results."""

    name: Any


no_effects: frozenset = frozenset()


def keyword_names(rule: Any) -> frozenset | None:
    """The parameters that can only be given by name; None where it may have others too."""
    code = getattr(inspect.unwrap(rule), "__code__", None)
    if code is None or code.co_flags & inspect.CO_VARKEYWORDS:
        return None
    first = code.co_argcount
    named = frozenset(code.co_varnames[first : first + code.co_kwonlyargcount])
    # With no `*`, any argument that may be given by name can be an operand or a parameter.
    return named if named or first == code.co_posonlyargcount else None


def answer(
    primitive: Any, rule: Callable, in_avals: tuple, params: dict, has_effects: bool = True
) -> tuple[Any, frozenset]:
    """What a rule for types gives, and what refinements know further; and the effects."""
    found = rule(*in_avals, **primitive.active(params))
    out, effects = found if has_effects else (found, no_effects)
    check_rule(primitive, out)
    for refine in primitive.refinements:
        out, effects = refine(primitive, in_avals, params, out, effects)
    return out, frozenset(effects)


def for_tangents(primitive: Primitive, params: dict) -> dict:
    """The parameters that rules see, and that in which a program says how the result lies: its
    tangent lies likewise."""
    name, active = primitive.laid, primitive.active(params)
    return active if name is None or params.get(name) is None else {**active, name: params[name]}


def unknown_parameters(primitive: Primitive, params: dict) -> TypeError:
    known = primitive.parameters or frozenset()
    unknown = ", ".join(params.keys() - known)
    names = ", ".join(sorted(known)) or "none"
    return TypeError(f"{primitive} has no parameter {unknown}; its parameters are: {names}.")


# Tracers: what functions are called with.


class Typed:
    """Whatever has a type, `aval`, shows the parts of the type as its own."""

    __slots__ = ()
    aval: Any

    shape = property(lambda self: self.aval.shape)
    dtype = property(lambda self: self.aval.dtype)
    ndim = property(lambda self: self.aval.ndim)
    size = property(lambda self: self.aval.size)
    weak_type = property(lambda self: self.aval.weak_type)

    def __len__(self) -> int:
        if not self.shape:
            got = f"an Array of type {self.aval}. Give it one: x[None]"
            raise TypeError(f"len() needs at least one dimension, and got {got}.")
        return self.shape[0]


class TracerConversions(Typed):
    """Python's questions that only a value can answer: answered where a tracer carries one and
    nothing is lost, refused by name elsewhere."""

    __slots__ = ()

    def to_concrete_value(self) -> Any:
        """The value, where this tracer carries one; None where it doesn't."""
        return None

    def _known(self, error: type[Exception], *context: str) -> Any:
        value = self.to_concrete_value()
        if value is None:
            raise error(self, *context)
        return value

    def __bool__(self) -> bool:
        if self.size != 1:
            raise ValueError(f"bool() needs one value, and got {describe(self)}. Use x.any().")
        return bool(self._known(TracerBoolConversionError))

    def __int__(self) -> int:
        return int(self._known(ConcretizationTypeError, "int() needs a number; try x.astype(int)."))

    def __index__(self) -> int:
        return operator.index(self._known(TracerIntegerConversionError))

    def __float__(self) -> float:
        raise ConcretizationTypeError(self, "float() would lose the trace; try x.astype(float).")

    def __complex__(self) -> complex:
        raise ConcretizationTypeError(self, "complex() loses the trace; try x.astype(complex).")

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise TracerArrayConversionError(self)


class Tracer(TracerConversions):
    """A stand-in for a value: it belongs to a trace and knows its type.

    The arithmetic operators and the array methods are put on this class by the modules that
    define them.
    """

    __slots__ = ("_trace", "made_by", "__weakref__")
    __array_priority__ = 1000  # np.ndarray + Tracer asks the tracer
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, trace: Trace) -> None:
        self._trace, self.made_by = trace, (trace.primitive, current_source())

    @property
    def aval(self) -> Any:
        raise NotImplementedError(f"{type(self).__name__} does not know its type.")

    def _origin(self) -> str:
        """For error messages: which function this tracer came from."""
        info = self._trace.debug_info
        return f"\n  traced: {info}" if info else ""

    def _made_at(self) -> str:
        primitive, source = self.made_by
        return f"\n  made by: {primitive or 'an argument'} at {source}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.aval})"

    def __format__(self, spec: str) -> str:
        return format(repr(self), "")

    def __deepcopy__(self, memo: dict) -> Tracer:
        return self


def current_source(depth: int = 0) -> SourceInfo:
    """The line of the equation that is run, or else of the user's code, with its name stack but
    for the first `depth` names."""
    source, name_stack = trace_ctx.source, trace_ctx.name_stack
    if source is None:
        return user_source(name_stack[depth:])
    if len(name_stack) == depth and not source.name_stack:
        return source
    return source._replace(name_stack=name_stack[depth:])


@contextmanager
def named_scope(name: str) -> Iterator[None]:
    """Equations made in `with named_scope(name):` or in a function it decorates carry the name."""
    outer = trace_ctx.name_stack
    trace_ctx.name_stack = (*outer, name)
    try:
        yield
    finally:
        trace_ctx.name_stack = outer


def unzip2(pairs: Iterable[tuple]) -> tuple[list, list]:
    """A list of the firsts and a list of the seconds."""
    pairs = list(pairs)
    return [x for x, _ in pairs], [y for _, y in pairs]
