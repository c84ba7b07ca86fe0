"""Effects: what an operation does beside its results is done, once, in order, in every program."""

from dataclasses import dataclass

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.core.extend import (
    ClosedJaxpr,
    Effect,
    NamedAxisEffect,
    Primitive,
    check_jaxpr,
    dce_jaxpr,
    primitive_batchers,
    primitive_jvps,
    primitive_transposes,
)


@dataclass(frozen=True)
class Log(Effect):
    name: str


# log: the value that it is given, and a line in a book. Tangents pass by unseen.

book = []
log_p = Primitive("log_value")


def log(x, name="log"):
    return log_p.bind(x, name=name)


@log_p.def_impl
def _log_impl(x, *, name):
    book.append((name, np.asarray(x).tolist()))
    return x


log_p.def_effectful_abstract_eval(lambda x, *, name: (x, frozenset([Log(name)])))
primitive_batchers[log_p] = lambda args, dims, *, name: (log(*args, name), dims[0])
primitive_jvps[log_p] = lambda primals, tangents, *, name: (log(*primals, name), tangents[0])


@pytest.fixture(autouse=True)
def new_book():
    book.clear()


def f(x):
    y = log(lax.sin(x), "first")
    log(lax.mul(x, y), "second")  # its result is used by nobody
    return lax.mul(y, y)


SIN = np.sin(np.float32(0.5))
BOTH = [("first", float(SIN)), ("second", float(np.float32(0.5) * SIN))]


@pytest.mark.parametrize("transform", [
    lambda f: f, jax.jit, jax.grad, lambda f: jax.grad(jax.jit(f)), lambda f: jax.jit(jax.grad(f)),
    lambda f: jax.jit(jax.grad(jax.jit(f))), lambda f: jax.grad(jax.grad(jax.jit(f))),
    lambda f: lambda x: jax.jvp(jax.jit(f), (x,), (x,)),
    lambda f: lambda x: jax.linearize(jax.jit(f), x)[1](x),
    lambda f: jax.jit(lambda x: jax.vjp(f, x)[1](x)), lambda f: jax.value_and_grad(jax.jit(f)),
    lambda f: jax.jit(lambda x: (jax.jit(f)(x), x)[1]),
])  # fmt: skip
def test_what_has_an_effect_is_done_once_and_in_order(transform):
    transform(f)(0.5)
    assert [name for name, _ in book] == ["first", "second"]
    np.testing.assert_allclose([x for _, x in book], [x for _, x in BOTH], rtol=1e-6)


def test_under_vmap_for_all_examples_at_once():
    for g in (f, jax.jit(f)):
        book.clear()
        jax.vmap(jax.grad(g))(np.array([0.5, 1.0], np.float32))
        assert [name for name, _ in book] == ["first", "second"]
        np.testing.assert_allclose(book[0][1], np.sin([0.5, 1.0]), rtol=1e-6)


def test_equations_and_jaxprs_carry_effects():
    closed = jax.make_jaxpr(f)(0.5)
    assert [eqn.effects for eqn in closed.eqns] == [
        frozenset(), {Log("first")}, frozenset(), {Log("second")}, frozenset()
    ]
    assert closed.effects == closed.jaxpr.effects == {Log("first"), Log("second")}
    nested = jax.make_jaxpr(jax.jit(jax.jit(f)))(0.5)
    assert nested.effects == nested.eqns[0].effects == closed.effects
    assert jax.make_jaxpr(lax.sin)(0.5).effects == frozenset()
    assert jax.jit(f).trace(0.5).jaxpr.effects == closed.effects


@pytest.mark.parametrize("transform", [
    jax.grad, lambda f: jax.grad(jax.jit(f)), lambda f: jax.grad(jax.grad(jax.jit(f))),
    lambda f: lambda x: jax.vmap(f)(jnp.stack([x])), lambda f: jax.jit(lambda x: (f(x), x)[1]),
])  # fmt: skip
def test_transformed_programs_have_them_too(transform):
    closed = jax.make_jaxpr(transform(f))(0.5)
    check_jaxpr(closed)
    assert closed.effects == {Log("first"), Log("second")}


def test_dce_keeps_them_and_what_they_need():
    for g, names in [(f, ["sin", "log_value", "mul", "log_value"]), (jax.jit(f), ["jit"])]:
        closed = jax.make_jaxpr(g)(0.5)
        jaxpr, used = dce_jaxpr(closed.jaxpr, [False])
        assert [str(eqn.primitive) for eqn in jaxpr.eqns] == names and used == [True]
        assert jaxpr.effects == closed.effects
        check_jaxpr(ClosedJaxpr(jaxpr, closed.consts))


def test_dce_leaves_out_what_only_names_an_axis():
    """psum depends on where it stands, and does nothing there that anyone could miss."""
    found = []

    def g(x):
        closed = jax.make_jaxpr(lambda x: (lax.psum(x, "i"), x))(x)
        found.append(closed)
        return x

    jax.vmap(g, axis_name="i")(np.ones(3, np.float32))
    assert found[0].effects == {NamedAxisEffect("i")}
    jaxpr, _ = dce_jaxpr(found[0].jaxpr, [False, True])
    assert jaxpr.eqns == [] and jaxpr.effects == frozenset()


def test_an_effect_of_the_linear_program():
    """What a tangent passes is logged where the linear program runs, each time that it does."""
    shout_p = Primitive("shout")
    shout_p.def_impl(lambda x: book.append(("shout", np.asarray(x).tolist())) or x)
    shout_p.def_effectful_abstract_eval(lambda x: (x, frozenset([Log("shout")])))
    primitive_jvps[shout_p] = lambda primals, tangents: (primals[0], shout_p.bind(tangents[0]))
    primitive_transposes[shout_p] = lambda ct, x: [shout_p.bind(ct)]
    y, f_jvp = jax.linearize(jax.jit(lambda x: shout_p.bind(lax.mul(x, x))), 3.0)
    assert book == []
    f_jvp(1.0), f_jvp(2.0)
    assert book == [("shout", 6.0), ("shout", 12.0)]
    book.clear()
    jax.grad(lambda x: shout_p.bind(lax.mul(x, x)))(3.0)
    assert book == [("shout", 1.0)]


def test_a_rule_without_effects_is_one_with_none():
    plain_p = Primitive("plain")
    plain_p.def_abstract_eval(lambda x: x)
    aval = jax.typeof(jnp.ones(3))
    assert plain_p.abstract_eval(aval) == (aval, frozenset())
