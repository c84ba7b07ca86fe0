"""How exact a function of floats is to be: equations show it, and a function has one precision."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from enum import Enum
from numbers import Real
from typing import Any

from minijax.core import primitives
from minijax.core.errors import safe_repr
from minijax.core.tracing import Primitive


class AccuracyMode(Enum):
    """The most exact way to compute a function, or the usual one: here they are the same."""

    HIGHEST = 1
    DEFAULT = 2


class Tolerance:
    """How far from the exact value a result may be: by a number, by a share of it, by last places.

    ValueError for a negative number and where none is given; TypeError for what is no number.

    >>> Tolerance(atol=1e-6, ulps=4).ulps
    4
    """

    def __init__(self, atol: float = 0.0, rtol: float = 0.0, ulps: int = 0) -> None:
        given = {"atol": atol, "rtol": rtol, "ulps": ulps}
        for name, number in given.items():
            if not isinstance(number, Real):
                got = safe_repr(number)
                raise TypeError(f"lax.Tolerance got {name} {got}. Give a number from 0 on.")
            if number < 0:
                raise ValueError(f"lax.Tolerance got {name} {number}. Give a number from 0 on.")
        if not any(given.values()):
            raise ValueError("lax.Tolerance got no tolerance. Give atol, rtol or ulps above 0.")
        self.atol, self.rtol, self.ulps = atol, rtol, ulps

    def __repr__(self) -> str:
        return f"Tolerance(atol={self.atol}, rtol={self.rtol}, ulps={self.ulps})"


_SENTENCE = "`accuracy`, a Tolerance or an AccuracyMode, is shown by equations and changes nothing."


def with_accuracy(primitive: Primitive, doc: str) -> Callable:
    """The function of one operand that binds a primitive, and can be told how exact it is to be."""

    def function(x: Any, *, accuracy: Tolerance | AccuracyMode | None = None) -> Any:
        if accuracy is None:
            return primitive.bind(x)
        if not isinstance(accuracy, Tolerance | AccuracyMode):
            error = NotImplementedError if isinstance(accuracy, Hashable) else TypeError
            raise error(
                f"lax.{primitive} got the accuracy {safe_repr(accuracy)}. Give a lax.Tolerance, a "
                f"lax.AccuracyMode or None."
            )
        return primitive.bind(x, accuracy=accuracy)

    function.__name__ = function.__qualname__ = primitive.name
    function.__doc__ = f"{doc}\n\n{_SENTENCE}"
    return function


def _of_core(name: str) -> Callable:
    return with_accuracy(getattr(primitives, f"{name}_p"), getattr(primitives, name).__doc__)


cos, exp, log, sin = map(_of_core, ("cos", "exp", "log", "sin"))
