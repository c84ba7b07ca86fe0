"""The engine room is put in: faster ways, each in a table of the compiler that the book builds.

Without this module all programs run, and floats differ by rounding alone: where a product and a sum
become one instruction, a product's terms are added in another order, or float32 is to have XLA's
last bits. Neither LLVM nor Numba is imported before the first program is compiled. README.md beside
it has a picture of each way.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any

import numpy as np

from minijax.compiler.backend import BACKENDS, choose_backend
from minijax.compiler.dispatch.call_paths import remember
from minijax.compiler.dispatch.straight_line import StraightBackend, straight_call
from minijax.compiler.doors import Door, Kernel, doors
from minijax.compiler.executable import CALLERS, PASSES, TAKING, TOGETHER
from minijax.compiler.kernel_functions import function_modules
from minijax.compiler.kernels.fuse import WAYS, begin
from minijax.compiler.kernels.pieces import STEP_PASSES
from minijax.compiler.kernels.whole_loops import NAMED
from minijax.compiler.lowerings import lowerings, register_lowering
from minijax.compiler.passes.simplify import ROUND, RULES, rewrite, simplify
from minijax.compiler.special_cases.choice_identities import chosen, known_choice, lowest
from minijax.compiler.special_cases.complex_pairs import without_complex
from minijax.compiler.special_cases.conversion_identities import direct_conversion
from minijax.compiler.special_cases.half_floats import without_halves
from minijax.compiler.special_cases.key_words import without_keys
from minijax.compiler.special_cases.lifted_constants import hoist, lift
from minijax.compiler.special_cases.scalar_templates import power, quotient, saturated
from minijax.compiler.special_cases.shape_identities import (
    in_rows, on_scalars, one_broadcast, one_transpose, reshaped, sum_of_one,
)
from minijax.compiler.special_cases.small_products import turned
from minijax.compiler.special_cases.wider_kernels import join_and_merge, join_beside, numbers_first
from minijax.compiler.special_cases.zero_identities import without_zero
from minijax.core.config import config, option_checks
from minijax.core.jitting import Backend, CompileOptions, Running
from minijax.core.primitives import (
    broadcast_in_dim_p, convert_element_type_p, div_p, elementwise, integer_pow_p, max_p,
    reduce_sum_p, reshape_p, select_n_p, transpose_p,
)
from minijax.core.printing import programs_in_params
from minijax.core.staging import ClosedJaxpr

# Programs that aren't compiled: lines of NumPy. And programs that another compiles.

BACKENDS["numpy"] = StraightBackend()


class XlaBackend(Backend):
    """Has XLA compile and run programs, where jaxlib is installed: by their StableHLO, and on the
    platform that is named, or its default one."""

    name = "xla"

    def __init__(self, platform: str | None = None) -> None:
        self.platform = platform

    def compile(self, closed: ClosedJaxpr, options: CompileOptions) -> Any:
        from minijax.compiler.stablehlo import XlaProgram

        return XlaProgram(closed, options.name, self.platform)


def _check_backend(name: str) -> None:
    if name == "xla":
        from minijax.compiler.chosen_backend import check_backend

        check_backend(name)


BACKENDS["xla"], option_checks["jit_backend"] = XlaBackend(), _check_backend
BACKENDS |= {platform: XlaBackend(platform) for platform in ("gpu", "cuda", "rocm", "tpu")}

CALLERS.insert(0, straight_call)


def _calling_loop(eqn: Any) -> Any:
    if not lowerings[eqn.primitive].steps:
        return None
    from minijax.compiler.special_cases.calling_loops import calling_loop

    return calling_loop(eqn)


CALLERS.insert(0, _calling_loop)  # loops whose kernels call Python

# Calls of jitted functions: paths, whatever runs the program; and functions with a backend of their
# own.

Backend.remember = remember


def _on_backend(name: Any) -> Any:
    from minijax.compiler.chosen_backend import on_backend

    return on_backend(name)


def _in_use(name: str | None) -> Any:
    if name is None:
        return nullcontext()
    from minijax.compiler.chosen_backend import in_use

    return in_use(name)


Running.on_backend, Running.in_use = staticmethod(_on_backend), staticmethod(_in_use)


# Identities that a program rarely needs, or that compute less of what is cheap.

RULES.insert(0, on_scalars)
RULES += [in_rows, without_zero]
elementwise.add(convert_element_type_p)  # (chapter 03's `naryop` doesn't make it)
for _primitive, _rule in {
    broadcast_in_dim_p: one_broadcast, transpose_p: one_transpose, reshape_p: reshaped,
    reduce_sum_p: sum_of_one, convert_element_type_p: direct_conversion,
    max_p: partial(chosen, neutral=lowest), select_n_p: known_choice,
}.items():  # fmt: skip
    register_lowering(_primitive, identity=_rule)
register_lowering(reshape_p, same_order=True)
register_lowering(broadcast_in_dim_p, same_order=True)


# Passes: constants out of loops and branches, random bits one by one, complex numbers as pairs,
# floats of 16 bits as float32, products with their axes in the order that suits them.

ROUND.insert(ROUND.index(rewrite) + 1, hoist)
ROUND.insert(ROUND.index(hoist) + 1, lift)

def _in_blocks(closed: Any) -> Any:
    if not any(any(programs_in_params(eqn.params)) for eqn in closed.eqns):
        return closed
    from minijax.compiler.special_cases.block_products import in_blocks

    return in_blocks(closed)


PASSES.insert(PASSES.index(simplify), without_keys)
PASSES.insert(PASSES.index(simplify), without_complex)
PASSES.insert(PASSES.index(simplify), without_halves)
PASSES.insert(PASSES.index(simplify) + 1, _in_blocks)
PASSES.insert(PASSES.index(simplify) + 1, turned)
PASSES.insert(PASSES.index(simplify) + 1, numbers_first)


# Fusing: more primitives in kernels, and fewer kernels.

register_lowering(integer_pow_p, template=power)
register_lowering(div_p, further_template=quotient)
register_lowering(convert_element_type_p, further_template=saturated)
WAYS[:] = [join_and_merge, join_beside, begin]


def _in_strips(steps: list, jaxpr: Any) -> list:
    from minijax.compiler.special_cases.strips import in_strips

    return in_strips(steps, jaxpr)


def _in_rows(steps: list, jaxpr: Any) -> list:
    from minijax.compiler.special_cases.row_loops import in_rows

    return in_rows(steps, jaxpr)


def _side_by_side(steps: list, jaxpr: Any) -> list:
    from minijax.compiler.special_cases.side_by_side import side_by_side

    return side_by_side(steps, jaxpr)


def _updates_last(steps: list, jaxpr: Any) -> list:
    from minijax.compiler.special_cases.written_in_place import updates_last

    return updates_last(steps, jaxpr)


STEP_PASSES += [_in_rows, _in_strips, _side_by_side, _updates_last]


# Updates of large arrays outside of loops: in place.


def _written_in_place(*of_step: Any) -> list:
    from minijax.compiler.special_cases.written_in_place import in_place

    return in_place(*of_step)


TAKING.append(_written_in_place)


# Whole loops: blocks that are read where they lie.


def _in_place(*of_step: Any) -> bool:
    from minijax.compiler.special_cases.reads_in_place import in_place

    return in_place(*of_step)


NAMED.append(_in_place)


# Threads: where several run a kernel that calls BLAS, BLAS has none of its own.


def _shared_among(number: int) -> Any:
    from minijax.compiler.maths.blas import shared_among

    return shared_among(number)


TOGETHER.append(_shared_among)


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


def _gamma_functions() -> Any:
    from minijax.compiler.maths import gamma_functions

    return gamma_functions


def _bessel_functions() -> Any:
    from minijax.compiler.maths import bessel_functions

    return bessel_functions


def _incomplete_integrals() -> Any:
    from minijax.compiler.maths import incomplete_integrals

    return incomplete_integrals


def _sixteen_bits() -> Any:
    from minijax.compiler.maths import sixteen_bits

    return sixteen_bits


def _blas() -> Any:
    from minijax.compiler.maths import blas

    return blas


def _lapack() -> Any:
    from minijax.compiler.maths import lapack

    return lapack


function_modules += [
    _relatives, _special, _as_xla, _gamma_functions, _bessel_functions, _incomplete_integrals,
    _sixteen_bits, _blas, _lapack,
]  # fmt: skip


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


# Memory. The C library hands large arrays back to the system as soon as they are freed, and the
# system clears what it gives, page by page: in loops of large arrays, half of the time went there.
# Once an array of nearly 32 MB was freed, glibc keeps up to 64 MB for the next (mallopt(3)).

np.empty(2**25 - 2**16, np.uint8)

# Who compiles.

doors["direct"] = Door(_directly, _assembly, _begin)
doors["python"] = Door(_by_python, _no_assembly)
_check_backend(config.jit_backend)
choose_backend()
