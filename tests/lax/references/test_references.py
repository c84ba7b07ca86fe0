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


def over_rows(x):
    """A scan over the rows of two references, which it reads and writes."""
    r, s = jax.new_ref(x), jax.new_ref(x * 2.0)

    def step(carry, given):
        (a, b), y = given
        a[0] = a[0] * b[1] + carry
        b[...] = jnp.sin(a[...]) * y
        return carry + a[1] * y, b[0] * carry

    carry, ys = lax.scan(step, 1.0, ((r, s), F + 1.0), reverse=True)
    return carry + r[...].sum() * s[0, 1] + (ys * F).sum()


def plain_over_rows(x):
    def step(carry, given):
        (a, b), y = given
        a = a.at[0].set(a[0] * b[1] + carry)
        b = jnp.sin(a) * y
        return carry + a[1] * y, (b[0] * carry, a, b)

    carry, (ys, r, s) = lax.scan(step, 1.0, ((x, x * 2.0), F + 1.0), reverse=True)
    return carry + r.sum() * s[0, 1] + (ys * F).sum()


def test_a_scan_over_rows_of_references_is_transposed():
    x = jnp.arange(6.0).reshape(3, 2) / 4
    for nest in (jax.grad, lambda f: jax.grad(lambda x: (jax.grad(f)(x) ** 2).sum())):
        np.testing.assert_allclose(
            jax.jit(nest(over_rows))(x), nest(plain_over_rows)(x), rtol=1e-4, atol=1e-4
        )


def test_a_function_is_traced_and_compiled_for_references(on_numba):
    counter = jax.new_ref(jnp.zeros(3))

    def count(ref, by):
        ref[0] += by
        counter[1] += ref[0]
        return counter[1]

    jitted, ref = jax.jit(count), jax.new_ref(F)
    for given in (ref, jax.typeof(ref)):
        assert str(jitted.trace(given, 2.0).jaxpr) == str(jax.make_jaxpr(count)(given, 2.0))
        assert jax.eval_shape(count, given, 2.0).shape == ()
        compiled = jitted.lower(given, 2.0).compile()
    assert float(compiled(ref, 2.0)) == 2.0 and float(compiled(ref, 3.0)) == 7.0
    assert "tensor<3xf32>, %arg1: tensor<f32>, %arg2" in jitted.lower(ref, 2.0).as_text()
    assert "] b c a\n" in str(jax.make_jaxpr(jitted)(ref, 2.0))  # what is held comes last


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
