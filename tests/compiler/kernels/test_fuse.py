"""Fusing: which steps a program becomes, and that none waits for one that waits for it."""

import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax.compiler.kernels.fuse import MOST_EQUATIONS, fuse
from minijax.compiler.passes.simplify import simplify

X, W = jnp.ones((4, 5)), jnp.ones((5, 5))


def steps(fun, *args):
    return fuse(simplify(jax.make_jaxpr(fun)(*args)).jaxpr)


def names(fun, *args):
    return [str(step).split(": ")[1] for step in steps(fun, *args)]


@pytest.mark.parametrize("fun, expected", [
    (lambda x, w: jnp.sin(x) @ w + jnp.sin(x), ["sin", "dot_general", "add"]),
    (lambda x, w: jnp.exp(w @ w) * (w @ jnp.cos(w)),
     ["dot_general", "exp", "cos", "dot_general", "mul"]),
    (lambda x, w: jnp.sort(jnp.sin(x)) + jnp.sin(x) * jnp.exp(x), ["sin exp mul", "sort", "add"]),
    (lambda x, w: jnp.sin(x) - jnp.sum(jnp.sin(x), axis=0), ["sin reduce_sum", "sub"]),
])  # fmt: skip
def test_an_equation_joins_no_step_before_its_operands(fun, expected):
    assert names(fun, X, W) == expected


@pytest.mark.parametrize("fun, expected", [
    (lambda x, y: jnp.sin(x) + jnp.exp(y), ["sin exp add"]),
    (lambda x, y: (jnp.sin(x), jnp.exp(x)), ["sin exp"]),
    (lambda x, y: (jnp.sin(x) + jnp.exp(y)) * jnp.cos(x @ y.T @ x), [
        "transpose", "dot_general", "dot_general", "sin exp add cos mul"]),
])  # fmt: skip
def test_chains_that_meet_or_run_side_by_side_are_one_kernel(fun, expected):
    assert names(fun, X, X) == expected


def test_a_kernel_has_so_many_equations_at_most():
    def many(x):
        for _ in range(MOST_EQUATIONS + 30):
            x = jnp.sin(x)
        return x

    assert [len(step.eqns) for step in steps(many, X)] == [MOST_EQUATIONS, 30]
