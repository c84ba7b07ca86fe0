"""Updates outside of loops: where they lie, and where somebody else needs the old array."""

from functools import partial

import numpy as np

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.compiler.special_cases.written_in_place import is_alone, own_memory
from minijax.core.arrays import Array

SIZE = 1 << 15
X = jnp.arange(float(SIZE))


def arrays_made(fun, *args):
    """How many arrays of SIZE a program makes, and whether an update is left to NumPy."""
    text = str(jax.explain(fun)(*args))
    return text.count(f"empty(({SIZE},)"), "NumPy: dynamic_update_slice" in text


def updated(x, i):
    y = jnp.sin(x)
    return lax.dynamic_update_slice(y, y[:3] * 2.0, (i,))


def read_before(x, i):
    y = jnp.sin(x)
    z = lax.dynamic_update_slice(y, x[:3], (i,))
    return z, y[:2] + 1.0


def read_by_its_kernel(x, i):
    y = jnp.sin(x)
    z = lax.dynamic_update_slice(y, x[:3], (i,))
    return z, y[:2] + z[:2]


def returned(x, i):
    y = jnp.sin(x)
    return y, lax.dynamic_update_slice(y, x[:3], (i,))


def test_an_update_of_what_nobody_needs_any_more_is_in_place(on_numba):
    assert arrays_made(updated, X, 5) == (1, False)
    assert arrays_made(read_before, X, 5) == (1, False)
    assert arrays_made(returned, X, 5)[1] and arrays_made(read_by_its_kernel, X, 5)[1]
    before = np.array(X)
    for fun in (updated, read_before, read_by_its_kernel, returned):
        with jax.disable_jit():
            expected = fun(X, 5)
        jax.tree.map(partial(np.testing.assert_allclose, rtol=1e-6), jax.jit(fun)(X, 5), expected)
    np.testing.assert_array_equal(X, before)


def test_who_holds_memory_is_counted():
    x = Array(np.arange(6.0).reshape(2, 3))
    assert is_alone(x) and own_memory(x)._value is x._value
    views = [x._value, np.asarray(x), x._value[1:], memoryview(x._value), Array(x._value)]
    while views:
        assert not is_alone(x) and not np.shares_memory(own_memory(x)._value, x._value)
        views.pop()
    assert is_alone(x)
    repeated, turned = np.broadcast_to(np.ones(1), 6), np.asfortranarray(np.ones((2, 3)))
    buffer = np.frombuffer(bytearray(8), np.float64)
    assert not any(map(is_alone, map(Array, (repeated.view(), turned, buffer))))
