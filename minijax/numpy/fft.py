"""Fourier transforms under NumPy's names: along which axes, of which sizes, by which factor."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minijax import lax
from minijax.compiler.dispatch.eager import by_types
from minijax.core.dtypes import SymbolicDimension, canonicalize_dtype
from minijax.core.forward import constant
from minijax.core.primitives import cast
from minijax.core.tracing import typeof
from minijax.face.boundaries import guard
from minijax.face.planned import missing_names, shown_names
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.fourier import FftType
from minijax.lax.shapes.axes import as_integers, known_axis, known_integer, known_value
from minijax.numpy.arguments import (
    Axis,
    canonical_axes,
    check_arraylike,
    is_several,
    refuse_keys,
    user_dtype,
)
from minijax.numpy.creation import asarray, on_device
from minijax.numpy.elementwise.number_parts import conj
from minijax.numpy.elementwise.ufuncs import remainder
from minijax.numpy.shapes.editing import roll
from minijax.numpy.shapes.reshaping import moveaxis, ravel

__all__ = [
    "fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifft2", "ifftn", "ifftshift",
    "ihfft", "irfft", "irfft2", "irfftn", "rfft", "rfft2", "rfftfreq", "rfftn",
]  # fmt: skip
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)

# By which power of the number of points a transform is multiplied: forwards, and backwards, where
# the inverse has divided by the number already.
_POWERS = {None: (0, 0), "backward": (0, 0), "ortho": (-0.5, 0.5), "forward": (-1, 1)}


def _transformed(
    name: str, fft_type: FftType, a: Any, s: Sequence[int] | None, axes: Sequence[int] | None,
    norm: str | None, backwards: bool | None = None,
) -> Any:  # fmt: skip
    """The transform of `a` along `axes`, cut or padded with zeros there to the sizes `s`.

    `backwards` says whose factor it takes, where that isn't its own.
    """
    check_arraylike(name, a)
    if norm not in _POWERS:
        raise ValueError(
            f"{name} knows no norm {shown(norm)}. Give one of 'backward', 'ortho' and 'forward'."
        )
    a = asarray(a)
    sizes = None if s is None else list(s)
    if axes is None and sizes is not None:
        axes = range(-len(sizes), 0)
    places = canonical_axes(name, axes, a.ndim)
    refuse_keys(name, a)
    if sizes is None:
        sizes = [a.shape[axis] for axis in places]
        if fft_type == FftType.IRFFT and sizes:
            sizes[-1] = max(0, 2 * (sizes[-1] - 1))
    elif len(sizes) != len(places):
        got = f"the sizes {tuple(sizes)} for {len(places)} axes"
        raise ValueError(f"{name} got {got}. Give as many.")
    elif any(n <= 0 for n in sizes):
        raise ValueError(f"{name} got the sizes {tuple(sizes)}. Give sizes from 1.")
    if not places:
        return lax.fft(a, fft_type, ())
    taken = list(sizes)
    if fft_type == FftType.IRFFT:
        taken[-1] = sizes[-1] // 2 + 1
    last = tuple(range(a.ndim - len(places), a.ndim))
    a = resized(a if places == last else moveaxis(a, places, last), taken)
    out = lax.fft(a, fft_type, tuple(sizes))
    way = fft_type in (FftType.IFFT, FftType.IRFFT) if backwards is None else backwards
    size, power = math.prod(sizes), _POWERS[norm][way]
    if isinstance(size, SymbolicDimension) and power:
        size = cast(size, canonicalize_dtype(float))
    out = _times(out, size**power)
    return out if places == last else moveaxis(out, last, places)


def _times(x: Any, factor: Any) -> Any:
    is_one = isinstance(factor, int | float) and factor == 1
    return x if is_one else lax.mul(x, constant(x, factor))


def resized(a: Any, sizes: Sequence[int]) -> Any:
    """The first numbers along the last axes, with zeros behind them where there are too few."""
    wanted = [*a.shape[: a.ndim - len(sizes)], *sizes]
    limits = [min(n, size) for n, size in zip(a.shape, wanted, strict=True)]
    if tuple(limits) != a.shape:
        a = lax.slice(a, [0] * a.ndim, limits)
    missing = [(0, size - n, 0) for n, size in zip(limits, wanted, strict=True)]
    return lax.pad(a, constant(a, 0), missing) if limits != wanted else a


def _one_size(name: str, n: Any) -> tuple[int] | None:
    return None if n is None else (known_integer(name, "n", n),)


def _sizes(name: str, s: Any) -> tuple[int, ...] | None:
    return None if s is None else as_integers(name, "s", s)


def _one_axis(name: str, axis: Any) -> tuple[int]:
    if is_several(axis):
        raise ValueError(
            f"{name} goes along one axis, and got {shown(axis)}. Give one, or use jnp.fft.fftn."
        )
    return (axis,)


def _two_axes(name: str, axes: Any) -> Sequence[int]:
    if not is_several(axes) or len(axes) != 2:
        raise ValueError(f"{name} goes along two axes, and got {shown(axes)}. Use {name[:-1]}n.")
    return axes


def _of_one_axis(name: str, fft_type: FftType, doc: str) -> Callable:
    def transform(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None) -> Any:
        full = f"jnp.fft.{name}"
        return _transformed(full, fft_type, a, _one_size(full, n), _one_axis(full, axis), norm)

    return _named(name, transform, doc)


def _of_two_axes(name: str, fft_type: FftType, doc: str) -> Callable:
    def transform(
        a: Any, s: Sequence[int] | None = None, axes: Sequence[int] = (-2, -1),
        norm: str | None = None,
    ) -> Any:  # fmt: skip
        full = f"jnp.fft.{name}"
        return _transformed(full, fft_type, a, _sizes(full, s), _two_axes(full, axes), norm)

    return _named(name, transform, doc)


def _of_any_axes(name: str, fft_type: FftType, doc: str) -> Callable:
    def transform(
        a: Any, s: Sequence[int] | None = None, axes: Sequence[int] | None = None,
        norm: str | None = None,
    ) -> Any:  # fmt: skip
        full = f"jnp.fft.{name}"
        return _transformed(full, fft_type, a, _sizes(full, s), axes, norm)

    return _named(name, transform, doc)


_FACTORS = """

    `norm` has the factor: "backward" (None) divides by the number of points on the way back,
    "forward" on the way there, "ortho" by its root both ways. Integers become floats. ValueError
    for axes or sizes that there can't be."""


def _named(name: str, transform: Callable, doc: str) -> Callable:
    transform.__name__ = transform.__qualname__ = name
    transform.__doc__ = doc + _FACTORS
    return by_types(transform)


_LENGTH = "\n\n    The axis is first cut, or padded with zeros, to `n` numbers."
_SIZES = "\n\n    The axes are first cut, or padded with zeros, to the sizes `s`."
_WAVES = "\n\n    There are `n` of them; None: 2 * (m - 1), for an axis of size m."

fft = _of_one_axis(
    "fft", FftType.FFT,
    "The waves of numbers along an axis.\n\n"
    "    >>> fft(np.ones(2))\n    Array([2.+0.j, 0.+0.j], dtype=complex64)" + _LENGTH,
)  # fmt: skip
ifft = _of_one_axis("ifft", FftType.IFFT, "The inverse of `fft`." + _LENGTH)
rfft = _of_one_axis(
    "rfft", FftType.RFFT,
    "The first n // 2 + 1 waves of real numbers: the rest are conjugates." + _LENGTH,
)  # fmt: skip
irfft = _of_one_axis(
    "irfft", FftType.IRFFT, "The real numbers that `rfft` gives waves of." + _WAVES
)
fft2 = _of_two_axes("fft2", FftType.FFT, "The waves of numbers along two axes." + _SIZES)
ifft2 = _of_two_axes("ifft2", FftType.IFFT, "The inverse of `fft2`." + _SIZES)
rfft2 = _of_two_axes(
    "rfft2", FftType.RFFT,
    "The waves of real numbers along two axes, half of them along the last one." + _SIZES,
)  # fmt: skip
irfft2 = _of_two_axes(
    "irfft2", FftType.IRFFT, "The real numbers that `rfft2` gives waves of, of the sizes `s`."
)
fftn = _of_any_axes("fftn", FftType.FFT, "The waves of numbers along some axes, or all." + _SIZES)
ifftn = _of_any_axes("ifftn", FftType.IFFT, "The inverse of `fftn`." + _SIZES)
rfftn = _of_any_axes(
    "rfftn", FftType.RFFT,
    "The waves of real numbers along some axes, or all, half of them along the last one." + _SIZES,
)  # fmt: skip
irfftn = _of_any_axes(
    "irfftn", FftType.IRFFT, "The real numbers that `rfftn` gives waves of, of the sizes `s`."
)


@by_types
def hfft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None) -> Any:
    """The waves, all real, of numbers whose second half would be conjugates of the first.

    There are `n` of them; None: 2 * (m - 1), for an axis of size m. `norm` is `fft`'s.

    >>> hfft(np.array([1.0, 2.0, 3.0]))
    Array([ 8., -2.,  0., -2.], dtype=float32)
    """
    name = "jnp.fft.hfft"
    check_arraylike(name, a)
    s, (axis,) = _one_size(name, n), _one_axis(name, axis)
    axis = known_axis(name, axis, typeof(a).ndim, IndexError)
    out = _transformed(name, FftType.IRFFT, conj(a), s, [axis], norm, backwards=False)
    return _times(out, typeof(out).shape[axis])


@by_types
def ihfft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None) -> Any:
    """The inverse of `hfft`: n // 2 + 1 complex numbers for `n` real ones.

    >>> ihfft(np.array([8.0, -2.0, 0.0, -2.0])).real
    Array([1., 2., 3.], dtype=float32)
    """
    name = "jnp.fft.ihfft"
    check_arraylike(name, a)
    s, (axis,) = _one_size(name, n), _one_axis(name, axis)
    axis = known_axis(name, axis, typeof(a).ndim, IndexError)
    out = conj(_transformed(name, FftType.RFFT, a, s, [axis], norm, backwards=True))
    return _times(out, 1 / (typeof(a).shape[axis] if n is None else n))


# Frequencies, and their order.


def _scaled(name: str, count: Any, n: int, d: Any, dtype: Any, device: Any) -> Any:
    """Whole numbers as frequencies: divided by the length of n points that lie `d` apart."""
    if is_several(d) and np.size(d) != 1:
        raise ValueError(f"{name} takes one number as d, and got {shown(d)}. Give a float.")
    dtype = canonicalize_dtype(float) if dtype is None else user_dtype(name, dtype)
    length = lax.convert_element_type(lax.squeeze(ravel(asarray(d)), (0,)), count.dtype) * n
    return on_device(device, lax.convert_element_type(count / length, dtype))


def _number_of_points(name: str, n: Any) -> int:
    if is_several(n) or isinstance(n, str):
        wrong = TypeError if isinstance(n, str) else ValueError
        raise wrong(f"{name} takes an integer as n, and got {shown(n)}. Give an int.")
    return int(known_value(name, "n", n))


def fftfreq(n: int, d: Any = 1.0, *, dtype: Any = None, device: Any = None) -> Any:
    """The frequencies of `fft`'s waves of n points that lie `d` apart: from 0 on, then below 0.
    They are on `device`, if that is given.

    >>> fftfreq(4)
    Array([ 0.  ,  0.25, -0.5 , -0.25], dtype=float32)
    """
    n = _number_of_points("jnp.fft.fftfreq", n)
    count = lax.iota(canonicalize_dtype(float), n)
    half = constant(count, n // 2)
    count = lax.sub(remainder(lax.add(count, half), n), half)
    return _scaled("jnp.fft.fftfreq", count, n, d, dtype, device)


def rfftfreq(n: int, d: Any = 1.0, *, dtype: Any = None, device: Any = None) -> Any:
    """The frequencies of `rfft`'s n // 2 + 1 waves, of n points that lie `d` apart. They are
    on `device`, if that is given.

    >>> rfftfreq(4)
    Array([0.  , 0.25, 0.5 ], dtype=float32)
    """
    n = _number_of_points("jnp.fft.rfftfreq", n)
    count = lax.iota(canonicalize_dtype(float), n // 2 + 1)
    return _scaled("jnp.fft.rfftfreq", count, n, d, dtype, device)


def _shifted(name: str, x: Any, axes: Axis, shift: Callable[[int], int]) -> Any:
    check_arraylike(name, x)
    x = asarray(x)
    places = canonical_axes(name, axes, x.ndim)
    return roll(x, tuple(shift(x.shape[axis]) for axis in places), places)


def fftshift(x: Any, axes: Axis = None) -> Any:
    """The waves in the order of their frequencies, so that 0 is in the middle, along axes or all.

    >>> fftshift(np.array([0, 1, -2, -1]))
    Array([-2, -1,  0,  1], dtype=int32)
    """
    return _shifted("jnp.fft.fftshift", x, axes, lambda size: size // 2)


def ifftshift(x: Any, axes: Axis = None) -> Any:
    """The inverse of `fftshift`: frequencies from 0 on, then those below.

    >>> ifftshift(np.array([-2, -1, 0, 1]))
    Array([ 0,  1, -2, -1], dtype=int32)
    """
    return _shifted("jnp.fft.ifftshift", x, axes, lambda size: -(size // 2))


guard(sys.modules[__name__])
