"""Project: products with a vector join kernels. README.md says what is asked."""

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.compiler.kernels.elements import in_kernels
from minijax.compiler.kernels.fuse import Kernel, fuse
from minijax.compiler.passes.rewriting import changed, forward
from minijax.compiler.passes.simplify import simplify
from minijax.core.extend import ClosedJaxpr, Var

# p4.1 Project: products with a vector join kernels


def vector_products(closed):
    """The program whose products with a vector are sums that kernels can compute."""
    raise NotImplementedError("p4.1 vector_products")


def traffic(closed):
    """How many numbers pass through memory when the program is fused."""
    raise NotImplementedError("p4.1 traffic")


def gain(fun, *args):
    """Steps, and numbers moved, without and with the pass."""
    raise NotImplementedError("p4.1 gain")
