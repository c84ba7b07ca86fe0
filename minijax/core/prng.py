"""Random keys: values from which any number of random bits follow, and nothing else does."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from minijax.core.arrays import Array, raw_value
from minijax.core.batching import bdim_at_front, defbroadcasting, defvectorized, primitive_batchers
from minijax.core.config import config
from minijax.core.dtypes import ExtendedDType, extended, issubdtype, register_dtype
from minijax.core.primitives import broadcasting_shape, numpy_primitive
from minijax.core.printing import pp_eqn_rules
from minijax.core.tracing import Primitive, ShapedArray, typeof

# The generator: a function that mixes 64 bits under a key of 64 bits, and counts.

ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))  # for four rounds, and for the next four
PARITY = np.uint32(0x1BD11BDA)  # the third word of an all-zero key

Words = tuple[np.ndarray, np.ndarray]


def threefry_numpy(k1: Any, k2: Any, x1: Any, x2: Any) -> Words:
    """The two words that the key (k1, k2) makes of the words (x1, x2); all four broadcast.

    Salmon, Moraes, Dror and Shaw, Parallel random numbers: as easy as 1, 2, 3 (SC 2011), section
    4: 20 rounds mix the two words, with the key added before them and after every fourth.

    >>> threefry_numpy(*np.zeros((4, 1), np.uint32))
    (array([1797259609], dtype=uint32), array([2579123966], dtype=uint32))
    """
    shape = np.broadcast(k1, k2, x1, x2).shape
    keys = np.atleast_1d(k1, k2, k1 ^ k2 ^ PARITY)
    # Arrays of one element for scalars, which would warn where they wrap round.
    x1 = np.broadcast_to(x1, shape or (1,)) + keys[0]
    x2 = np.broadcast_to(x2, shape or (1,)) + keys[1]
    left = np.empty_like(x2)
    for group in range(5):
        for rotation in ROTATIONS[group % 2]:
            x1 += x2
            np.left_shift(x2, rotation, out=left)  # in place: three times as fast
            x2 >>= 32 - rotation
            x2 |= left
            x2 ^= x1
        x1 += keys[(group + 1) % 3]
        x2 += keys[(group + 2) % 3]
        x2 += np.uint32(group + 1)
    return x1.reshape(shape), x2.reshape(shape)


threefry2x32_p = Primitive("threefry2x32")
threefry2x32_p.multiple_results = True


@threefry2x32_p.def_abstract_eval
def _threefry_rule(*avals: ShapedArray) -> list[ShapedArray]:
    if len(avals) != 4 or any(aval.dtype != np.uint32 for aval in avals):
        got = f"{list(avals)}. Give four"
        raise TypeError(f"threefry2x32 takes four arrays of uint32, and got {got}.")
    return [ShapedArray(broadcasting_shape("threefry2x32", avals), np.uint32)] * 2


@threefry2x32_p.def_impl
def _threefry_impl(*words: Any) -> list[Array]:
    _threefry_rule(*map(typeof, words))
    return [Array(x) for x in threefry_numpy(*map(raw_value, words))]


# From keys, uint32[..., 2], to keys and bits: each place in the result has a number, and the key
# mixes that. JAX's older order of counting, not `partitionable`, is at the end of the file.


def _words(keys: np.ndarray, ndim: int) -> Words:
    """The first and the second words of keys, each with `ndim` axes of size 1 at the end."""
    shape = (*keys.shape[:-1], *[1] * ndim)
    return keys[..., 0].reshape(shape), keys[..., 1].reshape(shape)


def _mix_places(keys: np.ndarray, shape: Sequence[int]) -> Words:
    """A number has 64 bits, of which the high 32 are 0 in arrays that fit into memory."""
    low = np.arange(math.prod(shape), dtype=np.uint32).reshape(shape)
    return threefry_numpy(*_words(keys, len(shape)), np.uint32(0), low)


def split_numpy(keys: np.ndarray, shape: Sequence[int], partitionable: bool) -> np.ndarray:
    """From each key an array of keys, uint32[..., *shape, 2]."""
    if not partitionable:
        return _split_in_halves(keys, shape)
    return np.stack(_mix_places(keys, shape), axis=-1)


def bits_numpy(
    keys: np.ndarray, bit_width: int, shape: Sequence[int], partitionable: bool
) -> np.ndarray:
    """From each key random bits, uint8, uint16, uint32 or uint64[..., *shape]."""
    if not partitionable:
        return _bits_in_halves(keys, bit_width, shape)
    high, low = _mix_places(keys, shape)
    return _join(high, low) if bit_width == 64 else (high ^ low).astype(f"uint{bit_width}")


def _join(high: np.ndarray, low: np.ndarray) -> np.ndarray:
    """One 64-bit word of two words."""
    return (high.astype(np.uint64) << 32) | low


# A key is an array's element: its dtype says that nobody may compute with it.


class prng_key(extended):
    """The kind of dtypes that keys have."""


class PRNGImpl(NamedTuple):
    """A generator: its name, and what a dtype of its keys shows of it."""

    name: str
    tag: str

    def __str__(self) -> str:
        return self.tag


class KeyDType(ExtendedDType):
    """The dtype of a generator's keys: two words that NumPy keeps as one item."""

    storage = np.dtype([("words", np.uint32, (2,))])
    itemsize = storage.itemsize
    type = prng_key

    def __init__(self, impl: PRNGImpl) -> None:
        self.impl, self.name = impl, f"key<{impl.tag}>"

    def array_repr(self, x: Array) -> str:
        return f"Array({x.shape}, dtype={self.name}) overlaying:\n{words_of(x)}"

    def __repr__(self) -> str:
        return self.name

    def __reduce__(self) -> str:
        return "key_fry"


threefry = PRNGImpl("threefry2x32", "fry")
key_fry = KeyDType(threefry)
register_dtype(key_fry, prng_key, key_fry.name)


def words_of(keys: Any) -> np.ndarray:
    """NumPy's uint32[..., 2] of keys: of an array of them, or of items of their storage."""
    stored = keys._value if isinstance(keys, Array) else keys
    return stored["words"]


def keys_of(words: np.ndarray) -> np.ndarray:
    """The items that keep the keys uint32[..., 2]."""
    return np.ascontiguousarray(words, np.uint32).view(key_fry.storage)[..., 0]


# The primitives.


def _seed_rule(seeds: ShapedArray, *, impl: PRNGImpl) -> ShapedArray:
    if not issubdtype(seeds.dtype, np.integer):
        raise TypeError(f"A seed is an integer. Give one, and not {seeds}.")
    return ShapedArray(seeds.shape, key_fry)


def _numpy_seed(seeds: np.ndarray, impl: PRNGImpl) -> np.ndarray:
    """The high 32 bits, which only an integer of 64 bits has, and the low 32."""
    wide = seeds.astype(np.int64).view(np.uint64)
    high = wide >> 32 if seeds.dtype.itemsize == 8 else np.zeros_like(wide)
    return keys_of(np.stack([high, wide & 0xFFFFFFFF], axis=-1).astype(np.uint32))


def _wrap_rule(words: ShapedArray, *, impl: PRNGImpl) -> ShapedArray:
    if words.dtype != np.uint32 or words.shape[-1:] != (2,):
        raise TypeError(f"Give raw keys of type uint32[..., 2]; got {words}.")
    return ShapedArray(words.shape[:-1], key_fry)


def check_keys(name: str, keys: ShapedArray) -> None:
    if not issubdtype(keys.dtype, prng_key):
        raise TypeError(f"{name} takes keys, and got {keys}. Make one: minijax.random.key(0).")


def _unwrap_rule(keys: ShapedArray) -> ShapedArray:
    check_keys("random_unwrap", keys)
    return ShapedArray((*keys.shape, 2), np.uint32)


def _split_rule(keys: ShapedArray, *, shape: tuple, partitionable: bool) -> ShapedArray:
    check_keys("random_split", keys)
    return ShapedArray((*keys.shape, *shape), key_fry)


def _fold_in_rule(keys: ShapedArray, data: ShapedArray) -> ShapedArray:
    check_keys("random_fold_in", keys)
    if data.dtype != np.uint32:
        raise TypeError(f"random_fold_in got {data}. Give data of uint32.")
    return ShapedArray(broadcasting_shape("random_fold_in", [keys, data]), key_fry)


def _numpy_fold_in(keys: np.ndarray, data: np.ndarray) -> np.ndarray:
    mixed = threefry_numpy(*_words(words_of(keys), 0), np.uint32(0), data)
    return keys_of(np.stack(mixed, axis=-1))


def _bits_rule(
    keys: ShapedArray, *, bit_width: int, shape: tuple, partitionable: bool
) -> ShapedArray:
    check_keys("random_bits", keys)
    return ShapedArray((*keys.shape, *shape), np.dtype(f"uint{bit_width}"))


random_seed_p = numpy_primitive("random_seed", _seed_rule, _numpy_seed)
random_wrap_p = numpy_primitive("random_wrap", _wrap_rule, lambda words, impl: keys_of(words))
random_unwrap_p = numpy_primitive("random_unwrap", _unwrap_rule, words_of)
random_split_p = numpy_primitive(
    "random_split", _split_rule, lambda keys, **how: keys_of(split_numpy(words_of(keys), **how))
)
random_fold_in_p = numpy_primitive("random_fold_in", _fold_in_rule, _numpy_fold_in)
random_bits_p = numpy_primitive(
    "random_bits", _bits_rule, lambda keys, **how: bits_numpy(words_of(keys), **how)
)
random_clone_p = numpy_primitive("random_clone", lambda x: x, lambda x: x)

for _primitive in [random_seed_p, random_unwrap_p, random_split_p, random_bits_p, random_clone_p]:
    defvectorized(_primitive)
defbroadcasting(random_fold_in_p)
defbroadcasting(threefry2x32_p)
for _primitive in [random_split_p, random_bits_p]:
    pp_eqn_rules[_primitive] = lambda params: {
        name: value for name, value in params.items() if name != "partitionable"
    }


def _wrap_batcher(args: Sequence, dims: Sequence, *, impl: PRNGImpl) -> tuple[Any, int]:
    """The two words of a key are its last axis, so the batch axis may not be."""
    return random_wrap_p.bind(bdim_at_front(args[0], dims[0], 1), impl=impl), 0


primitive_batchers[random_wrap_p] = _wrap_batcher

# What the library calls: the primitives, under the settings of now.


def random_seed(seed: Any) -> Any:
    """A key of each integer."""
    return random_seed_p.bind(seed, impl=threefry)


def random_wrap(words: Any) -> Any:
    """The keys, of shape s, whose words are uint32[*s, 2]."""
    return random_wrap_p.bind(words, impl=threefry)


def random_unwrap(keys: Any) -> Any:
    """The words of keys of shape s, uint32[*s, 2]."""
    return random_unwrap_p.bind(keys)


def random_split(keys: Any, shape: tuple[int, ...]) -> Any:
    """Of each key new ones, in an array of this shape."""
    return random_split_p.bind(keys, shape=shape, partitionable=config.jax_threefry_partitionable)


def random_fold_in(keys: Any, data: Any) -> Any:
    """Of each key and each word, uint32, a new key."""
    return random_fold_in_p.bind(keys, data)


def random_bits(keys: Any, bit_width: int, shape: tuple[int, ...]) -> Any:
    """Of each key an array of this shape of unsigned integers, each value as likely as any."""
    partitionable = config.jax_threefry_partitionable
    return random_bits_p.bind(keys, bit_width=bit_width, shape=shape, partitionable=partitionable)


# The older order of counting pairs the first half of the numbers with the second, so that what is
# at a place depends on how many there are.


def _mix_in_halves(keys: np.ndarray, size: int) -> np.ndarray:
    """uint32[..., size]; an odd row of numbers goes in with a 0 at its end."""
    counts = np.arange(size, dtype=np.uint32)
    x1, x2 = np.append(counts, np.zeros(size % 2, np.uint32)).reshape(2, -1)
    return np.concatenate(threefry_numpy(*_words(keys, 1), x1, x2), axis=-1)[..., :size]


def _split_in_halves(keys: np.ndarray, shape: Sequence[int]) -> np.ndarray:
    return _mix_in_halves(keys, 2 * math.prod(shape)).reshape((*keys.shape[:-1], *shape, 2))


def _bits_in_halves(keys: np.ndarray, bit_width: int, shape: Sequence[int]) -> np.ndarray:
    size = math.prod(shape)
    words = _mix_in_halves(keys, -(-size * bit_width // 32))
    if bit_width == 64:
        flat = _join(words[..., :size], words[..., size:])
    else:  # the low bits of a word come first
        parts = words[..., None] >> np.arange(0, 32, bit_width, dtype=np.uint32)
        flat = parts.astype(f"uint{bit_width}").reshape((*words.shape[:-1], -1))[..., :size]
    return flat.reshape((*keys.shape[:-1], *shape))
