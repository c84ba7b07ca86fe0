"""Threads trace and run at the same time, each with a current trace of its own."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax.core.tracing import trace_ctx

THREADS = 8
ROUNDS = 20


def run_together(work) -> list:
    """What `work(number)` answers in eight threads that start at the same moment."""
    start = threading.Barrier(THREADS)

    def in_thread(number):
        start.wait(timeout=60)
        return work(number)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(in_thread, range(THREADS)))


def test_transformations_do_not_mix():
    """Each thread has a function of its own, under every transformation, many times over."""
    def work(number):
        scale = number + 1.0
        xs = np.arange(4.0, dtype=np.float32)
        for _ in range(ROUNDS):
            f = jax.jit(lambda x: jnp.sin(x * scale))
            assert np.allclose(f(xs), np.sin(xs * scale), atol=1e-5)
            slopes = jax.vmap(jax.grad(f))(xs)
            assert np.allclose(slopes, scale * np.cos(xs * scale), atol=1e-4)
            y, dy = jax.jvp(jax.grad(f), (0.5,), (2.0,))
            assert np.allclose(y, scale * np.cos(scale / 2), atol=1e-4)
            assert np.allclose(dy, -2 * scale**2 * np.sin(scale / 2), atol=1e-3)
            text = str(jax.make_jaxpr(lambda x: x * scale + number)(1.0))
            assert f"mul a {scale}" in text and f"add b {float(number)}" in text
        return trace_ctx.trace

    assert len(run_together(work)) == THREADS


def test_traces_overlap_in_time():
    """All eight are inside a trace at once, and each sees only its own tracers."""
    inside = threading.Barrier(THREADS)
    tracers = [None] * THREADS

    def work(number):
        def f(x):
            tracers[number] = x
            inside.wait(timeout=60)
            y = x * (number + 1.0)
            inside.wait(timeout=60)
            return y + 1.0

        transform = (jax.jit, jax.grad, jax.vmap, jax.make_jaxpr)[number % 4]
        argument = np.ones(3, np.float32) if transform is jax.vmap else 2.0
        return transform(f)(argument)

    answers = run_together(work)
    assert len(set(map(id, tracers))) == THREADS
    for number, answer in enumerate(answers):
        n = number + 1.0
        if number % 4 == 0:
            assert float(answer) == 2 * n + 1
        elif number % 4 == 1:
            assert float(answer) == n
        elif number % 4 == 2:
            np.testing.assert_array_equal(np.asarray(answer), np.full(3, n + 1, np.float32))
        else:
            assert [eqn.primitive.name for eqn in answer.eqns] == ["mul", "add"]


def test_one_jitted_function_is_shared():
    """The first calls race for one trace cache; every answer is right and tracing stays rare."""
    traced = []

    @jax.jit
    def f(x, y):
        traced.append(threading.get_ident())
        return jnp.sum(x * y)

    def work(number):
        got = []
        for size in range(1, ROUNDS + 1):
            x = np.full(size, number, np.float32)
            got.append(float(f(x, np.arange(size, dtype=np.float32))))
        return got

    for number, got in enumerate(run_together(work)):
        assert got == [number * size * (size - 1) / 2 for size in range(1, ROUNDS + 1)]
    assert ROUNDS <= len(traced) <= ROUNDS * THREADS
    before = len(traced)
    work(3)
    assert len(traced) == before


def test_settings_belong_to_their_thread():
    """float64 mode as a context holds in the thread that entered it, and there only."""
    inside = threading.Barrier(THREADS)

    def work(number):
        wide = number % 2 == 0
        with jax.enable_x64(wide):
            inside.wait(timeout=60)
            dtypes = {jnp.asarray(1.5).dtype, jax.jit(lambda x: x * 2)(np.arange(2.0)).dtype}
            inside.wait(timeout=60)
        return dtypes

    for number, dtypes in enumerate(run_together(work)):
        assert dtypes == {np.dtype(np.float64 if number % 2 == 0 else np.float32)}
    assert jnp.asarray(1.5).dtype == np.float32


def test_one_jitted_function_under_both_settings():
    """What was traced in one mode is not run in the other: the constants inside differ."""
    @jax.jit
    def f(x):
        return x + jnp.arange(3.0)

    def work(number):
        for _ in range(ROUNDS):
            with jax.enable_x64(number % 2 == 0):
                assert f(np.zeros(3, np.float32)).dtype == f(jnp.zeros(3, np.float32)).dtype
        with jax.enable_x64(number % 2 == 0):
            return f(np.zeros(3, np.float32)).dtype

    assert run_together(work) == [np.dtype(np.float64), np.dtype(np.float32)] * (THREADS // 2)


def test_a_tracer_in_another_thread_is_refused():
    """The other thread evaluates; the tracer belongs to a trace that isn't there."""
    def f(x):
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(lambda: x + 1.0).result()

    with pytest.raises(jax.errors.UnexpectedTracerError):
        jax.jit(f)(1.0)
    assert float(jax.jit(lambda x: x + 1.0)(1.0)) == 2.0


def test_an_exception_in_one_thread_leaves_the_others_alone():
    def work(number):
        @jax.jit
        def f(x):
            if number % 2:
                raise ZeroDivisionError(number)
            return x + number

        for _ in range(ROUNDS):
            try:
                assert float(jax.grad(lambda x: f(x) * 3.0)(1.0)) == 3.0
                assert number % 2 == 0
            except ZeroDivisionError as error:
                assert error.args == (number,)
        return float(jax.jit(lambda x: x * 2.0)(number))

    assert run_together(work) == [2.0 * n for n in range(THREADS)]
