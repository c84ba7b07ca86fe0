"""Doors: a kernel's text becomes a function that Python calls: compiled by Numba, or Python's.

A kernel is compiled once in a process. Which door it takes is `config.jit_kernels`; the engine room
adds one, "direct", which takes a fraction of Numba's time.
"""

from __future__ import annotations

import linecache
import os
import re
import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from minijax.compiler.kernel_functions import kernel_names, users_functions
from minijax.core.config import BoundedDict, config, register_cache

# How every kernel is compiled: a product and a sum may be one instruction, which rounds once.
FLAGS = frozenset({"contract"})

# What a kernel's arguments are: the elements of a contiguous array, "float32[::1]", or a number.

_NUMBERS = {"i": (int, np.integer), "u": (int, np.integer), "f": (float, int, np.floating),
            "b": (bool, np.bool_)}  # fmt: skip


def is_array(type_name: str) -> bool:
    return type_name.endswith("[::1]")


def element(type_name: str) -> str:
    """The dtype's name in an argument's type: float32 in "float32[::1]" and in "float32"."""
    return type_name.removesuffix("[::1]")


def check_arguments(name: str, signature: Sequence[str], args: Sequence[Any]) -> None:
    """TypeError where a kernel would read memory that the arguments don't have."""
    if len(args) != len(signature):
        raise TypeError(f"{name} takes {len(signature)} arguments; got {len(args)}.")
    for position, (type_name, arg) in enumerate(zip(signature, args, strict=True)):
        dtype = np.dtype(element(type_name))
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


class Kernel:
    """A compiled kernel. `call` trusts its arguments; the kernel itself, called, checks them.

    `door` says who compiled it, and `file` where a traceback looks for its text.
    """

    __slots__ = ("call", "door", "file", "name", "signature", "source")

    def __init__(
        self, source: str, name: str, signature: tuple, door: str, file: str, call: Callable
    ) -> None:
        self.source, self.name, self.signature = source, name, signature
        self.door, self.file, self.call = door, file, call

    def __call__(self, *args: Any) -> None:
        check_arguments(self.name, self.signature, args)
        self.call(*args)

    def __repr__(self) -> str:
        return f"Kernel({self.name}({', '.join(self.signature)}), {self.door}, {self.file})"


# To a function.


def as_function(source: str, name: str, file: str) -> Callable:
    """The kernel as a function in Python; a traceback through it shows its lines.

    In its text, `part` marks the functions that the kernel itself calls.
    """
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    namespace = {**kernel_names(), "part": part}
    exec(compile(source, file, "exec"), namespace)
    return namespace[name]


def file_name(source: str, signature: tuple) -> str:
    """Where tracebacks look for a text that is in no file."""
    return f"<kernel {hash((source, signature)) & 0xFFFFFFFF:08x}>"


# By Python: kernels can be stepped through.


def is_jit_disabled() -> bool:
    """Whether NUMBA_DISABLE_JIT is set: then kernels run as Python, in a debugger too."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


def flat(args: Sequence[Any]) -> list[Any]:
    """Arrays as their elements in a row; numbers as they are."""
    return [x.reshape(-1) if isinstance(x, np.ndarray) else x for x in args]


def interpreted(fun: Callable) -> Callable:
    """The kernel run by Python, as silent as native code about overflow and division by zero."""

    def call(*args: Any) -> None:
        with np.errstate(all="ignore"):
            fun(*flat(args))

    return call


# By Numba.


def part(fun: Callable) -> Callable:
    """For Numba, a part is a function to compile; to Python, a function."""
    if is_jit_disabled():
        return fun
    from numba import njit

    return njit(error_model="numpy", fastmath=set(FLAGS), nogil=True)(fun)


def numba_types(fun: Callable, signature: Sequence[str]) -> tuple:
    """Numba's types of a kernel's arguments. Of x0, x1, ... it only reads."""
    from numba import types

    names = fun.__code__.co_varnames
    scalars = [getattr(types, element(t).replace("bool", "boolean")) for t in signature]
    return tuple(
        types.Array(scalar, 1, "C", readonly=re.fullmatch(r"x\d+", name) is not None)
        if is_array(t) else scalar
        for name, t, scalar in zip(names, signature, scalars, strict=False)
    )  # fmt: skip


def numba_dispatcher(
    source: str, name: str, signature: tuple, fastmath: frozenset, file: str
) -> Callable:
    """Numba's compiled function of flat arrays and numbers.

    TypeError where Numba can't compile a function of the user's that the kernel calls.
    """
    from numba import NumbaError, njit

    from minijax.compiler.maths.numba_functions import teach_new

    fun = as_function(source, name, file)
    teach_new()
    compile_for = njit(numba_types(fun, signature), error_model="numpy", fastmath=set(fastmath),
                       nogil=True)  # fmt: skip
    try:
        return compile_for(fun)
    except NumbaError as error:
        called = ", ".join(f.__name__ for f in users_functions(source))
        if not called:
            raise
        raise TypeError(
            f"Numba can't compile a kernel that calls {called}: {why_not(error)}\n"
            f"Let {called} do only what Numba knows, for numbers of these types."
        ) from None


def why_not(error: Exception) -> str:
    """The first line of an error of Numba's that says what it could not do."""
    lines = re.sub(r"\x1b\[\d*m", "", str(error)).strip().splitlines()
    said = [line for line in lines if line.strip() and not line.startswith("Failed in ")]
    return said[0] if said else type(error).__name__


def by_numba(source: str, name: str, signature: tuple, fastmath: frozenset) -> Kernel:
    """The kernel compiled by Numba, of which nothing is used but what its manual describes."""
    file = file_name(source, signature)
    dispatcher = numba_dispatcher(source, name, signature, fastmath, file)

    def call(*args: Any) -> None:
        dispatcher(*flat(args))

    return Kernel(source, name, signature, "numba", file, call)


def numba_assembly(source: str, name: str, signature: tuple, fastmath: frozenset) -> str:
    dispatcher = numba_dispatcher(source, name, signature, fastmath, "<kernel>")
    return "\n".join(dispatcher.inspect_asm().values())


def by_python(source: str, name: str, signature: tuple, fastmath: frozenset) -> Kernel:
    file = file_name(source, signature)
    call = interpreted(as_function(source, name, file))
    return Kernel(source, name, signature, "python", file, call)


# Once in a process.


class Door(NamedTuple):
    """A way from a text to a kernel; its instructions as a text; whether the way is short."""

    compile: Callable[..., Kernel]
    assembly: Callable[..., str]
    is_kept: Callable[..., bool] = lambda *of_kernel: False


doors = {"numba": Door(by_numba, numba_assembly)}
_kernels: BoundedDict = BoundedDict(4096)
_in_work: dict[tuple, Any] = {}
_looking = threading.Lock()  # held while the two are looked into
register_cache(_kernels.clear)


def door_in_use(asked: str | None = None) -> str:
    """The door that kernels take: the one asked for, or what `jit_kernels` says, if it is here."""
    if is_jit_disabled():
        return "python"
    asked = asked or config.jit_kernels
    return asked if asked in doors else "numba"


def compile_source(
    source: str, name: str, signature: tuple, fastmath: frozenset, door: str | None = None
) -> Kernel:
    """The kernel `name` of a text, compiled for arguments of these types.

    A type is "float32[::1]", a contiguous array's elements from the first on, or "int64", a number.
    The text may index an array and take x[lo:hi] of it, and nothing else. ImportError where it is
    to be compiled and there is no Numba.
    """
    door = door_in_use(door)
    key = (source, name, signature, fastmath, door, users_functions(source))
    kernel = _kernels.get(key)
    if kernel is None:
        with _looking:
            lock = _in_work.setdefault(key, threading.Lock())
        with lock:  # a second thread that asks for this kernel waits here, others go on
            kernel = _kernels.get(key)
            if kernel is None:
                make = by_python if door == "python" else doors[door].compile
                kernel = _kernels[key] = make(source, name, signature, fastmath)
        with _looking:
            _in_work.pop(key, None)
    return kernel


def assembly(source: str, name: str, signature: tuple, fastmath: frozenset, door: str) -> str:
    """The instructions of a kernel, as a text. They are made anew, whatever is kept."""
    return doors[door].assembly(source, name, signature, fastmath)


def is_at_hand(
    source: str, name: str, signature: tuple, fastmath: frozenset, door: str | None = None
) -> bool:
    """Whether `compile_source` has little to do for a kernel."""
    door = door_in_use(door)
    return door == "python" or doors[door].is_kept(source, name, signature, fastmath)
