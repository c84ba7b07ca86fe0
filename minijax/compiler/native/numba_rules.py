"""Numba's rules: what Numba is taught before it compiles the first kernel.

A kernel's arrays are addresses to it, where their elements begin. Numba's own arrays carry an
owner, a count, sizes and strides, and code that looks after each. An address, Numba's CPointer, has
none. It lacks two things that kernels do: bools, and x[lo:hi].
"""

import inspect
import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin, register_jitable, type_callable

from minijax.compiler.maths import as_xla  # noqa: F401  (its functions are among those below)
from minijax.compiler.maths.precisions import functions
from minijax.compiler.maths.totals import operations

# A bool is one bit in LLVM and a byte in memory.


@lower_builtin(operator.getitem, types.CPointer(types.boolean), types.Integer)
def _load_bool(context: Any, builder: Any, signature: Any, args: tuple) -> Any:
    address, i = args
    return context.unpack_value(builder, types.boolean, builder.gep(address, [i]))


@lower_builtin(operator.setitem, types.CPointer(types.boolean), types.Integer, types.boolean)
def _store_bool(context: Any, builder: Any, signature: Any, args: tuple) -> None:
    address, i, value = args
    context.pack_value(builder, types.boolean, value, builder.gep(address, [i]))


# A slice is the address of its first element.


@infer_global(operator.getitem)
class SliceOfAddress(AbstractTemplate):
    """The type of x[lo:hi]: x's own."""

    def generic(self, args: tuple, kws: dict) -> Any:
        address, index = args
        if isinstance(address, types.CPointer) and index == types.slice2_type:
            return signature(address, address, index)
        return None


@lower_builtin(operator.getitem, types.CPointer, types.SliceType)
def _slice(context: Any, builder: Any, signature: Any, args: tuple) -> Any:
    address, index = args
    slice_ = context.make_helper(builder, signature.args[1], index)
    return builder.gep(address, [slice_.start])


# The functions that kernels call.

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


for _fun in functions:
    teach_function(_fun)
for _fun in operations:
    teach_operation(_fun)
