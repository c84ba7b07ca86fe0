"""Limits: of one number or of one for each element, batched in any way."""

import itertools

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax

RANDOM = np.random.default_rng(4)


@pytest.mark.parametrize("dims", [d for d in itertools.product([None, 0, 1], repeat=3) if any(
    n is not None for n in d)])
@pytest.mark.parametrize("full", itertools.product([False, True], repeat=3))
def test_batched_in_any_way(dims, full):
    """`full` says which of (min, x, max) is no scalar; limits may be only where x is too."""
    if not full[1] and any(full):
        return
    args, each = [], [[], [], []]
    for d, is_full in zip(dims, full, strict=True):
        if not is_full and d:
            return
        shape = (3, 4) if is_full else (3,)
        values = RANDOM.normal(size=shape).astype(np.float32)
        args.append(values[0] if d is None else np.moveaxis(values, 0, d))
        for i in range(3):
            each[i].append(values[0] if d is None else values[i])
    got = jax.vmap(lax.clamp, dims)(*args)
    for i in range(3):
        np.testing.assert_array_equal(got[i], lax.clamp(*each[i]))


@pytest.mark.parametrize("x, slopes", [(0.0, (1, 0, 0)), (1.5, (0, 1, 0)), (3.0, (0, 0, 1))])
def test_slopes(x, slopes):
    grads = jax.grad(lambda *args: jnp.sum(lax.clamp(*args)), (0, 1, 2))
    assert tuple(map(float, grads(1.0, x, 2.0))) == slopes
    many = grads(1.0, jnp.array([x, x]), 2.0)
    assert [float(jnp.sum(g)) for g in many] == [2 * s for s in slopes]


def test_nan_and_crossing_limits():
    np.testing.assert_array_equal(lax.clamp(1.0, np.array([np.nan, 0.0]), 2.0), [np.nan, 1.0])
    assert float(lax.clamp(3.0, 2.5, 1.0)) == 1.0
