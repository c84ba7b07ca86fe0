"""Neighbours that know nothing of each other are one kernel, which gives what they give."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from kernel_runs import OPTIONS, interpreted
from minijax.compiler import executable
from minijax.compiler.executable import Executable
from minijax.compiler.special_cases import side_by_side
from minijax.compiler.special_cases.strips import Strips


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Of small arrays too, and shared out among threads."""
    for name in ("SOME", "ALL"):
        monkeypatch.setattr(side_by_side, name, 1)
    monkeypatch.setattr(executable, "LARGE", 1)


def leaves(count, seed=0):
    """Arrays of several sizes, no two alike."""
    draw = np.random.default_rng(seed).normal
    return [draw(size=(3 + k % 4, 5)).astype("f") for k in range(count)]


def grouped(f, *args):
    """How many steps lie side by side in each kernel, after the results are right."""
    closed = jax.make_jaxpr(f)(*args)
    program = Executable(closed, OPTIONS)
    flat = list(map(jnp.asarray, jax.tree.leaves(args)))
    for x, y in zip(program(*flat), interpreted(closed, *flat), strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-5, atol=1e-6)
    return [len(step.steps) for step in program.steps if isinstance(step, Strips)]


def momentum(parameters, slopes, speeds, rate):
    """Two results for each leaf, and a number that all read."""
    speeds = [0.9 * v + g for v, g in zip(speeds, slopes, strict=True)]
    return [p - rate * v for p, v in zip(parameters, speeds, strict=True)], speeds


@pytest.mark.parametrize("count, kernels", [(7, []), (8, [8]), (16, [16]), (37, [16, 16])])
def test_the_leaves_of_a_tree(count, kernels):
    args = leaves(count), leaves(count, 1), leaves(count, 2), np.float32(0.1)
    assert grouped(momentum, *args) == kernels


def test_what_reads_a_neighbours_result_comes_later():
    def chain(xs):
        out, last = [], 0.0
        for x in xs:
            last = jnp.sin(x)[0] + last  # of one row
            out.append(jnp.cos(x) * last)
        return out

    grouped(chain, [leaves(1, k)[0] for k in range(12)])


def test_memory_that_is_written_over_is_not_kept_for_others():
    """Each of these takes the place of what it reads, as it did alone."""
    def f(xs):
        return [jnp.sin(jnp.sort(x)) for x in xs]

    assert grouped(f, leaves(12)) == []
