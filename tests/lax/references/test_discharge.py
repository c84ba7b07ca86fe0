"""Programs with references, and the programs of values that are made of them."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import minijax as jax
import minijax.numpy as jnp
from kernel_runs import on_backend
from lax.references.random_references import SHAPE, programs, run, run_in_numpy
from minijax.compiler.special_cases import written_in_place
from minijax.core.staging import check_jaxpr, eval_jaxpr
from minijax.lax.references.discharge import discharge_state, has_references

START = np.linspace(-1, 1, 12, dtype=np.float32).reshape(SHAPE)


def expected(steps, i):
    arrays = [START.copy(), 2 * START]
    return run_in_numpy(steps, arrays, np.float32(0.5), i), arrays


def check(found, wanted):
    out, contents = found
    np.testing.assert_allclose(out, wanted[0], rtol=2e-4, atol=1e-4)
    for x, y in zip(contents, wanted[1], strict=True):
        np.testing.assert_allclose(x, y, rtol=2e-4, atol=1e-4)


def new_refs():
    return [jax.new_ref(jnp.asarray(START)), jax.new_ref(jnp.asarray(2 * START))]


def discharged(steps, i):
    """The program of values, after it was checked, run equation by equation."""
    closed = jax.make_jaxpr(lambda refs, x, i: run(jax, steps, refs, x, i))(new_refs(), 0.5, i)
    check_jaxpr(closed)
    jaxpr, consts = discharge_state(closed.jaxpr, closed.consts)
    assert not has_references(jaxpr) and not jaxpr.effects
    check_jaxpr(jaxpr)
    with on_backend("numpy"):
        out, *contents = eval_jaxpr(jaxpr, consts, START, 2 * START, np.float32(0.5), np.int32(i))
    return out, contents


@settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
@given(programs, st.integers(0, 1))
def test_random_programs_come_to_what_numpy_does(steps, i):
    check(discharged(steps, i), expected(steps, i))


@pytest.mark.prove
@settings(max_examples=600, deadline=None, suppress_health_check=list(HealthCheck))
@given(programs, st.integers(0, 1))
def test_many_random_programs_come_to_what_numpy_does(steps, i):
    check(discharged(steps, i), expected(steps, i))


@pytest.mark.parametrize("backend", ["numba", "numpy"])
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(programs, st.integers(0, 1))
def test_so_do_compiled_ones(backend, steps, i):
    """Also where a content is held by somebody else: that stays as it was."""
    refs = new_refs()
    kept = refs[1][...]
    with on_backend(backend), pytest.MonkeyPatch.context() as patch:
        patch.setattr(written_in_place, "SMALL", 1)  # as if these were large
        out = jax.jit(lambda refs, x, i: run(jax, steps, refs, x, i))(refs, 0.5, i)
    check((out, [ref[...] for ref in refs]), expected(steps, i))
    np.testing.assert_array_equal(kept, 2 * START)


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(programs, st.integers(0, 1))
def test_and_what_is_done_outside_of_programs(steps, i):
    refs = new_refs()
    with on_backend("numpy"):
        out = run(jax, steps, refs, jnp.float32(0.5), jnp.int32(i))
    check((out, [ref[...] for ref in refs]), expected(steps, i))


def test_the_program_of_values_is_short():
    """No part is read that nobody uses, and what is only read is no carry."""

    def f(ref, table):
        def step(total, i):
            ref[i] = table[i] + total
            return total + 1.0, None

        return jax.lax.scan(step, 0.0, jnp.arange(3))[0]

    refs = jax.new_ref(jnp.zeros(3)), jax.new_ref(jnp.ones(3))
    closed = jax.make_jaxpr(f)(*refs)
    jaxpr, _ = discharge_state(closed.jaxpr, closed.consts)
    [scan] = [eqn for eqn in jaxpr.eqns if eqn.primitive.name == "scan"]
    assert (scan.params["num_consts"], scan.params["num_carry"]) == (1, 2)
    names = [eqn.primitive.name for eqn in scan.params["jaxpr"].eqns]
    assert names.count("dynamic_slice") == names.count("dynamic_update_slice") == 1
