"""A student's file as text, as lines, and as the statements of it that are Python.

Lines are those that Python counts. `str.splitlines` has more ends of lines, such as a form feed,
and every piece below one would be cut at the wrong place.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator, Sequence

STATEMENTS = 500  # of a file, at its top level
FURTHEST = 30  # lines at the left margin that one statement may have, as a text over several may
GOES_ON = re.compile(r"\f*([ \t#)\]}]|(else|elif|except|finally)\b|$)")  # no statement begins so


def decoded(data: bytes) -> str:
    """A file's text, by its coding line where it has one.

    Raises:
      ValueError: it is none; the words go on from "the file is".
    """
    try:
        coding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    except SyntaxError as error:
        raise ValueError(f"no UTF-8 text: {error}") from None
    try:
        return data.decode(coding)
    except (LookupError, UnicodeError):
        raise ValueError(f"no {coding.upper()} text") from None


def lines(text: str) -> list[str]:
    r"""A text's lines, without their ends.

    >>> lines("a\fb\u2028c\r\nd\n")
    ['a\x0cb\u2028c', 'd']
    """
    found = re.split("\r\n|\r|\n", text)
    return found[:-1] if found[-1] == "" else found


def parse(text: str) -> ast.Module:
    """A file's statements. Where it is no Python, those that are: one slip loses one piece.

    Raises:
      RecursionError, MemoryError: it is nested too deeply.
    """
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError):
        return ast.Module(list(whole_statements(lines(text))), type_ignores=[])


def whole_statements(text: Sequence[str]) -> Iterator[ast.stmt]:
    """The statements that are Python by themselves, with their places in the whole text."""
    begins = [k for k, line in enumerate(text) if not GOES_ON.match(line)]
    ends = [*begins[1:], len(text)]
    k = 0
    while k < len(begins) <= STATEMENTS:
        found, k = next_statement(text, begins, ends, k)
        yield from found


def next_statement(
    text: Sequence[str], begins: Sequence[int], ends: Sequence[int], k: int
) -> tuple[list[ast.stmt], int]:
    """The statement that begins at the k-th place, or none; and at which place to go on.

    It ends where it first is Python: a decorator goes on, and so does a text over several lines.
    """
    for last in range(k, min(k + FURTHEST, len(begins))):
        piece = "\n".join(text[begins[k] : ends[last]])
        try:
            tree = ast.parse(piece)
        except (SyntaxError, ValueError):
            continue
        return ast.increment_lineno(tree, begins[k]).body, last + 1
    return [], k + 1
