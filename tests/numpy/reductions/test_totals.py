"""Sums, means, extremes and their places, against NumPy."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp

RANDOM = np.random.default_rng(0)
FLOATS = RANDOM.normal(size=(2, 3, 4)).astype(np.float32)
INTEGERS = RANDOM.integers(-9, 9, (2, 3, 4)).astype(np.int32)
BOOLS = INTEGERS > 0
AXES = [None, 0, -1, (0, 2), (-1, 0), (), [1]]


def as_numpy(axis):
    return tuple(axis) if isinstance(axis, list) else axis


@pytest.mark.parametrize("name", ["sum", "mean", "var", "std", "max", "min", "any", "all"])
@pytest.mark.parametrize("x", [FLOATS, INTEGERS, BOOLS, FLOATS.T])
@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("keepdims", [False, True])
def test_against_numpy(name, x, axis, keepdims):
    got = getattr(jnp, name)(x, axis, keepdims=keepdims)
    expected = getattr(np, name)(x, axis=as_numpy(axis), keepdims=keepdims)
    assert got.shape == expected.shape
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(jax.jit(lambda x: getattr(jnp, name)(x, axis, keepdims=keepdims))(x),
                               got, rtol=1e-6)  # fmt: skip


@pytest.mark.parametrize(
    "name, dtypes",
    [
        (
            "sum",
            "bool:int32 int8:int32 int32:int32 uint8:uint32 float16:float16 complex64:complex64",
        ),
        ("mean", "bool:float32 int8:float32 uint8:float32 bfloat16:bfloat16 complex64:complex64"),
        ("var", "bool:float32 int32:float32 float16:float16"),
        ("max", "bool:bool int8:int8 float16:float16"),
        ("any", "bool:bool int8:bool float32:bool"),
    ],
)
def test_dtypes(name, dtypes):
    for pair in dtypes.split():
        given, expected = pair.split(":")
        result = getattr(jnp, name)(jnp.ones(3, given))
        assert result.dtype == np.dtype(expected) and not result.weak_type


def test_wide_integers_with_x64():
    with jax.enable_x64(True):
        assert jnp.sum(jnp.ones(2, "int32")).dtype == np.int64
        assert jnp.mean(jnp.ones(2, "int32")).dtype == np.float32
        assert jnp.mean(jnp.arange(2)).dtype == np.float64


def test_results_of_weak_numbers_are_strong():
    for f in (jnp.sum, jnp.mean, jnp.max, jnp.min, jnp.var):
        assert not f(2.5).weak_type


def test_small_floats_are_added_up_in_32_bits():
    x = jnp.ones(4096, "bfloat16")
    assert jnp.sum(x) == 4096 and jnp.mean(x) == 1


def test_dtype_asked_for():
    assert jnp.sum(FLOATS, dtype=int) == np.sum(FLOATS.astype(int))
    assert jnp.mean(INTEGERS, dtype="float16").dtype == np.float16


def test_initial_and_where():
    mask = FLOATS > 0
    np.testing.assert_allclose(jnp.sum(FLOATS, initial=2), FLOATS.sum() + 2, rtol=1e-6)
    np.testing.assert_allclose(jnp.sum(FLOATS, 1, where=mask), FLOATS.sum(1, where=mask), rtol=1e-5)
    np.testing.assert_allclose(
        jnp.mean(FLOATS, (0, 2), where=mask), FLOATS.mean((0, 2), where=mask), 1e-5
    )
    np.testing.assert_allclose(jnp.std(FLOATS, where=mask), FLOATS.std(where=mask), rtol=1e-5)
    expected = FLOATS.max(0, where=mask, initial=-1)
    np.testing.assert_allclose(jnp.max(FLOATS, 0, where=mask, initial=-1), expected)
    assert jnp.min(jnp.ones(3), initial=-4) == -4
    assert jnp.any(jnp.ones(3), where=False) == False  # noqa: E712
    assert jnp.all(jnp.zeros(3), where=False) == True  # noqa: E712


@pytest.mark.parametrize("ddof", [0, 1, 1.5])
def test_ddof(ddof):
    np.testing.assert_allclose(jnp.var(FLOATS, 1, ddof=ddof), FLOATS.var(1, ddof=ddof), rtol=1e-5)
    np.testing.assert_allclose(jnp.std(FLOATS, ddof=ddof), FLOATS.std(ddof=ddof), rtol=1e-5)


def test_nothing_left_to_divide_by_is_nan():
    assert np.isnan(jnp.var(jnp.ones(2), ddof=2)) and np.isnan(jnp.var(jnp.ones(2), ddof=3))
    assert np.isnan(jnp.mean(jnp.zeros(0)))


def test_empty_arrays():
    empty = jnp.zeros((0, 3))
    assert jnp.sum(empty, 0).tolist() == [0, 0, 0]
    assert jnp.max(empty, 1).shape == (0,)
    assert jnp.max(empty, initial=3) == 3
    assert not jnp.any(empty) and jnp.all(empty)
    for f in (jnp.max, jnp.min, jnp.argmax, jnp.argmin):
        with pytest.raises(ValueError, match="no numbers"):
            f(empty)


@pytest.mark.parametrize("name", ["argmax", "argmin"])
@pytest.mark.parametrize("x", [FLOATS, INTEGERS, BOOLS, FLOATS.astype(np.float16)])
@pytest.mark.parametrize("axis", [None, 0, 1, -1])
@pytest.mark.parametrize("keepdims", [False, True])
def test_places(name, x, axis, keepdims):
    got = getattr(jnp, name)(x, axis, keepdims=keepdims)
    assert got.dtype == np.int32
    np.testing.assert_array_equal(got, getattr(np, name)(x, axis, keepdims=keepdims))
    if axis is not None and not keepdims:
        batched = jax.vmap(lambda row: getattr(jnp, name)(row))(x[0])
        np.testing.assert_array_equal(batched, getattr(np, name)(x[0], -1))


def test_places_of_ties_and_nan():
    assert jnp.argmax(jnp.array([1.0, 3.0, 3.0])) == 1
    assert jnp.argmax(jnp.array([1.0, np.nan, 3.0, np.nan])) == 1
    assert jnp.argmin(jnp.array([1.0, np.nan, -3.0])) == 1
    assert np.isnan(jnp.max(jnp.array([1.0, np.nan])))


@pytest.mark.parametrize(
    "call, error",
    [
        (lambda: jnp.sum(FLOATS, 3), ValueError),
        (lambda: jnp.sum(FLOATS, (0, 0)), ValueError),
        (lambda: jnp.sum(FLOATS, 0.5), TypeError),
        (lambda: jnp.sum([1, 2]), TypeError),
        (lambda: jnp.sum(FLOATS, out=FLOATS), NotImplementedError),
        (lambda: jnp.max(FLOATS, where=BOOLS), ValueError),
        (lambda: jnp.argmax(FLOATS, (0, 1)), TypeError),
        (
            lambda: jax.jit(lambda axis: jnp.sum(FLOATS, axis))(0),
            jax.errors.ConcretizationTypeError,
        ),
    ],
)
def test_refused(call, error):
    with pytest.raises(error):
        call()


def test_derivatives():
    x = jnp.asarray(FLOATS)
    n = x.size
    mean = np.mean(FLOATS)
    np.testing.assert_allclose(jax.grad(jnp.mean)(x), np.full(x.shape, 1 / n), rtol=1e-6)
    np.testing.assert_allclose(jax.grad(jnp.var)(x), 2 * (FLOATS - mean) / n, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(jax.grad(jnp.max)(x), FLOATS == FLOATS.max())
    assert jax.grad(jnp.max)(jnp.array([2.0, 2.0, 1.0])).tolist() == [0.5, 0.5, 0]


def test_jit_names():
    assert "name=_var" in str(jax.make_jaxpr(jnp.var)(x := jnp.ones(3)))
    assert "name=_std" in str(jax.make_jaxpr(jnp.std)(x))
    assert "name=sum" in str(jax.make_jaxpr(jax.jit(jnp.sum))(x))


@pytest.mark.parametrize("name", ["sum", "mean", "var", "std", "max", "any"])
@pytest.mark.parametrize("axis", [np.array([0, 2]), jnp.array([0, 2]), {0, 2}, range(0, 3, 2)])
def test_collections_of_axes(name, axis):
    got = getattr(jnp, name)(FLOATS, axis=axis)
    np.testing.assert_allclose(got, getattr(np, name)(FLOATS, axis=(0, 2)), rtol=1e-5, atol=1e-6)
    one = getattr(jnp, name)(FLOATS, axis=np.array(1))
    np.testing.assert_array_equal(one, getattr(jnp, name)(FLOATS, axis=1))


@pytest.mark.parametrize(
    "call, dtype, expected",
    [
        (lambda x: jnp.sum(x, dtype=bool), "bool", True),
        (lambda x: jnp.sum(0 * x, dtype=bool), "bool", False),
        (lambda x: jnp.sum(0 * x, dtype=bool, initial=True), "bool", True),
        (lambda x: jnp.var(x, dtype=int), "float32", 3.0),
        (lambda x: jnp.var(x, dtype=complex), "complex64", 35 / 12),
        (lambda x: jnp.std(x, dtype=complex), "complex64", np.sqrt(35 / 12)),
        (lambda x: jnp.sum(x.astype("int8"), initial=300), "int32", 315),
        (lambda x: jnp.max(x.astype("int8"), initial=300), "int8", 44),
    ],
)
def test_other_dtypes(call, dtype, expected):
    got = call(jnp.arange(6.0))
    assert got.dtype == np.dtype(dtype)
    np.testing.assert_allclose(got, np.array(expected, dtype), rtol=1e-6)


@pytest.mark.parametrize("name", ["sum", "mean", "var", "std", "max", "min", "any", "all"])
def test_where_is_of_bools(name):
    reduce = getattr(jnp, name)
    extra = {"initial": 0} if name in ("max", "min") else {}
    for where in (1, jnp.ones((2, 3, 4))):
        with pytest.raises(ValueError, match=f"jnp.{name} takes bools as where"):
            reduce(FLOATS, where=where, **extra)
    with pytest.raises(TypeError, match=f"jnp.{name} .* argument where is 'a'"):
        reduce(FLOATS, where="a", **extra)


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda: jnp.sum(FLOATS, initial=jnp.ones(4)), ValueError, "jnp.sum takes one number"),
        (lambda: jnp.max(FLOATS, initial=jnp.ones(4)), ValueError, "jnp.max takes one number"),
        (lambda: jnp.sum(FLOATS, initial="a"), TypeError, "argument initial is 'a'"),
        (lambda: jnp.argmax(np.array([1j])), TypeError, "jnp.argmax needs an order"),
        (lambda: jnp.argmin(np.array([1j])), TypeError, "jnp.argmin needs an order"),
        (lambda: jnp.sum(FLOATS, axis=1.5), TypeError, "jnp.sum takes an integer as axis"),
        (lambda: jnp.sum(FLOATS, axis="0"), TypeError, "jnp.sum takes an integer as axis"),
        (lambda: jnp.std(FLOATS, axis=5), ValueError, "jnp.std found no axis 5"),
        (lambda: jnp.std(FLOATS, ddof="a"), TypeError, "jnp.std .* argument ddof is 'a'"),
        (lambda: jnp.std(FLOATS, dtype=int), ValueError, "jnp.std gives floats"),
        (lambda: jnp.var(1j * FLOATS, dtype="float32"), ValueError, "jnp.var of complex"),
    ],
)
def test_errors_name_the_function_and_the_argument(call, error, words):
    with pytest.raises(error, match=words):
        call()


@pytest.mark.parametrize("name", ["sum", "mean", "var", "std", "max", "any"])
def test_axes_that_are_traced(name):
    with pytest.raises(jax.errors.ConcretizationTypeError, match=f"jnp.{name} needs axis"):
        jax.jit(lambda axis: getattr(jnp, name)(FLOATS, axis=axis))(0)


def test_an_axis_of_argmax_that_is_traced():
    with pytest.raises(jax.errors.TracerIntegerConversionError):
        jax.jit(lambda axis: jnp.argmax(FLOATS, axis=axis))(0)
