"""Numbers drawn with a key: uniform, normal, bools, integers."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from minijax import lax
from minijax.core.dtypes import issubdtype
from minijax.core.jitting import jit
from minijax.core.primitives import Shape
from minijax.core.tracing import typeof
from minijax.dtypes import finfo, iinfo
from minijax.lax.elementwise.arithmetic import real_dtype, shown
from minijax.lax.elementwise.number_sizes import is_small
from minijax.lax.out_sharding import takes_out_sharding
from minijax.lax.shapes.axes import known_shape
from minijax.numpy.arguments import check_arraylike, is_array, number_in, refuse_keys
from minijax.numpy.creation import asarray
from minijax.numpy.elementwise.ufuncs import clip
from minijax.random.arguments import check_shapes, dtype_of_kind, one_key
from minijax.random.keys import bits, split


def _with_rank(x: Any, rank: int) -> Any:
    return lax.expand_dims(x, range(rank - typeof(x).ndim))


# Floats.


@takes_out_sharding
def uniform(
    key: Any, shape: Any = (), dtype: Any = None, minval: Any = 0.0, maxval: Any = 1.0
) -> Any:  # fmt: skip
    """Floats from `minval` up to, and without, `maxval`, each value as likely as any other.

    The result has `shape` and `dtype`: a float dtype, float32 by default (float64 under x64).
    `minval` and `maxval` are numbers, or arrays that broadcast to `shape`; the result has
    derivatives with respect to them.

    ValueError for a dtype that is not of floats and for an array of keys (use `vmap`); TypeError
    for what is no key, for a shape that is none, and for bounds that don't fit.

    The random bits become the digits behind the point of a number from 1 to 2, whose exponent is
    known, and 1 is taken away. So the result is a multiple of 2**-23 in float32, of 2**-52 in
    float64. (Saito and Matsumoto, dSFMT, 2009, make their floats in this way.)

    >>> from minijax.random import key
    >>> uniform(key(0), (3,))
    Array([0.947667  , 0.9785799 , 0.33229148], dtype=float32)
    >>> uniform(key(0), (2,), minval=-1.0, maxval=1.0)
    Array([0.895334  , 0.95715976], dtype=float32)
    """
    key = one_key("uniform", key)
    dtype = dtype_of_kind("uniform", dtype)
    shape = known_shape("random.uniform", shape)
    check_arraylike("random.uniform", minval=minval, maxval=maxval)
    refuse_keys("random.uniform", minval, maxval, error=ValueError)
    check_shapes("uniform", shape, TypeError, minval=minval, maxval=maxval)
    return _uniform(key, minval, maxval, shape, dtype)


@partial(jit, static_argnums=(3, 4))
def _uniform(key: Any, minval: Any, maxval: Any, shape: Shape, dtype: np.dtype) -> Any:
    if is_small(dtype):
        raise TypeError(
            f"random.uniform draws floats of 8 bits and more, and was asked for {dtype}.\n"
            f"Draw float32, and convert: .astype(dtype)."
        )
    minval, maxval = [lax.convert_element_type(x, dtype) for x in (minval, maxval)]
    minval, maxval = [_with_rank(x, len(shape)) for x in (minval, maxval)]
    digits = finfo(dtype).nmant
    drawn = 8 * dtype.itemsize if digits >= 8 else 8  # bfloat16 has only 7 digits to fill
    unsigned = np.dtype(f"uint{8 * dtype.itemsize}")
    random = lax.convert_element_type(bits(key, shape, f"uint{drawn}"), unsigned)
    mantissa = lax.shift_right_logical(random, unsigned.type(drawn - digits))
    one = np.array(1, dtype)
    from_one_to_two = lax.bitcast_convert_type(
        lax.bitwise_or(mantissa, one.view(unsigned)[()]), dtype
    )
    floats = lax.mul(lax.sub(from_one_to_two, one), lax.sub(maxval, minval))
    # Rounding must not bring a number below minval.
    return lax.max(minval, lax.reshape(lax.add(floats, minval), shape))


@takes_out_sharding
def normal(key: Any, shape: Any = (), dtype: Any = None) -> Any:
    """Numbers from the standard normal distribution: mean 0, variance 1.

    The result has `shape` and `dtype`: a float or complex dtype, float32 by default (float64 under
    x64). Real and imaginary part of a complex number each have variance 1/2.

    ValueError for another dtype and for an array of keys (use `vmap`); TypeError for what is no
    key and for a shape that is none.

    A number u, uniform between -1 and 1, becomes sqrt(2) * erf_inv(u): erf(x / sqrt(2)) is the
    probability to be between -x and x. (Inversion: Devroye, Non-Uniform Random Variate Generation,
    1986, chapter II.2.)

    >>> from minijax.random import key
    >>> normal(key(0), (2, 2))
    Array([[ 1.6226422 ,  2.0252647 ],
           [-0.43359444, -0.07861735]], dtype=float32)
    """
    key = one_key("normal", key)
    shape = known_shape("random.normal", shape)
    dtype = dtype_of_kind("normal", dtype, np.inexact)
    return _normal(key, shape, dtype)


@partial(jit, static_argnums=(1, 2))
def _normal(key: Any, shape: Shape, dtype: np.dtype) -> Any:
    if not issubdtype(dtype, np.complexfloating):
        return _normal_real(key, shape, dtype)
    part_dtype = real_dtype(dtype)
    key_real, key_imag = split(key)
    real, imag = [
        lax.convert_element_type(_normal_real(part_key, shape, part_dtype), dtype)
        for part_key in (key_real, key_imag)
    ]
    return lax.div(lax.add(real, lax.mul(np.array(1j, dtype), imag)), np.array(np.sqrt(2), dtype))


@partial(jit, static_argnums=(1, 2))
def _normal_real(key: Any, shape: Shape, dtype: np.dtype) -> Any:
    lowest = np.nextafter(np.array(-1, dtype), np.array(0, dtype))  # -1 itself would give -inf
    u = uniform(key, shape, dtype, lowest, np.array(1, dtype))
    return lax.mul(np.array(np.sqrt(2), dtype), lax.erf_inv(u))


# Bools.


@takes_out_sharding
def bernoulli(key: Any, p: Any = 0.5, shape: Any = None, mode: str = "low") -> Any:
    """Bools that are True with probability `p`.

    `p` is a float or an array of floats; the result has `shape`, by default that of `p`, which
    must broadcast to it. In the mode "low" the probability is `p` rounded up to a multiple of
    2**-23 (in float32); the mode "high" draws twice as many bits, for a small `p`.

    TypeError when `p` is not of floats and for what is no key; ValueError for another mode, for
    shapes that don't fit and for an array of keys (use `vmap`).

    >>> from minijax.random import key
    >>> bernoulli(key(0), 0.4, (5,))
    Array([False, False,  True, False, False], dtype=bool)
    """
    shape = None if shape is None else known_shape("random.bernoulli", shape)
    if mode not in ("low", "high"):
        raise ValueError(f"random.bernoulli knows no mode {shown(mode)}. Give 'low' or 'high'.")
    key = one_key("bernoulli", key)
    if not is_array(p) or not issubdtype(typeof(p).dtype, np.floating):
        raise TypeError(
            f"random.bernoulli takes floats as the probability p, and got {shown(p)}. Give a float."
        )
    p = lax.convert_element_type(p, typeof(p).dtype)
    return _bernoulli(key, p, shape=shape, mode=mode)


@partial(jit, static_argnames=("shape", "mode"))
def _bernoulli(key: Any, p: Any, shape: Shape | None, mode: str) -> Any:
    shape = p.shape if shape is None else shape
    check_shapes("bernoulli", shape, p=p)
    if mode == "low":
        return uniform(key, shape, p.dtype) < p
    # u1 has the first digits of a finer number, and u2 those that follow.
    u1, u2 = uniform(key, (2, *shape), p.dtype)
    return u2 * 2.0**-finfo(p.dtype).nmant < p - u1


# Integers.


@takes_out_sharding
def randint(key: Any, shape: Any, minval: Any, maxval: Any, dtype: Any = None) -> Any:
    """Integers from `minval` up to, and without, `maxval`; `minval` where there are none between.

    The result has `shape` and `dtype`: an integer dtype, int32 by default (int64 under x64).
    `minval` and `maxval` are integers, or arrays that broadcast to `shape`; what does not fit in
    the dtype counts as the nearest that does, and a `maxval` above them all lets the largest in.

    TypeError for a dtype that is not of integers, for what is no key and for a shape that is none;
    ValueError for shapes that don't fit and for an array of keys (use `vmap`).

    The result is what random bits, twice as many as it has, leave over when divided by the number
    of integers to choose from. That is even for powers of 2. For others up to 2**16, the first
    ones are more likely by a factor below 1 + 2**-48 (int32); for larger ones, the product below
    wraps round, and the bias is larger. Integers of 8 and 16 bits are drawn as 32 bits.

    >>> from minijax.random import key
    >>> randint(key(0), (5,), 0, 10)
    Array([9, 0, 2, 3, 1], dtype=int32)
    """
    key = one_key("randint", key)
    dtype = dtype_of_kind("randint", dtype, np.integer, int, TypeError)
    shape = known_shape("random.randint", shape)
    check_arraylike("random.randint", minval=minval, maxval=maxval)
    refuse_keys("random.randint", minval, maxval, error=ValueError)
    check_shapes("randint", shape, minval=minval, maxval=maxval)
    wide = dtype
    if dtype.itemsize < 4:
        wide, info = np.dtype(np.int32), iinfo(dtype)
        low, high = int(info.min), int(info.max)
        minval = asarray(minval).astype(wide).clip(low, high)
        maxval = asarray(maxval).astype(wide).clip(low, high + 1)
    return _randint(key, minval, maxval, shape, wide).astype(dtype)


def _to_integer(x: Any) -> Any:
    x = asarray(x)
    return x if issubdtype(x.dtype, np.integer) else x.astype(int)


def _clip_to(x: Any, dtype: np.dtype) -> Any:
    """The integers x in another dtype, or the nearest to them there."""
    ours, theirs = iinfo(x.dtype), iinfo(dtype)
    low = number_in(x.dtype, max(ours.min, theirs.min), x.weak_type)
    high = number_in(x.dtype, min(ours.max, theirs.max), x.weak_type)
    return clip(x, low, high).astype(dtype)


@partial(jit, static_argnums=(3, 4))
def _randint(key: Any, minval: Any, maxval: Any, shape: Shape, dtype: np.dtype) -> Any:
    minval, maxval = _to_integer(minval), _to_integer(maxval)
    largest = asarray(np.iinfo(dtype).max, dtype)
    beyond = lax.gt(maxval, _clip_to(largest, maxval.dtype))
    minval, maxval = _clip_to(minval, dtype), _clip_to(maxval, dtype)
    minval, maxval = [_with_rank(x, len(shape)) for x in (minval, maxval)]
    unsigned = np.dtype(f"uint{8 * dtype.itemsize}")
    key_high, key_low = split(key)
    high, low = bits(key_high, shape, unsigned), bits(key_low, shape, unsigned)

    # How many integers there are: at least one, and 0 stands for 2**32 (or 2**64).
    span = lax.convert_element_type(lax.sub(maxval, minval), unsigned)
    span = lax.select(lax.le(maxval, minval), lax.full_like(span, 1), span)
    one_more = beyond & (maxval > minval)
    span = lax.select(one_more, lax.add(span, number_in(unsigned, 1)), span)

    # (high * 2**32 + low) % span, with 32 bits: (a * b) % n is ((a % n) * (b % n)) % n, and
    # 2**32 % span comes of 2**16 % span in this way.
    root = lax.rem(number_in(unsigned, 2 ** (4 * dtype.itemsize)), span)
    factor = lax.rem(lax.mul(root, root), span)
    offset = lax.add(lax.mul(lax.rem(high, span), factor), lax.rem(low, span))
    return lax.add(minval, lax.convert_element_type(lax.rem(offset, span), dtype))
