"""Many numbers become one: sums and products, means, and whether any or all are true."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from minijax import lax
from minijax.compiler.dispatch.eager import by_types
from minijax.core.dtypes import bfloat16, canonicalize_dtype, issubdtype
from minijax.core.primitives import cast
from minijax.core.tracing import typeof
from minijax.lax.elementwise.arithmetic import real_dtype, shown
from minijax.numpy.arguments import (
    Axis,
    canonical_axes,
    check_arraylike,
    check_broadcast,
    library_jit,
    refuse_keys,
    refuse_out,
    typeof_number,
    user_dtype,
)
from minijax.numpy.creation import astype, check_convertible
from minijax.numpy.elementwise.comparisons import where as choose
from minijax.numpy.promotion import (
    bools_as_integers,
    inexact_dtype,
    promote_args,
    promote_dtypes_inexact,
)
from minijax.numpy.shapes.reshaping import broadcast_to


def finish(result: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    return lax.expand_dims(result, axes) if keepdims and axes else result


def wider(dtype: np.dtype) -> np.dtype:
    """16-bit floats are added up in 32 bits, unless a dtype is asked for."""
    return np.dtype(np.float32) if dtype in (np.float16, bfloat16) else dtype


def check_where(fun_name: str, a: Any, where: Any) -> None:
    if where is None:
        return
    check_arraylike(fun_name, where=where)
    if typeof(where).dtype != np.bool_:
        raise ValueError(
            f"{fun_name} takes bools as where, and got {typeof(where)}. Compare: where != 0."
        )
    check_broadcast(fun_name, [typeof(x).shape for x in (a, where)], ValueError)


def initial_value(fun_name: str, initial: Any, dtype: np.dtype) -> Any:
    """The number that a reduction starts from, in its dtype."""
    check_arraylike(fun_name, initial=initial)
    if typeof_number(initial).ndim:
        raise ValueError(
            f"{fun_name} takes one number as initial, and got {typeof(initial)}. Give a scalar."
        )
    typeof(initial)  # an OverflowError, for an integer that is too large
    return lax.convert_element_type(initial, dtype)


# Sums and means.


def sum_dtype(dtype: np.dtype) -> np.dtype:
    """Bools and integers are added up in the widest integers there are."""
    if issubdtype(dtype, np.bool_, np.signedinteger):
        return canonicalize_dtype(np.int64)
    return canonicalize_dtype(np.uint64) if issubdtype(dtype, np.unsignedinteger) else dtype


@by_types
def sum(
    a: Any, axis: Axis = None, dtype: Any = None, out: None = None, keepdims: bool = False,
    initial: Any = None, where: Any = None, promote_integers: bool = True,
) -> Any:  # fmt: skip
    """The sum over some axes, or all. Bools and small integers become 32-bit ones first.

    >>> sum(np.array([[1, 2], [3, 4]]), axis=0)
    Array([4, 6], dtype=int32)
    """
    return _total(_SUM, a, axis, dtype, out, keepdims, initial, where, promote_integers)


@by_types
def prod(
    a: Any, axis: Axis = None, dtype: Any = None, out: None = None, keepdims: bool = False,
    initial: Any = None, where: Any = None, promote_integers: bool = True,
) -> Any:  # fmt: skip
    """The product over some axes, or all. Bools and small integers become 32-bit ones first.

    >>> prod(np.array([[1, 2], [3, 4]]), axis=0)
    Array([3, 8], dtype=int32)
    """
    return _total(_PROD, a, axis, dtype, out, keepdims, initial, where, promote_integers)


class _Total(NamedTuple):
    """An operation that goes over many numbers: of numbers, and of bools where they are asked for.

    `neutral` is what changes nothing, and stands in for what `where` leaves out.
    """

    name: str
    reduce: Callable
    combine: Callable
    of_bools: Callable
    combine_bools: Callable
    neutral: int


def _total(
    total: _Total, a: Any, axis: Axis, dtype: Any, out: None, keepdims: bool, initial: Any,
    where: Any, promote_integers: bool,
) -> Any:  # fmt: skip
    name = total.name
    (a,) = promote_args(name, a)
    refuse_out(name, out)
    check_where(name, a, where)
    axes = canonical_axes(name, axis, typeof(a).ndim)
    result_dtype = _total_dtype(typeof(a).dtype, promote_integers)
    result_dtype = result_dtype if dtype is None else user_dtype(name, dtype)
    if result_dtype == np.bool_:
        result = total.of_bools(a, axes, keepdims=keepdims, where=where)
        if initial is None:
            return result
        return total.combine_bools(initial_value(name, initial, result.dtype), result)
    (a,) = bools_as_integers(a)
    a = lax.convert_element_type(a, wider(result_dtype) if dtype is None else result_dtype)
    if where is not None:
        a = choose(where, a, cast(total.neutral, a.dtype))
    result = total.reduce(a, axes)
    if initial is not None:
        result = total.combine(initial_value(name, initial, a.dtype), result)
    return lax.convert_element_type(finish(result, axes, keepdims), result_dtype)


def _total_dtype(dtype: np.dtype, promote_integers: bool) -> np.dtype:
    """Integers go to the widest integers there are, if asked for; bools do in any case."""
    return sum_dtype(dtype) if promote_integers or dtype == np.bool_ else dtype


def mean_dtype(dtype: np.dtype) -> np.dtype:
    return canonicalize_dtype(inexact_dtype(dtype))


@by_types
def mean(
    a: Any, axis: Axis = None, dtype: Any = None, out: None = None, keepdims: bool = False,
    *, where: Any = None,
) -> Any:  # fmt: skip
    """The mean over some axes, or all, as floats.

    >>> mean(np.array([1, 2, 6]))
    Array(3., dtype=float32)
    """
    check_arraylike("jnp.mean", a)
    refuse_keys("jnp.mean", a)
    refuse_out("jnp.mean", out)
    check_where("jnp.mean", a, where)
    axis = canonical_axes("jnp.mean", axis, typeof(a).ndim)
    result_dtype = mean_dtype(typeof(a).dtype) if dtype is None else user_dtype("jnp.mean", dtype)
    wide = wider(result_dtype) if dtype is None else result_dtype
    count = _count(a, axis, wide, keepdims, where)
    total = sum(a, axis, wide, keepdims=keepdims, where=where)
    return lax.convert_element_type(lax.div(total, count), result_dtype)


@by_types
def average(
    a: Any, axis: Axis = None, weights: Any = None, returned: bool = False, keepdims: bool = False
) -> Any:
    """The mean over some axes, or all; with `weights`, each value counts as often as that says.

    The weights have a's shape, or that of the axes. With `returned`, the pair of the average and
    the sum of the weights.

    >>> average(np.array([1.0, 4.0]), weights=np.array([2, 1]))
    Array(2., dtype=float32)
    """
    name = "jnp.average"
    check_arraylike(name, a, **({} if weights is None else {"weights": weights}))
    refuse_keys(name, a)
    aval = typeof(a)
    axes = canonical_axes(name, axis, aval.ndim)
    if weights is None:
        (a,) = promote_dtypes_inexact(a)
        result = mean(a, axes, keepdims=keepdims)
        total = lax.full((), math.prod(aval.shape[d] for d in axes), result.dtype)
    else:
        a, weights = promote_dtypes_inexact(a, weights)
        weights = _weights_of(name, aval.shape, axis, axes, weights)
        total = sum(weights, axes, keepdims=keepdims)
        result = sum(a * weights, axes, keepdims=keepdims) / total
    if not returned:
        return result
    return result, broadcast_to(total, result.shape)


def _weights_of(
    fun_name: str, shape: tuple, axis: Axis, axes: tuple[int, ...], weights: Any
) -> Any:  # fmt: skip
    """The weights with the axes of what they weigh."""
    got = typeof(weights).shape
    if got == shape:
        return weights
    if axis is None or got != tuple(shape[d] for d in axes):
        raise ValueError(
            f"{fun_name} of the shape {shape} along {axis} got weights of the shape {got}.\n"
            f"Give one for each element, or name the axes that they go along."
        )
    order = sorted(range(len(axes)), key=axes.__getitem__)
    sizes = [n if d in axes else 1 for d, n in enumerate(shape)]
    return lax.reshape(weights, sizes, order)


def _count(
    a: Any, axes: tuple[int, ...], dtype: np.dtype, keepdims: bool, where: Any
) -> Any:  # fmt: skip
    """How many elements a mean is taken of."""
    shape = typeof(a).shape
    if where is not None:
        return sum(broadcast_to(where, shape), axes, dtype, keepdims=keepdims)
    return cast(math.prod(shape[d] for d in axes), dtype)


@by_types
def var(
    a: Any, axis: Axis = None, dtype: Any = None, out: None = None, ddof: Any = 0,
    keepdims: bool = False, *, where: Any = None, correction: Any = None,
) -> Any:  # fmt: skip
    """The variance over some axes, or all: the mean square distance from the mean.

    The sum of squares is divided by the number of elements less `ddof`; NaN if that is not
    positive. `correction` is another name for `ddof`: ValueError where both are given.

    >>> var(np.array([1.0, 3.0])), var(np.array([1.0, 3.0]), ddof=1)
    (Array(1., dtype=float32), Array(2., dtype=float32))
    """
    ddof = _correction("jnp.var", ddof, correction)
    axes, dtype = _check_spread("jnp.var", a, axis, dtype, out, ddof, where)
    return _var(a, axes, dtype, ddof, bool(keepdims), where)


@by_types
def std(
    a: Any, axis: Axis = None, dtype: Any = None, out: None = None, ddof: Any = 0,
    keepdims: bool = False, *, where: Any = None, correction: Any = None,
) -> Any:  # fmt: skip
    """The standard deviation, the square root of `var`.

    >>> std(np.array([1.0, 3.0]))
    Array(1., dtype=float32)
    """
    ddof = _correction("jnp.std", ddof, correction)
    axes, dtype = _check_spread("jnp.std", a, axis, dtype, out, ddof, where)
    if dtype is not None and not issubdtype(dtype, np.inexact):
        raise ValueError(f"jnp.std gives floats, as roots are, and not {dtype}. Ask for floats.")
    return _std(a, axes, dtype, ddof, bool(keepdims), where)


def _correction(fun_name: str, ddof: Any, correction: Any) -> Any:
    """What is taken off the number of elements, by either name."""
    if correction is None:
        return ddof
    if not (isinstance(ddof, int) and ddof == 0):
        raise ValueError(
            f"{fun_name} got both ddof={shown(ddof)} and correction={shown(correction)}, which "
            f"say the same. Give one."
        )
    return correction


def _check_spread(
    fun_name: str, a: Any, axis: Axis, dtype: Any, out: None, ddof: Any, where: Any
) -> tuple[tuple[int, ...], np.dtype | None]:
    """The axes of `var` or `std`, and the dtype that is asked for, after a look at the rest."""
    check_arraylike(fun_name, a, ddof=ddof)
    refuse_keys(fun_name, a)
    refuse_out(fun_name, out)
    check_where(fun_name, a, where)
    aval = typeof(a)
    axes = canonical_axes(fun_name, axis, aval.ndim)
    if dtype is None:
        return axes, None
    _, dtype = var_dtypes(fun_name, aval.dtype, dtype)
    return axes, dtype


@library_jit(checked=False, static_argnames=("axes", "dtype", "keepdims"))
def _var(
    a: Any, axes: tuple[int, ...], dtype: np.dtype, ddof: Any, keepdims: bool, where: Any
) -> Any:
    wide, dtype = var_dtypes("jnp.var", typeof(a).dtype, dtype)
    a = lax.convert_element_type(a, wide)
    centered = lax.sub(a, mean(a, axes, wide, keepdims=True, where=where))
    squares, wide = squared_size(centered), real_dtype(wide)
    count = _count(a, axes, wide, keepdims, where)
    count = lax.sub(count, lax.convert_element_type(ddof, wide))
    total = sum(squares, axes, wide, keepdims=keepdims, where=where)
    result = lax.convert_element_type(lax.div(total, count), dtype)
    return choose(lax.gt(count, cast(0, wide)), result, np.nan)


def var_dtypes(fun_name: str, dtype: np.dtype, wanted: Any) -> tuple[np.dtype, np.dtype]:
    """What the variance of numbers of a dtype is computed in, and what it has at the end."""
    if wanted is None:
        inexact = mean_dtype(dtype)
        return wider(inexact), real_dtype(inexact)
    wanted = user_dtype(fun_name, wanted)
    both = (dtype, wanted)
    if [issubdtype(d, np.complexfloating) for d in both] == [True, False]:
        raise ValueError(
            f"{fun_name} of {dtype} is computed with complex numbers, and not as {wanted}.\n"
            f"Leave dtype out."
        )
    return wider(wanted), wanted


def squared_size(x: Any) -> Any:
    """x * x, or of complex numbers the real part of x times its conjugate."""
    if issubdtype(typeof(x).dtype, np.complexfloating):
        return lax.real(lax.mul(x, lax.conj(x)))
    return lax.square(x)


@library_jit(checked=False, static_argnames=("axes", "dtype", "keepdims"))
def _std(
    a: Any, axes: tuple[int, ...], dtype: np.dtype, ddof: Any, keepdims: bool, where: Any
) -> Any:
    return lax.sqrt(_var(a, axes, dtype, ddof, keepdims, where))


# Truth.


@by_types
def any(
    a: Any, axis: Axis = None, out: None = None, keepdims: bool = False, *, where: Any = None
) -> Any:
    """Whether some element is true (not zero), over some axes, or all.

    >>> any(np.array([[0, 1], [0, 0]]), axis=1)
    Array([ True, False], dtype=bool)
    """
    return _logical("jnp.any", lax.reduce_or, False, a, axis, out, keepdims, where)


@by_types
def all(
    a: Any, axis: Axis = None, out: None = None, keepdims: bool = False, *, where: Any = None
) -> Any:
    """Whether every element is true (not zero), over some axes, or all.

    >>> all(np.array([[0, 1], [1, 1]]), axis=1)
    Array([False,  True], dtype=bool)
    """
    return _logical("jnp.all", lax.reduce_and, True, a, axis, out, keepdims, where)


def _logical(
    fun_name: str, reduce: Callable, neutral: bool, a: Any, axis: Axis, out: None,
    keepdims: bool, where: Any,
) -> Any:  # fmt: skip
    check_arraylike(fun_name, a)
    check_convertible(fun_name, a, np.dtype(np.bool_))
    refuse_out(fun_name, out)
    check_where(fun_name, a, where)
    axes = canonical_axes(fun_name, axis, typeof(a).ndim)
    a = astype(a, np.bool_)
    if where is not None:
        a = choose(where, a, neutral)
    return finish(reduce(a, axes), axes, keepdims)


_SUM = _Total("jnp.sum", lax.reduce_sum, lax.add, any, lax.bitwise_or, 0)
_PROD = _Total("jnp.prod", lax.reduce_prod, lax.mul, all, lax.bitwise_and, 1)
