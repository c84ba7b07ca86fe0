"""Random bits of a state that says how far the generator has counted, and numbers of no state.

`minijax.random` needs neither: its bits follow from keys.
"""

from __future__ import annotations

import math
from enum import IntEnum
from typing import Any

import numpy as np

from minijax.compiler.lowerings import register_lowering
from minijax.core.batching import bdim_at_front, primitive_batchers
from minijax.core.dtypes import bfloat16, issubdtype
from minijax.core.forward import Zero, primitive_jvps
from minijax.core.primitives import numpy_primitive
from minijax.core.prng import threefry_numpy
from minijax.core.tracing import ShapedArray, typeof
from minijax.lax.elementwise.arithmetic import dtype_for, shown
from minijax.lax.elementwise.number_sizes import is_small
from minijax.lax.indexing.dynamic_slicing import dynamic_update_index_in_dim
from minijax.lax.primitive_makers import numpy_primitive_several
from minijax.lax.shapes.axes import known_shape, squeeze
from minijax.lax.shapes.slicing import slice

# Both generators are of Salmon, Moraes, Dror and Shaw, Parallel random numbers: as easy as 1, 2, 3
# (SC 2011). The state is a key of 64 bits, and a counter of as many, the low words first.


class RandomAlgorithm(IntEnum):
    """Which generator makes random bits; the default is Philox."""

    RNG_DEFAULT = 0
    RNG_THREE_FRY = 1
    RNG_PHILOX = 2

    def __str__(self) -> str:
        return self.name


_LOW = np.uint64(0xFFFFFFFF)
_MULTIPLIERS = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_STEPS = np.uint64(0x9E3779B9), np.uint64(0xBB67AE85)


def _split(x: Any) -> tuple[Any, Any]:
    """The low and the high half of 64 bits, each as 64 bits."""
    return x & _LOW, x >> np.uint64(32)


def philox_numpy(counter: tuple, key: tuple) -> list:
    """The four words that ten rounds of Philox make of four words, under a key of two.

    >>> [hex(x[0]) for x in philox_numpy(np.zeros((4, 1), np.uint64), np.zeros(2, np.uint64))]
    ['0x6627e8d5', '0xe169c58d', '0xbc57ac4c', '0x9b00dbd8']
    """
    (x0, x1, x2, x3), (k0, k1) = counter, key
    for _ in range(10):
        (low0, high0), (low1, high1) = _split(x0 * _MULTIPLIERS[0]), _split(x2 * _MULTIPLIERS[1])
        x0, x1, x2, x3 = high1 ^ x1 ^ k0, low1, high0 ^ x3 ^ k1, low0
        k0, k1 = (k0 + _STEPS[0]) & _LOW, (k1 + _STEPS[1]) & _LOW
    return [x0, x1, x2, x3]


def _philox(key: np.ndarray, start: np.ndarray, shape: tuple, is_wide: bool) -> tuple:
    """Words in the order of the elements, and how far this counts: four words a number.

    The counter has 128 bits, of which the key is the high half.
    """
    words = math.prod(shape) * (1 + is_wide)
    count = -(-words // 4)
    counted = start + np.arange(count, dtype=np.uint64)
    k0, k1 = _split(key)
    carried = (counted < start).astype(np.uint64)
    counter = *_split(counted), *_split(key + carried)
    out = np.stack(philox_numpy(counter, (k0, k1)), 1).ravel()[:words]
    return (_joined(out[::2], out[1::2]) if is_wide else out).reshape(shape), count


def _threefry(key: np.ndarray, start: np.ndarray, shape: tuple, is_wide: bool) -> tuple:
    """Pairs of words side by side along an axis, the first of an even size, else the longest."""
    even = [d for d, n in enumerate(shape) if n % 2 == 0]
    axis = even[0] if even else int(np.argmax(shape)) if shape else 0
    whole = list(shape) or [1]
    half = list(whole)
    if not is_wide:
        half[axis] = -(-whole[axis] // 2)
    count = math.prod(half)
    k0, k1 = (x.astype(np.uint32) for x in _split(key))
    low, high = _split((start + np.arange(count, dtype=np.uint64)).reshape(half))
    x0, x1 = threefry_numpy(k0, k1, low.astype(np.uint32), high.astype(np.uint32))
    if is_wide:
        return _joined(x0.astype(np.uint64), x1.astype(np.uint64)).reshape(shape), count
    pairs = np.stack([x0, x1], axis + 1)
    doubled = pairs.reshape(*half[:axis], 2 * half[axis], *half[axis + 1 :])
    return np.take(doubled, np.arange(whole[axis]), axis).reshape(shape), count


def _joined(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    return low | (high << np.uint64(32))


_GENERATORS = {
    RandomAlgorithm.RNG_DEFAULT: _philox, RandomAlgorithm.RNG_PHILOX: _philox,
    RandomAlgorithm.RNG_THREE_FRY: _threefry,
}  # fmt: skip


def _rng_bit_generator_rule(
    key: ShapedArray, *, shape: tuple, dtype: np.dtype, algorithm: RandomAlgorithm,
    out_sharding: Any = None,
) -> list[ShapedArray]:  # fmt: skip
    if (key.shape, str(key.dtype)) not in [((4,), "uint32"), ((2,), "uint64")]:
        raise TypeError(
            f"lax.rng_bit_generator takes a state uint32[4] or uint64[2], and got {key}.\n"
            f"Give two words of a key, then two of a counter."
        )
    if not issubdtype(dtype, np.unsignedinteger) or is_small(dtype):
        raise TypeError(
            f"lax.rng_bit_generator gives unsigned integers, and was asked for {dtype}.\n"
            f"Give uint8, uint16, uint32 or uint64."
        )
    return [key.strip_weak_type(), ShapedArray(shape, dtype)]


def _numpy_rng_bit_generator(
    state: np.ndarray, shape: tuple, dtype: np.dtype, algorithm: RandomAlgorithm,
    out_sharding: Any = None,
) -> list[np.ndarray]:  # fmt: skip
    key, start = np.ascontiguousarray(state).view(np.uint64)
    bits, count = _GENERATORS[algorithm](key, start, shape, dtype.itemsize == 8)
    counted = np.array([key, start + np.uint64(count)]).view(state.dtype)
    return [counted, bits.astype(dtype)]


rng_bit_generator_p = numpy_primitive_several(
    "rng_bit_generator", _rng_bit_generator_rule, _numpy_rng_bit_generator
)


def _no_tangents(primals, tangents, **params):
    out = rng_bit_generator_p.bind(*primals, **params)
    return out, [Zero.from_primal_value(x) for x in out]


def _of_the_first_state(args, dims, *, shape, **params):
    """All bits are drawn from the first of the states, which alone counts on: as in JAX."""
    size = typeof(args[0]).shape[dims[0]]
    states = bdim_at_front(args[0], dims[0], size)
    first = squeeze(slice(states, (0, 0), (1, typeof(states).shape[1])), (0,))
    counted, bits = rng_bit_generator_p.bind(first, shape=(size, *shape), **params)
    return [dynamic_update_index_in_dim(states, counted, 0, 0), bits], [0, 0]


primitive_jvps[rng_bit_generator_p] = _no_tangents
primitive_batchers[rng_bit_generator_p] = _of_the_first_state


def rng_bit_generator(
    key: Any, shape: Any, dtype: Any = np.uint32,
    algorithm: RandomAlgorithm = RandomAlgorithm.RNG_DEFAULT, *, out_sharding: Any = None,
) -> tuple[Any, Any]:  # fmt: skip
    """(state, bits): random bits, unsigned integers of `shape` and `dtype`, and how it goes on.

    The state `key` is uint32[4] or uint64[2]: a key, and a counter. The state that comes back has
    counted on, and serves for the next draw. TypeError for another state, shape or dtype;
    ValueError for an algorithm that is none.

    >>> rng_bit_generator(np.array([1, 2, 3, 4], np.uint32), (2,))
    (Array([1, 2, 4, 4], dtype=uint32), Array([ 512747620, 1298009047], dtype=uint32))
    """
    if not any(algorithm is known or algorithm == known for known in RandomAlgorithm):
        raise ValueError(
            f"lax.rng_bit_generator knows no algorithm {shown(algorithm)}. Give one of "
            f"lax.RandomAlgorithm."
        )
    out = rng_bit_generator_p.bind(
        key, shape=known_shape("lax.rng_bit_generator", shape),
        dtype=dtype_for("lax.rng_bit_generator", dtype), algorithm=algorithm,
        out_sharding=out_sharding,
    )  # fmt: skip
    return tuple(out)


# Of no state: other numbers at every call.

_generator = np.random.default_rng()


def _rng_uniform_rule(a: ShapedArray, b: ShapedArray, *, shape: tuple) -> ShapedArray:
    if a.dtype != b.dtype or a.shape or b.shape:
        raise ValueError(
            f"lax.rng_uniform takes two numbers of one dtype, and got {a} and {b}.\n"
            f"Convert one of them, or use random.uniform."
        )
    is_small_one = a.dtype.isbuiltin == 2 and a.dtype != bfloat16
    if not issubdtype(a.dtype, np.floating, np.integer) or is_small_one:
        raise ValueError(f"lax.rng_uniform draws floats and integers, and got {a}.\nConvert it.")
    return ShapedArray(shape, a.dtype, a.weak_type and b.weak_type)


def _numpy_rng_uniform(a: np.ndarray, b: np.ndarray, shape: tuple) -> np.ndarray:
    if issubdtype(a.dtype, np.integer):
        return _generator.integers(int(a), max(int(a) + 1, int(b)), shape, a.dtype)
    wide = np.float64 if a.dtype == np.float64 else np.float32
    u = _generator.random(shape, wide)
    drawn = a.astype(wide) + u * (b.astype(wide) - a.astype(wide))
    return np.asarray(drawn, bfloat16 if a.dtype == bfloat16 else a.dtype)


rng_uniform_p = numpy_primitive("rng_uniform", _rng_uniform_rule, _numpy_rng_uniform)
# Nothing is drawn while a program is compiled, and two draws are never made one.
register_lowering(rng_uniform_p, opaque=True)


def rng_uniform(a: Any, b: Any, shape: Any) -> Any:
    """Numbers from a up to, and without, b: other ones at every call, and not those of JAX.

    `a` and `b` are two floats or two integers; the result has their dtype and `shape`. There is no
    key, so no run can be repeated: `random.uniform` is what to use. It has no derivative and is
    not for `vmap`. ValueError for numbers of two dtypes, or with axes.

    >>> rng_uniform(0.0, 1.0, (2, 3)).shape
    (2, 3)
    """
    return rng_uniform_p.bind(a, b, shape=known_shape("lax.rng_uniform", shape))
