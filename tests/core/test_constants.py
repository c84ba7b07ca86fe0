"""Constants are values: what an array held at that moment, whatever is written to it later."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.core.extend import ArrayImpl, Literal, check_jaxpr

F32 = np.float32


def array(*numbers):
    return np.array(numbers, F32)


# A NumPy array that changes after it was used. Each case: a function of x that closes over a.

CLOSURES = {
    "x * a": lambda a: lambda x: x * a, "a * x": lambda a: lambda x: a * x,
    "x + a": lambda a: lambda x: x + a, "x * mask": lambda a: lambda x: x * (a > 1),
    "a @ x": lambda a: lambda x: np.diag(a) @ x, "x @ a": lambda a: lambda x: x @ a,
    "where": lambda a: lambda x: jnp.where(a > 1, x, a),
    "lax.mul": lambda a: lambda x: lax.mul(a, x),
    "lax.select": lambda a: lambda x: lax.select(a > 1, x, a),
    "concatenate": lambda a: lambda x: lax.concatenate([x, a], 0),
    "returned": lambda a: lambda x: (x, a), "asarray": lambda a: lambda x: jnp.asarray(a) + x,
    "reshaped": lambda a: lambda x: lax.reshape(a, (3, 1)) * x,
    "a row": lambda a: lambda x: x * a.reshape(3, 1), "backwards": lambda a: lambda x: x * a[::-1],
    "inner jit": lambda a: lambda x: jax.jit(lambda y: y * a)(x),
    "inner vmap": lambda a: lambda x: jax.vmap(lambda y, b: y * b)(x, a),
    "inner grad": lambda a: lambda x: jax.grad(lambda y: jnp.sum(lax.sin(y * a)))(x),
    "of an int": lambda a: lambda x: x * a.astype(np.int32),
}  # fmt: skip

TRANSFORMS = {
    "jit": jax.jit, "jit(jit)": lambda f: jax.jit(jax.jit(f)),
    "jit(jvp)": lambda f: jax.jit(lambda x: jax.jvp(f, (x,), (x,))),
    "jit(vjp)": lambda f: jax.jit(lambda x: jax.vjp(f, x)[1](f(x))),
    "jit(vmap)": lambda f: jax.jit(lambda x: jax.vmap(f)(jnp.stack([x, x]))),
    "grad(jit)": lambda f: (lambda g: lambda x: jax.grad(
        lambda x: sum(map(jnp.sum, jax.tree.leaves(g(x)))))(x))(jax.jit(f)),
}  # fmt: skip


def values(tree):
    return [np.array(x) for x in jax.tree.leaves(tree)]


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("closure", CLOSURES)
def test_what_an_array_held_when_it_was_traced(closure, transform):
    a, x = array(1, 2, 3), jnp.ones(3)
    want = values(TRANSFORMS[transform](CLOSURES[closure](a.copy()))(x))
    f = TRANSFORMS[transform](CLOSURES[closure](a))
    results = [f(x)]
    first = values(results[0])
    a[:] = 0
    results.append(f(x))
    a[:] = -5
    results.append(f(x))
    for got in results:
        for ours, theirs, before in zip(values(got), want, first, strict=True):
            np.testing.assert_array_equal(ours, theirs)
            np.testing.assert_array_equal(before, theirs)


def test_the_fault_as_it_was_found():
    m = np.array([True, False, True])
    f = jax.jit(lambda x: x * m)
    f(jnp.ones(3))
    m[:] = False
    assert f(jnp.ones(3)).tolist() == [1.0, 0.0, 1.0]


def test_an_array_that_changes_while_it_is_traced():
    """Each use sees what the array holds then, as where nothing is traced."""
    def f(x):
        m = array(1, 2, 3)
        y = lax.mul(x, m)
        m[:] = 0
        z = lax.add(y, m)
        m[:] = 1
        return lax.sub(z, m), m

    for g in (f, jax.jit(f), lambda x: jax.jvp(f, (x,), (x,))[0], jax.jit(jax.jit(f))):
        y, m = g(jnp.ones(3))
        assert np.asarray(y).tolist() == [0.0, 1.0, 2.0] and np.asarray(m).tolist() == [1.0] * 3
    assert len(jax.make_jaxpr(f)(jnp.ones(3)).consts) == 3


@pytest.mark.parametrize("later", ["vjp", "linearize"])
def test_what_a_derivative_will_need_is_kept(later):
    """A residual is a value too."""
    a, x = array(1, 2, 3), jnp.ones(3)
    for f in (lambda x: x * a, jax.jit(lambda x: x * a), lambda x: lax.mul(lax.mul(a, x), a)):
        a[:] = [1, 2, 3]
        derivative = getattr(jax, later)(f, x)[1]
        want = values(derivative(jnp.ones(3)))
        a[:] = 0
        got = values(derivative(jnp.ones(3)))
        np.testing.assert_array_equal(got[0], want[0])
        assert got[0].any()


# No array of ours shares memory that somebody else may write to.

MAKERS = {
    "array": jnp.array, "asarray": jnp.asarray, "device_put": jax.device_put,
    "same dtype": lambda a: jnp.asarray(a, F32), "ravel": jnp.ravel,
    "lax.neg": lambda a: lax.neg(lax.neg(a)), "reshape": lambda a: lax.reshape(a, (3, 1)),
    "transpose": lambda a: lax.transpose(a, (0,)), "broadcast": lambda a: lax.broadcast(a, (2,)),
    "slice": lambda a: lax.slice(a, (0,), (3,)), "squeeze": lambda a: lax.squeeze(a[None], (0,)),
    "convert": lambda a: lax.convert_element_type(a, F32),
    "jit": lambda a: jax.jit(lambda x: x)(a), "a constant": lambda a: jax.jit(lambda: a)(),
    "jit of reshape": lambda a: jax.jit(lambda x: lax.reshape(x, (3, 1)))(a),
    "tree": lambda a: jax.jit(lambda d: d)({"a": a})["a"],
    "vmap": lambda a: jax.vmap(lambda x: lax.reshape(x, (1,)))(a),
    "jvp": lambda a: jax.jvp(lambda x: lax.reshape(x, (3, 1)), (a,), (a,))[1],
    "grad": lambda a: jax.grad(lambda x: jnp.sum(x * a))(a),
    "vjp": lambda a: jax.vjp(jax.jit(lambda x: x), jnp.ones(3))[1](a)[0],
}  # fmt: skip


@pytest.mark.parametrize("name", MAKERS)
def test_an_array_of_ours_keeps_its_values(name):
    a = array(1, 2, 3)
    x = MAKERS[name](a)
    before = np.array(x)
    a[:] = 0
    np.testing.assert_array_equal(x, before)
    assert type(x) is ArrayImpl and before.any()


def test_what_is_given_out_can_not_be_written_to():
    x = jnp.arange(3.0)
    for view in (np.asarray(x), x.__array__(), np.asarray(x)[1:], np.asarray(x[1:])):
        with pytest.raises(ValueError):
            view[0] = 5.0
    copy = np.array(x)
    copy[:] = 7.0
    assert x.tolist() == [0.0, 1.0, 2.0]


def test_a_users_array_can_still_be_written_to():
    a = array(1, 2, 3)
    jax.jit(lambda x: x * a)(jnp.asarray(a)), jax.device_put(a), jax.make_jaxpr(jnp.sin)(a)
    jax.grad(lambda x: jnp.sum(x * a))(a)
    a[:] = 4
    assert a.tolist() == [4.0] * 3


# Constvars and literals, as JAX 0.10.2 prints them: only numbers, and NumPy's arrays without axes,
# are literals; an array of ours is a constvar, once; where one is a tracer, all go in front.

X, M, Z = jnp.ones(3), array(1, 2, 3), jnp.asarray(2.0)
JAXPRS = {
    "an array without axes": (
        lambda y: y * Z + Z, 1.0,
        "{ lambda a:f32[]; b:f32[]. let c:f32[] = mul b a; d:f32[] = add c a in (d,) }"),
    "NumPy's array without axes": (
        lambda y: lax.mul(y, np.array(2.0, F32)), F32(1),
        "{ lambda ; a:f32[]. let b:f32[] = mul a 2.0:f32[] in (b,) }"),
    "NumPy's number": (
        lambda y: lax.mul(y, F32(2)), F32(1),
        "{ lambda ; a:f32[]. let b:f32[] = mul a 2.0:f32[] in (b,) }"),
    "Python's number": (
        lambda y: lax.mul(y, 2.0), F32(1),
        "{ lambda ; a:f32[]. let b:f32[] = mul a 2.0:f32[] in (b,) }"),
    "in the order of their use": (
        lambda y: lax.mul(lax.add(y, X), M), X,
        "{ lambda a:f32[3] b:f32[3]; c:f32[3]. let\n    d:f32[3] = add c a\n"
        "    e:f32[3] = mul d b\n  in (e,) }"),
    "one array, used twice": (
        lambda y: lax.mul(lax.add(y, M), M), X,
        "{ lambda a:f32[3]; b:f32[3]. let\n    c:f32[3] = add b a\n"
        "    d:f32[3] = mul c a\n  in (d,) }"),
    "one array, used twice by operators": (
        lambda y: y * M + M, X,
        "{ lambda a:f32[3]; b:f32[3]. let\n    c:f32[3] = mul b a\n"
        "    d:f32[3] = add c a\n  in (d,) }"),
    "two equal arrays": (
        lambda y: lax.mul(lax.add(y, M), M.copy()), X,
        "{ lambda a:f32[3] b:f32[3]; c:f32[3]. let\n    d:f32[3] = add c a\n"
        "    e:f32[3] = mul d b\n  in (e,) }"),
    "returned": (
        lambda y: (X, 2.0, M, Z, F32(3)), X,
        "{ lambda a:f32[3] b:f32[3] c:f32[]; d:f32[3]. let\n    \n"
        "  in (a, 2.0:f32[], b, c, 3.0:f32[]) }"),
    "an inner program's own": (
        lambda y: jax.jit(lambda w: w * X)(y), X,
        "{ lambda ; a:f32[3]. let\n    b:f32[3] = jit[\n      name=<lambda>\n"
        "      jaxpr={ lambda c:f32[3]; a:f32[3]. let b:f32[3] = mul a c in (b,) }\n"
        "    ] a\n  in (b,) }"),
    "an inner program's own number": (
        lambda y: jax.jit(lambda w: w * Z)(y), 1.0,
        "{ lambda ; a:f32[]. let\n    b:f32[] = jit[\n      name=<lambda>\n"
        "      jaxpr={ lambda c:f32[]; a:f32[]. let b:f32[] = mul a c in (b,) }\n"
        "    ] a\n  in (b,) }"),
    "one is a tracer": (
        lambda y: jax.jit(lambda w: w * X + y)(y), X,
        "{ lambda a:f32[3]; b:f32[3]. let\n    c:f32[3] = jit[\n      name=<lambda>\n"
        "      jaxpr={ lambda ; a:f32[3] b:f32[3] d:f32[3]. let\n"
        "          e:f32[3] = mul d a\n          c:f32[3] = add e b\n        in (c,) }\n"
        "    ] a b b\n  in (c,) }"),
    "a tracer and NumPy's": (
        lambda y: jax.jit(lambda w: w * y * M)(X), X,
        "{ lambda a:f32[3] b:f32[3]; c:f32[3]. let\n    d:f32[3] = jit[\n      name=<lambda>\n"
        "      jaxpr={ lambda ; c:f32[3] a:f32[3] b:f32[3]. let\n"
        "          e:f32[3] = mul b c\n          d:f32[3] = mul e a\n        in (d,) }\n"
        "    ] c a b\n  in (d,) }"),
    "through two programs": (
        lambda y: jax.jit(lambda w: jax.jit(lambda v: v * y * X)(w))(y), X,
        "{ lambda a:f32[3]; b:f32[3]. let\n    c:f32[3] = jit[\n      name=<lambda>\n"
        "      jaxpr={ lambda ; b:f32[3] a:f32[3] d:f32[3]. let\n"
        "          c:f32[3] = jit[\n            name=<lambda>\n"
        "            jaxpr={ lambda ; b:f32[3] a:f32[3] d:f32[3]. let\n"
        "                e:f32[3] = mul d b\n                c:f32[3] = mul e a\n"
        "              in (c,) }\n          ] b a d\n        in (c,) }\n    ] b a b\n  in (c,) }"),
    "of a gradient": (
        jax.grad(lambda y: jnp.sum(lax.sin(y * X))), X,
        "{ lambda a:f32[3]; b:f32[3]. let\n    c:f32[3] = mul b a\n    d:f32[3] = sin c\n"
        "    e:f32[3] = cos c\n    _:f32[] = reduce_sum[axes=(0,) out_sharding=None] d\n"
        "    f:f32[3] = broadcast_in_dim 1.0:f32[]\n    g:f32[3] = mul f e\n"
        "    h:f32[3] = mul g a\n  in (h,) }"),
    "a mask": (
        lambda y: lax.select(np.array([True, False, True]), y, X), X,
        "{ lambda a:bool[3] b:f32[3]; c:f32[3]. let d:f32[3] = select_n a b c in (d,) }"),
    "not in order in memory": (
        lambda y: lax.mul(y, np.arange(6, dtype=F32)[::2]), X,
        "{ lambda a:f32[3]; b:f32[3]. let c:f32[3] = mul b a in (c,) }"),
}  # fmt: skip


@pytest.mark.parametrize("name", JAXPRS)
def test_constvars_and_literals(name):
    f, x, text = JAXPRS[name]
    closed = jax.make_jaxpr(f)(x)
    check_jaxpr(closed)
    assert str(closed) == text
    assert all(type(x) is ArrayImpl for x in closed.consts)
    got, want = jax.jit(f)(x), f(x)
    for ours, theirs in zip(values(got), values(want), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-6)


def test_a_constant_is_not_copied_where_nobody_can_write_to_it():
    big = jnp.ones(1000)
    closed = jax.make_jaxpr(lambda x: x * big)(1.0)
    assert np.shares_memory(np.asarray(closed.consts[0]), np.asarray(big))
    assert closed.literals is closed.consts


@pytest.mark.parametrize("number, text", [
    (2, "2:i32[]"), (2.5, "2.5:f32[]"), (True, "True:bool[]"), (np.int8(3), "3:i8[]"),
    (np.float16(0.5), "0.5:f16[]"), (1j, "1j:c64[]"), (np.bool_(False), "False:bool[]"),
])  # fmt: skip
def test_literals_as_text(number, text):
    (out,) = jax.make_jaxpr(lambda: number)().outvars
    assert type(out) is Literal and str(out) == text
    assert repr(out) == f"Literal({number})"
