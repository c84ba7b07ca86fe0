"""Numbers evenly spaced on a logarithmic scale."""

from __future__ import annotations

from typing import Any

from minijax import lax
from minijax.core.tracing import typeof
from minijax.dtypes import result_type
from minijax.lax.shapes.axes import known_integer
from minijax.numpy.arguments import (
    check_arraylike,
    check_broadcast,
    library_jit,
    refuse_keys,
    user_dtype,
)
from minijax.numpy.creation import astype, linspace
from minijax.numpy.elementwise.ufuncs import log10, power, sign
from minijax.numpy.promotion import inexact_dtype
from minijax.numpy.shapes.reshaping import moveaxis


def _checked(fun_name: str, num: int, dtype: Any, **bounds: Any) -> tuple[int, Any]:
    check_arraylike(fun_name, **bounds)
    refuse_keys(fun_name, *bounds.values())
    check_broadcast(fun_name, [typeof(x).shape for x in bounds.values()], ValueError)
    num = known_integer(fun_name, "num", num)
    if num < 0:
        raise ValueError(f"{fun_name} was asked for {num} values. Give a num from 0.")
    return num, None if dtype is None else user_dtype(fun_name, dtype)


def logspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, base: Any = 10.0,
    dtype: Any = None, axis: int = 0,
) -> Any:  # fmt: skip
    """`base` to the powers `linspace(start, stop, num)`.

    >>> logspace(0, 2, 3)
    Array([  1.,  10., 100.], dtype=float32)
    """
    num, dtype = _checked("jnp.logspace", num, dtype, start=start, stop=stop)
    check_arraylike("jnp.logspace", base=base)
    return _logspace(start, stop, base, num, bool(endpoint), dtype, axis)


@library_jit(checked=False, static_argnames=("num", "endpoint", "dtype", "axis"))
def _logspace(
    start: Any, stop: Any, base: Any, num: int, endpoint: bool, dtype: Any, axis: int
) -> Any:
    if dtype is None:
        dtype = inexact_dtype(result_type(start, stop))
    floats = inexact_dtype(dtype)
    start, stop = (lax.convert_element_type(x, floats) for x in (start, stop))
    powers = linspace(start, stop, num, endpoint=endpoint, dtype=None, axis=axis)
    return lax.convert_element_type(power(base, powers), dtype)


def geomspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0
) -> Any:
    """`num` values from start to stop, each the one before times the same factor.

    >>> geomspace(1.0, 16.0, 5).round(3)
    Array([ 1.,  2.,  4.,  8., 16.], dtype=float32)
    """
    num, dtype = _checked("jnp.geomspace", num, dtype, start=start, stop=stop)
    return _geomspace(start, stop, num, bool(endpoint), dtype, axis)


@library_jit(checked=False, static_argnames=("num", "endpoint", "dtype", "axis"))
def _geomspace(
    start: Any, stop: Any, num: int, endpoint: bool, dtype: Any, axis: int
) -> Any:
    if dtype is None:
        dtype = inexact_dtype(result_type(start, stop))
    floats = inexact_dtype(dtype)
    start, stop = (lax.convert_element_type(x, floats) for x in (start, stop))
    sign_of = sign(start)
    bounds = log10(start / sign_of), log10(stop / sign_of)
    values = logspace(*bounds, num, endpoint=endpoint, base=10.0, dtype=floats, axis=0)
    values = moveaxis(sign_of * values, 0, axis) if axis else sign_of * values
    return astype(values, dtype)
