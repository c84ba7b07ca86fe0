"""What Numba is taught before it compiles a kernel: the functions that kernels call.

A function is inlined with flags of its own. An operation (totals.py) is one of LLVM's.
"""

import inspect
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import lower_builtin, register_jitable, type_callable

from minijax.compiler.maths.precisions import functions
from minijax.compiler.maths.totals import operations

_taught: set[Callable] = set()


def teach_new() -> None:
    """Teaches Numba the functions and the operations that it does not know yet."""
    for fun in functions:
        if fun not in _taught:
            teach_function(fun)
    for fun in operations:
        if fun not in _taught:
            teach_operation(fun)
    _taught.update(functions, operations)


def teach_function(fun: Callable) -> None:
    """Compiled code may call the function from now on, and has it inlined."""
    register_jitable(
        error_model="numpy", fastmath=set(fun.fastmath), forceinline=True,
        no_cpython_wrapper=True, no_cfunc_wrapper=True,
    )(fun)  # fmt: skip


def teach_operation(fun: Callable) -> None:
    """The call of an operation is one of LLVM's instructions, or functions of floats."""
    instruction, *flags = fun.operation.split()
    parameters = inspect.signature(fun).parameters

    @type_callable(fun)
    def type_rule(context: Any) -> Callable:
        def of_one_type(x: Any, y: Any, z: Any = None) -> Any:
            return x if isinstance(x, types.Float) and x == y == (z or y) else None

        return of_one_type

    @lower_builtin(fun, *[types.Float] * len(parameters))
    def lower(context: Any, builder: Any, signature: Any, args: tuple) -> Any:
        if not instruction.startswith("llvm."):
            return getattr(builder, instruction)(*args, flags=flags)
        number = args[0].type
        to_one = ir.FunctionType(number, [number] * len(args))
        function = builder.module.declare_intrinsic(instruction, [number], to_one)
        return builder.call(function, args, fastmath=flags)
