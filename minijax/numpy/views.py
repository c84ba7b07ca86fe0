"""The bytes of an array read as numbers of another dtype, or in the other order."""

from __future__ import annotations

from typing import Any

import numpy as np

from minijax import lax
from minijax.core.dtypes import issubdtype
from minijax.core.tracing import typeof
from minijax.lax.elementwise.arithmetic import real_dtype
from minijax.lax.elementwise.number_sizes import bits_of
from minijax.numpy.arguments import refuse_keys, user_dtype
from minijax.numpy.creation import zeros


def view(self: Any, dtype: Any = None, type: None = None) -> Any:
    """The bytes read as numbers of another dtype; the last axis grows or shrinks with their size.

    >>> view(np.array([1.0]), np.int32)
    Array([1065353216], dtype=int32)
    """
    name = "x.view"
    if type is not None:
        raise NotImplementedError(f"{name} takes a dtype, and no type. Leave `type` out.")
    refuse_keys(name, self)
    if dtype is None:
        return self
    old, new = typeof(self).dtype, user_dtype(name, dtype)
    if old == new:
        return self
    _check_size(name, typeof(self), new)
    if new == np.bool_:
        return lax.convert_element_type(view(self, np.uint8), new)
    if old == np.bool_:
        return view(lax.convert_element_type(self, np.uint8), new)
    if issubdtype(old, np.complexfloating):
        return view(_parts_in_turn(self), new)
    if issubdtype(new, np.complexfloating):
        parts = lax.convert_element_type(view(self, real_dtype(new)), new)
        return parts[..., 0::2] + 1j * parts[..., 1::2]
    return _bits_as(self, new)


def _check_size(fun_name: str, aval: Any, new: np.dtype) -> None:
    if bits_of(aval.dtype) == bits_of(new):
        return
    if not aval.ndim:
        raise ValueError(
            f"{fun_name} of {aval} cannot be {new}, which has another size: there is no axis to "
            f"grow.\nUse x[None].view(dtype)."
        )
    if aval.shape[-1] * bits_of(aval.dtype) % bits_of(new):
        raise ValueError(
            f"{fun_name} of {aval} cannot be {new}: the last axis has no whole number of these.\n"
            f"Give one whose bits are a multiple of {bits_of(new)}."
        )


def _parts_in_turn(x: Any) -> Any:
    """The real and the imaginary part of each number, one after the other."""
    out = zeros((*x.shape[:-1], 2 * x.shape[-1]), real_dtype(x.dtype))
    return out.at[..., 0::2].set(lax.real(x)).at[..., 1::2].set(lax.imag(x))


def _bits_as(x: Any, new: np.dtype) -> Any:
    old, bits, shape = bits_of(typeof(x).dtype), bits_of(new), typeof(x).shape
    if old < bits:
        times = bits // old
        x = lax.reshape(x, (*shape[:-1], shape[-1] // times, times))
    result = lax.bitcast_convert_type(x, new)
    if old > bits:
        result = lax.reshape(result, (*shape[:-1], shape[-1] * (old // bits)))
    return result


def byteswap(self: Any) -> Any:
    """The numbers whose bytes are those of x in the other order.

    >>> byteswap(np.array([1], np.int32))
    Array([16777216], dtype=int32)
    """
    refuse_keys("x.byteswap", self)
    aval = typeof(self)
    if issubdtype(aval.dtype, np.complexfloating):
        return lax.complex(byteswap(lax.real(self)), byteswap(lax.imag(self)))
    if aval.dtype.itemsize == 1:
        return self
    bytes_ = lax.bitcast_convert_type(self, np.uint8)
    return lax.bitcast_convert_type(lax.rev(bytes_, [aval.ndim]), aval.dtype)
