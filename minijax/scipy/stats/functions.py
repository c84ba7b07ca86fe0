"""What the functions of every distribution have in common.

A distribution is a module of plain functions. Here is how their arguments meet, and how one
function follows from another: `pdf = exp_of(logpdf)`, `logcdf = log_of(cdf)`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from minijax import lax, numpy
from minijax.core.forward import constant
from minijax.numpy.arguments import bound_arguments
from minijax.numpy.creation import asarray
from minijax.numpy.promotion import promote_args

REAL = (np.floating,)


def on_floats(fun: Callable) -> Callable:
    """`fun`, on arrays of one dtype, of floats: integers have become such, and shapes broadcast.

    An error names it after its module and itself, as "beta.logpdf". TypeError for what is no
    number, and for complex numbers.
    """
    distribution = fun.__module__.rpartition(".")[2]
    name, signature = f"{distribution}.{fun.__name__}", inspect.signature(fun)

    @wraps(fun)
    def function(*args: Any, **named: Any) -> Any:
        bound = bound_arguments(name, signature, args, named)
        bound.apply_defaults()
        args = promote_args(name, *bound.arguments.values(), inexact=True, accepts=REAL)
        return fun(*map(asarray, args))

    return function


_SAYS = {
    "pdf": "The density at x; see `logpdf`.",
    "pmf": "The chance of each number; see `logpmf`.",
    "cdf": "How much of the distribution lies below x: exp(logcdf).",
    "sf": "How much of the distribution lies above x: exp(logsf).",
    "logcdf": "The logarithm of how much of the distribution lies below x; see `cdf`.",
    "logsf": "The logarithm of how much of the distribution lies above x; see `sf`.",
}


def exp_of(fun: Callable) -> Callable:
    """From `logpdf` the function `pdf`, and so on."""
    return _derived(fun, fun.__name__.removeprefix("log"), lax.exp)


def log_of(fun: Callable) -> Callable:
    """From `cdf` the function `logcdf`, and so on."""
    return _derived(fun, f"log{fun.__name__}", lax.log)


def _derived(fun: Callable, name: str, change: Callable) -> Callable:
    inner = fun.__wrapped__  # the arguments meet once, under the name of the new function

    @wraps(inner)
    def function(*args: Any) -> Any:
        return change(inner(*args))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = _SAYS[name]
    return on_floats(function)


def clamped(x: Any, end: float) -> Any:
    """x, moved inside of 0 to `end`. Where it was outside, its derivative is 0."""
    return lax.clamp(constant(x, 0), x, constant(x, end))


def is_no_share(q: Any) -> Any:
    """Whether each number isn't from 0 to 1: NaN is none either."""
    return numpy.isnan(q) | (q < 0) | (q > 1)
