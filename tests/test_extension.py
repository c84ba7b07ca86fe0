"""Primitives defined outside the package, with all rules, through `minijax.core.extend` alone."""

from pathlib import Path

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from composition_meanings import nestings
from kernel_runs import on_backend
from minijax.core.extend import (
    Primitive,
    ShapedArray,
    check_jaxpr,
    eval_jaxpr,
    instantiate_zeros,
    is_undefined_primal,
    primitive_batchers,
    primitive_jvps,
    primitive_transposes,
)
from test_layering import imports_of, modules_below

TESTS = Path(__file__).resolve().parent

# sinc_p: sin(k x) / x. One result, one setting; its derivative uses the primitive itself.

sinc_p = Primitive("sinc")


def sinc(x, k=1.0):
    return sinc_p.bind(jnp.asarray(x), k=k)


@sinc_p.def_impl
def sinc_impl(x, *, k):
    x = np.asarray(x)
    return jnp.asarray(np.sin(k * x) / x)


@sinc_p.def_abstract_eval
def sinc_abstract_eval(x, *, k):
    return ShapedArray(x.shape, x.dtype)


def sinc_jvp(primals, tangents, *, k):
    [x], [dx] = primals, tangents
    y = sinc(x, k)
    return y, dx * (k * jnp.cos(k * x) - y) / x


def sinc_batcher(args, dims, *, k):
    [x], [d] = args, dims
    return sinc(x, k), d


primitive_jvps[sinc_p] = sinc_jvp
primitive_batchers[sinc_p] = sinc_batcher


# swirl_p: (x, y) -> (x + a y, y - a x). Two results, linear in both arguments.

swirl_p = Primitive("swirl")
swirl_p.multiple_results = True


def swirl(x, y, a=1.0):
    return swirl_p.bind(x, y, a=a)


@swirl_p.def_impl
def swirl_impl(x, y, *, a):
    x, y = np.asarray(x), np.asarray(y)
    a = x.dtype.type(a)
    return [jnp.asarray(x + a * y), jnp.asarray(y - a * x)]


@swirl_p.def_abstract_eval
def swirl_abstract_eval(x, y, *, a):
    if x.shape != y.shape or x.dtype != y.dtype:
        raise TypeError(f"swirl needs two arguments of one type, got {x} and {y}")
    return [ShapedArray(x.shape, x.dtype), ShapedArray(y.shape, y.dtype)]


def swirl_jvp(primals, tangents, *, a):
    return swirl(*primals, a), swirl(*map(instantiate_zeros, tangents), a)


def swirl_transpose(cts, x, y, *, a):
    assert is_undefined_primal(x) or is_undefined_primal(y)
    aval = (x if is_undefined_primal(x) else y).aval
    assert aval.shape == cts[0].aval.shape
    back = swirl(*map(instantiate_zeros, cts), -a)
    return [ct if is_undefined_primal(arg) else None
            for ct, arg in zip(back, (x, y), strict=True)]


def swirl_batcher(args, dims, *, a):
    size = next(x.shape[d] for x, d in zip(args, dims, strict=True) if d is not None)
    args = [
        jnp.broadcast_to(x, (size, *x.shape)) if d is None else jnp.moveaxis(x, d, 0)
        for x, d in zip(args, dims, strict=True)
    ]
    return swirl(*args, a), [0, 0]


primitive_jvps[swirl_p] = swirl_jvp
primitive_transposes[swirl_p] = swirl_transpose
primitive_batchers[swirl_p] = swirl_batcher


def f(x, y):
    """Both primitives beside base ones, closures and a jit."""
    u, v = jax.jit(lambda x, y: swirl(x * y, jnp.sin(y), 0.5))(x, y)
    return sinc(u, 2.0) * v + jnp.cos(x)


def f_plain(x, y):
    """The same without primitives of our own."""
    u, v = x * y + 0.5 * jnp.sin(y), jnp.sin(y) - 0.5 * x * y
    return jnp.sin(2.0 * u) / u * v + jnp.cos(x)


def by_jit(f):
    return jax.jit(f)


def by_vmap(f):
    def g(x, y):
        return jnp.sum(jax.vmap(f, (None, 0))(x, jnp.stack([y, 2 * y])))

    return g


def by_jvp(f):
    return lambda x, y: jax.jvp(f, (x, y), (y, x))[1]


def by_linearize(f):
    return lambda x, y: jax.linearize(f, x, y)[1](y, x)


def by_grad(f):
    return lambda x, y: sum(jax.grad(f, (0, 1))(x, y))


def by_vjp(f):
    return lambda x, y: jax.vjp(lambda y: f(x, y), y)[1](x)[0]


STEPS = (by_jit, by_vmap, by_jvp, by_linearize, by_grad, by_vjp)


def name(step):
    return step.__name__.removeprefix("by_")


@pytest.mark.parametrize(
    "steps", nestings(STEPS, name), ids=lambda steps: "(".join(map(name, steps)) or "plain"
)
def test_composed_with_everything(steps):
    got, want = f, f_plain
    for step in reversed(steps):
        got, want = step(got), step(want)
    with jax.enable_x64(True):
        x, y = jnp.asarray(0.7), jnp.asarray(0.4)
        np.testing.assert_allclose(got(x, y), want(x, y), rtol=1e-9)
        closed = jax.make_jaxpr(got)(x, y)
        check_jaxpr(closed.jaxpr)
        again = eval_jaxpr(closed.jaxpr, closed.consts, x, y)
        np.testing.assert_allclose(again[0], want(x, y), rtol=1e-9)


def test_printed_like_any_other():
    text = str(jax.make_jaxpr(lambda x: swirl(sinc(x, 3.0), x, 2.0))(1.0))
    assert text == (
        "{ lambda ; a:f32[]. let\n"
        "    b:f32[] = sinc[k=3.0] a\n"
        "    c:f32[] d:f32[] = swirl[a=2.0] b a\n"
        "  in (c, d) }"
    )


def test_batched_with_another_axis():
    xs, ys = np.ones((2, 3), np.float32), np.arange(6, dtype=np.float32).reshape(3, 2)
    u, v = jax.vmap(swirl, in_axes=(1, 0))(xs, ys)
    np.testing.assert_array_equal(u, xs.T + ys)
    np.testing.assert_array_equal(v, ys - xs.T)


def test_an_error_of_its_type_rule_comes_through():
    with pytest.raises(TypeError, match="swirl needs two arguments of one type"):
        jax.jit(swirl)(1.0, jnp.ones(3))


def test_without_rules_the_missing_one_is_named():
    bare_p = Primitive("bare")
    bare_p.def_impl(lambda x: x)
    bare_p.def_abstract_eval(lambda x: x)
    x = jnp.asarray(1.0)
    assert float(bare_p.bind(x)) == 1.0
    with pytest.raises(NotImplementedError, match="bare"):
        jax.jvp(bare_p.bind, (x,), (x,))
    with pytest.raises(NotImplementedError, match="bare"):
        jax.vmap(bare_p.bind)(jnp.ones(2))
    primitive_jvps[bare_p] = lambda primals, tangents: (primals[0], bare_p.bind(tangents[0]))
    with pytest.raises(NotImplementedError, match="bare"):
        jax.grad(bare_p.bind)(x)


@pytest.mark.parametrize(
    "file", [Path(__file__), *sorted((TESTS / "examples").glob("*.py"))], ids=lambda file: file.name
)
def test_of_the_core_only_extend_is_imported(file):
    modules = {**modules_below(TESTS.parent), "outside": file}
    names = {name for name, _ in imports_of("outside", modules)}
    core = {name for name in names if name.split(".")[:2] == ["minijax", "core"]}
    assert core <= {"minijax.core.extend"}


@pytest.mark.parametrize("backend", ["numba", "numpy"])
def test_an_implementation_in_numpy_runs_within_programs(backend):
    """JAX's page on primitives defines one so: NumPy's functions return NumPy's values."""
    twice_p = Primitive("twice")
    twice_p.def_impl(lambda x: np.multiply(x, 2))
    twice_p.def_abstract_eval(lambda x: x)
    with on_backend(backend):
        for x in (2.0, np.arange(3, dtype=np.float32)):
            got = jax.jit(lambda x: twice_p.bind(twice_p.bind(x) + 1) * 2)(x)
            np.testing.assert_array_equal(got, (np.asarray(x) * 2 + 1) * 4)


@pytest.mark.parametrize("impl", [
    lambda x: np.zeros(5, "float32"), lambda x: np.zeros(3, "int32"), lambda x: None, jnp.isnan,
])  # fmt: skip
def test_a_kernel_reads_no_array_of_another_type_than_was_declared(impl):
    """Whose function computes it says nothing of whose primitive it is."""
    odd_p = Primitive("odd")
    odd_p.def_impl(impl)
    odd_p.def_abstract_eval(lambda x: x)
    with on_backend("numba"), pytest.raises(TypeError, match="implementation of odd|None of"):
        jax.jit(lambda x: odd_p.bind(x) + 1)(np.ones(3, "float32"))


def test_rules_are_handed_tuples_as_in_jax():
    """Rules that JAX's page on primitives defines print what they get."""
    twice_p, seen = Primitive("twice"), []
    twice_p.def_impl(lambda x: np.multiply(x, 2))
    twice_p.def_abstract_eval(lambda x: x)

    def jvp_rule(primals, tangents):
        seen.append((type(primals), type(tangents)))
        return twice_p.bind(*primals), twice_p.bind(*tangents)

    def batcher(args, dims):
        seen.append((type(args), type(dims), dims))
        return twice_p.bind(*args), dims[0]

    primitive_jvps[twice_p], primitive_batchers[twice_p] = jvp_rule, batcher
    x = np.ones((2, 3), np.float32)
    jax.jvp(twice_p.bind, (x,), (x,))
    jax.vmap(twice_p.bind)(x)
    assert seen == [(tuple, tuple), (tuple, tuple, (0,))]
