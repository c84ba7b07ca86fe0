"""Floats by their bits: fewer of them, and their total order."""

import itertools

import ml_dtypes
import numpy as np
import pytest

import minijax as jax
from minijax import lax
from minijax.lax.elementwise.floats import total_order

EDGES = np.array([0.0, -0.0, 1.0, -1.5, np.inf, -np.inf, np.nan, 65504.0, 65520.0, 1e-4, 3e38,
                  1 + 2.0**-11, 1 + 3 * 2.0**-11, 2.0**-14], np.float32)  # fmt: skip
VALUES = np.concatenate([EDGES, np.random.default_rng(5).normal(size=500).astype(np.float32) * 100])


@pytest.mark.parametrize("dtype, exponent_bits, mantissa_bits", [
    (np.float16, 5, 10), (ml_dtypes.bfloat16, 8, 7), (ml_dtypes.float8_e5m2, 5, 2),
])
def test_reduce_precision_is_rounding_to_a_format(dtype, exponent_bits, mantissa_bits):
    """Up to numbers below the format's normal ones: zero here."""
    with np.errstate(over="ignore"):
        expected = VALUES.astype(dtype).astype(np.float32)
    normal = ~(np.abs(VALUES) < float(ml_dtypes.finfo(dtype).smallest_normal))
    got = lax.reduce_precision(VALUES, exponent_bits, mantissa_bits)
    np.testing.assert_array_equal(np.asarray(got)[normal], expected[normal])


def test_reduce_precision_has_its_own_derivative():
    assert float(jax.grad(lambda x: lax.reduce_precision(x * x, 5, 2))(1.5)) == 3.0


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32, np.float64])
def test_the_total_order_refines_the_usual_one(dtype):
    x = EDGES[~np.isnan(EDGES)].astype(dtype)
    keys = total_order(x)
    for i, j in itertools.product(range(len(x)), repeat=2):
        if x[i] < x[j]:
            assert keys[i] < keys[j]
    zero, nan = np.array([0.0], dtype), np.array([np.nan], dtype)
    assert total_order(-zero) < total_order(zero)
    assert total_order(nan) > keys.max() and total_order(-nan) < keys.min()
