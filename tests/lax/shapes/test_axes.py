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
    closed = jax.make_jaxpr(lax.tan)(1.0)
    assert closed.eqns[0].params["accuracy"] is None
    assert lax.tan_p.bind(np.zeros(3), accuracy="any").tolist() == [0, 0, 0]
    with pytest.raises(TypeError, match="tan has no parameter color"):
        lax.tan_p.bind(np.zeros(3), color="red")
