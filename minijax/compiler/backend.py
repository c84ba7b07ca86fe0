"""The backends of jit, and the option that chooses: "numba" compiles, "numpy" runs line by line.

Of the compiler to kernels nothing is imported before the first program is compiled.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec

from minijax.compiler.dispatch.straight_line import StraightBackend
from minijax.core.config import config, option_watchers
from minijax.core.jitting import Backend, CompileOptions, Running
from minijax.core.staging import ClosedJaxpr


class NumbaBackend(Backend):
    """Compiles programs to kernels, and kernels with Numba; without Numba, NumPy's."""

    name = "numba"

    def compile(self, closed: ClosedJaxpr, options: CompileOptions) -> Callable:
        if not has_numba():
            return NUMPY.compile(closed, options)
        from minijax.compiler.executable import Executable

        return Executable(closed, options)


@cache
def has_numba() -> bool:
    """Whether Numba can be imported; where it can't, a warning says so, once."""
    found = find_spec("numba") is not None and find_spec("llvmlite") is not None
    if not found:
        warnings.warn(
            "Numba can't be imported, so jit runs its programs on NumPy, which is slower. "
            "Install it (pip install numba), or choose: "
            'minijax.config.update("jit_backend", "numpy").',
            stacklevel=2,
        )
    return found


NUMPY = StraightBackend()
BACKENDS = {"numba": NumbaBackend(), "numpy": NUMPY}


def _choose(name: str) -> None:
    Running.backend = BACKENDS[name]


option_watchers["jit_backend"] = _choose
config.update("jit_backend", os.environ.get("MINIJAX_JIT_BACKEND", config.jit_backend))
