"""Numbers of fewer bits than their bytes have, as bits and back; and what kernels leave of them."""

import ml_dtypes
import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.lax.elementwise.number_sizes import (
    as_numbers,
    bits_of,
    is_small,
    resized,
    signed_numbers,
    words_of,
)

SMALL = ["int2", "int4", "uint2", "uint4", "float4_e2m1fn"]
EIGHT = ["int8", "uint8", "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu"]


def every(dtype):
    """All the numbers of a dtype, in the order of their bits."""
    return as_numbers(np.arange(1 << bits_of(np.dtype(dtype)), dtype=np.uint8), np.dtype(dtype))


@pytest.mark.parametrize("dtype", [*SMALL, *EIGHT])
def test_bits_there_and_back(dtype):
    x = every(dtype)
    assert x.dtype == dtype and is_small(x.dtype) == (dtype in SMALL)
    assert words_of(x).tolist() == list(range(x.size))
    assert words_of(as_numbers(words_of(x), x.dtype)).tolist() == list(range(x.size))
    if "int" in dtype:
        assert sorted(x.astype(int)) == list(range(*np.add(info(dtype), (0, 1))))


def info(dtype):
    bounds = ml_dtypes.iinfo(dtype)
    return bounds.min, bounds.max


@pytest.mark.parametrize("dtype", SMALL)
@pytest.mark.parametrize("other", ["uint8", "int16", "float32"])
def test_cut_into_parts_and_put_together(dtype, other):
    """The lowest bits come first; and each way undoes the other."""
    x = np.random.default_rng(0).integers(0, 256, (3, 5, 4), np.uint8).view(other)
    parts = resized(x, np.dtype(dtype))
    count = bits_of(x.dtype) // bits_of(np.dtype(dtype))
    assert parts.shape == (*x.shape, count) and parts.dtype == dtype
    assert words_of(parts[..., 0]).tolist() == (words_of(x) % (1 << bits_of(parts.dtype))).tolist()
    assert resized(parts, x.dtype).tobytes() == x.tobytes()
    batched = jax.vmap(lambda p: lax.bitcast_convert_type(p, other), in_axes=1)(jnp.asarray(parts))
    assert np.swapaxes(batched, 0, 1).tobytes() == x.tobytes()


@pytest.mark.parametrize("dtype", ["int4", "uint4"])
def test_signs(dtype):
    assert signed_numbers(every(dtype)).tolist() == [*range(8), *range(-8, 0)]


@pytest.mark.parametrize("dtype", ["int2", "int4", "uint2", "uint4"])
def test_counts_and_shifts_know_the_number_of_bits(dtype):
    """As of the numbers with four bits: `lax` in JAX counts those of the byte (population_count),
    takes the upper half of its product (mulhi), and copies a sign that uint4 has not (>>)."""
    x, bits = jnp.asarray(every(dtype)), bits_of(np.dtype(dtype))
    words = range(1 << bits)
    assert lax.population_count(x).tolist() == [as_held(w.bit_count(), dtype) for w in words]
    assert lax.clz(x).tolist() == [as_held(bits - w.bit_length(), dtype) for w in words]
    one = jnp.ones(x.shape, dtype)
    assert words_of(np.asarray(lax.shift_right_logical(x, one))).tolist() == [w >> 1 for w in words]
    assert (x >> 1).tolist() == [int(v) >> 1 for v in np.asarray(x).astype(int)]
    product = [int(v) * int(w) >> bits for v, w in zip(x.tolist(), x.tolist()[::-1], strict=True)]
    assert lax.mulhi(x, x[::-1]).tolist() == [as_held(p, dtype) for p in product]


def as_held(number, dtype):
    return int(np.array(number).astype(dtype))


@pytest.mark.parametrize("dtype", ["int4", "uint4"])
def test_sums_and_indices_of_small_integers(dtype):
    """They are added up in 32 bits. JAX stumbles here, over NumPy's iinfo; and an index of an axis
    that is longer than the dtype counts is counted from the end in 32 bits."""
    x = jnp.asarray(every(dtype))
    assert jnp.sum(x).dtype in (np.int32, np.uint32) and int(jnp.sum(x)) == sum(x.tolist())
    counted = jnp.arange(20)[x]
    assert counted.tolist() == [i % 20 for i in x.tolist()]


@pytest.mark.parametrize("dtype", ["float8_e4m3fn", "float8_e5m2", "float8_e3m4", "float4_e2m1fn"])
def test_many_terms_are_rounded_once(dtype):
    x = (np.random.default_rng(1).random((20, 7)) / 16 + 0.1).astype(dtype)
    wide = x.astype(np.float32)
    for got, exact in [
        (lax.reduce_sum_p.bind(jnp.asarray(x), axes=(0,)), wide.sum(0)),
        (lax.cumsum(jnp.asarray(x)), wide.cumsum(0)),
        (lax.dot(jnp.asarray(x.T), jnp.asarray(x)), wide.T @ wide),
    ]:  # fmt: skip
        assert got.dtype == dtype
        np.testing.assert_array_equal(np.asarray(got, np.float32), exact.astype(dtype).astype("f4"))
    product = lax.dot(jnp.asarray(x.T), jnp.asarray(x), preferred_element_type="float32")
    np.testing.assert_allclose(product, wide.T @ wide, rtol=1e-6)


@pytest.mark.parametrize("dtype", ["int4", "float8_e4m3fn"])
def test_explain_says_that_kernels_do_not_know_them(dtype):
    x = jnp.ones(4, dtype)
    assert f"kernels don't compute with {dtype}." in str(jax.explain(lambda x: x + x)(x))
    loop = jax.explain(lambda x: lax.fori_loop(0, 3, lambda i, c: c + c, x))(x)
    assert f"it is run step by step: kernels don't hold {dtype}[4]." in str(loop)


@pytest.mark.parametrize("dtype", ["int1", "uint1", "float6_e2m3fn", "float6_e3m2fn"])
def test_types_without_arrays(dtype):
    error = jax.errors.JaxRuntimeError if "float" in dtype else ValueError
    kind = jnp.floating if "float" in dtype else jnp.integer
    assert jnp.issubdtype(dtype, kind) and jnp.promote_types(dtype, int) == dtype
    struct = jax.eval_shape(lambda x: x + x, jax.ShapeDtypeStruct((2,), dtype))
    assert struct.dtype == dtype
    for make in (getattr(jnp, dtype), lambda x: jnp.zeros(2, dtype), lambda x: jnp.array(x, dtype),
                 lambda x: jnp.ones(2).astype(dtype), lambda x: jnp.asarray(np.zeros(2, dtype)),
                 jax.jit(lambda x: x.astype(dtype))):  # fmt: skip
        with pytest.raises(error, match="of which there are\n? ?no"):
            make(1)
