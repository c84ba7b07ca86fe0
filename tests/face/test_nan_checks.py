"""NaNs and infinities that are looked for: what the error says, and where it points."""

import time
import traceback

import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.core.extend import config
from minijax.core.jitting import JitFunction, running

F = jnp.array([1.0, 0.0, -1.0])


def error_of(call, nans=True, infs=False):
    with jax.debug_nans(nans), jax.debug_infs(infs), pytest.raises(FloatingPointError) as caught:
        call()
    return caught.value


def user_lines(error):
    """The source lines of the traceback that are of this file."""
    return [line.line for line in traceback.extract_tb(error.__traceback__)
            if line.filename == __file__]  # fmt: skip


def test_an_operation_says_how_many_and_where():
    message = " ".join(str(error_of(lambda: jnp.log(F))).split())
    assert message.startswith("log gave NaN in float32[3], 1 of 3, the first at [2]. Its operands")
    assert "or turn jax_debug_nans off." in message
    message = " ".join(str(error_of(lambda: 1 / F, nans=False, infs=True)).split())
    assert message.startswith("div gave infinity in float32[3], 1 of 3, the first at [1].")
    assert "turn jax_debug_infs off" in message
    with jax.debug_nans(False):
        nan = jnp.log(F)
    assert "exp gave NaN in float32[3], 1 of 3, the first at [2]. It was given one." in str(
        error_of(lambda: jnp.exp(nan)))  # fmt: skip


def quotient(x):
    y = x + 1
    return jnp.log(y) / y  # here it happens


HERE = "return jnp.log(y) / y  # here it happens"


@pytest.mark.parametrize("call", [
    lambda: quotient(F - 3), lambda: jax.jit(quotient)(F - 3),
    lambda: jax.jit(lambda x: {"a": jax.jit(quotient)(x) * 2})(F - 3),
    lambda: jax.vmap(jax.jit(quotient))(F - 3), lambda: jax.jit(jax.vmap(quotient))(F - 3),
    lambda: jax.grad(lambda x: quotient(x).sum())(F - 3),
    lambda: jax.grad(jax.jit(lambda x: quotient(x).sum()))(F - 3),
    lambda: jax.jit(jax.grad(lambda x: quotient(x).sum()))(F - 3),
    lambda: jax.jvp(jax.jit(quotient), (F - 3,), (F,)),
    lambda: jax.jit(quotient, donate_argnums=0)(F - 3),
])  # fmt: skip
def test_the_traceback_ends_at_the_users_line_and_the_message_names_the_primitive(call):
    error = error_of(call)
    assert str(error).startswith("log gave NaN in float32[")
    assert user_lines(error)[-1] == HERE


def scanned(x):
    return lax.scan(lambda c, y: (quotient(c), y), x, None, 2)


@pytest.mark.parametrize("call", [
    lambda: scanned(-5.0), lambda: jax.jit(scanned)(-5.0),
    lambda: lax.cond(True, quotient, lambda x: x, -5.0),
    lambda: lax.while_loop(lambda x: x < 0, quotient, -5.0),
    lambda: jax.jit(quotient).lower(F).compile()(F - 3),
    lambda: jax.jit(jax.checkpoint(quotient))(F - 3),
])  # fmt: skip
def test_what_runs_as_a_whole_is_run_again_to_find_the_operation(call):
    message = str(error_of(call))
    assert message.startswith("log gave NaN in ")
    assert f"here: {__file__}:{quotient.__code__.co_firstlineno + 2} in quotient" in message


def test_what_runs_programs_afterwards_is_what_the_option_says():
    """To run one step by step, a thread has an interpreter of its own for a while."""
    with jax.debug_nans(True), pytest.raises(FloatingPointError):
        jax.jit(lambda x: jnp.log(x) * 2)(-1.0)
    assert "backend" not in vars(running)


def test_in_the_backward_pass():
    f = jax.jit(lambda x: jnp.sqrt(x) ** 2)
    _, pull = jax.vjp(f, 0.0)
    message = str(error_of(lambda: pull(1.0)))
    assert message.startswith("mul gave NaN in ~float32[].") and "here: " in message


def test_results_alone_count_in_a_program_and_in_a_function_of_the_library():
    masked = jax.jit(lambda x: jnp.where(x > 0, jnp.log(x), 0.0))
    with jax.debug_nans(True):
        assert jnp.all(masked(F) == 0)
        jnp.nanmean(F), jax.scipy.special.gammainc(1.0, F[:2]), jnp.sort(F)
        with jax.disable_jit(), pytest.raises(FloatingPointError):
            masked(F)


def test_what_no_operation_makes():
    nan = float("nan")
    for f in (lambda x: (x, nan), lambda x: jnp.full(2, nan), lambda x: x * 0 + nan):
        error_of(lambda f=f: jax.jit(f)(F))
    message = str(error_of(lambda: jax.jit(lambda x: nan)(F)))
    assert message.startswith("jit gave NaN in ~float32[]. None of its operations does")
    assert "jnp.array gave NaN" in str(error_of(lambda: jnp.array([nan])))
    kept = []
    with jax.debug_nans(False):
        kept.append(jnp.array([nan]))
    with jax.debug_nans(True):
        assert kept[0].T is not None and jnp.asarray(kept[0]) is kept[0]  # nothing is computed


def test_integers_keys_and_complex_numbers():
    with jax.debug_nans(True), jax.debug_infs(True):
        jnp.arange(3) // 0, jax.random.key(0), jax.random.normal(jax.random.key(1), (3,))
        with pytest.raises(FloatingPointError, match="complex64"):
            jnp.log(F * 0j)
        with pytest.raises(FloatingPointError, match="bfloat16"):
            jnp.log(F.astype("bfloat16"))


def test_donation():
    f, x = jax.jit(lambda x: x + 1, donate_argnums=0), F + 0
    with jax.debug_nans(True):
        f(x)
    assert not x.is_deleted()
    with jax.debug_infs(True):
        f(x)
    assert x.is_deleted()
    log = jax.jit(jnp.log, donate_argnums=0)
    assert "arguments were donated" in str(error_of(lambda: log(F + 0), nans=False, infs=True))


def test_a_users_rule_and_a_users_error():
    @jax.custom_jvp
    def f(x):
        return jnp.sqrt(x)

    f.defjvp(lambda xs, ts: (f(*xs), ts[0] * (xs[0] / xs[0])))
    with jax.debug_nans(True):
        assert f(4.0) == jax.jit(f)(4.0) == 2.0
    message = str(error_of(lambda: jax.jit(jax.grad(f))(jnp.zeros(()))))
    assert message.startswith("div gave NaN") or message.startswith("mul gave NaN")

    def g(x):
        raise FloatingPointError("mine")

    assert str(error_of(lambda: jax.jit(g)(1.0))) == "mine"


def test_numbers_of_pythons_raise_pythons_error():
    """The function is called again with what it was given: 0.0 / 0.0 is Python's then."""
    with jax.debug_nans(True), pytest.raises(ZeroDivisionError):
        jax.jit(lambda x, y: x / y)(0.0, 0.0)


def test_while_they_are_off_calls_are_as_before():
    """A context that has ended leaves paths as they were: their keys hold the option."""
    f = jax.jit(jnp.log)
    for _ in range(3):
        f(F), F + F
    assert f._cache[f._place]
    error_of(lambda: f(F))
    before = dict(f._cache)
    f(F)
    assert f._cache == before and not config.jax_debug_nans

    def seconds():
        times = []
        for _ in range(5):
            start = time.perf_counter()
            for _ in range(2000):
                F + F
            times.append(time.perf_counter() - start)
        return min(times) / 2000

    with jax.debug_nans(True):
        the_long_way = seconds()
    assert seconds() < the_long_way / 3  # a tenth
    assert JitFunction.cache_miss.__name__ == "cache_miss"
