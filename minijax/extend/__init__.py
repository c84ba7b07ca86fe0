"""For those who extend the system, under JAX's names: `extend.core` has primitives and programs.

All there is for them stands in `minijax.core.extend`.
"""

from minijax.extend import core
from minijax.face.planned import shown_names

__all__ = ["core"]
__dir__ = shown_names(__name__)
