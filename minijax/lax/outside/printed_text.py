"""A text with fields, such as "x = {x}": whether its arguments fit, and what it comes to.

It is shown on the standard output, or in a record of Python's logging.
"""

from __future__ import annotations

import copy
import logging
import sys
from collections.abc import Sequence
from string import Formatter
from typing import Any

import numpy as np

from minijax.core.tracing import current_source
from minijax.lax.elementwise.arithmetic import shown

# Before there are values.


class _Flaw(Exception):
    """Of a text and its arguments: the class of the error, and what to say."""


class _Check(Formatter):
    """Formats nothing. It looks for arguments that the text does not name, and for missing ones."""

    def format_field(self, value: Any, format_spec: str) -> str:
        return ""

    def get_value(self, key: int | str, args: Sequence[Any], kwargs: Any) -> Any:
        if key in kwargs or (isinstance(key, int) and key < len(args)):
            return super().get_value(key, args, kwargs)
        error = IndexError if isinstance(key, int) else KeyError
        raise _Flaw(error, f"names {key} in its text, and got no such argument. Give it.")

    def check_unused_args(self, used_args: Any, args: Any, kwargs: Any) -> None:
        unused = [*(i for i in range(len(args)) if i not in used_args),
                  *(name for name in kwargs if name not in used_args)]  # fmt: skip
        if unused:
            raise _Flaw(
                ValueError, f"got arguments that its text does not name: "
                f"{', '.join(map(str, unused))}. Name each in braces, and give the text as it is: "
                f"an f-string has its values filled in while tracing.",
            )  # fmt: skip


def check_text(name: str, fmt: Any, args: tuple, kwargs: dict, is_formatted: bool) -> None:
    """Raises what is wrong with a text and, where it is formatted by them, with its arguments.

    >>> check_text("print", "{} of {n}", (1,), {"n": 2}, True)
    >>> check_text("print", "{x}", (), {}, True)
    Traceback (most recent call last):
        ...
    KeyError: 'debug.print names x in its text, and got no such argument. Give it.'
    """
    if not isinstance(fmt, str):
        raise TypeError(
            f"debug.{name} takes a text first, and got {shown(fmt)}. Give one, such as '{{}}'."
        )
    try:
        list(Formatter().parse(fmt))
        if is_formatted:
            _Check().format(fmt, *args, **kwargs)
        return
    except _Flaw as flaw:
        error, text = flaw.args
    except ValueError as unread:
        error = ValueError
        text = f"can't read its text {fmt!r}: {unread}. Write a brace that names nothing twice."
    raise error(f"debug.{name} {text}")


def has_fields(fmt: str) -> bool:
    """Whether a text is to be formatted: whether its first piece ends in a field.

    >>> has_fields("x = {}"), has_fields("twice")
    (True, False)
    """
    pieces = [field for _, field, *_ in Formatter().parse(fmt)]
    return bool(pieces) and pieces[0] is not None


# With the values.


def filled(
    fmt: str, args: Sequence[Any], kwargs: dict, *, has_placeholders: bool, np_printoptions: tuple
) -> str:
    """The text with its values, or before them, where it has no fields.

    >>> filled("{} of {n}", [1], {"n": 2}, has_placeholders=True, np_printoptions=())
    '1 of 2'
    """
    if not has_placeholders:
        return " ".join([fmt, *map(str, args)])
    with np.printoptions(**dict(np_printoptions)):
        return fmt.format(*args, **kwargs)


_logger = logging.getLogger("minijax.debug")


def record_of_call() -> logging.LogRecord:
    """A record of the user's line, which waits for its text."""
    source = current_source()
    file = source.code.co_filename if source.code else "(unknown file)"
    return _logger.makeRecord(_logger.name, logging.INFO, file, source.line, "", (), None)


def show_text(text: str, record: logging.LogRecord | None) -> None:
    """Shows a text: in a record of its own, like the one given, or on the standard output.

    >>> show_text("x = 3", None)
    x = 3
    """
    if record is None:
        sys.stdout.write(f"{text}\n")
    else:
        record = copy.copy(record)
        record.msg = text
        _logger.handle(record)
