"""The backends of jit, and the options that choose: "numba" compiles, "numpy" runs line by line.

Neither Numba nor LLVM nor jaxlib is imported before the first program is compiled.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from minijax.compiler.fallbacks import has_numba
from minijax.core.config import config, option_watchers
from minijax.core.jitting import Backend, CompileOptions, Running
from minijax.core.staging import ClosedJaxpr


class NumbaBackend(Backend):
    """Compiles programs to kernels, and kernels by a door (doors.py); without Numba, NumPy's."""

    name = "numba"

    def __init__(self, door: str) -> None:
        self.door = door

    def compile(self, closed: ClosedJaxpr, options: CompileOptions) -> Callable:
        if not has_numba():
            return BACKENDS["numpy"].compile(closed, options)
        from minijax.compiler.executable import Executable

        return Executable(closed, options, self.door)


# By the words of `jit_backend`; those that compile, by the words of `jit_kernels`.
BACKENDS: dict[str, Backend] = {"numpy": Backend(), "xla": Backend()}
COMPILING = {door: NumbaBackend(door) for door in ("direct", "numba")}


def backend_named(name: str) -> Backend:
    """The backend that `jit_backend` calls so."""
    return COMPILING[config.jit_kernels] if name == "numba" else BACKENDS[name]


def choose_backend(_: Any = None) -> None:
    """Takes the backend that the options name into use."""
    Running.backend = backend_named(config.jit_backend)


for _option in ("jit_backend", "jit_kernels"):
    option_watchers[_option] = choose_backend
    config.update(
        _option, os.environ.get(f"MINIJAX_{_option.upper()}", getattr(config, _option))
    )
