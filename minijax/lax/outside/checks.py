"""Checks: conditions that a user's function says of its values, which hold or are errors."""

from __future__ import annotations

from typing import Any

import numpy as np

from minijax.core.arrays import Array
from minijax.core.pytrees import tree_leaves
from minijax.core.tracing import Tracer, current_source
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.elementwise.bits import bitwise_not
from minijax.lax.outside.error_values import Error, assert_func, bind_check, init_error
from minijax.lax.outside.findings import FailedCheckError


def check(pred: Any, msg: str, *fmt_args: Any, debug: bool = False, **fmt_kwargs: Any) -> None:
    """Checks a condition: a bool, or an array of one.

    In a function that `checkify` has transformed, a condition that does not hold is an error among
    its results, with the message `msg.format(*fmt_args, **fmt_kwargs)`; these are pytrees of
    arrays. Outside of programs it raises JaxRuntimeError. `jit`, and loops and choices of lax, take
    no check that is not checkified: ValueError. With `debug`, it is a `debug_check`. TypeError for
    another condition, and where a value to be shown is no array.

    >>> from minijax.experimental import checkify
    >>> def root(x):
    ...     checkify.check(x >= 0, "{x} has no root", x=x)
    ...     return x**0.5
    >>> import minijax
    >>> error, _ = minijax.jit(checkify.checkify(root))(-4.0)
    >>> error.get()
    '-4.0 has no root (`check` failed)'
    """
    name = "debug_check" if debug else "check"
    if not _is_condition(pred):
        raise TypeError(
            f"checkify.{name} takes one bool as pred, or an array of one, and got {shown(pred)}.\n"
            f"Compare numbers, or use x.all()."
        )
    if not isinstance(msg, str):
        raise TypeError(f"checkify.{name} takes a text as msg, and got {shown(msg)}. Give one.")
    for x in tree_leaves((fmt_args, fmt_kwargs)):
        if not isinstance(x, Array | Tracer | np.ndarray):
            raise TypeError(
                f"checkify.{name} fills arrays into its message, and got {shown(x)}.\n"
                f"Give jnp.asarray of a number, or write what is known into the message."
            )
    finding = FailedCheckError(current_source(), (msg,), (fmt_args, fmt_kwargs))
    failed = np.bool_(not pred) if isinstance(pred, bool) else bitwise_not(pred)
    bind_check(assert_func(init_error, failed, finding), bool(debug))


def _is_condition(x: Any) -> bool:
    return isinstance(x, bool) or (
        isinstance(x, Array | Tracer) and x.shape == () and x.dtype == np.bool_
    )


def debug_check(pred: Any, msg: str, *fmt_args: Any, **fmt_kwargs: Any) -> None:
    """Like `check`, where `checkify` has transformed the function; nothing anywhere else.

    >>> from minijax.experimental import checkify
    >>> debug_check(False, "nobody asked")
    >>> checkify.checkify(debug_check)(False, "asked for")[0].get()
    'asked for (`check` failed)'
    """
    check(pred, msg, *fmt_args, debug=True, **fmt_kwargs)


def check_error(error: Error) -> None:
    """Raises what was found, as `check` does: the inverse of `checkify`.

    In a function that `checkify` has transformed, the finding becomes one of that function's.
    TypeError for what is no Error.

    >>> from minijax.experimental import checkify
    >>> check_error(checkify.checkify(lambda x: x)(1.0)[0])
    """
    if not isinstance(error, Error):
        raise TypeError(
            f"checkify.check_error takes an Error, and got {shown(error)}.\nGive the first result "
            f"of a function that checkify made."
        )
    bind_check(error)
