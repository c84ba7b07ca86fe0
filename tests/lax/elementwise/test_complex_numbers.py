"""Complex numbers by their parts: derivatives are linear over the reals."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax

Z = np.array([1 + 2j, -0.5 + 0.25j, 3 - 1j], np.complex64)
V = np.array([0.5 - 1j, 2 + 0.5j, -1 - 1j], np.complex64)


@pytest.mark.parametrize("f", [
    lax.real, lax.imag, lambda z: lax.real(lax.conj(z)), lambda z: lax.imag(lax.conj(z)),
    lambda z: lax.real(lax.complex(lax.imag(z), lax.real(z)) * z),
])
def test_gradients_are_dual_to_tangents(f):
    """The slope along v is the real part of the sum of the gradient times v."""
    def total(z):
        return jnp.sum(f(z) * jnp.array([1.0, 2.0, 3.0]))

    slope = jax.jvp(total, (Z,), (V,))[1]
    np.testing.assert_allclose(np.sum(np.asarray(jax.grad(total)(Z)) * V).real, slope, rtol=1e-5)


def test_parts_make_a_whole():
    np.testing.assert_array_equal(lax.complex(lax.real(Z), lax.imag(Z)), Z)
    np.testing.assert_array_equal(lax.conj(lax.conj(Z)), Z)
    assert lax.conj(np.float32(2)).dtype == np.complex64


def test_a_scalar_part_is_spread():
    grads = jax.grad(lambda x, y: jnp.sum(lax.real(lax.complex(x, y) ** 2)), (0, 1))
    x, y = grads(np.array([1.0, 2.0], np.float32), np.float32(3.0))
    np.testing.assert_array_equal(x, [2.0, 4.0])
    assert float(y) == -12.0
