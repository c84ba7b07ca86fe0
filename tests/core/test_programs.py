"""Programs within programs: jaxpr -> jaxpr functions, what they can be told, what they cost."""

import gc
import operator
import time

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.core.batching import AxisData
from minijax.core.extend import (
    ClosedJaxpr,
    Effect,
    Primitive,
    ShapedArray,
    Var,
    batch_jaxpr,
    check_jaxpr,
    dce_closed_jaxpr,
    dce_jaxpr,
    eval_jaxpr,
    jaxpr_as_fun,
    jvp_jaxpr,
    linearize_jaxpr,
    primitive_batchers,
    primitive_jvps,
    transpose_jaxpr,
    zero_jvp,
)

STEPS = {
    "jit": jax.jit,
    "grad": lambda f: lambda x: jax.grad(lambda x: f(x))(x),
    "vmap": lambda f: lambda x: jnp.sum(jax.vmap(f)(jnp.stack([x, 2 * x]))),
    "jvp": lambda f: lambda x: jax.jvp(f, (x,), (x,))[1],
}
F32 = ShapedArray((), np.float32)
X, Y, Z = np.float32(0.5), np.float32(2.0), np.float32(3.0)
FIVE = AxisData(None, 5)
TABLE = np.array([1.0, 2.0, 3.0], np.float32)


def close(fun, *args):
    closed = jax.make_jaxpr(fun)(*args)
    check_jaxpr(closed)
    return closed


@pytest.fixture
def program():
    """(x, y, z) -> (of x alone, of x and y, of none that matters)."""
    return close(lambda x, y, z: (lax.sin(x), lax.mul(x, lax.exp(y)), lax.stop_gradient(z)),
                 X, Y, Z)  # fmt: skip


def run(closed, *args):
    check_jaxpr(closed)
    return jaxpr_as_fun(closed)(*args)


# jvp.


def test_jvp_says_which_results_have_a_tangent(program):
    jaxpr, nonzeros = jvp_jaxpr(program, (False, True, True))
    assert type(jaxpr) is ClosedJaxpr and nonzeros == (False, True, False)
    assert len(jaxpr.invars) == 5 and len(jaxpr.outvars) == 4
    out = run(jaxpr, X, Y, Z, np.float32(1), np.float32(1))
    want = [np.sin(X), X * np.exp(Y), Z, X * np.exp(Y)]
    np.testing.assert_allclose(out, want, rtol=1e-6)


@pytest.mark.parametrize("forced, nonzeros", [
    (False, (False, True, False)), (True, (True, True, True)),
    ((True, False, False), (True, True, False)), ((False, False, True), (False, True, True)),
])  # fmt: skip
def test_jvp_with_tangents_asked_for(program, forced, nonzeros):
    jaxpr, found = jvp_jaxpr(program, (False, True, False), forced)
    assert found == nonzeros
    values = dict(zip(np.flatnonzero(nonzeros), run(jaxpr, X, Y, Z, np.float32(1))[3:],
                      strict=True))  # fmt: skip
    assert float(values.get(0, 0)) == 0 and float(values.get(2, 0)) == 0
    np.testing.assert_allclose(values[1], X * np.exp(Y), rtol=1e-6)


# Batching.


def test_batching_says_where_results_are_batched(program):
    jaxpr, dims = batch_jaxpr(program, FIVE, (None, 0, None))
    assert type(jaxpr) is ClosedJaxpr and dims == (None, 0, None)
    assert [aval.shape for aval in jaxpr.out_avals] == [(), (5,), ()]
    ys = np.arange(5, dtype=np.float32)
    np.testing.assert_allclose(run(jaxpr, X, ys, Z)[1], X * np.exp(ys), rtol=1e-6)


@pytest.mark.parametrize("forced, dims", [
    (None, (None, 0, None)), ((0, None, None), (0, 0, None)), ((0, 0, 0), (0, 0, 0)),
    ((None, None, 0), (None, 0, 0)),
])  # fmt: skip
def test_batching_with_results_asked_for(program, forced, dims):
    jaxpr, found = batch_jaxpr(program, FIVE, (None, 0, None), forced)
    assert found == dims
    ys = np.arange(5, dtype=np.float32)
    want = [np.sin(X), X * np.exp(ys), Z]
    for got, dim, expected in zip(run(jaxpr, X, ys, Z), dims, want, strict=True):
        expected = np.broadcast_to(expected, (5,)) if dim == 0 else expected
        assert got.shape == expected.shape
        np.testing.assert_allclose(got, expected, rtol=1e-6)


def test_batching_at_an_axis_asked_for():
    closed = close(lambda x: (lax.neg(x), lax.transpose(x, (1, 0))), np.ones((2, 3), np.float32))
    xs = np.arange(30, dtype=np.float32).reshape(2, 5, 3)
    for forced in [None, (2, 0), (0, 2), (1, 1)]:
        jaxpr, dims = batch_jaxpr(closed, FIVE, (1,), forced)
        assert forced is None or dims == forced
        first, second = run(jaxpr, xs)
        np.testing.assert_array_equal(np.moveaxis(np.asarray(first), dims[0], 1), -xs)
        np.testing.assert_array_equal(
            np.moveaxis(np.asarray(second), dims[1], 1), xs.transpose(2, 1, 0)
        )


# Linearizing.


def linear_results(split, primals, *tangents):
    out = run(split.forward, *primals)
    return run(split.linear, *split.residuals(primals, out), *tangents)


def test_linearizing_gives_a_forward_and_a_linear_program(program):
    split = linearize_jaxpr(program, (False, True, True))
    assert split.out_nonzeros == (False, True, False)
    assert [type(x) for x in split[:2]] == [ClosedJaxpr] * 2
    out = run(split.forward, X, Y, Z)
    np.testing.assert_allclose(out[:3], [np.sin(X), X * np.exp(Y), Z], rtol=1e-6)
    one = np.float32(1)
    got = linear_results(split, (X, Y, Z), one, one)
    np.testing.assert_allclose(got, [X * np.exp(Y)], rtol=1e-6)


@pytest.mark.parametrize("forced, nonzeros", [
    (False, (False, True, False)), (True, (True, True, True)),
    ((True, False, False), (True, True, False)),
])  # fmt: skip
def test_linearizing_with_tangents_asked_for(program, forced, nonzeros):
    split = linearize_jaxpr(program, (False, True, False), forced)
    assert split.out_nonzeros == nonzeros
    got = linear_results(split, (X, Y, Z), np.float32(1))
    want = np.array([0, X * np.exp(Y), 0])[list(nonzeros)]
    np.testing.assert_allclose(got, want, rtol=1e-6)


def test_residuals_are_forwarded_and_not_returned_twice():
    """Arguments and results that the linear program needs are taken from where they are."""
    closed = close(lambda x, y: (lax.exp(x), lax.mul(x, y), lax.sin(x)), X, Y)
    split = linearize_jaxpr(closed, (True, True))
    assert sorted(split.sources, key=str) == [("arg", 0), ("arg", 1), ("out", 0), ("out", 3)]
    assert len(split.forward.outvars) == 4  # the results, and cos(x)
    out = run(split.forward, X, Y)
    np.testing.assert_allclose(out[3], np.cos(X), rtol=1e-6)
    got = linear_results(split, (X, Y), np.float32(1), np.float32(0))
    np.testing.assert_allclose(got, [np.exp(X), Y, np.cos(X)], rtol=1e-6)


def test_residuals_may_be_constants_or_the_same_value_twice():
    closed = close(lambda x: lax.mul(lax.mul(x, TABLE), lax.mul(x, x)), TABLE)
    split = linearize_jaxpr(closed, (True,))
    residuals = split.residuals((TABLE,), run(split.forward, TABLE))
    assert len({id(x) for x in residuals}) == len(residuals) == len(split.sources)
    np.testing.assert_allclose(
        linear_results(split, (TABLE,), np.ones(3, np.float32))[0], 3 * TABLE**3, rtol=1e-6
    )


def test_the_forward_program_computes_no_tangents():
    closed = close(lambda x: lax.sin(lax.sin(x)), X)
    split = linearize_jaxpr(closed, (True,))
    assert [str(eqn.primitive) for eqn in split.forward.eqns] == ["sin", "cos"] * 2
    assert [str(eqn.primitive) for eqn in split.linear.eqns] == ["mul"] * 2


def test_the_forward_program_is_pruned_and_keeps_its_inputs():
    closed = close(lambda x, y: (lax.mul(X, x), lax.sin(y))[0], X, Y)
    split = linearize_jaxpr(closed, (True, True))
    assert [str(eqn.primitive) for eqn in split.forward.eqns] == ["mul"]
    assert len(split.forward.invars) == 2 and not split.sources


# Transposing.


def test_transposing_says_which_inputs_get_a_cotangent():
    closed = close(lambda k, x, y, z: (lax.mul(k, x), lax.neg(y)), X, X, X, X)
    linear = (False, True, True, True)
    jaxpr, nonzeros = transpose_jaxpr(closed, linear, (True, False))
    assert nonzeros == (False, True, False, False)
    np.testing.assert_allclose(run(jaxpr, Y, Z), [Y * Z])
    jaxpr, nonzeros = transpose_jaxpr(closed, linear, (True, True))
    assert nonzeros == (False, True, True, False)
    np.testing.assert_allclose(run(jaxpr, Y, Z, X), [Y * Z, -X])


@pytest.mark.parametrize("forced, nonzeros", [
    ((False, False, False, True), (False, True, False, True)),
    ((False, True, True, True), (False, True, True, True)),
])  # fmt: skip
def test_transposing_with_cotangents_asked_for(forced, nonzeros):
    closed = close(lambda k, x, y, z: (lax.mul(k, x), lax.neg(y)), X, X, X, X)
    jaxpr, found = transpose_jaxpr(closed, (False, True, True, True), (True, False), forced)
    assert found == nonzeros
    want = np.array([0, Y * Z, 0, 0])[list(nonzeros)]
    np.testing.assert_allclose(run(jaxpr, Y, Z), want)


def test_transposing_adds_up_and_takes_what_is_known_forward():
    closed = close(lambda k, x: lax.add(lax.mul(lax.sin(k), x), lax.neg(x)), X, X)
    jaxpr, nonzeros = transpose_jaxpr(closed, (False, True), (True,))
    assert nonzeros == (False, True)
    np.testing.assert_allclose(run(jaxpr, X, Y), [(np.sin(X) - 1) * Y], rtol=1e-6)


# What nobody needs.


class Said(Effect):
    pass


said = []
say_p = Primitive("say")
say_p.def_effectful_abstract_eval(lambda x: (x, frozenset([Said()])))
say_p.def_impl(lambda x: said.append(float(x)) or x)
primitive_jvps[say_p] = lambda primals, tangents: (say_p.bind(*primals), tangents[0])
primitive_batchers[say_p] = lambda args, dims: (say_p.bind(*args), dims[0])


def test_dce_says_which_inputs_are_needed(program):
    jaxpr, needed = dce_closed_jaxpr(program, (True, False, False))
    assert type(jaxpr) is ClosedJaxpr and needed == (True, False, False)
    assert [str(eqn.primitive) for eqn in jaxpr.eqns] == ["sin"]
    np.testing.assert_allclose(run(jaxpr, X), [np.sin(X)], rtol=1e-6)


def test_dce_with_inputs_asked_for(program):
    jaxpr, needed = dce_closed_jaxpr(program, (True, False, False), True)
    assert needed == (True, True, True) and len(jaxpr.invars) == 3
    jaxpr, needed = dce_closed_jaxpr(program, (True, False, False), (False, False, True))
    assert needed == (True, False, True)
    np.testing.assert_allclose(run(jaxpr, X, Z), [np.sin(X)], rtol=1e-6)


def test_dce_keeps_what_has_an_effect_and_what_that_needs():
    def f(x, y):
        say_p.bind(lax.exp(y))
        lax.sin(y)
        return lax.neg(x), lax.cos(x)

    closed = close(f, X, Y)
    jaxpr, needed = dce_closed_jaxpr(closed, (True, False))
    assert needed == (True, True)
    assert [str(eqn.primitive) for eqn in jaxpr.eqns] == ["exp", "say", "neg"]
    assert {type(effect) for effect in jaxpr.effects} == {Said}
    nested = close(jax.jit(jax.jit(f)), X, Y)
    jaxpr, needed = dce_closed_jaxpr(nested, (False, False))
    assert needed == (False, True) and len(jaxpr.eqns) == 1
    assert {type(effect) for effect in jaxpr.effects} == {Said}
    said.clear()
    assert run(jaxpr, np.float32(0)) == [] and said == [1.0]


def test_dce_reaches_into_programs():
    inner = jax.jit(lambda x, y: (lax.sin(x), lax.cos(y)))
    closed = close(lambda x, y: inner(x, y), X, Y)
    jaxpr, needed = dce_closed_jaxpr(closed, (False, True))
    (eqn,) = jaxpr.eqns
    assert needed == (False, True) and len(eqn.invars) == len(eqn.outvars) == 1
    assert [str(e.primitive) for e in eqn.params["jaxpr"].eqns] == ["cos"]
    jaxpr, needed = dce_closed_jaxpr(closed, (False, False))
    assert (jaxpr.eqns, needed) == ([], (False, False))


# All of them: remembered with the program, in programs that nobody can change.

ASKED = [
    (jvp_jaxpr, ((True, True, False), False)), (jvp_jaxpr, ((True, False, False), True)),
    (batch_jaxpr, (FIVE, (0, None, None), None)), (batch_jaxpr, (FIVE, (0, 0, None), (0, 0, 0))),
    (linearize_jaxpr, ((True, True, True), False)), (linearize_jaxpr, ((True, False, True), True)),
    (dce_closed_jaxpr, ((True, False, True), False)),
]  # fmt: skip


@pytest.mark.parametrize("fun, asked", ASKED)
def test_the_same_question_gets_the_same_answer(program, fun, asked):
    answer = fun(program, *asked)
    assert isinstance(answer, tuple) and fun(program, *asked) is answer
    again = fun(program, *(tuple(list(x)) if type(x) is tuple else x for x in asked))
    assert again is answer
    with jax.enable_x64(True):
        assert fun(program, *asked) is not answer
    assert fun(program, *asked) is answer
    jax.clear_caches()
    assert fun(program, *asked) is not answer


def test_what_is_asked_for_has_a_name(program):
    """As fixed points write it."""
    assert jvp_jaxpr(program, (True, False, False), instantiate=True)[1] == (True,) * 3
    assert linearize_jaxpr(program, (True, False, False), instantiate=True)[3] == (True,) * 3
    assert batch_jaxpr(program, FIVE, (0, None, None), dims_out=(0, 0, 0))[1] == (0, 0, 0)
    assert dce_closed_jaxpr(program, (True, False, False), instantiate=True)[1] == (True,) * 3
    closed = close(lambda x, y: lax.neg(x), X, Y)
    assert transpose_jaxpr(closed, (True, True), (True,), instantiate=True)[1] == (True, True)


def test_transposes_are_remembered_too():
    closed = close(lambda x, y: lax.sub(x, y), X, Y)
    answer = transpose_jaxpr(closed, (True, True), (True,))
    assert transpose_jaxpr(closed, (True, True), (True,)) is answer
    flags = (True, False)
    assert transpose_jaxpr(closed, flags, (True,)) is not answer


def test_the_rules_leave_the_program_as_it_was(program):
    text, eqns = str(program), list(program.eqns)
    for fun, asked in ASKED:
        fun(program, *asked)
    assert str(program) == text and all(map(operator.is_, program.eqns, eqns))


def test_an_inner_program_is_transformed_once():
    """Two calls of one jitted function share one derivative, one batch, one transpose."""
    @jax.jit
    def inner(x):
        return lax.sin(x)

    def twice(x):
        return inner(inner(x))

    for name in ("grad", "jvp", "vmap"):
        jaxpr = jax.make_jaxpr(STEPS[name](twice))(X).jaxpr
        programs = [eqn.params["jaxpr"] for eqn in jaxpr.eqns if eqn.params.get("name") == "inner"]
        assert len(programs) > len({id(x) for x in programs}) == len(programs) // 2


# Every rule of jit, together.

@pytest.mark.parametrize("second", STEPS)
@pytest.mark.parametrize("first", STEPS)
def test_jits_rules_agree_with_no_jit(first, second):
    def f(x, jit):
        inner = jit(lambda x, y: (lax.mul(x, lax.sin(y)), jit(lambda z: lax.exp(z))(x), 3.0))
        a, b, c = inner(x, x * x)
        return a * b + c

    both = (STEPS[first](STEPS[second](lambda x, jit=j: f(x, jit))) for j in (jax.jit, lambda f: f))
    got, want = (g(jnp.asarray(0.4)) for g in both)
    np.testing.assert_allclose(got, want, rtol=1e-5)
    closed = jax.make_jaxpr(STEPS[first](STEPS[second](lambda x: f(x, jax.jit))))(0.4)
    check_jaxpr(closed)


# What it costs.


def loop_of_sines(size):
    def f(x):
        for _ in range(size):
            x = lax.sin(x)
        return x

    return f


def seconds(fun):
    gc.collect()
    start = time.process_time()
    fun()
    return time.process_time() - start


def test_linearizing_a_loop_costs_in_proportion(few_objects):
    """Twice the equations, twice the time; where each looks at all others, four times."""
    def cost(size):
        return min(seconds(lambda: jax.linearize(loop_of_sines(size), X)) for _ in range(2))

    jax.linearize(loop_of_sines(10), X)
    assert cost(6000) < 3.2 * cost(3000) + 0.05


@pytest.mark.parametrize("transform", [
    jax.linearize, lambda f, x: jax.make_jaxpr(jax.grad(jax.jit(f)))(x),
    lambda f, x: jax.make_jaxpr(jax.vmap(jax.jit(f)))(x[None]),
    lambda f, x: jax.jvp(jax.jit(f), (x,), (x,)), lambda f, x: str(jax.make_jaxpr(f)(x)),
])  # fmt: skip
def test_no_variable_is_looked_for_among_all_others(monkeypatch, transform):
    """Residuals are found by their place: nothing compares one variable with another."""
    comparisons = []
    monkeypatch.setattr(
        Var, "__eq__", lambda v, w: comparisons.append(v) or v is w, raising=False
    )
    transform(loop_of_sines(500), X)
    assert len(comparisons) < 500


def test_gradients_of_a_long_program_cost_in_proportion(few_objects):
    """Four times the equations, four times the time."""
    def cost(size):
        return min(seconds(lambda: jax.grad(jax.jit(loop_of_sines(size)))(X)) for _ in range(2))

    cost(10)
    assert cost(2000) < 6.4 * cost(500) + 0.05


def tower(height):
    """jits each of which calls the one below twice: 2**height sines, if all are written out."""
    f = jax.jit(lambda x: lax.sin(x))
    for _ in range(height):
        f = jax.jit(lambda x, below=f: below(below(x)))
    return f


def test_a_tower_of_jits_is_checked_and_printed_in_no_time():
    """Each program is looked at once, however often it is called."""
    closed = jax.make_jaxpr(tower(17))(X)
    assert seconds(lambda: check_jaxpr(closed)) < 1
    text = []
    assert seconds(lambda: text.append(str(closed))) < 1
    assert len(text[0]) < 10_000 and text[0].count("sin") == 1
    with jax.enable_checks():
        assert seconds(lambda: jax.make_jaxpr(tower(17))(X)) < 1
        assert seconds(lambda: jax.make_jaxpr(STEPS["jvp"](STEPS["vmap"](tower(17))))(X)) < 2


def test_zero_results_and_zero_operands():
    """A program without operands, or without results, goes through every function."""
    empty = close(lambda: ())
    assert jvp_jaxpr(empty, ())[1] == () and batch_jaxpr(empty, FIVE, ())[1] == ()
    assert linearize_jaxpr(empty, ()).out_nonzeros == ()
    assert transpose_jaxpr(empty, (), ())[1] == () and dce_closed_jaxpr(empty, ())[1] == ()
    assert dce_jaxpr(empty.jaxpr, [])[1] == [] and eval_jaxpr(empty.jaxpr, []) == []
    assert zero_jvp(lax.neg_p, [X], [X])[1].aval == F32
