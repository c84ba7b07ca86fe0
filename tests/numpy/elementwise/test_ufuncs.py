"""Functions of single numbers: values and dtypes against NumPy, and what JAX decides otherwise."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp

FLOATS = np.array([[-2.5, -1.0, -0.0], [0.5, 2.0, 7.25]], np.float32)
INTEGERS = np.array([[-7, -2, -1], [1, 3, 8]], np.int32)
BOOLS = np.array([[True, False, True], [False, False, True]])
UNARY_ANY = ["positive", "absolute", "abs", "floor"]
UNARY_NUMBERS = ["negative", "sign", "square"]
UNARY_FLOAT = ["sin", "cos", "tan", "tanh", "exp"]
UNARY_POSITIVE = ["sqrt", "log", "log2", "log10"]
BINARY = ["add", "multiply", "maximum", "minimum"]
DIVISIONS = ["floor_divide", "remainder", "mod"]


@pytest.mark.parametrize("name", UNARY_ANY + UNARY_NUMBERS)
@pytest.mark.parametrize("x", [FLOATS, INTEGERS, FLOATS.T, FLOATS[:0], FLOATS[0, 0]])
def test_same_dtype(name, x):
    got, expected = getattr(jnp, name)(x), getattr(np, name)(x)
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("name", UNARY_FLOAT)
@pytest.mark.parametrize("x", [FLOATS, INTEGERS, BOOLS])
def test_float_results(name, x):
    got = getattr(jnp, name)(x)
    assert got.dtype == np.float32
    np.testing.assert_allclose(got, getattr(np, name)(x.astype(np.float32)), rtol=2e-6)


@pytest.mark.parametrize("name", UNARY_POSITIVE)
def test_float_results_of_positive_numbers(name):
    for x in (abs(FLOATS), abs(INTEGERS)):
        got = getattr(jnp, name)(x)
        assert got.dtype == np.float32
        with np.errstate(divide="ignore"):
            np.testing.assert_allclose(got, getattr(np, name)(x.astype(np.float32)), rtol=2e-6)


@pytest.mark.parametrize("name", BINARY + ["subtract", "divide", "true_divide"])
@pytest.mark.parametrize("x", [FLOATS, INTEGERS])
@pytest.mark.parametrize("shape", ["whole", "row", "column", "number"])
def test_binary_broadcasts(name, x, shape):
    y = {"whole": x[::-1], "row": x[1], "column": x[:, :1] + 9, "number": x[1, 1]}[shape]
    with np.errstate(divide="ignore"):
        got, expected = getattr(jnp, name)(x, y), getattr(np, name)(x, y)
    assert got.shape == expected.shape
    np.testing.assert_allclose(got, expected, rtol=1e-6)


@pytest.mark.parametrize("name", BINARY)
def test_binary_of_bools(name):
    got = getattr(jnp, name)(BOOLS, BOOLS[::-1])
    assert got.dtype == bool
    np.testing.assert_array_equal(got, getattr(np, name)(BOOLS, BOOLS[::-1]))


@pytest.mark.parametrize("name", DIVISIONS)
@pytest.mark.parametrize("y", [3, -3, 2.5, -2.5, 0.1])
@pytest.mark.parametrize("x", [FLOATS, INTEGERS])
def test_division_with_remainder(name, x, y):
    got = getattr(jnp, name)(x, y)
    expected = getattr(np, name)(
        x, np.result_type(x, np.float32).type(y) if y % 1 else x.dtype.type(y)
    )
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-5)


def test_division_rounds_down_even_where_the_quotient_rounds_up():
    assert jnp.floor_divide(1.0, 0.1) == 9.0  # 1 / 0.1 is 10 in floats, and 0.1 is above a tenth
    assert jnp.floor_divide(np.float32(2**24 + 2), 1.0) == 2**24 + 2


def test_division_by_zero():
    integers = jnp.array([0, 5, -5])
    assert jnp.remainder(integers, 0).tolist() == [0, 0, 0]
    assert jnp.floor_divide(integers, 0).tolist() == [-1, -2, -2]  # as XLA's
    assert jnp.floor_divide(jnp.array([2.0, -2.0]), 0).tolist() == [np.inf, -np.inf]
    assert np.isnan(jnp.remainder(2.0, 0))


@pytest.mark.parametrize("x", [FLOATS, INTEGERS])
@pytest.mark.parametrize("y", [2, -3])
def test_divmod(x, y):
    quotient, left = divmod(jnp.asarray(x), y)
    np.testing.assert_array_equal(quotient, x // y)
    np.testing.assert_array_equal(left, x % y)
    np.testing.assert_allclose(quotient * y + left, x)


def test_unsigned_division():
    x = jnp.array([0, 7, 255], "uint8")
    assert (x // 2).tolist() == [0, 3, 127]
    assert (x % 2).tolist() == [0, 1, 1]
    assert (x // 2).dtype == (x % 2).dtype == np.uint8


@pytest.mark.parametrize("y", [0, 1, 2, 5])
def test_integer_powers_are_exact(y):
    got = jnp.power(jnp.asarray(INTEGERS), y)
    assert got.dtype == np.int32
    np.testing.assert_array_equal(got, INTEGERS**y)


def test_power_of_integers_by_an_array():
    x, y = np.array([0, 0, 2, -3, 1, -1], np.int32), np.array([0, 3, 10, 3, -4, -3], np.int32)
    assert jnp.power(x, y).tolist() == [1, 0, 1024, -27, 1, -1]
    assert jnp.power(2, jnp.arange(5)).tolist() == [1, 2, 4, 8, 16]
    assert jnp.power(jnp.arange(4, dtype="uint8"), jnp.uint8(3)).tolist() == [0, 1, 8, 27]


def test_power_of_floats():
    np.testing.assert_allclose(jnp.power(jnp.array([1.0, 2.0]), -2), [1, 0.25])
    np.testing.assert_allclose(jnp.power(jnp.array([4.0, 9.0]), 0.5), [2, 3])
    np.testing.assert_allclose(jnp.power(2.0, jnp.array([3, 4])), [8, 16])
    assert jnp.power(2.0, jnp.array([3, 4])).weak_type is False
    assert jnp.power(jnp.array([True, False]), 2).dtype == np.int32


def test_power_refuses_negative_powers_of_integers():
    with pytest.raises(TypeError, match="Convert x to float"):
        jnp.arange(3) ** -1


@pytest.mark.parametrize(
    "low, high", [(0, 1), (None, 1), (0, None), (None, None), (np.array([-1.0, 0, 1]), 2.0)]
)
def test_clip(low, high):
    got = jnp.clip(FLOATS, low, high)
    np.testing.assert_array_equal(
        got, FLOATS if low is high is None else np.clip(FLOATS, low, high)
    )
    assert got.dtype == np.float32


def test_nan_wins_in_maximum_and_minimum():
    assert np.isnan(jnp.maximum(jnp.nan, 1.0)) and np.isnan(jnp.minimum(1.0, jnp.nan))


def test_weak_types_stay_weak():
    for x in (jnp.add(1, 2), jnp.sin(2), jnp.divide(1, 2), jnp.remainder(7, 3), jnp.power(3, 2)):
        assert x.weak_type
    assert not jnp.add(1, jnp.int8(2)).weak_type


@pytest.mark.parametrize("name", ["bitwise_and", "bitwise_or", "bitwise_xor"])
def test_bits(name):
    for x in (INTEGERS, BOOLS):
        np.testing.assert_array_equal(getattr(jnp, name)(x, x[0]), getattr(np, name)(x, x[0]))
    np.testing.assert_array_equal(jnp.bitwise_not(INTEGERS), ~INTEGERS)
    np.testing.assert_array_equal(jnp.invert(BOOLS), ~BOOLS)


def test_reciprocal():
    got = jnp.reciprocal(jnp.array([0, 1, 4]))
    assert got.tolist() == [np.inf, 1, 0.25] and got.dtype == np.float32


@pytest.mark.parametrize(
    "name, others",
    [("sin", ()), ("sum", ()), ("add", (1,)), ("maximum", (1,)), ("reshape", (2,)),
     ("where", (1, 1)), ("floor_divide", (1,))],
)  # fmt: skip
def test_lists_are_refused_by_name(name, others):
    with pytest.raises(TypeError, match=rf"(?s)jnp\.{name} .*argument [0x] is \[.*jnp\.array"):
        getattr(jnp, name)([1, 2], *others)


@pytest.mark.parametrize(
    "call",
    [
        lambda: jnp.sin("text"),
        lambda: jnp.sin(None),
        lambda: jnp.add(jnp.ones(3), [1, 2, 3]),
        lambda: jnp.negative(BOOLS),
        lambda: jnp.subtract(BOOLS, BOOLS),
        lambda: jnp.bitwise_and(FLOATS, 1),
        lambda: jnp.floor_divide(1j, 2),
        lambda: jnp.add(jnp.ones(3), jnp.ones(4)),
    ],
)
def test_type_errors(call):
    with pytest.raises(TypeError):
        call()


def test_derivatives_of_what_is_composed():
    x = jnp.array([0.5, 1.5, -2.25])
    tangent = jax.vmap(jax.grad(jnp.tan))(x)
    np.testing.assert_allclose(tangent, 1 / np.cos(np.asarray(x)) ** 2, rtol=1e-5)
    np.testing.assert_allclose(jax.grad(lambda x: (x % 2).sum())(x), [1, 1, 1])
    np.testing.assert_allclose(jax.grad(lambda x: (x // 2).sum())(x), [0, 0, 0])
    np.testing.assert_allclose(jax.grad(lambda x: jnp.clip(x, -1, 1).sum())(x), [1, 0, 0])


@pytest.mark.parametrize("name", ["remainder", "floor_divide", "clip", "isinf", "divmod"])
def test_jit_shows_the_functions_name(name):
    args = (1.0,) if name == "isinf" else (1.0, 2.0)
    assert f"jit[\n      name={name}\n" in str(jax.make_jaxpr(getattr(jnp, name))(*args)) or (
        f"jit[name={name} " in str(jax.make_jaxpr(getattr(jnp, name))(*args))
    )
    assert "name=sin" in str(jax.make_jaxpr(jax.jit(jnp.sin))(1.0))


@pytest.mark.parametrize("name", ["log2", "log10"])
def test_logarithms_to_a_base_are_strong(name):
    log = getattr(jnp, name)
    assert not log(8.0).weak_type and not log(8).weak_type
    assert log(jnp.float16(8)).dtype == np.float16
    np.testing.assert_allclose(log(np.array([1j, 2])), getattr(np, name)([1j, 2]), rtol=1e-6)


def test_log10_multiplies_by_a_constant():
    shown = str(jax.make_jaxpr(jnp.log10)(jnp.ones(2)))
    assert "mul b 0.4342944920063019:f32[]" in shown


@pytest.mark.parametrize(
    "x, y, dtype, weak, expected",
    [
        (jnp.int32(7), jnp.int32(2), "int32", False, 49),
        (jnp.uint8(3), jnp.int32(2), "uint8", False, 9),
        (2, jnp.uint8(2), "int32", True, 4),
        (2.0, jnp.int32(-1), "float32", True, 0.5),
        (jnp.float16(2), np.array(3), "float16", False, 8),
        (jnp.arange(3), np.int64(2), "int32", False, [0, 1, 4]),
        (jnp.arange(3), jnp.array([1, 2, -1]), "int32", False, [0, 1, 0]),
    ],
)
def test_known_integer_powers(x, y, dtype, weak, expected):
    got = jnp.power(x, y)
    assert (got.dtype, got.weak_type, got.tolist()) == (np.dtype(dtype), weak, expected)


def test_known_negative_powers_of_integers_are_refused():
    for x, y in ((jnp.int32(7), jnp.int32(-1)), (7, jnp.int32(-1)), (np.arange(3), np.array(-1))):
        with pytest.raises(TypeError, match="Convert x to float"):
            jnp.power(x, y)
    assert jax.jit(lambda x, y: x**y)(jnp.int32(1), jnp.int32(-1)) == 1


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda: jnp.floor(1j), TypeError, "jnp.floor needs an order"),
        (lambda: jnp.clip(1j, 0, 1), ValueError, "jnp.clip needs an order"),
        (lambda: jnp.clip(1.0, max=1j), ValueError, "jnp.clip needs an order"),
        (lambda: jnp.clip(jnp.ones(2), [0, 1]), TypeError, r"jnp.clip .* argument min is \[0, 1\]"),
        (lambda: jnp.clip(jnp.ones(2), max="a"), TypeError, "jnp.clip .* argument max is 'a'"),
        (lambda: jnp.remainder(None, 1), TypeError, "jnp.remainder .* argument x is None"),
        (lambda: jnp.divmod(1, "a"), TypeError, "jnp.divmod .* argument y is 'a'"),
    ],
)
def test_errors_name_the_function_and_show_the_argument(call, error, words):
    with pytest.raises(error, match=words):
        call()
