"""fori_loop and map beside Python's own loops; associative_scan beside the sums one by one."""

import functools
import itertools

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax

XS = jnp.array([0.3, -0.7, 1.1, 0.5, 2.0, -1.5, 0.2])


def close(got, expected, tolerance=2e-5):
    for x, y in zip(jax.tree.leaves(got), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(x, y, rtol=tolerance, atol=tolerance)


# fori_loop.


def python_loop(lower, upper, body, val):
    return functools.reduce(lambda val, i: body(i, val), range(lower, upper), val)


@pytest.mark.parametrize("lower, upper", [(0, 4), (2, 3), (-3, 2), (3, 3), (5, 1)])
def test_fori_loop_with_known_and_with_traced_bounds(lower, upper):
    def body(i, val):
        return {"a": val["a"] * 0.5 + i, "n": val["n"] + 1}

    init = {"a": XS, "n": 0}
    expected = python_loop(lower, upper, body, init)
    close(lax.fori_loop(lower, upper, body, init), expected)
    close(lax.fori_loop(lower, upper, body, init, unroll=2), expected)
    close(jax.jit(lambda a, b: lax.fori_loop(a, b, body, init))(lower, upper), expected)
    close(jax.jit(lambda b: lax.fori_loop(lower, b, body, init))(upper), expected)
    with jax.disable_jit():
        close(lax.fori_loop(lower, upper, body, init), expected)


def test_known_bounds_have_a_gradient_and_traced_ones_have_none():
    def f(x, n):
        return lax.fori_loop(0, n, lambda i, c: c * x + i, 1.0)

    def expected(x):
        return python_loop(0, 4, lambda i, c: c * x + i, 1.0)

    close(jax.grad(f)(1.3, 4), jax.grad(expected)(1.3))
    close(jax.grad(jax.grad(f))(1.3, 4), jax.grad(jax.grad(expected))(1.3))
    close(jax.jit(lambda n: jax.jvp(lambda x: f(x, n), (1.3,), (1.0,))[1])(4),
          jax.grad(expected)(1.3))  # fmt: skip
    with pytest.raises(ValueError):
        jax.jit(lambda n: jax.grad(f)(1.3, n))(4)


def test_mapped_bounds():
    out = jax.vmap(lambda a, b: lax.fori_loop(a, b, lambda i, c: c + i, 0))(
        jnp.array([0, 2, 5]), jnp.array([4, 2, 7])
    )
    assert out.tolist() == [6, 0, 11]


def test_the_counter_starts_and_ends_where_python_does():
    seen = []
    with jax.disable_jit():
        lax.fori_loop(-2, 2, lambda i, c: seen.append(i) or c, 0)
    assert seen == [-2, -1, 0, 1]


# map.


@pytest.mark.parametrize("batch_size", [None, 0, 1, 2, 3, 7, 9])
def test_map_in_batches_of_all_sizes(batch_size):
    def f(x):
        return {"s": jnp.sin(x["a"]), "t": (x["a"] * x["b"], x["b"].sum())}

    xs = {"a": XS, "b": jnp.arange(14.0).reshape(7, 2)}
    expected = [f(jax.tree.map(lambda v, i=i: v[i], xs)) for i in range(7)]
    got = lax.map(f, xs, batch_size=batch_size)
    close(got, jax.tree.map(lambda *ys: jnp.stack(ys), *expected))

    def total(a):
        return sum(map(jnp.sum, jax.tree.leaves(lax.map(f, {**xs, "a": a}, batch_size=batch_size))))

    close(jax.grad(total)(XS), jnp.cos(XS) + xs["b"].sum(1))
    with jax.disable_jit():
        close(lax.map(f, xs, batch_size=batch_size), got)


# associative_scan.


def one_by_one(fn, elems, reverse):
    elems = elems[::-1] if reverse else elems
    totals = list(itertools.accumulate(elems, fn))
    return jnp.stack(totals[::-1] if reverse else totals)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("size", range(1, 10))
def test_running_totals_of_all_sizes(size, reverse):
    matrices = jnp.sin(jnp.arange(4.0 * size)).reshape(size, 2, 2)
    close(lax.associative_scan(jnp.matmul, matrices, reverse=reverse),
          one_by_one(jnp.matmul, matrices, reverse), 1e-4)  # fmt: skip
    numbers = jnp.arange(1, size + 1)
    for fn in (jnp.add, jnp.multiply, jnp.maximum):
        got = lax.associative_scan(fn, numbers, reverse=reverse)
        assert got.tolist() == one_by_one(fn, numbers, reverse).tolist()


def linear(a, b):
    """Composes x -> m x + c with another."""
    return {"m": a["m"] * b["m"], "c": a["c"] * b["m"] + b["c"]}


@pytest.mark.parametrize("size", [1, 2, 5, 6])
def test_recurrences_and_their_gradients_are_those_of_scan(size):
    xs = {"m": jnp.cos(XS[:size]), "c": XS[:size]}

    def by_scan(xs):
        return lax.scan(lambda c, x: (c * x["m"] + x["c"],) * 2, 0.0, xs)[1]

    def totals(xs):
        return lax.associative_scan(linear, xs)["c"]

    close(totals(xs), by_scan(xs))
    ours, expected = (jax.grad(lambda xs, f=f: jnp.sum(jnp.sin(f(xs)))) for f in (totals, by_scan))
    close(ours(xs), expected(xs))
    close(jax.jvp(ours, (xs,), (xs,)), jax.jvp(expected, (xs,), (xs,)))
    stacked = jax.tree.map(lambda x: jnp.stack([x, 2 * x]), xs)
    close(jax.vmap(totals)(stacked), jax.vmap(by_scan)(stacked))


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_totals_along_each_axis(axis):
    x = jnp.arange(2.0 * 3 * 5).reshape(2, 3, 5)
    for reverse in (False, True):
        flip = [slice(None)] * 3
        flip[axis] = slice(None, None, -1 if reverse else 1)
        expected = np.cumsum(np.asarray(x)[tuple(flip)], axis)[tuple(flip)]
        close(lax.associative_scan(jnp.add, x, reverse, axis), expected)
