"""Composites in programs: in loops, under transformations of what is around them, and as text."""

from functools import partial

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from kernel_runs import interpreted
from minijax import lax
from minijax.compiler.executable import Executable
from minijax.core.jitting import CompileOptions
from minijax.lax.custom.composites import HashableArray

F = jnp.arange(3.0)


@partial(lax.composite, name="my.scaled", version=3)
def scaled(x, /, *, by, of=None):
    return {"out": x * np.sum(by), "in": x}


def test_a_loop_with_one_is_one_kernel():
    def f(x):
        return lax.fori_loop(0, 3, lambda i, x: scaled(x + i, by=2.0)["out"], x)

    closed = jax.make_jaxpr(f)(F)
    program = Executable(closed, CompileOptions("program", ()))
    assert len(program.steps) == 1 and None not in program.sources
    np.testing.assert_array_equal(program(F)[0], interpreted(closed, F)[0])


@pytest.mark.usefixtures("on_numba")
def test_unused_results_go_with_the_whole():
    closed = jax.make_jaxpr(lambda x: scaled(x, by=1)["in"])(F)
    [eqn] = closed.eqns
    assert len(eqn.outvars) == 2  # as JAX has it: the operation is whole, or it is not there
    assert "mul" not in jax.jit(lambda x: scaled(x, by=1)["in"]).lower(F).compile().as_text()


def test_attributes_are_compared_by_value():
    one, other = (HashableArray(np.arange(n)) for n in (3, 4))
    assert one == HashableArray(np.arange(3)) != other and len({one, HashableArray(one.val)}) == 1
    assert one != HashableArray(np.arange(3.0)) and one != "text"
    given = np.arange(3)
    closed = jax.make_jaxpr(lambda x: scaled(x, by=given))(F)
    given[0] = 100
    [(name, [kept], tree)] = closed.eqns[0].params["attributes"]
    assert (name, kept, str(tree)) == ("by", one, "PyTreeDef(*)")
    with pytest.raises(ValueError):
        kept.val[0] = 1


def test_what_is_around_one_is_transformed():
    def f(x, y):
        return x * scaled(lax.stop_gradient(y), by=(2, 1))["out"]

    assert jax.grad(f)(2.0, 5.0) == 15
    assert jax.vmap(f, (0, None))(F, 5.0).tolist() == [0, 15, 30]
    assert jax.jit(jax.grad(f))(2.0, 5.0) == 15
    with pytest.raises(NotImplementedError, match="batching"):
        jax.vmap(f, (None, 0))(2.0, F)
