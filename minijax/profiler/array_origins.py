"""Where arrays were made: known of those that were made while a trace was recorded, and, where
Python's `tracemalloc` is on, of all others."""

from __future__ import annotations

import ast
import linecache
import sys
import tracemalloc
import weakref
from functools import lru_cache, partial
from pathlib import Path
from traceback import walk_stack
from typing import Any, NamedTuple

from minijax.core.arrays import Array, ArrayImpl
from minijax.core.errors import SourceInfo, is_ours
from minijax.core.pytrees import tree_leaves

# Files of ours, and texts that are written and compiled as a program runs.
_OURS = (str(Path(__file__).resolve().parent.parent), "<minijax ", "<kernel ")


class Place(NamedTuple):
    """A line of a function: a frame of a stack. A named scope is one too, without file and line."""

    function: str
    file: str
    line: int


Stack = tuple[Place, ...]  # the innermost place first

_origins: dict[int, tuple[weakref.ref, Stack]] = {}  # by the id of an array that is still there


def note_origins(out: Any, source: SourceInfo) -> None:
    """Remembers that the arrays of a pytree were made by the user's frames of now, within the
    scopes of `source`. What has an origin keeps it."""
    arrays = [x for x in tree_leaves(out) if isinstance(x, ArrayImpl) and id(x) not in _origins]
    if arrays:
        stack = (*_scopes(source), *_user_stack())
        for x in arrays:
            _origins[id(x)] = weakref.ref(x, partial(_forget, id(x))), stack


def _forget(key: int, _: weakref.ref) -> None:
    _origins.pop(key, None)


def _scopes(source: SourceInfo) -> Stack:
    return tuple(Place(name, "", 0) for name in filter(None, reversed(source.name_stack)))


def _user_stack() -> Stack:
    frames = ((f, line) for f, line in walk_stack(sys._getframe(1)) if not is_ours(f))
    return tuple(Place(f.f_code.co_name, f.f_code.co_filename, line) for f, line in frames)


def origin_of(x: Array) -> Stack:
    """The stack that made an array; () where nobody knows it."""
    known, stack = _origins.get(id(x), (None, ()))
    if known is not None and known() is x:
        return stack
    found = tracemalloc.get_object_traceback(x) if tracemalloc.is_tracing() else None
    places = [(frame.filename, frame.lineno) for frame in reversed(found or ())]
    return tuple(
        Place(function_at(file, line), file, line)
        for file, line in places if not file.startswith(_OURS)
    )  # fmt: skip


@lru_cache(maxsize=64)
def _functions_of(file: str) -> list[tuple[int, int, str]]:
    """The functions of a file: first line, last line, name."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except SyntaxError:
        return []
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return [(node.lineno, node.end_lineno or node.lineno, node.name)
            for node in ast.walk(tree) if isinstance(node, kinds)]  # fmt: skip


def function_at(file: str, line: int) -> str:
    """The name of the innermost function around a line; `<module>` where there is none."""
    around = [one for one in _functions_of(file) if one[0] <= line <= one[1]]
    return max(around, default=(0, 0, "<module>"))[2]
