"""`repeat[n, jaxpr]`, a primitive with a program of its own, against a plain Python loop."""

import functools

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from composition_meanings import nestings
from examples.repeat import repeat, repeat_p
from minijax.core.extend import (
    Effect,
    Primitive,
    check_jaxpr,
    dce_jaxpr,
    eval_jaxpr,
    jaxprs_in_params,
    primitive_jvps,
)


def loop(n, fun, init):
    for _ in range(n):
        init = fun(init)
    return init


# Functions of two numbers; `again` is repeat or loop. The derivative of the first needs what each
# step computed; the second's stays one repeat; then a repeat within a repeat, and a pytree in
# which a tangent moves on from part to part, beside an integer.


def curved(again, x, k):
    return again(3, lambda y: jnp.sin(y) * k + x, x)


def straight(again, x, k):
    return again(4, lambda y: 0.5 * y + k * 2.0, x)


def nested(again, x, k):
    return again(2, lambda y: x * again(2, lambda z: jnp.cos(z * k) + y, y * k), x)


def moving(again, x, k):
    def step(carry):
        a, (b, c), i = carry
        return b * k, (jnp.sin(c), a * jnp.exp(-x)), i + 1

    one = jnp.ones_like(x)
    a, (b, c), i = again(2, step, (x, (one, one), 0))
    return a + b * c * i


FUNCTIONS = [curved, straight, nested, moving]


def by_jit(f):
    return jax.jit(f)


def by_vmap(f):
    return lambda x, k: jnp.sum(jax.vmap(f, (None, 0))(x, jnp.stack([k, 0.5 * k])))


def by_jvp(f):
    return lambda x, k: jax.jvp(f, (x, k), (k, x))[1]


def by_linearize(f):
    return lambda x, k: jax.linearize(f, x, k)[1](k, x)


def by_grad(f):
    return lambda x, k: sum(jax.grad(f, (0, 1))(x, k))


def by_vjp(f):
    return lambda x, k: jax.vjp(lambda x: f(x, k), x)[1](k)[0]


STEPS = (by_jit, by_vmap, by_jvp, by_linearize, by_grad, by_vjp)


def name(step):
    return step.__name__.removeprefix("by_")


@functools.cache
def by_loop(function, steps):
    """What the nesting is of a Python loop."""
    def f(x, k):
        return function(loop, x, k)

    for step in reversed(steps):
        f = step(f)
    return f(jnp.asarray(0.7), jnp.asarray(0.4))


def meaning(steps):
    """Steps that come to the same, without those that change nothing."""
    return tuple(by_jvp if step is by_linearize else step for step in steps if step is not by_jit)


def all_jaxprs(jaxpr):
    """The jaxpr, and those in its equations, each once."""
    found = [jaxpr]
    for outer in found:
        found += [x for eqn in outer.eqns for x in jaxprs_in_params(eqn.params) if x not in found]
    return found


@pytest.mark.parametrize(
    "steps", nestings(STEPS, name), ids=lambda steps: "(".join(map(name, steps)) or "plain"
)
def test_like_a_loop_under_every_nesting(steps):
    for function in FUNCTIONS if len(steps) < 3 else [nested]:
        def got(x, k, function=function):
            return function(repeat, x, k)

        for step in reversed(steps):
            got = step(got)
        with jax.enable_x64(True):
            x, k = jnp.asarray(0.7), jnp.asarray(0.4)
            expected = by_loop(function, meaning(steps))
            np.testing.assert_allclose(got(x, k), expected, rtol=1e-9)
            closed = jax.make_jaxpr(got)(x, k)
            for jaxpr in all_jaxprs(closed.jaxpr):
                check_jaxpr(jaxpr)
            again = eval_jaxpr(closed.jaxpr, closed.consts, x, k)
            np.testing.assert_allclose(again[0], expected, rtol=1e-9)


@pytest.mark.parametrize("n", [0, 1, 5])
def test_n_times(n):
    got, want = (lambda x, again=a: again(n, lambda y: y * jnp.sin(y), x) for a in (repeat, loop))
    np.testing.assert_allclose(got(1.3), want(1.3), rtol=1e-6)
    np.testing.assert_allclose(jax.grad(got)(1.3), jax.grad(want)(1.3), rtol=1e-6)
    np.testing.assert_allclose(jax.jit(jax.grad(got))(1.3), jax.grad(want)(1.3), rtol=1e-6)


def test_mapped_along_other_axes():
    """What is batched in front and behind, or from a constant only, meets in what is carried."""
    def f(again, x, y):
        return again(3, lambda c: (jnp.cos(c[1]), c[0] * x), (x, y))

    xs, ys = np.arange(6.0, dtype=np.float32).reshape(2, 3), np.ones((3, 2), np.float32)
    for in_axes in [(1, 0), (0, 1), (1, None), (None, 0)]:
        x = xs if in_axes[0] is not None else xs[0]
        y = ys if in_axes[1] is not None else ys[0]
        x, y = (x, y) if in_axes != (1, None) else (xs, np.ones(2, np.float32))
        x, y = (x, y) if in_axes != (None, 0) else (xs[:, 0], ys)
        got, want = (
            jax.vmap(lambda x, y, again=a: f(again, x, y), in_axes)(x, y) for a in (repeat, loop)
        )
        for ours, theirs in zip(got, want, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-6)


def count(jaxpr, primitive):
    return sum(eqn.primitive is primitive for each in all_jaxprs(jaxpr) for eqn in each.eqns)


def test_the_program_stays_one_equation_where_it_can():
    """Forward, batched, and backward where no step leaves residuals: one repeat for each."""
    def f(x, k):
        return curved(repeat, x, k)

    plain = jax.make_jaxpr(f)(1.0, 2.0).jaxpr
    assert [str(eqn.primitive) for eqn in plain.eqns].count("repeat") == 1
    assert count(plain, repeat_p) == 1
    assert count(jax.make_jaxpr(lambda x: jax.jvp(f, (x, 1.0), (x, x)))(1.0).jaxpr, repeat_p) == 1
    assert count(jax.make_jaxpr(jax.vmap(f))(np.ones(3), np.ones(3)).jaxpr, repeat_p) == 1
    backward = jax.make_jaxpr(jax.grad(lambda x: straight(repeat, x, 1.0)))(1.0).jaxpr
    assert count(backward, repeat_p) == 2
    steps = jax.make_jaxpr(jax.grad(f))(1.0, 2.0).jaxpr
    names = [eqn.params["name"] for eqn in steps.eqns if "name" in eqn.params]
    assert names == ["repeat_step"] * 3 + ["repeat_linear_step"] * 3
    assert len(all_jaxprs(steps)) < 8  # the steps share their programs


def test_printed():
    closed = jax.make_jaxpr(lambda x, m: repeat(3, lambda y: jnp.sin(y) * m, x))(
        np.ones(2, np.float32), np.ones(2, np.float32)
    )
    assert str(closed) == (
        "{ lambda ; a:f32[2] b:f32[2]. let\n"
        "    c:f32[2] = repeat[\n"
        "      jaxpr={ lambda ; d:f32[2] e:f32[2]. let\n"
        "          f:f32[2] = sin e\n"
        "          g:f32[2] = mul f d\n"
        "        in (g,) }\n"
        "      n=3\n"
        "    ] b a\n"
        "  in (c,) }"
    )


def test_what_nobody_needs_is_removed():
    """An unused part goes, with the constants that only it needs; what it feeds on stays."""
    def f(x, k, m):
        return repeat(3, lambda c: (c[0] * k, c[0] + c[1], c[2] * m), (x, x, x))

    jaxpr = jax.make_jaxpr(f)(1.0, 2.0, 3.0).jaxpr

    def used(*outputs):
        pruned, inputs = dce_jaxpr(jaxpr, outputs)
        check_jaxpr(pruned)
        (eqn,) = [eqn for eqn in pruned.eqns if eqn.primitive is repeat_p]
        return inputs, len(eqn.invars), len(eqn.outvars), len(pruned.outvars)

    assert used(True, False, False) == ([True, True, False], 2, 1, 1)
    assert used(False, True, False) == ([True, True, False], 3, 2, 1)
    assert used(False, False, True) == ([True, False, True], 2, 1, 1)
    pruned, inputs = dce_jaxpr(jaxpr, [False] * 3)
    assert (pruned.eqns, inputs) == ([], [False] * 3)
    values = 1.5, 2.0, 3.0
    pruned, inputs = dce_jaxpr(jaxpr, [False, True, False])
    got = eval_jaxpr(pruned, [], *(x for x, use in zip(values, inputs, strict=True) if use))
    np.testing.assert_allclose(got[0], f(*values)[1])


class Noted(Effect):
    pass


notes, noted_p = [], Primitive("noted")
noted_p.def_effectful_abstract_eval(lambda x: (x, frozenset([Noted()])))
noted_p.def_impl(lambda x: notes.append(float(x)) or x)
primitive_jvps[noted_p] = lambda primals, tangents: (noted_p.bind(*primals), tangents[0])


def test_its_effects_are_its_programs():
    def f(x):
        return repeat(3, lambda y: noted_p.bind(y) * 2.0, x)

    for g in (f, jax.jit(f), jax.jit(jax.grad(f)), jax.grad(jax.jit(f)),
              jax.jit(lambda x: f(x) * 0.0 if f(x) is None else x)):  # fmt: skip
        closed = jax.make_jaxpr(g)(1.0)
        assert [type(effect) for effect in closed.effects] == [Noted] * len(closed.effects)
        assert closed.effects and dce_jaxpr(closed.jaxpr, [False])[0].effects
        notes.clear()
        g(1.0)
        assert notes == [1.0, 2.0, 4.0]


def test_closes_over_tracers_and_arrays():
    table = jnp.array([1.0, 2.0, 3.0])

    def f(again, x):
        @jax.jit
        def inner(y):
            return again(2, lambda z: jnp.sum(table * z) * x + y, y)

        return inner(x * x)

    for transform in (jax.grad, jax.jit, lambda f: jax.jit(jax.grad(jax.grad(f)))):
        got, want = (transform(lambda x, again=a: f(again, x))(0.3) for a in (repeat, loop))
        np.testing.assert_allclose(got, want, rtol=1e-5)


def test_what_it_refuses():
    with pytest.raises(TypeError, match="repeat needs a function that returns what it takes"):
        repeat(3, lambda x: x > 0, 1.0)
    with pytest.raises(TypeError, match="repeat needs a function that returns what it takes"):
        repeat(3, lambda x: (x, x), 1.0)
    with pytest.raises(TypeError, match="has no parameter num_const"):
        repeat_p.bind(1.0, n=3, jaxpr=jax.make_jaxpr(jnp.sin)(1.0), num_const=0)
