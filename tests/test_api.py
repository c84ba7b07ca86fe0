"""Jacobians and Hessians of pytrees, and closures without tracers."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax.core.tracing import Tracer

X = np.array([1.0, 2.0], np.float32)
jacobians = pytest.mark.parametrize("jac", [jax.jacfwd, jax.jacrev])
MAKERS = {"jacfwd": jax.jacfwd, "jacrev": jax.jacrev}


@jacobians
def test_pytrees(jac):
    def f(d, y):
        return {"sum": d["a"] + d["b"][0] * y, "dot": (jnp.sum(d["a"] * d["a"]),)}

    args = {"a": X, "b": [np.float32(3.0)]}, X
    in_d = jac(f)(*args)
    assert {k: np.shape(v) for k, v in in_d["sum"].items() if k == "a"} == {"a": (2, 2)}
    np.testing.assert_array_equal(in_d["sum"]["a"], np.eye(2))
    np.testing.assert_array_equal(in_d["sum"]["b"][0], X)
    np.testing.assert_array_equal(in_d["dot"][0]["a"], 2 * X)
    assert in_d["dot"][0]["b"][0] == 0.0
    both = jac(f, argnums=(1, 0))(*args)
    assert isinstance(both["sum"], tuple)
    np.testing.assert_array_equal(both["sum"][0], 3 * np.eye(2))
    np.testing.assert_array_equal(both["dot"][0][1]["a"], 2 * X)


@jacobians
@pytest.mark.parametrize("argnums, shapes", [(0, (3, 2)), (-1, (3,)), ((0,), [(3, 2)]),
                                             ((1, 0), [(3,), (3, 2)])])
def test_argnums(jac, argnums, shapes):
    got = jac(lambda x, y: jnp.stack([x[0] * y, x[1], y]), argnums)(X, np.float32(5.0))
    assert isinstance(got, tuple) is isinstance(argnums, tuple)
    assert (list(map(np.shape, got)) if isinstance(argnums, tuple) else got.shape) == shapes


@jacobians
def test_shapes_of_results_and_arguments_are_joined(jac):
    x = np.ones((2, 3), np.float32)
    got = jac(lambda x: jnp.transpose(x)[:, :, None] * 2.0)(x)
    assert got.shape == (3, 2, 1, 2, 3)
    want = np.einsum("ik,jl->jikl", np.eye(2), np.eye(3))[:, :, None] * 2
    np.testing.assert_array_equal(got, want)
    assert jac(lambda x: jnp.zeros((0, 4)) * x)(np.float32(1)).shape == (0, 4)


@jacobians
def test_has_aux(jac):
    jacobian, aux = jac(lambda x, k: (x * k, {"x": x}), has_aux=True)(X, k=3.0)
    np.testing.assert_array_equal(jacobian, 3 * np.eye(2))
    assert not isinstance(aux["x"], Tracer)
    np.testing.assert_array_equal(aux["x"], X)


def test_aux_may_be_anything_in_reverse_mode_and_arrays_in_forward_mode():
    def f(x):
        return x * 3.0, "text"

    assert jax.jacrev(f, has_aux=True)(2.0) == (3.0, "text")
    with pytest.raises(TypeError, match="'text' of type str"):
        jax.jacfwd(f, has_aux=True)(2.0)


@pytest.mark.parametrize("jac, f, args, want", [
    (jax.jacrev, lambda x: x * 1.0, (3,), (0, "int32", True)),
    (jax.jacrev, lambda x: jnp.where(x, 1.0, 2.0), (np.bool_(True),), (False, "bool", False)),
    (jax.jacfwd, lambda x: x.astype(int), (3.0,), (0, "int32", False)),
    (jax.jacfwd, lambda x: x > 0, (3.0,), (False, "bool", True)),
])
def test_jacobians_of_whole_numbers_are_zeros_of_their_type(jac, f, args, want):
    options = {"allow_int": True} if jac is jax.jacrev else {}
    got = jac(f, **options)(*args)
    assert (got.item(), str(got.dtype), got.weak_type) == want


def test_jacobians_of_integers_beside_floats():
    got = jax.jacrev(lambda x, n: x * n, (0, 1), allow_int=True)(X, np.arange(2, dtype=np.int32))
    assert [x.dtype for x in got] == [np.float32, np.int32]
    assert got[0].tolist() == [[0.0, 0.0], [0.0, 1.0]] and got[1].tolist() == [[0, 0], [0, 0]]


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("f, args, options, words", [
    (lambda x: x, (1,), {}, r"by ~int32\[\] for x. Give"),
    (lambda x: x, (1j,), {}, "~complex64"),
    (lambda x: x, (1.0,), {"argnums": 2}, r"arguments \(2,\).*1 positional"),
    (lambda x: x, (1.0,), {"holomorphic": True}, "holomorphic"),
    (lambda x: x, ("text",), {}, "'text' of type str"),
])
def test_refused(name, f, args, options, words):
    with pytest.raises(TypeError, match=words) as caught:
        MAKERS[name](f, **options)(*args)
    assert str(caught.value).startswith(name) or "'text'" in words


def test_what_is_no_function_is_refused():
    for name in ("jacfwd", "jacrev", "hessian"):
        with pytest.raises(TypeError, match="takes a function.*got 3"):
            getattr(jax, name)(3)


@jacobians
def test_a_weak_argument_has_a_weak_jacobian(jac):
    assert jac(lambda x: x * 2.0)(3.0).weak_type
    assert not jac(lambda x: x * 2.0)(np.float32(3.0)).weak_type


def test_hessian_of_pytrees():
    def f(d):
        return jnp.sum(d["a"] * d["a"]) * d["b"]

    h = jax.hessian(f)({"a": X, "b": np.float32(3.0)})
    np.testing.assert_array_equal(h["a"]["a"], 6 * np.eye(2))
    np.testing.assert_array_equal(h["a"]["b"], 2 * X)
    np.testing.assert_array_equal(h["b"]["a"], 2 * X)
    assert h["b"]["b"] == 0.0


def test_hessian_argnums_and_aux():
    ((xx, xy), (yx, yy)) = jax.hessian(lambda x, y: x * x * y, (0, 1))(2.0, 3.0)
    assert (xx, xy, yx, yy) == (6.0, 4.0, 4.0, 0.0)
    h, aux = jax.hessian(lambda x: (x * x, {"x": x}), has_aux=True)(3.0)
    assert h == 2.0 and aux["x"] == 3.0 and not isinstance(aux["x"], Tracer)


@jacobians
def test_jacobians_nest_and_run_under_jit_and_vmap(jac):
    f = lambda x: jnp.sin(x) * x[0]  # noqa: E731
    want = np.cos(X) * X[0] * np.eye(2) + np.outer(np.sin(X), [1, 0])
    np.testing.assert_allclose(jax.jit(jac(f))(X), want, rtol=1e-5)
    batched = jax.vmap(jac(f))(np.stack([X, X]))
    np.testing.assert_allclose(batched, np.stack([want, want]), rtol=1e-5)
    assert jac(jac(f))(X).shape == (2, 2, 2)


# closure_convert.


def test_only_tracers_are_hoisted():
    table = np.arange(3, dtype=np.float32)
    converted, consts = jax.closure_convert(lambda x: {"y": x * table}, 1.0)
    assert consts == [] and converted(2.0)["y"].tolist() == [0.0, 2.0, 4.0]


@pytest.mark.parametrize("outer", [jax.grad, lambda f: jax.jit(jax.grad(f)),
                                   lambda f: lambda w: jax.vmap(jax.grad(f))(jnp.stack([w]))[0]],
                         ids=["grad", "jit", "vmap"])
def test_a_closure_over_tracers_under_grad(outer):
    counts = []

    def loss(w):
        converted, consts = jax.closure_convert(lambda x, y: x * w + y * jnp.sin(w), 1.0, 1.0)
        counts.append(len(consts))
        assert all(isinstance(c, Tracer) for c in consts)
        return converted(3.0, 5.0, *consts)

    np.testing.assert_allclose(outer(loss)(jnp.asarray(2.0)), 3 + 5 * np.cos(2), rtol=1e-6)
    assert counts == [1]


def test_the_derivative_flows_through_what_is_passed_only():
    def loss(w):
        converted, consts = jax.closure_convert(lambda x: x * w, 1.0)
        return converted(3.0, *[c * 10.0 for c in consts])

    assert jax.grad(loss)(2.0) == 30.0
