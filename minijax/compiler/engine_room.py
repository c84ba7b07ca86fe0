"""The engine room is put in: faster ways, each in a table of the compiler that the book builds.

Without this module all programs run, and floats differ by rounding alone: where a product and a sum
become one instruction, a product's terms are added in another order, or float32 is to have XLA's
last bits. Neither LLVM nor Numba is imported before the first program is compiled. README.md beside
it has a picture of each way.
"""

from __future__ import annotations

from typing import Any

from minijax.compiler.backend import BACKENDS, choose_backend
from minijax.compiler.dispatch.call_paths import remember
from minijax.compiler.dispatch.straight_line import StraightBackend
from minijax.compiler.doors import Door, Kernel, doors
from minijax.compiler.executable import PASSES
from minijax.compiler.kernel_functions import function_modules
from minijax.compiler.kernels.small_products import turned
from minijax.compiler.passes.key_words import without_keys
from minijax.compiler.passes.simplify import simplify
from minijax.core.jitting import Backend

# Programs that aren't compiled: lines of NumPy.

BACKENDS["numpy"] = StraightBackend()

# Calls of jitted functions: paths, whatever runs the program.

Backend.remember = remember


# Passes: random bits one by one, products with their axes in the order that suits them.

PASSES.insert(PASSES.index(simplify), without_keys)
PASSES.insert(PASSES.index(simplify) + 1, turned)


# Kernels: more functions, and our own translator to LLVM's text, with a cache on disk.


def _special() -> Any:
    from minijax.compiler.maths import special

    return special


def _as_xla() -> Any:
    from minijax.compiler.maths import as_xla

    return as_xla


function_modules += [_special, _as_xla]


def _directly(*of_kernel: Any) -> Kernel:
    from minijax.compiler.native.caches import directly

    return directly(*of_kernel)


def _assembly(*of_kernel: Any) -> str:
    from minijax.compiler.native.machine_code import assembly

    return assembly(*of_kernel)


def _is_kept(*of_kernel: Any) -> bool:
    from minijax.compiler.native.caches import is_kept

    return is_kept(*of_kernel)


doors["direct"] = Door(_directly, _assembly, _is_kept)
choose_backend()
