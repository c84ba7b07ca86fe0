"""New arrays of a shape."""

import numpy as np
import pytest

import minijax as jax
from minijax import lax


def test_broadcast():
    x = np.arange(3, dtype=np.int32)
    np.testing.assert_array_equal(lax.broadcast(x, (2, 4)), np.broadcast_to(x, (2, 4, 3)))
    assert lax.broadcast(1.0, ()).shape == ()


def test_an_inert_parameter_is_shown_and_changes_nothing():
    closed = jax.make_jaxpr(lambda: lax.iota("int32", 3))()
    assert closed.eqns[0].params["sharding"] is None
    bound = lax.iota_p.bind(dtype=np.dtype("int32"), shape=(3,), dimension=0, sharding="any")
    assert bound.tolist() == [0, 1, 2]
    with pytest.raises(TypeError, match="iota has no parameter color"):
        lax.iota_p.bind(dtype=np.dtype("int32"), shape=(3,), dimension=0, color="red")
