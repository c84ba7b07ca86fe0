"""What a kernel is called with: machine code trusts it, so whoever calls by hand is checked.

A type is "float32[::1]", the elements of a contiguous array, or "int64", a number.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minijax.compiler.doors import Kernel

_NUMBERS = {"i": (int, np.integer), "u": (int, np.integer), "f": (float, int, np.floating),
            "b": (bool, np.bool_)}  # fmt: skip


class NativeKernel(Kernel):
    """A kernel of machine code. `call` trusts its arguments; the kernel, called, checks them."""

    __slots__ = ()

    def __call__(self, *args: Any) -> None:
        check_arguments(self.name, self.signature, args)
        self.call(*args)


def is_array(type_name: str) -> bool:
    return type_name.endswith("[::1]")


def check_arguments(name: str, signature: Sequence[str], args: Sequence[Any]) -> None:
    """TypeError where a kernel would read memory that the arguments don't have."""
    if len(args) != len(signature):
        raise TypeError(f"{name} takes {len(signature)} arguments; got {len(args)}.")
    for position, (type_name, arg) in enumerate(zip(signature, args, strict=True)):
        dtype = np.dtype(type_name.removesuffix("[::1]"))
        if is_array(type_name):
            fits = isinstance(arg, np.ndarray) and arg.dtype == dtype
            fits = fits and arg.flags.c_contiguous and arg.flags.aligned
        else:
            fits = isinstance(arg, _NUMBERS[dtype.kind])
        if not fits:
            got = f"an array of {arg.dtype}" if isinstance(arg, np.ndarray) else type(arg).__name__
            raise TypeError(
                f"Argument {position} of {name} must be {type_name}; got {got}. "
                "An array is passed as a NumPy array, contiguous and aligned, a size as an int."
            )
