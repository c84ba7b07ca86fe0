"""Running totals, differences and reductions that skip NaN, beside NumPy's."""

import warnings

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from numerics import directional

RANDOM = np.random.default_rng(7)
X = RANDOM.normal(size=(3, 5)).astype(np.float32)
GAPS = np.where(RANDOM.random((3, 5)) < 0.3, np.nan, X).astype(np.float32)
GAPS[1] = np.nan


def close(got, expected):
    np.testing.assert_allclose(got, expected, rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("name", ["cumsum", "cumprod", "nancumsum", "nancumprod"])
@pytest.mark.parametrize("axis", [None, 0, 1, -1])
def test_running_totals(name, axis):
    for x in (X, GAPS, (X > 0), X.astype(np.int32)):
        close(getattr(jnp, name)(x, axis), getattr(np, name)(x, axis))


@pytest.mark.parametrize("name", ["cumulative_sum", "cumulative_prod"])
@pytest.mark.parametrize("axis", [0, 1])
def test_running_totals_with_what_comes_before(name, axis):
    got = getattr(jnp, name)(X, axis=axis, include_initial=True)
    close(got, getattr(np, name)(X, axis=axis, include_initial=True))


@pytest.mark.parametrize("name", [
    "nansum", "nanprod", "nanmax", "nanmin", "nanmean", "nanvar", "nanstd", "nanmedian"])
@pytest.mark.parametrize("axis", [None, 0, 1, (0, 1)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_without_nan(name, axis, keepdims):
    for x in (X, GAPS):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of rows that have nothing else
            expected = getattr(np, name)(x, axis=axis, keepdims=keepdims)
        close(getattr(jnp, name)(x, axis=axis, keepdims=keepdims), expected)


@pytest.mark.parametrize("name", ["nansum", "nanprod", "nanmean", "nanvar", "nanmax"])
def test_gaps_have_no_slope(name):
    """And those beside them have the slope that they have without the gap."""
    x = np.array([1.5, np.nan, 0.5, 2.0], np.float32)
    with jax.enable_x64(True):
        got = jax.grad(getattr(jnp, name))(x.astype(np.float64))
        whole = getattr(np, name.removeprefix("nan"))
        np.testing.assert_allclose(got[1], 0)
        v = np.array([1.0, -2.0, 0.5])
        np.testing.assert_allclose(
            np.asarray(got)[[0, 2, 3]] @ v, directional(whole, [x[[0, 2, 3]].astype(float)], [v]),
            rtol=1e-6)


@pytest.mark.parametrize("name", ["nanargmax", "nanargmin"])
def test_places_without_nan(name):
    close(getattr(jnp, name)(GAPS[[0, 2]], 1), getattr(np, name)(GAPS[[0, 2]], 1))
    np.testing.assert_array_equal(getattr(jnp, name)(GAPS, 1)[1], -1)


def test_variances_of_complex_numbers():
    z = X + 1j * X[::-1]
    close(jnp.var(z), np.var(z))
    close(jnp.std(z, 0, ddof=1), np.std(z, 0, ddof=1))
    assert jnp.var(z).dtype == np.float32


@pytest.mark.parametrize("n", [0, 1, 3])
@pytest.mark.parametrize("axis", [0, 1])
def test_differences(n, axis):
    close(jnp.diff(X, n, axis), np.diff(X, n, axis))
    np.testing.assert_array_equal(jnp.diff(X > 0, n, axis), np.diff(X > 0, n, axis))
    close(jnp.diff(X, n, axis, prepend=1, append=X), np.diff(X, n, axis, prepend=1, append=X))


def test_differences_in_a_row():
    close(jnp.ediff1d(X, to_end=[1.0][0], to_begin=X[0]), np.ediff1d(X, 1.0, X[0]))


@pytest.mark.parametrize("axis", [0, 1])
def test_trapezoids(axis):
    places = np.sort(RANDOM.normal(size=X.shape[axis])).astype(np.float32)
    close(jnp.trapezoid(X, axis=axis), np.trapezoid(X, axis=axis))
    close(jnp.trapezoid(X, places, axis=axis), np.trapezoid(X, places, axis=axis))
    close(jnp.trapezoid(X, dx=0.5, axis=axis), np.trapezoid(X, dx=0.5, axis=axis))
    grads = jax.grad(lambda y: jnp.sum(jnp.trapezoid(y, places, axis=axis)))(X)
    close(jnp.sum(grads * X), jnp.sum(jnp.trapezoid(X, places, axis=axis)))


def test_averages():
    weights = np.abs(X) + 1
    close(jnp.average(X, weights=weights), np.average(X, weights=weights))
    close(jnp.average(X, 1, weights[0]), np.average(X, 1, weights[0]))
    got = jnp.average(X, 0, weights[:, 0], returned=True, keepdims=True)
    for a, b in zip(got, np.average(X, 0, weights[:, 0], True, keepdims=True), strict=True):
        close(a, b)
    close(jnp.average(X, (1, 0), weights.T), np.average(X, (1, 0), weights.T))


def test_products_and_ranges():
    close(jnp.prod(X, 1, where=X > 0, initial=2.0), np.prod(X, 1, where=X > 0, initial=2.0))
    assert jnp.prod(np.array([True, False]), dtype=bool) == np.False_
    assert jnp.prod(np.full(3, 100, np.int8)).dtype == np.int32
    assert jnp.prod(np.full(3, 100, np.int8), promote_integers=False).dtype == np.int8
    close(jnp.ptp(X, 0), np.ptp(X, 0))
