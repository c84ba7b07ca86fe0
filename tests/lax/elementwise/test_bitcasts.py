"""bitcast_convert_type: the same bits as other numbers. (What shifts give: primitive_table.py.)"""

import ml_dtypes
import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax, random


def test_there_and_back():
    with jax.enable_x64():
        for dtype in ("float32", "float64", "bfloat16", "float16", "int8", "uint16", "int64"):
            x = jnp.arange(-3, 13).astype(dtype)
            for other in ("uint8", "int16", "float32", "uint64"):
                ratio = x.dtype.itemsize // np.dtype(other).itemsize
                y = x if ratio else x.reshape(-1, np.dtype(other).itemsize // x.dtype.itemsize)
                there = lax.bitcast_convert_type(y, other)
                assert there.dtype == other and there.nbytes == x.nbytes
                back = lax.bitcast_convert_type(there, dtype)
                assert (back.shape, back.dtype) == (y.shape, y.dtype)
                np.testing.assert_array_equal(
                    np.asarray(back).tobytes(), np.asarray(y).tobytes()
                )


def test_the_low_bits_come_first():
    x = lax.bitcast_convert_type(np.uint32(0x04030201), "uint8")
    np.testing.assert_array_equal(x, [1, 2, 3, 4])
    assert int(lax.bitcast_convert_type(x, "uint32")) == 0x04030201
    assert float(lax.bitcast_convert_type(jnp.uint16(0x3F80), ml_dtypes.bfloat16)) == 1.0


@pytest.mark.parametrize("in_axis", [0, 1, 2, -1])
def test_the_batch_axis_is_not_among_the_parts(in_axis):
    x = np.arange(2 * 3 * 4, dtype=np.uint8).reshape(2, 3, 4)
    moved = np.moveaxis(x, 0, in_axis)
    got = jax.vmap(lambda x: lax.bitcast_convert_type(x, "int32"), in_axes=in_axis)(moved)
    np.testing.assert_array_equal(got, x.view(np.int32)[..., 0])


def test_it_changes_in_jumps():
    f = lambda x: lax.bitcast_convert_type(x, "float32")  # noqa: E731
    assert float(jax.grad(f)(1.5)) == 0.0
    y, dot = jax.jvp(lambda x: lax.bitcast_convert_type(x, "int32"), (1.0,), (1.0,))
    assert int(y) == 0x3F800000 and dot.dtype == jax.dtypes.float0


@pytest.mark.parametrize("operand, dtype, error, says", [
    (jnp.zeros(3, "uint8"), "float32", ValueError, r"4 uint8.*\(3,\)"),
    (jnp.uint8(3), "float32", ValueError, r"4 uint8.*\(\)"),
    (jnp.zeros(3), "bool", TypeError, "bool"),
    (jnp.zeros(3, "complex64"), "float32", TypeError, "complex64"),
    (random.key(0), "uint32", ValueError, "key<fry>"),
    ("text", "uint32", TypeError, "'text'"),
    (1.0, "nothing", TypeError, "knows no dtype 'nothing'"),
])
def test_refused(operand, dtype, error, says):
    with pytest.raises(error, match=says):
        lax.bitcast_convert_type(operand, dtype)
