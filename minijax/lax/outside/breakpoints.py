"""Breakpoints: a program stops, and what its functions had can be looked at.

When the function is traced, the Python frames are there, and tracers for arrays; when the program
runs, the values are, and no frames. So the frames are kept, and their tracers become operands.
"""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Iterator, Sequence
from itertools import dropwhile
from types import FrameType
from typing import Any, NamedTuple

from minijax.core import errors
from minijax.core.errors import is_ours
from minijax.core.pytrees import PyTreeDef, tree_flatten, tree_map, tree_unflatten
from minijax.core.tracing import Tracer
from minijax.lax.elementwise.arithmetic import shown, stop_gradient
from minijax.lax.outside.callbacks import pure_callback
from minijax.lax.outside.debugging import debug_callback
from minijax.lax.outside.prompt import Frame, Prompt

_one_at_a_time = threading.Lock()  # programs of several threads may stop, and there is one terminal


class _Unflattened:
    """Stands for a value whose parts can't be found."""

    def __repr__(self) -> str:
        return "<cant_flatten>"


class _Kept(NamedTuple):
    """A frame whose variables wait for values: of each the structure and the leaves, in which an
    operand stands as its number."""

    frame: Frame
    variables: dict[str, tuple[PyTreeDef, list[Any]]]

    def with_values(self, values: Sequence[Any]) -> Frame:
        names = {
            name: tree_unflatten(
                tree, [values[x.number] if type(x) is _Operand else x for x in leaves]
            )
            for name, (tree, leaves) in self.variables.items()
        }
        return Frame(**{**vars(self.frame), "names": names})


class _Operand(NamedTuple):
    number: int


_NOWHERE = Frame("<no frame>", 0, [], None, (), {}, {})  # where none is kept


def _callers() -> Iterator[FrameType]:
    frame = inspect.currentframe()
    while frame is not None:
        yield frame
        frame = frame.f_back


def _as_frame(frame: FrameType) -> Frame:
    source, offset = _source_of(frame)
    args = inspect.getargs(frame.f_code)
    names = [*args.args, *filter(None, (args.varargs, args.varkw))]
    return Frame(frame.f_code.co_filename, frame.f_lineno, source, offset, names,
                 dict(frame.f_locals), frame.f_globals)  # fmt: skip


def _source_of(frame: FrameType) -> tuple[list[str], int | None]:
    """The lines of the frame's function, and which of them runs."""
    try:
        lines, start = inspect.getsourcelines(frame)
    except OSError:
        return [], None
    source, offset = "".join(lines).split("\n"), frame.f_lineno - max(start, 1)
    return (source, offset) if 0 <= offset < len(source) else ([], None)


def _divided(frames: Sequence[Frame]) -> tuple[list[_Kept], list[Tracer]]:
    """The frames without their tracers, and these, each of them once."""
    operands: dict[int, tuple[int, Tracer]] = {}

    def kept_leaf(x: Any) -> Any:
        if not isinstance(x, Tracer) or x._trace.ended:
            return x
        return _Operand(operands.setdefault(id(x), (len(operands), x))[0])

    def kept(value: Any) -> tuple[PyTreeDef, list[Any]]:
        try:
            leaves, tree = tree_flatten(value)
        except Exception:  # of the user's class, say
            leaves, tree = tree_flatten(_Unflattened())
        return tree, list(map(kept_leaf, leaves))

    found = [_Kept(frame, {name: kept(x) for name, x in frame.names.items()}) for frame in frames]
    return found, [x for _, x in operands.values()]


_OF_PROMPT = ("stdin", "stdout", "completekey")


def breakpoint(
    *, backend: str | None = None, filter_frames: bool = True, num_frames: int | None = None,
    ordered: bool = False, token: Any = None, **kwargs: Any,
) -> Any:  # fmt: skip
    """Stops the program wherever it runs, and asks for commands: `help` lists them.

    The prompt shows the frames of Python that were there when the function was traced, without
    those of this package unless `filter_frames` is False, and at most `num_frames` of them. Their
    arrays have the values that the program has now. `stdin` and `stdout` are where commands come
    from and where answers go; there is one prompt, whatever `backend` says.

    Like a `debug.callback`, it comes in the program's order, once for each example under `vmap`.
    With a `token`, a pytree of arrays, it stops when that is computed, and returns it: ValueError
    for one that is `ordered` too. TypeError for any other argument.

    >>> import io, sys, minijax as jax
    >>> def f(x):
    ...     y = 2 * x
    ...     commands = io.StringIO("args\\np y / 4\\nc")
    ...     breakpoint(stdin=commands, stdout=sys.stdout, filter_frames=False, num_frames=1)
    ...     return y
    >>> jax.jit(f)(3.0)
    Entering jdb:
    (jdb) x = Array(3., dtype=float32)
    (jdb) Array(1.5, dtype=float32)
    (jdb) Array(6., dtype=float32, weak_type=True)
    """
    if token is not None and ordered:
        raise ValueError(
            "debug.breakpoint got both ordered and token, and each says when it comes. Give one."
        )
    unknown = kwargs.keys() - set(_OF_PROMPT)
    if unknown:
        raise TypeError(
            f"debug.breakpoint knows no argument {', '.join(sorted(unknown))}. Give its prompt "
            f"{', '.join(_OF_PROMPT)}."
        )
    if not (num_frames is None or isinstance(num_frames, int)):
        raise TypeError(
            f"debug.breakpoint takes an integer as num_frames, and got {shown(num_frames)}. Give "
            f"how many frames are kept."
        )
    callers = dropwhile(_is_of_the_call, _callers())
    chosen = [frame for frame in callers if not (filter_frames and is_ours(frame))]
    kept, operands = _divided(list(map(_as_frame, chosen[:num_frames])))

    def ask(*values: Any) -> None:
        frames = [frame.with_values(values) for frame in kept] or [_NOWHERE]
        with _one_at_a_time:
            Prompt(frames, **kwargs).run()

    if token is None:
        return debug_callback(ordered=ordered)(ask, *operands)
    return _after(token, operands, ask)


def _is_of_the_call(frame: FrameType) -> bool:
    """Whether a frame is that of `breakpoint`, or of what presents its errors."""
    return frame.f_code.co_filename in (__file__, errors.__file__)


def _after(token: Any, operands: Sequence[Any], ask: Callable) -> Any:
    """The token, after which the question comes."""

    def given_back(token: Any, *values: Any) -> Any:
        ask(*values)
        return token

    token, operands = tree_map(stop_gradient, (token, list(operands)))
    return pure_callback(given_back, token, token, *operands)
