"""The engine room is put in: faster ways, each in a table of the compiler that the book builds.

Without this module all programs run, and floats differ by rounding alone: where a product and a sum
become one instruction, a product's terms are added in another order, or float32 is to have XLA's
last bits. Neither LLVM nor Numba is imported before the first program is compiled. README.md beside
it has a picture of each way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import minijax.compiler.dispatch.call_paths  # noqa: F401  (it makes calls of jitted functions short)
from minijax.compiler.backend import BACKENDS, choose_backend
from minijax.compiler.dispatch.straight_line import StraightBackend
from minijax.compiler.doors import Door, Kernel, doors
from minijax.compiler.executable import PASSES
from minijax.compiler.kernel_functions import function_modules
from minijax.compiler.kernels.small_products import turned
from minijax.compiler.passes.key_words import without_keys
from minijax.compiler.passes.simplify import simplify

# Programs that aren't compiled: lines of NumPy.

BACKENDS["numpy"] = StraightBackend()


# Passes: random bits one by one, products with their axes in the order that suits them.

PASSES.insert(PASSES.index(simplify), without_keys)
PASSES.insert(PASSES.index(simplify) + 1, turned)


# Kernels: more functions; our own translator to LLVM's text, with a cache on disk; and Python, for
# a debugger.


def _relatives() -> Any:
    from minijax.compiler.maths import relatives

    return relatives


def _special() -> Any:
    from minijax.compiler.maths import special

    return special


def _as_xla() -> Any:
    from minijax.compiler.maths import as_xla

    return as_xla


function_modules += [_relatives, _special, _as_xla]


def _directly(*of_kernel: Any) -> Kernel:
    from minijax.compiler.native.caches import directly

    return directly(*of_kernel)


def _assembly(*of_kernel: Any) -> str:
    from minijax.compiler.native.machine_code import assembly

    return assembly(*of_kernel)


def _begin(kernels: Sequence[tuple]) -> None:
    from minijax.compiler.native.caches import begin

    begin(kernels)


def _by_python(*of_kernel: Any) -> Kernel:
    from minijax.compiler.native.python_door import by_python

    return by_python(*of_kernel)


def _no_assembly(*of_kernel: Any) -> str:
    return "# NUMBA_DISABLE_JIT is set: Python runs it, and there are no instructions."


doors["direct"] = Door(_directly, _assembly, _begin)
doors["python"] = Door(_by_python, _no_assembly)
choose_backend()
