"""How the operands of a special function meet, and what it refuses: one decorator for all."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial, wraps
from typing import Any

import numpy as np

from minijax import lax
from minijax.core.dtypes import issubdtype
from minijax.core.pytrees import tree_map
from minijax.core.tracing import typeof
from minijax.numpy.arguments import bound_arguments, check_arraylike
from minijax.numpy.creation import asarray
from minijax.numpy.promotion import promote_args


def special_function(
    fun: Callable | None = None, *, refuses_complex: type[Exception] | None = TypeError,
    only_wide: bool = False, keeps_weak_type: bool = True,
) -> Callable:  # fmt: skip
    """`fun`, on operands that are arrays of one dtype, of floats: integers have become such.

    Complex numbers are an error of the class `refuses_complex`, or None where there is none. With
    `only_wide`, whatever isn't float32 or float64 is a TypeError. A result is weakly typed where
    all operands are, if it `keeps_weak_type`. Without `fun`, a decorator.
    """
    if fun is None:
        return partial(
            special_function, refuses_complex=refuses_complex, only_wide=only_wide,
            keeps_weak_type=keeps_weak_type,
        )  # fmt: skip
    name, signature = f"scipy.special.{fun.__name__}", inspect.signature(fun)

    @wraps(fun)
    def special(*args: Any, **named: Any) -> Any:
        if named or len(args) != len(signature.parameters):
            args = bound_arguments(name, signature, args, named).args
        if only_wide:
            check_wide(name, *args)
        args = promote_args(name, *args, inexact=True)
        dtype = typeof(args[0]).dtype
        if refuses_complex and issubdtype(dtype, np.complexfloating):
            raise refuses_complex(f"{name} takes real numbers, and got {dtype}. Give floats.")
        out = fun(*map(asarray, args))
        return out if keeps_weak_type else tree_map(strong, out)

    return special


def check_wide(name: str, *args: Any) -> None:
    """TypeError unless all are float32 or float64."""
    check_arraylike(name, *args)
    for x in args:
        dtype = typeof(x).dtype
        if dtype not in (np.float32, np.float64):
            raise TypeError(
                f"{name} takes float32 or float64, and got {dtype}. Convert with x.astype(dtype)."
            )


def strong(x: Any) -> Any:
    """x, not weakly typed."""
    return lax.convert_element_type(x, typeof(x).dtype)


def polynomial(x: Any, coefficients: Any) -> Any:
    """By Horner's rule; the coefficients, numbers or a text of them, highest first."""
    if isinstance(coefficients, str):
        coefficients = map(float, coefficients.split())
    first, *rest = coefficients
    value = lax.full_like(x, first)
    for c in rest:
        value = value * x + c
    return value


def fraction(x: Any, parts: tuple[str, str]) -> Any:
    """A polynomial over another."""
    return polynomial(x, parts[0]) / polynomial(x, parts[1])
