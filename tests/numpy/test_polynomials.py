"""Polynomials beside NumPy's, and their derivatives as functions of the coefficients."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from derivatives import check_derivatives

P = np.array([2.0, -1.0, 0.5, 3.0], np.float32)
Q = np.array([1.0, 4.0], np.float32)
CALLS = {
    "polyval": [(P, 1.5), (P, Q), (P, np.ones((2, 3))), (np.arange(3), np.arange(2)), (P[:1], Q)],
    "polyadd": [(P, Q), (Q, P), (np.arange(3), np.arange(3))],
    "polysub": [(P, Q), (Q, P)],
    "polymul": [(P, Q), (Q, P), (P[:1], Q)],
    "polyder": [(P,), (P, 2), (P, 0), (np.arange(4), 3)],
    "polyint": [(P,), (P, 2), (P, 0), (P, 1, 5.0), (P, 2, np.array([1.0, 2.0]))],
    "polydiv": [(P, Q), (P, P), (np.array([1.0, 0, 0]), Q)],
    "vander": [(P,), (P, 2), (P, 6), (np.arange(3), 3, True), (P, 0)],
}


@pytest.mark.parametrize("name, args", [(name, args) for name in CALLS for args in CALLS[name]])
def test_against_numpy(name, args):
    expected = getattr(np, name)(*args)
    got = getattr(jnp, name)(*args)
    if name == "polydiv":  # NumPy leaves out zeros in front of the remainder
        (got, rest), (expected, last) = got, expected
        np.testing.assert_allclose(rest[rest.size - last.size :], last, atol=1e-5)
    assert got.shape == np.shape(expected)
    np.testing.assert_allclose(got, expected, rtol=1e-5)


@pytest.mark.parametrize("zeros", [[1.0, 2.0], [3.0], [0.0, -1.0, 4.0, 0.5], [1 + 1j, 1 - 1j], []])
def test_poly_of_zeros(zeros):
    zeros = np.array(zeros, np.complex64 if np.iscomplexobj(zeros) else np.float32)
    np.testing.assert_allclose(jnp.poly(zeros), np.poly(zeros), rtol=1e-6)


def test_dividing_and_multiplying_undo_each_other():
    quotient, rest = jnp.polydiv(P, Q)
    np.testing.assert_allclose(jnp.polyadd(jnp.polymul(quotient, Q), rest), P, rtol=1e-5)
    np.testing.assert_allclose(jnp.polyder(jnp.polyint(P, 3), 3), P, rtol=1e-6)


def test_a_shorter_polynomial_is_broadcast():
    long = np.ones((4, 3), np.float32)
    for short in (np.array([[1.0], [2]]), np.arange(3.0)):
        last = long.copy()
        last[-len(short) :] += short
        np.testing.assert_array_equal(jnp.polyadd(long, short), last)
        np.testing.assert_array_equal(jnp.polysub(short, -long), last)
    with pytest.raises(ValueError, match=r"jnp\.polyadd got the shapes \(4, 3\) and \(2,\)"):
        jnp.polyadd(long, jnp.ones(2))


@pytest.mark.parametrize("f", [
    lambda p, x: jnp.polyval(p, x), lambda p, x: jnp.polymul(p, x),
    lambda p, x: jnp.polyint(p, 2) + 0 * x[0], lambda p, x: jnp.vander(x, 3) * p[0],
    lambda p, x: jnp.concatenate(jnp.polydiv(p, x)),
])  # fmt: skip
def test_derivatives(f):
    check_derivatives(f, [P, Q])


def test_batches_and_jit():
    rows = np.stack([P, P + 1, 2 * P])
    for f in (jnp.polyder, jnp.polyint, lambda p: jnp.polyval(p, Q), lambda p: jnp.polymul(p, Q)):
        expected = np.stack([f(row) for row in rows])
        np.testing.assert_allclose(jax.vmap(f)(rows), expected, rtol=1e-6)
        np.testing.assert_allclose(jax.jit(jax.vmap(f, 1))(rows.T), expected, rtol=1e-6)


# What needs linear algebra, which comes on another branch.

PLACES = np.arange(6, dtype=np.float32)
VALUES = np.array([1.0, 3, 2, 5, 7, 8], np.float32)
WEIGHTS = np.array([1.0, 2, 1, 1, 3, 1], np.float32)


def in_order(zeros):
    return np.sort_complex(np.round(np.asarray(zeros), 4) + 0)


@pytest.mark.parametrize("p", [
    [1, -3, 2], [0.0, 0, 1, -6, 11, -6], [1.0, 0, 0], [2.0, 0, 4], [0, 0], [3.0], [1j, 2, 3],
])  # fmt: skip
def test_roots(p):
    p = np.array(p)
    expected = np.roots(p).astype(np.complex64)
    got = jnp.roots(p)
    assert got.dtype == np.complex64
    np.testing.assert_allclose(in_order(got), in_order(expected), atol=1e-3)
    jitted = np.asarray(jax.jit(lambda p: jnp.roots(p, strip_zeros=False))(p))
    assert len(jitted) == len(p) - 1 and np.isnan(jitted[expected.size :]).all()
    np.testing.assert_allclose(in_order(jitted[: expected.size]), in_order(expected), atol=1e-3)


def test_poly_of_a_matrix():
    matrix = np.array([[1.0, 2], [3, 4]], np.float32)
    np.testing.assert_allclose(jnp.poly(matrix), [1, -5, -2], rtol=1e-5)


@pytest.mark.parametrize("options", [
    {}, {"w": WEIGHTS}, {"full": True, "rcond": 1e-6}, {"cov": True}, {"cov": "unscaled"},
    {"w": WEIGHTS, "cov": True},
])  # fmt: skip
@pytest.mark.parametrize("y", [VALUES, np.stack([VALUES, VALUES**2], 1)])
def test_polyfit(options, y):
    expected = np.polyfit(PLACES, y, 2, **options)
    got = jnp.polyfit(PLACES, y, 2, **options)
    several = isinstance(expected, tuple)
    for ours, theirs in zip(*((got, expected) if several else ([got], [expected])), strict=True):
        assert ours.shape == np.shape(theirs)
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-5)


def test_derivatives_of_a_fit():
    check_derivatives(lambda y: jnp.polyfit(PLACES, y, 2), [VALUES])
    got = jax.vmap(lambda y: jnp.polyfit(PLACES, y, 1))(np.stack([VALUES, PLACES]))
    np.testing.assert_allclose(got[1], [1, 0], atol=1e-5)
