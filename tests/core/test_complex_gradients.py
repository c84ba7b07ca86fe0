"""Derivatives of real functions of complex numbers, and which derivatives are refused."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax

Z = 1 + 1j
ZS = np.array([1 + 1j, 2 - 1j, 0j, -3j], np.complex64)
UNIT = np.array([1 - 1j, 0, 0, 0]) / np.sqrt(2) + np.array([0, (2 + 1j) / np.sqrt(5), 0, 1j])


def conjugate_gradient(f, z, step=1e-4):
    """By differences: the derivative by the real part, minus i times that by the imaginary one."""
    with jax.enable_x64():
        along = [(f(z + step * d) - f(z - step * d)) / (2 * step) for d in (1, 1j)]
        return complex(along[0]) - 1j * complex(along[1])


# What JAX 0.10.2 answers.

CASES = {
    "abs": (jnp.abs, Z, 0.70710677 - 0.70710677j),
    "sum": (lambda z: jnp.sum(jnp.abs(z)), ZS, UNIT),
    "square": (lambda z: jnp.sum(jnp.abs(z) ** 2), ZS, 2 * ZS.conj()),
    "sin": (lambda z: jnp.abs(lax.sin(z)), Z, 0.3145494 - 1.2546246j),
    "exp": (lambda z: jnp.abs(lax.exp(z) * z), Z, 5.766346 - 1.9221153j),
    "log": (lambda z: jnp.abs(lax.log(z)), Z, None),
    "quotient": (lambda z: jnp.abs((z + 2) / (z - 3)), Z, None),
}  # fmt: skip


@pytest.mark.parametrize("transform", [
    jax.grad, lambda f: jax.grad(jax.jit(f)), lambda f: jax.jit(jax.grad(f)),
    lambda f: lambda z: jax.value_and_grad(f)(z)[1], lambda f: lambda z: jax.jacrev(f)(z),
    lambda f: lambda z: jax.vjp(f, z)[1](np.float32(1))[0],
    lambda f: lambda z: jax.vmap(jax.grad(f))(jnp.stack([z, z]))[1],
])  # fmt: skip
@pytest.mark.parametrize("name", CASES)
def test_gradients(name, transform):
    f, z, want = CASES[name]
    got = transform(f)(jnp.asarray(z))
    assert got.dtype == np.complex64
    np.testing.assert_allclose(got, conjugate_gradient(f, z) if want is None else want, rtol=2e-5)


def test_the_fault_as_it_was_found():
    np.testing.assert_allclose(jax.grad(jnp.abs)(1 + 1j), 0.70710677 - 0.70710677j)


def test_the_gradient_at_zero_is_zero():
    assert jax.vmap(jax.grad(jnp.abs))(ZS)[2] == 0 and jax.grad(jnp.abs)(0j) == 0


def test_forward_mode():
    """|z| changes by the real part of the direction along z."""
    out, out_dot = jax.jvp(jnp.abs, (Z,), (2j,))
    assert out.dtype == out_dot.dtype == np.float32
    np.testing.assert_allclose([out, out_dot], [np.sqrt(2), np.sqrt(2)], rtol=1e-6)
    np.testing.assert_allclose(jax.linearize(jnp.abs, Z)[1](2j), np.sqrt(2), rtol=1e-6)


def test_real_and_complex_arguments_together():
    by_z, by_x = jax.grad(lambda z, x: jnp.abs(z * x), (0, 1))(Z, 2.0)
    np.testing.assert_allclose([by_z, by_x], [np.sqrt(2) * (1 - 1j), np.sqrt(2)], rtol=1e-6)
    assert by_z.dtype == np.complex64 and by_x.dtype == np.float32
    by = jax.grad(lambda d: jnp.abs(d["z"]) * d["x"])({"z": Z, "x": 3.0})
    np.testing.assert_allclose([by["z"], by["x"]], [2.1213203 * (1 - 1j), np.sqrt(2)], rtol=1e-6)


def test_a_real_argument_that_becomes_complex():
    f = jax.grad(lambda x: jnp.abs(x * (1 + 2j)))
    assert f(2.0).dtype == np.float32
    np.testing.assert_allclose(f(2.0), np.sqrt(5), rtol=1e-6)
    np.testing.assert_allclose(jax.grad(f)(2.0), 0.0, atol=1e-6)


@pytest.mark.parametrize("call", [
    lambda: jax.grad(lambda x: x * x)(Z), lambda: jax.value_and_grad(lambda x: x * x)(Z),
    lambda: jax.jacrev(lambda x: x * Z)(Z), lambda: jax.jacfwd(jnp.abs)(Z),
    lambda: jax.hessian(lambda z: jnp.abs(z) ** 2)(Z), lambda: jax.grad(lambda x: x * 1.0)(1),
    lambda: jax.grad(lambda x: x * Z)(1.0),
])  # fmt: skip
def test_what_is_refused(call):
    """A complex result, an integer argument; and a complex argument, forward."""
    with pytest.raises(TypeError):
        call()
