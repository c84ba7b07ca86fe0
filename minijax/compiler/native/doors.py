"""Doors: a kernel's text becomes native code by our translator, or by Numba, or stays Python.

The translator (translate.py) takes a fraction of Numba's time, and refuses what it is not sure of.
Numba takes all the rest. Python's own way is for debugging: kernels can be stepped through.
"""

from __future__ import annotations

import gc
import hashlib
import linecache
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

from minijax.compiler.fallbacks import fall_back
from minijax.compiler.native import machine_code
from minijax.compiler.native.scalars import Refused
from minijax.compiler.native.translate import PART_FLAGS, translate

# What a kernel's text may name.

_SCALARS = ("bool_", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
            "float32", "float64")  # fmt: skip


@cache
def kernel_names() -> dict[str, Any]:
    """What a kernel's text may name, besides Python's own: the vector maths, NumPy's scalars."""
    from minijax.compiler.maths import as_xla, elementary, special

    named = {**vars(special), **vars(elementary), **vars(as_xla)}
    functions = {name: f for name, f in named.items() if not name.startswith("_")}
    scalars = {name: getattr(np, name) for name in _SCALARS}
    return {**functions, **scalars, "inf": np.inf, "nan": np.nan}


def others_called(source: str) -> tuple[Callable, ...]:
    """The functions that a kernel's text may call and that are not this package's."""
    names = kernel_names()
    used = [names[name] for name in sorted({*re.findall(r"\w+", source)} & names.keys())]
    return tuple(f for f in used if isinstance(f, FunctionType)
                 and not str(f.__module__).startswith("minijax."))  # fmt: skip


def as_function(source: str, name: str, file: str) -> Callable:
    """The kernel as a function in Python; a traceback through it shows its lines.

    In its text, `part` marks the functions that the kernel itself calls.
    """
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    namespace = {**kernel_names(), "part": part}
    exec(compile(source, file, "exec"), namespace)
    return namespace[name]


def part(fun: Callable) -> Callable:
    """For Numba, a part is a function to compile; to Python, a function."""
    if is_jit_disabled():
        return fun
    from numba import njit

    return njit(error_model="numpy", fastmath=set(PART_FLAGS))(fun)


def interpreted(fun: Callable) -> Callable:
    """The kernel run by Python, as silent as native code about overflow and division by zero."""

    def call(*args: Any) -> None:
        flat = [x.reshape(-1) if isinstance(x, np.ndarray) else x for x in args]
        with np.errstate(all="ignore"):
            fun(*flat)

    return call


def is_jit_disabled() -> bool:
    """Whether NUMBA_DISABLE_JIT is set: then kernels run as Python, in a debugger too."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


# To native code.


def translated(source: str, name: str, signature: tuple, fastmath: frozenset) -> str | None:
    """LLVM's text of a kernel; None where Numba is to make it."""
    if door() == "direct":
        try:
            return translate(source, name, signature, fastmath, kernel_names())
        except Refused as error:
            fall_back("translator", error)
    return None


def native_code(
    source: str, name: str, signature: tuple, fastmath: frozenset, file: str
) -> tuple[str, bytes]:
    """The names that a kernel's code needs from the process, and the code: an object file."""
    with collector_at_rest():
        text = translated(source, name, signature, fastmath)
        if text is not None:
            return machine_code.code_of_text(text, name, signature)
        return machine_code.numba_code(as_function(source, name, file), signature, fastmath)


@contextmanager
def collector_at_rest() -> Iterator[None]:
    """Python's garbage collector rests: a compiler's many objects would keep it busy."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def assembly(source: str, name: str, signature: tuple, fastmath: frozenset) -> str:
    """The instructions of a kernel, as a text. They are made anew, whatever the caches hold."""
    text = translated(source, name, signature, fastmath)
    if text is not None:
        return machine_code.assembly_of_text(text, name, signature)
    fun = as_function(source, name, "<kernel>")
    return machine_code.numba_assembly(fun, signature, fastmath)


def door() -> str:
    """Who turns kernels into LLVM's text: "direct" is translate.py, "numba" Numba."""
    return os.environ.get("MINIJAX_KERNEL_DOOR", "direct")


# What native code depends on, beside its text.

_FILES = ("native/machine_code.py", "native/translate.py", "native/expressions.py",
          "native/scalars.py", "native/numba_rules.py", "maths/precisions.py", "maths/totals.py",
          "maths/elementary.py", "maths/special.py", "maths/as_xla.py",
          "maths/xla_numbers.py")  # fmt: skip
# Of what Linux says of a processor: other lines change from one start to the next.
_LASTING = ("vendor_id", "cpu family", "model", "stepping", "flags", "Features", "CPU ")


def processor() -> Any:
    """What tells this processor from others: what Linux says of it, elsewhere what LLVM says."""
    with suppress(OSError), open("/proc/cpuinfo", encoding="utf-8") as file:
        lines = file.read(1 << 14).split("\n\n")[0].splitlines()
        if any(line.startswith(("flags", "Features")) for line in lines):
            facts = [line for line in lines if line.startswith(_LASTING)]
            return os.uname().machine, sys.maxsize, facts
    from llvmlite import binding as llvm

    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


@cache
def environment(settings: tuple) -> bytes:
    """A digest of the machine and the software: processor, versions, the kernels' functions."""
    packages = map(find_spec, ("llvmlite", "numba"))
    files = [Path(p.origin).with_name("_version.py") for p in packages if p and p.origin]
    facts = (settings, sys.version, sys.platform, np.__version__, processor(), own_texts(),
             [file.read_bytes() for file in files if file.exists()])  # fmt: skip
    return hashlib.sha256(repr(facts).encode()).digest()


def own_texts() -> list[bytes]:
    """The modules that native code is made by, as their loader reads them: from an archive too.

    Where they can't be read, what is made is like nothing that was ever kept.
    """
    try:
        here, read = Path(machine_code.__file__).parents[1], machine_code.__spec__.loader.get_data
        return [read(str(here / name)) for name in _FILES]
    except (AttributeError, OSError, TypeError):
        return [os.urandom(16)]
