"""Fourier transforms: a row of numbers as a sum of waves, and back.

The transform is a product with a matrix, symmetric but for what real numbers leave out: half of
their waves are conjugates of the others. So each kind is linear, and its transpose is one again.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import IntEnum
from functools import partial
from typing import Any

import numpy as np

from minijax.compiler.dispatch.eager import by_types
from minijax.core.batching import moveaxis, primitive_batchers
from minijax.core.dtypes import issubdtype
from minijax.core.jitting import jit
from minijax.core.primitives import broadcast_in_dim, cast, check_kind, mul, numpy_primitive
from minijax.core.reverse import deflinear2
from minijax.core.tracing import ShapedArray, typeof
from minijax.lax.elementwise.arithmetic import convert_element_type, shown
from minijax.lax.elementwise.complex_numbers import conj
from minijax.lax.shapes.axes import as_integers


class FftType(IntEnum):
    """Which way, and of which numbers: complex ones, or real ones."""

    FFT = 0
    IFFT = 1
    RFFT = 2
    IRFFT = 3


_PARTS = {np.dtype(np.complex64): np.float32, np.dtype(np.complex128): np.float64}
_WHOLES = {np.dtype(part): whole for whole, part in _PARTS.items()}


def _halved(lengths: Sequence[int]) -> tuple[int, ...]:
    """How many waves of each axis are kept of real numbers."""
    return (*lengths[:-1], lengths[-1] // 2 + 1)


def _fft_rule(x: ShapedArray, *, fft_type: FftType, fft_lengths: tuple) -> ShapedArray:
    fft_type = FftType(fft_type)  # in a written program it is a number
    if not 1 <= len(fft_lengths) <= x.ndim:
        raise ValueError(
            f"lax.fft goes along the last axes, and got fft_lengths {fft_lengths} for {x}.\n"
            f"Give the sizes of some of its last axes."
        )
    of_reals = fft_type == FftType.RFFT
    if x.dtype not in (_WHOLES if of_reals else _PARTS):
        kinds = "float32 or float64" if of_reals else "complex64 or complex128"
        raise ValueError(
            f"lax.fft of the type {fft_type.name} takes {kinds}, and got {x}.\n"
            f"Convert with x.astype(dtype){', or take its real part' * of_reals}."
        )
    batch = x.shape[: -len(fft_lengths)]
    sizes = x.shape[len(batch) :]
    taken = _halved(fft_lengths) if fft_type == FftType.IRFFT else fft_lengths
    if sizes != taken:
        raise ValueError(
            f"lax.fft of the type {fft_type.name} with fft_lengths {fft_lengths} takes the last "
            f"sizes {taken}, and got {x}.\nGive other lengths, or cut or pad the operand."
        )
    if of_reals:
        return ShapedArray((*batch, *_halved(fft_lengths)), _WHOLES[x.dtype])
    dtype = _PARTS[x.dtype] if fft_type == FftType.IRFFT else x.dtype
    return ShapedArray((*batch, *fft_lengths), dtype)


LARGE = 1 << 18  # numbers, from which on threads are worth their while


def _numpy_fft(x: np.ndarray, fft_type: FftType, fft_lengths: tuple) -> np.ndarray:
    """By SciPy's library, which keeps 32 bits."""
    import scipy.fft as library  # not before something needs it: imports are quick

    from minijax.compiler.executable import workers

    if not (x.size and math.prod(fft_lengths)):
        aval = _fft_rule(ShapedArray(x.shape, x.dtype), fft_type=fft_type, fft_lengths=fft_lengths)
        return np.zeros(aval.shape, aval.dtype)
    name, threads = FftType(fft_type).name.lower(), workers()[0] if x.size >= LARGE else 1
    if len(fft_lengths) == 1:  # several times as quick for short ones
        return getattr(library, name)(x, fft_lengths[0], workers=threads)
    axes = tuple(range(-len(fft_lengths), 0))
    return getattr(library, f"{name}n")(x, fft_lengths, axes, workers=threads)


fft_p = numpy_primitive("fft", _fft_rule, _numpy_fft)


@by_types
@partial(jit, static_argnums=(1, 2))
def fft(x: Any, fft_type: FftType | str, fft_lengths: Sequence[int]) -> Any:
    """The Fourier transform along the last axes, whose sizes `fft_lengths` has, a tuple.

    `fft_type` is one of `FftType`, or its name. "FFT" maps complex numbers to as many; "IFFT" is
    its inverse. "RFFT" maps real numbers to the first n // 2 + 1 of n complex ones along the last
    axis, of which the others are conjugates; "IRFFT" is its inverse, and `fft_lengths` has the
    sizes of its result. Integers become floats. Unknown types and sizes that are not the operand's
    are ValueErrors.

    >>> fft(np.array([1.0, 0.0, 0.0, 0.0]), "FFT", (4,))
    Array([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j], dtype=complex64)
    """
    kind = _known_type(fft_type)
    lengths = as_integers("lax.fft", "fft_lengths", fft_lengths)
    aval = typeof(x)
    check_kind("lax.fft", [np.bool_, np.number], aval.dtype)
    if kind == FftType.RFFT:
        if issubdtype(aval.dtype, np.bool_, np.integer):
            x = convert_element_type(x, float)
    elif not issubdtype(aval.dtype, np.complexfloating):
        is_wide = aval.dtype.itemsize == 8
        x = convert_element_type(x, np.complex128 if is_wide else np.complex64)
    x = cast(x, typeof(x).dtype)
    return fft_p.bind(x, fft_type=kind, fft_lengths=lengths) if lengths else x


def _known_type(fft_type: Any) -> FftType:
    names = [kind.name for kind in FftType]
    if isinstance(fft_type, str) and fft_type.upper() in names:
        return FftType[fft_type.upper()]
    if isinstance(fft_type, FftType):
        return fft_type
    error = ValueError if isinstance(fft_type, str) else TypeError
    raise error(
        f"lax.fft knows no fft_type {shown(fft_type)}. Give one of {', '.join(names)}, or of "
        f"lax.FftType."
    )


# Linear. A cotangent of real numbers is real. Each wave that is kept stands for itself and for its
# conjugate, but for those that are their own, and has the share of two in the inverse, or of one.


def _times_shares(x: Any, fft_lengths: tuple, power: int) -> Any:
    """Waves times their shares in the inverse, or divided by them where `power` is -1."""
    counts = np.full(fft_lengths[-1] // 2 + 1, 2.0)
    counts[[0] if fft_lengths[-1] % 2 else [0, -1]] = 1
    shares = (counts / max(math.prod(fft_lengths), 1)) ** power
    aval = typeof(x)
    return mul(x, broadcast_in_dim(shares.astype(aval.dtype), aval.shape, (aval.ndim - 1,)))


def _fft_transpose(ct: Any, x: Any, *, fft_type: FftType, fft_lengths: tuple) -> list[Any]:
    if fft_type == FftType.RFFT:
        return [fft(_times_shares(conj(ct), fft_lengths, -1), FftType.IRFFT, fft_lengths)]
    if fft_type == FftType.IRFFT:
        return [conj(_times_shares(fft(ct, FftType.RFFT, fft_lengths), fft_lengths, 1))]
    return [fft(ct, fft_type, fft_lengths)]


def _fft_batcher(args: Sequence, dims: Sequence, *, fft_type: FftType, fft_lengths: tuple) -> tuple:
    (x,), (d,) = args, dims
    return fft(moveaxis(x, d, 0), fft_type, fft_lengths), 0


deflinear2(fft_p, _fft_transpose)
primitive_batchers[fft_p] = _fft_batcher
