"""Convolutions and correlations, as sums of products, or as products of waves, which is quicker for
long ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minijax import lax, numpy
from minijax.core.dtypes import issubdtype
from minijax.lax.elementwise.arithmetic import shown
from minijax.numpy.arguments import canonical_axes, check_arraylike
from minijax.numpy.fft import fftn, ifftn, irfftn, rfftn
from minijax.numpy.promotion import promote_dtypes_inexact


def _check_mode(name: str, mode: Any) -> None:
    if mode not in ("full", "same", "valid"):
        raise ValueError(
            f"{name} knows no mode {shown(mode)}. Give one of 'full', 'same' and 'valid'."
        )


def convolve(
    in1: Any, in2: Any, mode: str = "full", method: str = "auto", precision: Any = None
) -> Any:  # fmt: skip
    """The convolution of two arrays, as floats. See `fftconvolve` for `mode`.

    `method` is "direct" ("auto"), a sum of products, or "fft". ValueError for what doesn't fit.

    >>> convolve(numpy.array([1.0, 2.0, 3.0]), numpy.array([1.0, 1.0]))
    Array([1., 3., 5., 3.], dtype=float32)
    """
    return _convolved("scipy.signal.convolve", in1, in2, mode, method, precision)


def correlate(
    in1: Any, in2: Any, mode: str = "full", method: str = "auto", precision: Any = None
) -> Any:  # fmt: skip
    """The convolution of one array with the other turned round, and conjugated. See `convolve`.

    >>> correlate(numpy.array([1.0, 2.0, 3.0]), numpy.array([0.0, 1.0]))
    Array([1., 2., 3., 0.], dtype=float32)
    """
    name = "scipy.signal.correlate"
    check_arraylike(name, in1, in2)
    turned = numpy.flip(numpy.conj(in2)) if numpy.ndim(in2) else numpy.conj(in2)
    return _convolved(name, in1, turned, mode, method, precision)


def convolve2d(
    in1: Any, in2: Any, mode: str = "full", boundary: str = "fill", fillvalue: float = 0,
    precision: Any = None,
) -> Any:  # fmt: skip
    """`convolve` of two matrices. NotImplementedError for other boundaries than zeros."""
    name = "scipy.signal.convolve2d"
    _check_matrices(name, in1, in2, boundary, fillvalue)
    return _convolved(name, in1, in2, mode, "direct", precision)


def correlate2d(
    in1: Any, in2: Any, mode: str = "full", boundary: str = "fill", fillvalue: float = 0,
    precision: Any = None,
) -> Any:  # fmt: skip
    """`correlate` of two matrices; of the mode "same", the middle is half a step further on."""
    name = "scipy.signal.correlate2d"
    _check_matrices(name, in1, in2, boundary, fillvalue)
    turned = numpy.flip(numpy.conj(in2))
    return _convolved(name, in1, turned, mode, "direct", precision, later=True)


def _check_matrices(name: str, in1: Any, in2: Any, boundary: Any, fillvalue: Any) -> None:
    if not isinstance(boundary, str) or boundary != "fill" or not _is_0(fillvalue):
        raise NotImplementedError(f"{name} has zeros beyond its ends. Leave boundary out.")
    check_arraylike(name, in1, in2)
    shapes = numpy.shape(in1), numpy.shape(in2)
    if [*map(len, shapes)] != [2, 2]:
        got = f"the shapes {shapes[0]} and {shapes[1]}"
        raise ValueError(f"{name} takes two matrices, and got {got}. Give such.")


def _is_0(x: Any) -> bool:
    return isinstance(x, int | float) and x == 0


def _convolved(
    name: str, in1: Any, in2: Any, mode: str, method: str, precision: Any, later: bool = False
) -> Any:
    """A part of the full convolution: it begins at `start`, which the padding in front says."""
    check_arraylike(name, in1, in2)
    _check_mode(name, mode)
    if method not in ("auto", "direct", "fft"):
        got = f"{shown(method)}. Give one of 'auto', 'direct' and 'fft'."
        raise ValueError(f"{name} knows no method {got}")
    in1, in2 = promote_dtypes_inexact(numpy.asarray(in1), numpy.asarray(in2))
    if in1.ndim != in2.ndim:
        got = f"{in1.ndim} axes and {in2.ndim}"
        raise ValueError(f"{name} takes arrays of as many axes, and got {got}. Give as many.")
    if not (in1.size and in2.size):
        got = f"the shapes {in1.shape} and {in2.shape}"
        raise ValueError(f"{name} takes some numbers, and got {got}. Give some.")
    if mode == "valid":
        _check_inside(name, in1, in2, range(in1.ndim))
    if method == "fft":
        return fftconvolve(in1, in2, mode)
    if not in1.ndim:
        return in1 * in2
    padding = []
    for m, n in zip(in1.shape, in2.shape, strict=True):
        start = {"full": 0, "same": n // 2 if later else (n - 1) // 2, "valid": min(m, n) - 1}[mode]
        size = {"full": m + n - 1, "same": m, "valid": abs(m - n) + 1}[mode]
        padding.append((n - 1 - start, size + start - m))
    out = lax.conv_general_dilated(
        in1[None, None], numpy.flip(in2)[None, None], (1,) * in1.ndim, padding, precision=precision
    )
    return out[0, 0]


def _check_inside(name: str, in1: Any, in2: Any, axes: Sequence[int]) -> None:
    """ValueError unless one array is as large as the other along each axis."""
    sizes = [(in1.shape[axis], in2.shape[axis]) for axis in axes]
    if not (all(m >= n for m, n in sizes) or all(m <= n for m, n in sizes)):
        raise ValueError(
            f"{name} with mode='valid' got the shapes {in1.shape} and {in2.shape}. Give two of "
            f"which one is as large as the other along each axis."
        )


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
    _check_mode(name, mode)
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
        _check_inside(name, in1, in2, places)
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
