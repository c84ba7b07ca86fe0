"""Random programs under random nestings of transformations, in minijax and in JAX, live."""

import jax
import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, seed, settings
from hypothesis import strategies as st

import minijax
from composition_meanings import STEPS
from minijax.core.staging import check_jaxpr, eval_jaxpr
from random_programs import LARGEST, Program, inputs_of, is_defined, programs, transformed


def assert_agree(program: Program, steps: tuple) -> None:
    inputs = inputs_of(program)
    with jax.enable_x64(True), minijax.enable_x64(True):
        # XLA compiles one program in less than half the time that it takes for each operation.
        want = list(map(np.asarray, jax.jit(transformed(program, steps, jax))(*inputs)))
        assume(all(np.all(np.abs(y) < LARGEST) for y in want))
        f = transformed(program, steps, minijax)
        closed = minijax.make_jaxpr(f)(*inputs)
        check_jaxpr(closed)
        for got in (f(*inputs), eval_jaxpr(closed.jaxpr, closed.consts, *inputs)):
            assert len(got) == len(want)
            for x, y in zip(map(np.asarray, got), want, strict=True):
                assert (x.shape, x.dtype) == (y.shape, y.dtype)
                np.testing.assert_allclose(x, y, rtol=0, atol=1e-9 * max(1, np.abs(y).max()))


@settings(max_examples=100, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(programs(), st.lists(st.sampled_from(STEPS), max_size=3).map(tuple))
def agree(program, steps):
    assume(is_defined(program, steps))
    assert_agree(program, steps)


@pytest.mark.parametrize("part", range(8))
def test_random_programs_agree(part):
    """800 of them, in parts, so that several processes can share them."""
    seed(part)(agree)()


@pytest.fixture(autouse=True)
def quick_compiles():
    """XLA's optimizations cost more here than they save; a part leaves thousands of executables.

    minijax runs on NumPy: compiled programs are held to those in tests/compiler.
    """
    before = jax.config.read("jax_disable_most_optimizations"), minijax.config.jit_backend
    jax.config.update("jax_disable_most_optimizations", True)
    minijax.config.update("jit_backend", "numpy")
    yield
    jax.config.update("jax_disable_most_optimizations", before[0])
    minijax.config.update("jit_backend", before[1])
    jax.clear_caches()
