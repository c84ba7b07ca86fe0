"""Kernels by hand, under the names of `jax.experimental.pallas`.

A call that JAX refuses on a processor, one without `interpret=True`, is compiled here.
"""

import sys

from minijax.face.boundaries import guard
from minijax.face.option_contexts import pallas_enable_debug_checks as enable_debug_checks
from minijax.face.option_contexts import pallas_poison_buffers as enable_poison_buffers
from minijax.face.planned import missing_names, shown_names
from minijax.lax.indexing.sized_slices import Slice, ds
from minijax.lax.pallas.block_specs import (
    BlockDim,
    Blocked,
    BlockSpec,
    BoundedSlice,
    Buffered,
    CompilerParams,
    CostEstimate,
    Element,
    GridSpec,
    Indirect,
    MemoryRef,
    MemorySpace,
    RevisitMode,
    Squeezed,
    no_block_spec,
    squeezed,
)
from minijax.lax.pallas.cost_estimates import estimate_cost
from minijax.lax.pallas.in_kernels import (
    align_to,
    broadcast_to,
    cdiv,
    debug_check,
    debug_print,
    empty_like,
    empty_ref_like,
    loop,
    multiple_of,
    next_power_of_2,
    reciprocal,
    run_scoped,
    run_state,
    strides_from_shape,
    when,
    with_scoped,
)
from minijax.lax.pallas.kernel_calls import pallas_call
from minijax.lax.pallas.kernels import num_programs, program_id
from minijax.lax.pallas.pallas_call import pallas_call_p
from minijax.lax.shapes.ranks import empty

dslice = ds
ANY, HOST = MemorySpace.ANY, MemorySpace.HOST

__all__ = [
    "ANY", "BlockDim", "BlockSpec", "Blocked", "BoundedSlice", "Buffered", "CompilerParams",
    "CostEstimate", "Element", "GridSpec", "HOST", "Indirect", "MemoryRef", "MemorySpace",
    "RevisitMode", "Slice", "Squeezed", "align_to", "broadcast_to", "cdiv", "debug_check",
    "debug_print", "ds", "dslice", "empty", "empty_like", "empty_ref_like", "enable_debug_checks",
    "enable_poison_buffers", "estimate_cost", "loop", "multiple_of", "next_power_of_2",
    "no_block_spec", "num_programs", "pallas_call", "pallas_call_p", "program_id", "reciprocal",
    "run_scoped", "run_state", "squeezed", "strides_from_shape", "when", "with_scoped",
]  # fmt: skip
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)

guard(sys.modules[__name__])
