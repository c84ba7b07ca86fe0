"""Running totals: of every length, from either end, and their derivatives."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from numerics import directional

RANDOM = np.random.default_rng(1)
FUNCTIONS = {
    lax.cumsum: np.add.accumulate, lax.cumprod: np.multiply.accumulate,
    lax.cummax: np.maximum.accumulate, lax.cummin: np.minimum.accumulate,
    lax.cumlogsumexp: np.logaddexp.accumulate,
}  # fmt: skip


@pytest.mark.parametrize("fun", FUNCTIONS)
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("size", range(8))
def test_derivatives_of_every_length(fun, reverse, size):
    """The derivative goes along pairs: odd lengths and short ones are cases of their own."""
    with jax.enable_x64(True):
        x = RANDOM.permutation(np.linspace(-1, 1.5, 4 * size)).reshape(2, size, 2)  # no near ties
        v = RANDOM.normal(size=(2, size, 2))

        def f(y):
            return jnp.sum(jnp.sin(fun(y, 1, reverse)) * jnp.arange(2.0))

        expected = FUNCTIONS[fun](x[:, ::-1] if reverse else x, 1)
        expected = expected[:, ::-1] if reverse else expected
        np.testing.assert_allclose(fun(x, 1, reverse), expected, rtol=1e-12)
        got = jax.jvp(f, (x,), (v,))[1]
        np.testing.assert_allclose(got, directional(f, [x], [v]), atol=1e-8)
        np.testing.assert_allclose(jnp.sum(jax.grad(f)(x) * v), got, atol=1e-11)
        second = jax.jvp(jax.grad(f), (x,), (v,))[1]
        np.testing.assert_allclose(second, directional(jax.grad(f), [x], [v]), atol=1e-6)


@pytest.mark.parametrize("fun", FUNCTIONS)
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_batched_is_each(fun, axis):
    xs = RANDOM.normal(size=(3, 4, 5)).astype(np.float32)
    moved = np.moveaxis(xs, 0, axis)
    for inner in (0, 1):
        got = jax.vmap(lambda x, inner=inner: fun(x, inner, True), axis)(moved)
        np.testing.assert_allclose(got, np.stack([fun(x, inner, True) for x in xs]), rtol=1e-5)


def test_a_tie_shares_its_derivative():
    grads = jax.grad(lambda x: lax.cummax(x)[-1])(jnp.array([2.0, 2.0, 1.0]))
    np.testing.assert_array_equal(grads, [0.5, 0.5, 0.0])


def test_sixteen_bits_are_rounded_once():
    x = jnp.full(3000, 1, jnp.float16)
    assert float(lax.cumsum(x)[-1]) == 3000  # in 16 bits, 2048 + 1 is 2048


def test_infinities_of_cumlogsumexp():
    x = np.array([-np.inf, -np.inf, 0.0, np.inf], np.float32)
    np.testing.assert_array_equal(lax.cumlogsumexp(x), x)
