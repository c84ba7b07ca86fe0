"""What takes one more float into a total, as operations of LLVM's own.

LLVM makes vectors of a loop that reduces many numbers to one where it may change their order, or
where the order can't be seen. Only these operations allow it: of all others in a kernel the order
is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minijax.compiler.maths.precisions import Pair
from minijax.core.dtypes import maximum as larger, minimum as smaller

# nsz: a zero's sign doesn't matter, so that the order doesn't.
# Without `contract`: LLVM gives a fused multiply-add the sum's freedom, for the product's factors.
ANY_ORDER = "reassoc nsz"
operations: list[Callable] = []


def compiled_to(operation: str) -> Callable:
    """A decorator: LLVM's instruction or function of floats, and its flags, that a call becomes.

    Python runs the function as it stands.
    """

    def decorate(fun: Callable) -> Pair:
        fun.operation = operation
        operations.append(fun)
        return Pair(fun, fun)

    return decorate


@compiled_to(f"fadd {ANY_ORDER}")
def added(x: Any, y: Any) -> Any:
    """x + y, in any order with other sums."""
    return x + y


@compiled_to(f"fmul {ANY_ORDER}")
def multiplied(x: Any, y: Any) -> Any:
    """x * y, in any order with other products."""
    return x * y


@compiled_to("llvm.maximum")
def maximum(x: Any, y: Any) -> Any:
    """The larger; NaN where either is. -0.0 is below 0.0."""
    return larger(x, y)


@compiled_to("llvm.minimum")
def minimum(x: Any, y: Any) -> Any:
    """The smaller; NaN where either is. -0.0 is below 0.0."""
    return smaller(x, y)
