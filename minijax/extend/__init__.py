"""For those who extend the system, under JAX's names: `extend.core` has primitives and programs.

Two names are ours. `register_kernel_function` lets compiled kernels call a function of numbers,
and `numba_primitive` makes a primitive of a function of arrays that Numba compiles. All else there
is for whoever extends the system stands in `minijax.core.extend`.
"""

from minijax.compiler.kernel_functions import register_kernel_function
from minijax.extend import core
from minijax.face.planned import shown_names
from minijax.lax.outside.numba_primitives import numba_primitive

__all__ = ["core", "numba_primitive", "register_kernel_function"]
__dir__ = shown_names(__name__)
