"""What is said when something goes wrong: the classes, the place in the user's code, tracebacks."""

from __future__ import annotations

import copyreg
import gc
import re
import sys
import textwrap
import threading
import warnings
import weakref
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import WRAPPER_ASSIGNMENTS, cache, partial, update_wrapper
from itertools import dropwhile, takewhile
from traceback import walk_stack, walk_tb
from types import CodeType, FrameType, TracebackType
from typing import Any, NamedTuple

from minijax.core.config import config

# Where in the user's code we are.

# Modules that are no part of the user's program, and whether their messages are their own.
_excluded = {"minijax": False, "contextlib": False}  # ours pass through contextlib's


def register_exclusion(module: str, own_messages: bool = False) -> None:
    """Has a module, or a package, count as no part of the user's program, as minijax does.

    Messages then name the line that called it, and tracebacks leave its frames out. The messages
    of a module with `own_messages` stay as they are.
    """
    _excluded[module] = own_messages
    _is_excluded.cache_clear()


@cache
def _is_excluded(module: str) -> bool:
    return any(f"{module}.".startswith(f"{name}.") for name in _excluded)


def is_ours(frame: FrameType) -> bool:
    """Whether a frame is of this package, or of one that asked to be treated like it."""
    return _is_excluded(_module_of(frame))


def _module_of(frame: FrameType) -> str:
    return frame.f_globals.get("__name__", "")


def place(code: CodeType, line: int) -> str:
    """`file:line`; in a notebook, whose files nobody knows, `Cell In[3], line 9`."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    name_of = getattr(getattr(shell, "compile", None), "format_code_name", lambda file: None)
    cell = name_of(code.co_filename)
    return f"{' '.join(cell)}, line {line}" if cell else f"{code.co_filename}:{line}"


class SourceInfo(NamedTuple):
    """A line of the user's code, and the scopes around it: what made an equation or a tracer."""

    code: CodeType | None
    line: int
    name_stack: tuple[str, ...] = ()  # scopes' names; a transformation's ends with ()
    instruction: int = -1  # where in the code, for who asks for more than the line

    def __str__(self) -> str:
        if self.code is None:
            return "an unknown place"
        return f"{place(self.code, self.line)} in {self.code.co_name}"


def user_source(name_stack: tuple[str, ...] = ()) -> SourceInfo:
    """The line of the innermost caller that is not ours."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and _is_excluded(frame.f_globals.get("__name__", "")):
        frame = frame.f_back
    if frame is None:
        return SourceInfo(None, 0, name_stack)
    return SourceInfo(frame.f_code, frame.f_lineno, name_stack, frame.f_lasti)


def _callers() -> Iterator[FrameType]:
    """The frames of the function that asks, of its caller, and so on."""
    return (frame for frame, _ in walk_stack(sys._getframe(1)))


class Warned(threading.local):
    """How often each thread has been warned: what does that is to be done again, not remembered."""

    times = 0


warned = Warned()


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """A warning that names the user's line."""
    warned.times += 1
    ours = takewhile(is_ours, _callers())
    warnings.warn(message, category, stacklevel=1 + len(list(ours)))


def format_name_stack(name_stack: Sequence[str]) -> str:
    """The scopes as one text.

    >>> format_name_stack(("vmap()", "jvp()", "layer", "attention"))
    'vmap(jvp(layer))/attention'
    """
    parts: list[str] = []  # from the inside out; a transformation is put round the outermost
    for name in filter(None, reversed(name_stack)):
        if name.endswith("()") and parts:
            parts[-1] = f"{name[:-1]}{parts[-1]})"
        else:
            parts.append(name)
    return "/".join(reversed(parts))


class DebugInfo:
    """Which function is traced, for which transformation, and what its flat inputs are called.

    A jaxpr carries this along, so it must not keep the function or its arguments alive.
    """

    __slots__ = ("traced_for", "func_name", "code", "fun_ref", "find_arg_names")

    def __init__(self, traced_for: str, fun: Any, find_arg_names: Callable) -> None:
        self.traced_for, self.find_arg_names = traced_for, find_arg_names
        self.func_name = getattr(fun, "__name__", None) or type(fun).__name__
        try:
            self.fun_ref: Callable = weakref.ref(fun)
        except TypeError:
            self.fun_ref = lambda: None
        while hasattr(fun, "__wrapped__"):
            fun = fun.__wrapped__
        self.code: CodeType | None = getattr(fun, "__code__", None)

    def arg_name(self, i: int) -> str | None:
        fun = self.fun_ref()
        names = [] if fun is None else self.find_arg_names(fun)
        return names[i] if i < len(names) else None

    def __str__(self) -> str:
        at = f" at {place(self.code, self.code.co_firstlineno)}" if self.code else ""
        return f"{self.func_name}{at}, traced for {self.traced_for}"


def safe_repr(x: Any) -> str:
    """repr(x), for a message; where that raises, the class."""
    try:
        return repr(x)
    except Exception:
        return f"an object of class {type(x).__name__}"


def describe(tracer: Any) -> str:
    return f"a traced {tracer.aval} ({type(tracer).__name__})"


# What the parts of a container are called: keys, from the outside in.


@dataclass(frozen=True, slots=True)
class SequenceKey:
    """The key of a child of a list or tuple: `[idx]`."""

    idx: int

    def __str__(self) -> str:
        return f"[{self.idx!r}]"


@dataclass(frozen=True, slots=True)
class DictKey:
    """The key of a child of a dict: `[key]`."""

    key: Hashable

    def __str__(self) -> str:
        return f"[{safe_repr(self.key)}]"


@dataclass(frozen=True, slots=True)
class GetAttrKey:
    """The key of a child that is an attribute: `.name`."""

    name: str

    def __str__(self) -> str:
        return f".{self.name}"


@dataclass(frozen=True, slots=True)
class FlattenedIndexKey:
    """The key of a child of a class that was registered without keys: its position."""

    key: int

    def __str__(self) -> str:
        return f"[<flat index {self.key}>]"


KeyEntry = SequenceKey | DictKey | GetAttrKey | FlattenedIndexKey
KeyPath = tuple[Any, ...]


def _simple_key(key: Any) -> str:
    match key:
        case SequenceKey(name) | DictKey(name) | GetAttrKey(name) | FlattenedIndexKey(name):
            return str(name)
    return str(key)


def keystr(keys: KeyPath, *, simple: bool = False, separator: str = "") -> str:
    """Write a key path as Python would: the keys' text, joined by `separator`.

    With `simple=True` each key is its bare name, without brackets, quotes or dots.

    >>> keystr((DictKey("w"), SequenceKey(0)))
    "['w'][0]"
    >>> keystr((DictKey("w"), SequenceKey(0)), simple=True, separator="/")
    'w/0'
    """
    return separator.join(map(_simple_key if simple else str, keys))


# The classes are JAX's, the sentences say what to do.


def _reduce(error: Exception) -> tuple:
    """An error is pickled as its message: the tracer that this was made of stays behind."""
    return copyreg.__newobj__, (type(error), *error.args), vars(error)  # type: ignore[attr-defined]


class JAXTypeError(TypeError):
    """A value was used in a way that its type, traced, does not allow."""

    __reduce__ = _reduce


class JAXIndexError(IndexError):
    """A traced value was used as an index that needs to be known."""

    __reduce__ = _reduce


class ConcretizationTypeError(JAXTypeError):
    """Python asked a traced value for its value, and there is none yet."""

    def __init__(self, tracer: Any, context: str = "A Python function needs the value.") -> None:
        super().__init__(f"{context} It was given {describe(tracer)}.{tracer._origin()}")


INSTEAD_OF_IF = "In place of `if`, choose with jnp.where(condition, a, b) or lax.cond"


class TracerBoolConversionError(ConcretizationTypeError):
    """`if`, `while`, `and`, `or`, `not` or `bool` met a traced value."""

    def __init__(self, tracer: Any) -> None:
        super().__init__(
            tracer,
            f"bool() needs True or False. {INSTEAD_OF_IF}, or mark the argument static (jit's "
            "static_argnums).",
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
            f"{describe(tracer)}. Mark the argument static (jit's static_argnums), or choose with "
            f"jnp.where(i == 0, a, b).{tracer._origin()}"
        )


class UnexpectedTracerError(JAXTypeError):
    """A tracer was used after the function that it belongs to had been traced."""

    def __init__(self, tracer: Any) -> None:
        what = describe(tracer)
        problem = (
            f"A tracer outlived its trace: {what} was stored somewhere (a global, an attribute, a "
            f"list) while a function was traced, and is used after that. Return the value from "
            f"the function instead." if tracer._trace.ended else
            f"A tracer was given to a trace that does not know it: {what} reached the ground "
            f"floor. A trace hands on what isn't its own to its parent; has it one?"
        )  # fmt: skip
        super().__init__(f"{problem}{tracer._made_at()}{tracer._origin()}")


class NonConcreteBooleanIndexError(JAXIndexError):
    """An array was indexed with a traced mask: the result's shape would depend on values."""

    def __init__(self, tracer: Any) -> None:
        super().__init__(
            f"The mask is {describe(tracer)}, so the result's shape is not known. "
            f"Use jnp.where(mask, x, other) instead.{tracer._origin()}"
        )


class JaxRuntimeError(RuntimeError):
    """A program could not be run with the arguments that it was given."""


class InconclusiveDimensionOperation(Exception):
    """What was asked of symbolic dimensions holds for some sizes, and not for others."""


class TypePromotionError(ValueError):
    """Two dtypes met that the promotion mode in force keeps apart."""


class JaxprTypeError(TypeError):
    """A jaxpr that no trace would have written, or a rule whose results have other types."""


# Two checks, for whoever switches them on.


def typematch(x: Any, y: Any) -> bool:
    """Whether two types are the same but for weakness."""
    return x.strip_weak_type() == y.strip_weak_type()


def check_rule(primitive: Any, out: Any) -> None:
    """A rule for types gives a type, or a sequence of them where there are several results."""
    if isinstance(out, (tuple, list)) is not primitive.multiple_results:
        several = "several, as a tuple or list" if primitive.multiple_results else "one"
        raise ValueError(
            f"The rule for types of {primitive} gave {safe_repr(out)}. Give {several}, as "
            f"multiple_results is {primitive.multiple_results}."
        )
    for x in out if primitive.multiple_results else (out,):
        if not hasattr(x, "to_tangent_aval"):
            raise AssertionError(
                f"The rule for types of {primitive} gave {safe_repr(x)}, which is no type. Give "
                f"ShapedArray(shape, dtype)."
            )


def check_types(primitive: Any, rule: str, got: Sequence, expected: Sequence) -> None:
    """JaxprTypeError where a rule's results have other types than they should."""
    if len(got) != len(expected) or not all(map(typematch, got, expected)):
        raise JaxprTypeError(
            f"The {rule} of {primitive} gave {list(got)}, where its types are {list(expected)}. "
            f"Make the two agree."
        )


def check_leaks(trace: Any) -> None:
    """An Exception, naming the operations, where tracers of an ended trace are still alive."""
    gc.collect()
    alive = (x for x in gc.get_objects() if hasattr(type(x), "to_concrete_value"))
    leaked = [x for x in alive if x._trace is trace]
    if leaked:
        places = "".join(f"\n  {describe(x)}{x._made_at()}" for x in leaked[:5])
        raise Exception(
            f"{trace.debug_info}, has ended, and {len(leaked)} of its tracers are still held by "
            f"something. Return values instead of storing them.{places}"
        )


# What leaves the package: messages that are complete, tracebacks without our frames.

WIDTH = 99
_UNBROKEN = (  # code and values; compiled by the first error, as imports are to be quick
    r"`[^`]*`| = |\w\((?:[^()]|\([^()]*\))*\)"
    r"|\[(?:[^][]|\[[^][]*\])*\]|\{(?:[^{}]|\{[^{}]*\})*\}"
)


def break_lines(message: str, indent: int = 0) -> str:
    """Breaks long lines between words, the first as if it stood further right by `indent`."""
    text = re.sub(_UNBROKEN, lambda code: code[0].replace(" ", "\0"), "\0" * indent + message)
    fill = partial(textwrap.fill, width=WIDTH, break_long_words=False, break_on_hyphens=False)
    lines = [line if line.startswith((" ", "{")) else fill(line) for line in text.split("\n")]
    return "\n".join(lines)[indent:].replace("\0", " ")


def complete_message(error: BaseException, source: SourceInfo | None = None) -> None:
    """Breaks the lines of a message of ours and adds one: where we are in the user's function.

    That is the `source` of the equation that is run, or else the innermost line that is not ours.
    """
    entries = list(walk_tb(error.__traceback__))
    by_us = entries and is_ours(entries[-1][0]) and not _excluded.get(_module_of(entries[-1][0]))
    if not by_us or not error.args or str(error) is not error.args[0]:
        return
    message, about_tracer = error.args[0], isinstance(error, JAXTypeError | JAXIndexError)
    lines = [SourceInfo(frame.f_code, line) for frame, line in entries if not is_ours(frame)]
    traced = source or lines or about_tracer or any(dropwhile(bool, map(is_ours, _callers())))
    if traced and "\n  here: " not in message:
        problem, *origin = message.partition("\n  traced: ")
        message = f"{problem}\n  here: {source or (lines or [user_source()])[-1]}{''.join(origin)}"
    name = f"{type(error).__module__}.{type(error).__name__}: ".removeprefix("builtins.")
    error.args = (break_lines(message, len(name)),)


def filter_traceback(traceback: TracebackType | None) -> TracebackType | None:
    """The traceback's frames that are not ours."""
    theirs = []
    while traceback is not None:
        theirs += [] if is_ours(traceback.tb_frame) else [traceback]
        traceback = traceback.tb_next
    for entry in reversed(theirs):
        line = -1 if entry.tb_lineno is None else entry.tb_lineno  # where no line is at fault
        traceback = TracebackType(traceback, entry.tb_frame, entry.tb_lasti, line)
    return traceback


def _is_internal(error: Any) -> bool:
    """Whether an error was raised and caught by us: no line of the user's saw it."""
    traceback = getattr(error, "__traceback__", None)
    return traceback is not None and filter_traceback(traceback) is None


def filter_all(error: Any) -> None:
    """Filters the tracebacks of an error and of the user's errors that it came from."""
    todo, seen = [error], set()
    for error in todo:
        if error is not None and id(error) not in seen:
            seen.add(id(error))
            error.__traceback__ = filter_traceback(error.__traceback__)
            if _is_internal(error.__cause__):
                error.__cause__, error.__suppress_context__ = None, False
            while _is_internal(error.__context__):
                error.__context__ = error.__context__.__context__
            todo += [error.__cause__, error.__context__]


NOTE = "(minijax left its own frames out: jax_traceback_filtering='off' shows them.)"


def present(error: BaseException, source: SourceInfo | None = None) -> None:
    """Makes of an error what `jax_traceback_filtering` has the user see."""
    complete_message(error, source)
    if config.jax_traceback_filtering != "off":
        filter_all(error)
    if config.jax_traceback_filtering == "remove_frames":
        if NOTE not in getattr(error, "__notes__", []):
            error.add_note(NOTE)


advisers: list[Callable] = []  # (error, the function called) -> ; they add to a message of ours


def leave(error: BaseException, fun: Callable | None = None) -> None:
    """Presents an error on its way to the user, out of a call of `fun`."""
    try:
        for advise in advisers:
            advise(error, fun)
        present(error)
    except RecursionError:  # the error is one itself: nothing more can be called
        pass


def wraps(fun: Callable) -> Callable:
    """`functools.wraps`; of an object whose name is no text, the documentation alone."""
    names = WRAPPER_ASSIGNMENTS if isinstance(getattr(fun, "__name__", ""), str) else ["__doc__"]
    return partial(update_wrapper, wrapped=fun, assigned=names)


def api_boundary(fun: Callable) -> Callable:
    """Has errors that leave `fun` show the user's lines alone."""

    @wraps(fun)
    def with_short_tracebacks(*args: Any, **kwargs: Any) -> Any:
        try:
            return fun(*args, **kwargs)
        except (Exception, KeyboardInterrupt) as error:
            leave(error, fun)
            raise

    return with_short_tracebacks
