"""Calls of jitted functions by their paths: the long way's results, structures and errors."""

import gc
import threading
import traceback
import weakref
from collections import OrderedDict
from typing import NamedTuple

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax.compiler.dispatch.call_paths import MOST_PATHS
from minijax.core.extend import Backend, running, typeof

X, Y = jnp.arange(3.0), jnp.ones(3)


class Point(NamedTuple):
    x: object
    y: object


@jax.tree_util.register_pytree_node_class
class Box:
    def __init__(self, content, label):
        self.content, self.label = content, label

    def tree_flatten(self):
        return (self.content,), self.label

    @classmethod
    def tree_unflatten(cls, label, children):
        return cls(*children, label)


def paths(jitted):
    return jitted._cache.get(jitted._place, ())


TREES = {
    "array": X, "tuple": (X, Y), "one": (X,), "none": None, "empty": ((), [], {}),
    "list": [X, [Y, None]],
    "dict": {"b": X, "a": (Y, {"c": X})}, "numbers": [1, 2.5, True, 1j], "named": Point(X, 1),
    "custom": {"box": Box([X], "label")}, "numpy": np.ones(2, "float32"), "wide": np.arange(3),
    "scalar": np.float64(2), "ordered": OrderedDict(b=X, a=Y), "keys": {2: X, 1: Y},
}  # fmt: skip


@pytest.mark.parametrize("name", TREES)
def test_any_tree_goes_in_and_comes_out(name):
    tree, traced = TREES[name], []

    @jax.jit
    def f(tree, *, factor):
        traced.append(1)
        return {"out": jax.tree.map(lambda x: x * factor, tree), "same": tree}

    outs = [f(tree, factor=2) for _ in range(5)]
    assert len(paths(f)) == 1 and len(traced) == 1
    for out in outs:
        assert jax.tree.structure(out["same"]) == jax.tree.structure(tree)
        leaves = [jax.tree.leaves(x) for x in (out, outs[0])]
        for x, y in zip(*leaves, strict=True):
            assert typeof(x) is typeof(y)
            np.testing.assert_array_equal(x, y)


def test_other_arguments_take_another_path_or_the_long_way():
    @jax.jit
    def f(tree):
        return jax.tree.map(lambda x: x + 1, tree)

    trees = [X, [X], (X,), {"a": X}, {"b": X}, {"a": X, "b": X}, [X, None], [None, X], Point(X, X),
             Box(X, "a"), Box(X, "b"), 1, 1.0, True, np.ones(3), np.ones(3, "int8"), jnp.ones(4)]
    for _ in range(20):
        for tree in trees:
            out = f(tree)
            assert jax.tree.structure(out) == jax.tree.structure(tree)
            for x, y in zip(jax.tree.leaves(out), jax.tree.leaves(tree), strict=True):
                np.testing.assert_array_equal(x, np.asarray(y) + 1)
        assert len(paths(f)) <= MOST_PATHS


def test_arrays_and_numpy_arrays_of_one_type_have_paths_of_their_own():
    f = jax.jit(lambda x: x * 2)
    for _ in range(6):
        f(np.ones(3, "float32")), f(Y)
    assert len(paths(f)) == 2


def test_static_arguments_are_compared():
    f = jax.jit(lambda x, n, *, mode: x * n if mode == "a" else x - n, static_argnums=1,
                static_argnames="mode")
    for _ in range(4):
        for n in (2, 3, 2.0, True):
            np.testing.assert_array_equal(f(X, n, mode="a"), X * n)
            np.testing.assert_array_equal(f(X, n, mode="b"), X - n)


def test_a_deleted_array_is_refused():
    f, x = jax.jit(lambda x: x + 1), X + 1
    for _ in range(4):
        f(x)
    x.delete()
    with pytest.raises(RuntimeError, match="deleted"):
        f(x)


def test_donated_arguments_are_deleted_every_time():
    f = jax.jit(lambda x: x + 1, donate_argnums=0)
    for _ in range(4):
        x = X + 0
        f(x)
        assert x.is_deleted()


def test_options_and_transformations_go_the_long_way():
    f = jax.jit(lambda x: x * 2.5)
    for _ in range(4):
        f(np.arange(3))
    with jax.enable_x64():
        for _ in range(4):
            assert f(np.arange(3)).dtype == "float64"
    with jax.disable_jit():
        assert f(X).dtype == "float32"
    assert f(np.arange(3)).dtype == "float32"
    assert str(jax.make_jaxpr(f)(X)).count("jit[") == 1
    np.testing.assert_array_equal(jax.vmap(f)(X), X * 2.5)
    np.testing.assert_array_equal(jax.grad(lambda x: f(x).sum())(X), [2.5] * 3)


def test_an_inner_call_while_tracing_has_no_path():
    inner = jax.jit(lambda x: x + 1)
    for _ in range(4):
        inner(X)
    jaxpr = jax.make_jaxpr(lambda: inner(X))()
    assert len(jaxpr.eqns) == 1


def test_clear_cache_forgets_paths():
    traced = []
    f = jax.jit(lambda x: traced.append(1) or x + 1)
    for clear in (f.clear_cache, jax.clear_caches, jax.jit(f._fun).clear_cache):
        for _ in range(4):
            f(X)
        assert paths(f)
        clear()
        assert not paths(f)
    f(X)
    assert len(traced) == 4


def test_two_jits_of_one_function_share_their_paths_if_their_options_agree():
    def f(x, n):
        return x * n

    for _ in range(4):
        jax.jit(f)(X, 2)
        jax.jit(f, static_argnums=1)(X, 2)
    assert len(paths(jax.jit(f))) == len(paths(jax.jit(f, static_argnums=1))) == 1


def test_a_constant_that_is_a_tracer_stays_on_the_long_way():
    def outer(x):
        f = jax.jit(lambda y: x * y)
        return f(X) + f(X) + f(X)

    np.testing.assert_array_equal(jax.jit(outer)(2.0), 6 * X)
    np.testing.assert_array_equal(jax.vmap(outer)(jnp.ones(2)), jnp.stack([3 * X, 3 * X]))


class Failing(Backend):
    """Its programs fail at their fourth run."""

    def compile(self, closed, options):
        runs, interpret = [], super().compile(closed, options)

        def run(*args):
            runs.append(1)
            if len(runs) > 3:
                raise KeyError("four")
            return interpret(*args)

        return run


def test_an_error_on_a_path_shows_the_users_lines_alone(monkeypatch):
    monkeypatch.setattr(running, "backend", Failing(), raising=False)
    f = jax.jit(lambda x: x + 1)
    for _ in range(3):
        f(X)
    assert len(paths(f)) == 1
    with pytest.raises(KeyError, match="four") as caught:
        f(X)
    files = [frame.filename for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert set(files) == {__file__}
    assert not running.inside_program


def test_functions_die_with_their_paths():
    def make():
        f = jax.jit(lambda x: x + 1)
        for _ in range(4):
            f(X)
        return weakref.ref(f._fun)

    ref = make()
    gc.collect()
    assert ref() is None


def test_threads():
    f, wrong = jax.jit(lambda t: {"y": t["x"] * 2}), []

    def work(n):
        for i in range(60):
            x = jnp.full(1 + (n + i) % 6, n, "float32")
            if not np.array_equal(f({"x": x})["y"], 2 * np.asarray(x)):
                wrong.append(n)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


# Other values of the same types: whatever came before, a call has its own answer.

ALIKE = [0, False, 0.0, -0.0, 1, True, 1.0, 1 + 0j, np.int8(1), np.int64(1), np.float32(1),
         np.float32(-0.0), np.float64(0.0), 2, 2.5, 1j, 2j, float("nan"), np.nan,
         -np.nan]  # fmt: skip
NESTED = [wrap(x) for x in ALIKE for wrap in (lambda x: (x,), lambda x: (2, ("a", x)))]


def answers(fun, values):
    """What each value comes to at its first, second and third call, and what is in it."""
    jax.clear_caches()
    return [[[(typeof(x), np.asarray(x).tobytes()) for x in jax.tree.leaves(fun(value))]
             for _ in range(3)] for value in values]  # fmt: skip


@pytest.mark.parametrize("x64", [False, True])
@pytest.mark.parametrize("values", [ALIKE, NESTED], ids=["numbers", "nested"])
@pytest.mark.parametrize("static", [0, None, "named"])
def test_other_values_of_the_same_types(static, values, x64, on_numpy):
    def f(a):
        numbers = [x for x in jax.tree.leaves(a) if not isinstance(x, str)]
        return [jnp.asarray(x) for x in numbers]

    if static is None:
        jitted = jax.jit(f)
        values = [v for v in values if "a" not in jax.tree.leaves(v)]
    else:
        jitted = jax.jit(f, **({"static_argnames": "a"} if static else {"static_argnums": 0}))
    fun = (lambda v: jitted(a=v)) if static == "named" else jitted
    with jax.enable_x64(x64):
        forwards, backwards = answers(fun, values), answers(fun, values[::-1])[::-1]
        for value, one, other in zip(values, forwards, backwards, strict=True):
            assert one[0] == one[1] == one[2] == other[0] == other[1] == other[2], value
            [*leaves] = (x for x in jax.tree.leaves(value) if x != "a")
            for (aval, bits), leaf in zip(one[0], leaves, strict=True):
                assert bits == np.asarray(leaf, aval.dtype).tobytes()


def test_an_option_that_is_switched_between_calls_counts(on_numpy):
    doubled = jax.jit(lambda x, n: x * n, static_argnums=1)
    for _ in range(3):
        for x64, dtype in ((False, "float32"), (True, "float64")):
            with jax.enable_x64(x64):
                for _ in range(3):
                    assert doubled(1.5, 2).dtype == doubled(np.float64(1.5), 2).dtype == dtype
                    assert jnp.sum(np.ones(2)).dtype == (jnp.asarray(1.5) + 1).dtype == dtype
