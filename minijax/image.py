"""Images of other sizes: each new pixel is a mean of old ones, by weights that fall with distance.

Along each axis the weights make a matrix, and the image is multiplied by one after the other.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any

import ml_dtypes
import numpy as np

from minijax import lax, numpy
from minijax.face.boundaries import guard
from minijax.face.planned import missing_names, shown_names
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.shapes.axes import known_sizes
from minijax.numpy.arguments import canonical_axes, check_arraylike
from minijax.numpy.promotion import promote_dtypes_inexact

__all__ = ["ResizeMethod", "resize", "scale_and_translate"]
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)


class ResizeMethod(Enum):
    """How a pixel's weight falls with its distance."""

    NEAREST = 0
    LINEAR = 1
    LANCZOS3 = 2
    LANCZOS5 = 3
    CUBIC = 4
    CUBIC_PYTORCH = 5
    AREA = 6

    @staticmethod
    def from_string(s: str) -> ResizeMethod:
        """The method of a name; ValueError for another."""
        return _method("image.ResizeMethod.from_string", s)


_NAMES = {
    **dict.fromkeys(("linear", "bilinear", "trilinear", "triangle"), ResizeMethod.LINEAR),
    **dict.fromkeys(("cubic", "bicubic", "tricubic"), ResizeMethod.CUBIC),
    "nearest": ResizeMethod.NEAREST, "lanczos3": ResizeMethod.LANCZOS3,
    "lanczos5": ResizeMethod.LANCZOS5, "cubic-pytorch": ResizeMethod.CUBIC_PYTORCH,
    "area": ResizeMethod.AREA,
}  # fmt: skip


def _method(name: str, method: Any) -> ResizeMethod:
    if isinstance(method, ResizeMethod):
        return method
    if isinstance(method, str) and method in _NAMES:
        return _NAMES[method]
    raise ValueError(
        f"{name} knows no method {shown(method)}. Give one of {', '.join(map(repr, _NAMES))}."
    )


# Weights, of distances from 0.


def _triangle(x: Any) -> Any:
    return numpy.maximum(0, 1 - x)


def _cubic(a: float) -> Callable:
    """Keys, Cubic convolution interpolation for digital image processing (1981)."""

    def weight(x: Any) -> Any:
        near = ((a + 2) * x - (a + 3)) * x * x + 1
        far = (((x - 5) * x + 8) * x - 4) * a
        return numpy.where(x < 1, near, numpy.where(x < 2, far, 0))

    return weight


def _lanczos(radius: int) -> Callable:
    """sinc(x) sinc(x / radius). Duchon, Lanczos filtering in one and two dimensions (1979)."""

    def weight(x: Any) -> Any:
        safe = np.pi * numpy.where(x == 0, 1, x)
        wave = radius * numpy.sin(safe) * numpy.sin(safe / radius) / (safe * safe)
        return numpy.where(x < radius, numpy.where(x == 0, 1, wave), 0)

    return weight


_KERNELS = {
    ResizeMethod.LINEAR: _triangle, ResizeMethod.CUBIC: _cubic(-0.5),
    ResizeMethod.LANCZOS3: _lanczos(3), ResizeMethod.LANCZOS5: _lanczos(5),
}  # fmt: skip


def _weights(
    old: int, new: int, scale: Any, shift: Any, method: ResizeMethod, antialias: bool
) -> Any:
    """What each new pixel takes of each old one. With `antialias`, smaller images take wider means.

    A pixel's middle is at 1/2; the new image's x is the old one's (x - shift) / scale. A mean goes
    over what there is of its weights, and a middle beyond the old image gives 0.
    """
    step = 1 / scale
    start = ((lax.iota(scale.dtype, new) - shift) * step)[None]
    places = lax.iota(scale.dtype, old)[:, None]
    middle = start + step / 2
    if method is ResizeMethod.AREA:
        end = start + step
        weights = numpy.minimum(end, places + 1) - numpy.maximum(start, places)
        weights = numpy.maximum(weights, 0)
    else:
        width = numpy.maximum(step, 1) if antialias else 1
        kernel = _kernel(method, antialias)
        if method is ResizeMethod.CUBIC_PYTORCH and not antialias:
            weights = _with_edges(kernel, middle - 0.5, old)
        else:
            weights = kernel(numpy.abs(middle - 0.5 - places) / width)
    total = numpy.sum(weights, axis=0, keepdims=True)
    counts = numpy.abs(total) > 1000 * float(ml_dtypes.finfo(scale.dtype).eps)
    weights = numpy.where(counts, weights / numpy.where(counts, total, 1), 0)
    return numpy.where((middle >= 0) & (middle <= old), weights, 0)


def _with_edges(kernel: Callable, middle: Any, old: int) -> Any:
    """The weights of an image whose border pixels are repeated beyond it, as in PyTorch."""
    places = np.arange(-2, old + 2)
    weights = kernel(numpy.abs(middle - places.astype(middle.dtype)[:, None]))
    is_of = np.clip(places, 0, old - 1) == np.arange(old)[:, None]
    return numpy.matmul(is_of.astype(middle.dtype), weights)


def _kernel(method: ResizeMethod, antialias: bool) -> Callable:
    """PyTorch's cubic is flatter where it does not smooth."""
    if method is ResizeMethod.CUBIC_PYTORCH:
        return _cubic(-0.5 if antialias else -0.75)
    return _KERNELS[method]


def _multiplied(
    image: Any, axes: Sequence[int], shape: Sequence[int], scales: Sequence[Any],
    shifts: Sequence[Any], method: ResizeMethod, antialias: bool, precision: Any,
) -> Any:  # fmt: skip
    for axis, scale, shift in zip(axes, scales, shifts, strict=True):
        weights = _weights(image.shape[axis], shape[axis], scale, shift, method, antialias)
        weights = weights.astype(image.dtype)
        product = numpy.tensordot(image, weights, (axis, 0), precision=precision)
        image = numpy.moveaxis(product, -1, axis)
    return image


def _wide(dtype: np.dtype) -> np.dtype:
    """What weights are computed in."""
    return np.dtype(np.float64 if dtype in (np.float64, np.complex128) else np.float32)


def _checked(name: str, image: Any, shape: Any) -> tuple[Any, tuple[int, ...]]:
    check_arraylike(name, image)
    image, shape = numpy.asarray(image), known_sizes(name, shape)
    if len(shape) != image.ndim:
        raise ValueError(f"{name} got the shape {shape} for {image.ndim} axes. Give as many sizes.")
    if any(size < 0 for size in shape):
        raise TypeError(f"{name} got the shape {shape}. Give sizes from 0.")
    return image, shape


def scale_and_translate(
    image: Any, shape: Sequence[int], spatial_dims: Sequence[int], scale: Any, translation: Any,
    method: str | ResizeMethod, antialias: bool = True, precision: Any = lax.Precision.HIGHEST,
) -> Any:  # fmt: skip
    """The image stretched by `scale` and moved by `translation`, a number for each axis of
    `spatial_dims`, cut to `shape`. What comes from beyond the image is 0.

    Both may be traced and differentiated. See `resize` for `method` and `antialias`; "nearest" is a
    ValueError. AssertionError for numbers that aren't as many as the axes.

    >>> image = np.array([[1.0, 2.0, 3.0]])
    >>> scale_and_translate(image, (1, 3), [1], np.ones(1), np.ones(1), "linear")
    Array([[0., 1., 2.]], dtype=float32)
    """
    name = "image.scale_and_translate"
    method = _method(name, method)
    image, shape = _checked(name, image, shape)
    if method is ResizeMethod.NEAREST:
        raise ValueError(f"{name} has no method 'nearest'. Give another.")
    axes = canonical_axes(name, spatial_dims, image.ndim)
    (image,) = promote_dtypes_inexact(image)
    check_arraylike(name, scale, translation)
    wide = _wide(image.dtype)
    scale, translation = (numpy.asarray(x).astype(wide) for x in (scale, translation))
    for what, given in (("scale", scale), ("translation", translation)):
        if given.shape != (len(axes),):
            raise AssertionError(
                f"{name} got a {what} of the shape {given.shape} for {len(axes)} axes. Give a row "
                f"of as many numbers."
            )
    return _multiplied(image, axes, shape, scale, translation, method, antialias, precision)


def resize(
    image: Any, shape: Sequence[int], method: str | ResizeMethod, antialias: bool = True,
    precision: Any = lax.Precision.HIGHEST,
) -> Any:  # fmt: skip
    """The image in another size, as floats; with "nearest" in its own dtype.

    `method` is one of `ResizeMethod`, or its name: "nearest", "linear", "cubic", "lanczos3",
    "lanczos5", "cubic-pytorch" or "area". Where the image becomes smaller, `antialias` makes means
    of all pixels that a new one covers. ValueError for another name, or number of axes.

    >>> resize(np.array([1.0, 3.0]), (4,), "linear")
    Array([1. , 1.5, 2.5, 3. ], dtype=float32)
    """
    name = "image.resize"
    method = _method(name, method)
    image, shape = _checked(name, image, shape)
    axes = [axis for axis in range(image.ndim) if image.shape[axis] != shape[axis]]
    if method is ResizeMethod.NEAREST:
        for axis in axes:
            old, new = image.shape[axis], shape[axis]
            places = np.floor((np.arange(new) + 0.5) * (old / max(new, 1))).astype(np.int32)
            image = numpy.take(image, places, axis)
        return image
    (image,) = promote_dtypes_inexact(image)
    wide = _wide(image.dtype)
    scales = [numpy.asarray(shape[axis] / image.shape[axis], wide) for axis in axes]
    shifts = [numpy.zeros((), wide) for _ in axes]
    return _multiplied(image, axes, shape, scales, shifts, method, antialias, precision)


guard(ResizeMethod)
guard(sys.modules[__name__])
