"""Loops of rows give, some rows at a time, what they give all at once."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from kernel_runs import strips_beside_numpy
from minijax.compiler import executable
from minijax.compiler.special_cases import row_loops

RANDOM = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Small loops too run in strips of few rows, shared out among threads."""
    monkeypatch.setattr(row_loops, "LARGE", 1)
    monkeypatch.setattr(row_loops, "SOME", 1)
    monkeypatch.setattr(executable, "LARGE", 1)


def repeat(step, *state):
    return jax.lax.fori_loop(0, 7, lambda i, state: step(*state), state)


def lorenz(state):
    x, y, z = state
    return state + 0.01 * jnp.stack([10.0 * (y - x), x * (28.0 - z) - y, x * y - 2.6 * z])


def collatz(n):
    """How many steps it takes to come to 1: another number for each row."""
    def step(state):
        n, count = state
        return jnp.where(n % 2 == 0, n // 2, 3 * n + 1), count + 1

    return jax.lax.while_loop(lambda state: state[0] != 1, step, (n, 0))[1]


def searched(table, x):
    def step(low, high):
        middle = (low + high) // 2
        is_above = table[middle] < x
        return jnp.where(is_above, middle, low), jnp.where(is_above, high, middle)

    return repeat(step, jnp.zeros(x.shape, int), jnp.full(x.shape, len(table) - 1))


def network(w, x, inputs):
    return jax.lax.scan(lambda h, y: (jnp.tanh(h @ w + y), h.sum(1)), x, inputs)


x, grid = RANDOM.normal(size=(24, 3)).astype("float32"), RANDOM.normal(size=(12, 5)).astype("f")
numbers, w = RANDOM.normal(size=40).astype("float32"), RANDOM.normal(size=(3, 3)).astype("f")
w24 = RANDOM.normal(size=(24, 24)).astype("float32")

APART = {
    "a picture": (lambda x: repeat(lambda z, n: (z * z + x, n + (abs(z) < 2)), x, 0 * x), grid),
    "a row of numbers": (lambda x: repeat(lambda y: (y * 0.5 + x,), x), numbers),
    "differential equations": (
        jax.vmap(lambda s: jax.lax.scan(lambda s, _: (lorenz(s), s), s, None, 5)), x),
    "backwards": (lambda x, y: jax.lax.scan(
        lambda c, y: (c * 0.5 + y, c), x, y, reverse=True), x, RANDOM.normal(size=(5, 24, 3))),
    "carried and taken": (lambda x: jax.lax.scan(
        lambda c, y: (c * y[:, None], c + y[:, None]), x, x), w24),
    "a number of steps for each row": (jax.vmap(collatz), np.arange(1, 41, dtype="int32")),
    "a table": (lambda x: searched(jnp.linspace(-2.0, 2.0, 33), x), numbers),
    "a counter beside": (lambda x: repeat(lambda i, y: (i + 1, y * i), 1.0, x), grid),
    "what a row is multiplied with": (network, w, x, RANDOM.normal(size=(4, 24, 3)).astype("f")),
    "a reduction of the caller's": (lambda x: repeat(
        lambda y: (y - jax.lax.reduce(y, 0.0, lambda a, b: a * 0.5 + b, (1,))[:, None],), x), grid),
    "totals along two axes": (
        lambda x: repeat(lambda y: (y / y.sum((1, 2), keepdims=True),), x),
        abs(w24).reshape(8, 6, 12)),
    "running totals of rows": (lambda x: repeat(lambda y: (jnp.cumsum(y, 1),), x), grid),
    "sorted in rows": (lambda x: repeat(lambda y: (jnp.sort(y, 1) + x,), x), grid),
    "totals of rows": (lambda x: repeat(lambda y: (y / y.sum(1, keepdims=True),), x), abs(x)),
    "columns swapped": (lambda x: repeat(lambda y: (jnp.roll(y, 1, 1) * y[:, :1],), x), grid),
    "numbered rows": (lambda x: repeat(lambda y: (y + jnp.arange(12.0)[:, None],), x), grid),
    "a gradient": (jax.grad(lambda x: jax.lax.scan(
        lambda c, _: (jnp.sin(c) * x, None), x, None, 6)[0].sum()), grid),
}  # fmt: skip


@pytest.mark.parametrize("name", APART)
def test_some_rows_at_a_time(name):
    assert strips_beside_numpy(*APART[name])


TOGETHER = {
    "neighbours": (lambda x: repeat(lambda y: (y + jnp.roll(y, 1, 0),), x), grid),
    "rows backwards": (lambda x: repeat(lambda y: (y[::-1] + x,), x), grid),
    "a total of all": (lambda x: repeat(lambda y: (y - y.mean(),), x), grid),
    "turned": (lambda x: repeat(lambda y: (y.T + x,), x), RANDOM.normal(size=(12, 12))),
    "running totals": (lambda x: repeat(lambda y: (jnp.cumsum(y, 0),), x), grid),
    "a product over rows": (lambda x: repeat(lambda y: (y * (y.T @ y)[0],), x), 0.1 * grid),
    "sorted rows": (lambda x: repeat(lambda y: (x + y[jnp.argsort(y[:, 0])],), x), grid),
    "an update": (lambda x: repeat(lambda y: (y.at[0].set(y[1]),), x), grid),
    "as many by chance": (
        lambda x, w: repeat(lambda y: (jnp.tanh(w @ y),), x), grid,
        RANDOM.normal(size=(12, 12)).astype("f")),
    "one row for all": (lambda x: repeat(lambda y: (y * y[3],), x), grid),
    "until all are small": (lambda x: jax.lax.while_loop(
        lambda y: jnp.any(abs(y) > 0.1), lambda y: y * 0.5, x), grid),
}  # fmt: skip


@pytest.mark.parametrize("name", TOGETHER)
def test_all_rows_together(name):
    assert not strips_beside_numpy(*TOGETHER[name])


@pytest.mark.parametrize(("count", "loops"), [(4000, 1), (4001, 0)])
def test_strips_have_some_rows_each(monkeypatch, count, loops):
    """4001 has no divisors."""
    monkeypatch.setattr(row_loops, "SOME", 64)
    def halved(x):
        return repeat(lambda y: (y * 0.5,), x)

    found = strips_beside_numpy(halved, np.arange(count, dtype="float32"))
    assert len(found) == loops


def test_small_loops_stay_whole(monkeypatch):
    monkeypatch.setattr(row_loops, "LARGE", 1 << 19)
    assert not strips_beside_numpy(*APART["a picture"])
