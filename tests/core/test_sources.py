"""Every equation names the user's line that it came from, and the scopes around it."""

import inspect

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.core.errors import format_name_stack
from minijax.core.extend import (
    JaxprTypeError,
    Primitive,
    check_jaxpr,
    dce_jaxpr,
    eval_jaxpr,
    jaxprs_in_params,
)

XS = np.ones(3, np.float32)


def scoped(x):
    with jax.named_scope("inner"):
        return jnp.sum(lax.mul(lax.sin(x), np.float32(2)))


def layers(x):
    with jax.named_scope("layer"):
        y = lax.sin(x)
        with jax.named_scope("attention"):
            return lax.exp(y)


def walk(jaxpr):
    """The jaxpr's equations, each followed by those in it."""
    for eqn in jaxpr.eqns:
        yield eqn
        for inner in jaxprs_in_params(eqn.params):
            yield from walk(inner)


def stacks(fun, *args):
    return [(eqn.primitive.name, format_name_stack(eqn.source_info.name_stack))
            for eqn in walk(jax.make_jaxpr(fun)(*args).jaxpr)]  # fmt: skip


def with_stack(stack, *primitives):
    return [(primitive, stack) for primitive in primitives]


# Name stacks, as JAX 0.10.2 has them: a transformation goes around the next scope's name.

FORWARD = with_stack("jvp(inner)", "sin", "cos", "mul", "reduce_sum")
TWO = np.ones((2, 3), np.float32)


def in_a_scope(x):
    with jax.named_scope("outer"):
        return jax.jit(layers)(x)


def gradient_in_a_scope(x):
    with jax.named_scope("a"):
        return jax.grad(layers)(x)


STACKS = {
    "plain": (scoped, XS, with_stack("inner", "sin", "mul", "reduce_sum")),
    "jit": (jax.jit(scoped), XS, [("jit", ""), *with_stack("inner", "sin", "mul", "reduce_sum")]),
    "jit in a scope": (
        in_a_scope, 1.0, [("jit", "outer"), ("sin", "layer"), ("exp", "layer/attention")]
    ),
    "inlined": (
        jax.jit(in_a_scope, inline=True), 1.0,
        [("jit", "outer"), ("sin", "layer"), ("exp", "layer/attention")],
    ),
    "grad": (
        jax.grad(scoped), XS,
        FORWARD + with_stack("transpose(jvp(inner))", "broadcast_in_dim", "mul", "mul"),
    ),
    "grad(jit)": (
        jax.grad(jax.jit(scoped)), XS,
        [("jit", "jvp()"), *with_stack("inner", "sin", "cos", "mul", "reduce_sum"),
         ("jit", "transpose(jvp())"), *with_stack("inner", "broadcast_in_dim", "mul", "mul")],
    ),
    "grad(jit in a scope)": (
        jax.grad(in_a_scope), 1.0,
        [("jit", "jvp(outer)"), ("sin", "layer"), ("cos", "layer"), ("exp", "layer/attention"),
         ("jit", "transpose(jvp(outer))"), ("mul", "layer/attention"), ("mul", "layer")],
    ),
    "grad in a scope": (
        gradient_in_a_scope, 1.0,
        [("sin", "a/jvp(layer)"), ("cos", "a/jvp(layer)"), ("exp", "a/jvp(layer)/attention"),
         ("mul", "a/transpose(jvp(layer))/attention"), ("mul", "a/transpose(jvp(layer))")],
    ),
    "vmap(grad in a scope)": (
        jax.vmap(gradient_in_a_scope), XS,
        [("sin", "vmap(a)/jvp(layer)"), ("cos", "vmap(a)/jvp(layer)"),
         ("exp", "vmap(a)/jvp(layer)/attention"),
         ("mul", "vmap(a)/transpose(jvp(layer))/attention"),
         ("mul", "vmap(a)/transpose(jvp(layer))")],
    ),
    "vmap": (jax.vmap(scoped), TWO, with_stack("vmap(inner)", "sin", "mul", "reduce_sum")),
    "jvp": (
        lambda x: jax.jvp(scoped, (x,), (x,)), XS,
        with_stack("jvp(inner)", "sin", "cos", "mul", "mul", "mul", "reduce_sum", "reduce_sum"),
    ),
    "linearize": (
        lambda x: jax.linearize(scoped, x)[1](x), XS,
        FORWARD + with_stack("jvp(inner)", "mul", "mul", "reduce_sum"),
    ),
    "linearize(jit)": (
        lambda x: jax.linearize(jax.jit(layers), x)[1](x), 1.0,
        [("jit", "jvp()"), ("sin", "layer"), ("cos", "layer"), ("exp", "layer/attention"),
         ("jit", "jvp()"), ("mul", "layer"), ("mul", "layer/attention")],
    ),
    "vmap(grad)": (
        jax.vmap(jax.grad(scoped)), TWO,
        with_stack("vmap(jvp(inner))", "sin", "cos", "mul", "reduce_sum")
        + with_stack("vmap(transpose(jvp(inner)))",
                     "broadcast_in_dim", "mul", "broadcast_in_dim", "mul"),
    ),
    "jit(vmap(grad))": (
        jax.jit(jax.vmap(jax.grad(lambda x: lax.mul(lax.sin(x), x)))), XS,
        [("jit", ""), *with_stack("vmap(jvp())", "sin", "cos", "mul"),
         *with_stack("vmap(transpose(jvp()))", "mul", "mul", "mul", "add_any")],
    ),
    "scopes in scopes": (
        jax.grad(layers), 1.0,
        [("sin", "jvp(layer)"), ("cos", "jvp(layer)"), ("exp", "jvp(layer)/attention"),
         ("mul", "transpose(jvp(layer))/attention"), ("mul", "transpose(jvp(layer))")],
    ),
    "jvp(grad)": (
        lambda x: jax.jvp(jax.grad(layers), (x,), (x,)), 1.0,
        [*with_stack("jvp(jvp(layer))", "sin", "cos", "mul", "cos", "sin", "mul", "neg"),
         *with_stack("jvp(jvp(layer))/attention", "exp", "mul"),
         *with_stack("jvp(transpose(jvp(layer)))/attention", "mul", "mul"),
         *with_stack("jvp(transpose(jvp(layer)))", "mul", "mul", "mul", "add_any")],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", STACKS)
def test_name_stacks(case):
    fun, x, want = STACKS[case]
    assert stacks(fun, x) == want


def test_a_name_stack_as_text():
    assert format_name_stack(()) == ""
    assert format_name_stack(("a", "b")) == "a/b"
    assert format_name_stack(("vmap()", "jvp()", "a", "b")) == "vmap(jvp(a))/b"
    assert format_name_stack(("a", "vmap()", "b", "jvp()")) == "a/vmap(b)/jvp()"


def test_a_scope_ends_with_its_block():
    def f(x):
        try:
            with jax.named_scope("broken"):
                lax.sin(x)
                raise ZeroDivisionError
        except ZeroDivisionError:
            return lax.cos(x)

    assert stacks(f, 1.0) == [("sin", "broken"), ("cos", "")]


# Lines.


def three_lines(x):
    y = lax.sin(x)
    z = lax.mul(y, y)
    return lax.exp(z)


def other_line(x):
    return lax.abs(three_lines(x))


def line_of(fun, text):
    lines, start = inspect.getsourcelines(fun)
    (number,) = [start + i for i, line in enumerate(lines) if text in line]
    return number


LINE = {
    "sin": line_of(three_lines, "lax.sin"), "cos": line_of(three_lines, "lax.sin"),
    "exp": line_of(three_lines, "lax.exp"), "abs": line_of(other_line, "lax.abs"),
}  # fmt: skip


@pytest.mark.parametrize("transform", [
    lambda f: f, jax.jit, jax.grad, lambda f: jax.grad(jax.jit(f)), lambda f: jax.jit(jax.grad(f)),
    lambda f: jax.grad(jax.grad(jax.jit(jax.jit(f)))), lambda f: jax.jit(f, inline=True),
    lambda f: lambda x: jax.vmap(jax.jit(f))(jnp.stack([x, x])),
    lambda f: lambda x: jax.linearize(jax.jit(f), x)[1](x),
    lambda f: lambda x: jax.jvp(jax.jit(jax.vmap(f)), (jnp.stack([x]),), (jnp.stack([x]),)),
    lambda f: jax.grad(lambda x: jnp.sum(jax.jit(jax.vmap(f))(jnp.stack([x, x])))),
])  # fmt: skip
def test_each_equation_names_its_line_in_the_function(transform):
    seen = set()
    for eqn in walk(jax.make_jaxpr(transform(other_line))(1.0).jaxpr):
        source, name = eqn.source_info, eqn.primitive.name
        if name in LINE and source.code is not None:
            seen.add(name)
            assert source.line == LINE[name], (name, str(source))
            assert source.code.co_name in ("three_lines", "other_line")
    assert seen >= {"sin", "cos", "exp"} or seen == {"sin", "exp", "abs"}


def test_every_inner_equation_of_a_gradient_names_a_line_of_the_function():
    """Those of the backward pass among them."""
    first, last = line_of(three_lines, "lax.sin"), line_of(three_lines, "lax.exp")
    for transform in (lambda f: jax.grad(jax.jit(f)), lambda f: jax.jit(jax.grad(f)),
                      lambda f: jax.grad(jax.grad(jax.jit(f)))):  # fmt: skip
        jaxpr = jax.make_jaxpr(transform(three_lines))(1.0).jaxpr
        inner = [eqn for eqn in walk(jaxpr) if eqn.primitive.name != "jit"]
        assert len(inner) > 5
        assert all(first <= eqn.source_info.line <= last for eqn in inner)
        assert {eqn.source_info.code for eqn in inner} == {three_lines.__code__}
        assert {eqn.source_info.line for eqn in inner} == {first, first + 1, last}


def test_origins_survive_whatever_is_done_to_a_program():
    closed = jax.make_jaxpr(three_lines)(1.0)
    lines = [eqn.source_info.line for eqn in closed.eqns]

    def again(x):
        return eval_jaxpr(closed.jaxpr, closed.consts, x)[0]

    for other in (
        jax.make_jaxpr(again)(2.0), jax.make_jaxpr(lambda x: again(x))(2.0),
        dce_jaxpr(closed.jaxpr, [True])[0], jax.jit(again).trace(2.0).jaxpr,
    ):  # fmt: skip
        assert [eqn.source_info.line for eqn in other.eqns] == lines


def test_what_comes_after_a_program_has_its_own_line():
    """The place in a program that was run is forgotten when it ends, with an exception too."""
    inner = jax.jit(three_lines)

    def f(x):
        inner(x)
        try:
            jax.jit(lambda x: lax.add(lax.sin(x), np.ones(3, np.int32)))(x)
        except TypeError:
            pass
        return lax.tanh(x)

    with jax.disable_jit(False):
        (tanh,) = [e for e in walk(jax.make_jaxpr(f)(1.0).jaxpr) if e.primitive.name == "tanh"]
    assert tanh.source_info.line == line_of(f, "lax.tanh")
    assert tanh.source_info.name_stack == ()


def test_a_source_as_text():
    (eqn,) = jax.make_jaxpr(lambda x: lax.sin(x))(1.0).eqns
    assert str(eqn.source_info).endswith("in <lambda>")
    assert f"{__file__}:{eqn.source_info.line} " in str(eqn.source_info)


# What messages make of it.


def test_the_checker_names_the_line():
    bad_p = Primitive("bad")
    types = []
    bad_p.def_abstract_eval(lambda x: types.pop() if types else x)

    def f(x):
        y = lax.sin(x)
        return bad_p.bind(y)

    types.append(jax.typeof(XS))
    with jax.enable_checks(False):
        closed = jax.make_jaxpr(f)(1.0)
    with pytest.raises(JaxprTypeError, match="test_sources.py") as caught:
        check_jaxpr(closed)
    assert f":{line_of(f, 'bad_p.bind')} in f" in str(caught.value)


@pytest.mark.parametrize("transform", [
    lambda f: f, lambda f: jax.grad(jax.jit(f)), lambda f: lambda x: jax.jvp(jax.jit(f), (x,), (x,))
])  # fmt: skip
def test_a_leak_found_in_a_program_names_the_line(transform):
    """The tracer was made while a program was run, so it comes from the program's line."""
    kept = []

    def f(x):
        y = lax.sin(x)
        kept.append(y)
        return lax.exp(y)

    jax.make_jaxpr(transform(f))(1.0)
    with pytest.raises(jax.errors.UnexpectedTracerError, match="made by: sin at") as caught:
        lax.neg(kept[0])
    assert f"test_sources.py:{line_of(f, 'lax.sin')} in f" in str(caught.value)
