"""Random bits of a counting state: that draws go on where others end. Numbers of no state."""

import numpy as np
import pytest

import minijax as jax
from minijax import lax

STATE = np.array([7, 8, 2**32 - 3, 1], np.uint32)


@pytest.mark.parametrize("algorithm", lax.RandomAlgorithm)
@pytest.mark.parametrize("dtype", ["uint8", "uint16", "uint32"])
def test_two_draws_are_one(algorithm, dtype):
    """Also where the low word of the counter wraps round."""
    counted, whole = lax.rng_bit_generator(STATE, (32,), dtype, algorithm)
    half, first = lax.rng_bit_generator(STATE, (16,), dtype, algorithm)
    end, second = lax.rng_bit_generator(half, (16,), dtype, algorithm)
    np.testing.assert_array_equal(np.concatenate([first, second]), whole)
    np.testing.assert_array_equal(end, counted)
    assert whole.dtype == dtype and len(set(np.asarray(whole).tolist())) > 16


def test_numbers_of_no_state():
    def pair():
        return lax.rng_uniform(0.0, 1.0, (20,)), lax.rng_uniform(0.0, 1.0, (20,))

    jitted = jax.jit(pair)
    x, y = jitted()
    z, _ = jitted()
    assert not (x == y).any() and not (x == z).any()
    assert x.dtype == "float32" and 0 <= x.min() and x.max() < 1 and x.std() > 0.1


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "int32", "uint8"])
def test_bounds_of_numbers_of_no_state(dtype):
    low, high = jax.numpy.array([2, 5], dtype)
    drawn = np.asarray(lax.rng_uniform(low, high, (3, 50)), np.float64)
    assert drawn.shape == (3, 50) and 2 <= drawn.min() < 3 and 4 <= drawn.max() <= 5
    assert lax.rng_uniform(high, high, (2,)).tolist() == [5, 5]
