"""Calls of Python: a compiled loop has Python run an equation that no kernel can, such as a print.

The kernel's text calls `call_python3`, say: a function of C's that ctypes makes, which takes the
lock of Python's interpreter for as long as it runs. It is given the number of a call, where to
write a 0 in the end, and three addresses, of operands and of results. The number is data that the
kernel reads: its text and its machine code are the same whatever is called.

No error passes through machine code. It waits here, the kernel returns early, and whoever called
the kernel raises it.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Sequence
from functools import cache
from itertools import count
from types import SimpleNamespace
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from minijax.compiler.named_in_text import array_of, caller
from minijax.core.arrays import raw_value
from minijax.core.staging import JaxprEqn
from minijax.core.tracing import Primitive

# Primitives that a compiled loop has Python run; families add theirs.
run_by_python: set[Primitive] = set()
why_python: dict[Primitive, str] = {}  # and say why, to be read
MOST = 32  # addresses that one call is given


class PythonCall:
    """An equation, ready to run on operands that lie in a kernel's memory."""

    def __init__(self, eqn: JaxprEqn) -> None:
        self.run, self.is_one = caller(eqn), not eqn.primitive.multiple_results
        self.in_avals = [x.aval for x in eqn.invars]
        self.sizes = [aval.size * aval.dtype.itemsize for aval in self.in_avals]
        self.number = next(_numbers)
        calls[self.number] = self

    def __call__(self, addresses: Sequence[int]) -> None:
        """Runs it on copies: the kernel goes on to write where its operands lie."""
        operands = [
            array_of(copied(address, size, aval), aval)
            for address, size, aval in zip(addresses, self.sizes, self.in_avals, strict=False)
        ]
        results = [self.run(*operands)] if self.is_one else self.run(*operands)
        outs = map(np.ascontiguousarray, map(raw_value, results))
        for address, out in zip(addresses[len(operands) :], outs, strict=True):
            ctypes.memmove(address, out.ctypes.data, out.nbytes)


def copied(address: int, size: int, aval: Any) -> np.ndarray:
    """An array of what lies at an address, so many bytes."""
    if not size:
        return np.empty(aval.shape, aval.dtype)
    return np.frombuffer(ctypes.string_at(address, size), aval.dtype).reshape(aval.shape)


# The calls there are, by number: each for as long as the loop that has it.
calls: WeakValueDictionary[int, PythonCall] = WeakValueDictionary()
_numbers = count()


class _Waiting(threading.local):
    """The error of each thread that waits for its kernel to return."""

    error: BaseException | None = None


_waiting = _Waiting()


def _called(number: int, failed: int, *addresses: int) -> None:
    """What the functions of C's do."""
    try:
        calls[number](addresses)
        ctypes.c_int64.from_address(failed).value = 0
    except BaseException as error:  # Ctrl-C too
        _waiting.error = error


def raise_waiting() -> None:
    """Raises the error that had a kernel return early: Ctrl-C, where no call could keep it."""
    error, _waiting.error = _waiting.error, None
    raise error or KeyboardInterrupt


@cache
def c_functions() -> SimpleNamespace:
    """The functions of C's, by the names that kernels and machine code have for them."""
    return SimpleNamespace(**{f"call_python{n}": _c_function(n) for n in range(MOST + 1)})


def _c_function(number: int) -> Callable:
    types = (ctypes.c_int64, ctypes.c_void_p, *[ctypes.c_void_p] * number)
    function = ctypes.CFUNCTYPE(None, *types)(_called)
    function.argtypes, function.restype = types, None
    function.__name__ = f"call_python{number}"
    return function
