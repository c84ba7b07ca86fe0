"""Orders, searches, sets and quantiles beside NumPy's, on arrays with many equal elements."""

import itertools

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from numerics import directional

# Sorts and searches in kernels: tests/compiler/test_parts_alone.py.
pytestmark = pytest.mark.usefixtures("module_on_numpy")
RANDOM = np.random.default_rng(6)
FEW = RANDOM.integers(0, 4, (4, 6)).astype(np.float32)
GAPS = np.where(RANDOM.random((4, 6)) < 0.3, np.nan, FEW).astype(np.float32)
GAPS[3] = np.nan


@pytest.mark.parametrize("axis", [0, 1, -1, None])
@pytest.mark.parametrize("x", [FEW, GAPS, FEW.astype(np.uint8), FEW > 1])
def test_sorts(x, axis):
    np.testing.assert_array_equal(jnp.sort(x, axis), np.sort(x, axis))
    np.testing.assert_array_equal(jnp.argsort(x, axis), np.argsort(x, axis, kind="stable"))
    np.testing.assert_array_equal(
        jnp.sort(x, axis, descending=True), np.flip(np.sort(x, axis), axis if axis else axis or 0))


@pytest.mark.parametrize("axis", [0, 1])
def test_a_descending_order_is_stable(axis):
    np.testing.assert_array_equal(
        jnp.argsort(FEW, axis, descending=True), np.argsort(-FEW, axis, kind="stable"))


@pytest.mark.parametrize("dtype", [np.float32, np.uint8, np.int32])
@pytest.mark.parametrize("kth", [0, 2, -1])
def test_partitions(dtype, kth):
    x = RANDOM.integers(0, 5, (3, 7)).astype(dtype)
    for got in (jnp.partition(x, kth), np.take_along_axis(x, np.asarray(
            jnp.argpartition(x, kth)), -1)):
        got, place = np.asarray(got), kth % 7
        np.testing.assert_array_equal(np.sort(got), np.sort(x))
        np.testing.assert_array_equal(got[:, place], np.sort(x)[:, place])
        assert (got[:, :place].max(1, initial=0) <= got[:, place]).all()
        assert (got[:, place + 1:].min(1, initial=9) >= got[:, place]).all()


@pytest.mark.parametrize("method", ["scan", "scan_unrolled", "compare_all", "sort"])
@pytest.mark.parametrize("side", ["left", "right"])
def test_searches(method, side):
    for a, v in [(np.sort(FEW.ravel()), FEW), (np.sort(GAPS.ravel()), GAPS[0]),
                 (np.arange(0), np.arange(3)), (np.arange(9), np.array(4.5))]:
        got = jnp.searchsorted(a, v, side=side, method=method)
        np.testing.assert_array_equal(got, np.searchsorted(a, v, side))
    order = np.argsort(FEW[0])
    np.testing.assert_array_equal(
        jnp.searchsorted(FEW[0], FEW[1], side=side, sorter=order, method=method),
        np.searchsorted(FEW[0], FEW[1], side, order))


def test_a_search_is_batched_and_staged():
    a = np.sort(FEW, 1)
    got = jax.jit(jax.vmap(jnp.searchsorted))(a, FEW)
    np.testing.assert_array_equal(got, np.stack(list(map(np.searchsorted, a, FEW))))


@pytest.mark.parametrize("right", [False, True])
def test_bins(right):
    for bins in (np.array([0, 1, 2.5]), np.array([3, 1, 0.0])):
        np.testing.assert_array_equal(
            jnp.digitize(FEW, bins, right), np.digitize(FEW, bins, right))
    for density, weights in itertools.product([False, True], [None, FEW * 2 + 1]):
        got = jnp.histogram(FEW, 5, weights=weights, density=density)
        expected = np.histogram(FEW, 5, weights=weights, density=density)
        np.testing.assert_allclose(got[0], expected[0], rtol=1e-6)
        np.testing.assert_allclose(got[1], expected[1], rtol=1e-6)


def test_counts():
    x = FEW.astype(np.int32).ravel()
    np.testing.assert_array_equal(jnp.bincount(x, minlength=7), np.bincount(x, minlength=7))
    np.testing.assert_array_equal(jnp.bincount(x, x / 2), np.bincount(x, x / 2))
    np.testing.assert_array_equal(
        jax.jit(lambda y: jnp.bincount(y, length=3))(x), np.bincount(x)[:3])
    np.testing.assert_array_equal(jnp.count_nonzero(FEW, 1), np.count_nonzero(FEW, 1))


# Sets.


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("x", [FEW, FEW[:, :2], GAPS[:3], (FEW > 1)[:, :3], FEW[:0]])
def test_unique(x, axis):
    got = jnp.unique(x, True, True, True, axis=axis)
    expected = np.unique(x, True, True, True, axis=axis, equal_nan=axis is None)
    if axis is not None and np.isnan(x).any():
        return  # NumPy has no equal NaNs along an axis
    for a, b in zip(got, expected, strict=True):
        np.testing.assert_array_equal(a, b)


def test_unique_while_tracing_fills_up():
    x = np.array([3, 1, 3, 7])
    np.testing.assert_array_equal(
        jax.jit(lambda y: jnp.unique(y, size=5, fill_value=-1))(x), [1, 3, 7, -1, -1])
    np.testing.assert_array_equal(jax.jit(lambda y: jnp.unique(y, size=5))(x), [1, 3, 7, 1, 1])
    np.testing.assert_array_equal(jax.jit(lambda y: jnp.unique(y, size=2))(x), [1, 3])


A, B = np.array([5, 3, 3, 1, 9]), np.array([9, 3, 2, 2, 5])


@pytest.mark.parametrize("name", ["union1d", "intersect1d", "setdiff1d", "setxor1d"])
def test_two_sets(name):
    ours, numpys = getattr(jnp, name), getattr(np, name)
    expected = numpys(A, B)
    np.testing.assert_array_equal(ours(A, B), expected)
    size = len(expected) + 2
    traced = jax.jit(lambda a, b: ours(a, b, size=size, fill_value=-1))(A, B)
    np.testing.assert_array_equal(traced, [*expected, -1, -1])


@pytest.mark.parametrize("size", [None, 3, 5])
def test_where_the_intersection_is(size):
    values, first, second = jnp.intersect1d(A, B, return_indices=True, size=size)
    expected = np.intersect1d(A, B, return_indices=True)
    for got, want in zip((values, first, second), expected, strict=True):
        np.testing.assert_array_equal(got[:3], want)


@pytest.mark.parametrize("method", ["auto", "compare_all", "binary_search", "sort"])
@pytest.mark.parametrize("invert", [False, True])
def test_isin(method, invert):
    got = jnp.isin(FEW, np.array([1.0, 3.0, 9.0]), invert=invert, method=method)
    np.testing.assert_array_equal(got, np.isin(FEW, [1, 3, 9], invert=invert))


# Quantiles.


@pytest.mark.parametrize("method", ["linear", "lower", "higher", "midpoint", "nearest"])
@pytest.mark.parametrize("axis", [None, 0, 1, (0, 1)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_quantiles(method, axis, keepdims):
    x = RANDOM.normal(size=(4, 6)).astype(np.float32)
    gaps = np.where(np.isnan(GAPS), np.nan, x).astype(np.float32)[:3]
    for q in (0.0, 0.37, np.array([0.1, 0.9, 1.0])):
        options = {"axis": axis, "method": method, "keepdims": keepdims}
        got = jnp.quantile(x, q, **options)
        np.testing.assert_allclose(got, np.quantile(x, q, **options), rtol=1e-5, atol=1e-6)
        got = jnp.nanquantile(gaps, q, **options)
        np.testing.assert_allclose(got, np.nanquantile(gaps, q, **options), rtol=1e-5, atol=1e-6)


def test_a_quantile_of_nan_is_nan():
    assert np.isnan(jnp.median(GAPS)) and np.isnan(jnp.nanmedian(GAPS[3]))
    np.testing.assert_array_equal(jnp.median(GAPS, axis=1), np.median(GAPS, axis=1))


@pytest.mark.parametrize("f", [
    lambda x: jnp.median(x), lambda x: jnp.quantile(x, 0.3), lambda x: jnp.nanquantile(x, 0.7),
    lambda x: jnp.sum(jnp.percentile(x, jnp.array([20.0, 60.0]), axis=0) ** 2),
])
def test_slopes_of_quantiles(f):
    with jax.enable_x64(True):
        x, v = RANDOM.normal(size=(3, 4)), RANDOM.normal(size=(3, 4))
        got = jnp.sum(jax.grad(f)(x) * v)
        np.testing.assert_allclose(got, directional(f, [x], [v]), atol=1e-7)
        batched = jax.vmap(jax.grad(f))(np.stack([x, -x]))
        np.testing.assert_allclose(batched[1], jax.grad(f)(-x), atol=1e-12)
