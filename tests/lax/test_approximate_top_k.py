"""The approximate largest few, which are exact, where equals and NaN are among them."""

import numpy as np
import pytest

import minijax.numpy as jnp
from minijax import lax

RANDOM = np.random.default_rng(0)
ODD = np.array([1.0, np.nan, 2.0, np.inf, -np.inf, 2.0], np.float32)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("k", [1, 3])
def test_values_are_the_first_of_those_in_order(dtype, axis, k):
    x = jnp.asarray(RANDOM.normal(size=(5, 6)), dtype)
    in_order = np.sort(np.asarray(x, np.float32), axis)
    for find, along in (lax.approx_max_k, np.flip(in_order, axis)), (lax.approx_min_k, in_order):
        values, places = find(x, k, axis)
        np.testing.assert_array_equal(values.astype("float32"), np.take(along, range(k), axis))
        np.testing.assert_array_equal(jnp.take_along_axis(x, places, axis), values)
        assert values.dtype == dtype and places.dtype == "int32"


def test_nan_comes_first():
    for k in (1, 3):
        assert lax.approx_max_k(ODD, k)[1].tolist() == [1, 3, 2][:k]
        assert lax.approx_min_k(ODD, k)[1].tolist() == [1, 4, 0][:k]
