"""jit(f).trace(*args): the program that a call would run, before it runs."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.core.extend import ClosedJaxpr, check_jaxpr, jaxpr_as_fun
from minijax.core.jitting import Traced
from minijax.tree_util import tree_flatten, tree_leaves, tree_structure, tree_unflatten

ran = []


@jax.jit
def model(params, x, *, scale=1.0):
    """A linear layer."""
    ran.append(x)
    y = jnp.tanh(x @ params["w"] + params["b"])
    return {"y": y * scale, "parts": (jnp.sum(y), x.shape[0])}


PARAMS = {"w": jnp.ones((3, 2)), "b": jnp.zeros(2)}
X = jnp.ones((4, 3))


def test_what_a_trace_knows():
    traced = model.trace(PARAMS, X, scale=2.0)
    assert type(traced) is Traced and type(traced.jaxpr) is ClosedJaxpr
    check_jaxpr(traced.jaxpr)
    assert traced.fun_name == "model"
    assert traced.in_tree == tree_structure(((PARAMS, X), {"scale": 2.0}))
    assert traced.out_tree == tree_structure({"y": 0, "parts": (0, 0)})
    assert [aval.shape for aval in tree_leaves(traced.in_avals)] == [(2,), (3, 2), (4, 3), ()]
    assert [aval.shape for aval in tree_leaves(traced.out_avals)] == [(), (), (4, 2)]
    assert traced.out_info["y"] == jax.ShapeDtypeStruct((4, 2), "float32")
    assert traced.out_info["parts"][1] == jax.ShapeDtypeStruct((), "int32", weak_type=True)


def test_calling_is_tracing_and_then_running():
    traced = model.trace(PARAMS, X, scale=2.0)
    leaves, in_tree = tree_flatten(((PARAMS, X), {"scale": 2.0}))
    assert in_tree == traced.in_tree
    got = tree_unflatten(traced.out_tree, jaxpr_as_fun(traced.jaxpr)(*leaves))
    want = model(PARAMS, X, scale=2.0)
    np.testing.assert_allclose(got["y"], want["y"], rtol=1e-6)  # NumPy's tanh, and the compiler's
    assert got["parts"][1] == 4


def test_a_trace_is_shared_with_calls_and_make_jaxpr():
    ran.clear()
    x = jnp.ones((5, 3))
    traced = model.trace(PARAMS, x)
    model(PARAMS, x), model.eval_shape(PARAMS, x)
    assert model.trace(PARAMS, x).jaxpr is traced.jaxpr and len(ran) == 1
    assert jax.make_jaxpr(model)(PARAMS, x).eqns[0].params["jaxpr"] is traced.jaxpr
    model.clear_cache()
    assert model.trace(PARAMS, x).jaxpr is not traced.jaxpr and len(ran) == 2


def test_shapes_may_stand_for_arrays():
    like = jax.tree.map(lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype), (PARAMS, X))
    assert model.trace(*like).jaxpr is model.trace(PARAMS, X).jaxpr
    assert model.eval_shape(*like) == model.trace(PARAMS, X).out_info
    with pytest.raises(TypeError):
        model(*like)


def test_static_arguments_are_part_of_it():
    f = jax.jit(lambda n, x: lax.integer_pow(x, n), static_argnums=0)
    cube, square = f.trace(3, 2.0), f.trace(2, 2.0)
    assert "y=3" in str(cube.jaxpr) and "y=2" in str(square.jaxpr)
    assert len(tree_leaves(cube.in_avals)) == 1 and cube.out_avals == square.out_avals


def test_inside_another_trace():
    """A program that closes over a tracer has it among its constants."""
    def f(x):
        traced = jax.jit(lambda y: lax.mul(y, x)).trace(2.0)
        assert traced.jaxpr.consts[0] is x and traced.out_info.shape == ()
        return lax.sin(x)

    np.testing.assert_allclose(jax.grad(f)(0.5), np.cos(0.5), rtol=1e-6)


def test_errors_come_from_tracing():
    with pytest.raises(TypeError):
        model.trace(PARAMS, jnp.ones((4, 4)))
    with pytest.raises(TypeError, match="x"):
        model.trace(PARAMS, "x")


def test_its_name_and_docstring_are_the_functions():
    assert (model.__name__, model.__doc__) == ("model", "A linear layer.")
    assert model.__wrapped__ is model._fun and "PjitFunction" in repr(model)
