"""Nestings of transformations, of sharded arrays: the answers are those of arrays on one device."""

import itertools

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from lax.sharding.test_partitioned_calls import put, sharding
from minijax import lax

STEPS = {
    "jit": jax.jit,
    "vmap": lambda f: lambda x, w: jax.vmap(f, (0, None))(jnp.stack([x, 0.5 * x]), w).sum(0),
    "grad": lambda f: jax.grad(lambda x, w: (f(x, w) ** 2).sum()),
    "scan": lambda f: lambda x, w: lax.scan(lambda c, _: (f(c, w), None), x, None, length=2)[0],
    "placed": lambda f: lambda x, w: lax.with_sharding_constraint(f(x, w), sharding("y", "x")),
}


def layer(x, w):
    return jnp.tanh(x @ w + x.sum(0))


def check(names):
    f = layer
    for name in reversed(names):
        f = STEPS[name](f)
    with jax.enable_x64(True):  # sums in another order differ by little
        x, w = (put(text).astype(np.float64) for text in ("8,8:x,y", "8,8:-,y"))
        got, wanted = f(x, w), f(np.asarray(x), np.asarray(w))
        np.testing.assert_allclose(got, wanted, rtol=1e-9, atol=1e-9, err_msg=str(names))


def test_some_nestings():
    for names in (("jit", "grad", "scan"), ("jit", "vmap", "placed")):
        check(names)


@pytest.mark.prove
@pytest.mark.parametrize("outer", STEPS)
def test_nestings_to_depth_three(outer):
    for inner in itertools.product(STEPS, repeat=2):
        check((outer, *inner))
