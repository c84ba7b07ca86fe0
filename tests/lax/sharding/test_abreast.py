"""Devices abreast: one program of all of them gives what each would give by itself."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.core.staging import jaxpr_as_fun
from minijax.lax.sharding import abreast as module
from minijax.lax.sharding import device_programs
from minijax.lax.sharding.abreast import abreast, distinct, numbered, spread

P = jax.P
MESH = jax.make_mesh((4, 2), ("x", "y"), axis_types=(jax.sharding.AxisType.Auto,) * 2)
X = np.arange(16, dtype=np.float32).reshape(8, 2) / 8
XY = P("x", "y")
RING = [(i, (i + 1) % 4) for i in range(4)]


def test_a_pattern_says_which_values_are_one():
    values = ["a", "b", "a", "c"]
    pattern = numbered(values)
    assert pattern == (0, 1, 0, 2) and distinct(values, pattern) == ["a", "b", "c"]
    assert spread("abcd", [pattern, (0, 0, 0, 0)]) == [values, ["d"] * 4]


def while_summed(x):
    def body(state):
        n, total = state
        return n + 1, total + lax.psum(total, "x")

    return lax.while_loop(lambda state: state[0] < 3, body, (0, x))[1]


def scan_in_a_ring(x):
    def turn(state, n):
        k, total, steps = state
        return (lax.ppermute(k, "x", RING), total + k * n, steps + 1), lax.pmax(k, "y")

    (_, total, steps), rows = lax.scan(turn, (x, 0 * x, 0), jnp.arange(3.0))
    return total + rows.sum(0) * steps


def branch_on_a_sum(x):
    return lax.cond(lax.psum(x.sum(), ("x", "y")) > 1, lambda: lax.psum(x, "x"), lambda: -x)


def keys(x):
    key = jax.random.fold_in(jax.random.key(0), lax.axis_index("x"))
    theirs = lax.ppermute(key, "x", RING[:3])
    all_keys = lax.all_gather(key, "x")
    return x + jax.random.uniform(theirs) + jax.random.uniform(all_keys[2])


BODIES = {
    "sums": lambda x: lax.psum(x, "x") * lax.pmean(x, ("x", "y")) + lax.pmin(x, "y"),
    "groups": lambda x: x + lax.psum(x, "x", axis_index_groups=[(0, 3), (1, 2)]),
    "gathers": lambda x: lax.all_gather(x, "y", axis=1, tiled=True)[:, :1] * lax.axis_index("y"),
    "scatters": lambda x: lax.psum_scatter(jnp.tile(x, (2, 1)), "y", tiled=True),
    "exchanges": lambda x: lax.all_to_all(jnp.tile(x, (2, 1)), "x", 0, 1, tiled=True)[:, :1],
    "moves": lambda x: lax.ppermute(x, "x", RING[:2]) - lax.pbroadcast(x, "y", 1),
    "examples": jax.vmap(lambda row: lax.pmax(row, ("x", "i")) + row, axis_name="i"),
    "while": while_summed, "scan": scan_in_a_ring, "cond": branch_on_a_sum, "keys": keys,
    "grad": jax.grad(lambda x: lax.psum(jnp.sin(x) * x.sum(), "x").sum()),
}  # fmt: skip


@pytest.mark.parametrize("name", BODIES)
def test_bodies_are_what_threads_compute(name, monkeypatch):
    f = BODIES[name]
    run = lambda: jax.jit(  # noqa: E731
        jax.shard_map(lambda x: f(x), mesh=MESH, in_specs=XY, out_specs=XY, check_vma=False)
    )(X)
    with monkeypatch.context() as refused:
        refused.setattr(device_programs, "run_on_devices", None)
        found = run()
    monkeypatch.setattr(module, "MOST", 0)
    np.testing.assert_allclose(found, run(), rtol=1e-6, atol=1e-6)


SIZES = (("x", 2),)
OWN, ALIKE = (0, 1), (0, 0)


def program(f, *args):
    mesh = jax.make_mesh((2,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
    body = jax.shard_map(f, mesh=mesh, in_specs=P("x"), out_specs=P("x"), check_vma=False)
    [eqn] = jax.make_jaxpr(body)(*args).eqns
    return device_programs.plain_program(eqn.params["jaxpr"])


def test_what_devices_have_alike_is_computed_once():
    closed = program(lambda x, w: (x * jnp.sin(w), jnp.cos(lax.psum(x, "x"))), X, X)
    made = abreast(closed, SIZES, (OWN, ALIKE))
    names = [str(eqn.primitive) for eqn in made.program.eqns]
    assert sorted(names) == ["add", "cos", "mul", "mul", "sin"]
    assert made.out_patterns == [OWN, ALIKE] and len(made.program.outvars) == 3
    a, b, w = X[:4], X[4:], X[:4]
    found = spread(jaxpr_as_fun(made.program)(a, b, w), made.out_patterns)
    np.testing.assert_allclose(found[0], [a * np.sin(w), b * np.sin(w)], rtol=1e-6)
    np.testing.assert_allclose(found[1], [np.cos(a + b)] * 2, rtol=1e-5)


def test_a_carry_that_differs_after_a_step_has_a_variable_for_each_device():
    def f(x, w):
        return lax.scan(lambda c, _: (c + lax.psum(w, "x") * x, None), w, None, length=3)[0]

    made = abreast(program(f, X, X), SIZES, (OWN, ALIKE))
    assert made.out_patterns == [OWN]
    [scan] = [eqn for eqn in made.program.eqns if str(eqn.primitive) == "scan"]
    assert scan.params["num_carry"] == 2 and scan.params["num_consts"] == 3


def go_different_ways(x):
    return lax.cond(x[0, 0] > 0, lambda: lax.psum(x, "x"), lambda: x)


def stop_at_different_steps(x):
    return lax.while_loop(lambda x: x.sum() < 9, lambda x: x + lax.psum(x, "x"), x)


def have_an_effect(x):
    jax.debug.callback(lambda x: None, x)
    return x


@pytest.mark.parametrize("f", [go_different_ways, stop_at_different_steps, have_an_effect])
def test_devices_that_may_go_different_ways_are_no_one_program(f):
    assert abreast(program(f, X), SIZES, (OWN,)) is None
    assert abreast(program(lambda x: 2 * lax.psum(x, "x"), X), SIZES, (OWN,)) is not None


def test_a_long_program_is_run_by_threads(monkeypatch):
    monkeypatch.setattr(module, "MOST", 5)
    assert abreast(program(lambda x: lax.psum(jnp.sin(x), "x") * 2, X), SIZES, (OWN,)) is None
    assert abreast(program(lambda x: lax.psum(x, "x") * 2, X), SIZES, (OWN,)) is not None
