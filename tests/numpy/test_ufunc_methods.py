"""The methods of ufuncs beside those of NumPy's: by axes, dtypes and what is left out."""

import copy
import pickle

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp

X = np.array([[3, -1, 4], [1, -5, 9]], np.float32)
NUMBERS = ["add", "multiply", "subtract", "maximum", "minimum", "logaddexp", "logaddexp2"]
TRUTHS = ["logical_and", "logical_or", "logical_xor"]
BITS = ["bitwise_and", "bitwise_or", "bitwise_xor"]


def pair(name):
    return getattr(jnp, name), getattr(np, name)


@pytest.mark.parametrize("name", NUMBERS + TRUTHS + BITS)
@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("keepdims", [False, True])
def test_reduce(name, axis, keepdims):
    ours, theirs = pair(name)
    x = X.astype(np.int32) if name in BITS else X
    got, expected = (u.reduce(x, axis, keepdims=keepdims) for u in (ours, theirs))
    assert got.shape == expected.shape
    np.testing.assert_allclose(got, expected, rtol=1e-5)


@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "minimum", *BITS, *TRUTHS])
def test_reduce_of_what_is_chosen(name):
    ours, theirs = pair(name)
    x = X.astype(np.int32)
    options = {"axis": 1, "initial": 2, "where": x > 0}
    np.testing.assert_array_equal(ours.reduce(x, **options), theirs.reduce(x, **options))
    np.testing.assert_array_equal(ours.reduce(x, axis=None), theirs.reduce(x, axis=None))


@pytest.mark.parametrize("name", NUMBERS + TRUTHS + BITS)
@pytest.mark.parametrize("axis", [0, 1])
def test_accumulate(name, axis):
    ours, theirs = pair(name)
    x = X.astype(np.int32) if name in BITS else X
    np.testing.assert_allclose(ours.accumulate(x, axis), theirs.accumulate(x, axis), rtol=1e-5)


@pytest.mark.parametrize("name", NUMBERS + TRUTHS)
def test_outer(name):
    ours, theirs = pair(name)
    np.testing.assert_allclose(ours.outer(X, X[0]), theirs.outer(X, X[0]), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", ["add", "multiply", "subtract", "maximum", "minimum", "logaddexp"])
@pytest.mark.parametrize("indices", [[0, 2], [0, 1, 0], [2], [1, 0, 2]])
def test_reduceat(name, indices):
    ours, theirs = pair(name)
    got = ours.reduceat(X, np.array(indices), axis=1)
    np.testing.assert_allclose(got, theirs.reduceat(X, indices, axis=1), rtol=1e-5)


@pytest.mark.parametrize("name", ["add", "multiply", "subtract", "maximum", "minimum"])
def test_at_places_that_come_again(name):
    ours, theirs = pair(name)
    for places in (np.array([0, 1, 0]), (np.array([0, 0, 1]), np.array([2, 2, 0]))):
        expected = X.copy()
        theirs.at(expected, places, 2.0)
        np.testing.assert_allclose(ours.at(X, places, 2.0, inplace=False), expected)
    expected = X.copy()
    np.negative.at(expected, [1, 1, 0])
    places = np.array([1, 1, 0])
    np.testing.assert_array_equal(jnp.negative.at(X, places, inplace=False), expected)


def test_methods_under_jit_vmap_and_grad():
    np.testing.assert_array_equal(jax.jit(jnp.add.reduce)(X), X.sum(0))
    got = jax.vmap(jnp.maximum.accumulate, 1, 1)(X)
    np.testing.assert_array_equal(got, np.maximum.accumulate(X))
    np.testing.assert_array_equal(jax.grad(lambda x: jnp.subtract.reduce(x[0]))(X),
                                  [[1, -1, -1], [0, 0, 0]])  # fmt: skip


def test_a_function_of_numbers_becomes_a_ufunc():
    f = jnp.frompyfunc(lambda x, y: x * 10 + y, 2, 1)
    digits = jnp.array([1, 2, 3])
    assert f.reduce(digits) == 123 and f.accumulate(digits).tolist() == [1, 12, 123]
    assert f.outer(digits, digits)[1].tolist() == [21, 22, 23]
    assert f(digits, 0).tolist() == [10, 20, 30] and isinstance(f, jnp.ufunc)


def test_ufuncs_are_copied_and_pickled_by_name():
    for u in (jnp.add, jnp.logical_or, jnp.logaddexp2):
        assert pickle.loads(pickle.dumps(u)) is u and copy.deepcopy(u) is u
        assert u.__doc__ and u.__wrapped__.__name__ == u.__name__
