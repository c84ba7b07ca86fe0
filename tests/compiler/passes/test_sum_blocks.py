"""Large sums are made of sum_blocks, which threads share: the same on any number of them."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax.compiler import executable as compiled
from minijax.compiler.executable import Executable
from minijax.compiler.passes import sum_blocks
from minijax.core.jitting import CompileOptions

RANDOM = np.random.default_rng(0)


def several(x):
    mean = jnp.mean(x)
    return mean, jnp.sum((x - mean) ** 2), x / jnp.sum(jnp.abs(x))


CASES = {  # what is computed, and of which shape
    "all": (jnp.sum, (997,)),
    "a matrix": (jnp.sum, (31, 40)),
    "of two rows": (lambda x: jnp.sum(x + x.reshape(600, 2).T), (2, 600)),
    "columns": (lambda x: jnp.sum(x, axis=0), (509, 3)),
    "an axis between": (lambda x: jnp.sum(x, axis=(0, 1)), (37, 20, 4)),
    "an axis of size 1": (lambda x: jnp.sum(x, axis=(0, 1)), (1, 400, 5)),
    "more than sums": (several, (1201,)),
    "columns and more": (lambda x: (x - x.mean(axis=0)) / x.std(axis=0), (300, 10)),
    "greatest and least": (lambda x: (jnp.max(x), jnp.min(x), jnp.max(x, axis=0)), (401, 7)),
    "a product": (lambda x: jnp.prod(1 + x / 1000), (800,)),
    "any and all": (lambda x: (jnp.any(x > 2), jnp.all(x < 2, axis=0)), (300, 4)),
    "whole numbers": (lambda x: jnp.sum((100 * x).astype(jnp.int32), axis=0), (300, 4)),
    "positions": (lambda x: jnp.sum(x * jnp.arange(999.0)), (999,)),
    "positions of rows": (lambda x: jnp.sum(x * jnp.arange(300)[:, None], axis=0), (300, 4)),
    "rows, which stay whole": (lambda x: jnp.sum(x, axis=1), (100, 50)),
}


def on_threads(count, executable, x, monkeypatch):
    with ThreadPoolExecutor(max(1, count - 1)) as pool:
        monkeypatch.setattr(compiled, "workers", lambda: (count, pool))
        return list(map(np.asarray, executable(x)))


@pytest.mark.parametrize("case", CASES)
def test_sums_in_blocks_are_right_and_the_same_on_any_number_of_threads(case, monkeypatch):
    monkeypatch.setattr(sum_blocks, "LARGE", 700)
    monkeypatch.setattr(compiled, "LARGE", 1)
    f, shape = CASES[case]
    x = jnp.asarray(RANDOM.normal(size=shape).astype("f"))
    closed = jax.make_jaxpr(f)(x)
    executable = Executable(closed, CompileOptions("f", ()))
    assert ("empty((8" in executable.as_text()) == (case != "rows, which stay whole")
    first, *others = (on_threads(n, executable, x, monkeypatch) for n in (1, 2, 3, 11))
    for other in others:
        assert all(map(np.array_equal, first, other))
    for y, wanted in zip(first, jax.tree.leaves(f(x)), strict=True):
        np.testing.assert_allclose(y, wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("shape, dtype, equations", [
    ((32, 100_000), "float32", 2), ((31, 100_000), "float32", 1), ((500_000,), "float32", 1),
    ((600_000,), "float32", 2), ((600_000,), "complex64", 1), ((600_000,), "float16", 1),
])  # fmt: skip
def test_blocks_cost_less_than_what_they_are_made_of(shape, dtype, equations):
    """A sum of few long rows stays as it is; so does one that is small, or no kernel's."""
    x = jax.ShapeDtypeStruct(shape, dtype)
    [eqn] = jax.make_jaxpr(lambda x: jax.lax.reduce_max_p.bind(x, axes=(0,)))(x).eqns
    assert len(sum_blocks.in_blocks(eqn)) == equations


def test_in_a_loop_sums_are_whole(monkeypatch):
    monkeypatch.setattr(sum_blocks, "LARGE", 100)
    closed = jax.make_jaxpr(
        lambda x: jax.lax.fori_loop(0, 3, lambda _, x: x / jnp.sum(jnp.abs(x)), x)
    )(jnp.ones(1000))
    executable = Executable(closed, CompileOptions("f", ()))
    assert not executable.binds
    np.testing.assert_allclose(executable(jnp.ones(1000))[0], np.full(1000, 1e-3), rtol=1e-4)
