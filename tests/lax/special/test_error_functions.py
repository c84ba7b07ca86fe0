"""erf_inv: at its ends, near them, and in every float dtype. (Its rules: primitive_table.py.)"""

import math

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from primitive_table import inverse_of_erf


def test_against_the_inverse_of_erf():
    x = np.linspace(-0.999, 0.999, 401)
    np.testing.assert_allclose(lax.erf_inv(x.astype("f4")), inverse_of_erf(x), rtol=1e-5, atol=1e-7)
    with jax.enable_x64():
        np.testing.assert_allclose(lax.erf_inv(x), inverse_of_erf(x), rtol=1e-13, atol=1e-15)


def test_near_the_ends():
    """There erf's rounding hides y, and 1 - erf(y) shows it. (x * x is rounded, as in XLA.)"""
    with jax.enable_x64():
        for n in range(2, 53):
            x = 1 - 2.0**-n
            y = float(lax.erf_inv(x))
            np.testing.assert_allclose(math.erfc(y), 2.0**-n, rtol=5e-9)
            assert float(lax.erf_inv(-x)) == -y
    for n in range(2, 24):
        y = float(lax.erf_inv(np.float32(1 - 2.0**-n)))
        np.testing.assert_allclose(math.erfc(y), 2.0**-n, rtol=2e-4)


def test_near_zero_it_is_a_line():
    for dtype, tiny in [("float32", 1e-30), ("float64", 1e-300)]:
        with jax.enable_x64(dtype == "float64"):
            y = lax.erf_inv(np.array([tiny, -tiny, 0.0, -0.0], dtype))
            slope = math.sqrt(math.pi) / 2
            np.testing.assert_allclose(y[:2], [slope * tiny, -slope * tiny], rtol=1e-6)
            np.testing.assert_array_equal(np.signbit(y), [False, True, False, True])


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "float16"])
def test_where_there_is_no_number(dtype):
    with jax.enable_x64(dtype == "float64"):
        y = lax.erf_inv(jnp.array([1, -1, 1.5, -2, math.inf, math.nan], dtype))
        assert y.dtype == dtype
        np.testing.assert_array_equal(
            np.asarray(y, "f4"), [math.inf, -math.inf, math.nan, math.nan, math.nan, math.nan]
        )


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_16_bits_are_rounded_once(dtype):
    x = jnp.linspace(-0.99, 0.99, 101).astype(dtype)
    want = lax.erf_inv(x.astype("float32")).astype(dtype)
    np.testing.assert_array_equal(np.asarray(lax.erf_inv(x)), np.asarray(want))


def test_the_derivative_is_one_over_that_of_erf():
    y = np.linspace(-1.5, 1.5, 31)
    x = np.vectorize(math.erf)(y)
    slopes = math.sqrt(math.pi) / 2 * np.exp(y * y)
    with jax.enable_x64():
        np.testing.assert_allclose(jax.vmap(jax.grad(lax.erf_inv))(x), slopes, rtol=1e-12)
        curved = jax.vmap(jax.grad(jax.grad(lax.erf_inv)))(x)
        np.testing.assert_allclose(curved, 2 * y * slopes**2, rtol=1e-11, atol=1e-14)
    assert float(jax.grad(lax.erf_inv)(1.0)) == math.inf


def test_a_number_stays_weak():
    assert lax.erf_inv(0.5).weak_type and not lax.erf_inv(np.float32(0.5)).weak_type
    assert jax.grad(lax.erf_inv)(0.5).weak_type


@pytest.mark.parametrize("x", [1, True, 1j])
def test_it_takes_floats(x):
    with pytest.raises(TypeError, match="erf_inv takes floats"):
        lax.erf_inv(x)
