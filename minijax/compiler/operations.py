"""What takes one more float into a total, as operations of LLVM's own.

LLVM makes vectors of a loop that reduces many numbers to one where it may change their order, or
where the order can't be seen. Only these operations allow it: of all others in a kernel the order
is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import lower_builtin, type_callable

from minijax.compiler.precisions import Pair

# Without `contract`: LLVM gives a fused multiply-add the sum's freedom, for the product's factors.
ANY_ORDER = ("reassoc", "nsz")


def compiled_to(emit: Callable) -> Callable:
    """A decorator: what is written for a call of the function. Python runs it as it stands."""

    def decorate(fun: Callable) -> Pair:
        @type_callable(fun)
        def type_rule(context: Any) -> Callable:
            return lambda x, y: x if x == y and isinstance(x, types.Float) else None

        @lower_builtin(fun, types.Float, types.Float)
        def lower(context: Any, builder: Any, signature: Any, args: tuple) -> Any:
            return emit(builder, *args)

        return Pair(fun, fun)

    return decorate


def intrinsic(name: str) -> Callable:
    """Writes a call of LLVM's function of two floats."""

    def emit(builder: Any, x: Any, y: Any) -> Any:
        two_to_one = ir.FunctionType(x.type, [x.type, x.type])
        function = builder.module.declare_intrinsic(name, [x.type], two_to_one)
        return builder.call(function, [x, y], fastmath=("nsz",))

    return emit


@compiled_to(lambda builder, x, y: builder.fadd(x, y, flags=ANY_ORDER))
def added(x: Any, y: Any) -> Any:
    """x + y, in any order with other sums."""
    return x + y


@compiled_to(lambda builder, x, y: builder.fmul(x, y, flags=ANY_ORDER))
def multiplied(x: Any, y: Any) -> Any:
    """x * y, in any order with other products."""
    return x * y


@compiled_to(intrinsic("llvm.maximum"))
def maximum(x: Any, y: Any) -> Any:
    """The larger; NaN where either is. Of two zeros, either."""
    return x if x > y or x != x else y


@compiled_to(intrinsic("llvm.minimum"))
def minimum(x: Any, y: Any) -> Any:
    """The smaller; NaN where either is. Of two zeros, either."""
    return x if x < y or x != x else y
