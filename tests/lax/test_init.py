"""What `lax` shows: all the primitives, and what it says it has."""

from minijax import lax
from minijax.core import primitives
from minijax.core.tracing import Primitive
from minijax.lax import products
from minijax.lax.collectives import moving, reducing
from minijax.lax.elementwise import arithmetic, bits
from minijax.lax.reductions import extrema
from minijax.lax.shapes import axes, slicing
from minijax.lax.special import error_functions

# What programs of one device have: JAX's lax doesn't show them either.
OF_BODIES = {"psum_invariant_p", "pvary_p"}


def test_every_primitive_is_there():
    families = (bits, arithmetic, moving, reducing, extrema, axes, slicing, error_functions)
    for module in (primitives, *families):
        for name, value in vars(module).items():
            if isinstance(value, Primitive) and name not in OF_BODIES:
                assert getattr(lax, name) is value and name in lax.__all__
    assert all(hasattr(lax, name) for name in lax.__all__)
    assert lax.dot_general is products.dot_general
