"""Orders: of keys of every kind, stable, with what goes along, under every transformation."""

import itertools

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from numerics import directional

RANDOM = np.random.default_rng(0)
ODD = np.array([1.0, np.nan, -0.0, 0.0, np.inf, -np.inf, np.nan, 1.0], np.float32)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "int8", "uint8", "bool"])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_sort_of_many_equals(dtype, axis):
    """Few different values, so that the order of equals shows."""
    x = jnp.asarray(RANDOM.integers(0, 3, (5, 6)), dtype)
    places = np.broadcast_to(np.arange(5)[:, None] if axis == 0 else np.arange(6), (5, 6))
    keys, order = lax.sort((x, places.astype(np.int32)), axis)
    expected = np.argsort(np.asarray(x, np.float32), axis, kind="stable")
    np.testing.assert_array_equal(order, expected)
    np.testing.assert_array_equal(keys, np.take_along_axis(np.asarray(x), expected, axis))
    np.testing.assert_array_equal(keys, lax.sort(x, axis))


def test_nan_comes_last_and_zeros_are_alike():
    _, order = lax.sort((ODD, np.arange(8)))
    np.testing.assert_array_equal(order, [5, 2, 3, 0, 7, 4, 1, 6])


def test_the_first_key_is_the_most_important():
    keys = [RANDOM.integers(0, 2, 20) for _ in range(3)]
    *_, order = lax.sort([*keys, np.arange(20)], num_keys=3)
    np.testing.assert_array_equal(order, np.lexsort(keys[::-1]))


def test_complex_numbers_are_ordered_by_their_real_parts_first():
    x = (RANDOM.integers(0, 3, 30) + 1j * RANDOM.integers(0, 3, 30)).astype(np.complex64)
    np.testing.assert_array_equal(lax.sort(x), np.sort_complex(x))


def test_top_k_is_in_total_order():
    values, places = lax.top_k(np.concatenate([ODD, -ODD[1:2]]), 9)
    np.testing.assert_array_equal(places, [1, 6, 4, 0, 7, 3, 2, 5, 8])
    np.testing.assert_array_equal(values, np.concatenate([ODD, -ODD[1:2]])[np.asarray(places)])


@pytest.mark.parametrize("axis", [0, 1])
def test_top_k_of_equals_takes_the_first(axis):
    x = RANDOM.integers(-2, 2, (6, 5)).astype(np.int8)
    expected = np.argsort(-x, axis, kind="stable").take(range(3), axis)
    np.testing.assert_array_equal(lax.top_k(x, 3, axis=axis)[1], expected)


# Derivatives: in a neighbourhood without ties, a sort is a permutation.


def by_sort(x):
    return jnp.sum(lax.sort(x, 0) ** 3 * jnp.arange(1.0, 5.0)[:, None])


def by_pairs(x):
    _, values = lax.sort((jnp.sin(5 * x), x * x), 1)
    return jnp.sum(jnp.cos(values) * jnp.arange(3.0))


def by_top(x):
    values, places = lax.top_k(x, 2)
    return jnp.sum(values**2 * (1 + places))


FUNCTIONS = [by_sort, by_pairs, by_top]


@pytest.mark.parametrize("f", FUNCTIONS)
def test_derivatives_to_second_order(f):
    random = np.random.default_rng(0)  # no other draw may bring a tie near
    with jax.enable_x64(True):
        x, v = random.normal(size=(4, 3)), random.normal(size=(4, 3))
        got = jnp.sum(jax.grad(f)(x) * v)
        np.testing.assert_allclose(got, directional(f, [x], [v]), rtol=1e-7)
        np.testing.assert_allclose(jax.jvp(f, (x,), (v,))[1], got, rtol=1e-12)
        np.testing.assert_allclose(jax.linearize(f, x)[1](v), got, rtol=1e-12)
        second = jax.jvp(jax.grad(f), (x,), (v,))[1]
        np.testing.assert_allclose(second, directional(jax.grad(f), [x], [v]), atol=1e-6)


@pytest.mark.parametrize("f", FUNCTIONS)
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_batched_derivatives_are_those_of_each(f, axis):
    xs = RANDOM.normal(size=(2, 4, 3)).astype(np.float32)
    got = jax.jit(jax.vmap(jax.value_and_grad(f), axis))(np.moveaxis(xs, 0, axis))
    for i, x in enumerate(xs):
        value, gradient = jax.value_and_grad(f)(x)
        np.testing.assert_allclose(got[0][i], value, rtol=1e-5)
        np.testing.assert_allclose(got[1][i], gradient, rtol=1e-5)


@pytest.mark.parametrize("dims", [d for d in itertools.product([None, 0, 1], repeat=2) if any(
    n is not None for n in d)])
def test_operands_batched_in_different_ways(dims):
    x, y = RANDOM.normal(size=(3, 3)), RANDOM.normal(size=(3, 3))
    args = [a[0] if d is None else a for a, d in zip((x, y), dims, strict=True)]
    got = jax.vmap(lambda a, b: lax.sort((a, b)), dims)(*args)
    for i in range(3):
        each = [a if d is None else np.take(a, i, d) for a, d in zip(args, dims, strict=True)]
        for a, b in zip(got, lax.sort(each), strict=True):
            np.testing.assert_array_equal(a[i], b)


def test_only_what_is_asked_for_is_differentiated():
    """Places have no tangents, and a key without one costs no gather."""
    text = str(jax.make_jaxpr(lambda x: jax.jvp(
        lambda y: lax.sort((np.arange(3), y))[1], (x,), (x,)))(jnp.ones(3)))
    assert text.count("gather[") == 1
    assert jax.jvp(lambda x: lax.top_k(x, 2)[1], (jnp.ones(3),), (jnp.ones(3),))[1].dtype \
        == jax.dtypes.float0
