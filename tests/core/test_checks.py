"""jax_enable_checks: a rule whose results have other types than its type rule says is found."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.core.extend import (
    Array,
    JaxprTypeError,
    Primitive,
    ShapedArray,
    Zero,
    cast,
    fancy_primitive_batchers,
    numpy_primitive,
    primitive_batchers,
    primitive_jvps,
    primitive_linearizations,
    primitive_transposes,
    typeof,
)
from minijax.lax.primitive_makers import numpy_primitive_several

XS = np.ones(3, np.float32)
F16 = np.dtype("float16")


@pytest.fixture(autouse=True)
def checks():
    with jax.enable_checks():
        yield


def make_primitive(multiple_results=False):
    """The identity, with rules that keep their promise; of two results, both are the operand."""
    p = Primitive("promise")
    p.multiple_results = multiple_results

    def results(x):
        return [x, x] if multiple_results else x

    p.def_impl(results)
    p.def_abstract_eval(results)
    primitive_jvps[p] = lambda primals, tangents: (p.bind(*primals), p.bind(*tangents))
    primitive_batchers[p] = lambda args, dims: (p.bind(*args), results(dims[0]))

    def transpose(ct, x):
        cts = [c for c in (ct if multiple_results else [ct]) if type(c) is not Zero]
        return [sum(cts[1:], start=cts[0])]

    primitive_transposes[p] = transpose
    return p


def fails(match, fun, *args):
    with pytest.raises(JaxprTypeError, match=match):
        fun(*args)
    with jax.enable_checks(False):
        fun(*args)  # nobody looks


@pytest.mark.parametrize("multiple_results", [False, True])
def test_promises_that_are_kept(multiple_results):
    p = make_primitive(multiple_results)

    def f(x):
        out = p.bind(lax.sin(x))
        return out[0] * out[1] if multiple_results else out * out

    want = 2 * np.sin(XS) * np.cos(XS)
    for g in (f, jax.jit(f)):
        np.testing.assert_allclose(jax.vmap(jax.grad(g))(XS), want, rtol=1e-6)
        np.testing.assert_allclose(jax.jvp(g, (XS,), (XS,))[1], want, rtol=1e-6)
        np.testing.assert_allclose(jax.jit(jax.vmap(jax.grad(g)))(XS), want, rtol=1e-6)


# Implementations.


@pytest.mark.parametrize("wrong", [
    lambda x: x[:2], lambda x: x[None], lambda x: cast(x, F16), lambda x: cast(x, np.dtype("int32"))
])  # fmt: skip
def test_a_wrong_implementation(wrong, on_numba):
    p = make_primitive()
    p.def_impl(lambda x: wrong(jnp.asarray(x)))
    fails("implementation of promise", p.bind, XS)
    for checks in (True, False):  # a compiled program relies on the types: it always looks
        with jax.enable_checks(checks), pytest.raises(JaxprTypeError, match="tion of promise"):
            jax.jit(p.bind)(XS)


def test_a_numpy_function_of_another_shape():
    """What the array says of itself is the promise: its values are looked at."""
    one = numpy_primitive("short", lambda x: x, lambda x: x[:2])
    fails("NumPy function of short", one.bind, XS)
    two = numpy_primitive_several("shorts", lambda x: [x, x], lambda x: [x, x[:2]])
    fails("NumPy function of shorts", two.bind, XS)


def test_a_wrong_number_of_results():
    p = make_primitive(multiple_results=True)
    p.def_impl(lambda x: [x])
    with pytest.raises(JaxprTypeError, match="implementation of promise"):
        p.bind(XS)


def test_what_is_promised_for_int8_and_computed_in_int32():
    """numpy_primitive keeps the promise whatever NumPy makes; one's own implementation may not."""
    def types(x, *, axis):
        return x

    running_p = numpy_primitive("running", types, lambda x, axis: np.cumsum(x, axis))
    x = np.array([100, 100], np.int8)
    out = running_p.bind(x, axis=0)
    assert out.dtype == np.int8 and out.tolist() == [100, -56]
    own_p = Primitive("own")
    own_p.def_abstract_eval(types)
    own_p.def_impl(lambda x, axis: Array(np.cumsum(np.asarray(x), axis, dtype=np.int32)))
    fails(r"implementation of own gave \[ShapedArray\(int32\[2\]\)\].*int8", lambda x:
          own_p.bind(x, axis=0), x)  # fmt: skip


# JVP rules.

WRONG_JVPS = {
    "another shape": lambda x, t: (x, t[:2]), "another dtype": lambda x, t: (x, cast(t, F16)),
    "another shape and dtype": lambda x, t: (x, cast(t[:2], F16)),
    "a Zero of another type": lambda x, t: (x, Zero(ShapedArray((), np.float32))),
    "a Zero of the primal's type": lambda x, t: (x, Zero(ShapedArray((3,), np.int32))),
    "another primal": lambda x, t: (x[:2], t[:2]),
}


@pytest.mark.parametrize("name", WRONG_JVPS)
def test_a_wrong_jvp_rule(name):
    p = make_primitive()
    primitive_jvps[p] = lambda primals, tangents: WRONG_JVPS[name](*primals, *tangents)
    kind = "JVP rule of" if name == "another primal" else "JVP rule's tangent of"
    x = jnp.ones(3)
    fails(f"{kind} promise", lambda: jax.jvp(lambda x: p.bind(x), (x,), (x,)))
    for transform in (lambda f: lambda: jax.linearize(f, x), lambda f: lambda: jax.vjp(f, x),
                      lambda f: jax.jit(lambda: jax.jvp(f, (x,), (x,))),
                      lambda f: lambda: jax.jvp(jax.jit(f), (x,), (x,))):  # fmt: skip
        with pytest.raises(JaxprTypeError, match=f"{kind} promise"):
            transform(lambda x: p.bind(x))()


def test_the_tangent_of_an_integer_result():
    """Its type is float0."""
    p = make_primitive()
    p.def_abstract_eval(lambda x: x.update(dtype=np.dtype("int32")))
    p.def_impl(lambda x: lax.convert_element_type(x, "int32"))
    primitive_jvps[p] = lambda primals, tangents: (p.bind(*primals), tangents[0])
    fails("JVP rule's tangent", lambda: jax.jvp(p.bind, (jnp.ones(3),), (jnp.ones(3),))[0])
    primitive_jvps[p] = lambda primals, tangents: (
        out := p.bind(*primals), Zero.from_primal_value(out)
    )  # fmt: skip
    assert jax.jvp(p.bind, (jnp.ones(3),), (jnp.ones(3),))[0].dtype == np.int32


def test_a_wrong_linearize_rule():
    p = make_primitive()

    def rule(nonzeros, x):
        return p.bind(x), [True], [], lambda residuals, t: lax.reshape(t, (3, 1))

    primitive_linearizations[p] = rule
    fails("JVP rule's tangent of promise", lambda: jax.linearize(lambda x: p.bind(x), XS))


# Batching rules.

WRONG_BATCHERS = {
    "elsewhere": lambda p, x, d: (p.bind(x), 1 - d),
    "cut off": lambda p, x, d: (p.bind(x)[:, :2], d), "cast": lambda p, x, d: (cast(x, F16), d),
    "kept": lambda p, x, d: (p.bind(x), None),
}


@pytest.mark.parametrize("fancy", [False, True])
@pytest.mark.parametrize("name", WRONG_BATCHERS)
def test_a_wrong_batching_rule(name, fancy):
    p, wrong = make_primitive(), WRONG_BATCHERS[name]
    if fancy:
        fancy_primitive_batchers[p] = lambda axis, args, dims: wrong(p, *args, *dims)
    else:
        primitive_batchers[p] = lambda args, dims: wrong(p, *args, *dims)
    for transform in (
        jax.vmap, lambda f: jax.vmap(jax.jit(f)), lambda f: jax.jit(jax.vmap(f)),
        lambda f: jax.vmap(lambda x: jax.jvp(f, (x,), (x,))), lambda f: jax.vmap(jax.grad(
            lambda x: jnp.sum(f(x)))),
    ):  # fmt: skip
        with pytest.raises(JaxprTypeError, match="batching rule of promise"):
            transform(lambda x: p.bind(x))(jnp.ones((2, 3)))


# Transpose rules.

WRONG_TRANSPOSES = {
    "another shape": lambda ct: [ct[:2]], "another dtype": lambda ct: [cast(ct, F16)],
    "a Zero of another type": lambda ct: [Zero(ShapedArray((), np.float32))],
}


@pytest.mark.parametrize("name", WRONG_TRANSPOSES)
def test_a_wrong_transpose_rule(name):
    p = make_primitive()
    primitive_transposes[p] = lambda ct, x: WRONG_TRANSPOSES[name](ct)

    def f(x):
        return jnp.sum(p.bind(x))

    x = jnp.ones(3)
    for transform in (jax.grad, lambda f: jax.jit(jax.grad(f)), lambda f: jax.grad(jax.jit(f)),
                      lambda f: lambda x: jax.vmap(jax.grad(f))(x[None])):  # fmt: skip
        with pytest.raises(JaxprTypeError, match="transpose rule of promise"):
            transform(f)(x)


def test_a_wrong_number_of_cotangents():
    p = make_primitive()
    primitive_transposes[p] = lambda ct, x: [ct, ct]
    with pytest.raises((JaxprTypeError, ValueError)):
        jax.grad(lambda x: jnp.sum(p.bind(x)))(jnp.ones(3))


# Jaxprs, as they are made.


def test_each_jaxpr_is_checked_as_it_is_made():
    p, says = make_primitive(), []
    p.def_abstract_eval(lambda x: says.pop() if says else x)

    def f(x):
        return p.bind(x)

    for make in (lambda: jax.make_jaxpr(f)(XS), lambda: jax.jit(f)(XS),
                 lambda: jax.vjp(f, XS)):  # fmt: skip
        says[:] = [ShapedArray((2,), np.float32)]
        with pytest.raises(JaxprTypeError):
            make()
        jax.clear_caches()
        says.clear()


def test_what_the_checks_find_is_no_part_of_what_is_computed():
    """With and without, the same programs and the same values."""
    def f(x):
        return jnp.sum(jnp.where(x > 0, lax.sin(x), x) * x)

    texts, values = [], []
    for on in (True, False):
        with jax.enable_checks(on):
            texts.append(str(jax.make_jaxpr(jax.grad(jax.jit(f)))(XS)))
            values.append(np.asarray(jax.grad(jax.jit(f))(XS)))
    assert texts[0] == texts[1]
    np.testing.assert_array_equal(*values)


def test_weak_types_may_differ():
    """A rule may give a strong type for a weak one: the values are the same."""
    p = make_primitive()
    primitive_jvps[p] = lambda primals, tangents: (
        p.bind(*primals), cast(tangents[0], np.dtype("float32"))
    )  # fmt: skip
    assert float(jax.jvp(p.bind, (1.0,), (1.0,))[1]) == 1.0


def test_the_checks_are_off_unless_they_are_asked_for():
    with jax.enable_checks(False):
        p = make_primitive()
        primitive_jvps[p] = lambda primals, tangents: (primals[0], tangents[0][:2])
        assert jax.jvp(p.bind, (jnp.ones(3),), (jnp.ones(3),))[1].shape == (2,)
    assert typeof(1.0).weak_type
