"""Control flow outside jit: a function seen before, with operands of types seen before, is not
traced anew."""

import gc
import weakref

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax

X = jnp.arange(4.0)
times = []


def traced(fun):
    def counted(*args):
        times.append(1)
        return fun(*args)

    return counted


step = traced(lambda total, x: (total + x, total))
up, down = traced(lambda x: x + 1), traced(lambda x: x - 1)
small, double = traced(lambda x: x < 9), traced(lambda x: x * 2)
add_index, square = traced(lambda i, x: x + i), traced(lambda x: x * x)

CALLS = {
    "scan": lambda x: lax.scan(step, x[0], x), "cond": lambda x: lax.cond(x[0] > 0, up, down, x),
    "while": lambda x: lax.while_loop(small, double, x[1]),
    "fori": lambda x: lax.fori_loop(0, 3, add_index, x),
    "map": lambda x: lax.map(square, x), "switch": lambda x: lax.switch(1, [up, down], x),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_it_is_not_traced_anew(name):
    jax.clear_caches()
    first = CALLS[name](X)
    times.clear()
    for x in (X, X):
        for a, b in zip(jax.tree.leaves(CALLS[name](x)), jax.tree.leaves(first), strict=True):
            np.testing.assert_array_equal(a, b, strict=True)
    CALLS[name](X + 1)
    assert not times
    CALLS[name](jnp.arange(4))
    assert times
    times.clear()
    CALLS[name](jnp.arange(4))
    assert not times
    with jax.enable_x64():
        CALLS[name](X)
    assert times


def test_a_range_has_its_own_bounds_and_functions_their_own_loops():
    for upper in (3, 4, 0, 3):
        assert lax.fori_loop(0, upper, add_index, 0) == sum(range(upper))
        assert lax.fori_loop(1, upper, lambda i, x: x - i, 0) == -sum(range(upper))
    np.testing.assert_array_equal(lax.map(up, X), X + 1)
    np.testing.assert_array_equal(lax.map(down, X), X - 1)


def test_a_function_that_nobody_has_is_forgotten():
    def body(i, x):
        return x + i

    for _ in range(2):
        lax.fori_loop(0, 3, body, 0)
        lax.map(body.__get__(1), X)
    forgotten = weakref.ref(body)
    del body
    gc.collect()
    assert forgotten() is None
