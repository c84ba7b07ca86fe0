"""What programs inside of others need not compute or hold by themselves."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.compiler.passes.rewriting import LIMIT
from simplified_programs import inner_programs, primitives, simplified

pytestmark = pytest.mark.usefixtures("module_on_numpy")


def test_a_scan_keeps_what_changes():
    def f(w, xs):
        def step(carry, x):
            scale = jnp.exp(w) * jnp.cos(2.0)
            return carry + scale * x * 1.0, jnp.sum(w)

        return lax.scan(step, jnp.zeros(3), xs)

    closed = simplified(f, jnp.ones(3), jnp.arange(12.0).reshape(4, 3))
    [eqn] = [eqn for eqn in closed.eqns if eqn.primitive.name == "scan"]
    assert primitives(eqn.params["jaxpr"]) == ["mul", "add"] and eqn.params["num_consts"] == 2
    assert eqn.params["jaxpr"].consts == []


def test_a_while_loop_keeps_what_changes():
    def f(w, x):
        return lax.while_loop(lambda x: jnp.sum(x) < jnp.exp(jnp.sum(w)),
                              lambda x: jax.jit(jnp.add)(x, jnp.sin(w) + 1.5), x)  # fmt: skip

    for x in (jnp.ones(3), jnp.full(3, 100.0)):  # some steps, none
        closed = simplified(f, jnp.ones(3), x)
        [eqn] = [eqn for eqn in closed.eqns if eqn.primitive.name == "while"]
        assert primitives(eqn.params["body_jaxpr"]) == ["add"]
        assert primitives(eqn.params["cond_jaxpr"]) == ["reduce_sum", "lt"]


def test_out_of_loops_in_loops():
    def f(w):
        return lax.fori_loop(
            0, 3, lambda i, x: lax.fori_loop(0, 2, lambda j, x: x * jnp.sin(w) + i, x), w
        )

    closed = simplified(f, jnp.ones(3))
    found = [name for name in primitives(closed) if name in ("sin", "scan")]
    assert found == ["sin", "scan", "scan"]


def test_what_is_cheap_to_make_stays_in_the_loop():
    def f(s, xs):
        def step(carry, x):
            return carry + x[jnp.broadcast_to(s, (50,))] + jnp.arange(50), None

        return lax.scan(step, jnp.zeros(50, int), xs)[0]

    closed = simplified(f, 1, jnp.arange(12).reshape(4, 3))
    [eqn] = [eqn for eqn in closed.eqns if eqn.primitive.name == "scan"]
    assert "iota" in primitives(eqn.params["jaxpr"])
    assert all(x.aval.size <= 50 for x in eqn.invars)


def test_constants_of_branches_become_their_operands():
    x = jnp.ones(3)
    table = np.linspace(0, 1, LIMIT + 5, dtype=np.float32)

    def f(p, x):
        def first(x):
            return x * (jnp.arange(3.0) + 1)

        def second(x):
            return lax.cond(p, first, lambda x: x + jnp.sum(jnp.asarray(table)), x)

        both = jax.jit(first)
        return lax.cond(p, first, second, x) + lax.switch(jnp.sum(x).astype(int), [both, both], x)

    for p in (True, False):
        closed = simplified(f, jnp.asarray(p), x)
        assert all(not inner.constvars for inner in inner_programs(closed.jaxpr))
        assert len(closed.consts) == 2


def test_large_constants_of_a_step_become_its_operands():
    table = jnp.asarray(np.linspace(0, 1, LIMIT + 5))
    closed = simplified(lambda x: lax.scan(lambda c, _: (c * table, None), x, None, 3)[0], table)
    assert len(closed.consts) == 1
