"""Tokens under every transformation, in loops and branches, and where an array is expected."""

import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.core.extend import check_jaxpr
from minijax.lax.tokens import Token, abstract_token

T = lax.create_token()


def in_order(token, x):
    token = lax.after_all(token, lax.create_token())
    return token, x * x


def looped(token, x):
    return lax.fori_loop(0, 3, lambda i, c: in_order(*c), (token, x))


def chosen(token, x):
    return lax.cond(x > 1, in_order, lambda token, x: (lax.after_all(token), x), token, x)


FUNCTIONS = [in_order, looped, chosen, jax.checkpoint(in_order)]


@pytest.mark.parametrize("f", FUNCTIONS)
def test_it_goes_through(f):
    for g in (f, jax.jit(f)):
        token, y = g(T, 2.0)
        assert type(token) is Token and y == f(T, 2.0)[1]
        if f is not chosen:  # of two tokens none is chosen for each example
            token, ys = jax.vmap(g, (None, 0), (None, 0))(T, jnp.array([2.0, 3.0]))
            assert type(token) is Token and ys[0] == y
        if f is not looped:
            assert jax.grad(lambda x, g=g: g(T, x)[1])(2.0) == 4
        assert jax.jvp(lambda x, g=g: g(T, x)[1], (2.0,), (1.0,))[0] == y
    closed = jax.make_jaxpr(f)(T, 2.0)
    check_jaxpr(closed)
    assert closed.in_avals[0] is closed.out_avals[0] is abstract_token
    assert "a:Tok b:f32[]" in str(closed)


@pytest.mark.parametrize("misuse", [
    lambda: jax.vmap(lambda t: t)(T), lambda: jax.grad(lambda t: 1.0)(T), lambda: jnp.sin(T),
    lambda: jax.jvp(lax.after_all, (T,), (T,)), lambda: T + 1, lambda: lax.after_all(1.0),
    lambda: jax.jit(lambda t: t + 1)(T), lambda: jnp.zeros(3).at[T].get(), lambda: jnp.array([T]),
])  # fmt: skip
def test_it_is_no_array(misuse):
    with pytest.raises((TypeError, AttributeError, NotImplementedError)) as error:
        misuse()
    assert "oken" in str(error.value)
