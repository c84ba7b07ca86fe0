"""What every function here does with its arguments first: checks, dtypes asked for, axes."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from minijax.core.arrays import Array, canonicalize_dtype, is_array_like
from minijax.core.tracing import ConcretizationTypeError, Tracer, dtype_kind
from minijax.numpy.promotion import promote_args as promote_arrays

Axis = int | Sequence[int] | None


def check_arraylike(fun_name: str, *args: Any) -> None:
    """TypeError unless every argument is an array, a tracer or a number."""
    for position, x in enumerate(args):
        if type(x) is not Array and not is_array_like(x):
            way_out = " Wrap it: jnp.array(...)." if isinstance(x, list | tuple) else ""
            raise TypeError(
                f"jnp.{fun_name} takes arrays and numbers; argument {position} is {x!r}, "
                f"of type {type(x).__name__}.{way_out}"
            )


def promote_args(fun_name: str, *args: Any, inexact: bool = False) -> list[Any]:
    """The arguments as arrays of one dtype and one number of dimensions.

    With `inexact`, integers and bools become floats.
    """
    check_arraylike(fun_name, *args)
    return promote_arrays(*args, inexact=inexact)


def user_dtype(fun_name: str, dtype: Any) -> np.dtype:
    """The dtype that a caller asked for by name; a warning where 64 bits are switched off."""
    canonical = canonicalize_dtype(dtype)
    by_name = not any(dtype is python for python in (int, float, complex))
    if by_name and np.dtype(dtype) != canonical:
        warnings.warn(
            f"jnp.{fun_name} was asked for {np.dtype(dtype)} and gives {canonical}: 64-bit dtypes "
            f"are off. Switch them on with config.update('jax_enable_x64', True).",
            UserWarning,
            stacklevel=3,
        )
    return canonical


def inexact_dtype(dtype: np.dtype) -> np.dtype:
    """The dtype of floats that stand for numbers of `dtype`: itself, where these are floats.

    >>> inexact_dtype(np.dtype("int32")), inexact_dtype(np.dtype("float16"))
    (dtype('float32'), dtype('float16'))
    """
    if dtype_kind(dtype) in "fc":
        return dtype
    return canonicalize_dtype(np.float64 if dtype.itemsize == 8 else np.float32)


def known_integer(fun_name: str, what: str, value: Any) -> int:
    """The integer, or ConcretizationTypeError where it is traced."""
    if isinstance(value, Tracer):
        raise ConcretizationTypeError(
            value, f"The argument {what} of jnp.{fun_name} shapes the result, so it must be known."
        )
    return operator.index(value)


def canonical_axis(fun_name: str, axis: Any, ndim: int) -> int:
    """The axis, counted from the front.

    >>> canonical_axis("sum", -1, 3)
    2
    """
    axis = known_integer(fun_name, "axis", axis)
    if not -ndim <= axis < ndim:
        raise ValueError(
            f"jnp.{fun_name} was asked for axis {axis} of an array of {ndim} dimensions."
        )
    return axis % ndim


def canonical_axes(fun_name: str, axis: Axis, ndim: int) -> tuple[int, ...]:
    """The axes that `axis` names (None: all of them), counted from the front."""
    if axis is None:
        return tuple(range(ndim))
    several = isinstance(axis, tuple | list)
    axes = tuple(canonical_axis(fun_name, a, ndim) for a in (axis if several else [axis]))
    if len(set(axes)) != len(axes):
        raise ValueError(f"jnp.{fun_name} was given an axis twice: {axis}.")
    return axes
