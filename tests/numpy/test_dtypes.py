"""Dtypes by name."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp

NAMES = ("bool_ int8 int16 int32 uint8 uint16 uint32 bfloat16 float16 float32 complex64").split()


@pytest.mark.parametrize("name", NAMES)
def test_scalar_types_are_dtypes_and_make_arrays(name):
    scalar = getattr(jnp, name)
    dtype = np.dtype(scalar)
    assert scalar == dtype.type and dtype == scalar and hash(scalar) == hash(dtype.type)
    assert repr(scalar) == f"<class 'minijax.numpy.{dtype.name}'>"
    made = scalar(1)
    assert made.dtype == dtype and made.shape == () and not made.weak_type
    assert scalar([1, 0]).dtype == dtype
    assert jnp.zeros(2, scalar).dtype == dtype


def test_scalar_types_differ():
    assert len({getattr(jnp, name) for name in NAMES}) == len(NAMES)
    assert jnp.float32 != jnp.float16 and jnp.float32 != "float32"
    assert isinstance(np.float32(1), jnp.float32) and not isinstance(1.0, jnp.float32)
    assert jnp.int_ is jnp.int64 and jnp.float_ is jnp.float64


@pytest.mark.parametrize("value", [300, [300]])
def test_scalar_types_refuse_what_does_not_fit(value):
    with pytest.raises(OverflowError):
        jnp.int8(value)


@pytest.mark.parametrize(
    "dtype, family, expected",
    [
        ("float32", jnp.floating, True),
        ("bfloat16", jnp.floating, True),
        (jnp.bfloat16, jnp.inexact, True),
        (jnp.bfloat16, np.float32, False),
        (jnp.bfloat16, jnp.bfloat16, True),
        ("int8", jnp.integer, True),
        ("uint8", jnp.signedinteger, False),
        (bool, jnp.integer, False),
        ("complex64", jnp.complexfloating, True),
        ("float32", float, False),
        (jnp.floating, jnp.inexact, True),
    ],
)
def test_issubdtype(dtype, family, expected):
    assert jnp.issubdtype(dtype, family) is expected


def test_promotion():
    assert jnp.promote_types("int8", "uint8") == np.int16
    assert jnp.promote_types("bfloat16", "float16") == np.float32
    assert jnp.result_type(int, "int8") == np.int8
    assert jnp.result_type(jnp.ones(2, "int8"), 1.5) == np.float32
    assert jnp.result_type(jnp.float32, jnp.int32) == np.float32


def test_limits():
    assert jnp.finfo("bfloat16").eps == 2**-7 and jnp.finfo(jnp.float32).max > 3e38
    assert jnp.iinfo(jnp.int8).min == -128 and jnp.iinfo("uint16").max == 65535


def test_constants():
    assert (jnp.pi, jnp.e, jnp.inf, jnp.newaxis) == (np.pi, np.e, np.inf, None)
    assert np.isnan(jnp.nan) and isinstance(jnp.ones(2), jnp.ndarray)


@pytest.mark.parametrize(
    "a, b, expected",
    [
        ("int64", "int8", "int64"),
        ("int64", "uint64", "float64"),
        (float, float, "float64"),
        (int, "int8", "int8"),
        ("uint32", "int8", "int32"),
        ("uint32", jnp.int64, "int64"),
        ("float16", float, "float16"),
    ],
)
def test_promote_types_knows_64_bits_where_they_are_given(a, b, expected):
    assert jnp.promote_types(a, b) == jnp.promote_types(b, a) == np.dtype(expected)


def test_result_type_asks_for_a_dtype():
    class Named:
        dtype = np.dtype("float64")

    assert jnp.result_type(Named(), jnp.int8) == np.float32
    Named.dtype = "float64"
    with pytest.raises(TypeError, match="^jnp.result_type takes arrays"):
        jnp.result_type(Named())


def test_canonical_dtypes_of_keys_are_asked_for():
    dtype = jax.random.key(0).dtype
    assert jax.dtypes.canonicalize_dtype(dtype, allow_extended_dtype=True) is dtype
    with pytest.raises(ValueError, match="got key<fry>. Pass allow_extended_dtype=True"):
        jax.dtypes.canonicalize_dtype(dtype)


def test_result_type_of_nothing():
    assert jnp.result_type(None) == jnp.result_type(None, "int8") == np.float32
    with pytest.raises(ValueError, match="jnp.result_type got nothing"):
        jnp.result_type()


def test_scalar_types_read_text():
    assert np.isnan(jnp.float32("nan")) and jnp.float32("3.5") == 3.5 and jnp.int32("12") == 12
    with pytest.raises(ValueError, match="^jnp.int32 cannot make int32 of 'x'"):
        jnp.int32("x")
