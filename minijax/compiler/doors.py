"""Doors: a kernel's text becomes a function that Python calls, once in a process.

Each door is another way to compile. Numba's is here; the engine room adds others.
"""

from __future__ import annotations

import linecache
import os
import re
import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from minijax.compiler.kernel_functions import kernel_names, users_functions, whose_fault
from minijax.core.config import BoundedDict, config, register_cache

# How every kernel is compiled: a product and a sum may be one instruction, which rounds once.
FLAGS = frozenset({"contract"})


class Kernel(NamedTuple):
    """A compiled kernel: `call` runs it. `file` is where a traceback looks for its text."""

    source: str
    name: str
    signature: tuple[str, ...]  # "float32[::1]" is an array's elements in a row, "int64" a number
    door: str  # who compiled it
    file: str
    call: Callable[..., None]

    def __call__(self, *args: Any) -> None:
        self.call(*args)

    def __repr__(self) -> str:
        return f"Kernel({self.name}({', '.join(self.signature)}), {self.door}, {self.file})"


# To a function.


def is_jit_disabled() -> bool:
    """Whether NUMBA_DISABLE_JIT is set: then kernels run as Python, in a debugger too."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


def part(fun: Callable) -> Callable:
    """For Numba, a part is a function to compile; to Python, a function."""
    if is_jit_disabled():
        return fun
    from numba import njit

    return njit(error_model="numpy", fastmath=set(FLAGS), nogil=True)(fun)


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


def flat(args: Sequence[Any]) -> list[Any]:
    """Arrays as their elements in a row, numbers as they are; ValueError where that is a copy."""
    return [x.reshape(-1, copy=False) if isinstance(x, np.ndarray) else x for x in args]


# By Numba.


def numba_types(fun: Callable, signature: Sequence[str]) -> list:
    """Numba's types of a kernel's arguments. Of x0, x1, ... it only reads."""
    from numba import types

    found = []
    for name, type_name in zip(fun.__code__.co_varnames, signature, strict=False):
        dtype, *is_array = type_name.split("[")
        number = getattr(types, dtype.replace("bool", "boolean"))
        readonly = re.fullmatch(r"x\d+", name) is not None
        found.append(types.Array(number, 1, "C", readonly) if is_array else number)
    return found


def numba_dispatcher(
    source: str, name: str, signature: tuple, fastmath: frozenset, file: str
) -> Callable:
    """Numba's compiled function of flat arrays and numbers."""
    from numba import NumbaError, njit

    from minijax.compiler.maths.numba_functions import teach_new

    fun = as_function(source, name, file)
    teach_new()
    types = tuple(numba_types(fun, signature))
    try:
        return njit(types, error_model="numpy", fastmath=set(fastmath), nogil=True)(fun)
    except NumbaError as error:
        raise whose_fault(error, source) from None


def by_numba(source: str, name: str, signature: tuple, fastmath: frozenset) -> Kernel:
    """The kernel compiled by Numba, of which nothing is used but what its manual describes."""
    file = file_name(source, signature)
    dispatcher = numba_dispatcher(source, name, signature, fastmath, file)
    return Kernel(source, name, signature, "numba", file, lambda *args: dispatcher(*flat(args)))


def numba_assembly(source: str, name: str, signature: tuple, fastmath: frozenset) -> str:
    dispatcher = numba_dispatcher(source, name, signature, fastmath, "<kernel>")
    return "\n".join(dispatcher.inspect_asm().values())


# Once in a process.


class Door(NamedTuple):
    """A way from a text to a kernel, its instructions as a text, and what may begin before."""

    compile: Callable[..., Kernel]
    assembly: Callable[..., str]
    begin: Callable[[Sequence[tuple]], None] = lambda kernels: None  # on all kernels of a program


doors = {"numba": Door(by_numba, numba_assembly)}
_kernels: BoundedDict = BoundedDict(4096)
_in_work: dict[tuple, Any] = {}  # a lock for each kernel that is being compiled
register_cache(_kernels.clear)


def door_in_use(asked: str | None = None) -> str:
    """The door that kernels take: the one asked for, or what `jit_kernels` says, if it is here."""
    wanted = "python" if is_jit_disabled() else asked or config.jit_kernels
    return wanted if wanted in doors else "numba"


def compile_source(
    source: str, name: str, signature: tuple, fastmath: frozenset, door: str | None = None
) -> Kernel:
    """The kernel `name` of a text, compiled for arguments of these types.

    The text may index an array and take x[lo:hi] of it, and nothing else. ImportError where it is
    to be compiled and there is no Numba.
    """
    door = door_in_use(door)
    key = (source, name, signature, fastmath, door, users_functions(source))
    kernel = _kernels.get(key)
    if kernel is None:
        # A second thread that asks for this kernel waits here, others go on.
        with _in_work.setdefault(key, threading.Lock()):
            kernel = _kernels.get(key)
            if kernel is None:
                kernel = _kernels[key] = doors[door].compile(source, name, signature, fastmath)
        _in_work.pop(key, None)
    return kernel


def assembly(source: str, name: str, signature: tuple, fastmath: frozenset, door: str) -> str:
    """The instructions of a kernel, as a text. They are made anew, whatever is kept."""
    return doors[door].assembly(source, name, signature, fastmath)
