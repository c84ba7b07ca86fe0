"""Which deleted arguments a program takes, which error the others are, and when donations that
save nothing are named. As JAX 0.10.2 answers."""

import warnings

import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import random

F = jnp.arange(3.0)


def add_one(x):
    return x + 1


def donated():
    x = F + 0
    jax.jit(lambda x: x * 2, donate_argnums=0)(x)
    return x


def deleted(x):
    x.delete()
    return x


# A program that has run: jitted, or compiled ahead of time.
MADE = {"jit": jax.jit, "compiled": lambda f, **how: jax.jit(f, **how).lower(F).compile()}


@pytest.mark.parametrize("make", MADE.values(), ids=MADE)
@pytest.mark.parametrize("how", [{}, {"donate_argnums": 0}], ids=["keeps", "donates"])
def test_a_donated_argument_is_a_value_error_once_the_first_call_went_well(make, how):
    x, y = donated(), deleted(F + 0)
    f, g = make(add_one, **how), make(lambda x: x + 2, **how)
    assert f(F + 0).tolist() == [1.0, 2.0, 3.0]
    for _ in range(2):
        with pytest.raises(ValueError, match=r"got, for x, an Array of type float32\[3\] that was"):
            f(x)
        with pytest.raises(RuntimeError, match="has been deleted"):
            f(y)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="has been deleted"):
            g(x)
        g(F + 0)


@pytest.mark.parametrize("gone", [donated, lambda: deleted(F + 0), lambda: deleted(random.key(0))],
                         ids=["donated", "deleted", "key"])  # fmt: skip
@pytest.mark.parametrize("f", [
    lambda x, y: y + 1, lambda x, y: (x == x, y + 1)[1],
    lambda x, y: jax.jit(lambda x, y: y + 1)(x, y),
], ids=["unused", "used in vain", "within"])  # fmt: skip
def test_what_a_program_does_not_need_may_be_deleted(f, gone):
    x, jitted = gone(), jax.jit(f)
    for call in (jitted, jitted, jitted.lower(x, F).compile(), jax.vmap(jitted, (None, 0))):
        assert call(x, F).tolist() == [1.0, 2.0, 3.0]
    kept = jax.jit(f, keep_unused=True)
    for call in (kept, kept.lower(x, F).compile()):
        with pytest.raises(RuntimeError, match="has been deleted"):
            call(x, F)


def test_what_is_needed_in_vain_is_not_given_away():
    x = F + 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        jax.jit(lambda x, y: (x.sum(), y + 1)[1], donate_argnums=0)(x, F)
    assert not x.is_deleted()


def test_an_unusable_donation_is_named_before_the_program_runs(recwarn):
    def f():
        return jax.jit(lambda x: x.sum(), donate_argnums=0)

    called, lowered, traced = f(), f(), f()
    with pytest.raises(RuntimeError):
        called(deleted(F + 0))
    assert len(recwarn) == 1
    assert lowered.lower(F).compile()(F + 1) == lowered(F + 1) == called(F + 1) == 6
    assert ["usable: jit(<lambda>)" in str(warning.message) for warning in recwarn] == [True] * 2
    traced.trace(F), jax.make_jaxpr(traced)(F), jax.jit(lambda x: traced(x))(F)
    assert len(recwarn) == 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning):
            traced(F)
