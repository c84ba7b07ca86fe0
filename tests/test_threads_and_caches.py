"""Eight threads, hundreds of traces, and caches that are cleared under them: nothing is mixed."""

import gc
import sys
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.core.extend import eval_trace, trace_ctx

pytestmark = pytest.mark.usefixtures("module_few_objects")

THREADS = 8
ROUNDS = 15


@pytest.fixture(autouse=True)
def quick_switches():
    """Threads take turns every 50 microseconds, not every 5 milliseconds."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(5e-5)
    yield
    sys.setswitchinterval(interval)


def run_together(work, clearing=True) -> list:
    """What `work(number)` answers in eight threads; another one clears all caches meanwhile."""
    start, done = threading.Barrier(THREADS), threading.Event()

    def in_thread(number):
        start.wait(timeout=60)
        return work(number)

    def clear():
        while not done.is_set():
            jax.clear_caches()
            time.sleep(0.001)

    clearer = threading.Thread(target=clear)
    if clearing:
        clearer.start()
    try:
        with ThreadPoolExecutor(THREADS) as pool:
            return list(pool.map(in_thread, range(THREADS)))
    finally:
        done.set()
        if clearing:
            clearer.join()


def shared(x, table, n):
    """One function for all, with a program in it, a constant, and a static argument."""
    inner = jax.jit(lambda y: lax.mul(lax.sin(y), table))
    return jnp.sum(inner(x * n) + x)


SHARED = jax.jit(shared, static_argnums=2)


def expected(x, table, n):
    value = np.sum(np.sin(x * n) * table + x)
    return value, n * np.cos(x * n) * table + 1


@pytest.mark.parametrize("clearing", [False, True])
def test_nothing_is_mixed(clearing):
    """Each thread has arrays of its own, and shapes and numbers that meet those of others."""
    def work(number):
        for i in range(ROUNDS):
            size, n = 1 + (number + i) % 5, 1 + (number * i) % 3
            x = np.linspace(0, 1 + number, size, dtype=np.float32)
            table = np.full(size, number + 1, np.float32)
            value, slope = jax.value_and_grad(SHARED)(x, table, n)
            want_value, want_slope = expected(x, table, n)
            np.testing.assert_allclose(value, want_value, rtol=1e-4, atol=1e-4)
            np.testing.assert_allclose(slope, want_slope, rtol=1e-4, atol=1e-4)
            many = jax.vmap(lambda x, t=table, n=n: SHARED(x, t, n))(np.stack([x, x]))
            np.testing.assert_allclose(many, [want_value] * 2, rtol=1e-4, atol=1e-4)
            out, out_dot = jax.jvp(lambda x, t=table, n=n: SHARED(x, t, n), (x,), (x,))
            np.testing.assert_allclose(out_dot, np.sum(want_slope * x), rtol=1e-3, atol=1e-3)
        return trace_ctx.trace

    assert run_together(work, clearing) == [eval_trace] * THREADS


def test_hundreds_of_traces_of_new_functions(on_numpy):
    """Functions are made and forgotten all the time; so are their programs."""
    def work(number):
        refs = []
        for i in range(10 * ROUNDS):
            scale = np.float32(number * 1000 + i)

            def f(x, scale=scale):
                return x * scale

            g = jax.jit(f)
            assert float(g(2.0)) == 2 * scale
            if i % 5 == 0:
                assert float(jax.grad(g)(2.0)) == scale
                assert str(scale) in str(jax.make_jaxpr(f)(2.0))
            if i % 10 == 0:
                refs.append(weakref.ref(f))
            del f, g
        return refs

    refs = [ref for found in run_together(work) for ref in found]
    gc.collect()
    assert len(refs) > 50 and [ref for ref in refs if ref() is not None] == []


def make_function(table, refs):
    def f(x):
        refs.extend(map(weakref.ref, (x, x._trace)))
        return jnp.sum(lax.mul(x, table))

    return f


def test_nothing_leaks():
    """Arrays, functions, programs and tracers are gone when the threads are."""
    def work(number):
        refs = []
        for _ in range(ROUNDS):
            table = jnp.full(3, float(number))
            f = make_function(table, refs)
            g = jax.jit(f)
            x = jnp.ones(3)
            jax.grad(g)(x), jax.vmap(g)(x[None]), jax.jit(jax.grad(g))(x)
            refs += map(weakref.ref, (f, g, table, x, g.trace(x).jaxpr, g.trace(x).jaxpr.jaxpr))
            del f, g, table, x
        return refs

    refs = [ref for found in run_together(work) for ref in found]
    jax.clear_caches()
    gc.collect()
    alive = [type(ref()) for ref in refs if ref() is not None]
    assert len(refs) > 500 and alive == []


def test_programs_that_close_over_tracers():
    """Each is for its own trace, and is forgotten in the middle now and then."""
    def work(number):
        def f(x):
            inner = jax.jit(lambda y: y * x)
            for _ in range(ROUNDS // 3):
                y = inner(3.0) + inner(jnp.ones(2))[0]
            return y * x

        return [float(jax.grad(f)(number + 1.0)) for _ in range(ROUNDS // 2)]

    assert run_together(work) == [[8.0 * (n + 1)] * (ROUNDS // 2) for n in range(THREADS)]


def test_settings_and_names_of_axes_do_not_mix():
    f = jax.jit(lambda x: x * lax.axis_size("i") + jnp.zeros(()))

    def work(number):
        found = set()
        with jax.enable_x64(number % 2 == 0):
            for i in range(ROUNDS):
                size = 1 + (number + i) % 3
                out = jax.vmap(f, axis_name="i")(np.ones(size, np.float32))
                assert out.tolist() == [float(size)] * size
                found.add(out.dtype)
        return found

    for number, found in enumerate(run_together(work)):
        assert found == {np.dtype("float64" if number % 2 == 0 else "float32")}


def test_one_type_is_one_object_in_all_threads():
    """Types are interned weakly: they come and go, and never twice at a time."""
    def work(number):
        for i in range(20 * ROUNDS):
            x, y = jnp.ones((i % 7, 3)), np.ones((i % 7, 3), np.float32)
            assert jax.typeof(x) is jax.typeof(y)
        return jax.typeof(np.ones((5, 3), np.float32))

    avals = run_together(work)
    assert len(set(map(id, avals))) == 1


def test_an_exception_in_a_trace_leaves_the_caches_whole():
    fails = jax.jit(lambda x, n: 1 / 0 if n % 2 else x * n, static_argnums=1)

    def work(number):
        answers = []
        for i in range(ROUNDS):
            try:
                answers.append(float(jax.grad(fails)(1.0, i)))
            except ZeroDivisionError:
                answers.append(None)
        return answers

    for answers in run_together(work):
        assert answers == [None if i % 2 else float(i) for i in range(ROUNDS)]
