"""The numbers that a network starts from: functions of a key, a shape and a dtype.

Each is drawn on a scale that keeps the variance of what goes through a layer: it is set by how many
numbers flow into one (fan in) and out of one (fan out).
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from minijax import numpy, random
from minijax.core.dtypes import canonicalize_dtype, issubdtype
from minijax.face.boundaries import guard
from minijax.face.planned import missing_names, shown_names
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.out_sharding import takes_out_sharding
from minijax.lax.shapes.axes import known_axis, known_sizes
from minijax.numpy.arguments import check_arraylike, user_dtype
from minijax.numpy.creation import new_array

Axes = int | Sequence[int]

__all__ = [
    "Initializer", "constant", "delta_orthogonal", "glorot_normal", "glorot_uniform", "he_normal",
    "he_uniform", "kaiming_normal", "kaiming_uniform", "lecun_normal", "lecun_uniform", "normal",
    "ones", "orthogonal", "truncated_normal", "uniform", "variance_scaling", "xavier_normal",
    "xavier_uniform", "zeros",
]  # fmt: skip
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)


class Initializer(Protocol):
    """A function of a key, a shape, a dtype, and how the result lies on devices."""

    def __call__(self, key: Any, shape: Any, dtype: Any = None, out_sharding: Any = None) -> Any:
        """An array of this shape; the dtype is float32 if not given (float64 under x64). It lies on
        devices as `out_sharding` says, if anything."""
        raise NotImplementedError("An Initializer is a function (key, shape, dtype). Write one.")


def _float_or(dtype: Any) -> np.dtype:
    if dtype is None:
        return canonicalize_dtype(np.float64)
    return user_dtype("nn.initializers", dtype)


def zeros(key: Any, shape: Any, dtype: Any = None, out_sharding: Any = None) -> Any:
    """Zeros, whatever the key; they lie on devices as `out_sharding` says, if anything."""
    return numpy.zeros(shape, _float_or(dtype), out_sharding=out_sharding)


def ones(key: Any, shape: Any, dtype: Any = None, out_sharding: Any = None) -> Any:
    """Ones, whatever the key; they lie on devices as `out_sharding` says, if anything."""
    return numpy.ones(shape, _float_or(dtype), out_sharding=out_sharding)


def constant(value: Any, dtype: Any = None) -> Initializer:
    """An initializer that gives one value everywhere."""
    default = dtype

    def init(key: Any, shape: Any, dtype: Any = default, out_sharding: Any = None) -> Any:
        check_arraylike("nn.initializers.constant", value=value)
        return numpy.full(shape, value, dtype=_float_or(dtype), out_sharding=out_sharding)

    return init


def _drawn(draw: Callable, scale: Any, default: Any) -> Initializer:
    """An initializer that multiplies what is drawn."""

    def init(key: Any, shape: Any, dtype: Any = default, out_sharding: Any = None) -> Any:
        dtype = _float_or(dtype)
        drawn = draw(key, shape, dtype, out_sharding=out_sharding)
        return drawn * new_array("nn.initializers", scale, dtype)

    return init


def uniform(scale: Any = 1e-2, dtype: Any = None) -> Initializer:
    """An initializer that draws from 0 up to `scale`.

    >>> uniform(1.0)(random.key(0), (2,)).shape
    (2,)
    """
    return _drawn(random.uniform, scale, dtype)


def normal(stddev: Any = 1e-2, dtype: Any = None) -> Initializer:
    """An initializer that draws normal numbers of this standard deviation."""
    return _drawn(random.normal, stddev, dtype)


def truncated_normal(
    stddev: Any = 1e-2, dtype: Any = None, lower: Any = -2.0, upper: Any = 2.0
) -> Initializer:
    """An initializer that draws normal numbers between bounds, then scales them by `stddev`."""

    def draw(key: Any, shape: Any, dtype: Any, out_sharding: Any) -> Any:
        return random.truncated_normal(key, lower, upper, shape, dtype, out_sharding=out_sharding)

    return _drawn(draw, stddev, dtype)


# By the number of inputs and outputs.


def _fans(shape: Sequence[int], in_axis: Axes, out_axis: Axes, batch_axis: Axes) -> tuple:
    if in_axis == -2 and len(shape) <= 1:
        raise ValueError(
            f"An initializer by fan in and fan out needs two axes, and got {tuple(shape)}.\n"
            f"Give a matrix's shape, or in_axis."
        )

    def size(axes: Axes) -> int:
        given = axes if isinstance(axes, Sequence) else [axes]
        places = [known_axis("nn.initializers", d, len(shape), IndexError) for d in given]
        return math.prod(shape[d] for d in places)

    fans = size(in_axis), size(out_axis)
    if 0 in shape:
        raise ZeroDivisionError(
            f"An initializer divides by the fan, and the shape {tuple(shape)} has none.\n"
            f"Give a shape without zeros, or use nn.initializers.zeros."
        )
    rest = math.prod(shape) / fans[0] / fans[1] / size(batch_axis)
    return fans[0] * rest, fans[1] * rest


_MODES: dict[str, Callable] = {
    "fan_in": lambda fan_in, fan_out: fan_in,
    "fan_out": lambda fan_in, fan_out: fan_out,
    "fan_avg": lambda fan_in, fan_out: (fan_in + fan_out) / 2,
    "fan_geo_avg": lambda fan_in, fan_out: (fan_in * fan_out) ** 0.5,
}


@takes_out_sharding
def _in_disc(key: Any, shape: Any, dtype: Any, radius: Callable) -> Any:
    """Complex numbers of any angle; `radius` maps uniform numbers to what is drawn."""
    key_radius, key_angle = random.split(key)
    real = np.zeros((), dtype).real.dtype
    r = radius(random.uniform(key_radius, shape, real))
    angle = 2 * np.pi * numpy.astype(random.uniform(key_angle, shape, real), dtype)
    return numpy.astype(r, dtype) * numpy.exp(1j * angle)


def _truncated(key: Any, shape: Any, dtype: Any, where: Any) -> tuple[Any, float]:
    """Numbers within 2 of 0, and their standard deviation."""
    if issubdtype(dtype, np.floating):
        drawn = random.truncated_normal(key, -2, 2, shape, dtype, out_sharding=where)
        return drawn, 0.87962566103423978
    part = -math.expm1(-4)
    radius = lambda u: numpy.sqrt(-numpy.log(1 - part * u))  # noqa: E731
    return _in_disc(key, shape, dtype, radius, out_sharding=where), 0.95311164380491208


def variance_scaling(
    scale: Any, mode: str, distribution: str, in_axis: Axes = -2, out_axis: Axes = -1,
    batch_axis: Axes = (), dtype: Any = None,
) -> Initializer:  # fmt: skip
    """An initializer whose numbers have the variance scale / n.

    n is what `mode` says: "fan_in", "fan_out", their mean "fan_avg" or "fan_geo_avg". The fans are
    the sizes of `in_axis` and `out_axis`, times those of the axes that are neither these nor batch
    axes. `distribution` is "truncated_normal", "normal" or "uniform". ValueError for other words.
    """
    default = dtype

    def init(key: Any, shape: Any, dtype: Any = default, out_sharding: Any = None) -> Any:
        dtype, shape = _float_or(dtype), known_sizes("nn.initializers", shape)
        fans = _fans(shape, in_axis, out_axis, batch_axis)
        if mode not in _MODES:
            known = list(_MODES)
            raise ValueError(f"variance_scaling has no mode {shown(mode)}.\nChoose of {known}.")
        variance = numpy.array(scale / _MODES[mode](*fans), dtype=dtype)
        if distribution == "truncated_normal":
            drawn, stddev = _truncated(key, shape, dtype, out_sharding)
            return drawn * (numpy.sqrt(variance) / numpy.array(stddev, dtype))
        if distribution == "normal":
            drawn = random.normal(key, shape, dtype, out_sharding=out_sharding)
            return drawn * numpy.sqrt(variance)
        if distribution != "uniform":
            raise ValueError(
                f"variance_scaling has no distribution {shown(distribution)}.\nChoose "
                f"'truncated_normal', 'normal' or 'uniform'."
            )
        if issubdtype(dtype, np.floating):
            drawn = random.uniform(key, shape, dtype, -1, out_sharding=out_sharding)
            return drawn * numpy.sqrt(3 * variance)
        radius = lambda u: numpy.sqrt(2 * u)  # noqa: E731
        return _in_disc(key, shape, dtype, radius, out_sharding=out_sharding) * numpy.sqrt(variance)

    return init


# Orthogonal ones.


def _refuse_out_sharding(name: str, out_sharding: Any) -> None:
    if out_sharding is not None:
        raise NotImplementedError(
            f"nn.initializers.{name} makes whole matrices, and got out_sharding={out_sharding}.\n"
            f"Leave it out, and give the result to jax.reshard."
        )


def orthogonal(scale: Any = 1.0, column_axis: int = -1, dtype: Any = None) -> Initializer:
    """An initializer of matrices with orthonormal rows or columns, evenly spread, times `scale`.

    The axis `column_axis` is the matrix's columns, the others together are its rows; the lesser
    of the two are orthonormal. (Saxe, McClelland and Ganguli, Exact solutions to the nonlinear
    dynamics of learning in deep linear neural networks, 2014.) ValueError for a shape with fewer
    than two axes, and for a dtype that is neither of floats nor of complex numbers.

    >>> x = orthogonal()(random.key(0), (2, 3))
    >>> bool(abs(x @ x.T - np.eye(2)).max() < 1e-6)
    True
    """
    default = dtype

    def init(key: Any, shape: Any, dtype: Any = default, out_sharding: Any = None) -> Any:
        _refuse_out_sharding("orthogonal", out_sharding)
        dtype, shape = _float_or(dtype), known_sizes("nn.initializers.orthogonal", shape)
        if len(shape) < 2:
            raise ValueError(
                f"nn.initializers.orthogonal needs two axes, and got the shape {shape}.\n"
                f"Give a matrix's shape."
            )
        place = known_axis("nn.initializers.orthogonal", column_axis, len(shape), IndexError)
        others = [n for d, n in enumerate(shape) if d != place]
        columns = shape[place]
        drawn = random.orthogonal(key, math.prod(others), (), dtype, columns)
        drawn = numpy.moveaxis(numpy.reshape(drawn, (*others, columns)), -1, place)
        return numpy.array(scale, dtype) * drawn

    return init


def delta_orthogonal(scale: Any = 1.0, column_axis: int = -1, dtype: Any = None) -> Initializer:
    """An initializer of a convolution's kernel: `orthogonal` in its middle, and zeros elsewhere.

    The shape is (*space, inputs, outputs), with one to three axes of space and no more inputs
    than outputs; ValueError for others. So a layer keeps the length of what goes through it. (Xiao
    et al., Dynamical isometry and a mean field theory of CNNs, 2018.)

    >>> delta_orthogonal()(random.key(0), (3, 1, 1)).ravel()
    Array([0., 1., 0.], dtype=float32)
    """
    default = dtype

    def init(key: Any, shape: Any, dtype: Any = default, out_sharding: Any = None) -> Any:
        _refuse_out_sharding("delta_orthogonal", out_sharding)
        dtype, shape = _float_or(dtype), known_sizes("nn.initializers.delta_orthogonal", shape)
        if not 3 <= len(shape) <= 5 or shape[-1] < shape[-2]:
            raise ValueError(
                f"nn.initializers.delta_orthogonal got the shape {shape}.\nGive one to three axes "
                f"of space, then the inputs, and at least as many outputs."
            )
        matrix = orthogonal(scale, column_axis)(key, shape[-2:], dtype)
        middle = tuple((n - 1) // 2 for n in shape[:-2])
        return numpy.zeros(shape, dtype).at[middle].set(matrix)

    return init


def _scaled(name: str, scale: float, mode: str, distribution: str, doc: str) -> Callable:
    def build(
        in_axis: Axes = -2, out_axis: Axes = -1, batch_axis: Axes = (), dtype: Any = None
    ) -> Initializer:
        return variance_scaling(scale, mode, distribution, in_axis, out_axis, batch_axis, dtype)

    build.__name__ = build.__qualname__ = name
    build.__doc__ = f"variance_scaling({scale}, {mode!r}, {distribution!r}): {doc}"
    return build


_GLOROT = "Glorot and Bengio, Understanding the difficulty of training (2010)."
_LECUN = "LeCun et al., Efficient backprop (1998)."
_HE = "He et al., Delving deep into rectifiers (2015)."
glorot_uniform = _scaled("glorot_uniform", 1.0, "fan_avg", "uniform", _GLOROT)
glorot_normal = _scaled("glorot_normal", 1.0, "fan_avg", "truncated_normal", _GLOROT)
lecun_uniform = _scaled("lecun_uniform", 1.0, "fan_in", "uniform", _LECUN)
lecun_normal = _scaled("lecun_normal", 1.0, "fan_in", "truncated_normal", _LECUN)
he_uniform = _scaled("he_uniform", 2.0, "fan_in", "uniform", _HE)
he_normal = _scaled("he_normal", 2.0, "fan_in", "truncated_normal", _HE)
xavier_uniform, xavier_normal = glorot_uniform, glorot_normal
kaiming_uniform, kaiming_normal = he_uniform, he_normal


guard(sys.modules[__name__])
