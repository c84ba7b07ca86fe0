"""How often something happens: poisson, binomial and multinomial numbers.

Small ones are drawn by inversion, large ones by rejection. Each loop runs until all elements are
settled; an element that is goes along unchanged."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from minijax import lax
from minijax.core.jitting import jit
from minijax.core.primitives import Shape
from minijax.dtypes import finfo, iinfo
from minijax.face.offers import offered
from minijax.lax.out_sharding import takes_out_sharding
from minijax.lax.shapes.axes import known_shape
from minijax.numpy.arguments import check_arraylike, refuse_keys, user_dtype
from minijax.numpy.creation import full_like, zeros_like
from minijax.numpy.elementwise.comparisons import isinf, where
from minijax.numpy.elementwise.ufuncs import clip, floor
from minijax.numpy.promotion import promote_dtypes_inexact
from minijax.numpy.shapes.reshaping import broadcast_to, moveaxis
from minijax.random.arguments import check_shapes, dtype_of_kind, one_key, parameter_shape
from minijax.random.keys import split
from minijax.random.samplers import uniform


def _is_nan(x: Any) -> Any:
    return lax.ne(x, x)


def _reject(propose: Callable, key: Any, start: Any, limit: Any) -> Any:
    """For each element the first number that is accepted: `propose` takes two keys, and gives
    numbers and which of them are."""

    def step(carry: tuple) -> tuple:
        i, drawn, accepted, key = carry
        key, first_key, second_key = split(key, 3)
        numbers, accept = propose(first_key, second_key)
        return i + 1, lax.select(accept, numbers, drawn), accepted | accept, key

    carry = (0, start, lax.full_like(start, False, np.bool_), key)
    goes_on = lambda carry: (~carry[2]).any() & (carry[0] < limit)  # noqa: E731
    return lax.while_loop(goes_on, step, carry)[1]


# Poisson.


@partial(jit, static_argnums=(2, 3, 4))
def _poisson_knuth(key: Any, lam: Any, shape: Shape, dtype: np.dtype, limit: Any) -> Any:
    """How many uniform numbers it takes until their product is below exp(-lam). (Knuth, The Art
    of Computer Programming, volume 2, 3.4.1.)"""

    def step(carry: tuple) -> tuple:
        i, count, key, log_product = carry
        key, subkey = split(key)
        count = lax.select(log_product > -lam, count + 1, count)
        return i + 1, count, key, log_product + lax.log(uniform(subkey, shape, np.float32))

    def goes_on(carry: tuple) -> Any:
        return (carry[3] > -lam).any() & (carry[0] < limit)

    start = (0, lax.full_like(lam, 0, dtype, shape), key, lax.full_like(lam, 0, np.float32, shape))
    return (lax.while_loop(goes_on, step, start)[1] - 1).astype(dtype)


@partial(jit, static_argnums=(2, 3, 4))
def _poisson_rejection(key: Any, lam: Any, shape: Shape, dtype: np.dtype, limit: Any) -> Any:
    """Hormann, "The Transformed Rejection Method for Generating Poisson Random Variables"
    (Insurance: Mathematics and Economics, 1993), algorithm PTRS."""
    log_lam = lax.log(lam)
    b = 0.931 + 2.53 * lax.sqrt(lam)
    a = -0.059 + 0.02483 * b
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    v_bound = 0.9277 - 3.6224 / (b - 2)

    def propose(first_key: Any, second_key: Any) -> tuple[Any, Any]:
        u = uniform(first_key, shape, lam.dtype) - 0.5
        v = uniform(second_key, shape, lam.dtype)
        rest = 0.5 - lax.abs(u)
        k = lax.floor((2 * a / rest + b) * u + lam + 0.43)
        drawn = lax.log(v * inverse_alpha / (a / (rest * rest) + b))
        wanted = -lam + k * log_lam - lax.lgamma(k + 1)
        refuse = (k < 0) | ((rest < 0.013) & (v > rest))
        return k, ((rest >= 0.07) & (v <= v_bound)) | (~refuse & (drawn <= wanted))

    return _reject(propose, key, lax.full_like(lam, -1, lam.dtype, shape), limit).astype(dtype)


@partial(jit, static_argnums=(2, 3))
def _poisson(key: Any, lam: Any, shape: Shape, dtype: np.dtype) -> Any:
    is_small = _is_nan(lam) | (lam < 10)
    small = lax.select(is_small, lam, lax.full_like(lam, 0.0))
    large = lax.select(is_small, lax.full_like(lam, 1e5), lam)
    limit = dtype.type(iinfo(dtype).max)
    drawn = lax.select(
        is_small, _poisson_knuth(key, small, shape, dtype, limit),
        _poisson_rejection(key, large, shape, dtype, limit),
    )  # fmt: skip
    return lax.select(lam == 0, zeros_like(drawn), drawn)


@takes_out_sharding
def poisson(key: Any, lam: Any, shape: Any = None, dtype: Any = None) -> Any:
    """How often something happens that happens `lam` times on average, at any time.

    The result has `shape`, by default that of lam, which must broadcast to it, and an integer
    dtype (int32, int64 under x64). -1 where lam is NaN or negative. ValueError for shapes that
    don't fit and for an array of keys; TypeError for what is no key, number, shape or integer.

    >>> from minijax.random import key
    >>> poisson(key(0), 3.0, (5,))
    Array([0, 0, 4, 4, 1], dtype=int32)
    """
    key = one_key("poisson", key)
    dtype = dtype_of_kind("poisson", dtype, np.integer, int)
    lam = offered(lam)
    shape = parameter_shape("poisson", shape, lam=lam)
    refuse_keys("random.poisson", lam, error=ValueError)
    lam = lax.convert_element_type(broadcast_to(lam, shape), np.float32)
    return _poisson(key, lam, shape, dtype)


# Binomial.


@partial(jit, static_argnums=(3, 4, 5), inline=True)
def _binomial_inversion(
    key: Any, count: Any, p: Any, shape: Shape, dtype: np.dtype, limit: Any
) -> Any:  # fmt: skip
    """How many successes have come before `count` is passed, by the numbers of trials between
    them. (Devroye, X.4.3, the second waiting time algorithm.)"""
    log_failure = lax.log1p(-p)

    def step(carry: tuple) -> tuple:
        i, successes, trials, key = carry
        subkey, key = split(key)
        successes = lax.select(trials <= count, successes + 1, successes)
        u = uniform(subkey, shape, p.dtype)
        return i + 1, successes, trials + lax.ceil(lax.log(u) / log_failure), key

    def goes_on(carry: tuple) -> Any:
        return (carry[2] <= count).any() & (carry[0] < limit)

    nothing = lax.full_like(p, 0, p.dtype, shape)
    return (lax.while_loop(goes_on, step, (0, nothing, nothing, key))[1] - 1).astype(dtype)


_STIRLING_TAIL = (
    0.0810614667953272, 0.0413406959554092, 0.0276779256849983, 0.02079067210376509,
    0.0166446911898211, 0.0138761288230707, 0.0118967099458917, 0.0104112652619720,
    0.00925546218271273, 0.00833056343336287,
)  # fmt: skip


def _stirling_tail(k: Any) -> Any:
    """log(k!) without Stirling's formula for it: a table up to 9, then a series."""
    table = lax.convert_element_type(np.array(_STIRLING_TAIL), k.dtype)
    is_small, held = k <= 9, clip(k, 0.0, 9.0)
    square = (held + 1) * (held + 1)
    series = (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (held + 1)
    return lax.select(is_small, table[floor(held).astype(np.int32)], series)


@partial(jit, static_argnums=(3, 4, 5), inline=True)
def _binomial_rejection(
    key: Any, count: Any, p: Any, shape: Shape, dtype: np.dtype, limit: Any
) -> Any:  # fmt: skip
    """Hormann, "The Generation of Binomial Random Variates" (Journal of Statistical Computation
    and Simulation, 1993), algorithm BTRS."""
    deviation = lax.sqrt(count * p * (1 - p))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * p
    c = count * p + 0.5
    v_bound = 0.92 - 4.2 / b
    odds = p / (1 - p)
    alpha = (2.83 + 5.1 / b) * deviation
    m = floor((count + 1) * p)

    def log_ratio(k: Any) -> Any:
        """The logarithm of the probability of k over that of m, the likeliest."""
        return (
            (m + 0.5) * lax.log((m + 1) / (odds * (count - m + 1)))
            + (count + 1) * lax.log((count - m + 1) / (count - k + 1))
            + (k + 0.5) * lax.log(odds * (count - k + 1) / (k + 1))
            + _stirling_tail(m) + _stirling_tail(count - m)
            - _stirling_tail(k) - _stirling_tail(count - k)
        )  # fmt: skip

    def propose(first_key: Any, second_key: Any) -> tuple[Any, Any]:
        u, v = uniform(first_key, shape, p.dtype), uniform(second_key, shape, p.dtype)
        u = u - 0.5
        rest = 0.5 - lax.abs(u)
        at_once = (rest >= 0.07) & (v <= v_bound)
        k = floor((2 * a / rest + b) * u + c)
        refuse = (k < 0) | (k > count)
        v = lax.log(v * alpha / (a / (rest * rest) + b))
        return k, at_once | (~refuse & (v <= log_ratio(k)))

    return _reject(propose, key, lax.full_like(p, -1, p.dtype, shape), limit).astype(dtype)


@partial(jit, static_argnums=(3, 4), inline=True)
def _binomial(key: Any, count: Any, p: Any, shape: Shape, dtype: np.dtype) -> Any:
    [p] = promote_dtypes_inexact(p)
    count = broadcast_to(lax.convert_element_type(count, p.dtype), shape)
    p = broadcast_to(p, shape)
    # Below, q is at most 1/2: failures are counted instead of successes where these are likelier.
    is_low = p < 0.5
    q = lax.select(is_low, p, 1.0 - p)
    no_count, is_infinite = _is_nan(count) | (count < 0.0), isinf(count)
    q_is_nan = _is_nan(q)
    no_q = q_is_nan | (q < 0.0)
    q = lax.select(no_q, lax.full_like(q, 0.01), q)
    is_small = no_count | (count * q <= 10.0)
    count = floor(count)
    limit = dtype.type(finfo(dtype).max)
    drawn = lax.select(
        is_small,
        _binomial_inversion(
            key, lax.select(is_small, count, lax.full_like(count, 0.0)), q, shape, dtype, limit
        ),
        _binomial_rejection(
            key, lax.select(is_small, lax.full_like(count, 1e4), count),
            lax.select(is_small, lax.full_like(q, 0.5), q), shape, dtype, limit,
        ),
    )  # fmt: skip
    invalid = no_q | no_count
    drawn = lax.select(invalid, full_like(drawn, np.nan, dtype), drawn)
    drawn = lax.select(is_infinite & ~invalid, full_like(drawn, np.inf, dtype), drawn)
    as_drawn = is_low | no_count | q_is_nan | is_infinite
    return lax.select(as_drawn, drawn, count.astype(dtype) - drawn)


def binomial(key: Any, n: Any, p: Any, shape: Any = None, dtype: Any = None) -> Any:
    """How many of `n` trials succeed, where each does with probability `p`: as floats.

    The result has `shape`, by default that of the parameters, which must broadcast to it, and a
    float dtype. NaN where a parameter is NaN or negative. ValueError for another dtype, for
    shapes that don't fit and for an array of keys; TypeError for what is no key, number or shape.

    >>> from minijax.random import key
    >>> binomial(key(0), 10, 0.3, (5,))
    Array([2., 2., 1., 2., 1.], dtype=float32)
    """
    key, dtype = one_key("binomial", key), dtype_of_kind("binomial", dtype)
    shape = parameter_shape("binomial", shape, n=n, p=p)
    refuse_keys("random.binomial", n, p, error=ValueError)
    return _binomial(key, n, p, shape, dtype)


def multinomial(
    key: Any, n: Any, p: Any, *, shape: Any = None, dtype: Any = None, unroll: int | bool = 1
) -> Any:
    """How often each of several things happens in `n` trials: floats, which add up to n.

    `p` has the probabilities along its last axis. The result has `shape`, by default p's, which
    both must broadcast to (n without the last axis), and a float dtype. `unroll` is `scan`'s.
    Errors are as in `binomial`.
    """
    key = one_key("multinomial", key)
    check_arraylike("random.multinomial", n=n, p=p)
    refuse_keys("random.multinomial", n, p, error=ValueError)
    n, p = promote_dtypes_inexact(n, p)
    shape = p.shape if shape is None else known_shape("random.multinomial", shape)
    check_shapes("multinomial", shape, p=p)
    n, p = broadcast_to(n, shape[:-1]), moveaxis(broadcast_to(p, shape), -1, 0)

    def draw(rest: Any, given: tuple[Any, Any]) -> tuple[Any, Any]:
        ratio, key = given
        count = binomial(key, rest, clip(ratio, 0, 1), dtype=rest.dtype)
        return rest - count, count

    sums = lax.cumsum(p, 0, reverse=True)
    ratios = p / where(sums == 0, 1, sums)
    keys = split(key, ratios.shape[0])
    _, counts = lax.scan(draw, n, (ratios, keys), unroll=unroll)
    return moveaxis(counts, 0, -1).astype(user_dtype("random.multinomial", dtype or counts.dtype))
