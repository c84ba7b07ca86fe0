"""For those who extend the system, under JAX's names: `extend.core` has primitives and programs.

All there is for them stands in `minijax.core.extend`.
"""

from minijax.extend import core

__all__ = ["core"]
