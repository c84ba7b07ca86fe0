"""Comparing and choosing, against NumPy."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp

X = np.array([[1.0, np.nan, -2.0], [np.inf, 0.0, -np.inf]], np.float32)
I = np.array([[0, 2, -1], [3, 0, 1]], np.int32)  # noqa: E741


@pytest.mark.parametrize(
    "name", ["equal", "not_equal", "less", "less_equal", "greater", "greater_equal"]
)
@pytest.mark.parametrize(
    "x, y", [(X, X[0]), (X, 0), (I, 1.5), (I, I.T.reshape(2, 3)), (I > 0, True)]
)
def test_comparisons(name, x, y):
    got, expected = getattr(jnp, name)(x, y), getattr(np, name)(x, y)
    assert got.dtype == bool
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("name", ["logical_and", "logical_or", "logical_xor"])
@pytest.mark.parametrize("x, y", [(X, I), (I, 2), (I > 0, I), (X[0] > 0, False)])
def test_logic(name, x, y):
    np.testing.assert_array_equal(getattr(jnp, name)(x, y), getattr(np, name)(x, y))
    np.testing.assert_array_equal(jnp.logical_not(x), np.logical_not(x))


@pytest.mark.parametrize("name", ["isnan", "isfinite", "isinf"])
@pytest.mark.parametrize("x", [X, I, I > 0, np.array([1 + 2j, 1j]), X.astype(np.float16), X[:0]])
def test_numbers_that_are_none(name, x):
    got = getattr(jnp, name)(x)
    assert got.dtype == bool
    np.testing.assert_array_equal(got, getattr(np, name)(x))


@pytest.mark.parametrize("condition", [X > 0, X[0] > 0, X[:, :1] > 0, True, I])
@pytest.mark.parametrize("x", [X, 7.0, X[1]])
@pytest.mark.parametrize("y", [X * 2, -1, X[:, 1:2]])
def test_where(condition, x, y):
    got, expected = jnp.where(condition, x, y), np.where(condition, x, y)
    assert got.dtype == np.float32 and got.shape == expected.shape
    np.testing.assert_array_equal(got, expected)


def test_where_of_weak_numbers_is_weak():
    assert jnp.where(I > 0, 1, 2.0).weak_type
    assert not jnp.where(I > 0, 1, jnp.float32(2)).weak_type


def test_where_lets_through_one_derivative():
    grad = jax.grad(lambda x: jnp.where(x > 1, x * x, 3 * x).sum())(jnp.array([0.0, 2.0]))
    assert grad.tolist() == [3.0, 4.0]


def test_where_refuses():
    with pytest.raises(TypeError, match="jnp.where"):
        jnp.where(I > 0, X)
    with pytest.raises(ValueError):
        jnp.where(np.ones(3, bool), np.ones(2), 0)
    with pytest.raises(ValueError, match="Leave size"):
        jnp.where(I > 0, X, 0, size=3)


@pytest.mark.parametrize("equal_nan", [False, True])
def test_isclose(equal_nan):
    x = np.array([1.0, np.nan, np.inf, -np.inf, 1e-9, 100.0], np.float32)
    y = np.array([1.0 + 1e-6, np.nan, np.inf, np.inf, 0.0, 100.1], np.float32)
    expected = np.isclose(x, y, equal_nan=equal_nan)
    np.testing.assert_array_equal(jnp.isclose(x, y, equal_nan=equal_nan), expected)
    assert not jnp.allclose(x, y, equal_nan=equal_nan)
    assert bool(jnp.allclose(x, x, equal_nan=equal_nan)) is equal_nan
    assert jnp.isclose(1.0, 1.1, rtol=0.2) and not jnp.isclose(1.0, 1.1, atol=0.05, rtol=0)


def test_array_equal():
    assert jnp.array_equal([1, 2], jnp.array([1.0, 2.0]))
    assert not jnp.array_equal(jnp.ones(2), jnp.ones((1, 2)))
    assert not jnp.array_equal(X, X) and jnp.array_equal(X, X, equal_nan=True)


@pytest.mark.parametrize(
    "call, weak",
    [
        (lambda: jnp.logical_not(3), True),
        (lambda: jnp.logical_not(True), False),
        (lambda: jnp.logical_and(1, 2), True),
        (lambda: jnp.logical_or(1.0, True), True),
        (lambda: jnp.logical_xor(1, jnp.int32(2)), False),
        (lambda: jnp.isfinite(3.0), True),
        (lambda: jnp.isfinite(3), False),
        (lambda: jnp.isinf(3.0), False),
        (lambda: jnp.isclose(1.0, 1.0), False),
        (lambda: jnp.allclose(1, 1), False),
        (lambda: jnp.array_equal(1, 2), False),
    ],
)
def test_weak_types_of_bools(call, weak):
    assert call().weak_type is weak


def test_isclose_of_complex_numbers():
    x, y = np.array([1j, 2, complex(np.nan, 0)]), np.array([1j + 1e-7, 3, complex(np.nan, 0)])
    for equal_nan in (False, True):
        expected = np.isclose(x, y, equal_nan=equal_nan)
        np.testing.assert_array_equal(jnp.isclose(x, y, equal_nan=equal_nan), expected)
    assert jnp.allclose(1j, 1j) and not jnp.isclose(1j, 1.0)
    assert jnp.isclose(jnp.ones(2), 1.1, rtol=np.array([[0.2], [0.0]])).tolist() == [
        [True, True], [False, False]
    ]  # fmt: skip


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: jnp.isclose("a", 1), "jnp.isclose .* argument a is 'a'"),
        (lambda: jnp.allclose(1, [1]), r"jnp.allclose .* argument b is \[1\]"),
        (lambda: jnp.isinf([1]), r"jnp.isinf .* argument x is \[1\]"),
        (lambda: jnp.array_equal("a", 1), "jnp.array_equal .* 'a'"),
    ],
)
def test_errors_name_the_function_and_show_the_argument(call, words):
    with pytest.raises(TypeError, match=words):
        call()
