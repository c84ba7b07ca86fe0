"""Strips: kernels that run through large arrays together give what they give one by one."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from kernel_runs import strips_beside_numpy
from minijax.compiler import executable
from minijax.compiler.special_cases import strips

RANDOM = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Strips of few rows for small arrays too, shared out among threads."""
    monkeypatch.setattr(strips, "LARGE", 1)
    monkeypatch.setattr(strips, "SOME", 1)
    monkeypatch.setattr(strips, "NEAR", 100)
    monkeypatch.setattr(executable, "LARGE", 1)


def laplace(x):
    return 4.0 * x[1:-1, 1:-1] - x[2:, 1:-1] - x[:-2, 1:-1] - x[1:-1, 2:] - x[1:-1, :-2]


def diffusion(x, c):
    """Two stencils that both read a third."""
    around = laplace(x)
    down = around[1:, 1:-1] - around[:-1, 1:-1]
    down = jnp.where(down * (x[2:-1, 2:-2] - x[1:-2, 2:-2]) > 0, 0.0, down)
    right = around[1:-1, 1:] - around[1:-1, :-1]
    return x[2:-2, 2:-2] - c * (down[1:] - down[:-1] + right[:, 1:] - right[:, :-1])


def x_and_c(rows=31, columns=9):
    return (RANDOM.normal(size=(rows, columns)).astype("float32"),
            RANDOM.normal(size=(rows - 4, columns - 4)).astype("float32"))  # fmt: skip


TOGETHER = {
    "twice": lambda x, c: laplace(laplace(x)) * c,
    "thrice": lambda x, c: laplace(laplace(laplace(x))),
    "diffusion": diffusion,
    "a bias for all rows": lambda x, c: laplace(laplace(x) + c[0, :1]) * c[3],
    "every other row": lambda x, c: laplace(jnp.sin(x[::2])[1:] + x[:-2:2]),
    "totals of rows": lambda x, c: jnp.diff(jnp.sum(laplace(x), axis=1)) + x[2:-1, 0],
    "softmax, then a stencil": lambda x, c: laplace(jax.nn.softmax(x, axis=1)),
    "a value between is a result": lambda x, c: (laplace(x), laplace(laplace(laplace(x)))),
    "two results": lambda x, c: (jnp.sin(laplace(x))[1:], laplace(laplace(x))),
    "of three axes": lambda x, c: jnp.diff(jnp.diff(x[:, :, None] * c[0], axis=0), axis=0),
    "rows picked, then scaled": lambda x, c: 2 * x[jnp.array([3, 1, -1, 0, 30, 7, 7, 2])],
    "rows picked, then a stencil": lambda x, c: laplace(x[jnp.arange(31) * 3 % 31]),
    "picked in rows of its own": lambda x, c: 2 * jnp.take_along_axis(x, jnp.argsort(x, 1) // 2, 1),
    "rows picked by computed places": lambda x, c: jnp.sum(
        x[jnp.argsort(x[:, 0]) // 2] ** 2, axis=1),
}  # fmt: skip


@pytest.mark.parametrize("name", TOGETHER)
def test_together_as_one_by_one(name):
    assert strips_beside_numpy(TOGETHER[name], *x_and_c())


@pytest.mark.prove
def test_numba_compiles_them_too():
    """To Numba, what is cut off from a place before an array begins near its end."""
    assert strips_beside_numpy(TOGETHER["every other row"], *x_and_c(), door="numba")


@pytest.mark.parametrize("rows", [5, 6, 7, 12, 13, 100])
def test_however_many_rows(rows):
    found = strips_beside_numpy(diffusion, *x_and_c(rows))
    assert found or rows < 6


ALONE = {
    "rows backwards": lambda x, c: laplace(laplace(x)[::-1]),
    "turned": lambda x, c: laplace(laplace(x[:9]).T),
    "totals of columns": lambda x, c: laplace(x) - jnp.sum(laplace(x), axis=0),
    "numbered rows": lambda x, c: laplace(jnp.sin(x) * jnp.arange(31.0)[:, None]),
    "numbered at last": lambda x, c: laplace(laplace(x)) * jnp.arange(27)[:, None],
    "numbered columns": lambda x, c: laplace(jnp.sin(x) * jnp.arange(9.0)),
    "rolled": lambda x, c: jnp.roll(laplace(x), 1, 0)[1:] * x[3:, 1:-1],
}


@pytest.mark.parametrize("name", ALONE)
def test_other_programs_are_right_too(name):
    strips_beside_numpy(ALONE[name], *x_and_c())


def test_a_loops_steps_stay_apart():
    def step(_, x):
        return x.at[2:-2, 2:-2].set(0.1 * laplace(laplace(x)))

    assert not strips_beside_numpy(lambda x: jax.lax.fori_loop(0, 3, step, x), x_and_c()[0])


def test_small_arrays_and_high_strips_are_left_alone(monkeypatch):
    monkeypatch.setattr(strips, "LARGE", 1 << 20)
    assert not strips_beside_numpy(diffusion, *x_and_c())
    monkeypatch.setattr(strips, "LARGE", 1)
    monkeypatch.setattr(strips, "CACHED", 10)
    assert not strips_beside_numpy(diffusion, *x_and_c())


def test_what_explain_says():
    text = jax.explain(diffusion)(*x_and_c()).steps()
    assert "strips" in text
