"""The registry of dtypes: kinds, names and tangents; dtypes of one's own, types beyond arrays."""

import ml_dtypes
import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.core.dtypes import bfloat16, dtype_registry, float0
from minijax.core.extend import (
    AbstractValue,
    Array,
    ExtendedDType,
    Primitive,
    ShapedArray,
    Tracer,
    check_jaxpr,
    defvectorized,
    extended,
    issubdtype,
    numpy_primitive,
    primitive_jvps,
    pytype_aval_mappings,
    register_dtype,
    typeof,
    zero_jvp,
)

# What is known of each dtype.

TABLE = {
    "bool": (np.bool_, "bool", float0), "int8": (np.signedinteger, "i8", float0),
    "int64": (np.signedinteger, "i64", float0), "uint16": (np.unsignedinteger, "u16", float0),
    "float16": (np.floating, "f16", "float16"), "bfloat16": (np.floating, "bf16", bfloat16),
    "float32": (np.floating, "f32", "float32"), "float64": (np.floating, "f64", "float64"),
    "int4": (np.signedinteger, "i4", float0), "uint2": (np.unsignedinteger, "u2", float0),
    "float8_e4m3fn": (np.floating, "f8_e4m3fn", "float8_e4m3fn"),
    "float4_e2m1fn": (np.floating, "f4_e2m1fn", "float4_e2m1fn"),
    "complex64": (np.complexfloating, "c64", "complex64"),
    "complex128": (np.complexfloating, "c128", "complex128"),
}  # fmt: skip


@pytest.mark.parametrize("name", TABLE)
def test_what_is_known_of_a_dtype(name):
    kind, short_name, tangent = TABLE[name]
    dtype = bfloat16 if name == "bfloat16" else np.dtype(name)
    assert issubdtype(dtype, kind) and dtype_registry[dtype].short_name == short_name
    aval = ShapedArray((2,), dtype)
    assert aval.str_short(short_dtypes=True) == f"{short_name}[2]"
    assert aval.to_tangent_aval() is ShapedArray((2,), tangent)


def test_kinds_within_kinds():
    assert issubdtype(np.dtype("int8"), np.integer, np.bool_)
    assert issubdtype(bfloat16, np.inexact) and issubdtype(bfloat16, np.number)
    assert not issubdtype(np.dtype("bool"), np.number) and not issubdtype(float0, np.inexact)
    assert not issubdtype(np.dtype("uint8"), np.signedinteger)


@pytest.mark.parametrize("dtype", ["int32", "bool", "float32", "complex64", bfloat16])
@pytest.mark.parametrize("weak_type", [False, True])
def test_a_tangent_keeps_shape_and_weakness(dtype, weak_type):
    """A float0 is weak where its value is, as in JAX."""
    tangent = ShapedArray((2, 3), dtype, weak_type).to_tangent_aval()
    assert tangent.shape == (2, 3) and tangent.weak_type is weak_type
    assert repr(typeof(3).to_tangent_aval()) == "ShapedArray(float0[], weak_type=True)"


def test_a_dtype_that_nobody_registered():
    for dtype in ("datetime64[s]", "U3", object):
        with pytest.raises(TypeError):
            jnp.asarray(np.zeros(3, dtype))


def test_a_dtype_of_numpy_that_is_registered_later():
    """Complex numbers of two 16-bit floats: printed by their name, computed with as NumPy does, and
    differentiated. They are no point of the lattice: Python's numbers become them, no others do."""
    complex32 = np.dtype(ml_dtypes.complex32)
    assert complex32 not in dtype_registry
    register_dtype(complex32, np.complexfloating, "c32", complex32)
    try:
        x = Array(np.array([1, 2j, 3], np.complex64).astype(complex32))
        assert str(jax.make_jaxpr(lambda x: lax.mul(x, x))(x)) == (
            "{ lambda ; a:c32[3]. let b:c32[3] = mul a a in (b,) }")  # fmt: skip
        y, y_dot = jax.jvp(jax.jit(lambda x: lax.mul(x, x)), (x,), (x,))
        assert y.dtype == y_dot.dtype == complex32
        assert np.asarray(y, np.complex64).tolist() == [1.0, -4.0, 9.0]
        assert np.asarray(y_dot, np.complex64).tolist() == [2.0, -8.0, 18.0]
        back = jax.vmap(lambda x: lax.convert_element_type(x, "complex64"))(x)
        assert back.tolist() == [1.0, 2j, 3.0]
        assert (x + 1).dtype == complex32 and (2j * x).tolist() == [2j, -4.0, 6j]
        with pytest.raises(jax.errors.TypePromotionError, match="promotes to no other dtype"):
            x + back
    finally:
        del dtype_registry[complex32]


# A dtype of one's own: days of a calendar, with whole numbers of days between them.


class day_kind(extended):
    pass


class DayDType(ExtendedDType):
    storage = np.dtype("int32")
    itemsize = 4
    name = "day"

    def array_repr(self, x):
        days = np.asarray(x._value).astype("datetime64[D]")
        return f"Days({days.tolist()})" if x.ndim == 0 else f"Days({days.astype(str).tolist()})"

    def __repr__(self):
        return "day"


DAY = DayDType()
register_dtype(DAY, day_kind, "day")


def _day_rule(x):
    if x.dtype != np.int32:
        raise TypeError(f"day takes int32, and got {x}.")
    return x.update(dtype=DAY)


day_p = numpy_primitive("day", _day_rule, lambda x: x)
since_p = numpy_primitive("days_since", lambda x, y: x.update(dtype=np.dtype("int32")), np.subtract)
for _p in (day_p, since_p):
    primitive_jvps[_p] = lambda primals, tangents, p=_p: zero_jvp(p, primals, tangents)
    defvectorized(_p)


def days(*numbers):
    return day_p.bind(jnp.array(numbers, jnp.int32))


def since(x, y):
    return since_p.bind(x, y)


def test_an_array_of_ones_own_dtype():
    x = days(0, 1, 365)
    assert (x.shape, x.dtype, x.ndim, x.size, len(x)) == ((3,), DAY, 1, 3, 3)
    assert repr(x) == str(x) == f"{x}" == "Days(['1970-01-01', '1970-01-02', '1971-01-01'])"
    assert str(typeof(x)) == "day[3]" and typeof(x).to_tangent_aval().dtype == float0
    assert issubdtype(DAY, extended) and not issubdtype(DAY, np.number)
    with pytest.raises(TypeError, match="no numbers"):
        np.asarray(x)
    with pytest.raises(TypeError):
        x.tolist()


def test_it_moves_as_other_arrays_do():
    x = days(*range(6))
    assert x.nbytes == 24
    for y, want in [
        (lax.reshape(x, (2, 3)), [[0, 1, 2], [3, 4, 5]]), (x[2], 2), (x[1:4], [1, 2, 3]),
        (x.reshape(3, 2).T, [[0, 2, 4], [1, 3, 5]]), (x[::-1], [5, 4, 3, 2, 1, 0]),
        (lax.broadcast(x[1], (2,)), [1, 1]), (lax.concatenate([x[:1], x[4:]], 0), [0, 4, 5]),
        (jnp.where(np.arange(6) > 2, x, x[0]), [0, 0, 0, 3, 4, 5]),
        (lax.expand_dims(x[:2], [0]), [[0, 1]]), (lax.squeeze(x[:1], [0]), 0),
    ]:  # fmt: skip
        assert y.dtype is DAY
        np.testing.assert_array_equal(since(y, days(0)[0]), want)
    assert (x == x).tolist() == [True] * 6 and (x[0] != x[1]).item()


def test_nobody_computes_with_it():
    x = days(1, 2)
    for use in (lambda: x + x, lambda: x * 2, lambda: lax.add(x, x), lambda: lax.sin(x),
                lambda: x.astype("int32"), lambda: jnp.sum(x), lambda: float(x[0]),
                lambda: lax.convert_element_type(x, "float32"), lambda: x < x,
                lambda: jax.grad(lambda x: since(x, x)[0] * 1.0)(x)):  # fmt: skip
        with pytest.raises((TypeError, ValueError)):
            use()


def test_it_goes_through_every_transformation():
    def f(x, w):
        later = jnp.where(w > 0, x[1:], x[:-1])
        return jnp.sum(w * since(later, x[:1].reshape(1)[0])), later

    x, w = days(1, 5, 12), jnp.array([1.0, -2.0])
    want = np.float32(1 * 4 - 2 * 4)
    for g in (f, jax.jit(f), jax.jit(jax.jit(f))):
        value, later = g(x, w)
        assert float(value) == want and repr(later) == "Days(['1970-01-06', '1970-01-06'])"
        gradient, later = jax.grad(g, argnums=1, has_aux=True)(x, w)
        assert gradient.tolist() == [4.0, 4.0] and later.dtype is DAY
    many = days(1, 5, 12, 1, 6, 13).reshape(2, 3)
    values, later = jax.vmap(f, (0, None))(many, w)
    assert values.tolist() == [-4.0, -5.0] and later.shape == (2, 2)
    values, later = jax.jit(jax.vmap(f, (None, 0)))(x, jnp.stack([w, -w]))
    assert values.shape == (2,) and later.dtype is DAY
    closed = jax.make_jaxpr(f)(x, w)
    check_jaxpr(closed)
    assert "a:day[3] b:f32[2]" in str(closed) and "day[2]" in str(closed)
    struct = jax.eval_shape(f, x, w)[1]
    assert struct.dtype is DAY and jax.eval_shape(lambda x: x, struct) == struct


def test_as_a_constant_of_a_program():
    x = days(3, 4)
    f = jax.jit(lambda i: since(x, x[0]) * i)
    assert f(2).tolist() == [0, 2]
    one = days(3)[0]
    closed = jax.make_jaxpr(lambda i: (one, i))(1)
    assert "a:day[]" in str(closed) and repr(closed.consts[0]) == repr(one)


def test_its_tangent_is_float0():
    x = days(1, 2)
    out, out_dot = jax.jvp(lambda x: x[1:], (x,), (np.zeros(2, float0),))
    assert out.dtype is DAY and out_dot.dtype == float0 and out_dot.shape == (1,)
    with pytest.raises(TypeError):
        jax.jvp(lambda x: x, (x,), (jnp.ones(2),))


def test_two_arrays_of_it_promote_to_it_and_to_nothing_else():
    x = days(1, 2)
    assert jnp.where(True, x, x).dtype is DAY
    with pytest.raises((TypeError, ValueError)):
        jnp.where(True, x, 1)


# A type beyond arrays: a token, which orders operations by being passed from one to the next.


class AbstractToken(AbstractValue):
    def __repr__(self):
        return "Token"

    def __eq__(self, other):
        return type(other) is AbstractToken

    def __hash__(self):
        return hash(AbstractToken)


class Token:
    pass


TOKEN, book = AbstractToken(), []
pytype_aval_mappings[Token] = lambda token: TOKEN

print_p = Primitive("print_in_order")
print_p.multiple_results = True


@print_p.def_impl
def _print_impl(token, x):
    assert type(token) is Token
    book.append(np.asarray(x).tolist())
    return [Token(), x]


print_p.def_abstract_eval(lambda token, x: [TOKEN, x])
primitive_jvps[print_p] = lambda primals, tangents: (
    print_p.bind(*primals), [tangents[0], tangents[1]]
)  # fmt: skip


def in_order(token, x):
    token, x = print_p.bind(token, lax.sin(x))
    token, y = print_p.bind(token, x * 2.0)
    return token, y


@pytest.fixture(autouse=True)
def new_book():
    book.clear()


SIN = float(np.sin(np.float32(1.0)))


def is_in_order():
    np.testing.assert_allclose(book, [SIN, 2 * SIN], rtol=1e-6)
    return True


@pytest.mark.parametrize("transform", [
    lambda f: f, jax.jit, lambda f: jax.jit(jax.jit(f)),
    lambda f: jax.vmap(f, in_axes=None, out_axes=None, axis_size=2),
    lambda f: jax.jit(jax.vmap(f, in_axes=None, out_axes=None, axis_size=2)),
    lambda f: jax.vmap(jax.jit(f), in_axes=None, out_axes=None, axis_size=2),
])  # fmt: skip
def test_a_token_goes_through(transform):
    token, y = transform(in_order)(Token(), 1.0)
    assert type(token) is Token and is_in_order()
    np.testing.assert_allclose(y, 2 * SIN, rtol=1e-6)


@pytest.mark.parametrize("misuse", [jnp.sin, jnp.sum, lambda t: t + 1, lambda t: -t, jnp.array])
def test_a_token_is_refused_by_name(misuse):
    for call in (misuse, jax.jit(misuse)):
        if call is not misuse or misuse in (jnp.sin, jnp.sum, jnp.array):
            with pytest.raises(TypeError, match="^jnp.* takes .* Token"):
                call(Token())


def test_a_token_in_a_jaxpr():
    closed = jax.make_jaxpr(in_order)(Token(), 1.0)
    check_jaxpr(closed)
    assert closed.in_avals[0] == closed.out_avals[0] == TOKEN
    assert [str(eqn.primitive) for eqn in closed.eqns].count("print_in_order") == 2
    assert "a:Token b:f32[]" in str(closed)
    traced = jax.jit(in_order).trace(Token(), 1.0)
    assert traced.jaxpr.out_avals[0] == TOKEN
    assert book == []


def test_a_token_and_derivatives():
    """It has no tangent, and the rest has."""
    for f in (in_order, jax.jit(in_order)):
        book.clear()
        slope = jax.grad(lambda x, f=f: f(Token(), x)[1])(1.0)
        np.testing.assert_allclose(slope, 2 * np.cos(np.float32(1)), rtol=1e-6)
        assert is_in_order()
        book.clear()
        y, y_dot = jax.jvp(lambda x, f=f: f(Token(), x)[1], (1.0,), (1.0,))
        np.testing.assert_allclose(y_dot, slope, rtol=1e-6)


def test_a_token_that_a_program_closes_over():
    token = Token()
    f = jax.jit(lambda x: in_order(token, x)[1])
    f(1.0)
    assert is_in_order()
    (const,) = jax.make_jaxpr(lambda x: in_order(token, x)[1])(1.0).consts
    assert const is token
    assert jax.make_jaxpr(lambda: token)().consts == [token]


def test_a_token_is_no_array():
    with pytest.raises((TypeError, AttributeError)):
        lax.sin(Token())
    with pytest.raises((TypeError, ValueError, AttributeError)):
        jax.vmap(in_order)(Token(), jnp.ones(2))
    seen = []
    jax.jit(lambda token: seen.append(token) or 1.0)(Token())
    assert isinstance(seen[0], Tracer) and seen[0].aval == TOKEN
