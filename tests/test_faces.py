"""The modules that only show what others define: each name is JAX's, and is what it should be."""

from importlib import import_module

import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax.extend.core import Primitive, primitives
from minijax.face.jax_names import JAX_NAMES
from minijax.interpreters import ad, batching

FACES = [
    "ad_checkpoint", "debug", "experimental", "extend.core", "extend.core.primitives",
    "interpreters", "interpreters.ad", "interpreters.batching", "interpreters.partial_eval",
    "sharding",
]  # fmt: skip


@pytest.mark.parametrize("face", FACES)
def test_the_names_are_jax_names(face):
    names = set(import_module(f"minijax.{face}").__all__) - {"saved_residuals"}
    if face.endswith("primitives"):  # JAX leaves out some of lax's
        names -= set(jax.lax.__all__)
    assert names <= set(JAX_NAMES[f"minijax.{face}"].split())


def test_what_is_still_to_come_is_said():
    with pytest.raises(AttributeError, match=r"jax\.interpreters\.mlir is not here yet"):
        _ = jax.interpreters.mlir


def test_a_primitive_with_all_of_its_rules():
    """x * y + z, as one operation."""
    multiply_add_p = Primitive("multiply_add")
    multiply_add = multiply_add_p.bind
    multiply_add_p.def_impl(lambda x, y, z: x * y + z)
    multiply_add_p.def_abstract_eval(lambda x, y, z: x)

    def jvp(primals, tangents):
        x, y, _ = primals
        x_dot, y_dot, z_dot = map(ad.instantiate_zeros, tangents)
        return multiply_add(*primals), multiply_add(x, y_dot, multiply_add(x_dot, y, z_dot))

    def transpose(ct, x, y, z):
        if not ad.is_undefined_primal(x):
            return None, multiply_add(ct, x, jnp.zeros_like(ct)), ct
        return multiply_add(ct, y, jnp.zeros_like(ct)), None, ct

    ad.primitive_jvps[multiply_add_p] = jvp
    ad.primitive_transposes[multiply_add_p] = transpose
    batching.primitive_batchers[multiply_add_p] = lambda xs, dims: (multiply_add(*xs), dims[0])

    def f(x, y):
        return multiply_add(x, x, y)

    assert jax.jit(jax.grad(f))(2.0, 10.0) == 4.0
    assert jax.jvp(f, (2.0, 10.0), (1.0, 1.0)) == (14.0, 5.0)
    xs = jnp.array([2.0, 3.0])
    assert jax.vmap(f)(xs, 10 * xs).tolist() == [24.0, 39.0]
    assert primitives.scan_p is jax.lax.scan_p
