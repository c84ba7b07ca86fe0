"""Gumbel's distribution, and what it is for: with such noise added, the largest of several logits
is each of them with its probability.

Gumbel, Statistics of Extremes, 1958. (Maddison, Tarlow and Minka, "A* Sampling", NeurIPS 2014.)
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from minijax import lax
from minijax.core.config import config
from minijax.core.jitting import jit
from minijax.core.primitives import Shape
from minijax.core.prng import random_bits
from minijax.dtypes import finfo
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.out_sharding import takes_out_sharding
from minijax.lax.shapes.axes import known_axis, known_shape
from minijax.numpy.arguments import check_arraylike
from minijax.numpy.creation import asarray, ones_like
from minijax.numpy.elementwise.comparisons import where
from minijax.numpy.shapes.reshaping import moveaxis
from minijax.random.arguments import check_shape, dtype_of_kind, one_key
from minijax.random.samplers import _uniform


@takes_out_sharding
def gumbel(key: Any, shape: Any = (), dtype: Any = None, mode: str | None = None) -> Any:
    """Numbers with the distribution function exp(-exp(-x)), of a `shape` and a float dtype.

    In the mode "low", the largest that float32 gives is 16.6; "high" draws twice as many bits, and
    gives up to 87 or so; "highest" draws each with all its digits too (float32 alone, else as
    "high"). The default is "low", or "high" with the option `jax_high_dynamic_range_gumbel`.
    ValueError for another mode or dtype and for an array of keys; TypeError for what is no key or
    shape.

    >>> from minijax.random import key
    >>> gumbel(key(0), (2,))
    Array([2.9233725, 3.8326178], dtype=float32)
    """
    key, dtype = one_key("gumbel", key), dtype_of_kind("gumbel", dtype)
    shape = known_shape("random.gumbel", shape)
    if mode is None:
        mode = "high" if config.jax_high_dynamic_range_gumbel else "low"
    if mode not in ("highest", "high", "low"):
        raise ValueError(
            f"random.gumbel knows no mode {shown(mode)}. Give 'low', 'high' or 'highest'."
        )
    return _gumbel(key, shape, dtype, mode)


@partial(jit, static_argnums=(1, 2, 3))
def _gumbel(key: Any, shape: Shape, dtype: np.dtype, mode: str) -> Any:
    info = finfo(dtype)
    if mode == "low":
        u = _uniform(key, minval=info.tiny, maxval=1.0, shape=shape, dtype=dtype)
        return -lax.log(-lax.log(u))
    if mode == "highest" and dtype == np.float32:
        return _precise_gumbel(random_bits(key, 32, (2, *shape)))
    high, low = _uniform(key, minval=0.0, maxval=1.0, shape=(2, *shape), dtype=dtype)
    u = where(high >= 0.5, high, high + 2**-info.nmant * low + info.tiny)
    return -lax.log(-lax.log1p(-u))


def _precise_gumbel(bits: Any) -> Any:
    """Of the digits of numbers between 0 and 1, uint32[2, ...], or of 1 minus these where they are
    above 1/2: so each has all the digits that float32 holds."""
    flipped = lax.bitwise_not(bits)
    low = flipped[1]
    carry = [low == np.uint32(2**32 - 1), ones_like(low)]
    carry = [lax.expand_dims(x, (0,)) for x in [x.astype(np.uint32) for x in carry]]
    flipped = flipped + lax.concatenate(carry, 0)
    is_low = bits[0] < np.uint32(2**31)
    x = _as_fraction(where(is_low, bits, flipped))
    return where(is_low, -lax.log(-lax.log1p(-x)), -lax.log(-lax.log(x)))


def _as_fraction(words: Any) -> Any:
    """The float32 below 1 of 64 digits, uint32[2, ...], rounded down."""
    high_zeros, low_zeros = lax.clz(words)
    high, low = words
    digits, number = finfo(np.float32).nmant, np.uint32
    from_high = lax.shift_left(high, high_zeros)
    from_low = where(
        high_zeros == 32, lax.shift_left(low, low_zeros),
        lax.shift_right_logical(low, 32 - high_zeros),
    )  # fmt: skip
    mantissa = lax.bitwise_or(from_high, from_low)
    mantissa = lax.shift_right_logical(mantissa, number(31 - digits))
    mantissa = lax.bitwise_and(mantissa, number(2**digits - 1))
    zeros = where(high_zeros == 32, 32 + low_zeros, high_zeros)
    exponent = lax.shift_left(126 - zeros, number(digits))
    exponent = lax.bitwise_and(exponent, number(2**30 - 2 ** (digits - 1)))
    return lax.bitcast_convert_type(lax.bitwise_or(exponent, mantissa), np.float32)


@takes_out_sharding
def categorical(
    key: Any, logits: Any, axis: int = -1, shape: Any = None, replace: bool = True,
    mode: str | None = None,
) -> Any:  # fmt: skip
    """Indices along an axis of `logits`, each with a probability in proportion to exp(logit).

    The result has `shape`, by default that of the logits without the axis, which must broadcast to
    it; its dtype is int32 (int64 under x64). Without `replace`, the axes that `shape` has in front
    are filled with different indices. `mode` is as in `gumbel`.

    ValueError for shapes that don't fit, for more different indices than there are, and for an
    array of keys; TypeError for what is no key, no shape and no floats.

    >>> from minijax.random import key
    >>> categorical(key(0), np.log(np.array([0.1, 0.9])), shape=(5,))
    Array([1, 1, 1, 1, 1], dtype=int32)
    """
    key = one_key("categorical", key)
    check_arraylike("random.categorical", logits=logits)
    logits = asarray(logits)
    axis = known_axis("random.categorical", axis, logits.ndim, IndexError)
    batch_shape = logits.shape[:axis] + logits.shape[axis + 1 :]
    if shape is None:
        shape = batch_shape
    else:
        shape = known_shape("random.categorical", shape)
        check_shape("categorical", shape, "logits, without the axis,", batch_shape)
    prefix = shape[: len(shape) - len(batch_shape)]
    if replace:
        wanted = [*shape[len(prefix) :]]
        wanted.insert(axis, logits.shape[axis])
        noise = gumbel(key, (*prefix, *wanted), logits.dtype, mode)
        noisy = noise + lax.expand_dims(logits, range(len(prefix)))
        return noisy.argmax(axis - logits.ndim)
    return _different(key, logits, axis, shape, math.prod(prefix), mode)


def _different(
    key: Any, logits: Any, axis: int, shape: Shape, count: int, mode: str | None
) -> Any:  # fmt: skip
    """The indices of the `count` largest, which are the first axes of the result."""
    logits = logits + gumbel(key, logits.shape, logits.dtype, mode)
    if count > logits.shape[axis]:
        raise ValueError(
            f"random.categorical cannot draw {count} different ones of {logits.shape[axis]}.\n"
            f"Ask for fewer, or give replace=True."
        )
    _, indices = lax.top_k(moveaxis(logits, axis, -1), count)
    return lax.reshape(indices, shape, (indices.ndim - 1, *range(indices.ndim - 1)))
