"""Rules of the user's are what is run, under every nesting. (More: oracle/cases/custom_rules.)

Each rule's derivative is told apart from the function's own by a factor of 10.
"""

import itertools

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.core.extend import dce_jaxpr
from minijax.custom_derivatives import SymbolicZero
from numerics import directional

X = np.array([0.5, -1.0, 2.0], np.float32)


@jax.custom_jvp
def forwards(x):
    return jnp.sin(x)


@forwards.defjvp
def forwards_jvp(primals, tangents):
    (x,), (t,) = primals, tangents
    return forwards(x), 10 * derivative(x) * t


@jax.custom_vjp
def backwards(x):
    return jnp.sin(x)


backwards.defvjp(lambda x: (backwards(x), x), lambda x, ct: (10 * derivative(x) * ct,))


@jax.custom_jvp
def derivative(x):
    return jnp.cos(x)


derivative.defjvps(lambda t, ans, x: -10 * jnp.sin(x) * t)
# What makes of a function of one number another that has the same values and derivatives.
AROUND = {
    "jit": jax.jit,
    "vmap": lambda f: lambda x: jax.vmap(f)(jnp.stack([x, x + 1]))[0],
    "vmap, nothing mapped": lambda f: lambda x: jax.vmap(lambda _: f(x))(jnp.arange(2))[1],
    "scan": lambda f: lambda x: lax.scan(lambda c, _: (f(x), c), x, None, length=2)[0],
    "cond": lambda f: lambda x: lax.cond(x < 9, f, lambda x: x, x),
    "eval_jaxpr": lambda f: lambda x: jax.core.eval_jaxpr(jax.make_jaxpr(f)(x).jaxpr, [], x)[0],
    "jvp": lambda f: lambda x: jax.jvp(f, (x,), (x,))[0],
    "another rule": lambda f: with_rule(f),
}


def with_rule(f):
    wrapped = jax.custom_jvp(lambda x: f(x))
    wrapped.defjvp(lambda primals, tangents: jax.jvp(f, primals, tangents))
    return wrapped


FORWARD_MODE = {"jvp", "another rule"}
NESTINGS = [*itertools.product(AROUND, repeat=1), *itertools.permutations(AROUND, 2)]
USES = [(forwards, nesting) for nesting in NESTINGS]
USES += [(backwards, nesting) for nesting in NESTINGS if not FORWARD_MODE & set(nesting)]


@pytest.mark.parametrize("f, nesting", USES, ids=lambda x: " of ".join(x) if x in NESTINGS else "")
def test_the_rule_is_used_under_every_nesting(f, nesting):
    for name in reversed(nesting):
        f = AROUND[name](f)
    x = np.float32(0.7)
    np.testing.assert_allclose(f(x), np.sin(x), rtol=1e-6)
    np.testing.assert_allclose(jax.grad(f)(x), 10 * np.cos(x), rtol=1e-5)
    np.testing.assert_allclose(jax.grad(jax.grad(f))(x), -100 * np.sin(x), rtol=1e-5)
    np.testing.assert_allclose(jax.vmap(jax.grad(f))(X), 10 * np.cos(X), rtol=1e-5)
    np.testing.assert_allclose(jax.jit(jax.vmap(jax.grad(f)))(X), 10 * np.cos(X), rtol=1e-5)


def test_true_rules_against_differences():
    f = jax.custom_jvp(lambda x, y: jnp.sin(x) * y)
    f.defjvps(lambda t, ans, x, y: t * jnp.cos(x) * y, lambda t, ans, x, y: t * jnp.sin(x))
    g = jax.custom_vjp(lambda x, y: jnp.sin(x) * y)
    g.defvjp(
        lambda x, y: (g(x, y), (x, y)),
        lambda res, ct: (ct * jnp.cos(res[0]) * res[1], ct * jnp.sin(res[0])),
    )
    x, y = np.array([0.3, -1.2]), np.array([2.0, 0.5])
    with jax.enable_x64():
        for total in (lambda *xs: f(*xs).sum(), lambda *xs: g(*xs).sum()):
            for vx, vy in ((x, y), (y, -x)):
                expected = directional(lambda a, b: np.sum(np.sin(a) * b), [x, y], [vx, vy])
                gx, gy = jax.grad(total, (0, 1))(x, y)
                np.testing.assert_allclose(np.vdot(gx, vx) + np.vdot(gy, vy), expected)


def test_python_may_look_at_values_while_nothing_is_staged():
    seen = []
    f = jax.custom_jvp(lambda x: x if x > 0 else -x)
    f.defjvp(lambda p, t: (seen.append(float(p[0])), (f(*p), t[0]))[1])
    assert (f(-2.0), jax.grad(f)(-2.0), seen) == (2.0, 1.0, [-2.0])


@pytest.mark.parametrize("axes", [(0, None), (None, 0), (1, 0), (0, 1), (1, None)])
def test_what_is_not_mapped_gets_the_sum_of_cotangents(axes):
    f = jax.custom_vjp(lambda x, y: x * y)
    f.defvjp(lambda x, y: (f(x, y), (x, y)), lambda res, ct: (ct * res[1] * 10, ct * res[0] * 10))
    shapes = [{0: (3, 2), 1: (2, 3), None: (2,)}[axis] for axis in axes]
    x, y = (np.arange(1.0, 1 + np.prod(s), dtype=np.float32).reshape(s) for s in shapes)

    def gradient(mapped):
        return jax.grad(lambda *xs: (mapped(*xs) ** 2).sum(), (0, 1))(x, y)

    expected = gradient(jax.vmap(lambda x, y: x * y, axes))
    for mapped in (jax.vmap(f, axes), jax.jit(jax.vmap(f, axes)), jax.vmap(jax.jit(f), axes)):
        got = gradient(mapped)
        np.testing.assert_allclose(got[0], 10 * expected[0])
        np.testing.assert_allclose(got[1], 10 * expected[1])


def test_symbolic_zeros_come_as_such_under_vmap_and_jit():
    shapes = []

    def rule(primals, tangents):
        shapes.append([t.shape for t in tangents if type(t) is SymbolicZero])
        return f(*primals), tangents[0]

    f = jax.custom_jvp(lambda x, y: x * y)
    f.defjvp(rule, symbolic_zeros=True)
    jax.grad(lambda x: f(x, X).sum())(X)
    jax.grad(lambda x: jax.vmap(f)(x, X).sum())(X)
    jax.grad(lambda x: jax.jit(jax.vmap(f, (0, None)))(x, 2.0).sum())(X)
    assert shapes == [[(3,)], [()], [()]]


def test_a_result_that_nobody_uses_is_left_out():
    f = jax.custom_jvp(lambda x: (jnp.sin(x), jnp.exp(x)))
    f.defjvp(lambda p, t: (f(*p), (10 * t[0], 20 * t[0])))
    g = jax.custom_vjp(lambda x: (jnp.sin(x), jnp.exp(x)))
    g.defvjp(lambda x: (g(x), None), lambda _, cts: (10 * cts[0] + 20 * cts[1],))
    for function in (f, g):
        jaxpr, _ = dce_jaxpr(jax.make_jaxpr(function)(1.0).jaxpr, [False, True])
        [eqn] = jaxpr.eqns
        assert [e.primitive.name for e in eqn.params["call_jaxpr"].eqns] == ["exp"]
        assert jax.grad(as_function(jaxpr))(1.0) == 20
        assert jax.grad(jax.jit(as_function(jaxpr)))(1.0) == 20


def as_function(jaxpr):
    return lambda x: jax.core.eval_jaxpr(jaxpr, [], x)[0]


def test_a_linear_function_with_a_rule_is_transposed_as_it_is():
    f = jax.custom_jvp(lambda x: 3 * x)
    f.defjvp(lambda p, t: (f(*p), f(*t)))
    assert jax.grad(f)(1.0) == 3 and jax.grad(jax.jit(f))(1.0) == 3


def test_a_rule_may_run_a_loop_on_values_and_tangents():
    def loop(x):
        return lax.scan(lambda c, _: (jnp.sin(c) * x, c), x, None, length=3)[0]

    f = with_rule(loop)
    for g in (f, jax.jit(f), lambda x: jax.vmap(f)(jnp.stack([x, x]))[0]):
        value, slope = jax.value_and_grad(g)(0.5)
        np.testing.assert_allclose([value, slope], jax.value_and_grad(loop)(0.5), rtol=1e-6)
        second = jax.grad(jax.grad(g))(0.5)
        np.testing.assert_allclose(second, jax.grad(jax.grad(loop))(0.5), rtol=1e-5)


def test_nothing_is_kept_of_a_call():
    jaxpr = jax.make_jaxpr(forwards)(1.0)
    assert jaxpr.eqns[0].params["jvp_jaxpr_fun"].__name__ == "forwards_jvp"
    assert not jaxpr.consts
