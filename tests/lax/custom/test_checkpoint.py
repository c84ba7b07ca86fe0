"""Checkpointed functions: the same numbers, computed again where a derivative needs them."""

import tracemalloc
from collections import Counter
from dataclasses import dataclass

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.ad_checkpoint import (
    Recompute,
    Saveable,
    checkpoint_name,
    print_saved_residuals,
    saved_residuals,
)
from minijax.core.extend import Effect, Primitive, check_jaxpr, defvectorized, primitive_jvps

policies = jax.checkpoint_policies

# noted: the value that it is given; each time that it runs, its name is counted.

runs = Counter()
noted_p = Primitive("noted")


def noted(x, name):
    return noted_p.bind(x, name=name)


@noted_p.def_impl
def _noted_impl(x, *, name):
    runs[name] += 1
    return jnp.asarray(x)


noted_p.def_abstract_eval(lambda x, *, name: x)
defvectorized(noted_p)
primitive_jvps[noted_p] = lambda primals, tangents, *, name: (noted(*primals, name), *tangents)


@dataclass(frozen=True)
class Log(Effect):
    pass


logged_p = Primitive("logged")
logged_p.def_impl(lambda x: runs.update(["logged"]) or jnp.asarray(x))
logged_p.def_effectful_abstract_eval(lambda x: (x, frozenset([Log()])))
primitive_jvps[logged_p] = lambda primals, tangents: (logged_p.bind(*primals), *tangents)


@pytest.fixture(autouse=True)
def no_runs():
    runs.clear()


def block(x):
    """A function with two values that a derivative needs, and a product between them."""
    x = noted(jnp.sin(noted(x, "first")), "second")
    y = checkpoint_name(x @ jnp.cos(jnp.arange(9.0)).reshape(3, 3), "product")
    return jnp.sum(noted(jnp.tanh(y), "third") * x)


X = jnp.array([0.5, -1.0, 2.0])

POLICIES = [
    None, policies.everything_saveable, policies.nothing_saveable, policies.dots_saveable,
    policies.dots_with_no_batch_dims_saveable, policies.save_only_these_names("product"),
    policies.save_any_names_but_these("product"), lambda prim, *_, **__: prim is noted_p,
]  # fmt: skip

NESTINGS = {
    "grad": jax.grad,
    "jit of grad": lambda f: jax.jit(jax.grad(f)),
    "grad of jit": lambda f: jax.grad(jax.jit(f)),
    "checkpoint of jit": lambda f: jax.grad(jax.checkpoint(jax.jit(f))),
    "checkpoint of checkpoint": lambda f: jax.grad(jax.checkpoint(f)),
    "jacfwd": jax.jacfwd,
    "hessian": jax.hessian,
    "jacrev of grad": lambda f: jax.jacrev(jax.grad(f)),
    "grad of jvp": lambda f: jax.grad(lambda x: jax.jvp(f, (x,), (X,))[1]),
    "grad of linearize": lambda f: jax.grad(lambda x: jax.linearize(f, x)[1](X)),
    "vmap": lambda f: jax.vmap(f, in_axes=(None,), axis_size=2),
    "grad of vmap": lambda f: jax.grad(lambda x: jax.vmap(lambda a: f(a * x))(X).sum()),
    "vmap of grad": lambda f: lambda x: jax.vmap(jax.grad(f))(jnp.outer(X, x)),
    "vmap of hessian": lambda f: lambda x: jax.jit(jax.vmap(jax.hessian(f)))(jnp.outer(X, x)),
}


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("nesting", NESTINGS.values(), ids=NESTINGS)
def test_a_checkpointed_function_has_the_derivatives_of_the_function(nesting, policy):
    expected = nesting(block)(X)
    got = nesting(jax.checkpoint(block, policy=policy))(X)
    np.testing.assert_allclose(got, expected, rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("policy", POLICIES)
def test_programs_are_well_typed(policy):
    f = jax.checkpoint(block, policy=policy)
    for fun in (f, jax.grad(f), jax.jit(jax.hessian(f)), lambda x: jax.jvp(f, (x,), (x,))):
        check_jaxpr(jax.make_jaxpr(fun)(X))


# What runs, and what is kept.


@pytest.mark.parametrize("policy, second_runs, kept", [
    (None, ["first", "second", "third"], 1),
    (policies.nothing_saveable, ["first", "second", "third"], 1),
    (policies.everything_saveable, [], 5),
    (policies.dots_saveable, ["first", "second", "third"], 2),
    (policies.save_only_these_names("product"), ["first", "second", "third"], 2),
    (policies.save_any_names_but_these("product"), ["first", "second", "third"], 1),
    (lambda prim, *_, **__: Saveable if prim is noted_p else Recompute, [], 3),
])  # fmt: skip
def test_what_is_not_kept_runs_again(policy, second_runs, kept):
    _, f_vjp = jax.vjp(jax.checkpoint(block, policy=policy), X)
    assert runs == Counter(["first", "second", "third"])
    f_vjp(jnp.float32(1))
    assert runs == Counter(["first", "second", "third", *second_runs])
    leaves = jax.tree_util.tree_leaves(f_vjp)
    assert len([x for x in leaves if x.shape == (3,)]) == kept


def test_a_value_runs_once_where_nothing_is_differentiated():
    jax.checkpoint(block)(X)
    jax.vmap(jax.checkpoint(block))(jnp.stack([X, X]))
    assert runs == Counter(["first", "second", "third"] * 2)


def test_recursion_keeps_a_logarithm():
    """A chain of 16, halved again and again: each first half is checkpointed."""

    def chain(n):
        if n == 1:
            return lambda x: jnp.sin(noted(x, "step"))
        first, second = jax.checkpoint(chain(n // 2)), chain(n // 2)
        return lambda x: second(first(x))

    assert len(saved_residuals(chain(16), X)) == 5
    gradient = jax.grad(lambda x: chain(16)(x).sum())(X)
    assert runs["step"] == 16 + 8 * 4
    np.testing.assert_allclose(
        gradient, jax.grad(lambda x: plain_chain(x).sum())(X), rtol=1e-5
    )


def plain_chain(x):
    for _ in range(16):
        x = jnp.sin(x)
    return x


def peak_of(fun, *args):
    tracemalloc.start()
    fun(*args)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


def test_less_memory():
    """Eight blocks of eight steps: 64 values are kept, or 8 and those of one block."""
    x = jnp.ones(100_000)

    def steps(x):
        for _ in range(8):
            x = jnp.sin(x)
        return x

    def loss(step):
        def composed(x):
            for _ in range(8):
                x = step(x)
            return x.sum()

        return jax.grad(composed)

    size = 4 * x.size
    assert peak_of(loss(steps), x) > 60 * size
    assert peak_of(loss(jax.checkpoint(steps)), x) < 30 * size
    assert peak_of(jax.jit(loss(jax.checkpoint(steps))), x) < 30 * size


def sines(x, steps):
    return lax.scan(lambda c, _: (jnp.sin(c), None), x, None, length=steps)[0]


def sines_in_blocks(x, blocks, steps, **how):
    block = jax.checkpoint(lambda c, _: (sines(c, steps), None), **how)
    return lax.scan(block, x, None, length=blocks)[0]


@pytest.mark.parametrize("prevent_cse", [True, False])
def test_a_scan_of_checkpointed_blocks_keeps_the_square_root(prevent_cse):
    x, steps = jnp.ones(4000), 14
    size = 4 * x.size

    def in_blocks(x):
        return sines_in_blocks(x, steps, steps, prevent_cse=prevent_cse).sum()

    def at_once(x):
        return sines(x, steps * steps).sum()

    kept = sum(aval.size for aval, _ in saved_residuals(in_blocks, x))
    assert kept == steps * x.size
    assert peak_of(jax.grad(at_once), x) > steps * steps * size
    assert peak_of(jax.grad(in_blocks), x) < 4 * steps * size
    np.testing.assert_allclose(jax.grad(in_blocks)(x), jax.grad(at_once)(x), rtol=1e-5)
    np.testing.assert_allclose(
        jax.jit(jax.grad(in_blocks))(x), jax.grad(at_once)(x), rtol=1e-5
    )


# What has an effect is done once.


@pytest.mark.parametrize("policy", [None, policies.everything_saveable])
@pytest.mark.parametrize("inner", [lambda f: f, jax.jit, jax.checkpoint])
def test_an_effect_happens_once(inner, policy):
    f = jax.checkpoint(
        lambda x: jnp.sin(inner(lambda x: logged_p.bind(jnp.sin(x)))(x)), policy=policy
    )
    gradient = jax.grad(f)(2.0)
    assert runs["logged"] == 1
    np.testing.assert_allclose(gradient, np.cos(np.sin(2)) * np.cos(2), rtol=1e-6)
    jax.jit(jax.grad(f))(2.0)
    assert runs["logged"] == 2


# The call.


def test_it_is_traced_once_for_each_type():
    traced = []

    @jax.checkpoint
    def f(x, y=1.0):
        traced.append((x, y))
        return x * y

    for x in (1.0, 2.0, X, X, 3):
        f(x)
        jax.grad(lambda x: jnp.sum(f(x, y=2.0)))(x * 1.0)
    assert len(traced) == 5  # with y and without: of a float and an array; without: of an int


def test_static_arguments_may_be_anything():
    f = jax.checkpoint(lambda x, flags: jnp.sin(x) if flags["on"] else x, static_argnums=1)
    assert jax.grad(f)(0.0, {"on": True}) == 1.0
    assert f(2.0, {"on": False}) == 2.0
    assert jax.checkpoint(lambda x, y: x * y[0][0], static_argnums=1)(2.0, ([3],)) == 6.0
    named = jax.checkpoint(lambda x, *, on: jnp.sin(x) if on else x, static_argnames="on")
    assert named(0.5, on=False) == 0.5
    assert jax.grad(named)(0.0, on=True) == 1.0


def test_tracers_that_the_function_closes_over():
    def loss(scale, x):
        return jnp.sum(jax.checkpoint(lambda x: jnp.sin(x * scale))(x))

    def plain(scale, x):
        return jnp.sum(jnp.sin(x * scale))

    for outer in (jax.grad, lambda f: jax.jit(jax.grad(f, 1)), lambda f: jax.grad(jax.jit(f))):
        np.testing.assert_allclose(outer(loss)(2.0, X), outer(plain)(2.0, X), rtol=1e-6)
    both = jax.vmap(jax.grad(loss), (0, None))(X, X)
    np.testing.assert_allclose(both, jax.vmap(jax.grad(plain), (0, None))(X, X), rtol=1e-6)


def test_named_axes_inside():
    f = jax.checkpoint(lambda x: lax.psum(jnp.sin(x), "i") * x)
    for wrap in (lambda f: f, lambda f: jax.grad(f)):
        got = jax.vmap(wrap(f), axis_name="i")(X)
        plain = jax.vmap(wrap(lambda x: lax.psum(jnp.sin(x), "i") * x), axis_name="i")(X)
        np.testing.assert_allclose(got, plain, rtol=1e-6)


def test_unused_arguments_and_results():
    f = jax.checkpoint(lambda x, y: (x * y, jnp.sin(x), 3))
    gradient = jax.grad(lambda x, y: f(x, y)[1])(1.0, 2.0)
    np.testing.assert_allclose(gradient, np.cos(1.0), rtol=1e-6)
    jaxpr = jax.make_jaxpr(jax.grad(lambda x, y: f(x, y)[1]))(1.0, 2.0)
    *_, eqn = jaxpr.eqns
    assert eqn.primitive.name == "remat2"
    assert eqn.params["differentiated"]


def test_what_is_kept_is_printed_with_the_place_in_its_line(capsys):
    def f(x):
        return 2 * jnp.sin(jnp.cos(x))

    print_saved_residuals(f, 1.0)
    [_, of_sine] = capsys.readouterr().out.splitlines()
    line = f.__code__.co_firstlineno + 1
    assert f"output of cos from {__file__}:{line}:19 (" in of_sine
