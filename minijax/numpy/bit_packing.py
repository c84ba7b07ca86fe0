"""Eight bits in a byte: put together, and taken apart."""

from __future__ import annotations

from typing import Any

import numpy as np

from minijax import lax
from minijax.core.dtypes import issubdtype
from minijax.core.forward import constant
from minijax.core.tracing import typeof
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.shapes.axes import known_axis, known_integer
from minijax.numpy.arguments import library_jit, refuse_keys
from minijax.numpy.creation import asarray
from minijax.numpy.reductions.totals import sum as sum_of
from minijax.numpy.shapes.reshaping import ravel, swapaxes


@library_jit(static_argnames=("axis", "bitorder"))
def packbits(a: Any, axis: int | None = None, bitorder: str = "big") -> Any:
    """Each eight elements along an axis, or of all in a row, as the bits of one byte: 1 for what is
    not zero. At the end, zeros are added.

    `bitorder` says whether the first is the highest bit, "big", or the lowest, "little".

    >>> packbits(np.array([1, 0, 1]))
    Array([160], dtype=uint8)
    """
    name = "jnp.packbits"
    refuse_keys(name, a)
    if not issubdtype(typeof(a).dtype, np.bool_, np.integer):
        raise TypeError(f"{name} takes integers or bools, and got {typeof(a)}. Compare: x != 0.")
    _check_order(name, bitorder)
    bits, axis = _last(name, lax.convert_element_type(lax.ne(a, constant(a, 0)), np.uint8), axis)
    places = lax.iota(np.uint8, 8)
    if bitorder == "big":
        places = places[::-1]
    missing = -bits.shape[-1] % 8
    if missing:
        config = [(0, 0, 0)] * (bits.ndim - 1) + [(0, missing, 0)]
        bits = lax.pad(bits, np.uint8(0), config)
    bits = lax.reshape(bits, (*bits.shape[:-1], bits.shape[-1] // 8, 8))
    packed = lax.convert_element_type(sum_of(bits << places, axis=-1), np.uint8)
    return swapaxes(packed, axis, -1) if axis != packed.ndim - 1 else packed


@library_jit(static_argnames=("axis", "count", "bitorder"))
def unpackbits(
    a: Any, axis: int | None = None, count: int | None = None, bitorder: str = "big"
) -> Any:  # fmt: skip
    """The bits of each byte along an axis, or of all bytes in a row: what `packbits` undoes.

    With `count`, so many bits: zeros follow where there are fewer. A negative one leaves out so
    many at the end.

    >>> unpackbits(np.array([160], np.uint8), count=3)
    Array([1, 0, 1], dtype=uint8)
    """
    name = "jnp.unpackbits"
    if typeof(a).dtype != np.uint8:
        raise TypeError(f"{name} takes bytes, and got {typeof(a)}. Use x.astype('uint8').")
    _check_order(name, bitorder)
    a, axis = _last(name, asarray(a), axis)
    masks = np.uint8(1) << lax.iota(np.uint8, 8)
    if bitorder == "big":
        masks = masks[::-1]
    bits = lax.convert_element_type((a[..., None] & masks) > 0, np.uint8)
    bits = lax.reshape(bits, (*a.shape[:-1], 8 * a.shape[-1]))
    size = bits.shape[-1]
    if count is not None:
        count = known_integer(name, "count", count)
        if count > size:
            config = [(0, 0, 0)] * (bits.ndim - 1) + [(0, count - size, 0)]
            bits = lax.pad(bits, np.uint8(0), config)
        else:
            bits = bits[..., :count]
    return swapaxes(bits, axis, -1) if axis != bits.ndim - 1 else bits


def _check_order(fun_name: str, bitorder: str) -> None:
    if bitorder not in ("big", "little"):
        raise ValueError(
            f"{fun_name} knows no bitorder {shown(bitorder)}. Give 'big' or 'little'."
        )


def _last(fun_name: str, a: Any, axis: int | None) -> tuple[Any, int]:
    """The array with the axis at the end, and where it was; for None, all elements in a row."""
    if axis is None:
        return ravel(a), 0
    axis = known_axis(fun_name, axis, a.ndim)
    return (swapaxes(a, axis, -1) if axis != a.ndim - 1 else a), axis
