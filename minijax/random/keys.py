"""Keys as the user has them: typed or raw, made of seeds, split, folded, drawn from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minijax.core.arrays import Array
from minijax.core.config import config
from minijax.core.dtypes import canonicalize_dtype, issubdtype
from minijax.core.errors import JAXTypeError, warn
from minijax.core.jitting import jit
from minijax.core.primitives import add, cast
from minijax.core.prng import (
    KeyDType,
    PRNGImpl,
    key_fry,
    prng_key,
    random_bits,
    random_clone_p,
    random_fold_in,
    random_seed,
    random_split,
    random_unwrap,
    random_wrap,
    threefry,
)
from minijax.core.tracing import typeof
from minijax.face.offers import offered
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.out_sharding import takes_out_sharding
from minijax.lax.shapes.axes import known_shape
from minijax.numpy.arguments import check_arraylike, is_array, refuse_keys, user_dtype

# Keys from seeds, and from their words.


def key(seed: Any, *, impl: Any = None, dtype: Any = None) -> Any:
    """A key, an array of shape () and dtype key<fry>, made from an integer.

    Of the seed, 32 bits count, or 64 under x64. TypeError for a seed that is no integer,
    OverflowError for one that has more than 64 bits, ValueError for an unknown `impl`.

    >>> key(0)
    Array((), dtype=key<fry>) overlaying:
    [0 0]
    """
    if impl is not None and dtype is not None:
        raise ValueError("random.key got both impl and dtype, which say the same. Give one.")
    return seed_key("random.key", seed, dtype if impl is None else impl)


def PRNGKey(seed: Any, *, impl: Any = None) -> Any:
    """A key in the old, raw form: its two words, uint32[2]. The seed is as in `key`.

    With the option `jax_enable_custom_prng`, it is a typed key, as of `key`.

    >>> PRNGKey(18)
    Array([ 0, 18], dtype=uint32)
    """
    made = seed_key("random.PRNGKey", seed, impl)
    return made if config.jax_enable_custom_prng else random_unwrap(made)


def wrap_key_data(key_bits_array: Any, *, impl: Any = None, dtype: Any = None) -> Any:
    """The keys, of shape s, whose words are uint32[*s, 2]; TypeError for another type.

    `dtype`, keys' own, says the generator as `impl` does; ValueError for both.

    >>> wrap_key_data(PRNGKey(18)) == key(18)
    Array(True, dtype=bool)
    """
    check_raw("random.wrap_key_data", key_bits_array)
    if impl is not None and dtype is not None:
        raise ValueError(
            "random.wrap_key_data got impl and dtype, which say the same. Leave one out."
        )
    known_impl("random.wrap_key_data", dtype if impl is None else impl)
    return random_wrap(key_bits_array)


def known_impl(name: str, impl: Any) -> PRNGImpl:
    """The generator that `impl` names: the one that there is, or an error."""
    if impl is None or impl is key_fry or (isinstance(impl, str) and impl == threefry.name):
        return threefry
    raise (ValueError if isinstance(impl, str) else TypeError)(
        f"{name} knows no generator {shown(impl)} as impl. Give {threefry.name!r}, the only one."
    )


def seed_key(name: str, seed: Any, impl: Any) -> Any:
    seed = offered(seed)
    if isinstance(seed, int):
        if not -(2**63) <= seed < 2**63:
            raise OverflowError(
                f"{name} takes a seed of up to 64 bits, and got {shown(seed)}.\nGive a smaller one."
            )
        seed = np.int64(seed).astype(canonicalize_dtype(np.int64))
    if not is_array(seed):
        kind = ValueError if seed is None else TypeError
        raise kind(f"{name} takes an integer as its seed, and got {shown(seed)}. Give an int.")
    aval = typeof(seed)
    if aval.shape or issubdtype(aval.dtype, prng_key):
        raise TypeError(f"{name} takes one integer as its seed, and got {aval}. Use vmap for many.")
    if not issubdtype(aval.dtype, np.integer):
        raise TypeError(f"{name} takes an integer as its seed, and got {aval}. Give an int.")
    known_impl(name, impl)
    offset = config.jax_random_seed_offset
    return random_seed(add(seed, cast(offset, aval.dtype)) if offset else seed)


# What is taken for a key.


def check_raw(name: str, x: Any) -> None:
    if not isinstance(x, Array | np.ndarray) or not is_array(x) or (
        typeof(x).dtype != np.uint32 or typeof(x).shape[-1:] != (2,)
    ):
        raise TypeError(
            f"{name} takes keys, or their words uint32[..., 2], and got\n"
            f"{shown(x)}. Make a key: random.key(0)."
        )


def as_keys(name: str, x: Any) -> tuple[Any, bool]:
    """Typed keys of typed or raw ones, and whether what is made of them is to be typed."""
    if isinstance(x, Array) and issubdtype(typeof(x).dtype, prng_key):
        return x, True
    check_raw(name, x)
    if (way := config.jax_legacy_prng_key) != "allow":
        note_raw(name, way)
    return random_wrap(x), config.jax_enable_custom_prng


def note_raw(name: str, way: str) -> None:
    """What the option jax_legacy_prng_key has be said of a raw key."""
    message = (
        f"{name} got a raw key, an array of words, and jax_legacy_prng_key is {way!r}.\n"
        f"Make a typed key: random.key(0)."
    )
    if way == "error":
        raise ValueError(message)
    warn(message)


def single_key(name: str, x: Any) -> tuple[Any, bool]:
    """Like `as_keys`, for one key; ValueError, for the function `name`, when there are several."""
    keys, typed = as_keys(name, x)
    if typeof(keys).shape:
        raise ValueError(
            f"{name} takes one key, and got an array of them, {typeof(keys)}.\n"
            f"Use vmap: vmap({name})(keys)."
        )
    return keys, typed


# What keys are for. Compiled programs of one equation, which stands in a jaxpr without a `jit`.

_split = jit(random_split, static_argnums=1, inline=True)
_fold_in = jit(random_fold_in, inline=True)
_bits = jit(random_bits, static_argnums=(1, 2), inline=True)


def split(key: Any, num: int | Sequence[int] = 2) -> Any:
    """New keys made of one, which is then used up: `num` of them, or an array of shape `num`.

    Typed for a typed key, raw for a raw one. TypeError for what is no key, ValueError for an
    array of keys (use `vmap`).

    >>> key_data(split(key(0)))
    Array([[1797259609, 2579123966],
           [ 928981903, 3453687069]], dtype=uint32)
    """
    one, typed = single_key("random.split", key)
    keys = _split(one, known_shape("random.split", num))
    return keys if typed else random_unwrap(keys)


def fold_in(key: Any, data: Any) -> Any:
    """A new key made of one and of an integer, such as the number of a step.

    The integer counts modulo 2**32. Python's integers must lie there (else OverflowError).

    >>> key_data(fold_in(key(0), 7))
    Array([2716826189,  292468403], dtype=uint32)
    """
    one, typed = single_key("random.fold_in", key)
    if is_array(data):
        refuse_keys("random.fold_in", data, error=ValueError)
    if isinstance(data, list | tuple) or np.shape(data):
        raise TypeError(
            f"random.fold_in takes one integer, and got {shown(data)}.\nUse vmap for many."
        )
    new = _fold_in(one, _as_word(data))
    return new if typed else random_unwrap(new)


def _as_word(data: Any) -> Any:
    if isinstance(data, Array | np.ndarray | np.generic):
        return cast(data, np.dtype(np.uint32))
    try:
        return np.uint32(data)
    except (OverflowError, TypeError, ValueError) as error:
        kind = ValueError if data is None else type(error)
        raise kind(
            f"random.fold_in takes an integer from 0 to 2**32 - 1, and got {shown(data)}.\n"
            f"Give x % 2**32: integers beyond count modulo 2**32."
        ) from error


@takes_out_sharding
def bits(key: Any, shape: Any = (), dtype: Any = None) -> Any:
    """Random bits: an array of `shape` and of an unsigned integer dtype (uint32, or uint64 under
    x64), each value as likely as any other.

    ValueError for another dtype and for an array of keys (use `vmap`), TypeError for what is no
    key.

    >>> bits(key(0), (2,))
    Array([4070199207, 4202968722], dtype=uint32)
    """
    one, _ = single_key("random.bits", key)
    wide = canonicalize_dtype(np.uint64)
    dtype = wide if dtype is None else user_dtype("random.bits", dtype)
    if not issubdtype(dtype, np.unsignedinteger):
        raise ValueError(
            f"random.bits gives unsigned integers, and was asked for {dtype}. Give such a dtype."
        )
    return _bits(one, 8 * dtype.itemsize, known_shape("random.bits", shape))


def clone(key: Any) -> Any:
    """The same keys, for who means to use them a second time."""
    check_arraylike("random.clone", key)
    return random_clone_p.bind(key)


# What is in them.


def key_data(keys: Any) -> Any:
    """The words of keys of shape s, uint32[*s, 2]. Raw keys are their own.

    >>> key_data(key(18))
    Array([ 0, 18], dtype=uint32)
    """
    return random_unwrap(as_keys("random.key_data", keys)[0])


def key_impl(keys: Any) -> str:
    """The name of the generator that keys are for.

    >>> key_impl(key(0))
    'threefry2x32'
    """
    return typeof(as_keys("random.key_impl", keys)[0]).dtype.impl.name


def key_dtype(impl: Any = None) -> KeyDType:
    """The dtype of keys: of the one generator that there is."""
    known_impl("random.key_dtype", impl)
    return key_fry


# Whether they serve twice.


class KeyReuseError(JAXTypeError):
    """A key was used that had been used up; raised only within `jax.debug_key_reuse`."""
