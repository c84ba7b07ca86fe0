"""Spectra of a window that moves along a signal, and what they say of its power.

P. D. Welch, The use of fast Fourier transform for the estimation of power spectra (1967).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from minijax import lax, numpy
from minijax.core.dtypes import issubdtype
from minijax.core.errors import warn
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.shapes.axes import known_axis, known_integer
from minijax.numpy.arguments import check_arraylike, is_array
from minijax.numpy.fft import fft, fftfreq, ifft, irfft, rfft, rfftfreq
from minijax.numpy.promotion import promote_dtypes_inexact
from minijax.scipy.signal.trends import detrend as without_trend


class _Windows(NamedTuple):
    """The window's numbers, how far it moves, and how many points its transform has."""

    window: Any
    step: int
    points: int

    @property
    def size(self) -> int:
        return self.window.shape[0]


def _windows(
    name: str, window: Any, size: int | None, overlap: int | None, points: int | None, length: int,
    dtype: np.dtype,
) -> _Windows:  # fmt: skip
    """What the arguments say, for a signal of a length; ValueError for what can't be."""
    if size is not None:
        size = known_integer(name, "nperseg", size)
        if size < 1:
            raise ValueError(f"{name} takes an nperseg from 1, and got {size}. Give another.")
    if is_array(window):
        window = numpy.asarray(window)
        if window.ndim != 1 or window.shape[0] > length or size not in (None, window.shape[0]):
            raise ValueError(
                f"{name} got a window of the shape {window.shape} for {length} numbers and nperseg "
                f"{size}. Give a row of as many as nperseg."
            )
    else:
        if size is not None and size > length:
            warn(f"{name} has {length} numbers, and makes nperseg, {size}, as small.", UserWarning)
        size = min(256 if size is None else size, length)
        window = _named_window(name, window, size)
    size = window.shape[0]
    points = size if points is None else known_integer(name, "nfft", points)
    if points < size:
        raise ValueError(f"{name} got nfft {points} for nperseg {size}. Give as many, or more.")
    overlap = size // 2 if overlap is None else known_integer(name, "noverlap", overlap)
    if overlap >= size:
        raise ValueError(f"{name} got noverlap {overlap} for nperseg {size}. Give a smaller one.")
    return _Windows(window.astype(dtype), size - overlap, points)


def _named_window(name: str, window: Any, size: int) -> Any:
    from scipy.signal import get_window  # not before something needs it: imports are quick

    try:
        is_described = isinstance(window, str | tuple | float)
        numbers = get_window(window, size) if is_described else None
    except (ValueError, TypeError):
        numbers = None
    if numbers is None:
        raise ValueError(
            f"{name} knows no window {shown(window)}. Give one of SciPy's names, or its numbers."
        )
    return numpy.asarray(numbers)


_EXTENSIONS: dict[str, Callable] = {
    "zeros": lambda x, n: (numpy.zeros_like(x[..., :n]), numpy.zeros_like(x[..., :n])),
    "constant": lambda x, n: tuple(
        numpy.broadcast_to(end, (*x.shape[:-1], n)) for end in (x[..., :1], x[..., -1:])
    ),
    "even": lambda x, n: (x[..., n:0:-1], x[..., -2 : -n - 2 : -1]),
    "odd": lambda x, n: (
        2 * x[..., :1] - x[..., n:0:-1], 2 * x[..., -1:] - x[..., -2 : -n - 2 : -1]
    ),
}  # fmt: skip


def _spectra(x: Any, windows: _Windows, trend: Any, onesided: bool) -> Any:
    """The waves of each window along the last axis: of the shape (..., windows, waves)."""
    count = (x.shape[-1] - windows.size) // windows.step + 1
    places = np.arange(count)[:, None] * windows.step + np.arange(windows.size)
    parts = x[..., places]
    if callable(trend):
        parts = trend(parts)
    elif trend:
        parts = without_trend(parts, type=trend)
    return (rfft if onesided else fft)(parts * windows.window, windows.points)


def _frequencies(windows: _Windows, fs: Any, onesided: bool) -> Any:
    return (rfftfreq if onesided else fftfreq)(windows.points, 1 / numpy.asarray(fs))


def _of_reals(name: str, x: Any, wanted: bool) -> bool:
    """Whether half of the waves say all."""
    if wanted and issubdtype(x.dtype, np.complexfloating):
        warn(f"{name} got complex numbers, and gives all waves.", UserWarning)
        return False
    return wanted


def stft(
    x: Any, fs: Any = 1.0, window: Any = "hann", nperseg: int = 256, noverlap: int | None = None,
    nfft: int | None = None, detrend: Any = False, return_onesided: bool = True,
    boundary: str | None = "zeros", padded: bool = True, axis: int = -1,
) -> tuple[Any, Any, Any]:  # fmt: skip
    """The waves of a window that moves along an axis: frequencies, times, and the waves, whose
    frequencies are along that axis, and times along the last.

    `fs` is the number of points in a unit of time. The window is one of SciPy's names, or numbers;
    it has `nperseg` points, of which the next has `noverlap` too (half), and is transformed as one
    of `nfft`. The ends are continued by `boundary`, "zeros", "constant", "even", "odd" or None, and
    by zeros up to a whole number of windows if `padded`. ValueError for what can't be.

    >>> frequencies, times, waves = stft(np.ones(8), nperseg=4)
    >>> waves.shape
    (3, 5)
    """
    name = "scipy.signal.stft"
    check_arraylike(name, x)
    (x,) = promote_dtypes_inexact(numpy.asarray(x))
    axis = known_axis(name, axis, x.ndim)
    if boundary is not None and boundary not in _EXTENSIONS:
        got = f"{shown(boundary)}. Give one of {', '.join(map(repr, _EXTENSIONS))} or None."
        raise ValueError(f"{name} knows no boundary {got}")
    onesided = _of_reals(name, x, return_onesided)
    real = np.empty(0, x.dtype).real.dtype
    windows = _windows(name, window, nperseg, noverlap, nfft, x.shape[axis], real)
    x, half = numpy.moveaxis(x, axis, -1), windows.size // 2
    if boundary is not None:
        before, after = _EXTENSIONS[boundary](x, half)
        x = numpy.concatenate([before, x, after], -1)
    if padded:
        missing = -(x.shape[-1] - windows.size) % windows.step % windows.size
        x = numpy.concatenate([x, numpy.zeros((*x.shape[:-1], missing), x.dtype)], -1)
    waves = _spectra(x, windows, detrend, onesided) / numpy.sum(windows.window)
    start = 0 if boundary is not None else windows.size / 2
    times = (numpy.arange(waves.shape[-2], dtype=real) * windows.step + start) / fs
    waves = numpy.moveaxis(numpy.swapaxes(waves, -1, -2), -2, axis)
    return _frequencies(windows, fs, onesided), times, waves


def istft(
    Zxx: Any, fs: Any = 1.0, window: Any = "hann", nperseg: int | None = None,
    noverlap: int | None = None, nfft: int | None = None, input_onesided: bool = True,
    boundary: bool = True, time_axis: int = -1, freq_axis: int = -2,
) -> tuple[Any, Any]:  # fmt: skip
    """The signal whose waves `stft` gives, by the same arguments: its times, and its numbers.

    Where windows overlap, they are added, and divided by the sum of their squares. `boundary` says
    whether the signal was continued at its ends. ValueError for what can't be.

    >>> x = np.arange(8.0)
    >>> numpy.round(istft(stft(x, nperseg=4)[2], nperseg=4)[1], 4)
    Array([0., 1., 2., 3., 4., 5., 6., 7.], dtype=float32)
    """
    name = "scipy.signal.istft"
    check_arraylike(name, Zxx)
    waves = numpy.asarray(Zxx)
    if waves.ndim < 2:
        got = f"an array of the shape {waves.shape}"
        raise ValueError(f"{name} takes frequencies and times, and got {got}. Give two axes.")
    frequency, time = (known_axis(name, axis, waves.ndim) for axis in (freq_axis, time_axis))
    if frequency == time:
        raise ValueError(f"{name} got axis {time} for both times and frequencies. Give two axes.")
    (waves,) = promote_dtypes_inexact(waves)
    waves = numpy.moveaxis(waves, (time, frequency), (-2, -1))
    real = np.empty(0, waves.dtype).real.dtype
    count = waves.shape[-1]
    default = 2 * (count - 1) if input_onesided else count
    size = default if nperseg is None else known_integer(name, "nperseg", nperseg)
    if nfft is None:
        points = size if input_onesided and size == default + 1 else default
    else:
        points = known_integer(name, "nfft", nfft)
    windows = _windows(name, window, size, noverlap, points, size, real)
    parts = (irfft if input_onesided else ifft)(waves, windows.points)[..., : windows.size]
    number = parts.shape[-2]
    length = windows.size + (number - 1) * windows.step
    places = np.arange(number)[:, None] * windows.step + np.arange(windows.size)
    parts = parts * windows.window * numpy.sum(windows.window)
    x = numpy.zeros((*parts.shape[:-2], length), parts.dtype).at[..., places].add(parts)
    squares = numpy.broadcast_to(windows.window**2, places.shape)
    weights = numpy.zeros(length, real).at[places].add(squares)
    if boundary:
        half = windows.size // 2
        end = length - half if half else 0  # as in SciPy: windows of one number leave none
        x, weights = x[..., half:end], weights[half:end]
    x = x / numpy.where(weights > 1e-10, weights, 1)
    times = numpy.arange(x.shape[-1], dtype=real) / fs
    if x.ndim > 1 and time != waves.ndim - 1:
        x = numpy.moveaxis(x, -1, time - (frequency < time))
    return times, x


def csd(
    x: Any, y: Any, fs: Any = 1.0, window: Any = "hann", nperseg: int | None = None,
    noverlap: int | None = None, nfft: int | None = None, detrend: Any = "constant",
    return_onesided: bool = True, scaling: str = "density", axis: int = -1, average: str = "mean",
) -> tuple[Any, Any]:  # fmt: skip
    """The cross power spectral density of two signals along an axis: frequencies, and the mean over
    windows of conj(waves of x) * waves of y. With y None it is x's own, of real numbers.

    The arguments are `stft`'s. `scaling` is "density", power per frequency, or "spectrum", power;
    `average` is "mean" or "median". The shorter signal has zeros behind it. ValueError for what
    can't be.

    >>> frequencies, density = csd(np.ones(8), np.ones(8), nperseg=4, detrend=False)
    >>> frequencies
    Array([0.  , 0.25, 0.5 ], dtype=float32)
    """
    name = "scipy.signal.csd"
    check_arraylike(name, x, *([] if y is None else [y]))
    return _power(
        name, x, y, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis,
        average,
    )  # fmt: skip


def welch(
    x: Any, fs: Any = 1.0, window: Any = "hann", nperseg: int | None = None,
    noverlap: int | None = None, nfft: int | None = None, detrend: Any = "constant",
    return_onesided: bool = True, scaling: str = "density", axis: int = -1, average: str = "mean",
) -> tuple[Any, Any]:  # fmt: skip
    """The power spectral density of a signal along an axis: frequencies, and the mean over windows
    of the waves' squared sizes. The arguments are `csd`'s."""
    name = "scipy.signal.welch"
    check_arraylike(name, x)
    return _power(
        name, x, None, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis,
        average,
    )  # fmt: skip


def _power(
    name: str, x: Any, y: Any, fs: Any, window: Any, nperseg: Any, noverlap: Any, nfft: Any,
    trend: Any, return_onesided: bool, scaling: str, axis: int, average: str,
) -> tuple[Any, Any]:  # fmt: skip
    if scaling not in ("density", "spectrum"):
        got = f"{shown(scaling)}. Give 'density' or 'spectrum'."
        raise ValueError(f"{name} knows no scaling {got}")
    if average not in ("mean", "median"):
        raise ValueError(f"{name} knows no average {shown(average)}. Give 'mean' or 'median'.")
    x, y = (None if part is None else numpy.asarray(part) for part in (x, y))
    if y is not None and x.ndim != y.ndim:
        got = f"{x.ndim} axes and {y.ndim}"
        raise ValueError(f"{name} takes signals of as many axes, and got {got}. Give as many.")
    x, *others = promote_dtypes_inexact(x, *([] if y is None else [y]))
    axis = known_axis(name, axis, x.ndim)
    if not x.size or any(not other.size for other in others):
        return numpy.zeros(x.shape, x.dtype), numpy.zeros(x.shape, x.dtype)
    onesided = _of_reals(name, x, return_onesided)
    signals = [numpy.moveaxis(signal, axis, -1) for signal in (x, *others)]
    length = max(signal.shape[-1] for signal in signals)
    real = np.empty(0, x.dtype).real.dtype
    windows = _windows(name, window, nperseg, noverlap, nfft, length, real)
    waves = [_spectra(_filled(signal, length), windows, trend, onesided) for signal in signals]
    power = numpy.conj(waves[0]) * waves[-1]
    power = power if others else lax.real(power)
    total = numpy.sum(windows.window**2) * fs
    power = power / (total if scaling == "density" else numpy.sum(windows.window) ** 2)
    if onesided:
        power = power * _wave_counts(windows.points, real)
    mean = numpy.mean(power, -2) if average == "mean" else _median(power)
    return _frequencies(windows, fs, onesided), numpy.moveaxis(mean, -1, axis)


def _filled(x: Any, length: int) -> Any:
    """The signal with zeros behind it."""
    missing = length - x.shape[-1]
    return numpy.concatenate([x, numpy.zeros((*x.shape[:-1], missing), x.dtype)], -1)


def _wave_counts(points: int, dtype: np.dtype) -> np.ndarray:
    """How many waves each kept one stands for: itself, and its conjugate."""
    counts = np.full(points // 2 + 1, 2, dtype)
    counts[[0] if points % 2 else [0, -1]] = 1
    return counts


def _median(power: Any) -> Any:
    """The median over windows, divided by what it has too little of noise's power.

    (Allen and others, FINDCHIRP, 2012, appendix B.)
    """
    bias = 1 + sum(1 / (k + 1) - 1 / k for k in range(2, power.shape[-2], 2))
    if issubdtype(power.dtype, np.complexfloating):
        parts = (numpy.median(part, -2) for part in (lax.real(power), lax.imag(power)))
        return lax.complex(*parts) / bias
    return numpy.median(power, -2) / bias
