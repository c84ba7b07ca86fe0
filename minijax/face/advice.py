"""What an error tells whoever made a common mistake: what to write instead, from their own line.

The core says what was wrong. Here the user's source is looked at, if it can be read, for what asked
whether a traced value is true; and a function's signature for the keyword that was meant.
"""

from __future__ import annotations

import ast
import linecache
import re
import sys
from collections.abc import Callable, Iterator
from inspect import Parameter, signature
from traceback import walk_stack
from types import FrameType
from typing import Any

from minijax.core.errors import INSTEAD_OF_IF, TracerBoolConversionError, advisers, is_ours

# What of the user's source is being run.


def user_instruction(error: BaseException | None = None) -> tuple[FrameType | None, int]:
    """The user's innermost frame, and where in its code it is.

    Of the frames that the error has come through, or else of our callers.
    """
    through = [tb for tb in _entries(error) if not is_ours(tb.tb_frame)]
    if through:
        return through[-1].tb_frame, through[-1].tb_lasti
    callers = (frame for frame, _ in walk_stack(sys._getframe(1)) if not is_ours(frame))
    frame = next(callers, None)
    return frame, frame.f_lasti if frame else 0


def user_syntax(error: BaseException | None = None) -> Iterator[tuple[ast.AST, ast.AST]]:
    """The user's expression or statement that is being run, and what it is a part of."""
    frame, instruction = user_instruction(error)
    if frame is None:
        return
    span = [*frame.f_code.co_positions()][instruction // 2]
    try:
        tree = ast.parse("".join(linecache.getlines(frame.f_code.co_filename, frame.f_globals)))
    except (SyntaxError, ValueError):
        return
    for parent in ast.walk(tree):
        for node in ast.iter_child_nodes(parent):
            if isinstance(node, ast.expr | ast.stmt) and span == (
                node.lineno, node.end_lineno, node.col_offset, node.end_col_offset,
            ):  # fmt: skip
                yield node, parent


def _entries(error: BaseException | None) -> Iterator:
    entry = error.__traceback__ if error else None
    while entry is not None:
        yield entry
        entry = entry.tb_next


# What asks whether a value is true, and what to write in its place.

INSTEAD = {
    "if": INSTEAD_OF_IF,
    "while": "In place of `while`, loop with lax.while_loop(cond_fun, body_fun, init_val)",
    "assert": "In place of `assert`, check the result after the call",
    "and": "In place of `a and b`, write (a) & (b)",
    "or": "In place of `a or b`, write (a) | (b)",
    "not": "In place of `not a`, write jnp.logical_not(a)",
    "a < b < c": "In place of `a < b < c`, write (a < b) & (b < c)",
    "in": "In place of `x in values`, write jnp.any(values == x)",
    "max": "In place of `max`, call jnp.maximum(a, b)",
    "min": "In place of `min`, call jnp.minimum(a, b)",
    "any": "In place of `any`, call jnp.any(values)",
    "all": "In place of `all`, call jnp.all(values)",
    "sorted": "In place of `sorted`, call jnp.sort(values)",
}


def _asker(node: ast.AST, parent: ast.AST) -> str | None:
    """Which of INSTEAD asked for the truth of `node`, or of a part of it."""
    match node, parent:  # Python 3.14 runs the loop of `any` itself, and points at its name
        case ((ast.Call(func=ast.Name(name)), _) | (ast.Name(name), ast.Call())) if name in INSTEAD:
            return name
        case ast.Compare(ops=[ast.In() | ast.NotIn()]), _:
            return "in"
        case ast.Compare(ops=[_, _, *_]), _:
            return "a < b < c"
    for part in (getattr(node, "test", None), node, parent):  # Python 3.11 points at the whole `if`
        match part:
            case ast.BoolOp(op) | ast.UnaryOp(ast.Not() as op):
                return type(op).__name__.lower()
    for part in (node, parent):
        match part:
            case ast.While() | ast.Assert():
                return type(part).__name__.lower()
            case ast.If() | ast.IfExp() | ast.comprehension():
                return "if"
    return None


def _name_asker(error: TracerBoolConversionError) -> None:
    asker = next(filter(None, (_asker(*found) for found in user_syntax(error))), "if")
    error.args = (error.args[0].replace(INSTEAD_OF_IF, INSTEAD[asker]),)


# Keywords that a function doesn't know.

ELSEWHERE = {"dim": "axis", "dims": "axis", "keepdim": "keepdims", "size": "shape"}
_KEYWORDS = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)


def _name_nearest_keyword(error: TypeError, fun: Callable) -> None:
    """Adds to Python's sentence the keyword that may be meant, or all that there are."""
    found = re.fullmatch(r"(.+)\(\) got an unexpected keyword argument '(\w+)'", str(error))
    if not found or found[1] != getattr(fun, "__qualname__", ""):
        return
    from difflib import get_close_matches  # not before it is asked for: imports are quick

    keyword = found[2]
    known = [p.name for p in signature(fun).parameters.values() if p.kind in _KEYWORDS]
    near = [x for x in [ELSEWHERE.get(keyword)] if x in known] + get_close_matches(keyword, known)
    advice = f"Did you mean {near[0]}?" if near else f"It takes {', '.join(known)}."
    error.args = (f"{error}. {advice}",)


# What was called, where a message speaks of what that called in turn.

_PACKAGES = {
    "minijax.numpy.fft": "jnp.fft", "minijax.numpy.linalg": "jnp.linalg", "minijax.numpy": "jnp",
    "minijax.lax.linalg": "lax.linalg", "minijax.lax": "lax", "minijax.nn": "nn",
    "minijax.random": "random", "minijax.image": "image", "minijax.ops": "ops",
    **{f"minijax.scipy.{name}": f"scipy.{name}" for name in (
        "cluster.vq", "fft", "integrate", "interpolate", "linalg", "ndimage", "optimize", "signal",
        "sparse.linalg", "special", "stats",
    )},
}  # fmt: skip


def _shown_by(fun: Callable) -> str | None:
    """What users call a function of the library; None for what is none."""
    module, name = getattr(fun, "__module__", None) or "", getattr(fun, "__name__", "")
    if module == "minijax.numpy.ufunc_methods":
        return f"jnp.ufunc.{name}"
    module = module.replace("minijax.core.primitives", "minijax.lax")
    for package, short in _PACKAGES.items():
        if f"{module}.".startswith(f"{package}."):
            shown = sys.modules[package]
            own = module.removeprefix(f"{package}.")
            if own in shown.__all__:  # a module of its own, as scipy.stats.norm
                shown, short = sys.modules[module], f"{short}.{own}"
            return f"{short}.{name}" if fun in _layers(getattr(shown, name, None)) else None
    return None


def _layers(fun: Any) -> Iterator[Any]:
    """A function, what it wraps, and so on."""
    while fun is not None:
        yield fun
        fun = getattr(fun, "__wrapped__", None)


def _name_caller(error: BaseException, fun: Callable) -> None:
    """Adds a line with the function that the user called, where the message is of ours and tells
    of another one. A user's function in between would have a line of its own."""
    entries = list(_entries(error))
    if not entries or not all(is_ours(entry.tb_frame) for entry in entries):
        return
    if not error.args or type(error.args[0]) is not str or str(error) is not error.args[0]:
        return
    shown, message = _shown_by(fun), re.sub(r"\n  in: .*", "", error.args[0])
    if shown is not None and shown.rpartition(".")[2] not in message:
        problem, *origin = re.split(r"(?=\n  \w+: )", message, maxsplit=1)
        error.args = ("".join([problem, f"\n  in: {shown}", *origin]),)


def advise(error: BaseException, fun: Callable | None) -> None:
    """Adds to the message of an error on its way to the user, out of a call of `fun`."""
    if isinstance(error, TracerBoolConversionError):
        _name_asker(error)
    elif fun is not None:
        if isinstance(error, TypeError):
            _name_nearest_keyword(error, fun)
        _name_caller(error, fun)


advisers.append(advise)
