"""Reverse mode: the backward pass, the vjp function as a value, and what grad refuses."""

import re
from pathlib import Path

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.core.dtypes import float0
from minijax.core.forward import Zero, primitive_jvps
from minijax.core.reverse import UndefinedPrimal, backward_pass, deflinear2, is_undefined_primal
from minijax.core.tracing import Primitive, Tracer

X = np.arange(3, dtype=np.float32)


def back(f, *args, known=(), ct=None):
    """The cotangents of a linear function's arguments."""
    closed = jax.make_jaxpr(f)(*args)
    primals = [x if i in known else UndefinedPrimal(v.aval)
               for i, (x, v) in enumerate(zip(args, closed.invars, strict=True))]
    cts = [np.ones(v.aval.shape, np.float32) if ct is None else ct for v in closed.outvars]
    return backward_pass(closed.jaxpr, closed.consts, primals, cts)


def test_backward_pass():
    x, y, z = back(lambda x, y, z: x * lax.sin(y) + x, X, X, X, known=(1,))
    np.testing.assert_allclose(x, np.sin(X) + 1, rtol=1e-6)
    assert type(y) is Zero and type(z) is Zero
    (zero,) = back(lambda x: x * 2.0, X, ct=Zero(jax.typeof(X)))
    assert type(zero) is Zero
    place = UndefinedPrimal(jax.typeof(X))
    assert is_undefined_primal(place) and not is_undefined_primal(X)
    assert repr(place) == "UndefinedPrimal(float32[3])"


def test_cotangents_add_up_without_zeros():
    closed = jax.make_jaxpr(lambda c: back(lambda x, y: (x * 2.0, x, y), 1.0, 1.0, ct=c))(1.0)
    assert sorted(eqn.primitive.name for eqn in closed.eqns) == ["add_any", "mul"]


@pytest.mark.parametrize("f, shape, want", [
    (lambda x: lax.broadcast_in_dim(x, (2, 3), (1,)), (3,), 2.0),
    (lambda x: lax.broadcast_in_dim(x, (4, 3), (0, 1)), (1, 3), 4.0),
    (lambda x: lax.add(x, np.ones((2, 3), np.float32)), (), 6.0),
    (lambda x: lax.mul(x, np.full((2, 3), 2.0, np.float32)), (2, 1), 6.0),
    (lambda x: lax.div(x, np.full((2, 3), 2.0, np.float32)), (), 3.0),
    (lambda x: lax.slice(x, (1,), (4,), (2,)), (5,), [0, 1, 0, 1, 0]),
    (lambda x: lax.pad(x, np.float32(0), [(-1, 2, 1)]), (3,), [0, 1, 1]),
    (lambda x: lax.pad(np.ones(2, np.float32), x, [(1, 2, 1)]), (), 4.0),
    (lambda x: lax.select(np.array([True, False]), x, -x), (2,), [1, -1]),
    (lambda x: lax.concatenate([x, x, np.ones(1, np.float32)], 0), (2,), 2.0),
    (lambda x: lax.reduce_sum(x, (0,)), (2, 3), 1.0),
])
def test_transposes_that_sum_or_place(f, shape, want):
    x = np.ones(shape, np.float32)
    out, f_vjp = jax.vjp(f, x)
    (ct,) = f_vjp(np.ones(out.shape, np.float32))
    assert ct.shape == shape
    np.testing.assert_array_equal(ct, np.broadcast_to(np.float32(want), shape))


@pytest.mark.parametrize("f, equation", [
    (lambda x: lax.mul(x, x), "= mul b b"),
    (lambda x: lax.div(2.0, x), "= div 2.0:f32[] b"),
    (lambda x: lax.dot_general(x, x, (((), ()), ((), ()))), "= dot_general["),
    (lambda x: jax.jit(lambda x: lax.mul(x, x))(x), "= mul b b"),
])
def test_a_program_that_is_not_linear_is_refused(f, equation):
    with pytest.raises(TypeError, match="This program is not linear") as caught:
        back(f, 1.0)
    message = str(caught.value)
    assert equation in message and message.count(f"{Path(__file__).name}:") == 1
    with pytest.raises(TypeError, match=r"UndefinedPrimal\(float32\[\]\) has no value"):
        jax.typeof(UndefinedPrimal(jax.typeof(1.0).update(weak_type=False)))


def test_missing_rules_are_named():
    p = Primitive("bare")
    p.def_impl(lambda x: x)
    p.def_abstract_eval(lambda x: x)
    primitive_jvps[p] = lambda primals, tangents: (p.bind(*primals), p.bind(*tangents))
    with pytest.raises(NotImplementedError) as caught:
        jax.grad(p.bind)(1.0)
    assert "bare has no transpose rule" in str(caught.value)
    assert "primitive_transposes[bare_p] = rule" in str(caught.value)
    deflinear2(p, lambda ct, x: [lax.mul(ct, 5.0) if x.aval.shape == () else ct])
    assert jax.grad(p.bind)(1.0) == 5.0


# The vjp function.


def test_it_may_be_used_twice_and_passes_through_jit():
    out, f_vjp = jax.vjp(lambda x: jnp.sin(x) * x, X)
    want = np.sin(X) + X * np.cos(X)
    for c in (1.0, 2.0, -1.0):
        np.testing.assert_allclose(f_vjp(np.full(3, c, np.float32))[0], c * want, rtol=1e-5)
    traces = []
    apply = jax.jit(lambda g, c: traces.append(1) or g(c))
    for _ in range(2):
        np.testing.assert_allclose(apply(f_vjp, np.ones(3, np.float32))[0], want, rtol=1e-5)
    assert len(traces) == 1
    returned = jax.jit(lambda x: jax.vjp(jnp.sin, x)[1])(X)
    np.testing.assert_allclose(returned(np.ones(3, np.float32))[0], np.cos(X), rtol=1e-6)


def test_integers_have_float0_for_cotangents():
    out, f_vjp = jax.vjp(lambda d: {"y": d["x"] * d["n"], "n": d["n"]}, {"x": 3.0, "n": 2})
    (ct,) = f_vjp({"y": 1.0, "n": np.zeros((), float0)})
    assert ct["x"] == 2.0 and np.asarray(ct["n"]).dtype == float0


@pytest.mark.parametrize("ct, words", [
    ((1.0, 1.0), "structure"), ({"y": X, "z": X}, "structure"), (X, "structure"),
    ({"y": X[:2]}, r"(?s)float32\[3\].*not\sfloat32\[2\]"),
    ({"y": X.astype(int)}, r"(?s)float32\[3\].*not\sint32\[3\]"),
    ({"y": X.astype(np.float16)}, r"not\sfloat16"),
])
def test_cotangents_unlike_the_result(ct, words):
    _, f_vjp = jax.vjp(lambda x: {"y": x * 2}, X)
    with pytest.raises(ValueError, match=words):
        f_vjp(ct)
    assert f_vjp({"y": X})[0].tolist() == [0.0, 2.0, 4.0]


# grad.


@pytest.mark.parametrize("f, args, options, words", [
    (lambda x: x, (X,), {}, r"returned float32\[3\]. Sum or average"),
    (lambda x: (x, x), (1.0,), {}, "has_aux=True"), (lambda x: None, (1.0,), {}, "returned None"),
    (lambda x: 1, (1.0,), {}, r"float result.*int32"), (lambda x: x > 0, (1.0,), {}, "bool"),
    (lambda x: x * 1j, (1.0,), {}, "complex64"), (lambda x: x, (1j,), {}, "complex64.*Use vjp"),
    (lambda x: x * 1.0, (1,), {}, r"by ~int32\[\] for x.*allow_int"),
    (lambda x: x * 1.0, (True,), {}, r"by bool\[\] for x"),
    (lambda x: x["a"], ({"a": 1.0, "b": 1},), {}, r"by ~int32\[\] for x\['b'\]"),
    (lambda x: x, (1.0,), {"argnums": 1}, r"arguments \(1,\).*1 positional"),
    (lambda x: x, (1.0,), {"argnums": (0, 3)}, r"arguments \(0, 3\)"),
    (lambda x: x, (), {}, "0 positional"), (lambda x: x, (1.0,), {"holomorphic": True}, "holom"),
    (lambda x: x, (1.0,), {"has_aux": True}, "has_aux=True .*pair"),
    (lambda x: x, ("a",), {}, "'a'"),
])
@pytest.mark.parametrize("transformation", [jax.grad, jax.value_and_grad])
def test_refused(transformation, f, args, options, words):
    with pytest.raises(TypeError, match=words) as caught:
        transformation(f, **options)(*args)
    if words not in ("'a'", "has_aux=True .*pair"):
        assert str(caught.value).startswith(transformation.__name__)


def test_a_missing_aux_is_reported_by_the_function_that_was_called():
    with pytest.raises(TypeError, match="^grad with has_aux"):
        jax.grad(lambda x: x, has_aux=True)(1.0)


@pytest.mark.parametrize("transformation", [jax.grad, jax.value_and_grad, jax.jacfwd, jax.jacrev])
@pytest.mark.parametrize("argnums", [(), -3, (0, -3)])
def test_argnums_without_arguments(transformation, argnums):
    with pytest.raises(ValueError, match=r"needs argnums of 2 positional.*got \("):
        transformation(lambda x, y: x * y, argnums=argnums)(2.0, 3.0)


@pytest.mark.parametrize("transformation", [jax.grad, jax.jacfwd, jax.jacrev])
def test_argnums_of_other_kinds(transformation):
    def f(x, y):
        return x * y

    assert transformation(f, argnums=np.int64(1))(2.0, 3.0) == 2.0
    for argnums in [np.array([0, 1]), {0, 1}, [0, 1]]:
        assert transformation(f, argnums=argnums)(2.0, 3.0) == (3.0, 2.0)


def test_a_pair_with_aux_may_be_a_list():
    assert jax.grad(lambda x: [x * x, "aux"], has_aux=True)(3.0) == (6.0, "aux")


def test_an_argument_that_is_named_twice():
    """JAX refuses it with a TypeError."""
    with pytest.raises(TypeError):
        jax.grad(lambda x, y: x * y, argnums=(0, 0))(2.0, 3.0)


@pytest.mark.parametrize("argnums, args, name", [
    (1, (1.0, 2), "second"), ((2, 1), (1.0, 2.0, {"a": 3}), "third['a']"), (-1, ("x", 1), "second"),
])
@pytest.mark.parametrize("transformation", [jax.grad, jax.value_and_grad, jax.jacfwd, jax.jacrev])
def test_the_argument_that_is_no_float_is_named(transformation, argnums, args, name):
    with pytest.raises(TypeError, match=f"by .* for {re.escape(name)}. Give"):
        transformation(lambda first, second, third=0: first, argnums)(*args)


@pytest.mark.parametrize("cts", [(), (1.0, 2.0)])
def test_a_vjp_function_takes_one_cotangent(cts):
    _, f_vjp = jax.vjp(lambda x: (x, x), 1.0)
    with pytest.raises(TypeError, match=rf"one cotangent, .*\(\*, \*\).*got {len(cts)}"):
        f_vjp(*cts)


@pytest.mark.parametrize("argnums, want", [
    (0, 3.0), (1, 2.0), (-1, 2.0), ((0,), (3.0,)), ((1, 0), (2.0, 3.0)), ([0, -1], (3.0, 2.0)),
])
def test_argnums(argnums, want):
    assert jax.grad(lambda x, y, k=1: x * y * k, argnums)(2.0, 3.0) == want
    value, got = jax.value_and_grad(lambda x, y, k=1: x * y * k, argnums)(2.0, 3.0, k=1)
    assert (value, got) == (6.0, want)


def test_allow_int():
    x, n = jax.grad(lambda x, n: x * n, (0, 1), allow_int=True)(2.0, 3)
    assert x == 3.0 and np.asarray(n).dtype == float0


def test_aux_may_be_anything():
    def f(x):
        return x * x, {"text": "s", "none": None, "x": x, "f": len}

    g, aux = jax.grad(f, has_aux=True)(3.0)
    (value, again), h = jax.value_and_grad(f, has_aux=True)(3.0)
    assert (value, g, h) == (9.0, 6.0, 6.0)
    for a in (aux, again):
        assert (a["text"], a["none"], a["f"], a["x"]) == ("s", None, len, 3.0)
        assert not isinstance(a["x"], Tracer)


def test_the_gradient_is_like_its_argument():
    args = {"a": np.ones(2, np.float16), "b": [jnp.ones((), jnp.bfloat16), 1.0], "c": None}
    g = jax.grad(lambda d: sum(jnp.sum(x.astype(float) * 2) if hasattr(x, "astype") else x
                               for x in jax.tree.leaves(d)))(args)
    assert jax.tree.structure(g) == jax.tree.structure(args)
    leaves = jax.tree.leaves(g)
    assert [x.dtype for x in leaves] == [np.float16, jnp.bfloat16, np.float32]
    assert [x.weak_type for x in leaves] == [False, False, True]
