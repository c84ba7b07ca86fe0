"""New arrays: from Python's and NumPy's values, from one number, from a range."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from minijax import lax
from minijax.compiler.dispatch.eager import by_types
from minijax.core.arguments import ShapeDtypeStruct, abstractify
from minijax.core.arrays import Array, ArrayImpl, is_array_like, result_aval_type
from minijax.core.config import config
from minijax.core.dtypes import (
    ExtendedDType,
    SymbolicDimension,
    canonicalize_dtype,
    float0,
    is_constant_shape,
    issubdtype,
)
from minijax.core.errors import warn
from minijax.core.primitives import cast
from minijax.core.prng import random_wrap
from minijax.core.tracing import ShapedArray, Typed, typeof
from minijax.dtypes import result_type
from minijax.face.lazily import call_lazily
from minijax.face.nan_checks import check_new
from minijax.face.offers import offered
from minijax.face.transfer_guards import check_source
from minijax.lax.elementwise.arithmetic import carries_input, cast_for_user, dtype_for, shown
from minijax.lax.out_sharding import lying, says_nothing
from minijax.lax.shapes.axes import known_axis, known_integer, known_shape, known_sizes, known_value
from minijax.lax.shapes.sizes import range_size
from minijax.numpy.arguments import (
    check_alike,
    check_arraylike,
    check_broadcast,
    is_array,
    library_jit,
    not_zero,
    number_in,
    refuse_keys,
    typeof_number,
    user_dtype,
)
from minijax.numpy.promotion import inexact_dtype, promoting_sub
from minijax.numpy.shapes.reshaping import broadcast_shapes, broadcast_to, check_repeatable

# From values.


def array(
    object: Any, dtype: Any = None, copy: bool = True, *, order: str | None = "K", ndmin: int = 0,
    device: Any = None, out_sharding: Any = None,
) -> Any:  # fmt: skip
    """The array of a number, a NumPy array, a buffer, an array, or nested lists of them, copied.

    The result is on `device`, if that is given: see `device_put`; or it lies as `out_sharding`
    says. It has `dtype`, else the dtype
    that the numbers promote to. With a dtype, text is read as a number. ValueError when nested
    lists have different lengths, TypeError when there is something else than numbers in them,
    OverflowError when a Python number does not fit.

    >>> array([1, 2.5])
    Array([1. , 2.5], dtype=float32)
    >>> array(3)
    Array(3, dtype=int32, weak_type=True)
    """
    check_order("jnp.array", order)
    dtype = None if dtype is None else user_dtype("jnp.array", dtype)
    check_source("jnp.array", object)
    result = check_new("jnp.array", new_array("jnp.array", object, dtype, copy))
    ndmin = known_integer("jnp.array", "ndmin", ndmin)
    if result.ndim < ndmin:
        result = lax.expand_dims(result, range(ndmin - result.ndim))
    return lying("jnp.array", on_device(device, result), out_sharding)


_put = call_lazily("minijax.lax.sharding.device_puts.put_without_equation")


def on_device(device: Any, x: Any) -> Any:
    """An array on a device, where one is given, or is the default."""
    is_there = says_nothing(device) and config.jax_default_device is None
    return x if is_there else _put(x, None if says_nothing(device) else device)


def check_order(name: str, order: str | None) -> None:
    """NotImplementedError for an order of axes in memory: arrays here have none to choose."""
    if order is not None and order != "K":
        raise NotImplementedError(
            f"{name} lays out its elements itself, and got order={shown(order)}. Leave it out."
        )


def asarray(
    a: Any, dtype: Any = None, order: str | None = None, *, copy: bool | None = None,
    device: Any = None, out_sharding: Any = None,
) -> Any:  # fmt: skip
    """Like `array`, but what is an array of the right dtype already is returned as it is.

    >>> asarray(np.arange(3))
    Array([0, 1, 2], dtype=int32)
    """
    check_order("jnp.asarray", order)
    dtype = None if dtype is None else user_dtype("jnp.asarray", dtype)
    check_source("jnp.asarray", a)
    x = new_array("jnp.asarray", a, dtype, bool(copy))
    x = on_device(device, x if x is a else check_new("jnp.asarray", x))
    return lying("jnp.asarray", x, out_sharding)


def new_array(name: str, object: Any, dtype: np.dtype | None = None, copy: bool = False) -> Any:
    """`array`, for a function of that name, which errors mention."""
    if isinstance(object, SymbolicDimension):
        object = object.dimension_as_value()
    if type(object) is np.ndarray and object.dtype == float0 and dtype is None:
        return object
    if isinstance(object, Array) and is_array(object):
        object = lax.copy_p.bind(object) if copy else object
        if dtype is not None:
            check_convertible(name, object, dtype)
            return lax.convert_element_type(object, dtype)
        if not carries_input(object):
            return object
    if is_array(object) and dtype is None:
        aval = typeof(object)
        return cast_for_user(object, dtype_for(name, aval.dtype), aval.weak_type)
    if isinstance(object, np.ma.MaskedArray):
        typeof(object)  # a ValueError: the mask would be lost
    leaves = list(_leaves(object))
    for leaf in leaves:
        if stand_in(leaf) is not leaf:
            x = new_array(name, _with_stand_ins(object), dtype, copy)
            return cast(x, x.dtype)  # of an offered number, too, no longer a weak type
        is_text = isinstance(leaf, str | bytes | np.ndarray) and dtype is not None
        if not is_array(leaf) and not is_text:
            way_out = (
                "Give a dtype to read it in." if isinstance(leaf, str) else
                "Convert it: x.astype(dtype)." if isinstance(leaf, np.ndarray) else "Give these."
            )  # fmt: skip
            raise (ValueError if leaf is None else TypeError)(
                f"{name} takes numbers, arrays and lists of them, and got {shown(leaf)}.\n{way_out}"
            )
    if dtype is None:
        # An integer may be too large for the dtype of integers, and fit in the one that it meets.
        known = [0 if type(leaf) is int else leaf for leaf in leaves]
        check_alike(name, *known)
        dtype = result_type(*known) if leaves else canonicalize_dtype(float)
    return _nested(name, object, dtype)


def stand_in(x: Any) -> Any:
    """What an object that is no array has in its place: the array that it offers, the numbers in
    its buffer, a list of its items; itself, where it has none of these."""
    if is_array_like(x) or isinstance(x, str | bytes):
        return x
    if hasattr(x, "__jax_array__"):
        x = offered(x)
        return np.asarray(x) if isinstance(x, int | float | complex) else x
    try:
        return np.asarray(memoryview(x))
    except (TypeError, ValueError):  # it has no buffer, or of no kind that NumPy knows
        return list(x) if isinstance(x, Sequence) and not isinstance(x, list | tuple) else x


def _with_stand_ins(object: Any) -> Any:
    if isinstance(object, list | tuple | range):
        return [_with_stand_ins(item) for item in object]
    return stand_in(object)


def _leaves(object: Any) -> Iterator[Any]:
    if isinstance(object, list | tuple | range):
        for item in object:
            yield from _leaves(item)
    elif isinstance(object, str | bytes) or is_array_like(object):
        yield object
    elif hasattr(object, "__array__") and not hasattr(object, "__jax_array__"):
        yield np.asarray(object)
    else:
        yield object


def _nested(name: str, object: Any, dtype: np.dtype) -> Any:
    """The array of nested lists: by NumPy where all is known, else stacked from its parts."""
    if isinstance(object, Array):
        return lax.convert_element_type(object, dtype)
    if any(isinstance(leaf, Array) for leaf in _leaves(object)):
        _even_shape(name, object, TypeError)
        return lax.concatenate([lax.expand_dims(_nested(name, x, dtype), [0]) for x in object], 0)
    return cast_for_user(_numpy_array(name, object, dtype), dtype)


def _numpy_array(name: str, object: Any, dtype: np.dtype) -> np.ndarray:
    """The values in a dtype, as NumPy converts them: a Python number must fit, an array wraps."""
    with np.errstate(all="ignore"):
        try:
            if isinstance(object, np.ndarray | np.generic) and not isinstance(object, str | bytes):
                return np.array(object).astype(dtype)
            return np.array(object, dtype)
        except tuple(_REASONS) as error:
            _even_shape(name, object, ValueError)
            kind = next(kind for kind in _REASONS if isinstance(error, kind))
            raise kind(
                f"{name} cannot make {dtype} of {shown(object)}.\n{_REASONS[kind]}"
            ) from error


_REASONS = {
    OverflowError: "A number does not fit. Choose another dtype.",
    ValueError: "Give no NaN for integers, and text only where it is one number.",
    TypeError: "It holds what that dtype does not, as complex numbers. Choose another dtype.",
}


def _even_shape(name: str, object: Any, error: type[Exception]) -> tuple[int, ...]:
    """The shape of nested lists; an error when the parts of one have different shapes."""
    if not isinstance(object, list | tuple | range):
        return np.shape(object)
    shapes = [_even_shape(name, item, error) for item in object]
    if len(set(shapes)) > 1:
        raise error(
            f"{name} got a list with parts of the shapes "
            f"{', '.join(map(str, dict.fromkeys(shapes)))}.\nGive lists whose parts have one shape."
        )
    return (len(shapes), *(shapes[0] if shapes else ()))


def copy(a: Any, order: str | None = None) -> Any:
    """A copy of an array or a number. NotImplementedError for an order but "K"."""
    check_arraylike("jnp.copy", offered(a))
    check_order("jnp.copy", order)
    return array(a)


@by_types
def astype(x: Any, dtype: Any, copy: bool = False, *, device: Any = None) -> Any:
    """x converted to another dtype; with `copy`, a copy even where it has that dtype.

    With `device` it is put there.

    >>> astype(np.array([1.7, -1.7]), int)
    Array([ 1, -1], dtype=int32)
    """
    check_arraylike("jnp.astype", x)
    dtype = user_dtype("jnp.astype", float if dtype is None else dtype)
    is_complex = issubdtype(typeof(x).dtype, np.complexfloating)
    if dtype == np.bool_ and is_complex:
        x = not_zero("jnp.astype", x)
    check_convertible("jnp.astype", x, dtype)
    if is_complex and issubdtype(dtype, np.integer, np.floating):
        warn(
            f"jnp.astype makes {dtype} of complex numbers, and drops their imaginary parts. Take "
            f"x.real or x.imag first.",
            DeprecationWarning,
        )
        result = cast_for_user(x, dtype)
    else:
        result = lax.convert_element_type(x, dtype)
    return on_device(device, lax.copy_p.bind(result) if copy and result is x else result)


def check_convertible(fun_name: str, x: Any, dtype: Any) -> None:
    """ValueError where one of x and the dtype is of keys and the other is not."""
    aval = typeof_number(x)
    if aval.dtype != dtype and any(isinstance(d, ExtendedDType) for d in (aval.dtype, dtype)):
        raise ValueError(
            f"{fun_name} cannot make {dtype} of {aval}: keys are no numbers.\n"
            f"Use random.key_data and random.wrap_key_data."
        )


# From one number.


def _filled(
    fun_name: str, shape: Any, value: Any, dtype: Any, weak_type: bool = False,
    out_sharding: Any = None,
) -> Any:  # fmt: skip
    """The value, a number or an array, in a dtype and broadcast to a shape.

    A key of numbers is one whose words are that number.
    """
    check_source(fun_name, value)
    shape = known_shape(fun_name, shape)
    if dtype == float0:
        return np.zeros(shape, float0)
    if isinstance(dtype, ExtendedDType) and not isinstance(typeof(value).dtype, ExtendedDType):
        words = _filled(fun_name, (*shape, 2), value, np.dtype(np.uint32))
        return lying(fun_name, random_wrap(words), out_sharding)
    if type(value) is complex and issubdtype(dtype, np.integer, np.floating):
        raise TypeError(
            f"{fun_name} cannot fill {dtype} with {value}, a complex number. Give a complex dtype."
        )
    check_convertible(fun_name, value, dtype)
    if typeof_number(value).ndim:
        check_repeatable(fun_name, typeof(value).shape, shape)
        return broadcast_to(asarray(value, dtype), shape, out_sharding=out_sharding)
    number = number_in(dtype, value, weak_type)
    return lax.broadcast_in_dim(number, shape, (), out_sharding=out_sharding)


def zeros(
    shape: Any, dtype: Any = None, *, device: Any = None, out_sharding: Any = None
) -> Any:  # fmt: skip
    """Zeros of a shape, as float32 unless another dtype is given.

    >>> zeros((2, 2), int)
    Array([[0, 0],
           [0, 0]], dtype=int32)
    """
    dtype = user_dtype("jnp.zeros", float if dtype is None else dtype)
    return on_device(device, _filled("jnp.zeros", shape, 0, dtype, out_sharding=out_sharding))


def ones(
    shape: Any, dtype: Any = None, *, device: Any = None, out_sharding: Any = None
) -> Any:  # fmt: skip
    """Ones of a shape, as float32 unless another dtype is given."""
    dtype = user_dtype("jnp.ones", float if dtype is None else dtype)
    return on_device(device, _filled("jnp.ones", shape, 1, dtype, out_sharding=out_sharding))


def empty(
    shape: Any, dtype: Any = None, *, device: Any = None, out_sharding: Any = None
) -> Any:  # fmt: skip
    """An array whose values do not matter; they are zeros."""
    dtype = user_dtype("jnp.empty", float if dtype is None else dtype)
    return on_device(device, _filled("jnp.empty", shape, 0, dtype, out_sharding=out_sharding))


def full(
    shape: Any, fill_value: Any, dtype: Any = None, *, device: Any = None, out_sharding: Any = None
) -> Any:
    """`fill_value`, a number or an array, broadcast to a shape. It lies on a device, or as
    `out_sharding` says, if either is given.

    A Python integer that does not fit in the dtype wraps round.

    >>> full((2, 2), np.array([1.0, 2.0]))
    Array([[1., 2.],
           [1., 2.]], dtype=float32)
    """
    fill_value = fill_value if dtype is None else offered(fill_value)
    check_arraylike("jnp.full", fill_value=fill_value)
    aval = typeof_number(fill_value)
    weak_type = dtype is None and aval.weak_type
    dtype = aval.dtype if dtype is None else user_dtype("jnp.full", dtype)
    return on_device(device, _filled("jnp.full", shape, fill_value, dtype, weak_type, out_sharding))


def full_like(
    a: Any, fill_value: Any, dtype: Any = None, shape: Any = None, *, device: Any = None,
    out_sharding: Any = None,
) -> Any:  # fmt: skip
    """`fill_value` in the shape and dtype of `a`, unless others are given. It lies as `a` does,
    unless a device or `out_sharding` is given.

    `a` is an array, or anything else with a shape and a dtype.

    >>> full_like(np.arange(2), 7)
    Array([7, 7], dtype=int32)
    """
    return _like("jnp.full_like", a, fill_value, dtype, shape, device, out_sharding)


def zeros_like(
    a: Any, dtype: Any = None, shape: Any = None, *, device: Any = None, out_sharding: Any = None
) -> Any:  # fmt: skip
    """Zeros in the shape and dtype of `a`, unless others are given."""
    return _like("jnp.zeros_like", a, 0, dtype, shape, device, out_sharding)


def ones_like(
    a: Any, dtype: Any = None, shape: Any = None, *, device: Any = None, out_sharding: Any = None
) -> Any:  # fmt: skip
    """Ones in the shape and dtype of `a`, unless others are given."""
    return _like("jnp.ones_like", a, 1, dtype, shape, device, out_sharding)


def empty_like(
    a: Any, dtype: Any = None, shape: Any = None, *, device: Any = None
) -> Any:  # fmt: skip
    """Values that do not matter, in the shape and dtype of `a`, unless others are given."""
    return _like("jnp.empty_like", a, 0, dtype, shape, device)


def _like(
    fun_name: str, a: Any, fill_value: Any, dtype: Any, shape: Any, device: Any,
    out_sharding: Any = None,
) -> Any:  # fmt: skip
    if isinstance(a, Typed) and a.aval.mutable:  # of a reference: like what is in it
        aval = a.aval.inner_aval
    elif isinstance(a, ShapeDtypeStruct) or (
        not is_array_like(a) and hasattr(a, "shape") and hasattr(a, "dtype")
    ):
        aval = abstractify(a).update(weak_type=False)
    else:
        check_arraylike(fun_name, a)
        aval = typeof_number(a)
    check_arraylike(fun_name, fill_value=fill_value)
    if out_sharding is not None:
        aval, device = ShapedArray(aval.shape, aval.dtype, aval.weak_type), None
    elif device is None and shape is None and isinstance(a, ArrayImpl) and a.committed:
        device = a.sharding
    shape = aval.shape if shape is None else shape
    weak_type = dtype is None and aval.weak_type
    dtype = aval.dtype if dtype is None else user_dtype(fun_name, dtype)
    out = _filled(fun_name, shape, fill_value, dtype, weak_type, out_sharding)
    return aval.placed(on_device(device, out))


def eye(
    N: int, M: int | None = None, k: int = 0, dtype: Any = None, *, device: Any = None
) -> Any:  # fmt: skip
    """N rows of M zeros (N when not given), with ones on the k-th diagonal.

    >>> eye(2, 3, k=1)
    Array([[0., 1., 0.],
           [0., 0., 1.]], dtype=float32)
    """
    dtype = user_dtype("jnp.eye", float if dtype is None else dtype)
    return on_device(device, _eye("jnp.eye", N, M, k, dtype))


def _eye(fun_name: str, N: int, M: int | None, k: int, dtype: np.dtype) -> Any:
    if type(k) is int:
        k = max(-(2**31), min(k, 2**31 - 1))  # no matrix reaches further
    k = offered(k)
    check_arraylike(fun_name, k=k)
    if typeof(k).ndim or not issubdtype(typeof(k).dtype, np.bool_, np.integer):
        raise ValueError(f"jnp.eye takes one integer as k, and got {shown(k)}. Give an int.")
    shape = known_sizes(fun_name, (N, N if M is None else M))
    if any(n < 0 for n in shape):
        raise ValueError(f"{fun_name} was asked for the sizes {shape}. Give sizes from 0.")
    integers = canonicalize_dtype(int)
    rows, columns = (lax.broadcasted_iota(integers, shape, axis) for axis in (0, 1))
    on_diagonal = lax.eq(lax.add(rows, cast(k, integers)), columns)
    return cast(on_diagonal, dtype)


def identity(n: int, dtype: Any = None) -> Any:
    """The n by n identity matrix."""
    dtype = user_dtype("jnp.identity", float if dtype is None else dtype)
    return _eye("jnp.identity", n, None, 0, dtype)


# From a range.


def arange(
    start: Any, stop: Any = None, step: Any = None, dtype: Any = None, *, device: Any = None,
    out_sharding: Any = None,
) -> Any:  # fmt: skip
    """start, start + step, ..., without stop; with one argument 0, 1, ..., without it. It lies on a
    device, or as `out_sharding` says, if either is given.

    >>> arange(2, 11, 3)
    Array([2, 5, 8], dtype=int32)
    """
    given = {"start": start, "stop": stop, "step": step}
    only_stop = stop is None  # then what is given first is the stop
    known = {
        name: _known_number("stop" if only_stop and name == "start" else name, value)
        for name, value in given.items()
        if value is not None or name == "start"
    }
    if dtype is None:
        dtype, _ = result_aval_type([typeof_number(given[name]) for name in known])
        dtype = canonicalize_dtype(dtype)
    else:
        dtype = user_dtype("jnp.arange", dtype)
    if dtype == np.bool_:
        raise TypeError("jnp.arange counts, which bools cannot. Ask for another dtype, as int.")
    first, end = known["start"], known.get("stop")
    if stop is None:
        first, end = 0, first
    stride = known.get("step", 1)
    result = lax.broadcasted_iota(dtype, (_count(first, end, stride),), 0, out_sharding)
    if step is not None:
        result = lax.mul(number_in(dtype, stride), result)
    if step is not None or (stop is not None and first != 0):
        result = lax.add(number_in(dtype, first), result)
    return on_device(device, result)


def _count(first: float, end: float, stride: float) -> int:
    if not is_constant_shape((first, end, stride)):
        return range_size(first, end, stride)
    try:
        return max(0, math.ceil((end - first) / stride))
    except (ZeroDivisionError, ValueError, OverflowError) as error:
        raise type(error)(
            f"jnp.arange cannot count from {first} to {end} in steps of {stride}. Give finite ones."
        ) from error


def _known_number(name: str, value: Any) -> int | float:
    check_arraylike("jnp.arange", **{name: value})
    value = known_value("jnp.arange", name, value)
    aval = typeof_number(value)
    if aval.ndim or issubdtype(aval.dtype, np.complexfloating):
        raise ValueError(
            f"jnp.arange takes one real number as {name}, and got {aval}. Give an int or a float."
        )
    refuse_keys("jnp.arange", value)
    return value if isinstance(value, int | float | SymbolicDimension) else value.item()


def linspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, retstep: bool = False,
    dtype: Any = None, axis: int = 0, *, device: Any = None,
) -> Any:  # fmt: skip
    """`num` values, evenly spaced, from start to stop, stop included when `endpoint`.

    Arrays as bounds give values along a new `axis`. With `retstep`, (values, step).

    >>> linspace(0, 1, 5)
    Array([0.  , 0.25, 0.5 , 0.75, 1.  ], dtype=float32)
    """
    check_arraylike("jnp.linspace", start, stop)
    refuse_keys("jnp.linspace", start, stop, error=ValueError)
    num = known_integer("jnp.linspace", "num", num)
    if num < 0:
        raise ValueError(f"jnp.linspace was asked for {num} values. Give a num from 0.")
    if dtype is None:
        dtype = inexact_dtype(result_type(start, stop))
    else:
        dtype = user_dtype("jnp.linspace", dtype)
    ndim = max(typeof(start).ndim, typeof(stop).ndim)
    check_broadcast("jnp.linspace", [typeof(x).shape for x in (start, stop)], ValueError)
    axis = known_axis("jnp.linspace", axis, ndim + 1, IndexError)
    out = _linspace(start, stop, num, bool(endpoint), bool(retstep), dtype, axis)
    return on_device(device, out)


@library_jit(checked=False, static_argnames=("num", "endpoint", "retstep", "dtype", "axis"))
def _linspace(
    start: Any, stop: Any, num: int, endpoint: bool, retstep: bool, dtype: np.dtype, axis: int
) -> Any:
    floats = inexact_dtype(dtype)
    start, stop = (cast(x, floats) for x in (start, stop))
    shape = broadcast_shapes(start.shape, stop.shape)
    first, last = broadcast_to(start, shape), broadcast_to(stop, shape)
    column = (*shape[:axis], 1, *shape[axis:])
    steps = num - 1 if endpoint else num
    delta = cast(np.nan, floats)
    if steps > 0:
        count = cast(steps, floats)
        delta = lax.div(promoting_sub(stop, start), count)
    if num == 0:
        values = _filled("jnp.linspace", (*shape[:axis], 0, *shape[axis:]), 0, floats)
    elif num == 1:
        values = lax.reshape(first, column)
    else:
        row = [steps if d == axis else 1 for d in range(len(column))]
        fraction = lax.div(lax.reshape(cast(lax.iota(floats, steps), floats), row), count)
        one = cast(1, floats)
        values = lax.add(
            lax.mul(lax.reshape(first, column), lax.sub(one, fraction)),
            lax.mul(lax.reshape(last, column), fraction),
        )
        if endpoint:
            values = lax.concatenate([values, lax.expand_dims(last, [axis])], axis)
    if not issubdtype(dtype, np.inexact):
        values = cast(values if dtype == np.bool_ else lax.floor(values), dtype)
    return (values, delta) if retstep else values
