"""Forward mode: zeros that stay symbolic, the helpers for rules, and what jvp refuses."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.core import forward
from minijax.core.calls import debug_info
from minijax.core.dtypes import float0
from minijax.core.staging import dce_jaxpr
from minijax.core.tracing import Primitive, ShapedArray, Tracer

F32 = ShapedArray((), "float32")


def push(f, *primals, of=0):
    """The equations that f's derivative in its argument `of` needs, and the jaxpr."""
    def pushed(tangent):
        def g(x):
            return f(*primals[:of], x, *primals[of + 1 :])

        return jax.jvp(g, (primals[of],), (tangent,))[1]

    closed = jax.make_jaxpr(pushed)(primals[of])
    jaxpr, _ = dce_jaxpr(closed.jaxpr, [True])
    return [eqn.primitive.name for eqn in jaxpr.eqns], closed


# Zeros.


@pytest.mark.parametrize("f, names", [
    (lambda x, y: x + y, []), (lambda x, y: x - y, []), (lambda x, y: y - x, ["neg"]),
    (lambda x, y: x * y, ["mul"]), (lambda x, y: x / y, ["div"]),
    (lambda x, y: x + y * 2.0 + jnp.sin(y), []), (lambda x, y: (x + y) * y, ["mul"]),
    (lambda x, y: lax.select(lax.gt(y, 0.0), x, y), [
        "gt", "select_n"]), (lambda x, y: x + lax.floor(x), []),
    (lambda x, y: x + lax.stop_gradient(jnp.sin(x)), []),
])
def test_nothing_is_computed_for_a_zero_tangent(f, names):
    """y has no tangent: none is added,none is multiplied."""
    got, _ = push(f, np.float32(2.0), np.float32(3.0))
    assert got == names


@pytest.mark.parametrize("f", [
    lambda x: 1.0, lax.floor, lax.sign, lax.stop_gradient, lambda x: lax.gt(x, 0.0),
    lambda x: jnp.sin(np.float32(1.0)), lambda x: lax.convert_element_type(x, np.int32),
    lambda x: lax.integer_pow(x, 0), lambda x: jax.jit(lax.floor)(x),
])
def test_what_does_not_change_has_the_zero_for_a_tangent(f):
    x = np.float32(0.7)
    (out,), (tangent,) = forward.jvp_flat(lambda *xs: [f(*xs)], [x], [x])
    assert type(tangent) is forward.Zero and tangent.aval is jax.typeof(out).to_tangent_aval()


def test_a_zero_comes_out_as_numbers_of_the_result():
    out = jax.jvp(lambda x: (x, jnp.ones(2), 3, True), (1.0,), (2.0,))[1]
    assert [np.shape(t) for t in out] == [(), (2,), (), ()]
    assert out[0] == 2.0 and out[1].tolist() == [0.0, 0.0]
    assert [np.asarray(t).dtype for t in out[2:]] == [float0, float0]


def test_a_zero_is_a_pytree_without_leaves():
    zero = forward.Zero(F32)
    xs, same = jax.vmap(lambda x, z: (x, z), in_axes=(0, None))(jnp.arange(2), zero)
    assert xs.tolist() == [0, 1] and type(same) is forward.Zero and same.aval is F32


@pytest.mark.parametrize("x, y, want", [
    (forward.Zero(F32), forward.Zero(F32), None), (forward.Zero(F32), np.float32(2), 2.0),
    (np.float32(3), forward.Zero(F32), 3.0), (np.float32(3), np.float32(2), 5.0),
])
def test_sums_of_tangents(x, y, want):
    got = forward.add_tangents(x, y)
    assert forward.is_nonzero(got) is (want is not None)
    assert want is None or np.asarray(got).item() == want


def test_zeros_as_numbers():
    numbers = forward.instantiate_zeros(forward.Zero(ShapedArray((2,), "float32", True)))
    assert numbers.tolist() == [0.0, 0.0] and numbers.weak_type
    nothing = forward.Zero.from_primal_value(np.arange(2))
    assert repr(nothing) == "Zero(float0[2])"
    assert forward.instantiate_zeros(nothing).dtype == float0
    assert forward.instantiate_zeros("t") == "t"


@pytest.mark.parametrize("x, out, names", [
    ((), (2, 3), ["broadcast_in_dim"]), ((3,), (3,), []),
])
def test_a_scalar_tangent_is_spread_where_the_result_is_not_scalar(x, out, names):
    for f in (lambda x: lax.add(x, np.ones(out, np.float32)),
              lambda x: lax.sub(x, np.ones(out, np.float32))):
        got, closed = push(f, np.ones(x, np.float32))
        assert got == names and closed.out_avals[0].shape == out


def test_only_what_has_a_tangent_is_boxed():
    seen = []

    def f(x, n, y):
        seen.append([type(v).__name__ for v in (x, n, y, n + 1, x + n)])
        return x * n

    jax.jvp(f, (1.0, 2, np.float32(3)), (1.0, np.zeros((), float0), np.float32(1)))
    assert seen == [["JVPTracer", "int", "JVPTracer", "int", "JVPTracer"]]


# Rules.


def identity(name):
    p = Primitive(name)
    p.def_impl(lambda *xs: np.asarray(sum(xs)))
    p.def_abstract_eval(lambda *avals: avals[0])
    return p


def test_a_missing_rule_names_its_table():
    p = identity("bare")
    with pytest.raises(NotImplementedError) as caught:
        jax.jvp(p.bind, (1.0,), (1.0,))
    assert "bare has no JVP rule" in str(caught.value)
    assert "primitive_jvps[bare_p] = rule" in str(caught.value)
    assert jax.jvp(lambda x: x * 2.0 + p.bind(3.0), (1.0,), (1.0,))[1] == 2.0  # none is needed


def test_defjvp_and_defjvp2_skip_operands_without_rule_or_tangent():
    p, q, calls = identity("p"), identity("q"), []

    def rule(i):
        return lambda g, *args: calls.append((i, args)) or g * i

    forward.defjvp(p, rule(1), None, rule(3))
    forward.defjvp2(q, rule(1), None, rule(3))
    x = tuple(map(np.float32, (10, 20, 30)))
    for r, args in ((p, x), (q, (np.float32(60), *x))):
        calls.clear()
        out, tangent = jax.jvp(lambda *xs, r=r: r.bind(*xs), x, x)
        assert (out, tangent) == (60.0, 10.0 + 90.0) and calls == [(1, args), (3, args)]
        calls.clear()
        assert jax.jvp(lambda a, r=r: r.bind(x[0], x[1], a), x[:1], x[:1])[1] == 30.0
        assert [i for i, _ in calls] == [3]
        assert jax.jvp(lambda a, r=r: r.bind(x[0], a, x[2]), x[:1], x[:1])[1] == 0.0


def test_a_rule_runs_under_the_parent():
    """What it is given, and what it makes, belongs to the trace outside."""
    p, seen = identity("p"), []

    def rule(primals, tangents):
        seen.append([isinstance(x, Tracer) for x in (*primals, *tangents)])
        return primals[0], tangents[0]

    forward.primitive_jvps[p] = rule
    jax.jvp(p.bind, (1.0,), (1.0,))
    jax.jit(lambda x: jax.jvp(p.bind, (x,), (1.0,)))(1.0)
    assert seen == [[False, False], [True, False]]


@pytest.mark.parametrize("x, want", [(0.0, 0.5), (1.0, 1.0), (-1.0, 0.0)])
def test_where_max_ties_the_tangent_is_shared(x, want):
    assert jax.jvp(lambda x: lax.max(x, np.float32(0)), (np.float32(x),), (np.float32(1),))[1] \
        == want


@pytest.mark.parametrize("f, x, want", [
    (lambda x: lax.reduce_max(x, (0,)), [1, 3, 3], [0, 0.5, 0.5]),
    (lambda x: lax.reduce_min(x, (0,)), [1, 1, 3], [0.5, 0.5, 0]),
    (lax.abs, 0.0, 1.0), (lambda x: lax.pow(np.float32(0), x), 2.0, 0.0),
    (lambda x: lax.integer_pow(x, 1), 5.0, 1.0), (lambda x: lax.integer_pow(x, 2), 5.0, 10.0),
    (lambda x: lax.integer_pow(x, -1), 2.0, -0.25),
    (lambda x: lax.rem(x, np.float32(3)), 7.0, 1.0),
    (lambda x: lax.rem(np.float32(7), x), 3.0, -2.0),
    (lambda x: lax.rem(np.float32(-7), x), 3.0, 2.0), (lax.tanh, 20.0, 0.0),
])
def test_derivatives_at_the_edges(f, x, want):
    x = np.array(x, np.float32)
    basis = np.eye(x.size, dtype=np.float32).reshape(x.size, *x.shape)
    slopes = [np.asarray(jax.jvp(f, (x,), (e,))[1]).item() for e in basis]
    np.testing.assert_allclose(np.reshape(slopes, x.shape), want, atol=1e-7)


# What jvp refuses, and what it tells of itself.

ONES = np.ones(2, np.float32)
REFUSED = {
    "no function": (lambda: jax.jvp(1, (1.0,), (1.0,)), TypeError, "jvp takes a function.*got 1"),
    "no tuples": (lambda: jax.jvp(jnp.sin, 1.0, 1.0), TypeError, "got float and float"),
    "tuple and list": (lambda: jax.jvp(jnp.sin, (1.0,), [1.0]), TypeError, "got tuple and list"),
    "structures": (lambda: jax.jvp(jnp.sin, ((1.0,),), ([1.0],)), TypeError, "of the structure"),
    "too many": (lambda: jax.jvp(jnp.sin, (1.0,), (1.0, 1.0)), TypeError, "of the structure"),
    "dtype": (lambda: jax.jvp(jnp.sin, (1.0,), (1,)), TypeError,
              r"type float32\[\] .*~int32\[\]\.$"),
    "int with int": (lambda: jax.jvp(jnp.sin, (1,), (1,)), TypeError,
                     r"type float0\[\] .*~int32\[\]\. .*dtypes.float0"),
    "shape": (lambda: jax.jvp(jnp.sin, (ONES,), (np.ones(3, np.float32),)), ValueError,
              r"type float32\[2\] .* type float32\[3\]\.$"),
    "a string": (lambda: jax.jvp(jnp.sin, ("a",), ("a",)), TypeError, "'a' of type str"),
    "no aux": (lambda: jax.jvp(jnp.sin, (1.0,), (1.0,), has_aux=True), TypeError,
               "jvp with has_aux=True .*pair"),
    "three for a pair": (lambda: jax.jvp(lambda x: (x, x, x), (1.0,), (1.0,), has_aux=True),
                         TypeError, r"returned PyTreeDef\(\(\*, \*, \*\)\)"),
    "a result that is none": (lambda: jax.jvp(lambda x: "a", (1.0,), (1.0,)), TypeError,
                              "'a' of type str"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case):
    call, error, words = REFUSED[case]
    with pytest.raises(error, match=words):
        call()


def test_aux_leaves_the_trace_and_may_hold_anything():
    def f(x):
        return x * x, {"x": x, "y": jnp.sin(x), "s": "text", "n": None}

    out, tangent, aux = jax.jvp(f, (3.0,), (1.0,), has_aux=True)
    assert (out, tangent, aux["s"], aux["n"]) == (9.0, 6.0, "text", None)
    assert not isinstance(aux["x"], Tracer) and aux["x"] == 3.0
    assert aux["y"] + 0 == np.sin(np.float32(3.0))


def test_aux_of_an_inner_function_stays_in_the_outer_trace():
    def inner(x, y):
        return jax.jvp(lambda x: (x * y, x + y), (x,), (1.0,), has_aux=True)[2]

    assert jax.grad(inner, 1)(2.0, 3.0) == 1.0


@pytest.mark.parametrize("f, args, kwargs, names", [
    (lambda x, y: 0, ({"a": 1, "b": [2, 3]}, 4), {}, ["x['a']", "x['b'][0]", "x['b'][1]", "y"]),
    (lambda x, *rest, k: 0, (1, 2, (3, 4)), {"k": 5}, ["x", "rest[0]", "rest[1][0]", "rest[1][1]",
                                                      "k"]),
    (max, (1, 2), {}, ["args[0]", "args[1]"]),
])
def test_names_of_arguments(f, args, kwargs, names):
    info = debug_info("jit", f, args, kwargs)
    assert list(map(info.arg_name, range(len(names)))) == names
    assert info.arg_name(len(names)) is None
