"""Kernels of windows: the interpreter's results, for every way in which windows can lie."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from kernel_runs import interpreted
from minijax import lax
from minijax.compiler.executable import Executable
from minijax.core.jitting import CompileOptions

RANDOM = np.random.default_rng(0)
OPERATIONS = {"add": (lax.add, 0, 0), "max": (lax.max, -np.inf, -1), "min": (lax.min, np.inf, 1)}


def numbers(shape, dtype="float32"):
    """Few different ones, so that windows have ties."""
    return jnp.asarray(RANDOM.integers(-4 if dtype != "uint8" else 0, 5, shape)).astype(dtype)


def start_of(name, dtype):
    _, start, sign = OPERATIONS[name]
    if sign and np.dtype(dtype).kind in "iu":
        info = np.iinfo(dtype)
        return np.asarray(info.max if sign > 0 else info.min, dtype)
    return np.asarray(start).astype(dtype)


def assert_in_kernels(fun, *args):
    """Everything with windows is in kernels, which give what NumPy does."""
    closed = jax.make_jaxpr(fun)(*args)
    program = Executable(closed, CompileOptions("f", ()))
    steps = zip(program.steps, program.sources, strict=True)
    left = [step.eqn.primitive.name for step, source in steps if source is None]
    assert not any("window" in name or "select_and" in name for name in left)
    assert not {"while", "scan"} & {*left}
    for x, y in zip(program(*args), interpreted(closed, *args), strict=True):
        x = np.asarray(x)
        assert (x.shape, x.dtype) == (y.shape, y.dtype)
        np.testing.assert_allclose(x.astype(float), y.astype(float), rtol=1e-5, atol=1e-5)


# Shape, window, strides, padding, window dilation.
WINDOWS = {
    "row": ((9,), (3,), (2,), ((1, 2),), (1,)),
    "dilated row": ((9,), (3,), (1,), ((0, 1),), (2,)),
    "cut row": ((9,), (2,), (3,), ((-2, -1),), (1,)),
    "beyond the row": ((4,), (2,), (1,), ((4, 4),), (1,)),
    "too long": ((3,), (5,), (1,), ((0, 0),), (1,)),
    "channels first": ((2, 5, 6), (1, 2, 3), (1, 2, 1), ((0, 0), (0, 1), (1, 1)), (1, 1, 1)),
    "channels last": ((2, 5, 4, 3), (1, 2, 2, 1), (1, 2, 2, 1), ((0, 0), (1, 0), (0, 1), (0, 0)),
                      (1, 1, 1, 1)),
    "side by side": ((2, 5, 4, 3), (1, 3, 2, 1), (1, 1, 1, 1), ((0, 0), (1, 1), (0, 0), (0, 0)),
                     (1, 2, 1, 1)),
    "trivial": ((3, 4), (1, 1), (1, 1), ((0, 0), (0, 0)), (1, 1)),
    "first axis": ((2, 3, 4), (2, 1, 1), (1, 1, 1), ((1, 1), (0, 0), (0, 0)), (1, 1, 1)),
    "whole": ((2, 3, 4), (1, 3, 4), (1, 1, 1), ((0, 0), (0, 0), (0, 0)), (1, 1, 1)),
    "apart": ((2, 3), (1, 2), (1, 2), ((1, 0), (0, 0)), (1, 1)),
    "nothing": ((0, 3), (1, 2), (1, 1), ((0, 0), (0, 0)), (1, 1)),
}  # fmt: skip


@pytest.mark.parametrize("name", WINDOWS)
def test_windows_wherever_they_lie(name, on_numba):
    """Values, tangents and cotangents of all three, in one program."""
    shape, window, strides, padding, dilation = WINDOWS[name]
    x, t = numbers(shape), numbers(shape)

    def pooled(x, fun, start):
        return lax.reduce_window(x, start, fun, window, strides, padding, None, dilation)

    def everything(x, t, ct):
        found = []
        for fun, start, _ in OPERATIONS.values():
            found += jax.jvp(lambda x, fun=fun, start=start: pooled(x, fun, start), (x,), (t,))
            if fun is lax.add or max(dilation) == 1:
                found += jax.vjp(lambda x, fun=fun, start=start: pooled(x, fun, start), x)[1](ct)
        return found

    assert_in_kernels(everything, x, t, numbers(pooled(x, lax.add, 0.0).shape))


@pytest.mark.parametrize("dtype", ["int32", "uint8", "bfloat16", "float64"])
def test_windows_of_every_dtype(dtype, on_numba):
    with jax.enable_x64(dtype == "float64"):
        assert_in_kernels(
            lambda x: [lax.reduce_window(x, start_of(name, dtype), fun, (3, 2), (1, 2), "SAME")
                       for name, (fun, *_) in OPERATIONS.items()],
            numbers((4, 5), dtype),
        )  # fmt: skip


def test_windows_of_bools(on_numba):
    x = numbers((9,)) > 0
    assert_in_kernels(lambda x: [lax.reduce_window(x, False, lax.max, (3,), (2,)),
                                 lax.reduce_window(x, True, lax.min, (3,), (2,))], x)  # fmt: skip


def test_nan_and_infinity(on_numba):
    x = jnp.array([1.0, 3.0, 3.0, 2.0, jnp.nan, 5.0, 5.0, -jnp.inf, -jnp.inf])

    def f(x, ct):
        return [derivative for fun, start in ((lax.max, -np.inf), (lax.min, np.inf))
                for pool in [lambda x, fun=fun, start=start:
                             lax.reduce_window(x, start, fun, (3,), (2,), ((1, 1),))]
                for derivative in (*jax.jvp(pool, (x,), (x,)), *jax.vjp(pool, x)[1](ct))]

    assert_in_kernels(f, x, jnp.arange(5.0))


def test_windows_in_a_compiled_loop(on_numba):
    """A gradient's steps, with pools of two sorts in them."""
    x = numbers((2, 8, 6))

    def loss(x):
        x = lax.reduce_window(jnp.sin(x), -np.inf, lax.max, (1, 2, 2), (1, 2, 1), "SAME")
        return (lax.reduce_window(x, 0.0, lax.add, (1, 3, 2), (1, 1, 2), "VALID") ** 2).sum()

    assert_in_kernels(
        lambda x: lax.fori_loop(0, 3, lambda i, x: x - 0.01 * jax.grad(loss)(x), x), x
    )


def test_any_operation_in_a_compiled_loop(on_numba):
    """Written out, it is a program of other primitives."""
    x = numbers((2, 5)) / 4

    def step(x, _):
        return lax.reduce_window(x, 1.0, lambda a, b: a * b, (1, 3), (1, 1), "SAME"), None

    assert_in_kernels(lambda x: lax.scan(step, x, None, length=3)[0], x)


def test_gaps_in_the_operand_are_left_to_numpy():
    x = numbers(5)
    f = lambda x: lax.reduce_window(x, -np.inf, lax.max, (2,), (1,), ((1, 1),), (2,))  # noqa: E731
    np.testing.assert_array_equal(jax.jit(f)(x), np.repeat(np.asarray(x), 2))
    np.testing.assert_array_equal(jax.jit(jax.grad(lambda x: f(x).sum()))(x), np.full(5, 2.0))
