"""What every function here does with its arguments first: checks, dtypes asked for, axes."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Sequence
from functools import partial, wraps
from typing import Any

import numpy as np

from minijax import lax
from minijax.core.arrays import Array, canonicalize_dtype, is_array_like
from minijax.core.errors import ConcretizationTypeError, warn
from minijax.core.forward import constant
from minijax.core.jitting import jit
from minijax.core.tracing import ExtendedDType, Tracer, issubdtype, typeof
from minijax.lax.elementwise import cast_for_user

Axis = int | Sequence[int] | None


def check_arraylike(fun_name: str, *args: Any, **named: Any) -> None:
    """TypeError unless every argument is an array, a tracer or a number."""
    if not (all(map(is_array_like, args)) and all(map(is_array_like, named.values()))):
        for place, x in [*enumerate(args), *named.items()]:
            if not is_array_like(x):
                _refuse(fun_name, place, x)


def full_name(fun_name: str) -> str:
    """A function's name as a message shows it: one without a module is of this package."""
    return fun_name if "." in fun_name else f"jnp.{fun_name}"


def _refuse(fun_name: str, place: int | str, x: Any) -> None:
    way_out = " Wrap it: jnp.array(...)." if isinstance(x, list | tuple) else ""
    raise TypeError(
        f"{full_name(fun_name)} takes arrays and numbers; argument {place} is {x!r}, "
        f"of type {type(x).__name__}.{way_out}"
    )


def checked_jit(fun: Callable | None = None, **params: Any) -> Callable:
    """`jit`, with jit's own `params`, for a function whose arguments are all arrays.

    What is none is refused before anything is traced. None is let in where it is the default.
    """
    if fun is None:
        return partial(checked_jit, **params)
    jitted = jit(fun, **params)
    optional = set()
    for position, parameter in enumerate(inspect.signature(fun).parameters.values()):
        optional |= {position, parameter.name} if parameter.default is None else set()

    @wraps(fun)
    def checked(*args: Any, **kwargs: Any) -> Any:
        for place, x in [*enumerate(args), *kwargs.items()]:
            if not is_array_like(x) and not (x is None and place in optional):
                _refuse(fun.__name__, place, x)
        return jitted(*args, **kwargs)

    return checked


def user_dtype(fun_name: str, dtype: Any) -> np.dtype:
    """The dtype that a caller asked for by name; a warning where 64 bits are switched off."""
    canonical = canonicalize_dtype(dtype)
    is_python = any(dtype is python for python in (int, float, complex))
    if not (is_python or isinstance(dtype, ExtendedDType)) and np.dtype(dtype) != canonical:
        warn(
            f"{full_name(fun_name)} was asked for {np.dtype(dtype)} and gives {canonical}: 64-bit "
            f"dtypes are off. Switch them on with config.update('jax_enable_x64', True)."
        )
    return canonical


def refuse_out(fun_name: str, out: Any) -> None:
    """NotImplementedError when a caller asks for the result in an array of their own."""
    if out is not None:
        raise NotImplementedError(f"jnp.{fun_name} returns its result: there is no `out` to fill.")


def not_zero(x: Any) -> Any:
    """Whether x is true, which is not to be zero: a bool as it is. TypeError for keys."""
    if isinstance(typeof(x).dtype, ExtendedDType):
        raise TypeError(f"{typeof(x)} is neither true nor false. Compare it: x == y.")
    return x if typeof(x).dtype == np.bool_ else lax.ne(x, constant(x, 0))


def refuse_complex(fun_name: str, error: type[Exception], *args: Any) -> None:
    """An error when an argument is complex: such numbers have no order."""
    for x in args:
        if x is not None and issubdtype(typeof(x).dtype, np.complexfloating):
            raise error(
                f"jnp.{fun_name} needs an order, which complex numbers lack; got {typeof(x)}."
            )


def known_value(fun_name: str, what: str, value: Any) -> Any:
    """The value, or what a tracer carries; ConcretizationTypeError where that is not known."""
    if not isinstance(value, Tracer):
        return value
    known = value.to_concrete_value()
    if known is None:
        raise ConcretizationTypeError(
            value, f"The argument {what} of jnp.{fun_name} shapes the result, so it must be known."
        )
    return known


def known_integer(fun_name: str, what: str, value: Any) -> int:
    """The integer; ConcretizationTypeError where it is traced, TypeError where it is none."""
    value = known_value(fun_name, what, value)
    try:
        return operator.index(value)
    except TypeError as error:
        raise TypeError(
            f"jnp.{fun_name} takes integers as {what}, and got {value!r}, of type "
            f"{type(value).__name__}."
        ) from error


def known_sizes(fun_name: str, shape: Any) -> tuple[int, ...]:
    """The shape, one integer or a sequence of them, as a tuple; TypeError when it is not known."""
    several = isinstance(shape, Sequence) and not isinstance(shape, str | bytes)
    several = several or (isinstance(shape, Array | np.ndarray) and shape.ndim > 0)
    try:
        return tuple(map(operator.index, shape if several else [shape]))
    except TypeError as error:
        raise TypeError(
            f"{full_name(fun_name)} needs a shape of integers that are known while tracing, got "
            f"{shape!r}. An argument that it comes from can be static (jit's static_argnums)."
        ) from error


def known_shape(fun_name: str, shape: Any) -> tuple[int, ...]:
    """Like `known_sizes`; TypeError when one is negative.

    >>> known_shape("zeros", 3), known_shape("zeros", [2, 3])
    ((3,), (2, 3))
    """
    sizes = known_sizes(fun_name, shape)
    if any(n < 0 for n in sizes):
        raise TypeError(f"{full_name(fun_name)} was given a shape with a negative size: {sizes}.")
    return sizes


def is_several(x: Any) -> bool:
    """Whether x is a collection of integers, such as a list, a set or an array with an axis."""
    return np.iterable(x) and not isinstance(x, str | bytes)


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
    given = list(axis) if is_several(axis) else [axis]
    axes = tuple(canonical_axis(fun_name, a, ndim) for a in given)
    if len(set(axes)) != len(axes):
        raise ValueError(f"jnp.{fun_name} was given an axis twice: {axis}.")
    return axes


def typeof_number(x: Any) -> Any:
    """The type of x; an integer of any size has that of other integers."""
    return typeof(0 if type(x) is int else x)


def number_in(dtype: np.dtype, number: Any, weak_type: bool = False) -> Any:
    """A number as an array of `dtype`. Python's integers wrap round where they do not fit.

    >>> number_in(np.dtype("int8"), 300)
    Array(44, dtype=int8)
    """
    if type(number) is int:
        is_whole = issubdtype(dtype, np.integer)
        if is_whole and not -(2**63) <= number < 2**64:
            raise OverflowError(f"The integer {number} does not fit in 64 bits. Make it a float.")
        number = (np.asarray(number).astype(dtype) if is_whole else np.array(number, dtype))[()]
    return cast_for_user(number, dtype, weak_type)
