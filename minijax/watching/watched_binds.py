"""How operations are seen: for the time of a watch, functions of the machine tell recorders.

What is put in does for other threads, and for a thread when nothing is watched in it any more, what
stood there before; it is taken out when the last watch of the process ends. A program that is known
already would not be traced, nor its rules asked: so while a thread is watched, a mark stands among
its settings. All caches have the settings in their keys, and find nothing that was made without it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Any

from minijax.compiler.dispatch import eager
from minijax.compiler.generated_text import TextWriter
from minijax.core import reverse
from minijax.core.config import Config, FunctionCache, _clear_functions, _listing, _owners, config
from minijax.core.jitting import Backend, JitFunction, Running, as_runtime_value, compile_once
from minijax.core.pytrees import tree_unflatten
from minijax.core.staging import ClosedJaxpr, JaxprEqn, JaxprTrace, eval_jaxpr
from minijax.core.tracing import Primitive, Trace, set_current_trace, trace_ctx
from minijax.face.nan_checks import is_searching
from minijax.face.replacements import Replacements
from minijax.face.transfer_guards import is_guarding
from minijax.numpy.indexing import paths
from minijax.watching.recorder import Recorder


class Watching(threading.local):
    """The recorders of this thread, and who was in charge in it and will be again."""

    recorders: tuple[Recorder, ...] = ()
    before: list[Trace]

    def __init__(self) -> None:
        self.before = []


watching = Watching()


class silence:
    """While a recorder describes what it sees, it sees nothing: a `repr` may compute."""

    __slots__ = ("recorders",)

    def __enter__(self) -> tuple[Recorder, ...]:
        self.recorders = watching.recorders
        watching.recorders = ()
        return self.recorders

    def __exit__(self, *exception: Any) -> None:
        watching.recorders = self.recorders


# What stands in the place of the machine's own functions.


def recording_bind(bind: Callable) -> Callable:
    def recorded(primitive: Primitive, /, *args: Any, **params: Any) -> Any:
        if not watching.recorders:
            return bind(primitive, *args, **params)
        with silence() as recorders:
            for recorder in recorders:
                recorder.begin(primitive, args, params, watching.before)
        watching.before.append(trace_ctx.trace)
        try:
            out = bind(primitive, *args, **params)
        except BaseException as error:
            with silence():
                for recorder in recorders:
                    recorder.fail(error)
            raise
        finally:
            watching.before.pop()
        with silence():
            for recorder in recorders:
                recorder.end(primitive, out)
        return out

    return recorded


def recording_transposition(transpose_eqn: Callable) -> Callable:
    def recorded(eqn: JaxprEqn, cts_out: list[Any], read: Callable) -> Sequence[Any]:
        if not watching.recorders:
            return transpose_eqn(eqn, cts_out, read)
        with silence() as recorders:
            for recorder in recorders:
                recorder.begin_transposed(eqn, cts_out, read, watching.before)
        try:
            cts_in = transpose_eqn(eqn, cts_out, read)
        except BaseException as error:
            with silence():
                for recorder in recorders:
                    recorder.fail(error)
            raise
        with silence():
            for recorder in recorders:
                recorder.end_transposed(eqn, cts_in, read)
        return cts_in

    return recorded


def remembering_enter(enter: Callable) -> Callable:
    """Who is in charge when another is put there waits."""

    def remembered(context: set_current_trace) -> Trace:
        if watching.recorders:
            watching.before.append(trace_ctx.trace)
        return enter(context)

    return remembered


def remembering_exit(leave: Callable) -> Callable:
    def remembered(context: set_current_trace, *exception: Any) -> None:
        if watching.recorders and watching.before:
            watching.before.pop()
        leave(context, *exception)

    return remembered


def finishing(to_jaxpr: Callable) -> Callable:
    def finished(trace: JaxprTrace, outs: Sequence[Any]) -> ClosedJaxpr:
        closed = to_jaxpr(trace, outs)
        with silence() as recorders:
            for recorder in recorders:
                recorder.finish(trace, closed)
        return closed

    return finished


def ending(end: Callable) -> Callable:
    def ended(trace: Trace) -> None:
        with silence() as recorders:
            for recorder in recorders:
                recorder.end_trace(trace)
        end(trace)

    return ended


def running_program(run: Callable) -> Callable:
    """What runs is found first, so that it is known; it is compiled once."""

    def ran(
        state: Running, closed: ClosedJaxpr, operands: Sequence[Any], name: str,
        donated: tuple = (), executable: Callable | None = None,
    ) -> list[Any]:  # fmt: skip
        if watching.recorders:
            executable = executable or compile_once(closed, state.backend, name, donated)()
            with silence() as recorders:
                for recorder in recorders:
                    recorder.run_program(closed, executable)
        return run(state, closed, operands, name, donated, executable)

    return ran


def marked_key(trace_key: Callable) -> Callable:
    def with_mark(options: Config) -> tuple:
        mark = vars(options).get(MARK)
        key = trace_key(options)
        return key if mark is None else (*key, mark)

    return with_mark


MARK = "watch"  # the name of the mark among a thread's settings

# Ways that lead past `bind`: paths outside of jit, and of jitted functions.


def unremembering(remember: Callable) -> Callable:
    """No path is put in front of a jitted function: each call of it is bound."""

    def remembered(backend: Backend, jitted: JitFunction, *call: Any) -> None:
        if not watching.recorders or any(jitted._donate):
            remember(backend, jitted, *call)

    return remembered


def long_call(new_call: Callable) -> Callable:
    """A function of arrays goes the long way. For the library's own jitted functions that would be
    to compile them: they keep their paths, which `step_by_step` writes."""

    def called(ways: eager.Paths, key: tuple, args: tuple, kwargs: dict) -> Any:
        has_own_way = type(ways.fun) is JitFunction or is_searching() or is_guarding()
        if not watching.recorders or has_own_way:
            return new_call(ways, key, args, kwargs)
        return ways.long_way(*args, **kwargs)

    return called


def step_by_step(write_path: Callable) -> Callable:
    """A path binds the equations of its program, one after the other: what its line of NumPy
    computes, to the bit."""

    def written(text: TextWriter, staged: Any, leaves: list, parameters: list[str]) -> Callable:
        path = write_path(text, staged, leaves, parameters)
        if not watching.recorders:
            return path
        operands = TextWriter(**text.meanings)
        operands.emit(f"return [{', '.join(expression for expression, _ in leaves)}]")
        operands_of, closed = operands.function("operands", ", ".join(parameters)), staged.closed

        def bound(*args: Any, **kwargs: Any) -> Any:
            out = eval_jaxpr(closed.jaxpr, closed.consts, *operands_of(*args, **kwargs))
            return tree_unflatten(staged.out_tree, map(as_runtime_value, out))

        return bound

    return written


# Put in with the first watch, taken out after the last.

REPLACED: list[tuple[Any, str, Callable[[Callable], Callable]]] = [
    (Primitive, "bind", recording_bind),
    (reverse, "transpose_eqn", recording_transposition),
    (set_current_trace, "__enter__", remembering_enter),
    (set_current_trace, "__exit__", remembering_exit),
    (JaxprTrace, "to_jaxpr", finishing),
    (Trace, "end", ending),
    (Running, "run", running_program),
    (Config, "trace_key", marked_key),
    (Backend, "remember", unremembering),
    (eager, "new_call", long_call),
    (paths, "new_call", long_call),
    (eager, "write_path", step_by_step),
]
_lock = threading.Lock()
_watches, _replacements = 0, Replacements()


def put_in() -> None:
    global _watches
    with _lock:
        if not _watches:
            for owner, name, make in REPLACED:
                old = vars(owner)[name]
                _replacements.replace(owner, name, until_taken_out(make(old), old))
        _watches += 1


def take_out() -> None:
    global _watches, _replacements
    with _lock:
        _watches -= 1
        if not _watches:
            _replacements.take_out()
            _replacements = Replacements()


def until_taken_out(new: Callable, old: Callable) -> Callable:
    """`new`, and from then on `old`: a module that is imported meanwhile may put something round
    it, and it stays."""
    put_in_with = _replacements

    @wraps(old)
    def either(*args: Any, **kwargs: Any) -> Any:
        return (new if _replacements is put_in_with else old)(*args, **kwargs)

    return either


@contextmanager
def recorded_by(recorder: Recorder) -> Iterator[None]:
    """A context in which a recorder is told of what this thread does, beside those that are
    already."""
    mark, outer, recorders = object(), vars(config).get(MARK), watching.recorders
    put_in()
    try:
        watching.recorders = (*recorders, recorder)
        vars(config)[MARK] = mark
        yield
    finally:
        watching.recorders = recorders
        vars(config).pop(MARK, None)
        if outer is not None:
            vars(config)[MARK] = outer
        if not watching.recorders:
            watching.before.clear()
        take_out()
        forget(mark)


# What caches have of a watch is of no use afterwards.


def forget(mark: object) -> None:
    """Removes what has the mark in its key."""
    with _listing:
        caches = [owner.derived for owner in _owners]
        for owner in (getattr(clear, "__self__", None) for clear in _clear_functions):
            if isinstance(owner, FunctionCache):
                caches += owner.of_functions.values()
            elif isinstance(owner, eager.Paths):
                caches.append(owner)
        for cache in caches:
            for key in [key for key in list(cache) if has_mark(key, mark)]:
                cache.pop(key, None)


def has_mark(key: Any, mark: object) -> bool:
    return key is mark or type(key) is tuple and any(has_mark(part, mark) for part in key)
