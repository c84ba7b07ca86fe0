"""Programs of minijax run by jaxlib from their StableHLO, beside themselves run on NumPy."""

from typing import Any

import numpy as np

import minijax
from minijax.compiler import stablehlo
from minijax.compiler.stablehlo import xla_programs
from minijax.core.jitting import Backend, CompileOptions

INTERPRETER = Backend()
# Of the largest number of a result.
TOLERANCE = {"bfloat16": 4e-2, "float16": 6e-3, "float32": 4e-5, "float64": 1e-11,
             "complex64": 1e-4, "complex128": 1e-11}  # fmt: skip


def be_quick() -> None:
    """XLA's optimizations cost more in tests than they save."""
    runtime = xla_programs.runtime()
    debug = runtime.options.executable_build_options.debug_options
    debug.xla_backend_optimization_level = 0
    debug.xla_llvm_disable_expensive_passes = True


def on_xla(closed: Any, args: list) -> list:
    """The results of a program that jaxlib has compiled from its text."""
    return stablehlo.XlaProgram(closed, "program")(*args)


def on_numpy(closed: Any, args: list) -> list:
    return list(INTERPRETER.compile(closed, CompileOptions("program", ()))(*args))


def assert_alike(got: list, want: list, rounding: float = 1) -> None:
    """Same types; whole numbers and bools the same, others but for so many times the rounding."""
    assert len(got) == len(want)
    for x, y in zip(got, want, strict=True):
        assert (x.shape, x.dtype) == (y.shape, y.dtype)
        if minijax.dtypes.issubdtype(y.dtype, minijax.dtypes.prng_key):
            x, y = minijax.random.key_data(x), minijax.random.key_data(y)
        x, y, tolerance = np.asarray(x), np.asarray(y), TOLERANCE.get(str(y.dtype))
        if tolerance is None:
            np.testing.assert_array_equal(x, y)
            continue
        wide = np.complex128 if y.dtype.kind == "c" else np.float64
        x, y = x.astype(wide), y.astype(wide)
        largest = np.abs(y[np.isfinite(y)]).max(initial=1)
        np.testing.assert_allclose(x, y, rtol=0, atol=rounding * tolerance * largest)
