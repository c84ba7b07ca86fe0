"""Why a function was traced again: each reason, and no word where nothing was traced."""

import logging

import pytest

import minijax as jax
import minijax.numpy as jnp

F = jnp.arange(3.0)


@pytest.fixture
def log(caplog):
    jax.config.update("jax_explain_cache_misses", True)
    caplog.set_level(logging.WARNING, "minijax")
    yield caplog
    jax.config.update("jax_explain_cache_misses", False)


def last(log):
    text = log.records[-1].getMessage()
    log.clear()
    return text


def times(x, n=2, *, options=None):
    return x * n


def test_nothing_is_said_of_a_call_that_was_traced(log):
    f = jax.jit(times)
    f(F, 3)
    log.clear()
    f(F + 1, 4)
    f.eval_shape(F, 3)
    assert not log.records


def test_nothing_is_said_when_the_option_is_off(caplog):
    jax.jit(lambda x: x)(F)
    assert not caplog.records


def test_a_function_that_is_new(log):
    jax.jit(lambda x: x)(F)
    text = last(log)
    assert "<lambda> at " in text
    assert "test_cache_misses.py" in text.partition("called at")[2]
    assert "this function was not traced before" in text
    assert "loop" not in text


def test_a_function_inside_another_and_one_that_was_forgotten(log):
    f = jax.jit(lambda x: x)
    f(F)
    jax.eval_shape(f, F)
    assert "loop" not in last(log)
    jax.clear_caches()
    f(F)
    assert "or it has been forgotten." in (text := last(log))
    assert "loop" not in text


def test_a_function_that_is_made_again_and_again(log):
    for k in range(2):
        jax.jit(lambda x: x + k)(F)  # noqa: B023
    text = last(log)
    assert "another one, made by the same line, was" in text
    assert "outside of the loop" in text


@pytest.mark.parametrize("first, second, words", [
    ((F,), (jnp.ones(4),), "x is f32[4]; before: f32[3]."),
    ((F,), (F > 1,), "x is bool[3]; before: f32[3]."),
    ((jnp.float32(1),), (1.0,), "x is f32[] of weak type, as a number is; before: f32[]."),
    ((F, F), (F, F[:1]), "n is f32[1]; before: f32[3]."),
    ((F,), (F, 3), "have the structure PyTreeDef(((*, *), {})); before: PyTreeDef(((*,), {}))."),
    (({"a": F},), ({"b": F},), "{'b': *}"),
])
def test_other_types_and_structures(log, first, second, words):
    f = jax.jit(lambda x, n=2: (x, n))
    f(*first)
    f(*second)
    assert words in last(log)


def test_the_nearest_of_those_before(log):
    f = jax.jit(lambda x, y: (x, y))
    f(F, 1)
    f(F > 1, 1.0)
    f(F[:2], 1)
    assert last(log).endswith(":\n  x is f32[2]; before: f32[3].")


def test_other_static_values(log):
    f = jax.jit(times, static_argnums=1, static_argnames="options")
    f(F, 2)
    f(F, 3)
    assert "the static argument 1 is 3; before: 2." in last(log)
    f(F, 3, options="a")
    assert "the static argument options is 'a'; before: not given." in last(log)
    f(F, True)
    assert "the static argument 1 is True" in last(log)
    f(F, -2.5)
    assert "the static argument 1 is -2.5" in last(log)
    f(F, 3, options=("a", (1j, None)))
    assert "the static argument options is ('a', (1j, None)); before: not given." in last(log)


def test_other_options_and_axes(log):
    f = jax.jit(times)
    f(F)
    with jax.enable_x64():
        f(F)
    assert "the option jax_enable_x64 is True; before: False." in last(log)
    jax.vmap(f, axis_name="i")(F)
    assert "the named axes around are {'i': 3}; before: none." in last(log)


def test_a_value_of_a_trace_that_has_ended(log):
    made = []

    def closes_over(x):
        return x * made[0]

    jitted = jax.jit(closes_over)

    def use(y):
        made[:] = [y]
        return jitted(2.0)

    jax.grad(use)(3.0)
    log.clear()
    jax.grad(use)(4.0)
    assert "it uses a value of a trace that has ended" in last(log)


def test_others_who_trace(log):
    jax.make_jaxpr(lambda x: x)(F)
    assert "traced for make_jaxpr" in last(log)


def test_our_own_functions_are_not_reported(log):
    jnp.sort(F)
    jax.nn.relu(F)
    assert not log.records


def test_it_is_watched_once(log):
    jax.config.update("jax_explain_cache_misses", True)
    jax.jit(lambda x: x - 1)(F)
    assert len(log.records) == 1
