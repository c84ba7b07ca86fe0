"""Convolutions as products of waves: long ones take a fraction of the time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minijax import numpy
from minijax.core.dtypes import issubdtype
from minijax.lax.elementwise.arithmetic import shown
from minijax.numpy.arguments import canonical_axes, check_arraylike
from minijax.numpy.fft import fftn, ifftn, irfftn, rfftn
from minijax.numpy.promotion import promote_dtypes_inexact


def fftconvolve(
    in1: Any, in2: Any, mode: str = "full", axes: Sequence[int] | None = None
) -> Any:  # fmt: skip
    """The convolution of two arrays, as floats, along some axes, or all; others are broadcast.

    `mode` says which part: "full", all of it; "same", its middle, of in1's size; "valid", where the
    smaller one lies inside of the other. ValueError for shapes that don't fit.

    >>> numpy.round(fftconvolve(np.array([1.0, 2.0, 3.0]), np.array([1.0, 1.0])), 3)
    Array([1., 3., 5., 3.], dtype=float32)
    """
    name = "scipy.signal.fftconvolve"
    check_arraylike(name, in1, in2)
    if mode not in ("full", "same", "valid"):
        raise ValueError(
            f"{name} knows no mode {shown(mode)}. Give one of 'full', 'same' and 'valid'."
        )
    in1, in2 = promote_dtypes_inexact(numpy.asarray(in1), numpy.asarray(in2))
    if in1.ndim != in2.ndim:
        got = f"{in1.ndim} axes and {in2.ndim}"
        raise ValueError(f"{name} takes arrays of as many axes, and got {got}. Give as many.")
    places = canonical_axes(name, axes, in1.ndim)
    others = [axis for axis in range(in1.ndim) if axis not in places]
    if any(in1.shape[axis] != in2.shape[axis] for axis in others):
        raise ValueError(
            f"{name} got the shapes {in1.shape} and {in2.shape}, to convolve along the axes "
            f"{places}. Give one size along the others."
        )
    if not (in1.size and in2.size):
        return numpy.zeros((0,), in1.dtype)
    if not places:
        return in1 * in2
    sizes = [(in1.shape[axis], in2.shape[axis]) for axis in places]
    if mode == "valid":
        if not (all(m >= n for m, n in sizes) or all(m <= n for m, n in sizes)):
            raise ValueError(
                f"{name} with mode='valid' got the shapes {in1.shape} and {in2.shape}. Give two of "
                f"which one is as large as the other along each axis."
            )
    out = _full(in1, in2, places, [m + n - 1 for m, n in sizes])
    if mode == "full":
        return out
    kept = [m if mode == "same" else abs(m - n) + 1 for m, n in sizes]
    index = [slice(None)] * out.ndim
    for axis, size in zip(places, kept, strict=True):
        start = (out.shape[axis] - size) // 2
        index[axis] = slice(start, start + size)
    return out[tuple(index)]


def _full(in1: Any, in2: Any, axes: Sequence[int], sizes: Sequence[int]) -> Any:
    """Cyclic convolutions of as many numbers as none comes round: of some more, which are fast."""
    from scipy.fft import next_fast_len  # not before something needs it: imports are quick

    is_complex = issubdtype(in1.dtype, np.complexfloating)
    there, back = (fftn, ifftn) if is_complex else (rfftn, irfftn)
    fast = [next_fast_len(n, real=not is_complex) for n in sizes]
    out = back(there(in1, fast, axes) * there(in2, fast, axes), fast, axes)
    index = [slice(None)] * out.ndim
    for axis, size in zip(axes, sizes, strict=True):
        index[axis] = slice(size)
    return out[tuple(index)].astype(in1.dtype)
