"""A program holds on to a value until its last use, and no longer."""

import gc
import tracemalloc

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax

pytestmark = pytest.mark.usefixtures("module_few_objects")

MB = 1 << 20
SIZE = MB // 2  # elements of 4 bytes: 2 MB


def forty_sines(x):
    for _ in range(40):
        x = lax.sin(x)
    return x


def peak(fun, *args):
    """How many MB more than before are in use at once, at most, while `fun` runs."""
    fun(*args)
    gc.collect()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        fun(*args)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return (most - before) / MB


@pytest.fixture(scope="module")
def x():
    return jnp.ones(SIZE)


@pytest.mark.parametrize("transform", [
    lambda f: f, jax.jit, lambda f: jax.jit(jax.jit(f)), lambda f: jax.vmap(jax.jit(f)),
    lambda f: jax.jit(lambda x: jax.linearize(f, x)[0]),
])  # fmt: skip
def test_forty_sines(x, transform):
    assert peak(transform(forty_sines), x) < 8


def test_a_program_within_a_program(x):
    """Each sine is a program of its own."""
    inner = jax.jit(lax.sin)

    def f(x):
        for _ in range(40):
            x = inner(x)
        return x

    assert peak(jax.jit(f), x) < 8


def test_forward_mode_keeps_no_history(x):
    assert peak(jax.jit(lambda x: jax.jvp(forty_sines, (x,), (x,))), x) < 16


def test_a_gradient_keeps_what_it_needs_and_no_more(x):
    """The forty cosines; neither the sines nor all the cotangents."""
    assert peak(jax.grad(lambda x: jnp.sum(jax.jit(forty_sines)(x))), x) < 1.3 * 40 * 2
    assert peak(jax.jit(jax.grad(lambda x: jnp.sum(forty_sines(x)))), x) < 1.3 * 40 * 2


def test_a_result_that_nobody_uses_is_dropped_at_once(x):
    """The cosines of a derivative that is not asked for."""
    def f(x):
        for _ in range(40):
            lax.cos(x)
            x = lax.sin(x)
        return x

    assert peak(jax.jit(f), x) < 10


def test_where_each_value_is_used_last():
    def f(x, y):
        a = lax.sin(x)
        b = lax.mul(a, y)
        lax.cos(b)
        return lax.add(a, b), y

    jaxpr = jax.make_jaxpr(f)(1.0, 2.0).jaxpr
    (x, y), (a, b, c, d) = jaxpr.invars, (eqn.outvars[0] for eqn in jaxpr.eqns)
    assert [set(dead) for dead in jaxpr.last_uses] == [{x}, set(), {c}, {a, b}]
    assert y not in {v for dead in jaxpr.last_uses for v in dead} and d is jaxpr.outvars[0]


def test_values_that_are_used_twice_or_returned_stay():
    def f(x):
        a = lax.sin(x)
        return a, lax.mul(a, a), lax.add(x, a), a, x

    for got, want in zip(jax.jit(f)(0.5), f(0.5), strict=True):
        np.testing.assert_allclose(got, want)


def test_the_peak_does_not_grow_with_the_program(x):
    def loop(n):
        def f(x):
            for _ in range(n):
                x = lax.neg(x)
            return x

        return f

    assert abs(peak(jax.jit(loop(100)), x) - peak(jax.jit(loop(10)), x)) < 1
