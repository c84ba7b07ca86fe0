"""The larger and the smaller of two floats, as operations that LLVM has: it makes vectors of a loop
that looks for the largest of many only where it sees one of these."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minijax.compiler.precisions import Pair


def as_operation(operation: str) -> Callable:
    """A decorator: what a function is compiled to, in both precisions. Python runs it as it is."""

    def decorate(fun: Callable) -> Pair:
        fun.operation = operation
        return Pair(fun, fun)

    return decorate


@as_operation("maximum")
def maximum(x: Any, y: Any) -> Any:
    """The larger; NaN where either is. Of two zeros, either."""
    return x if x > y or x != x else y


@as_operation("minimum")
def minimum(x: Any, y: Any) -> Any:
    """The smaller; NaN where either is. Of two zeros, either."""
    return x if x < y or x != x else y

