"""Primitives, traces and tracers: one thread-local says who interprets an operation."""

from __future__ import annotations

import sys
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from operator import index
from typing import Any

import ml_dtypes
import numpy as np

# Types of values: what a tracer knows without knowing the value.

float0 = np.dtype([("float0", np.void, 0)])  # the type of a derivative that does not exist
bfloat16 = np.dtype(ml_dtypes.bfloat16)


def dtype_kind(dtype: np.dtype) -> str:
    """One letter for a dtype's family: b(ool), i(nt), u(int), f(loat), c(omplex) or V(oid).

    >>> dtype_kind(np.dtype("float32")), dtype_kind(bfloat16)
    ('f', 'f')
    """
    return "f" if dtype == bfloat16 else dtype.kind


def short_dtype_name(dtype: np.dtype) -> str:
    """The dtype as a jaxpr prints it.

    >>> short_dtype_name(np.dtype("float32")), short_dtype_name(np.dtype("bool"))
    ('f32', 'bool')
    """
    if dtype == bfloat16:
        return "bf16"
    if dtype.kind in "fciu":
        return f"{dtype.kind}{8 * dtype.itemsize}"
    return "float0" if dtype == float0 else str(dtype)


def unzip2(pairs: Iterable[tuple]) -> tuple[list, list]:
    """A list of the firsts and a list of the seconds."""
    pairs = list(pairs)
    return [x for x, _ in pairs], [y for _, y in pairs]


class ShapedArray:
    """The type of an array: shape, dtype, and whether the dtype is weak.

    Equal types are one object, so types are compared with `is`.

    >>> ShapedArray((2, 3), np.float32)
    ShapedArray(float32[2,3])
    >>> ShapedArray((), np.float32) is ShapedArray((), "float32")
    True
    """

    __slots__ = ("shape", "dtype", "weak_type", "__weakref__")
    _interned: dict[tuple, ShapedArray] = {}
    shape: tuple[int, ...]
    dtype: np.dtype
    weak_type: bool

    def __new__(cls, shape: Sequence[int], dtype: Any, weak_type: bool = False) -> ShapedArray:
        key = (tuple(map(index, shape)), np.dtype(dtype), bool(weak_type))
        aval = cls._interned.get(key)
        if aval is None:
            aval = object.__new__(cls)
            aval.shape, aval.dtype, aval.weak_type = key
            aval = cls._interned.setdefault(key, aval)
        return aval

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        size = 1
        for n in self.shape:
            size *= n
        return size

    def update(self, **changes: Any) -> ShapedArray:
        old = {"shape": self.shape, "dtype": self.dtype, "weak_type": self.weak_type}
        return ShapedArray(**{**old, **changes})

    def to_tangent_aval(self) -> ShapedArray:
        """The type of a small change of such a value: floats stay, all else becomes float0."""
        return self if dtype_kind(self.dtype) in "fc" else ShapedArray(self.shape, float0)

    def str_short(self, short_dtypes: bool = False) -> str:
        short = short_dtypes or self.dtype == float0
        name = short_dtype_name(self.dtype) if short else str(self.dtype)
        return f"{name}[{','.join(map(str, self.shape))}]"

    def __str__(self) -> str:
        return ("~" if self.weak_type else "") + self.str_short()

    def __repr__(self) -> str:
        return f"ShapedArray({self.str_short()}{', weak_type=True' if self.weak_type else ''})"

    def __reduce__(self) -> tuple:
        return ShapedArray, (self.shape, self.dtype, self.weak_type)


# Errors: the classes are JAX's, the sentences say what to do.


class JAXTypeError(TypeError):
    """A value was used in a way that its type, traced, does not allow."""


class ConcretizationTypeError(JAXTypeError):
    """Python asked a traced value for its value, and there is none yet."""

    def __init__(self, tracer: Any, context: str = "A Python function needs the value.") -> None:
        super().__init__(
            f"{context} The value is not known: it is {describe(tracer)}.{tracer._origin()}"
        )


class TracerBoolConversionError(ConcretizationTypeError):
    """`if`, `while`, `and`, `or`, `not` or `bool` met a traced value."""

    def __init__(self, tracer: Any) -> None:
        super().__init__(
            tracer,
            "bool() needs True or False. In place of `if`, choose with jnp.where(condition, a, b) "
            "or lax.cond, or mark the argument static (jit's static_argnums).",
        )


class TracerArrayConversionError(JAXTypeError):
    """NumPy was handed a traced value."""

    def __init__(self, tracer: Any) -> None:
        super().__init__(
            f"NumPy was given {describe(tracer)}, which has no numbers to give it. "
            f"Call the function of the same name in minijax.numpy instead.{tracer._origin()}"
        )


class TracerIntegerConversionError(JAXTypeError):
    """A traced value was used where Python needs an integer."""

    def __init__(self, tracer: Any) -> None:
        super().__init__(
            f"Python needs an integer here (an index of a list, a length, a range) and got "
            f"{describe(tracer)}. Turn the list into an array to index it, or mark the argument "
            f"static (jit's static_argnums).{tracer._origin()}"
        )


class UnexpectedTracerError(JAXTypeError):
    """A tracer was used after the function that it belongs to had been traced."""

    def __init__(self, tracer: Any) -> None:
        super().__init__(
            f"A tracer outlived its trace: {describe(tracer)} was stored somewhere (a global, an "
            f"attribute, a list) while a function was traced, and is used after that. Return "
            f"the value from the function instead.{tracer._made_at()}{tracer._origin()}"
        )


# Where in the user's code we are: for error messages.


def current_source() -> tuple[Any, int] | None:
    """The code object and the line of the innermost caller outside this package."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").startswith("minijax."):
        frame = frame.f_back
    return frame and (frame.f_code, frame.f_lineno)


def describe_source(source: tuple[Any, int] | None) -> str:
    """`file:line in function`."""
    if source is None:
        return "an unknown place"
    code, line = source
    return f"{code.co_filename}:{line} in {code.co_name}"


class DebugInfo:
    """Which function is traced, for which transformation, and what its flat inputs are called.

    A jaxpr carries this along, so it must not keep the function alive.
    """

    __slots__ = ("traced_for", "func_name", "place", "fun_ref", "find_arg_names")

    def __init__(self, traced_for: str, fun: Any, find_arg_names: Callable) -> None:
        self.traced_for, self.find_arg_names = traced_for, find_arg_names
        self.func_name = getattr(fun, "__name__", None) or type(fun).__name__
        try:
            self.fun_ref = weakref.ref(fun)
        except TypeError:
            self.fun_ref = lambda: None
        while hasattr(fun, "__wrapped__"):
            fun = fun.__wrapped__
        code = getattr(fun, "__code__", None)
        self.place = f" at {code.co_filename}:{code.co_firstlineno}" if code else ""

    def arg_name(self, i: int) -> str | None:
        fun = self.fun_ref()
        names = [] if fun is None else self.find_arg_names(fun)
        return names[i] if i < len(names) else None

    def __str__(self) -> str:
        return f"{self.func_name}{self.place}, traced for {self.traced_for}"


def describe(tracer: Tracer) -> str:
    return f"a traced {tracer.aval} ({type(tracer).__name__})"


# The machine: primitives ask the current trace, the trace answers.


class Primitive:
    """An operation that every interpreter knows by name.

    `bind` hands it to the current trace. A primitive has an implementation (`def_impl`) and a
    rule from types to types (`def_abstract_eval`); the transformations keep tables of their own.
    """

    multiple_results = False

    def __init__(self, name: str) -> None:
        self.name = name

    def bind(self, *args: Any, **params: Any) -> Any:
        return trace_ctx.trace.process_primitive(self, args, params)

    def impl(self, *args: Any, **params: Any) -> Any:
        raise NotImplementedError(f"{self} has no implementation. Give it one: {self}_p.def_impl.")

    def abstract_eval(self, *in_avals: ShapedArray, **params: Any) -> Any:
        raise NotImplementedError(f"{self} has no rule for types: use {self}_p.def_abstract_eval.")

    def def_impl(self, impl: Callable) -> Callable:
        self.impl = impl
        return impl

    def def_abstract_eval(self, abstract_eval: Callable) -> Callable:
        self.abstract_eval = abstract_eval
        return abstract_eval

    def __repr__(self) -> str:
        return self.name


class Trace:
    """An interpreter: what a primitive means while this trace is the current one.

    Every trace says the same sentence: unbox what is mine, run the rule under my parent,
    box the results. Mine is decided by identity (`tracer._trace is self`); whatever isn't
    mine is a constant to me.
    """

    parent: Trace | None = None
    debug_info: DebugInfo | None = None
    ended = False

    def process_primitive(self, primitive: Primitive, args: Sequence[Any], params: dict) -> Any:
        raise NotImplementedError(f"{type(self).__name__} does not say what {primitive} means")


class EvalTrace(Trace):
    """The ground floor: it runs the implementation."""

    def process_primitive(self, primitive: Primitive, args: Sequence[Any], params: dict) -> Any:
        for arg in args:
            if isinstance(arg, Tracer):
                raise UnexpectedTracerError(arg)
        return primitive.impl(*args, **params)


eval_trace = EvalTrace()


class TraceContext(threading.local):
    """Each thread has a current trace of its own."""

    trace: Trace = eval_trace


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
def new_trace(trace: Trace) -> Iterator[Trace]:
    """Like `set_current_trace`, for the whole life of a trace: afterwards it has ended."""
    with set_current_trace(trace):
        try:
            yield trace
        finally:
            trace.ended = True


class Typed:
    """Whatever has a type, `aval`, shows the parts of the type as its own."""

    __slots__ = ()

    shape = property(lambda self: self.aval.shape)
    dtype = property(lambda self: self.aval.dtype)
    ndim = property(lambda self: self.aval.ndim)
    size = property(lambda self: self.aval.size)
    weak_type = property(lambda self: self.aval.weak_type)

    def __len__(self) -> int:
        if not self.shape:
            got = f"{type(self).__name__} of type {self.aval}"
            raise TypeError(f"len() needs at least one dimension, and got {got}.")
        return self.shape[0]


class Tracer(Typed):
    """A stand-in for a value: it belongs to a trace and knows its type.

    The arithmetic operators and the array methods are put on this class by the modules that
    define them.
    """

    __slots__ = ("_trace", "__weakref__")
    __array_priority__ = 1000  # np.ndarray + Tracer asks the tracer
    __hash__ = None

    def __init__(self, trace: Trace) -> None:
        self._trace = trace

    @property
    def aval(self) -> ShapedArray:
        raise NotImplementedError(f"{type(self).__name__} does not know its type")

    def to_concrete_value(self) -> Any:
        """The value, where this tracer carries one; None where it doesn't."""
        return None

    def _origin(self) -> str:
        """For error messages: where we are, and which function this tracer came from."""
        info = self._trace.debug_info
        here = describe_source(current_source())
        return f"\n  here: {here}" + (f"\n  traced: {info}" if info else "")

    def _made_at(self) -> str:
        return ""

    def __bool__(self) -> bool:
        if self.size != 1:
            raise ValueError(f"bool() needs one value, and got {describe(self)}.")
        value = self.to_concrete_value()
        if value is None:
            raise TracerBoolConversionError(self)
        return bool(value)

    def __float__(self) -> float:
        raise ConcretizationTypeError(self, "float() needs a number; try x.astype(float).")

    def __int__(self) -> int:
        raise ConcretizationTypeError(self, "int() needs a number; try x.astype(int).")

    def __complex__(self) -> complex:
        raise ConcretizationTypeError(self, "complex() needs a number; try x.astype(complex).")

    def __index__(self) -> int:
        raise TracerIntegerConversionError(self)

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise TracerArrayConversionError(self)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.aval})"

    def __format__(self, spec: str) -> str:
        return format(repr(self), "")

    def __deepcopy__(self, memo: dict) -> Tracer:
        return self


# The type of any value.

pytype_aval_mappings: dict[type, Callable[[Any], ShapedArray]] = {
    np.ndarray: lambda x: ShapedArray(x.shape, x.dtype),
}


def typeof(x: Any) -> ShapedArray:
    """The type of a tracer, an array or a number.

    >>> typeof(np.zeros(3, np.float32))
    ShapedArray(float32[3])
    """
    if isinstance(x, Tracer):
        return x.aval
    rule = pytype_aval_mappings.get(type(x))
    if rule is None:
        raise TypeError(
            f"{x!r} of type {type(x).__name__} is not an array or a number. "
            f"If it is a constant of the function, mark it static or close over it."
        )
    return rule(x)
