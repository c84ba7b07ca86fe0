"""Floats in parts, whole numbers' divisors, steps and pulses: beside NumPy's."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from derivatives import check_derivatives

X = np.array([-2.5, -1.0, -0.0, 0.0, 0.3, 1.0, 7.25, 1e30, 1e-30], np.float32)
ODD = np.array([np.inf, -np.inf, np.nan], np.float32)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_frexp_and_ldexp_undo_each_other(dtype):
    x = jnp.asarray(X[:-2], dtype)
    fraction, exponent = jnp.frexp(x)
    assert fraction.dtype == dtype and exponent.dtype == np.int32
    if dtype != "bfloat16":
        wanted, power = np.frexp(X[:-2].astype(dtype))
        np.testing.assert_array_equal(fraction, wanted)
        np.testing.assert_array_equal(exponent, power)
    np.testing.assert_array_equal(jnp.ldexp(fraction, exponent), x)


def test_frexp_of_what_has_no_exponent():
    fraction, exponent = jnp.frexp(np.concatenate([ODD, X[2:4]]))
    np.testing.assert_array_equal(fraction, np.concatenate([ODD, X[2:4]]))
    assert exponent.tolist() == [0] * 5


def test_frexp_of_64_bits():
    with jax.enable_x64(True):
        for ours, theirs in zip(jnp.frexp(X.astype(float)), np.frexp(X.astype(float)), strict=True):
            np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("x", [X, ODD, X[:-2].astype("float16"), np.arange(-3, 3)])
def test_modf(x):
    with np.errstate(invalid="ignore"):
        got, expected = jnp.modf(x), np.modf(x.astype(np.float32))
    np.testing.assert_array_equal(got[1], expected[1])
    finite = np.isfinite(expected[1])
    np.testing.assert_allclose(got[0][finite], expected[0][finite], rtol=1e-3)


@pytest.mark.parametrize("options", [{}, {"nan": 5}, {"posinf": 1.0, "neginf": -1.0}])
def test_nan_to_num(options):
    for x in (np.concatenate([X, ODD]), ODD.astype(np.float16), np.arange(3), ODD > 0):
        got, expected = jnp.nan_to_num(x, **options), np.nan_to_num(x, **options)
        assert got.dtype == jnp.asarray(x).dtype
        np.testing.assert_array_equal(got, expected)


def test_keys_hold_no_nan():
    key = jax.random.key(0)
    assert jax.random.key_data(jnp.nan_to_num(key)).tolist() == [0, 0]


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_spacing(dtype):
    x = X[[4, 5, 6]].astype(dtype)
    np.testing.assert_array_equal(jnp.spacing(-x), -jnp.spacing(x))
    np.testing.assert_array_equal(jnp.spacing(x), np.spacing(x))


@pytest.mark.parametrize("name", ["gcd", "lcm"])
@pytest.mark.parametrize("dtype", ["int32", "int8", "uint8"])
def test_divisors_and_multiples(name, dtype):
    x = np.array([[0, 12, -7], [18, 1, 6]]).astype(dtype)
    for y in (x[:, ::-1], np.array([4, 0, 6], dtype), dtype == "uint8" and np.uint8(3) or 3):
        got = getattr(jnp, name)(x, y)
        np.testing.assert_array_equal(got, getattr(np, name)(x, np.asarray(y, dtype)))
        assert got.dtype == dtype
        np.testing.assert_array_equal(jax.jit(getattr(jnp, name))(x, y), got)


@pytest.mark.parametrize("name, args", [
    ("sinc", (X[:7],)), ("i0", (X[:7],)), ("heaviside", (X, 0.5)), ("heaviside", (ODD, 2.0)),
    ("hypot", (X[:7], X[:7][::-1])), ("hypot", (np.float32(3e30), np.float32(4e30))),
    ("hypot", (ODD, np.float32(1))), ("float_power", (np.arange(1, 4), -1)), ("isposinf", (ODD,)),
    ("isneginf", (ODD,)), ("iscomplex", (X * 1j,)), ("isreal", (X + 0j,)), ("around", (X[:7],)),
    ("unwrap", (np.array([0, 3, 7, 1.0]),)), ("bitwise_invert", (np.arange(3),)),
    ("bitwise_left_shift", (np.arange(3), 2)), ("bitwise_right_shift", (np.arange(-9, 3), 1)),
])  # fmt: skip
def test_against_numpy(name, args):
    args = [np.float32(x) if isinstance(x, float) else x for x in args]
    got, expected = getattr(jnp, name)(*args), getattr(np, name)(*args)
    np.testing.assert_allclose(got, expected, rtol=2e-6, atol=1e-7)
    np.testing.assert_allclose(jax.jit(getattr(jnp, name))(*args), got, rtol=2e-6, atol=1e-7)


@pytest.mark.parametrize("period, dtype", [(2 * np.pi, "float32"), (4.0, "float32"), (4, "int32")])
@pytest.mark.parametrize("axis", [0, -1])
def test_unwrap(period, dtype, axis):
    x = (np.arange(12) ** 2 % 11).reshape(3, 4).astype(dtype)
    got = jnp.unwrap(x, axis=axis, period=period)
    np.testing.assert_allclose(got, np.unwrap(x, axis=axis, period=period), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("f", [
    jnp.sinc, jnp.i0, lambda x: jnp.hypot(x, 2.0), lambda x: jnp.modf(x)[0], jnp.unwrap,
    lambda x: jnp.frexp(x)[0], lambda x: jnp.ldexp(x, 3), lambda x: jnp.nan_to_num(x) ** 2,
])  # fmt: skip
def test_derivatives(f):
    check_derivatives(f, [np.array([-2.6, -0.4, 0.7, 1.9])])


def test_derivatives_at_zero_are_the_limits():
    for order, wanted in enumerate([0.0, -np.pi**2 / 3, 0.0, np.pi**4 / 5], 1):
        f = jnp.sinc
        for _ in range(order):
            f = jax.grad(f)
        np.testing.assert_allclose(f(0.0), wanted, rtol=1e-5)
    assert jax.grad(jnp.i0)(0.0) == 0
