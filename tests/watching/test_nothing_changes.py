"""A watched function computes the same bits, and its programs are the same, as without."""

from itertools import product

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax, random

X = jnp.array([0.3, 0.9, 1.7])


@jax.custom_jvp
def with_jvp(x):
    return jnp.sin(x) * x


with_jvp.defjvps(lambda t, ans, x: 2 * t * jnp.cos(x))


@jax.custom_vjp
def with_vjp(x):
    return jnp.exp(x) * x


with_vjp.defvjp(lambda x: (with_vjp(x), x), lambda x, ct: (ct * jnp.sin(x),))


def scanned(x):
    return lax.scan(lambda c, y: (c * y + jnp.sin(c), c), x[0], x)[1]


def chosen(x):
    return lax.cond(x[0] > 0.5, lambda y: jnp.exp(y), lambda y: y * 3, x)


def plain(x):
    return jnp.tanh(x[::-1]) ** 2 + x.at[1].add(x[2])


def of_library(x):
    return jax.nn.softmax(x) * random.normal(random.key(3), (3,)) @ jnp.ones((3, 3))


FUNCTIONS = [
    plain, scanned, chosen, with_jvp, with_vjp,
    jax.checkpoint(lambda x: jnp.sin(jnp.sin(x))),
]  # fmt: skip
AROUND = {
    "jit": jax.jit,
    "vmap": lambda f: lambda x: jax.vmap(f)(jnp.stack([x, 2 * x]))[1],
    "grad": lambda f: jax.grad(lambda x: jnp.sum(f(x))),
    "jvp": lambda f: lambda x: jax.jvp(f, (x,), (2 * x,))[1],
    "linearize": lambda f: lambda x: jax.linearize(f, x)[1](x),
}
FORWARDS = {"jvp", "linearize"}


def nested(names, f):
    for name in reversed(names):
        f = AROUND[name](f)
    return f


def bits(x):
    return [(y.aval, np.asarray(y).tobytes()) for y in jax.tree.leaves(x)]


def check(names, f):
    fun = nested(names, f)
    expected = bits(fun(X))
    w = jax.watch(fun)(X)
    assert len(w) and bits(w.result) == expected == bits(fun(X)), names
    program = jax.make_jaxpr(fun)
    assert str(jax.watch(program)(X).result) == str(program(X)), names


def cases(f, depth):
    """Nestings for a function: one with a backward rule only has no forward derivative."""
    for names in product(AROUND, repeat=depth):
        if f is not with_vjp or FORWARDS.isdisjoint(names):
            yield names


@pytest.mark.parametrize("f", FUNCTIONS)
def test_operation_by_operation(on_numpy, f):
    for names in cases(f, 2):
        check(names, f)


@pytest.mark.parametrize("f", [*FUNCTIONS, of_library])
def test_compiled(f):
    for names in cases(f, 1):
        check(("jit", *names), f)
    check((), f)
