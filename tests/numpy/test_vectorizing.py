"""vectorize and fromfunction: against loops, in every way that arguments are broadcast."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp


def numbers(*shape):
    return np.arange(1.0, 1 + np.prod(shape), dtype=np.float32).reshape(shape)


@pytest.mark.parametrize("a, b", [
    ((), ()), ((3,), ()), ((2, 3), (3,)), ((2, 1), (3,)), ((2, 1, 3), (4, 1)), ((0, 3), (3,)),
    ((1, 3), (1, 1)),
])  # fmt: skip
def test_axes_are_broadcast(a, b):
    seen = []

    def f(x, y):
        seen.append((x.shape, y.shape))
        return x - 2 * y

    x, y = numbers(*a), numbers(*b)
    np.testing.assert_array_equal(jnp.vectorize(f)(x, y), x - 2 * y)
    assert set(seen) == {((), ())}


@pytest.mark.parametrize("a, x, out", [
    ((2, 3), (3,), (2,)), ((4, 2, 3), (3,), (4, 2)), ((2, 3), (4, 3), (4, 2)),
    ((5, 1, 2, 3), (4, 3), (5, 4, 2)),
])  # fmt: skip
def test_a_signature_keeps_axes(a, x, out):
    product = jnp.vectorize(jnp.dot, signature="(n,m),(m)->(n)")
    a, x = numbers(*a), numbers(*x)
    got = product(a, x)
    assert got.shape == out
    np.testing.assert_allclose(got, np.einsum("...nm,...m->...n", a, x), rtol=1e-6)


def test_several_results_and_trees():
    f = jnp.vectorize(lambda x: (x.sum(), x[:2]), signature="(n)->(),(k)")
    total, start = f(numbers(2, 3))
    assert total.shape == (2,) and start.shape == (2, 2)
    assert jnp.vectorize(lambda x: {"a": x})(numbers(3))["a"].shape == (3,)


def test_excluded_arguments_are_given_as_they_are():
    f = jnp.vectorize(lambda x, how, *, by=1: x.sum() * len(how) * by, excluded={1, "by"},
                      signature="(n)->()")  # fmt: skip
    np.testing.assert_array_equal(f(numbers(2, 3), "ab"), [12.0, 30.0])
    np.testing.assert_array_equal(f(numbers(2, 3), "ab", by=2), [24.0, 60.0])
    with pytest.raises(TypeError, match="given by position, and got more="):
        f(numbers(2, 3), "ab", more=1)


def test_derivatives_jit_and_batches():
    f = jnp.vectorize(lambda x, y: jnp.sin(x) @ y, signature="(n),(n)->()")
    x, y = numbers(4, 3), numbers(3)
    np.testing.assert_allclose(jax.jit(f)(x, y), np.sin(x) @ y, rtol=1e-5)
    np.testing.assert_allclose(jax.grad(lambda x: f(x, y).sum())(x), np.cos(x) * y, rtol=1e-5)
    np.testing.assert_allclose(jax.vmap(f, (0, None))(x, y), np.sin(x) @ y, rtol=1e-5)


@pytest.mark.parametrize("shape", [(3,), (2, 3), (2, 3, 4)])
def test_fromfunction(shape):
    f = lambda *i: sum(10**k * n for k, n in enumerate(i))  # noqa: E731
    got = jnp.fromfunction(f, shape, dtype=int)
    np.testing.assert_array_equal(got, np.fromfunction(f, shape, dtype=int))
    assert got.dtype == np.int32
