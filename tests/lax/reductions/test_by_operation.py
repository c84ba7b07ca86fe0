"""Reductions by any operation: in order, of every length, and their derivatives."""

import functools

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from numerics import directional

RANDOM = np.random.default_rng(2)


def after(f, g):
    """Two steps x -> a x + b as one. That is associative, and not commutative."""
    return {"a": f["a"] * g["a"], "b": f["b"] * g["a"] + g["b"]}


def reduced(x):
    init = {"a": x.dtype.type(1), "b": x.dtype.type(0)}
    return lax.reduce({"a": x, "b": x + 1}, init, after, (1,))


@pytest.mark.parametrize("size", [*range(6), 17])
def test_what_is_next_to_each_other_is_combined_in_order(size):
    x = RANDOM.uniform(0.5, 1.5, (3, size, 2)).astype(np.float32)
    got = reduced(x)
    for i, j in np.ndindex(3, 2):
        steps = [{"a": a, "b": a + 1} for a in x[i, :, j]]
        expected = functools.reduce(after, steps, {"a": np.float32(1), "b": np.float32(0)})
        np.testing.assert_allclose(got["a"][i, j], expected["a"], rtol=1e-5)
        np.testing.assert_allclose(got["b"][i, j], expected["b"], rtol=1e-4, atol=1e-6)


def product(x, axes):
    return lax.reduce(x, x.dtype.type(1), lambda a, b: a * b, axes)


@pytest.mark.parametrize("fun", [product, lax.reduce_prod])
@pytest.mark.parametrize("axes", [(), (0,), (1,), (0, 2), (2, 1), (0, 1, 2)])
@pytest.mark.parametrize("shape", [(2, 3, 5), (1, 3, 1)])
def test_derivatives_of_products(fun, axes, shape):
    random = np.random.default_rng(0)
    with jax.enable_x64(True):
        x, v = random.uniform(0.5, 1.5, shape), random.normal(size=shape)
        np.testing.assert_allclose(fun(x, axes), x.prod(axes), rtol=1e-12)
        np.testing.assert_allclose(
            jax.jit(jax.vmap(lambda y: fun(y, axes), 1))(np.stack([x, 2 * x], 1)),
            np.stack([x.prod(axes), (2 * x).prod(axes)]), rtol=1e-12)

        def f(y):
            return jnp.sum(jnp.sin(fun(y, axes)))

        got = jax.jvp(f, (x,), (v,))[1]
        np.testing.assert_allclose(got, directional(f, [x], [v]), rtol=1e-6)
        np.testing.assert_allclose(jnp.sum(jax.grad(f)(x) * v), got, rtol=1e-9)
        second = jax.jvp(jax.grad(f), (x,), (v,))[1]
        np.testing.assert_allclose(second, directional(jax.grad(f), [x], [v]), atol=1e-5)


def test_zeros_have_slopes_too():
    np.testing.assert_array_equal(
        jax.grad(lambda x: lax.reduce_prod(x, (0,)))(jnp.array([2.0, 0.0, 3.0])), [0, 6, 0])


def test_a_long_reduction_is_quick():
    """Each round runs the program once, on all pairs: seventeen rounds for 100,000 values."""
    calls = []

    def largest(a, b):
        calls.append(1)
        return lax.max(a, b)

    x = RANDOM.normal(size=100_000).astype(np.float32)
    assert lax.reduce(x, np.float32(-np.inf), largest, (0,)) == x.max()
    assert len(calls) == 1


@pytest.mark.parametrize("operation, init, name", [
    (lax.add, 0.0, "reduce_sum"), (lax.mul, 1.0, "reduce_prod"), (lax.max, -np.inf, "reduce_max"),
    (lax.min, np.inf, "reduce_min"), (lax.add, 1.0, "reduce["), (lax.max, 0.0, "reduce["),
])
def test_operations_that_have_a_reduction_of_their_own(operation, init, name):
    text = str(jax.make_jaxpr(lambda x: lax.reduce(x, init, operation, (0,)))(jnp.ones(3)))
    assert name in text


@pytest.mark.parametrize("name", ["and", "or", "xor"])
def test_bit_by_bit(name):
    x = RANDOM.integers(-5, 100, (4, 3)).astype(np.int16)
    ufunc = getattr(np, f"bitwise_{name}")
    fun = getattr(lax, f"reduce_{name}")
    np.testing.assert_array_equal(fun(x, (0,)), ufunc.reduce(x, 0))
    np.testing.assert_array_equal(
        jax.vmap(lambda row: fun(row, (0,)))(x > 20), ufunc.reduce(x > 20, 1))
