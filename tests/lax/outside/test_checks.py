"""Checks within programs: where a message says that it was, and what checks do to a program."""

import inspect
import re
import traceback

import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.experimental import checkify

F = jnp.arange(1.0, 4.0)
HERE = inspect.currentframe().f_code.co_filename


def positive(x):
    checkify.check(x > 0, "{x} is not positive", x=x)
    return jnp.log(x)


CHECK_LINE = positive.__code__.co_firstlineno + 1

# Who meets the check, each in another construct.
AROUND = {
    "eager": lambda f, x: f(x),
    "jit": lambda f, x: jax.jit(f)(x),
    "cond": lambda f, x: lax.cond(x < 9, f, jnp.sin, x),
    "scan": lambda f, x: lax.scan(lambda c, y: (c, f(c - y)), x, F)[1],
    "while": lambda f, x: lax.while_loop(lambda c: c < 9, lambda c: c + 20 + f(c), x),
    "vmap": lambda f, x: jax.vmap(f)(x - F),
    "grad": lambda f, x: jax.grad(f)(x),
    "checkpoint": lambda f, x: jax.grad(jax.checkpoint(f))(x),
}


@pytest.mark.parametrize("around", AROUND)
def test_the_message_says_where_the_check_is(around):
    checked = checkify.checkify(lambda x: AROUND[around](positive, x))
    error, _ = jax.jit(checked)(-3.0)
    assert re.fullmatch(r"-\d\.0 is not positive \(`check` failed\)", error.get())
    with pytest.raises(checkify.JaxRuntimeError, match="is not positive") as info:
        error.throw()
    assert f"\n  here: {HERE}:{CHECK_LINE} in positive" in str(info.value)
    assert str(info.value.__cause__) == error.get()


def test_an_automatic_check_says_where_the_operation_is():
    def f(x):
        y = jnp.cos(x)
        return jnp.sin(y / x)

    error, _ = checkify.checkify(f, errors=checkify.all_checks)(jnp.float32(0.0))
    assert str(error.get_exception().traceback_info).endswith(":"
        f"{f.__code__.co_firstlineno + 2} in f")  # fmt: skip


def test_a_long_message_is_left_as_it_is():
    text = "word " * 40
    with pytest.raises(checkify.JaxRuntimeError) as info:
        checkify.check(False, text)
    assert str(info.value).startswith(f"{text} (`check` failed)\n  here: {HERE}")


def test_an_error_that_is_raised_has_no_frames_of_ours():
    error, _ = checkify.checkify(positive)(F[0] - 2)
    with pytest.raises(checkify.JaxRuntimeError) as info:
        error.throw()
    files = {frame.filename for frame in traceback.extract_tb(info.value.__traceback__)}
    assert files == {HERE}


def test_a_checked_function_is_traced_once_under_jit():
    traces = []

    def f(x):
        traces.append(x)
        checkify.check(x > 0, "no")
        return x

    jitted = jax.jit(checkify.checkify(f))
    assert [jitted(x)[0].get() for x in (1.0, -1.0, 2.0)] == [None, "no (`check` failed)", None]
    assert len(traces) == 1


def test_a_program_without_checks_is_the_program_itself():
    def f(x):
        return jnp.sin(x) * 2

    checked = checkify.checkify(f, errors=checkify.index_checks | checkify.user_checks)
    plain, both = jax.make_jaxpr(f)(F), jax.make_jaxpr(lambda x: checked(x)[1])(F)
    assert str(plain) == str(both)


def test_a_check_for_debugging_does_nothing_in_a_compiled_program():
    def f(x):
        checkify.debug_check(jnp.sum(x) > 0, "{}", x)
        return lax.scan(lambda c, y: (checkify.debug_check(c > 9, "c"), c + y)[::-1], 0.0, x)[0]

    assert jax.jit(f)(-F) == -6.0
    checked = jax.jit(checkify.checkify(f))
    assert checked(-F)[0].get() == "[-1. -2. -3.] (`check` failed)"
    assert checked(F)[0].get() == "c (`check` failed)"


def test_checks_in_a_derivative_through_a_scan_are_kept():
    def f(x):
        return lax.scan(lambda c, y: (c - 1, positive(c) + y), x, F)[1].sum()

    error, _ = jax.jit(checkify.checkify(jax.grad(f)))(1.5)
    assert error.get() == "-0.5 is not positive (`check` failed)"
    assert jax.jit(checkify.checkify(jax.grad(f)))(4.0)[0].get() is None


def test_a_derivative_goes_through_a_checked_function_with_a_rule_of_its_own():
    f = jax.custom_jvp(lambda x: (x + 1) / x)
    f.defjvp(lambda p, t: (f(*p), t[0] / p[0]))
    checked = jax.jit(checkify.checkify(f, errors=checkify.all_checks))
    assert jax.grad(lambda x: checked(x)[1])(2.0) == 0.5


def test_an_error_is_a_pytree_that_goes_through_everything():
    error, _ = jax.vmap(checkify.checkify(positive))(F - 2)
    leaves, tree = jax.tree.flatten(error)
    assert [x.shape for x in leaves] == [(3,)] * 3
    again = jax.tree.unflatten(tree, leaves)
    assert hash(tree) == hash(jax.tree.structure(again))
    assert again.get() == error.get()
    first = jax.jit(lambda e: jax.tree.map(lambda x: x[0], e))(error)
    assert first.get() == "-1.0 is not positive (`check` failed)"


def test_a_check_in_a_loop_leaves_the_loop_compiled():
    def f(x):
        return lax.fori_loop(0, 100, lambda i, c: c + lax.log(c), x)

    checked = checkify.checkify(f, errors=checkify.float_checks)
    assert "explained" not in str(jax.explain(checked)(2.0)).lower()
    error, out = jax.jit(checked)(2.0)
    assert error.get() is None and out == f(2.0)
    assert jax.jit(checked)(0.5)[0].get() == "nan generated by primitive: log."


def test_what_is_not_checkified_is_refused_by_every_backend():
    before = jax.config.jit_backend
    try:
        for backend in ("numba", "numpy"):
            jax.config.update("jit_backend", backend)
            with pytest.raises(ValueError, match="Call the function through checkify.checkify"):
                jax.jit(positive)(1.0)
    finally:
        jax.config.update("jit_backend", before)


def test_errors_of_checkify_inside_of_checkify_reach_the_outer_one():
    def f(x):
        error, out = checkify.checkify(positive)(x)
        error.throw()
        return out

    assert checkify.checkify(f)(F[0] - 3)[0].get() == "-2.0 is not positive (`check` failed)"
    with pytest.raises(checkify.JaxRuntimeError, match="-2.0"):
        f(F[0] - 3)


def test_a_mapped_error_names_each_example():
    errors, _ = jax.vmap(checkify.checkify(positive))(F - 2)
    assert errors.get() == (
        "at mapped index 0: -1.0 is not positive (`check` failed)\n"
        "at mapped index 1: 0.0 is not positive (`check` failed)"
    )


def test_a_mapped_loop_with_a_checked_condition():
    def f(x):
        return lax.while_loop(lambda x: jnp.log(x) < 2, lambda x: x + 3, x)

    checked = jax.vmap(checkify.checkify(f, errors=checkify.nan_checks))
    errors, out = checked(jnp.array([1.0, -1.0, 9.0]))
    assert errors.get() == "at mapped index 1: nan generated by primitive: log."
    assert out.tolist() == [10.0, -1.0, 9.0]


@pytest.mark.parametrize("mapped", [jax.vmap, jax.pmap])
def test_an_error_of_a_mapped_function_is_raised_outside_of_it(mapped):
    def root(x):
        checkify.check(x >= 0, "{x} has no root", x=x)
        return x**0.5

    error, _ = mapped(checkify.checkify(root))(jnp.array([1.0, -4.0]))
    with pytest.raises(checkify.JaxRuntimeError, match="^-4.0 has no root"):
        error.throw()
