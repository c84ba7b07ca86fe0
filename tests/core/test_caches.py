"""Caches: each is bounded or dies with its key, has the settings in its key, and can be cleared."""

import gc
import weakref

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.core import staging, tracing
from minijax.core.extend import (
    BoundedDict,
    FunctionCache,
    ShapedArray,
    bounded_cache,
    clear_caches,
    derived,
    jvp_jaxpr,
    register_cache,
)

pytestmark = pytest.mark.usefixtures("module_few_objects")


class Counted:
    """A function that counts how often its body is run: once for each trace."""

    def __init__(self, fun):
        self.fun, self.traces = fun, 0

    def __call__(self, *args, **kwargs):
        self.traces += 1
        return self.fun(*args, **kwargs)


def is_gone(reference):
    gc.collect()
    return reference() is None


# One trace for all who ask.


def test_eval_shape_make_jaxpr_and_jit_share_one_trace():
    f = Counted(lambda x, y=2.0: lax.mul(x, lax.sin(y)))
    x = jnp.ones(())
    jax.eval_shape(f, x, 3.0)
    jaxpr = jax.make_jaxpr(f)(x, 3.0)
    jitted = jax.jit(f)
    jitted(x, 4.0), jitted(x, 5.0), jax.jit(f, keep_unused=True)(x, 3.0)
    assert jitted.trace(x, 3.0).jaxpr is jaxpr and jitted.eval_shape(x, 1.0).shape == ()
    assert f.traces == 1
    jax.eval_shape(f, jax.ShapeDtypeStruct((), "float32"), 3.0)
    assert f.traces == 1
    jitted(x, y=4.0)
    assert f.traces == 2


def test_another_type_is_another_trace():
    f = Counted(lambda x: x)
    jitted = jax.jit(f)
    for x in (1.0, 1, True, jnp.ones(3), jnp.ones((3, 1)), jnp.ones(3, jnp.int32), [1.0], (1.0,)):
        jitted(x), jitted(x)
    assert f.traces == 8


def test_the_settings_are_part_of_the_key():
    f = Counted(lambda x: x + jnp.zeros(()))
    jitted = jax.jit(f)
    x = np.float32(1)
    contexts = [
        lambda: jax.enable_x64(False), lambda: jax.enable_x64(True),
        lambda: jax.numpy_dtype_promotion("strict"), lambda: jax.threefry_partitionable(False),
        lambda: jax.enable_checks(False),
    ]
    for _ in range(2):
        for context in contexts:
            with context():
                jitted(x), jax.make_jaxpr(f)(x)
    assert f.traces == len(contexts)
    with jax.enable_x64():
        assert jitted(x).dtype == np.float64
    assert jitted(x).dtype == np.float32


def test_the_named_axes_are_part_of_the_key():
    f = Counted(lambda x: x * lax.axis_size("i"))
    jitted = jax.jit(f)
    for size in (2, 3, 2):
        out = jax.vmap(jitted, axis_name="i")(np.ones(size, np.float32))
        np.testing.assert_array_equal(out, np.full(size, size, np.float32))
    assert f.traces == 2
    with pytest.raises(NameError):
        jitted(1.0)


# Functions that close over tracers.


def test_ten_inner_calls_in_each_of_five_gradients():
    """A program that closes over an outer tracer is remembered while that trace lives."""
    inner_traces = 0

    def f(x):
        @jax.jit
        def inner(y):
            nonlocal inner_traces
            inner_traces += 1
            return lax.mul(y, x)

        y = 1.0
        for _ in range(10):
            y = inner(y)
        return y

    for i in range(5):
        np.testing.assert_allclose(jax.grad(f)(float(i)), 10.0 * i**9, rtol=1e-5)
    assert inner_traces == 5


@pytest.mark.parametrize("transform, want", [
    (jax.jit, lambda i: 5 * i), (jax.grad, lambda i: 5.0),
    (lambda f: lambda x: jax.vmap(f)(jnp.stack([x]))[0], lambda i: 5 * i),
    (lambda f: jax.jit(jax.grad(lambda x: f(x) * x)), lambda i: 10 * i),
    (lambda f: jax.grad(jax.jit(f)), lambda i: 5.0),
])  # fmt: skip
def test_one_function_that_closes_over_a_new_tracer_each_time(transform, want):
    """The inner function is one and the same: what it closes over is not, and is never mixed up."""
    outer, traced = [None], []
    inner = jax.jit(lambda y: y * outer[0])

    def f(x):
        traced.append(x)
        outer[0] = x
        return inner(2.0) + inner(3.0)

    for i in (1.0, 2.0, 3.0):
        np.testing.assert_allclose(transform(f)(i), want(i))
    assert all(x._trace.ended for x in traced)
    with pytest.raises(jax.errors.UnexpectedTracerError):
        inner(2.0)


def test_what_closed_over_a_tracer_goes_with_its_trace():
    """A jaxpr that holds a tracer would keep its trace, and all that is in it, alive."""
    refs = []

    def f(x):
        inner = jax.jit(lambda y: y * x)
        inner(1.0)
        refs.append(weakref.ref(x))
        refs.append(weakref.ref(x._trace))
        refs.append(weakref.ref(inner.trace(1.0).jaxpr))
        return inner(2.0)

    for transform in (jax.grad, jax.jit, lambda f: lambda x: jax.vmap(f)(jnp.stack([x]))):
        transform(f)(3.0)
    assert all(map(is_gone, refs))


# Bounds.


def cached_entries(fun):
    return len(staging.staged_programs.of(fun))


def test_many_static_values_leave_a_bounded_number(on_numpy):
    def f(x, n):
        return x * n

    jitted = jax.jit(f, static_argnums=1)
    for n in range(2000):
        assert float(jitted(1.0, n)) == n
    assert 1 <= cached_entries(f) <= 1024
    assert float(jitted(1.0, 3)) == 3.0


def test_static_values_and_programs_that_were_forgotten_die(on_numpy):
    class Static:
        def __init__(self, n):
            self.n = n

    def f(x, s):
        return x * s.n

    jitted = jax.jit(f, static_argnums=1)
    first = Static(0)
    ref = weakref.ref(first)
    jitted(1.0, first)
    del first
    assert not is_gone(ref)
    for n in range(2000):
        jitted(1.0, Static(n))
    assert is_gone(ref)


def test_a_bounded_dict_forgets_the_oldest():
    d = BoundedDict(3)
    for i in range(5):
        d[i] = -i
    assert d == {2: -2, 3: -3, 4: -4}


def test_a_bounded_cache_is_bounded_and_registered():
    calls = []

    @bounded_cache
    def double(x):
        calls.append(x)
        return 2 * x

    assert [double(3), double(3), double(4)] == [6, 6, 8] and calls == [3, 4]
    clear_caches()
    assert double(3) == 6 and calls == [3, 4, 3]
    for i in range(10_000):
        double(i)
    assert len(calls) > 10_000 - 3 and double.cache_info().currsize <= 4096


# What is kept with what.


def test_a_function_takes_its_programs_along():
    """Nothing of ours keeps a function, its programs or the arrays in these alive."""
    def make():
        table = jnp.arange(4.0)

        def f(x):
            return lax.mul(x, table)

        jitted = jax.jit(f)
        jitted(jnp.ones(4)), jax.grad(lambda x: jnp.sum(jitted(x)))(jnp.ones(4))
        jax.vmap(jitted)(jnp.ones((2, 4))), jax.make_jaxpr(f)(jnp.ones(4))
        return [weakref.ref(x) for x in (table, f, jitted, jitted.trace(jnp.ones(4)).jaxpr,
                                         jitted.trace(jnp.ones(4)).jaxpr.jaxpr)]  # fmt: skip

    assert list(map(is_gone, make())) == [True] * 5


def test_clear_caches_lets_programs_and_their_arrays_go():
    def f(x):
        return lax.mul(x, np.arange(4, dtype=np.float32))

    jitted = jax.jit(f)
    jax.grad(lambda x: jnp.sum(jitted(x)))(jnp.ones(4))
    closed = jax.make_jaxpr(f)(jnp.ones(4))
    refs = [weakref.ref(closed), weakref.ref(closed.jaxpr), weakref.ref(closed.consts[0])]
    del closed
    assert not any(map(is_gone, refs))
    jax.clear_caches()
    assert all(map(is_gone, refs))
    np.testing.assert_array_equal(jitted(jnp.ones(4)), np.arange(4.0))


def test_clear_cache_of_one_function():
    f, g = Counted(lambda x: x), Counted(lambda x: x)
    jit_f, jit_g = jax.jit(f), jax.jit(g)
    jit_f(1.0), jit_g(1.0)
    jit_f.clear_cache()
    jit_f(1.0), jit_g(1.0)
    assert (f.traces, g.traces) == (2, 1)


def test_what_is_derived_goes_with_the_program():
    """Derivatives, batches and executables are kept with the jaxpr: no table holds on to it."""
    closed = jax.make_jaxpr(lambda x: lax.sin(lax.mul(x, np.ones(3, np.float32))))(np.ones(3))
    answer, _ = jvp_jaxpr(closed, (True,))
    batched, _ = jvp_jaxpr(answer, (True, False))
    refs = [weakref.ref(x) for x in (closed, answer, batched)]
    del closed, answer, batched
    assert all(map(is_gone, refs))


def test_derived_by_key_and_settings():
    calls = []

    class Owner:
        def __init__(self):
            self.derived = {}

    @derived
    def derive(owner, *key):
        calls.append(key)
        return list(key)

    owner = Owner()
    assert derive(owner, 1, "a") is derive(owner, 1, "a") is not derive(owner, 1, "b")
    with jax.enable_x64():
        derive(owner, 1, "a")
    assert calls == [(1, "a"), (1, "b"), (1, "a")]
    assert derive(Owner(), 1, "a") is not derive(owner, 1, "a")
    clear_caches()
    assert owner.derived == {}
    ref = weakref.ref(owner)
    del owner
    assert is_gone(ref)


def test_types_are_not_interned_for_ever():
    def interned():
        gc.collect()
        return len(tracing._interned)

    jax.clear_caches()
    before = interned()
    for n in range(500):
        jnp.ones(10_000 + n)
    jax.clear_caches()
    assert interned() <= before + 10
    aval = ShapedArray((123, 457), np.float32)
    ref = weakref.ref(aval)
    assert ShapedArray((123, 457), np.float32) is aval
    del aval
    assert is_gone(ref)


def test_arguments_and_results_are_not_kept():
    def f(x):
        return jnp.sum(lax.sin(lax.mul(x, x)))

    x = jnp.ones(1000)
    ref = weakref.ref(x._value)
    for g in (f, jax.jit(f), jax.grad(f), jax.grad(jax.jit(f)), jax.jit(jax.grad(f))):
        g(x)
        jax.vmap(g)(x.reshape(10, 100))
    y, f_vjp = jax.vjp(jax.jit(f), x)
    del x
    assert not is_gone(ref)  # a residual
    del f_vjp
    assert is_gone(ref) and float(y) > 0


def test_a_function_cache_dies_with_the_function_and_can_be_cleared():
    cache = FunctionCache(limit=2)

    def f():
        pass

    for i in range(5):
        cache.of(f)[i] = i
    assert cache.of(f) == {3: 3, 4: 4}
    clear_caches()
    assert cache.of(f) == {}
    cache.of(f)[1] = 1
    ref = weakref.ref(f)
    del f
    assert is_gone(ref) and len(cache.of_functions) == 0


def test_a_function_that_can_be_no_key_still_works():
    class Unhashable:
        __hash__ = None

        def __call__(self, x):
            return lax.sin(x)

    f = jax.jit(Unhashable())
    np.testing.assert_allclose([f(0.5), f(0.5)], np.sin([0.5, 0.5]), rtol=1e-6)


def test_who_registers_is_told():
    told = []
    register_cache(lambda: told.append("clear"))
    jax.clear_caches()
    assert told == ["clear"]


def test_equal_static_values_of_unlike_types_are_told_apart():
    f = Counted(lambda x, n: x + n)
    jitted = jax.jit(f, static_argnums=1)
    assert jitted(1, 1).dtype == np.int32
    assert jitted(1, 1.0).dtype == np.float32
    assert jitted(1, True).dtype == np.int32
    assert f.traces == 3


def test_a_trace_that_fails_leaves_nothing_behind():
    fails = [True]
    refs = []

    def f(x):
        refs.append(weakref.ref(x))
        if fails[0]:
            raise ZeroDivisionError
        return x * 2.0

    jitted = jax.jit(f)
    for transform in (lambda f: f, jax.grad):
        with pytest.raises(ZeroDivisionError):
            transform(jitted)(1.0)
    assert cached_entries(f) == 0 and all(map(is_gone, refs))
    fails[0] = False
    assert float(jitted(1.0)) == 2.0
