"""Repeated scalars, shapes in a row, and sums over axes of size 1."""

import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from simplified_programs import FLOATS, primitives, simplified

pytestmark = pytest.mark.usefixtures("module_on_numpy")


def test_a_repeated_scalar_stands_for_itself():
    closed = simplified(lambda x, s: x * jnp.full(3, 2.0) + jnp.broadcast_to(s, (3,)),
                        jnp.ones(3), 2.5)  # fmt: skip
    assert primitives(closed) == ["mul", "add"]
    closed = simplified(lambda s: jnp.exp(jnp.broadcast_to(s, (50,)) * 2) - 1, jnp.float32(0.5))
    assert primitives(closed) == ["mul", "exp", "sub", "broadcast_in_dim"]
    assert [eqn.outvars[0].aval.shape for eqn in closed.eqns] == [(), (), (), (50,)]


def test_a_repeated_scalar_that_sets_the_shape_comes_after():
    def f(x):
        return lax.mul(x, lax.broadcast_in_dim(2.0, (3,), ()))

    assert primitives(simplified(f, jnp.ones(1))) == ["mul", "broadcast_in_dim"]


def test_shapes_in_a_row_are_one():
    x = jnp.arange(24.0).reshape(2, 3, 4)
    one = simplified(lambda x: lax.transpose(lax.transpose(x, (2, 0, 1)), (1, 0, 2)), x)
    assert primitives(one) == ["transpose"]
    assert primitives(simplified(lambda x: x.reshape(6, 4)[None].reshape(24), x)) == ["reshape"]
    y = jnp.ones(3)
    twice = simplified(lambda y: jnp.broadcast_to(jnp.broadcast_to(y, (1, 3)), (4, 5, 3)), y)
    assert primitives(twice) == ["broadcast_in_dim"]


def test_what_is_repeated_is_computed_before():
    def f(x):
        return jnp.exp(x * jnp.ones((4, 3)))

    closed = simplified(f, jnp.ones((1, 3)))
    assert primitives(closed) == ["broadcast_in_dim", "exp"]
    assert closed.eqns[0].invars == closed.invars


def test_sums_over_axes_of_size_one():
    x = jnp.array([[0.0], [-0.0], [-jnp.inf], [jnp.nan]])
    for dtype in FLOATS:
        with jax.enable_x64(True):
            closed = simplified(lambda x: lax.reduce_sum(x, (1,)), x.astype(dtype))
            assert primitives(closed) == ["add", "reshape"]
    ints = simplified(lambda x: jnp.sum(x, 1), jnp.ones((3, 1), int))
    assert primitives(ints) == ["reshape"]
    assert primitives(simplified(lambda x: lax.reduce_sum(x, (0,)), jnp.ones((0, 1)))) != []
