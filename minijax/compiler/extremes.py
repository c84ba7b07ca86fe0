"""The larger and the smaller of two floats, as operations that LLVM has: it makes vectors of a loop
that looks for the largest of many only where it sees one of these."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import lower_builtin, type_callable

from minijax.compiler.precisions import Pair


def as_operation(operation: str) -> Callable:
    """A decorator: what a function is compiled to, in both precisions. Python runs it as it is."""

    def decorate(fun: Callable) -> Pair:
        @type_callable(fun)
        def type_rule(context: Any) -> Callable:
            return lambda x, y: x if x == y and isinstance(x, types.Float) else None

        @lower_builtin(fun, types.Float, types.Float)
        def lower(context: Any, builder: Any, signature: Any, args: tuple) -> Any:
            number = args[0].type
            two_to_one = ir.FunctionType(number, [number, number])
            function = builder.module.declare_intrinsic(operation, [number], two_to_one)
            return builder.call(function, args, fastmath=("nsz",))

        return Pair(fun, fun)

    return decorate


@as_operation("llvm.maximum")
def maximum(x: Any, y: Any) -> Any:
    """The larger; NaN where either is. Of two zeros, either."""
    return x if x > y or x != x else y


@as_operation("llvm.minimum")
def minimum(x: Any, y: Any) -> Any:
    """The smaller; NaN where either is. Of two zeros, either."""
    return x if x < y or x != x else y

