"""Cosine transforms of type II, by way of a Fourier transform of as many numbers.

J. Makhoul, A fast cosine transform in one and two dimensions (1980): the numbers of even places,
and then those of odd places backwards, have waves that only need to be turned.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minijax import lax, numpy
from minijax.face.boundaries import guard
from minijax.face.planned import missing_names, shown_names
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.shapes.axes import known_axis, known_integer
from minijax.numpy.arguments import canonical_axes, check_arraylike, is_several
from minijax.numpy.fft import fft, ifft, resized
from minijax.numpy.promotion import promote_dtypes_inexact

__all__ = ["dct", "dctn", "idct", "idctn"]
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)


def dct(
    x: Any, type: int = 2, n: int | None = None, axis: int = -1, norm: str | None = None
) -> Any:
    """The cosine transform of type II along an axis, which is first cut, or padded with zeros, to
    `n` numbers: y_k = 2 * the sum of x_j cos(pi k (2j + 1) / 2n).

    With the norm "ortho" all is divided by sqrt(2n), y_0 by sqrt(4n). NotImplementedError for other
    types, ValueError for other norms.

    >>> dct(np.array([1.0, 1.0]))
    Array([4., 0.], dtype=float32)
    """
    return _along_one("scipy.fft.dct", _forwards, x, type, n, axis, norm)


def idct(
    x: Any, type: int = 2, n: int | None = None, axis: int = -1, norm: str | None = None
) -> Any:
    """The inverse of `dct`.

    >>> idct(np.array([4.0, 0.0]))
    Array([1., 1.], dtype=float32)
    """
    return _along_one("scipy.fft.idct", _backwards, x, type, n, axis, norm)


def dctn(
    x: Any, type: int = 2, s: Sequence[int] | None = None, axes: Sequence[int] | None = None,
    norm: str | None = None,
) -> Any:  # fmt: skip
    """`dct` along several axes, or all, which first get the sizes `s`."""
    return _along_several("scipy.fft.dctn", _forwards, x, type, s, axes, norm)


def idctn(
    x: Any, type: int = 2, s: Sequence[int] | None = None, axes: Sequence[int] | None = None,
    norm: str | None = None,
) -> Any:  # fmt: skip
    """The inverse of `dctn`."""
    return _along_several("scipy.fft.idctn", _backwards, x, type, s, axes, norm)


def _along_one(
    name: str, transform: Callable, x: Any, type: int, n: int | None, axis: int, norm: str | None
) -> Any:
    x = _checked(name, x, type, norm)
    axis = known_axis(name, axis, x.ndim)
    sizes = None if n is None else [known_integer(name, "n", n)]
    return _transformed(name, transform, x, sizes, [axis], norm)


def _along_several(
    name: str, transform: Callable, x: Any, type: int, s: Any, axes: Any, norm: str | None
) -> Any:
    x = _checked(name, x, type, norm)
    sizes = None if s is None else [
        known_integer(name, "s", n) for n in (s if is_several(s) else [s])
    ]  # fmt: skip
    if axes is None and sizes is not None:
        axes = range(-len(sizes), 0)
    places = canonical_axes(name, axes, x.ndim)
    if sizes is not None and len(sizes) != len(places):
        got = f"{len(sizes)} sizes for {len(places)} axes"
        raise ValueError(f"{name} got {got}. Give as many.")
    return _transformed(name, transform, x, sizes, places, norm)


def _checked(name: str, x: Any, type: int, norm: str | None) -> Any:
    if type != 2:
        raise NotImplementedError(f"{name} is of type 2, and got type {shown(type)}. Leave it out.")
    if norm not in (None, "backward", "ortho"):
        raise ValueError(f"{name} knows no norm {shown(norm)}. Give 'ortho' or leave it out.")
    check_arraylike(name, x)
    (x,) = promote_dtypes_inexact(numpy.asarray(x))
    return lax.convert_element_type(x, np.promote_types(x.dtype, np.float32))


def _transformed(
    name: str, transform: Callable, x: Any, sizes: Sequence[int] | None, axes: Sequence[int],
    norm: str | None,
) -> Any:  # fmt: skip
    for place, axis in enumerate(axes):
        n = x.shape[axis] if sizes is None else sizes[place]
        if n < 1:
            raise TypeError(f"{name} needs numbers along its axes, and got {n}. Give sizes from 1.")
        x = numpy.moveaxis(x, axis, -1)
        if np.issubdtype(x.dtype, np.complexfloating):
            parts = (transform(resized(part, [n]), norm) for part in (lax.real(x), lax.imag(x)))
            x = lax.complex(*parts)
        else:
            x = transform(resized(x, [n]), norm)
        x = numpy.moveaxis(x, -1, axis)
    return x


def _turns(n: int, dtype: np.dtype) -> np.ndarray:
    """How far each wave is turned."""
    whole = np.complex128 if dtype == np.float64 else np.complex64
    return np.exp(-0.5j * np.pi * np.arange(n) / n).astype(whole)


def _scales(n: int, dtype: np.dtype) -> np.ndarray:
    """By what the norm "ortho" divides each wave."""
    scales = np.full(n, math.sqrt(2 * n))
    scales[0] = math.sqrt(4 * n)
    return scales.astype(dtype)


def _forwards(x: Any, norm: str | None) -> Any:
    n = x.shape[-1]
    in_order = numpy.concatenate([x[..., ::2], x[..., 1::2][..., ::-1]], -1)
    waves = 2 * lax.real(fft(in_order) * _turns(n, x.dtype))
    return waves / _scales(n, x.dtype) if norm == "ortho" else waves


def _backwards(y: Any, norm: str | None) -> Any:
    """The waves of real numbers have y_k - i y_(n - k) as parts, where y_n is 0."""
    n = y.shape[-1]
    y = y * _scales(n, y.dtype) if norm == "ortho" else y
    mirrored = numpy.concatenate([numpy.zeros_like(y[..., :1]), y[..., :0:-1]], -1)
    in_order = lax.real(ifft(lax.complex(y, -mirrored) / (2 * _turns(n, y.dtype))))
    half = (n + 1) // 2
    even, odd = in_order[..., :half], in_order[..., half:][..., ::-1]
    odd = resized(odd, [half])
    return numpy.stack([even, odd], -1).reshape(*y.shape[:-1], 2 * half)[..., :n]


guard(sys.modules[__name__])
