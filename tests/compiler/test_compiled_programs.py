"""Compiled programs against interpreted ones: random programs under random transformations."""

import os
from types import FunctionType

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, seed, settings
from hypothesis import strategies as st

import minijax
from composition_meanings import STEPS
from kernel_runs import interpreted
from minijax.compiler import doors
from minijax.compiler.backend import backend_named
from minijax.compiler.executable import Executable
from minijax.compiler.special_cases import strips
from minijax.core.config import config
from minijax.core.jitting import CompileOptions
from random_programs import LARGEST, inputs_of, is_defined, programs, transformed

# Of each part. `make backends` runs 2,000 in all.
PROGRAMS = int(os.environ.get("COMPILED_PROGRAMS", "25"))
THROUGH_BOTH_DOORS = PROGRAMS // 10  # Numba takes a second for a program


def results(closed, inputs):
    arrays = [minijax.numpy.asarray(x) for x in inputs]
    executable = backend_named("numba").compile(closed, CompileOptions("program", ()))
    return list(map(np.asarray, executable(*arrays)))


def assert_compiled_as_interpreted(f, inputs, tolerance, accept=lambda want: None):
    closed = minijax.make_jaxpr(f)(*inputs)
    want = interpreted(closed, *inputs)
    accept(want)
    for x, y in zip(results(closed, inputs), want, strict=True):
        assert (x.shape, x.dtype) == (y.shape, y.dtype)
        if np.issubdtype(y.dtype, np.inexact):
            largest = np.abs(y).max(initial=1)
            np.testing.assert_allclose(x, y, rtol=0, atol=tolerance * largest)
        else:
            np.testing.assert_array_equal(x, y)


def assume_moderate(numbers):
    assume(all(np.all(np.abs(y) < LARGEST) for y in numbers))


@settings(
    max_examples=PROGRAMS, deadline=None, database=None, suppress_health_check=list(HealthCheck)
)
@given(programs(), st.lists(st.sampled_from(STEPS), max_size=3).map(tuple))
def agree(program, steps):
    assume(is_defined(program, steps))
    with minijax.enable_x64(True):
        f = transformed(program, steps, minijax)
        assert_compiled_as_interpreted(f, inputs_of(program), 1e-10, assume_moderate)


@pytest.mark.parametrize("part", range(4))
def test_random_programs_agree(part):
    """In parts, so that several processes can share them."""
    seed(part)(agree)()


def test_random_programs_agree_in_strips(monkeypatch):
    """With strips of a row or two for arrays of any size."""
    for name in ("LARGE", "SOME", "NEAR"):
        monkeypatch.setattr(strips, name, 1)
    seed(4)(agree)()


# Both doors: the same bits, but where one makes a product and a sum one instruction.


@settings(
    max_examples=THROUGH_BOTH_DOORS, deadline=None, database=None,
    suppress_health_check=list(HealthCheck),
)  # fmt: skip
@given(programs(), st.lists(st.sampled_from(STEPS), max_size=2).map(tuple))
def give_the_same(program, steps):
    assume(is_defined(program, steps))
    with minijax.enable_x64(True):
        f, inputs = transformed(program, steps, minijax), inputs_of(program)
        closed = minijax.make_jaxpr(f)(*inputs)
        direct = results(closed, inputs)
        assume_moderate(direct)
        with config.override("jit_kernels", "numba"):
            by_numba = results(closed, inputs)
    for x, y in zip(direct, by_numba, strict=True):
        assert (x.shape, x.dtype) == (y.shape, y.dtype)
        if "mul" in str(closed) or "dot_general" in str(closed):
            np.testing.assert_allclose(x, y, rtol=0, atol=1e-12 * np.abs(y).max(initial=1))
        else:
            np.testing.assert_array_equal(x, y)


@pytest.mark.prove
def test_both_doors_give_the_same():
    seed(0)(give_the_same)()


AS_PYTHON = {
    "softmax": lambda x: minijax.nn.softmax(x * 2.0),
    "layernorm": lambda x: (x - x.mean(1, keepdims=True)) / (x.var(1, keepdims=True) + 0.1),
    "columns": lambda x: x / x.sum(axis=0),
    "gradient": minijax.grad(lambda x: minijax.numpy.sum(minijax.numpy.tanh(x @ x.T))),
    "integers": lambda x: (x * 100).astype("int8") // 3 % 5,
    "scan": lambda x: minijax.lax.scan(lambda c, y: (c * y + 1.0, c.sum()), x[0], x),
    "while": lambda x: minijax.lax.while_loop(lambda c: c.sum() < 50.0, lambda c: c * 1.5, x),
    "random": lambda x: x + minijax.random.uniform(minijax.random.key(0), (3, 4)),
}


@pytest.mark.parametrize("name", AS_PYTHON)
def test_kernels_run_as_python(name, monkeypatch):
    """So a reader can step through one in a debugger."""
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    monkeypatch.setattr(doors, "_kernels", {})
    x = np.arange(1.0, 13.0, dtype=np.float32).reshape(3, 4) / 12
    assert_compiled_as_interpreted(AS_PYTHON[name], [x], 1e-6)
    assert {type(kernel.call) for kernel in doors._kernels.values()} == {FunctionType}


def test_text_names_kernels_as_the_program_calls_them():
    def fun(x):
        for _ in range(3):
            x = x / (1 + x.sum(axis=0))
        return x

    x = minijax.numpy.arange(12.0).reshape(3, 4)
    executable = Executable(minijax.make_jaxpr(fun)(x), CompileOptions("fun", ()))
    kernels = [f"def {name}{text.removeprefix('def kernel')}"
               for (text, _), name in executable.program.kernels.items()]  # fmt: skip
    assert executable.as_text().split("\n\n", 1)[1] == "\n\n".join(kernels)
