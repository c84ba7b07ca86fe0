"""A choice between an array and an update of it becomes an update."""

from functools import partial

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.compiler.passes.simplify import simplify
from minijax.core.staging import jaxpr_as_fun
from minijax.lax.indexing import chosen_updates  # noqa: F401  (loops import it)

X = np.arange(60, dtype=np.float32)
XS = np.stack([X, -X, X + 0.5])
KEEP, AT = np.array([True, False, True]), np.array([4, 70, 58])

UPDATES = {
    "of one number": lambda x, i: x.at[i].set(1.5),
    "of some, one of them twice": lambda x, i: x.at[jnp.stack([i, i + 1, i])].set(
        jnp.arange(3.0), mode="drop"),
    "of a slice": lambda x, i: lax.dynamic_update_slice(x, jnp.full(3, 1.5), (i,)),
    "of a row": lambda x, i: x.reshape(12, 5).at[i].set(7.0, mode="clip").reshape(60),
    "of columns": lambda x, i: lax.dynamic_update_slice(
        x.reshape(2, 30), jnp.full((2, 3), 1.5), (0, i)).reshape(60),
}  # fmt: skip


def choose(update, is_new, x, keep, i):
    x = jnp.asarray(x) * 1  # what is updated may be written over
    new = update(x, i)
    return jnp.where(keep, new, x) if is_new else jnp.where(keep, x, new)


def simplified(fun, *args):
    return simplify(jax.make_jaxpr(fun)(*args))


def sizes_chosen(closed):
    """How many numbers each choice between floats looks at."""
    return [v.aval.size for eqn in closed.eqns for v in eqn.outvars
            if eqn.primitive is lax.select_n_p and v.aval.dtype == "float32"]  # fmt: skip


@pytest.mark.parametrize("is_new", [True, False])
@pytest.mark.parametrize("name", ["of one number", "of some, one of them twice", "of a slice"])
def test_what_is_written_is_chosen(name, is_new):
    f = partial(choose, UPDATES[name], is_new)
    for fun, args in [(f, (X, KEEP[0], AT[0])), (jax.vmap(f), (XS, KEEP, AT)),
                      (jax.vmap(f), (XS[:1], KEEP[:1], AT[:1])),
                      (jax.vmap(f, (0, 0, None)), (XS, KEEP, AT[0]))]:  # fmt: skip
        closed = simplified(fun, *args)
        assert max(sizes_chosen(closed)) * 8 <= np.size(args[0])
        assert np.array_equal(jaxpr_as_fun(closed)(*args)[0], fun(*args))


@pytest.mark.parametrize("name", UPDATES)
def test_loops_compute_the_same(backend, name):
    def loop(x, keep, i):
        def body(carry):
            j, x = carry
            return j + 1, choose(UPDATES[name], True, x, keep & (j % 2 == 0), i + j)

        return lax.while_loop(lambda carry: carry[0] < i % 7 + 2, body, (0, x))[1]

    one_by_one = [loop(*args) for args in zip(XS, KEEP, AT, strict=True)]
    assert np.array_equal(jax.jit(jax.vmap(loop))(XS, KEEP, AT), one_by_one)
    assert np.array_equal(jax.jit(loop)(XS[0], KEEP[0], AT[0]), one_by_one[0])
    alone = jax.jit(jax.vmap(loop))(XS[:1], KEEP[:1], AT[:1])
    assert np.array_equal(alone, one_by_one[:1])


def test_what_is_chosen_number_by_number_stays():
    def each(x, keep):
        return jnp.where(keep, x.at[3].set(1.0), x)

    closed = simplified(each, X, X > 2)
    assert sizes_chosen(closed) == [60]

    def large(x, keep):
        return jnp.where(keep, lax.dynamic_update_slice(x, jnp.zeros(30), (2,)), x)

    assert sizes_chosen(simplified(large, X, KEEP[0])) == [60]
