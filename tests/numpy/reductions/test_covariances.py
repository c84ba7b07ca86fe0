"""Covariances, slopes and histograms of points: beside NumPy's."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from derivatives import check_derivatives

X = np.array([[3, -1, 4, 1], [1, -5, 9, 2], [0, 6, 5, 3]], np.float32)


@pytest.mark.parametrize("options", [
    {}, {"rowvar": False}, {"bias": True}, {"ddof": 0}, {"ddof": 2},
    {"fweights": np.array([1, 2, 0, 3])}, {"aweights": np.array([1.0, 0.5, 2.0, 1.0])},
    {"fweights": np.array([1, 2, 1, 3]), "aweights": np.array([1.0, 0.5, 2.0, 1.0])},
    {"fweights": np.array([1, 2, 1, 3]), "ddof": 0},
])  # fmt: skip
def test_cov(options):
    for args in ((X,), (X[0],), (X, X[::-1] * 2), (X[0], X[1]), (X * (1 + 2j),)):
        if "rowvar" in options and len(args) == 2 and args[0].ndim == 1:
            continue
        expected = np.cov(*args, **options)
        got = jnp.cov(*args, **options)
        assert got.shape == np.shape(expected)
        np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("args", [(X,), (X[0], X[1]), (X, X[::-1]), (X * (1 + 2j) + X[::-1],)])
@pytest.mark.parametrize("rowvar", [True, False])
def test_corrcoef(args, rowvar):
    with np.errstate(all="ignore"):
        expected = np.corrcoef(*args, rowvar=rowvar)
    np.testing.assert_allclose(jnp.corrcoef(*args, rowvar=rowvar), expected, rtol=1e-4, atol=1e-5)


def test_derivatives_of_covariances():
    check_derivatives(jnp.cov, [X])
    check_derivatives(lambda x: jnp.corrcoef(x)[0, 1:], [X])


@pytest.mark.parametrize("args, options", [
    ((), {}), ((2.0,), {}), ((), {"axis": 0}), ((), {"axis": -1}), ((2.0,), {"axis": (0, 1)}),
    ((2.0, 3.0), {}), ((np.array([0.0, 1, 3]), np.array([0.0, 2, 3, 7])), {}),
    ((np.array([0.0, 2, 3, 7]),), {"axis": 1}),
])  # fmt: skip
def test_gradient(args, options):
    expected, got = np.gradient(X, *args, **options), jnp.gradient(X, *args, **options)
    expected, got = (x if isinstance(x, list | tuple) else [x] for x in (expected, got))
    for ours, theirs in zip(got, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-5)


def test_derivatives_and_batches_of_gradient():
    places = np.array([0.0, 2, 3, 7])
    check_derivatives(lambda x, p: jnp.gradient(x, p, axis=1), [X, places])
    expected = np.stack([np.gradient(x) for x in X])
    np.testing.assert_allclose(jax.jit(jax.vmap(jnp.gradient))(X), expected)


@pytest.mark.parametrize("bins", [3, [2, 3, 4, 2], [np.array([-9.0, 0, 2, 10])] * 4])
@pytest.mark.parametrize("density", [False, True])
def test_histogramdd(bins, density):
    for weights in (None, np.array([1.0, 0.5, 2.0])):
        options = {"density": density, "weights": weights}
        counts, edges = jnp.histogramdd(X, bins, **options)
        expected, wanted = np.histogramdd(X, bins, **options)
        np.testing.assert_allclose(counts, expected, rtol=1e-5)
        for ours, theirs in zip(edges, wanted, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-6)


@pytest.mark.parametrize("bins", [4, [2, 3], np.array([-9.0, 0, 2, 10])])
@pytest.mark.parametrize("limits", [None, [[0, 4], [0, 9]]])
def test_histogram2d(bins, limits):
    got = jnp.histogram2d(X[0], X[1], bins, limits)
    for ours, theirs in zip(got, np.histogram2d(X[0], X[1], bins, limits), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)
