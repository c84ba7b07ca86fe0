"""mode, rankdata, sem, trapezoid and vq beside SciPy; under jit and vmap."""

import numpy as np
import pytest
import scipy.cluster.vq
import scipy.integrate
import scipy.stats

import minijax as jax
import minijax.numpy as jnp
from derivatives import check_derivatives
from minijax.scipy import integrate, stats
from minijax.scipy.cluster.vq import vq

X = np.array([[2, 1, 2, 5, 1, 1], [3, 3, 4, 4, 4, 0], [2, 1, 2, 0, 1, 9]])
METHODS = ("average", "min", "max", "dense", "ordinal")


@pytest.mark.parametrize("dtype", ["int32", "float32", "uint8"])
def test_values_are_scipys(dtype):
    x = X.astype(dtype)
    for axis in (0, 1, -1, None):
        for keepdims in (False, True):
            got = stats.mode(x, axis, keepdims=keepdims)
            want = scipy.stats.mode(x, axis, keepdims=keepdims)
            np.testing.assert_array_equal(got.mode, want.mode)
            np.testing.assert_array_equal(got.count, want.count)
            assert got.mode.dtype == x.dtype
        for method in METHODS:
            got = stats.rankdata(x, method, axis=axis)
            np.testing.assert_array_equal(got, scipy.stats.rankdata(x, method, axis=axis))
        for ddof in (0, 1):
            got, want = stats.sem(x, axis, ddof), scipy.stats.sem(x, axis, ddof)
            np.testing.assert_allclose(got, want, rtol=1e-5)


def test_nan_is_a_value_of_a_mode_and_spoils_ranks():
    x = np.array([[1.0, np.nan, np.nan], [2, 1, 1]])
    assert np.isnan(stats.mode(x, 1).mode[0]) and stats.mode(x, 1).count[0] == 2
    assert np.all(np.isnan(stats.rankdata(x, axis=1)[0]))
    np.testing.assert_array_equal(stats.rankdata(x, axis=1)[1], [3, 1.5, 1.5])
    np.testing.assert_allclose(stats.sem(x[:, 1:], 1, nan_policy="omit")[1], 0)


@pytest.mark.parametrize("fun", [
    lambda x: stats.mode(x, -1), lambda x: stats.rankdata(x, axis=-1), lambda x: stats.sem(x, -1),
    lambda x: integrate.trapezoid(x, dx=0.5),
])  # fmt: skip
def test_jitted_and_mapped(fun):
    x = jnp.asarray(X, "float32")
    want = jax.tree.map(np.asarray, fun(x))
    for got in (jax.jit(fun)(x), jax.vmap(fun)(x), jax.vmap(fun, 1)(x.T)):
        jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-6), got, want)


def test_trapezoid_is_scipys_and_errors_have_derivatives():
    x = np.cumsum(X[:2], 1) + 0.5
    got = integrate.trapezoid(X[:2], x, axis=1)
    np.testing.assert_allclose(got, scipy.integrate.trapezoid(X[:2], x, axis=1), rtol=1e-6)
    check_derivatives(lambda x: stats.sem(x, 1), [X[:2, :4] + 0.0])


def test_the_nearest_row_is_scipys():
    rng = np.random.default_rng(0)
    points, book = rng.normal(size=(20, 3)), rng.normal(size=(4, 3))
    for a, b in ((points, book), (points[:, 0], book[:, 0])):
        got, want = vq(a, b), scipy.cluster.vq.vq(a, b)
        np.testing.assert_array_equal(got[0], want[0])
        np.testing.assert_allclose(got[1], want[1], rtol=1e-5)
    mapped = jax.vmap(vq, (0, None))(points.reshape(4, 5, 3), book)
    np.testing.assert_array_equal(mapped[0].ravel(), vq(points, book)[0])
