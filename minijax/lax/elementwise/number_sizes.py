"""How many bits a number takes: fewer than eight, of some dtypes that take a byte in memory."""

from __future__ import annotations

import numpy as np
from ml_dtypes import finfo, iinfo

from minijax.core.dtypes import issubdtype


def bits_of(dtype: np.dtype) -> int:
    """How many bits a number has; a bool has eight, as in memory.

    >>> bits_of(np.dtype("int4")), bits_of(np.dtype("float8_e5m2")), bits_of(np.dtype("complex64"))
    (4, 8, 64)
    """
    if issubdtype(dtype, np.integer):
        return iinfo(dtype).bits
    return finfo(dtype).bits if issubdtype(dtype, np.floating) else 8 * dtype.itemsize


def is_small(dtype: np.dtype) -> bool:
    """Whether a number has fewer bits than its bytes have."""
    return bits_of(dtype) < 8 * dtype.itemsize


def words_of(x: np.ndarray) -> np.ndarray:
    """The bits of numbers as unsigned integers; those that a byte has beyond them are zero.

    >>> words_of(np.array([-1, 7]).astype("int4"))
    array([15,  7], dtype=uint8)
    """
    words = np.asarray(x, order="C").view(f"u{x.dtype.itemsize}")
    return words & words.dtype.type((1 << bits_of(x.dtype)) - 1) if is_small(x.dtype) else words


def as_numbers(words: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """The numbers that have these bits: the other way of `words_of`.

    >>> as_numbers(np.array([15, 7], np.uint8), np.dtype("int4"))
    array([-1, 7], dtype=int4)
    """
    if is_small(dtype) and issubdtype(dtype, np.integer):
        return words.astype(dtype)
    return np.asarray(words, order="C").view(dtype)


def signed_numbers(x: np.ndarray) -> np.ndarray:
    """Integers as the signed ones of as many bytes that have their bits, the first as the sign."""
    signed, unused = np.dtype(f"i{x.dtype.itemsize}"), 8 * x.dtype.itemsize - bits_of(x.dtype)
    return (words_of(x) << unused).view(signed) >> unused


def resized(x: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """The numbers whose bits lie in those of x, the lowest first: along a last axis that is new
    where they are smaller, and is gone where they are larger."""
    old, new = bits_of(x.dtype), bits_of(dtype)
    places = np.unpackbits(words_of(x)[..., None].view(np.uint8), axis=-1, bitorder="little")
    lines = places[..., :old].reshape(*x.shape, -1, new) if old > new else (
        places[..., :old].reshape(*x.shape[:-1], new)
    )  # fmt: skip
    word = np.dtype(f"u{dtype.itemsize}")
    padded = np.zeros((*lines.shape[:-1], 8 * word.itemsize), np.uint8)
    padded[..., :new] = lines
    return as_numbers(np.packbits(padded, axis=-1, bitorder="little").view(word)[..., 0], dtype)
