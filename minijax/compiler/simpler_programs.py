"""What a primitive is in simpler ones: for whoever has no function of their own for it.

Kernels have one for each of these, and NumPy too. StableHLO has a few dozen operations, so there
such a primitive is written as a program. A family registers the function beside its primitive.
"""

from __future__ import annotations

from collections.abc import Callable

from minijax.core.tracing import Primitive

# A function of the operands, and by name of the parameters, that binds simpler primitives; it
# returns the result, or a list of them where the primitive has several.
simpler_programs: dict[Primitive, Callable] = {}
