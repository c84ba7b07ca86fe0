"""The functions of `lax` that are compositions, and that `lax` has all the base primitives."""

import numpy as np
import pytest

from minijax import lax
from minijax.core import primitives
from minijax.core.tracing import Primitive


def test_every_base_primitive_is_there():
    for name, value in vars(primitives).items():
        if isinstance(value, Primitive):
            assert getattr(lax, name) is value
    assert set(lax.__all__) <= set(vars(lax))


def test_reciprocal():
    np.testing.assert_allclose(lax.reciprocal(np.array([1.0, 4.0], np.float32)), [1, 0.25])


def test_broadcast():
    x = np.arange(3, dtype=np.int32)
    np.testing.assert_array_equal(lax.broadcast(x, (2, 4)), np.broadcast_to(x, (2, 4, 3)))
    assert lax.broadcast(1.0, ()).shape == ()


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
    with pytest.raises(ValueError):
        lax.index_in_dim(np.arange(3), 0, axis=1)
