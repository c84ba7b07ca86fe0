"""New arrays: values, dtypes and weak types; what is refused, and what is warned of."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp


@pytest.mark.parametrize(
    "value, dtype, weak",
    [
        (3, "int32", True),
        (2.5, "float32", True),
        (1j, "complex64", True),
        (True, "bool", False),
        (np.float64(1), "float32", False),
        (np.arange(3), "int32", False),
        (np.ones(2, np.float16), "float16", False),
        ([1, 2], "int32", False),
        ([1, 2.5], "float32", False),
        ([True, 2], "int32", False),
        ([np.float16(1), 2], "float16", False),
        ([], "float32", False),
        ([[], []], "float32", False),
        ((1, (2,))[1], "int32", False),
        (range(3), "int32", False),
        ([np.arange(2), np.ones(2)], "float32", False),
    ],
)
@pytest.mark.parametrize("make", [jnp.array, jnp.asarray])
def test_dtypes_of_values(make, value, dtype, weak):
    got = make(value)
    assert (got.dtype, got.weak_type) == (np.dtype(dtype), weak)
    np.testing.assert_array_equal(got, np.asarray(value))


def test_an_array_does_not_change_with_what_it_was_made_of():
    source = np.zeros(3, np.float32)
    made = [jnp.array(source), jnp.asarray(source), jnp.array([source, source])]
    source[0] = 7
    assert all(not np.asarray(x).any() for x in made)


def test_nested_lists_hold_arrays_and_tracers():
    x = jnp.array([1.0, 2.0])
    assert jnp.array([[x[0], 5], [6, x[1]]]).tolist() == [[1, 5], [6, 2]]
    assert jnp.array([x, [3, 4]]).tolist() == [[1, 2], [3, 4]]
    f = jax.jit(lambda x: jnp.array([[x[0], 5], [6, x[1]]]))
    assert f(x).tolist() == [[1, 5], [6, 2]]
    grad = jax.grad(lambda x: (jnp.array([x[1], 3 * x[0], 1]) * jnp.arange(3)).sum())(x)
    assert grad.tolist() == [3, 0]


@pytest.mark.parametrize(
    "value, error",
    [
        (None, ValueError),
        ([None], ValueError),
        ("text", TypeError),
        (["text"], TypeError),
        ({}, TypeError),
        ([[1], [1, 2]], ValueError),
        (2**40, OverflowError),
        ([2**40], OverflowError),
    ],
)
def test_refused_values(value, error):
    with pytest.raises(error):
        jnp.array(value)


@pytest.mark.parametrize("value", [300, [300], -1])
def test_integers_that_do_not_fit_are_refused(value):
    with pytest.raises(OverflowError):
        jnp.array(value, "uint8")


def test_dtype_and_ndmin():
    assert jnp.array([1.7, -1.7], int).tolist() == [1, -1]
    assert jnp.array([1, 2], "bfloat16").dtype == jnp.bfloat16
    assert jnp.array([1, 2], ndmin=3).shape == (1, 1, 2)
    assert jnp.asarray(jnp.asarray(1.0), "float32").weak_type is False


@pytest.mark.parametrize("shape", [(), 3, (2, 3), [2, 0], (np.int64(2),)])
@pytest.mark.parametrize("dtype", [None, int, "bool", jnp.float16, jnp.bfloat16, "complex64"])
def test_zeros_ones_empty(shape, dtype):
    for make, value in ((jnp.zeros, 0), (jnp.ones, 1), (jnp.empty, 0)):
        got = make(shape, dtype)
        assert got.shape == np.zeros(shape).shape
        assert got.dtype == (np.int32 if dtype is int else np.dtype(dtype or "float32"))
        assert np.all(np.asarray(got) == value) and not got.weak_type


def test_full():
    assert repr(jnp.full((2,), 2)) == "Array([2, 2], dtype=int32, weak_type=True)"
    assert jnp.full((2,), 2, "int8").dtype == np.int8
    assert jnp.full((2, 3), np.arange(3)).tolist() == [[0, 1, 2]] * 2
    assert jax.jit(lambda x: jnp.full((2,), x))(3.0).tolist() == [3, 3]


def test_likes():
    x = jnp.arange(3, dtype="int8")
    assert jnp.zeros_like(x).dtype == np.int8 and jnp.ones_like(x, float).dtype == np.float32
    assert jnp.full_like(x, 2.7).tolist() == [2, 2, 2]
    assert jnp.full_like(jnp.ones((2, 3)), np.arange(3)).tolist() == [[0, 1, 2]] * 2
    assert jnp.empty_like(x, shape=(4,)).shape == (4,)
    assert jnp.zeros_like(3.0).weak_type


@pytest.mark.parametrize("args", [(3,), (2, 3), (3, 2, 1), (3, 3, -1), (0,)])
def test_eye(args):
    np.testing.assert_array_equal(jnp.eye(*args), np.eye(*args))
    assert jnp.identity(2, int).tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize(
    "args",
    [
        (4,),
        (4.0,),
        (1.5,),
        (1, 4),
        (0, 4),
        (5, 0),
        (1, 10, 2),
        (10, 1, -3),
        (0, 1, 0.25),
        (0,),
        (-3,),
    ],
)
def test_arange(args):
    got, expected = jnp.arange(*args), np.arange(*args)
    assert got.dtype == (np.int32 if expected.dtype.kind == "i" else np.float32)
    assert not got.weak_type
    np.testing.assert_allclose(got, expected)


def test_arange_with_a_dtype():
    assert jnp.arange(3, dtype="bfloat16").dtype == jnp.bfloat16
    assert jnp.arange(jnp.int32(3)).tolist() == [0, 1, 2]
    with pytest.raises(TypeError):
        jnp.arange(3, dtype=bool)
    with pytest.raises(TypeError):
        jnp.arange()
    with pytest.raises(ZeroDivisionError):
        jnp.arange(0, 1, 0)


@pytest.mark.parametrize("num", [0, 1, 2, 7])
@pytest.mark.parametrize("endpoint", [True, False])
@pytest.mark.parametrize("bounds", [(0, 1), (3.0, -2.5), (np.array([0.0, 1]), np.array([2.0, 5]))])
@pytest.mark.parametrize("axis", [0, -1])
def test_linspace(num, endpoint, bounds, axis):
    got, step = jnp.linspace(*bounds, num, endpoint=endpoint, retstep=True, axis=axis)
    expected, its_step = np.linspace(*bounds, num, endpoint=endpoint, retstep=True, axis=axis)
    assert got.shape == expected.shape and got.dtype == np.float32
    np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-6)
    if num > 1:
        np.testing.assert_allclose(step, its_step, rtol=1e-6)


def test_linspace_ends_where_it_should():
    assert jnp.linspace(0.1, 0.7, 11)[-1] == np.float32(0.7)
    assert jnp.linspace(0, 10, 5, dtype=int).tolist() == [0, 2, 5, 7, 10]
    np.testing.assert_allclose(jax.grad(lambda x: jnp.linspace(x, 2.0, 3).sum())(1.0), 1.5)
    with pytest.raises(ValueError):
        jnp.linspace(0, 1, -1)


@pytest.mark.parametrize(
    "f",
    [
        jnp.arange,
        lambda n: jnp.arange(0, n),
        lambda n: jnp.linspace(0, 1, n),
        lambda n: jnp.zeros(n),
        lambda n: jnp.zeros((2, n)),
        lambda n: jnp.reshape(jnp.ones(4), (n, 2)),
    ],
)
def test_traced_sizes_are_refused(f):
    with pytest.raises(TypeError, match="known"):
        jax.jit(f)(2)


@pytest.mark.parametrize(
    "call",
    [
        lambda: jnp.zeros("text"),
        lambda: jnp.zeros((2, 2.5)),
        lambda: jnp.ones(2, "nonsense"),
        lambda: jnp.full((2,), [1, 2]),
        lambda: jnp.zeros_like([1]),
        lambda: jnp.copy([1]),
    ],
)
def test_type_errors(call):
    with pytest.raises(TypeError):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda dtype: jnp.zeros(2, dtype),
        lambda dtype: jnp.array([1], dtype),
        lambda dtype: jnp.arange(2, dtype=dtype),
        lambda dtype: jnp.ones(2).astype(dtype),
        lambda dtype: jnp.full_like(jnp.ones(2), 1, dtype),
    ],
)
def test_a_64_bit_dtype_by_name_warns(call):
    for dtype in ("float64", np.float64, jnp.float64, np.dtype("int64")):
        with pytest.warns(UserWarning, match="64-bit dtypes are off"):
            assert call(dtype).dtype.itemsize == 4
    with jax.enable_x64(True):
        assert call("float64").dtype == np.float64


def test_python_types_as_dtypes_do_not_warn(recwarn):
    assert jnp.zeros(2, float).dtype == np.float32 and jnp.zeros(2, int).dtype == np.int32
    assert not recwarn.list


def test_astype():
    x = jnp.array([1.7, -1.7, 0.0])
    assert x.astype(int).tolist() == [1, -1, 0] and x.astype(bool).tolist() == [True, True, False]
    assert x.astype("float32") is x
    assert jnp.asarray(2.0).astype("float32").weak_type is False


@pytest.mark.parametrize(
    "value, dtype, expected",
    [
        ([3_000_000_000], "float32", [3e9]),
        (2**40, "float32", 2.0**40),
        (np.array([2**40]), float, [2.0**40]),
        ([np.int64(2**40), 1], "float32", [2.0**40, 1]),
        ([10**20, 1.0], None, [1e20, 1]),
        ([2**32], bool, [True]),
        (np.array([2**32]), bool, [True]),
        (1j, bool, True),
        (np.array([2**32 + 5]), "int8", [5]),
        (np.array([300.0, -1.0]), "uint8", [44, 255]),
        (np.float32(300), "int8", 44),
        (np.array([2**63], np.uint64), "float32", [2.0**63]),
        ([127.9, -128.9], "int8", [127, -128]),
        ("3.5", "float32", 3.5),
        (["1", b"2"], "int32", [1, 2]),
        ("1+2j", "complex64", 1 + 2j),
    ],
)
def test_values_go_straight_to_the_dtype_asked_for(value, dtype, expected):
    for got in (jnp.array(value, dtype), jax.jit(lambda: jnp.asarray(value, dtype))()):
        np.testing.assert_array_equal(got, np.array(expected, got.dtype))
        assert dtype is None or got.dtype == jnp.zeros(0, dtype).dtype
        assert not got.weak_type


def test_integers_beside_tracers_go_straight_to_their_dtype():
    assert jax.jit(lambda x: jnp.array([x, 2**40]))(1.0).tolist() == [1, 2.0**40]
    shown = str(jax.make_jaxpr(lambda x: jnp.array(np.arange(3), "float32"))(1))
    assert "convert_element_type" not in shown


@pytest.mark.parametrize(
    "value, dtype, error, words",
    [
        ([300.0], "int8", OverflowError, "int8 of .300.0.\\.\nA number does not fit"),
        (-1.5, "uint8", OverflowError, "does not fit"),
        ([[1, 2], [3.5, 300]], "int8", OverflowError, "does not fit"),
        (np.inf, "int32", OverflowError, "does not fit"),
        ([10**400], "float32", OverflowError, "does not fit"),
        (np.nan, "int32", ValueError, "no NaN"),
        ("x", "int32", ValueError, "text only where it is one number"),
        ([b"\xff"], "float32", ValueError, "text only where it is one number"),
        (1j, "float32", TypeError, "complex"),
        ([1j], "int32", TypeError, "complex"),
        ("3", None, TypeError, "got '3'.\nGive a dtype"),
        ([None], "float32", ValueError, "got None"),
        ([[1, 2], [3]], None, ValueError, r"shapes \(2,\), \(1,\)\..*one shape"),
        ([[1, 2], 3], "int8", ValueError, r"\(2,\), \(\)"),
        ([jnp.ones(2), jnp.ones(3)], None, TypeError, r"\(2,\), \(3,\)"),
    ],
)
def test_values_that_do_not_go_into_the_dtype(value, dtype, error, words):
    for make, name in ((jnp.array, "jnp.array"), (jnp.asarray, "jnp.asarray")):
        with pytest.raises(error, match=f"(?s)^{name} .*{words}"):
            make(value, dtype)


def test_masked_arrays_are_refused():
    masked = np.ma.array([1, 2], mask=[0, 1])
    for f in (jnp.asarray, jnp.int32, jnp.sum, jnp.sin):
        with pytest.raises(ValueError, match="filled"):
            f(masked)


@pytest.mark.parametrize(
    "call, expected",
    [
        (lambda: jnp.full(2, 300, "int8"), [44, 44]),
        (lambda: jnp.full(2, -1, "uint8"), [255, 255]),
        (lambda: jnp.full(2, 300.0, "int8"), [127, 127]),
        (lambda: jnp.full(2, 2**40, "float32"), [2.0**40] * 2),
        (lambda: jnp.full(2, 2**40 + 1), [1, 1]),
        (lambda: jnp.full(2, np.array([300.0, 1]), "int8"), [44, 1]),
        (lambda: jnp.full_like(jnp.arange(3), 2**31), [-(2**31)] * 3),
        (lambda: jnp.arange(-1, 3, dtype="uint8"), [255, 0, 1, 2]),
        (lambda: jnp.arange(2**31, 2**31 + 2), [-(2**31), 1 - 2**31]),
        (lambda: jnp.arange(2**31, 2**31 + 2, 1, "uint32"), [2**31, 2**31 + 1]),
        (lambda: jnp.arange(2**31, 2**31 + 2, dtype="float32"), [2.0**31] * 2),
    ],
)
def test_integers_that_fill_wrap_round(call, expected):
    assert call().tolist() == jax.jit(call)().tolist() == expected


def test_what_cannot_fill():
    assert jnp.full(2, 2**40).weak_type
    with pytest.raises(OverflowError, match="64 bits"):
        jnp.full(2, 10**20)
    for call in (lambda: jnp.full(2, 1j, "float32"), lambda: jnp.full_like(jnp.ones(2), 1j)):
        with pytest.raises(TypeError, match="complex"):
            call()


def test_likes_of_what_has_a_shape_and_a_dtype():
    described = jax.ShapeDtypeStruct((2,), np.dtype("int8"))
    for like, value in ((jnp.zeros_like, 0), (jnp.ones_like, 1), (jnp.empty_like, 0)):
        got = like(described)
        assert got.tolist() == [value] * 2 and got.dtype == np.int8
        assert like(described, "float32", (3,)).shape == (3,)
    assert jnp.full_like(described, 3).tolist() == [3, 3]


def test_linspace_of_bools():
    assert jnp.linspace(0, 1, 3, dtype=bool).tolist() == [False, True, True]


def test_astype_copies_when_told():
    x = jnp.ones(2)
    assert x.astype("float32", copy=False) is x
    assert x.astype("float32", copy=True) is not x
    assert "copy" in str(jax.make_jaxpr(lambda x: x.astype("float32", copy=True))(x))


def test_complex_numbers_as_bools(recwarn):
    x = jnp.array([1j, 0])
    for got in (x.astype(bool), jnp.bool_([1j, 0]), jnp.array([1j, 0], bool)):
        assert got.tolist() == [True, False] and not got.weak_type
    assert jnp.any(x) and not jnp.all(x) and not recwarn.list


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda: jnp.zeros({1}), TypeError, "jnp.zeros takes a shape of integers"),
        (lambda: jnp.ones(b"x"), TypeError, "jnp.ones takes a shape of integers"),
        (lambda: jnp.full((2, -1), 0), TypeError, "jnp.full .* negative"),
        (lambda: jnp.full((2,), "a"), TypeError, "jnp.full .* argument fill_value is 'a'"),
        (lambda: jnp.eye(3, k=1.0), ValueError, "one integer as k, and got 1.0"),
        (lambda: jnp.eye(3, k="a"), TypeError, "jnp.eye .* argument k is 'a'"),
        (lambda: jax.jit(lambda k: jnp.eye(2, k=k))(1.0), ValueError, "one integer as k"),
        (lambda: jnp.arange(None), TypeError, "argument stop is None"),
        (lambda: jnp.arange(None, 3), TypeError, "argument start is None"),
        (lambda: jnp.arange(0, "a"), TypeError, "argument stop is 'a'"),
        (lambda: jnp.arange(0, 10, "a"), TypeError, "argument step is 'a'"),
        (lambda: jnp.arange(0, 10, 0), ZeroDivisionError, "from 0 to 10 in steps of 0"),
        (lambda: jnp.arange(np.nan), ValueError, "from 0 to nan"),
        (lambda: jnp.arange(np.inf), OverflowError, "from 0 to inf"),
        (lambda: jnp.linspace(0, 1, num=2.5), TypeError, "jnp.linspace .* num, and got 2.5"),
        (lambda: jnp.linspace(0, 1, axis=[0]), TypeError, "jnp.linspace .* axis, and got .0."),
        (lambda: jnp.linspace(0, 1, axis=3), IndexError, "jnp.linspace found no axis 3"),
    ],
)
def test_errors_name_the_function_and_the_argument(call, error, words):
    with pytest.raises(error, match=words):
        call()
