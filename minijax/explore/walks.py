"""One program under one transformation, watched and explained, as a page of its own."""

from __future__ import annotations

import io
import linecache
from contextlib import redirect_stdout
from dataclasses import dataclass
from html import escape
from types import CodeType
from typing import Any

from minijax.explore.programs import NAMES
from minijax.placement import effects_barrier
from minijax.stages import explain
from minijax.watching.watched import watch

MANY = 400  # steps: what is recorded for a page
PRINTED = 4000  # characters: what is shown of a program's own prints


@dataclass(frozen=True)
class Walk:
    """What came of it.

    Attributes:
      html: what is shown of it, without the page around it.
      outline: the recording, as text.
      failed: the exception's text, or "".
    """

    html: str
    outline: str
    failed: str = ""


def walk(text: str, expression: str, arguments: str) -> Walk:
    """Runs a program, watched, and explains it.

    Args:
      text: Python that defines what `expression` names, commonly `f`. It finds `jax`, `jnp`, `lax`,
        `nn` and `random`.
      expression: the function, as Python.
      arguments: the tuple of its arguments, as Python.

    >>> shown = walk("def f(x): return x + 1", "jax.grad(f)", "(2.0,)")
    >>> "Step" in shown.html, shown.failed
    (True, '')
    """
    printed = io.StringIO()
    parts, outline, failed = [], "", ""
    names: dict[str, Any] = {"__name__": "explored"}
    try:
        with redirect_stdout(printed):
            exec(NAMES, names)
            exec(compiled(text, "your program", "exec"), names)
            fun = eval(compiled(expression, "the transformation", "eval"), names)
            args = eval(compiled(arguments, "the arguments", "eval"), names)
            recording = watch(fun, limit=MANY)(*tupled(args))
            effects_barrier()
        outline = str(recording)
        parts = [section("Watched", recording._repr_html_())]
        with redirect_stdout(io.StringIO()):
            explanation = explain(fun)(*tupled(args))
            parts.append(section("Compiled", explanation._repr_html_()))
    except Exception as error:
        failed = described(error)
        parts.append(section("It failed", f"<pre>{escape(failed)}</pre>"))
    said = printed.getvalue()
    if said:
        more = "\n..." if len(said) > PRINTED else ""
        parts.append(section("Printed", f"<pre>{escape(said[:PRINTED] + more)}</pre>"))
    return Walk("\n".join(parts), outline, failed)


def tupled(args: Any) -> tuple[Any, ...]:
    if not isinstance(args, tuple):
        raise TypeError(
            f"The arguments are to be a tuple, as in (2.0,), and are of type {type(args).__name__}."
        )
    return args


def compiled(text: str, name: str, mode: str) -> CodeType:
    """The code of a text, whose lines are found again by whoever asks for the source."""
    file = f"<{name}>"
    lines = text.splitlines(keepends=True)
    linecache.cache[file] = (len(text), None, lines, file)
    return compile(text, file, mode)


def described(error: BaseException) -> str:
    """An exception with the place in the reader's own text."""
    place = ""
    if isinstance(error, SyntaxError):
        place = f" (line {error.lineno})"
    traceback = error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename.startswith("<your program"):
            place = f" (line {traceback.tb_lineno} of your program)"
        traceback = traceback.tb_next
    words = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{type(error).__name__}{place}: {words}"


def section(title: str, html: str) -> str:
    return f"<section>\n<h2>{escape(title)}</h2>\n{html}\n</section>"
