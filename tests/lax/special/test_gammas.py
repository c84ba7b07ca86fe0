"""Special functions beside closed forms: what primitive_table.py has no line for, and the edges."""

import math

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.lax.special import xla_float32

X = np.linspace(0.1, 12.0, 25)


@pytest.fixture(autouse=True)
def x64():
    with jax.enable_x64():
        yield


def test_zeta_of_whole_numbers():
    got = lax.zeta(np.array([2.0, 4.0, 6.0]), np.ones(3))
    np.testing.assert_allclose(got, [math.pi**2 / 6, math.pi**4 / 90, math.pi**6 / 945], rtol=1e-14)
    far = lax.zeta(np.full(25, 3.0), X) - lax.zeta(np.full(25, 3.0), X + 1)
    np.testing.assert_allclose(far, X**-3, rtol=1e-12)


def test_polygamma_is_the_next_derivative():
    for order in (0.0, 1.0, 2.0, 3.0):
        slopes = jax.vmap(jax.grad(lax.polygamma, 1), (None, 0))(order, X)
        np.testing.assert_allclose(slopes, lax.polygamma(np.full(25, order + 1), X), rtol=1e-12)
        steps = lax.polygamma(np.full(25, order), X + 1) - lax.polygamma(np.full(25, order), X)
        want = (-1) ** order * math.factorial(int(order)) / X ** (order + 1)
        size = abs(np.asarray(lax.polygamma(np.full(25, order), X))).max()
        np.testing.assert_allclose(steps, want, rtol=1e-10, atol=1e-14 * size)
    assert np.isnan(lax.polygamma(np.array([0.5, -1.0]), np.ones(2))).all()


@pytest.mark.parametrize("a", [0.2, 1.0, 3.5, 40.0])
def test_incomplete_gamma_functions(a):
    x = a * X / 5
    low, high = lax.igamma(np.full(25, a), x), lax.igammac(np.full(25, a), x)
    np.testing.assert_allclose(low + high, 1, rtol=1e-12)
    next_low = lax.igamma(np.full(25, a + 1), x)
    want = np.exp(a * np.log(x) - x - math.lgamma(a + 1))
    np.testing.assert_allclose(low - next_low, want, rtol=1e-6, atol=1e-12)
    step = 1e-6
    slope = (lax.igamma(np.full(25, a + step), x) - lax.igamma(np.full(25, a - step), x)) / step / 2
    np.testing.assert_allclose(lax.igamma_grad_a(np.full(25, a), x), slope, rtol=1e-5, atol=1e-8)
    density = np.exp((a - 1) * np.log(x) - x - math.lgamma(a))
    got = lax.random_gamma_grad(np.full(25, a), x)
    np.testing.assert_allclose(got * density, -slope, rtol=1e-5, atol=1e-8)


def test_incomplete_gamma_functions_at_the_edges():
    a, x = np.array([[1, 1, 2, 0, 0, -1, 1, math.nan], [0, math.inf, -1, 1, 0, 1, math.nan, 1]])
    np.testing.assert_array_equal(
        lax.igamma(a, x), [0, 1, math.nan, 1, math.nan, math.nan, math.nan, math.nan]
    )
    np.testing.assert_array_equal(
        lax.igammac(a, x), [1, 0, math.nan, 0, math.nan, math.nan, math.nan, math.nan]
    )
    assert lax.igamma(jnp.zeros((0, 2)), jnp.zeros((0, 2))).shape == (0, 2)


def test_the_incomplete_beta_function():
    x = np.linspace(0.01, 0.99, 25)
    for a, b in [(0.5, 0.5), (2.0, 5.0), (30.0, 0.3)]:
        low = lax.betainc(np.full(25, a), np.full(25, b), x)
        np.testing.assert_allclose(low, 1 - lax.betainc(np.full(25, b), np.full(25, a), 1 - x),
                                   rtol=1e-9, atol=1e-13)
    np.testing.assert_allclose(lax.betainc(np.full(25, 0.5), np.full(25, 0.5), x),
                               2 / math.pi * np.arcsin(np.sqrt(x)), rtol=1e-12)


def test_bessel_functions_at_zero_and_far_out():
    assert (float(lax.bessel_i0e(0.0)), float(lax.bessel_i1e(0.0))) == (1.0, 0.0)
    assert (float(jax.grad(lax.bessel_i0e)(0.0)), float(jax.grad(lax.bessel_i1e)(0.0))) == (0, 0.5)
    x = np.array([50.0, 1e4])
    for order, got in [(0, lax.bessel_i0e(x)), (1, lax.bessel_i1e(x))]:
        series = 1 - (4 * order - 1) / (8 * x)
        np.testing.assert_allclose(got, series / np.sqrt(2 * math.pi * x), rtol=1e-4)
    np.testing.assert_array_equal(lax.bessel_i1e(-x), -lax.bessel_i1e(x))


def test_gamma_functions_at_the_poles():
    poles = np.array([0.0, -1.0, -5.0])
    np.testing.assert_array_equal(lax.lgamma(poles), np.full(3, math.inf))
    assert np.isnan(lax.digamma(poles)).all()
    np.testing.assert_array_equal(lax.lgamma(np.array([-math.inf, math.inf])), [math.inf] * 2)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_logarithms_are_exact_to_the_last_places(dtype):
    x = np.exp(np.linspace(-80, 80, 4001)).astype(dtype)
    wide = np.log(x.astype(np.longdouble))
    near = np.maximum(abs(wide), np.finfo(dtype).tiny).astype(dtype)
    assert (abs(xla_float32.log(x) - wide) / np.spacing(near)).max() < 1.1
    edges = np.array([0, -1, math.inf, math.nan], dtype)
    np.testing.assert_array_equal(xla_float32.log(edges), [-math.inf, math.nan, math.inf, math.nan])
    u = np.linspace(-0.29, 5, 4001).astype(dtype)
    wide = np.log1p(u.astype(np.longdouble))
    assert (abs(xla_float32.log1p(u) - wide) / np.spacing(abs(wide.astype(dtype)))).max() < 3


def test_a_multiply_add_is_rounded_once():
    x = np.float32(1 + 2**-12)
    assert xla_float32.multiply_add(x, x, np.float32(-1)) == np.float32(2**-11 + 2**-24)
    assert np.float32(x * x) - np.float32(1) == np.float32(2**-11)


def test_complex_logarithms_near_one():
    z = np.array([1e-9 + 2e-9j, 0.3 - 0.4j, -0.5 + 1e-12j, 3 + 4j])
    np.testing.assert_allclose(np.exp(lax.log1p(z)), 1 + z, rtol=1e-14)
    np.testing.assert_allclose(lax.log1p(z)[0], z[0], rtol=1e-8)
    np.testing.assert_allclose(lax.expm1(lax.log1p(z)), z, rtol=1e-12)
