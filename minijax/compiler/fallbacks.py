"""Fallbacks: where a faster way gives up, a slower one gives the same. Every such place says why.

A fault of ours there would only cost time, and nobody would see it. So what may be the reason is
written down here, and the tests have every other one raised.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from typing import Any

# Why a way may give up: where, and the name of the error's class.
EXPECTED = {
    ("path", "NoPath"): "The program has an effect, or needs the values in an array.",
    ("index", "IndexError"): "An integer is out of range: the long way moves it, or leaves it out.",
    ("index", "OverflowError"): "An integer does not fit its dtype: the long way wraps it round.",
    ("path", "NotStraight"): "An equation is no function of NumPy's.",
    ("program", "NotStraight"): "An equation is no function of NumPy's.",
    ("jitted call", "NoPath"): "An argument is traced, or on other devices, or there are too many.",
    ("known operands", "NotImplementedError"): "A primitive without implementation may never run.",
    ("step", "NotStraight"): "An operand's dtype is none of NumPy's.",
    ("common subexpression", "TypeError"): "A parameter of a user's primitive has no hash.",
    ("loop", "NotCompiled"): "Its body does what kernels can't; `explain` says what.",
    ("rows", "OfAllRows"): "A loop's row is made of others' too, or its rows are few.",
}

# Who is told of a fallback that is not expected: where, and the error. The tests add one.
fallback_watchers: list[Callable[[str, BaseException], None]] = []


def fall_back(where: str, why: BaseException) -> None:
    """To be called wherever an error is caught and another way is taken."""
    if (where, type(why).__name__) not in EXPECTED:
        for watch in fallback_watchers:
            watch(where, why)


def instead(where: str, why: BaseException, fun: Callable, /, *args: Any, **kwargs: Any) -> Any:
    """fun(*args, **kwargs), after a faster way failed. Where this fails too, the call was wrong."""
    out = fun(*args, **kwargs)
    fall_back(where, why)
    return out


def is_installed(package: str) -> bool:
    """Whether a package that is not needed can be imported."""
    try:
        return find_spec(package) is not None
    except ValueError:  # somebody has said that it can't
        return False


@cache
def has_numba() -> bool:
    """Whether Numba can be imported; where it can't, a warning says so, once."""
    found = is_installed("numba") and is_installed("llvmlite")
    if not found:
        warnings.warn(
            "Numba can't be imported, so jit runs its programs on NumPy, which is slower. "
            "Install it (pip install numba), or choose: "
            'minijax.config.update("jit_backend", "numpy").',
            stacklevel=2,
        )
    return found
