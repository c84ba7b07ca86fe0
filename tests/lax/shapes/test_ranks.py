"""Axes in front, axes made one, and shapes that meet."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax

T = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


@pytest.mark.parametrize("shapes", [(), ((3, 1), (4,)), ((2, 1, 3), (5, 1), ()), ((0,), (1,))])
def test_shapes_that_meet(shapes):
    if shapes:
        assert lax.broadcast_shapes(*shapes) == np.broadcast_shapes(*shapes)


@pytest.mark.parametrize("shape", [(), (4,), (3, 1), (2, 1, 4)])
def test_as_another_array(shape):
    x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    np.testing.assert_array_equal(lax.broadcast_like(x, T), np.broadcast_to(x, T.shape))
    assert lax.broadcast_to_rank(x, 3).shape == (1,) * (3 - len(shape)) + shape
    grad = jax.grad(lambda x: lax.broadcast_like(x, T).sum())(x)
    np.testing.assert_array_equal(grad, np.full(shape, T.size / x.size))


@pytest.mark.parametrize("start, stop, shape", [
    (0, None, (24,)), (1, 3, (2, 12)), (0, 2, (6, 4)), (-2, None, (2, 12)), (1, 2, (2, 3, 4)),
])  # fmt: skip
def test_axes_made_one(start, stop, shape):
    np.testing.assert_array_equal(lax.collapse(T, start, stop), T.reshape(shape))
    np.testing.assert_array_equal(jax.jit(lambda x: lax.collapse(x, start, stop))(T),
                                  T.reshape(shape))  # fmt: skip
    if start >= 0:
        got = jax.vmap(lambda x: lax.collapse(x, 0), 1)(T)
        np.testing.assert_array_equal(got, T.transpose(1, 0, 2).reshape(3, 8))


def test_products_dtypes_and_sizes():
    y = T.transpose(0, 2, 1)
    np.testing.assert_array_equal(lax.batch_matmul(T, y), T @ y)
    assert lax.dtype(jnp.ones(2, "int8")) == np.int8 and lax.dtype(1.5) == np.float32
    assert lax.empty((2, 3), "int8").shape == (2, 3)
    assert lax.shape_as_value((2, 3)).tolist() == [2, 3]
