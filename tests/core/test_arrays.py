"""Arrays: immutable values, settings, how dtypes meet, and arrays as text and as numbers."""

import copy
import operator
import pickle
import threading

import ml_dtypes
import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax.core.arrays import ArrayImpl, as_array, is_array_like, raw_value, to_numpy
from minijax.core.config import config
from minijax.core.dtypes import canonicalize_dtype, float0
from minijax.core.tracing import ShapedArray, typeof
from minijax.dtypes import result_type
from minijax.placement import devices

bfloat16 = ml_dtypes.bfloat16

# Immutability.


@pytest.mark.parametrize("make", [as_array, jnp.asarray, jnp.array, jax.jit(lambda x: x),
                                  lambda x: jnp.stack([x])[0]],
                         ids=["as_array", "asarray", "array", "jit", "stack"])
def test_what_happens_to_the_numpy_array_afterwards_is_not_seen(make):
    original = np.arange(3, dtype=np.float32)
    x = make(original)
    original[:] = 7.0
    assert x.tolist() == [0.0, 1.0, 2.0]
    assert original.flags.writeable


def test_constants_of_a_jitted_function_are_what_they_were_when_it_was_traced():
    original = np.arange(3, dtype=np.float32)
    f = jax.jit(lambda x: x + jnp.asarray(original))
    assert f(1.0).tolist() == [1.0, 2.0, 3.0]
    original[:] = 7.0
    assert f(1.0).tolist() == [1.0, 2.0, 3.0]


def test_numpy_gets_a_view_that_it_cannot_write_to():
    x = jnp.arange(3)
    for view in (np.asarray(x), to_numpy(x), raw_value(x)):
        with pytest.raises(ValueError, match="read-only"):
            view[0] = 7
    mine = np.array(x)
    mine[0] = 7
    assert x.tolist() == [0, 1, 2]
    assert np.asarray(x, np.float64).dtype == np.float64
    with pytest.raises(ValueError, match="copy"):
        np.asarray(x, np.float64, copy=False)


@pytest.mark.parametrize("where", [0, slice(1, 3), (0, ...), [0, 1]], ids=repr)
def test_item_assignment_names_the_way_out(where):
    x = jnp.arange(3)
    with pytest.raises(TypeError) as caught:
        x[where] = 1
    assert f"x = x.at[{where!r}].set(...)" in str(caught.value) and "int32[3]" in str(caught.value)

    @jax.jit
    def f(x):
        x[where] = 1

    with pytest.raises(TypeError) as caught:
        f(x)
    assert f"x = x.at[{where!r}].set(...)" in str(caught.value)


@pytest.mark.parametrize("name", ["shape", "dtype", "ndim", "size", "weak_type", "nbytes"])
def test_properties_cannot_be_set(name):
    x = jnp.arange(3)
    with pytest.raises(AttributeError):
        setattr(x, name, getattr(x, name))


# Settings.


def test_contexts_nest_and_are_left_by_exceptions():
    seen = [config.jax_enable_x64]
    with jax.enable_x64():
        seen.append(config.jax_enable_x64)
        with pytest.raises(KeyError), jax.enable_x64(False):
            seen.append(config.jax_enable_x64)
            raise KeyError
        seen.append(config.jax_enable_x64)
    assert [*seen, config.jax_enable_x64] == [False, True, False, True, False]


def in_thread(work):
    answer = []
    thread = threading.Thread(target=lambda: answer.append(work()))
    thread.start()
    thread.join()
    return answer[0]


def test_update_is_for_every_thread_and_a_context_for_one():
    def read():
        return config.jax_enable_x64

    config.update("jax_enable_x64", True)
    try:
        assert read() and in_thread(read) and jnp.asarray(1.5).dtype == np.float64
        with jax.enable_x64(False):
            assert (read(), in_thread(read)) == (False, True)
    finally:
        config.update("jax_enable_x64", False)
    assert (read(), in_thread(read)) == (False, False)
    with jax.enable_x64(True):
        assert (read(), in_thread(read)) == (True, False)


def test_options_are_set_with_update():
    with pytest.raises(AttributeError, match="config.update"):
        config.jax_enable_x64 = True
    assert jnp.ones(1).dtype == jnp.float32


@pytest.mark.parametrize("value", [2, "yes", None])
def test_a_switch_is_on_or_off(value):
    with config.override("jax_enable_x64", value):
        assert config.jax_enable_x64 is bool(value)
        assert jnp.ones(1).dtype == (jnp.float64 if value else jnp.float32)


def test_modes_of_promotion_are_checked():
    with pytest.raises(ValueError, match="one of 'standard', 'strict'; got 'strct'"):
        config.update("jax_numpy_dtype_promotion", "strct")
    with pytest.raises(ValueError, match="got 'loose'"), jax.numpy_dtype_promotion("loose"):
        pass


@pytest.mark.parametrize("dtype", [">f4", "float128", "S1", "datetime64[s]", object])
def test_dtypes_that_are_none_for_arrays(dtype):
    for use in [lambda: jnp.zeros(2, dtype), lambda: jnp.asarray(np.zeros(2, dtype)),
                lambda: jax.jit(lambda x: x)(np.zeros(2, dtype))]:
        with pytest.raises(TypeError, match="dtype"):
            use()


@pytest.mark.parametrize("convert", [float, int])
def test_a_complex_number_is_no_real_one(convert):
    with pytest.raises(TypeError, match=f"{convert.__name__}.. takes a real number.*complex64"):
        convert(jnp.asarray(1j))


@pytest.mark.parametrize("other", [[1.0], (1.0,), {1.0}, {}])
def test_a_comparison_with_a_container_is_refused(other):
    x = jnp.ones(1)
    for compare in [lambda: x == other, lambda: x != other, lambda: other == x, lambda: x < other]:
        with pytest.raises(TypeError):
            compare()
    assert (x == None) is False and (x != "a") is True  # noqa: E711


@pytest.mark.parametrize("name", ["jax_nonsense", "enable_x64", "update", "__doc__"])
def test_an_option_that_is_not_there(name):
    with pytest.raises(AttributeError, match="jax_enable_x64"):
        config.update(name, True)


# Dtypes, and how they meet.


@pytest.mark.parametrize("asked, narrow, wide", [
    (float, "float32", "float64"), (int, "int32", "int64"), (complex, "complex64", "complex128"),
    (bool, "bool", "bool"), ("uint64", "uint32", "uint64"), (np.float64, "float32", "float64"),
    (np.int8, "int8", "int8"), (bfloat16, "bfloat16", "bfloat16"), (float0, float0, float0),
], ids=str)
def test_canonical_dtypes(asked, narrow, wide):
    assert canonicalize_dtype(asked) == np.dtype(narrow)
    with jax.enable_x64():
        assert canonicalize_dtype(asked) == np.dtype(wide)


@pytest.mark.parametrize("asked", [str, object, "M8[s]", "nonsense", [("x", int)]], ids=str)
def test_what_is_no_dtype_for_an_array(asked):
    with pytest.raises(TypeError, match="dtype"):
        canonicalize_dtype(asked)


@pytest.mark.parametrize("operands, dtype, weak", [
    ((1, 2.0), "float32", True), ((True, 1), "int32", True), ((1.0, 1j), "complex64", True),
    ((np.float32(1), 1.0), "float32", False), ((1.0, 2.0), "float32", True),
    ((np.int8(1), 1), "int8", False), ((np.int8(1), 1.0), "float32", True),
    ((np.float16(1), 1.0), "float16", False), ((np.float16(1), bfloat16(1)), "float32", False),
    (("uint8", "int8"), "int16", False), (("uint32", "int32"), "int32", False),
    ((bfloat16(1), np.int32(1)), "bfloat16", False), ((np.float16(1), 1j), "complex64", False),
    ((np.bool_(1), np.uint8(1)), "uint8", False), (("float32", "complex64"), "complex64", False),
], ids=str)
def test_promotion(operands, dtype, weak):
    for args in (operands, operands[::-1]):
        got, got_weak = result_type(*args, return_weak_type_flag=True)
        assert (got, got_weak) == (np.dtype(dtype), weak)


def test_promotion_with_64_bits():
    with jax.enable_x64():
        assert result_type("uint32", "int32") == np.int64
        assert result_type("uint64", "int64") == np.float64
        assert result_type(np.float32(1), 1.0) == np.float32


@pytest.mark.parametrize("x, y, allowed", [
    (np.float32(1), 1, True), (np.complex64(1), 1.0, True),
    (np.float32(1), 1.0, True), (np.int8(1), 1, True),
    (np.complex64(1), 1j, True), (bfloat16(1), 2.0, True), (1, 2.0, True),
    (np.float32(1), np.float32(2), True), (np.int32(1), np.float32(1), False),
    (np.int32(1), 1.0, False), (np.uint8(1), np.int8(1), False), (np.bool_(1), 1, False),
], ids=str)
def test_strict_promotion(x, y, allowed):
    x, y = jnp.asarray(x), y if isinstance(y, int | float | complex) else jnp.asarray(y)
    usual = x + y
    with jax.numpy_dtype_promotion("strict"):
        if allowed:
            assert (x + y).dtype == usual.dtype
        else:
            for f in (jnp.add, jax.jit(jnp.add)):
                with pytest.raises(jax.errors.TypePromotionError, match="astype") as caught:
                    f(x, y)
                assert str(x.dtype) in str(caught.value)
    assert (x + y).dtype == usual.dtype


# Making them.


@pytest.mark.parametrize("value, aval", [
    (1, ShapedArray((), "int32", True)), (1.5, ShapedArray((), "float32", True)),
    (True, ShapedArray((), "bool")), (1j, ShapedArray((), "complex64", True)),
    (np.float64(1.5), ShapedArray((), "float32")), (bfloat16(1.5), ShapedArray((), bfloat16)),
    (np.arange(3), ShapedArray((3,), "int32")), (np.zeros((0, 2)), ShapedArray((0, 2), "float32")),
], ids=repr)
def test_arrays_of_values(value, aval):
    x = as_array(value)
    assert type(x) is ArrayImpl and x.aval is aval is typeof(value)
    assert to_numpy(x).dtype == aval.dtype and np.array_equal(to_numpy(x), value)
    assert as_array(x) is x and is_array_like(value) and is_array_like(x)


@pytest.mark.parametrize("value", ["1", None, [1], (1,), np.str_("1"), b"1"], ids=repr)
def test_what_is_no_array(value):
    assert not is_array_like(value)
    with pytest.raises(TypeError, match="is not an array or a number"):
        as_array(value)


@pytest.mark.parametrize("value, fits", [
    (2**31 - 1, True), (-(2**31), True), (2**31, False), (-(2**31) - 1, False), (2**70, False),
])
def test_integers_that_do_not_fit(value, fits):
    if fits:
        assert as_array(value).item() == value
        return
    with pytest.raises(OverflowError, match=f"{value}.*jax_enable_x64"):
        as_array(value)


def test_numbers_beyond_float32_are_infinite():
    assert as_array(1e300).item() == np.inf and as_array(np.float64(-1e300)).item() == -np.inf


def test_no_dimension_order_and_stride_is_seen():
    base = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    for view in (base.T, base[:, ::-1, ::2], base[0, 1, 2], np.asfortranarray(base)):
        np.testing.assert_array_equal(np.asarray(as_array(view)), view)


# Copies, pickles, deletion.


@pytest.mark.parametrize("value", [1.5, np.arange(3), np.zeros((0, 2)), bfloat16(2), True],
                         ids=repr)
def test_pickled_and_back(value):
    x = as_array(value)
    y = pickle.loads(pickle.dumps(x))
    assert y.aval is x.aval and y.tolist() == x.tolist() and type(y) is ArrayImpl
    with pytest.raises(ValueError, match="read-only"):
        np.asarray(y)[...] = 0


def test_copies_have_the_values_and_the_type():
    x = jnp.asarray(1.5)
    for y in [copy.copy(x), copy.deepcopy({"a": [x]})["a"][0]]:
        assert y.aval is x.aval and y.tolist() == x.tolist()


@pytest.mark.parametrize("use", [
    np.asarray, repr, str, float, bool, pickle.dumps, lambda x: x + 1, lambda x: x.tolist(),
    lambda x: x.item(), jax.jit(lambda x: x * 2.0), lambda x: f"{x}", jax.grad(lambda x: x * x),
], ids=range(12))
def test_a_deleted_array_keeps_its_type_and_nothing_else(use):
    x = as_array(np.float32(1.0))
    assert not x.is_deleted()
    use(x)
    x.delete()
    assert x.is_deleted() and x.shape == () and x.dtype == np.float32
    with pytest.raises(RuntimeError, match=r"float32\[\] has been deleted"):
        use(x)


# As text and as numbers.


@pytest.mark.parametrize("value, text", [
    (1.5, "Array(1.5, dtype=float32, weak_type=True)"), (True, "Array(True, dtype=bool)"),
    (np.arange(3, dtype=np.int8), "Array([0, 1, 2], dtype=int8)"),
    (np.zeros((0, 2)), "Array([], shape=(0, 2), dtype=float32)"),
    (bfloat16(1.5), "Array(1.5, dtype=bfloat16)"),
    (np.eye(2), "Array([[1., 0.],\n       [0., 1.]], dtype=float32)"),
    (np.complex64(1 + 2j), "Array(1.+2.j, dtype=complex64)"),
], ids=str)
def test_repr(value, text):
    assert repr(as_array(value)) == text


@pytest.mark.parametrize("value, spec, text", [
    (1.23456, ".2f", "1.23"), (7, "05d", "00007"), (1.5, "", "1.5"), (np.arange(3), "", "[0 1 2]"),
    (True, "", "True"), (1e-7, ".1e", "1.0e-07"),
])
def test_format(value, spec, text):
    assert format(as_array(value), spec) == text


def test_format_with_a_spec_needs_one_value():
    with pytest.raises(TypeError, match="format"):
        format(jnp.arange(3), ".2f")


@pytest.mark.parametrize("convert, value, want", [
    (float, 2, 2.0), (int, 2.7, 2), (complex, 1.5, 1.5 + 0j), (bool, np.ones((1, 1)), True),
    (bool, 0.0, False), (len, np.zeros((3, 0)), 3), (range, np.int8(2), range(2)),
    (operator.index, np.uint8(1), 1), (list, np.zeros(0), []),
], ids=str)
def test_as_python_values(convert, value, want):
    got = convert(as_array(value))
    assert got == want and type(got) is type(want)


@pytest.mark.parametrize("convert, value, error, words", [
    (float, np.ones(1), TypeError, r"float\(\) takes .*float32\[1\].*x\[0\]"),
    (int, np.ones((1, 1)), TypeError, r"int\(\) takes .*float32\[1,1\]"),
    (complex, np.ones(2), TypeError, r"complex\(\) takes .*float32\[2\]"),
    (bool, np.ones(2), ValueError, r"float32\[2\].*2 values.*x.any\(\)"),
    (bool, np.ones(0), ValueError, r"float32\[0\].*0 values"),
    (range, np.float32(1), TypeError, r"integer array.*got float32\[\]"),
    (range, np.array([1]), TypeError, r"integer array.*got int32\[1\]"),
    (len, np.float32(1), TypeError, r"one dimension.*Array of type float32\[\]"),
    (iter, np.float32(1), TypeError, r"Iteration over float32\[\]"),
    (hash, np.ones(1), TypeError, "unhashable"),
], ids=str)
def test_what_is_no_python_value(convert, value, error, words):
    with pytest.raises(error, match=words):
        convert(as_array(value))


def test_rows_are_arrays_of_the_same_kind():
    x = jax.jit(lambda: jnp.full((2, 3), 1.5))()
    rows = list(x)
    assert [(row.shape, row.weak_type) for row in rows] == [((3,), x.weak_type)] * 2
    with pytest.raises(ValueError, match="read-only"):
        np.asarray(rows[0])[0] = 7


def test_the_first_device():
    cpu = devices()[0]
    assert devices("cpu")[0] is cpu and (cpu.platform, cpu.id) == ("cpu", 0)
    x = jnp.arange(3)
    assert x.device is cpu and x.devices() == {cpu} and x.block_until_ready() is x
    assert (x.nbytes, x.itemsize) == (12, 4)
    with pytest.raises(RuntimeError, match="'tpu' for devices. Give 'cpu', the only one"):
        devices("tpu")


def test_an_array_is_not_made_of_a_shape():
    for value in ((1, 1), 2.0, [1.0]):
        with pytest.raises(TypeError, match="jnp.asarray"):
            jnp.ndarray(value)
