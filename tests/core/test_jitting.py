"""jit: how often a function is traced, its static arguments, and what runs the jaxpr."""

import gc
import weakref
from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax.core.config import derived
from minijax.core.jitting import Backend
from minijax.core.staging import check_jaxpr
from minijax.core.tracing import Tracer

ONE = np.float32(1.0)


def counted(f=lambda x, *rest: x * 2):
    """f, and a list that grows by one with each call of it."""
    calls = []

    def g(*args, **kwargs):
        calls.append(1)
        return f(*args, **kwargs)

    return g, calls


# Tracing once.


@pytest.mark.parametrize("first, second, traces", [
    (ONE, np.float32(2), 1), (ONE, 1.0, 2), (ONE, jnp.asarray(ONE), 1), (1.0, 2.0, 1), (1, True, 2),
    (ONE, np.float64(3), 1), (ONE, np.int32(1), 2), (np.ones(2), np.ones(3), 2),
    (np.ones((1, 2)), np.ones((2, 1)), 2), (np.ones(4), np.ones(8)[::2], 1),
])
def test_once_for_each_type(first, second, traces):
    g, calls = counted()
    f = jax.jit(g)
    for _ in range(2):
        np.testing.assert_array_equal([f(first), f(first)], [np.asarray(first) * 2] * 2)
        np.testing.assert_array_equal(f(second), np.asarray(second) * 2)
    assert len(calls) == traces


def test_once_for_each_structure_setting_and_promotion():
    g, calls = counted(lambda tree: jax.tree.leaves(tree)[0] + 1)
    f = jax.jit(g)
    for args in ((1.0, 2.0), [1.0, 2.0], {"a": 1.0, "b": 2.0}, {"b": 2.0, "a": 1.0}):
        f(args)
    assert len(calls) == 3
    with jax.enable_x64():
        assert f((1.0, 2.0)).dtype == np.float64
    assert len(calls) == 4 and f((1.0, 2.0)).dtype == np.float32
    with jax.numpy_dtype_promotion("strict"):
        f((1.0, 2.0))
    assert len(calls) == 5
    f((1.0, 2.0))
    assert len(calls) == 5


def test_one_function_jitted_twice_is_traced_once_and_forgotten_on_request():
    g, calls = counted()
    f, h = jax.jit(g), jax.jit(g)
    f(ONE), h(ONE)
    assert len(calls) == 1
    f.clear_cache()
    h(ONE), f(ONE)
    assert len(calls) == 2
    jax.vmap(jax.jit(g))(np.ones(3, np.float32)), jax.grad(h)(ONE), jax.grad(f)(ONE)
    assert len(calls) == 2


def test_derivatives_and_batches_do_not_trace_again():
    g, calls = counted(lambda x: jnp.sin(x) * x)
    f = jax.jit(g)
    for transformed in (jax.grad(f), jax.grad(jax.grad(f)), jax.jit(f), jax.jit(jax.grad(f))):
        transformed(ONE), transformed(ONE)
    jax.vmap(jax.grad(f))(np.ones(2, np.float32))
    assert len(calls) == 1


def test_a_function_that_closes_over_an_outer_tracer_is_remembered_while_that_lives():
    traces = []

    def outer(y):
        @jax.jit
        def f(x):
            traces.append(1)
            return x * y
        return f(2.0) + f(2.0)

    assert jax.grad(outer)(3.0) == 4.0 and len(traces) == 1
    assert jax.grad(outer)(3.0) == 4.0 and len(traces) == 2
    y = None
    g, calls = counted(lambda x: x * y)
    f = jax.jit(g)

    def with_y(value):
        nonlocal y
        y = value
        return f(2.0)

    assert jax.grad(with_y)(3.0) == 2.0 and jax.jit(with_y)(5.0) == 10.0 and len(calls) == 2
    np.testing.assert_array_equal(jax.vmap(with_y)(np.arange(3.0)), [0, 2, 4])
    assert len(calls) == 3
    assert with_y(7.0) == 14.0 and f(2.0) == 14.0 and len(calls) == 4


def test_an_outer_tracer_that_is_only_known_is_hoisted():
    closed = jax.make_jaxpr(lambda y: jax.jit(lambda x: x * y)(2.0))(3.0)
    (eqn,) = closed.eqns
    assert len(eqn.invars) == 2 and eqn.params["jaxpr"].consts == []
    check_jaxpr(closed)


def test_the_cache_keeps_no_function_alive():
    def f(x):
        return x

    jax.jit(f)(ONE)
    ref = weakref.ref(f)
    del f
    gc.collect()
    assert ref() is None


def test_a_function_that_cannot_be_a_key():
    class Unhashable:
        __hash__ = None

        def __call__(self, x):
            return x * 2

    assert jax.jit(Unhashable())(3.0) == 6.0


# Static arguments.


def power(x, n, mode="plus"):
    return x**n if mode == "plus" else -(x**n)


@pytest.mark.parametrize("options, calls, traces", [
    ({"static_argnums": 1}, [((2.0, 3), {}), ((2.0, 3), {}), ((2.0, 2), {})], 2),
    ({"static_argnums": (1, 2)}, [((2.0, 3, "plus"), {}), ((2.0, 3, "minus"), {})], 2),
    ({"static_argnums": -1}, [((2.0, 3, "plus"), {}), ((2.0, 3, "minus"), {})], 2),
    ({"static_argnames": "mode"}, [((2.0, 3), {"mode": "minus"}), ((2.0, 3, "minus"), {}),
                                   ((2.0, 4), {"mode": "minus"})], 2),
    ({"static_argnames": ["n", "mode"]}, [((2.0,), {"n": 3}), ((2.0, 3), {}), ((2.0, 3.0), {})], 3),
    ({"static_argnums": 1}, [((2.0, 1), {}), ((2.0, True), {}), ((2.0, 1.0), {})], 3),
])
def test_static_arguments(options, calls, traces):
    def f(x, n, mode="plus"):
        made.append(isinstance(n, Tracer))
        return power(x, n, mode)

    made = []
    jitted = jax.jit(f, **options)
    for args, kwargs in calls * 2:
        np.testing.assert_allclose(jitted(*args, **kwargs), power(*args, **kwargs))
    assert len(made) == traces


@pytest.mark.parametrize("call, error, words", [
    (lambda: jax.jit(power, static_argnums=1)(1.0, [2]), ValueError,
     r"power's static argument 1 is \[2\].*hashable"),
    (lambda: jax.jit(power, static_argnames="n")(1.0, n={}), ValueError, "static argument n is {}"),
    (lambda: jax.jit(power, static_argnums=3), ValueError, r"\(3,\).*power"),
    (lambda: jax.jit(power, static_argnums=-4), ValueError, r"\(-4,\)"),
    (lambda: jax.jit(power, static_argnames="z"), ValueError, "'z'"),
    (lambda: jax.jit(power, static_argnames=(1,)), TypeError, "strings"),
    (lambda: jax.jit(power, donate_argnums=3), ValueError, r"\(3,\)"),
    (lambda: jax.jit(3), TypeError, "jit takes a function.*got 3"),
    (lambda: jax.jit(power)(1.0, {"k": "text"}), TypeError,
     r"jit\(power\), argument n\['k'\]: 'text'"),
    (lambda: jax.jit(lambda x: "text")(1.0), TypeError, "'text' of type str"),
])
def test_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_a_result_that_is_no_array_names_the_function():
    def returns_text(x):
        return "text"

    with pytest.raises(TypeError, match="returns_text"):
        jax.jit(returns_text)(1.0)


def test_donated_arguments_are_gone_where_a_result_takes_their_place():
    x, y, z = jnp.ones(3), jnp.ones(3), jnp.ones(3)
    assert jax.jit(lambda x: x * 2, donate_argnums=0)(x).tolist() == [2.0] * 3
    assert jax.jit(lambda x: x, donate_argnums=0)(y).tolist() == [1.0] * 3
    assert jax.jit(lambda x: x.sum(), donate_argnums=0)(z) == 3.0
    assert [a.is_deleted() for a in (x, y, z)] == [True, True, False] and z.tolist() == [1.0] * 3
    with pytest.raises(RuntimeError, match="deleted"):
        x.tolist()


def test_an_object_as_a_static_argument_is_known_by_its_own_equality():
    g, calls = counted(lambda line, x: line.slope * x)
    f = jax.jit(g, static_argnums=0)

    @dataclass(frozen=True)
    class Fixed:
        slope: float

    assert [f(Fixed(slope), 3.0) for slope in (2.0, 2.0, 5.0)] == [6.0, 6.0, 15.0]
    assert len(calls) == 2

    @dataclass(eq=False)
    class Changing:
        slope: float

    line = Changing(2.0)
    assert f(line, 3.0) == 6.0
    line.slope = 5.0  # the same object, so the same program
    assert f(line, 3.0) == 6.0 and f(Changing(5.0), 3.0) == 15.0 and len(calls) == 4

    @dataclass
    class Unhashable:
        slope: float

    with pytest.raises(ValueError, match="static argument 0 is .*Unhashable.slope=2.0"):
        f(Unhashable(2.0), 3.0)


def test_as_a_decorator_as_a_method_and_as_itself():
    class Model:
        scale = 3.0

        @jax.jit
        def double(x):
            return 2.0 * x

        def __init__(self):
            self.scaled = jax.jit(lambda x: self.scale * x)

        @partial(jax.jit, static_argnums=0)
        def call(self, x):
            return self.scale * x

    model = Model()
    assert (Model.double(2.0), model.scaled(2.0), model.call(2.0)) == (4.0, 6.0, 6.0)
    named = jax.jit(power)
    assert (named.__name__, named.__wrapped__) == ("power", power)
    assert repr(named).startswith("<PjitFunction of <function power")
    assert jax.jit(static_argnums=1)(power)(2.0, 3) == 8.0


# Modes.


def test_inline_leaves_the_equations():
    plain, inline = jax.jit(jnp.negative), jax.jit(jnp.negative, inline=True)
    for f, name in ((plain, "jit"), (inline, "neg")):
        (eqn,) = jax.make_jaxpr(lambda x, f=f: f(x))(ONE).eqns
        assert eqn.primitive.name == name
        assert f(ONE) == -1.0 and jax.grad(f)(ONE) == -1.0


def test_disable_jit():
    seen = []
    f = jax.jit(lambda x: seen.append(isinstance(x, Tracer)) or (x if x > 0 else -x))
    with jax.disable_jit():
        assert f(-3.0) == 3.0
        with jax.disable_jit(False), pytest.raises(jax.errors.TracerBoolConversionError):
            f(-3.0)
        assert f(-3.0) == 3.0
    assert seen == [False, True, False]


def test_keep_unused_is_kept_as_a_parameter():
    for keep in (False, True):
        closed = jax.make_jaxpr(jax.jit(lambda x, y: x, keep_unused=keep))(ONE, ONE)
        assert closed.eqns[0].params["keep_unused"] is keep


# The backend.


def test_a_backend_compiles_each_jaxpr_once(on_numpy, monkeypatch):
    compiled = []

    def spy(closed, options):
        compiled.append([eqn.primitive.name for eqn in closed.eqns])
        check_jaxpr(closed)
        return lambda *args: [np.float32(42)]

    monkeypatch.setattr(Backend, "compile", staticmethod(spy))
    f = jax.jit(lambda x: jnp.negative(x) * 2)
    for x in (1.0, 2.0):
        out = f(x)
        assert isinstance(out, jax.Array) and out == 42.0
    assert compiled == [["neg", "mul"]]
    assert f(ONE) == 42.0 and len(compiled) == 2  # another type
    monkeypatch.undo()
    assert f(1.0) == 42.0  # what was compiled stays
    assert jax.jit(lambda x: jnp.negative(x) * 2)(1.0) == -2.0


def test_the_inside_of_a_jit_runs_on_the_ground_floor(on_numpy, monkeypatch):
    """Under vmap and grad too: the backend sees arrays only."""
    seen = []
    interpret = Backend.compile

    def spy(closed, options):
        run = interpret(Backend(), closed, options)
        return lambda *args: seen.extend(map(type, args)) or run(*args)

    monkeypatch.setattr(Backend, "compile", staticmethod(spy))
    jax.vmap(jax.grad(jax.jit(lambda x: jnp.sin(x) * x)))(np.ones(3, np.float32))
    assert seen and set(seen) == {type(jnp.ones(1))}


def test_results_are_remembered_as_long_as_the_jaxpr_lives():
    made = []

    @derived
    def describe(closed, key):
        made.append(key)
        return key * 2

    closed = jax.make_jaxpr(lambda x: jnp.negative(x))(ONE)
    assert [describe(closed, "a"), describe(closed, "a"), describe(closed, "b")] == ["aa"] * 2 + [
        "bb"]
    with jax.enable_x64():
        describe(closed, "a")
    assert made == ["a", "b", "a"]
    ref = weakref.ref(closed)
    del closed
    gc.collect()
    assert ref() is None


def test_a_jitted_function_of_nothing_and_to_nothing():
    assert jax.jit(lambda: 3)() == 3 and jax.jit(lambda x: None)(1.0) is None
    assert jax.jit(lambda x, *, k: (x, {"k": k}))(1.0, k=2) == (1.0, {"k": 2})
