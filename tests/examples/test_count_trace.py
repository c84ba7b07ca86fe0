"""The count is right in, under and around everything that carries a program."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from examples.count_trace import count_operations
from minijax import lax

X = np.float32(1.5)
XS = np.array([0.5, 1.5, 4.0], np.float32)


@jax.custom_jvp
def cube(x):
    return lax.mul(lax.mul(x, x), x)


cube.defjvp(lambda primals, tangents: (cube(*primals), 7.0 * tangents[0]))  # wrong, to be known by


@jax.custom_vjp
def shifted(x):
    return lax.sin(x)


shifted.defvjp(lambda x: (lax.sin(x), None), lambda _, ct: (11.0 * ct,))


def doubled_until(x):
    """One operation while x is below 8, and the comparison each time, and once more."""
    return lax.while_loop(lambda y: lax.lt(y, np.float32(8)), lambda y: lax.add(y, y), x)


def five_sines(x):
    return lax.scan(lambda c, _: (lax.sin(c), None), x, length=5)[0]


def whiles_in_a_scan(x):
    return lax.scan(lambda c, y: (lax.add(c, doubled_until(y)), None), x, XS)[0]


def one_or_three(x):
    return lax.cond(lax.gt(x, np.float32(1)), lambda y: lax.sin(lax.sin(lax.sin(y))), lax.cos, x)


CASES = [  # a function, and the count of it at X
    (lax.sin, 1),
    (jax.jit(lambda x: lax.mul(lax.sin(x), x)), 2),
    (jax.jit(lambda x: jax.jit(cube)(cube(x))), 4),
    (cube, 2),
    (shifted, 1),
    (jax.nn.relu, 1),
    (five_sines, 5),
    (doubled_until, 3 + 4),
    (whiles_in_a_scan, (4 + 5) + (3 + 4) + (1 + 2) + 3),
    (one_or_three, 1 + 1 + 3),
]
IDS = ["sin", "jit", "nested", "jvp", "vjp", "relu", "scan", "while", "both", "cond"]
each_case = pytest.mark.parametrize("fun, count", CASES, ids=IDS)


@each_case
def test_the_count_and_the_result(fun, count):
    out, got = count_operations(fun)(X)
    assert int(got) == count
    np.testing.assert_array_equal(out, fun(X))


@each_case
def test_inside_jit(fun, count):
    out, got = jax.jit(lambda x: count_operations(fun)(x))(X)
    assert int(got) == count
    np.testing.assert_allclose(out, fun(X), rtol=1e-6)


@each_case
def test_around_jit(fun, count):
    assert int(count_operations(jax.jit(fun))(X)[1]) == count


@each_case
def test_under_vmap_each_example_has_its_count(fun, count):
    out, got = jax.vmap(count_operations(fun))(XS)
    np.testing.assert_allclose(out, jax.vmap(fun)(XS), rtol=1e-6)
    alone = [int(count_operations(fun)(x)[1]) for x in XS]
    np.testing.assert_array_equal(np.broadcast_to(got, 3), alone)


@pytest.mark.parametrize("fun", [fun for fun, _ in CASES if fun is not shifted])
def test_the_derivative_of_what_is_counted(fun):
    """Users' rules stay with their functions."""
    one = np.float32(1)
    (_, count), (slope, _) = jax.jvp(count_operations(fun), (X,), (one,))
    assert int(count) == dict(CASES)[fun]
    np.testing.assert_allclose(slope, jax.jvp(fun, (X,), (one,))[1], rtol=1e-5)


@pytest.mark.parametrize("fun", [cube, shifted, five_sines, one_or_three, jax.nn.relu])
def test_the_gradient_of_what_is_counted(fun):
    gradient = jax.grad(lambda x: count_operations(fun)(x)[0])
    np.testing.assert_allclose(gradient(X), jax.grad(fun)(X), rtol=1e-5)
    np.testing.assert_allclose(jax.jit(gradient)(X), jax.grad(fun)(X), rtol=1e-5)


def test_a_gradient_is_counted():
    out, got = count_operations(jax.grad(cube))(X)
    assert float(out) == 7.0 and int(got) > 0


def test_counts_nest():
    (out, inner), outer = count_operations(count_operations(five_sines))(X)
    assert int(inner) == 5 and int(outer) >= 5
    np.testing.assert_allclose(out, five_sines(X), rtol=1e-6)


def test_pytrees():
    out, got = count_operations(lambda d: {"y": lax.add(d["a"], d["b"])})({"a": 1.0, "b": 2.0})
    assert float(out["y"]) == 3.0 and int(got) == 1


def test_what_carries_a_program_and_has_no_rule_is_refused():
    with pytest.raises(NotImplementedError, match="remat2 carries a program. Add it"):
        count_operations(jax.checkpoint(jnp.sin))(X)
