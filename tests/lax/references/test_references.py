"""References in programs: their effects, what is left out, and what is written in place."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.core.staging import dce_jaxpr
from minijax.lax.references.types import AccumEffect, ReadEffect, WriteEffect

F = jnp.arange(3.0)


def doubled(x):
    ref = jax.new_ref(x)
    ref[...] = ref[...] * 2.0
    return ref[...]


def effects(f, *args):
    return {type(effect) for effect in jax.make_jaxpr(jax.jit(f))(*args).eqns[0].effects}


def test_what_is_done_to_a_reference_that_comes_in_is_an_effect():
    def add(ref):
        jax.ref.addupdate(ref, 0, 1.0)

    def write(ref):
        ref[0] = 1.0

    ref = jax.new_ref(F)
    assert effects(lambda ref: ref[0], ref) == {ReadEffect}
    assert effects(write, ref) == {WriteEffect} and effects(add, ref) == {AccumEffect}
    assert effects(doubled, F) == set()


def test_what_nobody_sees_is_left_out():
    def f(x, ref):
        jax.jit(doubled)(x)
        ref[0] = x[0]
        jax.jit(lambda q: q[1])(ref)
        return x + 1.0

    jaxpr = jax.make_jaxpr(f)(F, jax.new_ref(F)).jaxpr
    kept, _ = dce_jaxpr(jaxpr, [True])
    names = [eqn.primitive.name for eqn in kept.eqns]
    assert names.count("jit") == 1 and "swap" in names and "add" in names


def test_a_loop_writes_in_place(on_numba):
    def running(x):
        ref = jax.new_ref(x)

        def step(i, _):
            ref[i] = ref[i - 1] + 1.0
            return _

        lax.fori_loop(1, 1000, step, 0)
        return ref[...]

    x = jnp.zeros(1000)
    kernel = str(jax.explain(running)(x)).split("def kernel0(")[1]
    loop = kernel[kernel.index("for i_1 in range") : kernel.index("# Compiled")]
    assert "1000" not in loop  # within a step, one element is written: no array is copied
    np.testing.assert_array_equal(jax.jit(running)(x), np.arange(1000.0))


@jax.jit
def bump(ref, i):
    ref[i] += 1.0
    return ref[0]


@jax.jit
def halve(ref, _):
    ref[...] = ref[...] * 0.5


@jax.jit
def run_on(ref, _):
    def step(i, _):
        ref[i] = ref[i - 1] + 1.0
        return _

    lax.fori_loop(1, 100, step, 0)


@pytest.mark.parametrize("size", [5, 100_000])
@pytest.mark.parametrize("fun", [bump, halve, run_on])
def test_a_call_writes_in_place_what_nobody_else_holds(fun, size, on_numba):
    ref = jax.new_ref(jnp.arange(float(max(size, 100))))
    out = fun(ref, 3)
    place = ref.unsafe_buffer_pointer()
    outs = [fun(ref, 3), fun(ref, 3), out]  # a part that is read is no part of that memory
    assert ref.unsafe_buffer_pointer() == place
    held = ref[...]
    before = np.array(held)
    fun(ref, 3)
    np.testing.assert_array_equal(held, before)
    assert ref.unsafe_buffer_pointer() != place
    assert np.any(before != ref[...]) == (fun is not run_on)
    del outs


def test_explain_says_what_is_written_in_place(on_numba):
    text = str(jax.explain(bump)(jax.new_ref(jnp.zeros(100_000)), 3))
    assert "in the place of a, or a copy if somebody else holds that" in text
    assert "empty((100000,)" not in text
    compiled = bump.lower(jax.new_ref(jnp.zeros(100_000)), 3).compile()
    assert compiled.memory_analysis().alias_size_in_bytes == 400_000


def test_gradients_of_parts_of_a_batch_add_up_in_one_place():
    def loss(weights, xs):
        out, _ = lax.scan(lambda x, w: (jnp.tanh(x @ w), None), xs, weights)
        return out.mean()

    def gradient(weights, batches):
        total = jax.new_ref(jnp.zeros_like(weights))

        def step(_, xs):
            value, f_vjp = jax.vjp(lambda w: loss(w, xs), weights)
            f_vjp.with_refs(total)(jnp.ones_like(value))
            return (), value

        _, values = lax.scan(step, (), batches)
        return jax.freeze(total), values

    weights = jnp.linspace(-1.0, 1.0, 2 * 9).reshape(2, 3, 3)
    batches = jnp.linspace(-1.0, 1.0, 4 * 5 * 3).reshape(4, 5, 3)
    expected = jax.grad(lambda w: sum(loss(w, xs) for xs in batches))(weights)
    for f in (gradient, jax.jit(gradient)):
        np.testing.assert_allclose(f(weights, batches)[0], expected, rtol=1e-4, atol=1e-6)


def test_a_reference_that_a_jitted_function_holds_is_one_for_all_calls():
    counter = jax.new_ref(0)

    @jax.jit
    def count(by):
        counter[...] += by
        return counter[...]

    assert [int(count(n)) for n in (1, 2, 3)] == [1, 3, 6] and int(counter[...]) == 6


def test_each_step_of_a_loop_makes_a_reference_of_its_own():
    """Also where it begins with a constant, as on the way back of the gradient inside."""

    def inner(x):
        ref = jax.new_ref(x)
        old = jax.ref.swap(ref, 0, x[1] * 2.0)
        ref[1] = ref[0] * ref[2] + old
        return ref[...].sum()

    def plain(x):
        ref = x.at[0].set(x[1] * 2.0)
        return ref.at[1].set(ref[0] * ref[2] + x[0]).sum()

    def looped(f):
        def loss(x):
            step = lambda total, row: (total + (jax.grad(f)(x * row) ** 2).sum(), None)  # noqa: E731
            return lax.scan(step, 0.0, jnp.array([1.0, 2.0]))[0]

        return jax.grad(loss)(F + 1.0)

    np.testing.assert_allclose(looped(inner), looped(plain), rtol=1e-5)
