"""Linearization: what is kept from the forward run, and the linear function as a value."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.core.dtypes import float0
from minijax.core.forward import Zero
from minijax.core.linearization import force_nonzero, linearize_flat, put_zeros
from minijax.core.programs import linearize_jaxpr
from minijax.core.staging import check_jaxpr
from minijax.core.tracing import ShapedArray, Tracer

ONE = np.float32(1.0)
X = np.arange(3, dtype=np.float32)


def split(f, *args, nonzeros=None):
    return linearize_jaxpr(jax.make_jaxpr(f)(*args), tuple(nonzeros or [True] * len(args)))


def test_zeros_in_their_places_and_written_out():
    avals = [ShapedArray((), "float32"), ShapedArray((2,), "int32"), ShapedArray((), "float32")]
    a, b, c = put_zeros(["t", "u"], [True, False, True], avals)
    assert (a, c) == ("t", "u") and b.aval is ShapedArray((2,), float0)
    zero = Zero(avals[0])
    kept, forced = force_nonzero([zero, zero], [False, True])
    assert kept is zero and forced == 0.0


@pytest.mark.parametrize("f, kinds, results", [
    (lambda x, y: x * y, ["arg", "arg"], 1), (lambda x, y: lax.exp(x), ["out"], 1),
    (lambda x, y: lax.sin(x), ["out"], 2), (lambda x, y: x + y, [], 1),
    (lambda x, y: lax.mul(x, np.arange(3.0, dtype=np.float32)), ["const"], 1),
    (lambda x, y: (lax.sin(x), lax.cos(x), x), ["out", "out"], 5),
], ids=["args", "result", "computed", "none", "const", "several"])
def test_residuals_that_are_there_already_are_not_returned_again(f, kinds, results):
    parts = split(f, X, X)
    for closed in (parts.forward, parts.linear):
        check_jaxpr(closed)
    assert sorted(kind for kind, _ in parts.sources) == kinds
    assert len(parts.forward.outvars) == results
    residuals = len(parts.linear.invars) - 2
    assert residuals == len(kinds) and parts.linear.consts == []


def test_the_two_jits_of_a_derivative_share_what_they_can():
    f = jax.jit(lambda x, y: lax.mul(lax.sin(x), y))
    closed = jax.make_jaxpr(lambda x, y: jax.linearize(f, x, y)[1](x, y))(X, X)
    forward, linear = closed.eqns
    # y and x come in; sin(x) and cos(x) are computed once; y is handed on, not returned.
    assert linear.invars.count(closed.invars[1]) == 2
    assert [eqn.primitive.name for eqn in forward.params["jaxpr"].eqns].count("sin") == 1
    assert {eqn.primitive.name for eqn in linear.params["jaxpr"].eqns} <= {"mul", "add_any"}


def test_the_linear_part_holds_only_what_it_needs():
    lin = linearize_flat(lambda x, y: [x * y, lax.exp(lax.sin(x)) and x], [ONE, ONE], [True, False])
    assert lin.out_nonzeros == [True, True]
    assert [eqn.primitive.name for eqn in lin.jaxpr.eqns] == ["mul"]
    assert len(lin.jaxpr.invars) == 1 and lin.primals_out == [1.0, 1.0]


def test_nothing_of_the_forward_run_is_computed_again():
    calls = []

    def f(x):
        calls.append(1)
        return jnp.sin(x) * x

    y, f_jvp = jax.linearize(f, 2.0)
    text = str(jax.make_jaxpr(f_jvp)(1.0))
    for t in (1.0, 2.0, -1.0):
        np.testing.assert_allclose(f_jvp(t), t * (np.sin(2) + 2 * np.cos(2)), rtol=1e-6)
    assert len(calls) == 1 and "sin" not in text and "cos" not in text
    np.testing.assert_allclose(y, 2 * np.sin(2), rtol=1e-6)


def test_integers_have_float0_for_tangents_and_results():
    f = lambda x, n: (x * n, n + 1, x > 0)  # noqa: E731
    out, f_jvp = jax.linearize(f, 3.0, 2)
    zero = np.zeros((), float0)
    a, b, c = f_jvp(1.0, zero)
    assert out[1] == 3 and a == 2.0
    assert [np.asarray(t).dtype for t in (b, c)] == [float0, float0]
    with pytest.raises(ValueError, match=r"float0\[\].*int32\[\]"):
        f_jvp(1.0, 2)


def test_arguments_that_are_ignored_and_results_that_are_constant():
    out, f_jvp = jax.linearize(lambda x, y: (x, 7.0, jnp.ones(2)), 1.0, X)
    a, b, c = f_jvp(5.0, X)
    assert (a, b, c.tolist()) == (5.0, 0.0, [0.0, 0.0]) and out[1] == 7.0


@pytest.mark.parametrize("tangents, error, words", [
    ((), TypeError, "structure"), ((1.0, 1.0), TypeError, "structure"), ((X,), TypeError, "struct"),
    (({"a": X[:2]},), ValueError, r"(?s)float32\[3\].*not\sfloat32\[2\]"),
    (({"a": X.astype(int)},), ValueError, r"(?s)float32\[3\].*not\sint32\[3\]"),
    (({"b": X},), TypeError, "structure"),
])
def test_tangents_unlike_the_primals(tangents, error, words):
    _, f_jvp = jax.linearize(lambda d: d["a"] * 2, {"a": X})
    with pytest.raises(error, match=words):
        f_jvp(*tangents)
    assert f_jvp({"a": X}).tolist() == [0.0, 2.0, 4.0]


def test_the_linear_function_is_a_pytree_that_passes_through_jit():
    _, f_jvp = jax.linearize(lambda x: jnp.sin(x) * x, X)
    leaves, tree = jax.tree.flatten(f_jvp)
    assert leaves and all(leaf.shape == (3,) for leaf in leaves)
    traces = []

    @jax.jit
    def apply(g, t):
        traces.append(1)
        return g(t)

    @jax.jit
    def make(x):
        return jax.linearize(lambda x: jnp.sin(x) * x, x)[1]

    want = X * (np.sin(X) + X * np.cos(X))
    np.testing.assert_allclose(apply(f_jvp, X), want, rtol=1e-5)
    np.testing.assert_allclose(apply(f_jvp, X + 0), want, rtol=1e-5)
    assert len(traces) == 1
    np.testing.assert_allclose(make(X)(X), want, rtol=1e-5)
    np.testing.assert_allclose(jax.tree.unflatten(tree, leaves)(X), want, rtol=1e-5)


def test_one_linear_function_is_one_structure_and_another_is_another():
    (_, f), (_, g) = (jax.linearize(lambda x: jnp.sin(x) * x, X) for _ in range(2))
    structures = [jax.tree.structure(h) for h in (f, f, g)]
    assert structures[0] == structures[1] != structures[2]
    assert hash(structures[0]) == hash(structures[1])


def test_aux():
    out, f_jvp, aux = jax.linearize(lambda x: (x * x, ("text", x, None)), 3.0, has_aux=True)
    assert (out, f_jvp(1.0), aux[0], aux[1], aux[2]) == (9.0, 6.0, "text", 3.0, None)
    assert not isinstance(aux[1], Tracer)
    with pytest.raises(TypeError, match="linearize with has_aux=True .*pair"):
        jax.linearize(lambda x: x, 3.0, has_aux=True)
    with pytest.raises(TypeError, match="linearize takes a function"):
        jax.linearize(3, 3.0)


def test_tracers_as_text():
    seen = []
    jax.linearize(lambda x: seen.append(repr(x)) or x, 3.0)
    assert seen == ["GradTracer(primal=3.0, typeof(tangent)=f32[])"]
