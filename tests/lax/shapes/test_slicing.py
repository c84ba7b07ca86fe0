"""Parts of arrays, with places counted from either end."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax


@pytest.mark.parametrize("bounds", [(0, 2), (1, None), (None, -1), (-2, None), (-3, -1), (1, 1)])
@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_slice_in_dim(bounds, stride, axis):
    x = np.arange(12, dtype=np.int32).reshape(3, 4)
    where = [slice(None)] * 2
    where[axis] = slice(*bounds, stride)
    np.testing.assert_array_equal(lax.slice_in_dim(x, *bounds, stride, axis), x[tuple(where)])


def test_slice_in_dim_refuses():
    with pytest.raises(TypeError, match=r"lie in int32\[3\]"):
        lax.slice_in_dim(np.arange(3), 0, 4)
    with pytest.raises(IndexError, match="no axis 1"):
        lax.slice_in_dim(np.arange(3), 0, 1, axis=1)


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("index", [0, -1, 1])
@pytest.mark.parametrize("keepdims", [False, True])
def test_index_in_dim(axis, index, keepdims):
    x = np.arange(6, dtype=np.int32).reshape(2, 3)
    expected = np.take(x, [index] if keepdims else index, axis)
    np.testing.assert_array_equal(lax.index_in_dim(x, index, axis, keepdims), expected)


def test_index_in_dim_refuses():
    with pytest.raises(IndexError):
        lax.index_in_dim(np.arange(3), 3)
    with pytest.raises(IndexError):
        lax.index_in_dim(np.arange(3), 0, axis=1)


@pytest.mark.parametrize("shape", [(2, 16, 1, 1), (2, 4, 1, 1)])
def test_few_numbers_padded_along_several_axes(shape, on_numba):
    """What is padded along the last axis alone is too small to be read in pieces."""
    x, edges = jnp.ones(shape), [(0, 14, 0), (0, 0, 0), (3, 1, 0), (0, 2, 0)]
    f = lambda x: lax.pad(x, 0.0, edges) * 2  # noqa: E731
    np.testing.assert_array_equal(jax.jit(f)(x), f(x))
