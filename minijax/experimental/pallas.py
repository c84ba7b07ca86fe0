"""Kernels by hand, under the names of `jax.experimental.pallas`.

A call that JAX refuses on a processor, one without `interpret=True`, is compiled here.
"""

import sys

from minijax.face.boundaries import guard
from minijax.face.planned import missing_names, shown_names
from minijax.lax.indexing.sized_slices import Slice, ds
from minijax.lax.pallas.block_specs import (
    BlockDim,
    Blocked,
    BlockSpec,
    BoundedSlice,
    CostEstimate,
    Element,
    GridSpec,
    MemoryRef,
    MemorySpace,
    Squeezed,
    no_block_spec,
    squeezed,
)
from minijax.lax.pallas.in_kernels import (
    align_to,
    cdiv,
    debug_print,
    empty_like,
    loop,
    multiple_of,
    next_power_of_2,
    reciprocal,
    run_scoped,
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
    "ANY", "HOST", "BlockDim", "BlockSpec", "Blocked", "BoundedSlice", "CostEstimate", "Element",
    "GridSpec", "MemoryRef", "MemorySpace", "Slice", "Squeezed", "align_to", "cdiv", "debug_print",
    "ds", "dslice", "empty", "empty_like", "loop", "multiple_of", "next_power_of_2",
    "no_block_spec", "num_programs", "pallas_call", "pallas_call_p", "program_id", "reciprocal",
    "run_scoped", "squeezed", "strides_from_shape", "when", "with_scoped",
]  # fmt: skip
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)

guard(sys.modules[__name__])
