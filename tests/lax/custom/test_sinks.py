"""What goes into a sink stays in a program, and goes when it is compiled."""

import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.core.extend import dce_jaxpr, has_effect
from minijax.lax.custom.sinks import no_dce_effect, without_sinks

F = jnp.arange(3.0)


def sunk(x):
    lax.dce_sink(jnp.sin(x))
    return x * 2


NESTED = {
    "plain": sunk, "jit": jax.jit(sunk), "checkpoint": jax.checkpoint(sunk),
    "cond": lambda x: lax.cond(x[0] > 1, sunk, lambda x: x, x),
    "scan": lambda x: lax.scan(lambda c, y: (sunk(c), sunk(y)), 0.0, x),
    "while": lambda x: lax.while_loop(lambda x: x[1] < 100, sunk, x),
    "jit in scan": lambda x: lax.scan(lambda c, y: (c * y, jax.jit(sunk)(y)), x[0], x),
}  # fmt: skip


@pytest.mark.usefixtures("on_numba")
@pytest.mark.parametrize("name", NESTED)
def test_it_stays_and_goes(name):
    closed = jax.make_jaxpr(NESTED[name])(F)
    assert closed.effects == {no_dce_effect}
    kept, _ = dce_jaxpr(closed.jaxpr, [False] * len(closed.outvars))
    assert "dce_sink" in str(kept) and "sin" in str(kept) and any(map(has_effect, kept.eqns))
    gone = without_sinks(closed)
    assert not gone.effects and "dce_sink" not in str(gone)
    text = jax.jit(NESTED[name]).lower(F).compile().as_text()
    assert "sin" not in text and "def kernel" in text
    for got, want in zip(*(jax.tree.leaves(f(F)) for f in (jax.jit(NESTED[name]), NESTED[name])),
                         strict=True):  # fmt: skip
        assert got.tolist() == want.tolist()


@pytest.mark.parametrize("name", NESTED)
def test_derivatives_and_examples(name):
    f = lambda x: sum(map(jnp.sum, jax.tree.leaves(NESTED[name](x))))  # noqa: E731
    if name != "while":
        assert jax.grad(f)(F).tolist() == jax.jit(jax.grad(f))(F).tolist()
    assert jax.jvp(f, (F,), (F,))[1].shape == ()
    if name != "cond":  # whose predicate is mapped then
        assert jax.vmap(f)(jnp.stack([F, F])).tolist() == [f(F)] * 2
