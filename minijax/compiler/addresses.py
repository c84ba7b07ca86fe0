"""Addresses: a kernel's arrays as Numba sees them, which are where their elements begin.

Numba's own arrays carry an owner, a count, sizes and strides, and code that looks after each. An
address, Numba's CPointer, has none. It lacks two things that kernels do: bools, and x[lo:hi].
"""

import operator
from typing import Any

from numba.core import types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin

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
