"""Loops that call Python: compiled whole, in the program's order, and stopped by an error."""

import gc
import threading
import weakref

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.compiler import doors
from minijax.compiler.special_cases import python_calls
from minijax.compiler.special_cases.python_calls import MOST, calls
from minijax.experimental import io_callback

pytestmark = pytest.mark.usefixtures("on_numba")

ROW = np.float32([4.0, 9.0])
PAIR, NUMBER = jax.ShapeDtypeStruct((2,), "float32"), jax.ShapeDtypeStruct((), "float32")


@pytest.fixture(params=sorted(doors.doors))
def door(request, monkeypatch):
    """Who compiles the loop's kernel."""
    if request.param == "python":
        monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    before = jax.config.jit_kernels
    jax.config.update("jit_kernels", request.param if request.param != "python" else "direct")
    yield request.param
    jax.config.update("jit_kernels", before)


def loops_of(f, *args):
    """The compiled loops that call Python, in what jit makes of a function."""
    return list(jax.explain(f)(*args).calling.values())


def every_kind(seen):
    """A function with a call of each kind, one in a branch."""

    def step(c, i):
        a, b = c
        lax.cond(i % 2 == 0, lambda: jax.debug.callback(seen.append, a[0]), lambda: None)
        b = b + jax.pure_callback(lambda a: np.asarray(a) * 2, PAIR, a)
        return (a + 1, b), io_callback(lambda i: (seen.append(-int(i)), ROW)[1], PAIR, i)

    return lambda x: lax.scan(step, (x, x), jnp.arange(1, 4), reverse=True)


def test_values_and_calls_are_those_of_each_step():
    seen = []
    f = every_kind(seen)
    (a, b), ys = jax.jit(f)(ROW)
    assert a.tolist() == [7.0, 12.0] and b.tolist() == [34.0, 69.0]
    assert ys.tolist() == [[4.0, 9.0]] * 3
    assert seen == [-3, 5.0, -2, -1]
    assert [loop.called() for loop in loops_of(f, ROW)] == [
        ["debug_callback", "io_callback", "pure_callback"]
    ]


def test_an_error_stops_the_loop_where_it_is_raised(door):
    seen, after = [], []

    def look(i):
        if i == 3:
            raise LookupError("three")
        seen.append(int(i))

    @jax.jit
    def f(x):
        def step(i, c):
            jax.debug.callback(look, i)
            return lax.fori_loop(
                0, 2, lambda j, c: (jax.debug.callback(after.append, j), c + 1)[1], c
            )

        return lax.fori_loop(0, 10, step, x)

    for _ in range(2):  # the next run begins anew
        seen.clear()
        after.clear()
        with pytest.raises(jax.errors.JaxRuntimeError, match="look raised LookupError: three"):
            f(1.0)
        assert seen == [0, 1, 2] and len(after) == 6


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_what_is_no_exception_passes_unchanged(error):
    def leave(x):
        raise error

    f = jax.jit(lambda x: lax.fori_loop(0, 3, lambda i, x: (jax.debug.callback(leave, x), x)[1], x))
    with pytest.raises(error):
        f(1.0)


def test_a_call_that_never_came_to_its_end_stops_the_loop_too(monkeypatch):
    """As where a signal comes just before it."""
    f = jax.jit(lambda x: lax.fori_loop(0, 3, lambda i, x: (jax.debug.callback(id, x), x)[1], x))
    assert f(1.0) == 1.0
    monkeypatch.setattr(python_calls, "calls", {})
    monkeypatch.setattr(python_calls._Waiting, "__setattr__", lambda self, name, value: None)
    with pytest.raises(KeyboardInterrupt):
        f(1.0)


def test_a_condition_may_look_too(capsys):
    def holds(i):
        jax.debug.print("{} so far", i)
        return i < 2

    assert jax.jit(lambda: lax.while_loop(holds, lambda i: i + 1, 0))() == 2
    assert capsys.readouterr().out == "0 so far\n1 so far\n2 so far\n"


def test_a_call_may_run_a_loop_that_calls_and_fails():
    seen = []

    def inner(x):
        def look(i):
            seen.append(int(i))
            if i == 1:
                raise LookupError("inner")

        return lax.fori_loop(0, 3, lambda i, x: (jax.debug.callback(look, i), x / 2)[1], x)

    def attempt(x):
        try:
            return jax.jit(inner)(x)
        except jax.errors.JaxRuntimeError:
            return x * 0

    def body(i, x):
        return x + jax.pure_callback(attempt, NUMBER, x)

    f = jax.jit(lambda x: lax.fori_loop(0, 2, body, x))
    assert f(8.0) == 8.0 and seen == [0, 1, 0, 1]


def test_effects_keep_their_order_where_a_loop_writes_over_what_is_shown_next():
    seen = []

    def body(i, x):
        y = lax.fori_loop(0, 2, lambda j, y: (jax.debug.callback(seen.append, y[0]), y + 1)[1], x)
        jax.debug.callback(seen.append, -x[0])
        return y

    assert jax.jit(lambda x: lax.fori_loop(0, 2, body, x))(ROW).tolist() == [8.0, 13.0]
    assert seen == [4.0, 5.0, -4.0, 6.0, 7.0, -6.0]


def test_turns_that_carry_nothing_come_in_order_too():
    seen = []
    many = jnp.arange(5000.0)
    f = jax.jit(lambda xs: lax.map(lambda x: (io_callback(seen.append, None, x), x * 2)[1], xs))
    assert f(many).tolist() == (many * 2).tolist() and seen == many.tolist()


@pytest.mark.parametrize("x", [
    np.bool_([True, False]), np.int8([1, -2]), np.uint64([3]), np.float64([0.1]),
    np.zeros((0, 3), "float32"), np.arange(6, dtype="int32").reshape(2, 3),
])  # fmt: skip
def test_operands_and_results_are_of_any_type_of_kernels(x):
    seen, like = [], jax.ShapeDtypeStruct(x.shape, x.dtype)

    def same(x):
        seen.append(np.asarray(x))
        return x

    def f(x):
        return lax.fori_loop(0, 2, lambda i, x: io_callback(same, like, x), x)

    with jax.enable_x64(True):
        out = jax.jit(f)(x)
        assert loops_of(f, x)
    for y in (out, *seen):
        assert y.dtype == x.dtype and y.shape == x.shape and y.tolist() == x.tolist()
    assert len(seen) == 2


def test_what_was_shown_stays_as_it_was():
    seen = []

    def body(i, x):
        jax.debug.callback(seen.append, x)
        return x + 1

    jax.jit(lambda x: lax.fori_loop(0, 3, body, x))(ROW)
    assert [x.tolist() for x in seen] == [[4.0, 9.0], [5.0, 10.0], [6.0, 11.0]]


@pytest.mark.parametrize("x", [jnp.bfloat16(1.5), jnp.complex64(1 + 2j)])
def test_types_that_kernels_lack_are_shown_all_the_same(x):
    seen = []
    f = jax.jit(lambda x: lax.fori_loop(0, 2, lambda i, x: (jax.debug.callback(seen.append, x),
                                                            x + 1)[1], x))  # fmt: skip
    assert f(x) == x + 2
    assert [(y.dtype, y.item()) for y in seen] == [(x.dtype, x.item()), (x.dtype, (x + 1).item())]


def test_a_loop_with_more_arrays_than_a_call_takes_runs_step_by_step():
    seen, xs = [], [jnp.float32(k) for k in range(MOST + 1)]

    def body(i, c):
        jax.debug.callback(lambda *xs: seen.append(len(xs)), *[x + c for x in xs])
        return c + 1

    def f():
        return lax.fori_loop(0, 2, body, 0.0)

    jax.jit(f)()
    assert seen == [MOST + 1] * 2
    said = repr(jax.explain(f)())
    assert f"run step by step: debug_callback in its body has more than {MOST} arrays" in said


def test_an_explanation_says_that_the_loop_calls():
    f = every_kind([])
    said = repr(jax.explain(f)(ROW))
    assert "A loop calls Python: debug_callback, io_callback, pure_callback." in said
    assert "in a scan's kernel, io_callback: it calls Python." in said
    assert "call_python2(" in said


def test_calls_end_with_their_program():
    before, f = len(calls), jax.jit(every_kind([]))
    f(ROW)
    assert len(calls) > before
    f = weakref.ref(f)
    jax.clear_caches()
    gc.collect()
    assert len(calls) <= before


def test_two_threads_run_one_loop():
    found = {}

    def look(x):
        if x in (100, 200):
            both.wait()  # from here on, each has begun
        found.setdefault(threading.get_ident(), []).append(float(x))

    both = threading.Barrier(2, timeout=60)
    f = jax.jit(lambda x: lax.fori_loop(0, 50, lambda i, x: (jax.debug.callback(look, x), x + 1)[1],
                                        x))  # fmt: skip
    f(0.0)
    found.clear()
    threads = [threading.Thread(target=f, args=(float(k),)) for k in (100, 200)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(xs[0] for xs in found.values()) == [100.0, 200.0]
    assert all(xs == [xs[0] + k for k in range(50)] for xs in found.values())


def test_an_equation_without_a_call_makes_no_such_loop():
    def f(x):
        return lax.fori_loop(0, 3, lambda i, x: x + 1, x)

    assert loops_of(f, 1.0) == []
