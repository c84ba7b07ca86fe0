"""The base primitives: what each computes, on which types, and the functions that bind them."""

from __future__ import annotations

import builtins
import operator
import warnings
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from minijax.core.arrays import Array, as_array, canonicalize_dtype, raw_value
from minijax.core.tracing import Primitive, ShapedArray, Tracer, bfloat16, dtype_kind, typeof

Shape = Sequence[int]

# How a primitive runs on NumPy.


def numpy_primitive(name: str, shape_rule: Callable, numpy_fun: Callable) -> Primitive:
    """A primitive with one result, computed by `numpy_fun` on plain NumPy arrays.

    `shape_rule` maps the operands' types to the result's and refuses what doesn't fit, so
    `numpy_fun` sees only operands that do. A parameter that is None is not handed to it.
    """
    primitive = Primitive(name)

    @lru_cache(maxsize=4096)
    def remembered(in_avals: tuple, params: tuple) -> ShapedArray:
        return shape_rule(*in_avals, **dict(params))

    def abstract_eval(*in_avals: ShapedArray, **params: Any) -> ShapedArray:
        return remembered(in_avals, tuple(params.items()))

    def impl(*args: Any, **params: Any) -> Array:
        aval = remembered(tuple(map(typeof, args)), tuple(params.items()))
        given = {name: value for name, value in params.items() if value is not None}
        with np.errstate(all="ignore"):
            out = np.asarray(numpy_fun(*map(raw_value, args), **given), aval.dtype)
        return Array(out, aval)

    primitive.def_abstract_eval(abstract_eval)
    primitive.def_impl(impl)
    return primitive


def through_float32(numpy_fun: Callable) -> Callable:
    """Computes 16-bit floats with 32 bits and rounds once, at the end."""

    def fun(x: np.ndarray, *args: Any, **params: Any) -> np.ndarray:
        if x.dtype != bfloat16 and x.dtype != np.float16:
            return numpy_fun(x, *args, **params)
        wide = [a.astype(np.float32) if a.dtype == x.dtype else a for a in args]
        return numpy_fun(x.astype(np.float32), *wide, **params).astype(x.dtype)

    return fun


# Element by element: one rule for all the shapes.

_KINDS = {"b": "bool", "i": "signed integers", "u": "unsigned integers", "f": "floats",
          "c": "complex numbers"}  # fmt: skip


def _refuse_kind(name: str, accepts: str, dtype: np.dtype) -> None:
    kinds = ", ".join(_KINDS[kind] for kind in accepts)
    raise TypeError(f"{name} takes {kinds}, and got {dtype}. Convert with x.astype(dtype).")


def broadcasting_shape(name: str, avals: Sequence[ShapedArray]) -> tuple[int, ...]:
    """The shape of an elementwise result: operands have equal shapes, sizes of 1, or no axes."""
    shapes = {aval.shape for aval in avals if aval.shape}
    if len(shapes) <= 1:
        return shapes.pop() if shapes else ()
    sizes = [set(axis_sizes) - {1} for axis_sizes in zip(*shapes, strict=False)]
    if len(set(map(len, shapes))) > 1 or any(len(axis_sizes) > 1 for axis_sizes in sizes):
        got = ", ".join(str(aval.shape) for aval in avals)
        raise TypeError(f"{name} needs equal shapes, scalars or axes of size 1, and got {got}.")
    return tuple(axis_sizes.pop() if axis_sizes else 1 for axis_sizes in sizes)


def naryop(
    name: str, accepts: str, numpy_fun: Callable, out_dtype: Callable | None = None
) -> Primitive:
    """An elementwise primitive on operands of one dtype, of the kinds in `accepts`."""

    def shape_rule(*avals: ShapedArray, **_: Any) -> ShapedArray:
        dtype = avals[0].dtype
        if any(aval.dtype != dtype for aval in avals):
            dtypes = ", ".join(str(aval.dtype) for aval in avals)
            raise TypeError(f"{name} needs one dtype, and got {dtypes}. Use x.astype(dtype).")
        if dtype_kind(dtype) not in accepts:
            _refuse_kind(name, accepts, dtype)
        weak_type = all(aval.weak_type for aval in avals)
        dtype = out_dtype(dtype) if out_dtype else dtype
        return ShapedArray(broadcasting_shape(name, avals), dtype, weak_type)

    return numpy_primitive(name, shape_rule, numpy_fun)


def _to_bool(dtype: np.dtype) -> np.dtype:
    return np.dtype(np.bool_)


def _numpy_sign(x: np.ndarray) -> np.ndarray:
    """Keeps the sign of zero, as XLA does."""
    return np.copysign(np.sign(x), x) if x.dtype.kind == "f" else np.sign(x)


def _to_real(dtype: np.dtype) -> np.dtype:
    return np.zeros(0, dtype).real.dtype if dtype.kind == "c" else dtype


def _numpy_div(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Integers round towards zero, as in C; x / 0 has all bits set, as in XLA."""
    if dtype_kind(x.dtype) not in "iu":
        return x / y
    floor = x // np.where(y == 0, 1, y)
    rounded = floor + ((floor * y != x) & ((x < 0) != (y < 0)))
    return np.where(y == 0, np.array(-1).astype(x.dtype), rounded)


def _numpy_integer_pow(x: np.ndarray, y: int) -> np.ndarray:
    """By repeated squaring, which keeps integers exact and floats as in XLA."""
    result, square = np.ones_like(x), x
    n = builtins.abs(y)
    while n:
        if n % 2:
            result = result * square
        n //= 2
        square = square * square if n else square
    return result if y >= 0 else _numpy_div(np.ones_like(x), result)


neg_p = naryop("neg", "iufc", np.negative)
sin_p = naryop("sin", "fc", through_float32(np.sin))
cos_p = naryop("cos", "fc", through_float32(np.cos))
tanh_p = naryop("tanh", "fc", through_float32(np.tanh))
exp_p = naryop("exp", "fc", through_float32(np.exp))
log_p = naryop("log", "fc", through_float32(np.log))
sqrt_p = naryop("sqrt", "fc", through_float32(np.sqrt))
rsqrt_p = naryop("rsqrt", "fc", through_float32(lambda x: 1 / np.sqrt(x)))
logistic_p = naryop("logistic", "fc", through_float32(lambda x: 1 / (1 + np.exp(-x))))
abs_p = naryop("abs", "ifc", np.abs, _to_real)
sign_p = naryop("sign", "iufc", _numpy_sign)
square_p = naryop("square", "iufc", np.square)
integer_pow_p = naryop("integer_pow", "iufc", through_float32(_numpy_integer_pow))
stop_gradient_p = naryop("stop_gradient", "biufc", lambda x: x)
copy_p = naryop("copy", "biufc", np.copy)
not_p = naryop("not", "biu", np.invert)

add_p = naryop("add", "iufc", np.add)
add_any_p = naryop("add_any", "iufc", np.add)
sub_p = naryop("sub", "iufc", np.subtract)
mul_p = naryop("mul", "iufc", np.multiply)
div_p = naryop("div", "iufc", _numpy_div)
pow_p = naryop("pow", "fc", through_float32(np.power))
max_p = naryop("max", "biufc", np.maximum)
min_p = naryop("min", "biufc", np.minimum)
and_p = naryop("and", "biu", np.bitwise_and)
or_p = naryop("or", "biu", np.bitwise_or)

eq_p = naryop("eq", "biufc", np.equal, _to_bool)
ne_p = naryop("ne", "biufc", np.not_equal, _to_bool)
lt_p = naryop("lt", "biuf", np.less, _to_bool)
le_p = naryop("le", "biuf", np.less_equal, _to_bool)
gt_p = naryop("gt", "biuf", np.greater, _to_bool)
ge_p = naryop("ge", "biuf", np.greater_equal, _to_bool)

unary_primitives = [
    neg_p, sin_p, cos_p, tanh_p, exp_p, log_p, sqrt_p, rsqrt_p, logistic_p, abs_p, sign_p, square_p,
    integer_pow_p, stop_gradient_p, copy_p, not_p,
]  # fmt: skip
comparison_primitives = [eq_p, ne_p, lt_p, le_p, gt_p, ge_p]
binary_primitives = [
    add_p, add_any_p, sub_p, mul_p, div_p, pow_p, max_p, min_p, and_p, or_p,
    *comparison_primitives,
]  # fmt: skip

# Choosing and converting.


def _select_n_rule(which: ShapedArray, *cases: ShapedArray) -> ShapedArray:
    if dtype_kind(which.dtype) != "b" and which.dtype != np.int32:
        raise TypeError(f"select_n chooses by a bool or an int32, and `which` is {which.dtype}.")
    if not cases:
        raise ValueError("select_n chooses among cases, and got none.")
    if dtype_kind(which.dtype) == "b" and len(cases) > 2:
        raise TypeError(f"select_n by a bool chooses between two cases, and got {len(cases)}.")
    if len({(case.shape, case.dtype) for case in cases}) != 1:
        raise TypeError(f"select_n needs cases of one type, and got {', '.join(map(str, cases))}.")
    if which.shape and which.shape != cases[0].shape:
        shapes = f"() or the cases' {cases[0].shape}"
        raise TypeError(f"select_n needs `which` of shape {shapes}, and got {which.shape}.")
    return cases[0].update(weak_type=all(case.weak_type for case in cases))


def _numpy_select_n(which: np.ndarray, *cases: np.ndarray) -> np.ndarray:
    if len(cases) == 2:
        return np.where(which > 0, cases[1], cases[0])
    return np.choose(np.broadcast_to(which, cases[0].shape), cases, mode="clip")


def _convert_rule(x: ShapedArray, new_dtype: np.dtype, weak_type: bool, sharding: Any):
    return ShapedArray(x.shape, new_dtype, weak_type)


def _numpy_convert(x: np.ndarray, new_dtype: np.dtype, **_: Any) -> np.ndarray:
    """Floats too large for an integer type become its bounds, and NaN becomes 0, as in XLA."""
    old, new = dtype_kind(x.dtype), dtype_kind(new_dtype)
    if new == "b":
        return x != 0
    if old == "c" and new != "c":
        return _numpy_convert(x.real, new_dtype)
    if old == "f" and new in "iu":
        info = np.iinfo(new_dtype)
        wide = np.nan_to_num(np.trunc(x.astype(np.float64)), posinf=np.inf, neginf=-np.inf)
        inside = (wide > float(info.min)) & (wide < float(info.max))
        bounds = np.where(wide > 0, np.array(info.max, new_dtype), np.array(info.min, new_dtype))
        return np.where(inside, np.where(inside, wide, 0).astype(new_dtype), bounds)
    return x.astype(new_dtype)


select_n_p = numpy_primitive("select_n", _select_n_rule, _numpy_select_n)
convert_element_type_p = numpy_primitive("convert_element_type", _convert_rule, _numpy_convert)

# Shapes.


def _broadcast_in_dim_rule(x: ShapedArray, shape: tuple, broadcast_dimensions: tuple, sharding):
    axes = zip(x.shape, broadcast_dimensions, strict=False)
    fits = all(0 <= d < len(shape) and n in (1, shape[d]) for n, d in axes)
    in_order = list(broadcast_dimensions) == sorted(set(broadcast_dimensions))
    if len(broadcast_dimensions) != x.ndim or not fits or not in_order:
        where = f"the axes {broadcast_dimensions}, in order, of the shape {shape}"
        raise TypeError(f"broadcast_in_dim cannot lay the shape {x.shape} along {where}.")
    return x.update(shape=shape)


def _numpy_broadcast_in_dim(x: np.ndarray, shape: tuple, broadcast_dimensions: tuple, **_: Any):
    expanded = [1] * len(shape)
    for size, d in zip(x.shape, broadcast_dimensions, strict=True):
        expanded[d] = size
    return np.broadcast_to(x.reshape(expanded), shape)


def _reshape_rule(x: ShapedArray, new_sizes: tuple, **_: Any) -> ShapedArray:
    aval = x.update(shape=new_sizes)
    if aval.size != x.size:
        raise TypeError(f"reshape of {x.shape}, size {x.size}, to {new_sizes}, size {aval.size}.")
    return aval


def _squeeze_rule(x: ShapedArray, dimensions: tuple) -> ShapedArray:
    if any(x.shape[d] != 1 for d in dimensions):
        raise ValueError(f"squeeze removes axes of size 1; got {dimensions} of shape {x.shape}.")
    return x.update(shape=[n for d, n in enumerate(x.shape) if d not in dimensions])


def _transpose_rule(x: ShapedArray, permutation: tuple) -> ShapedArray:
    if sorted(permutation) != list(range(x.ndim)):
        raise TypeError(f"transpose needs an order of {x.ndim} axes, and got {permutation}.")
    return x.update(shape=[x.shape[d] for d in permutation])


def _rev_rule(x: ShapedArray, dimensions: tuple) -> ShapedArray:
    if any(not 0 <= d < x.ndim for d in dimensions) or len(set(dimensions)) != len(dimensions):
        raise ValueError(f"rev needs different axes of the shape {x.shape}; got {dimensions}.")
    return x


def _iota_rule(dtype: np.dtype, shape: tuple, dimension: int, **_: Any) -> ShapedArray:
    if dtype == np.bool_:
        raise TypeError("iota counts, which bools cannot; ask for int32.")
    if not 0 <= dimension < len(shape):
        raise ValueError(f"iota counts along an axis of the shape {shape}; got axis {dimension}.")
    return ShapedArray(shape, dtype)


def _numpy_iota(dtype: np.dtype, shape: tuple, dimension: int, **_: Any) -> np.ndarray:
    count = np.arange(shape[dimension]).astype(dtype)
    return _numpy_broadcast_in_dim(count, shape, (dimension,))


broadcast_in_dim_p = numpy_primitive(
    "broadcast_in_dim", _broadcast_in_dim_rule, _numpy_broadcast_in_dim
)
reshape_p = numpy_primitive("reshape", _reshape_rule, lambda x, new_sizes: x.reshape(new_sizes))
squeeze_p = numpy_primitive("squeeze", _squeeze_rule, lambda x, dimensions: x.squeeze(dimensions))
transpose_p = numpy_primitive(
    "transpose", _transpose_rule, lambda x, permutation: x.transpose(permutation)
)
rev_p = numpy_primitive("rev", _rev_rule, lambda x, dimensions: np.flip(x, dimensions))
iota_p = numpy_primitive("iota", _iota_rule, _numpy_iota)

# Parts and wholes.


def _concatenate_rule(*avals: ShapedArray, dimension: int) -> ShapedArray:
    first = avals[0]
    rest = [(a.dtype, a.ndim, a.shape[:dimension] + a.shape[dimension + 1 :]) for a in avals]
    if not 0 <= dimension < first.ndim or len(set(rest)) > 1:
        raise TypeError(
            f"concatenate along axis {dimension} needs operands that agree in dtype and in all "
            f"other axes, and got {', '.join(map(str, avals))}."
        )
    size = sum(aval.shape[dimension] for aval in avals)
    shape = (*first.shape[:dimension], size, *first.shape[dimension + 1 :])
    return ShapedArray(shape, first.dtype, all(aval.weak_type for aval in avals))


def _slice_rule(x: ShapedArray, start_indices: tuple, limit_indices: tuple, strides: tuple | None):
    strides = strides or (1,) * x.ndim
    if not len(start_indices) == len(limit_indices) == len(strides) == x.ndim or any(
        not 0 <= start <= limit <= size or stride <= 0
        for start, limit, stride, size in zip(
            start_indices, limit_indices, strides, x.shape, strict=True
        )
    ):
        span = f"{start_indices} to {limit_indices} by {strides}"
        raise TypeError(f"slice from {span} does not lie in the shape {x.shape}.")
    return x.update(shape=[
        -(-(limit - start) // stride)
        for start, limit, stride in zip(start_indices, limit_indices, strides, strict=True)
    ])  # fmt: skip


def _numpy_slice(x: np.ndarray, start_indices: tuple, limit_indices: tuple, strides: tuple = ()):
    strides = strides or (1,) * x.ndim
    return x[tuple(map(builtins.slice, start_indices, limit_indices, strides))]


def _pad_rule(x: ShapedArray, padding_value: ShapedArray, padding_config: tuple) -> ShapedArray:
    if len(padding_config) != x.ndim or padding_value.shape or padding_value.dtype != x.dtype:
        raise TypeError(
            f"pad needs a scalar of dtype {x.dtype} and (low, high, interior) for each of the "
            f"{x.ndim} axes; got {padding_value} and {padding_config}."
        )
    shape = [
        low + high + _spread(n, interior)
        for n, (low, high, interior) in zip(x.shape, padding_config, strict=True)
    ]
    if any(n < 0 for n in shape) or any(interior < 0 for *_, interior in padding_config):
        raise ValueError(
            f"pad cuts off no more than there is, and puts 0 or more between; got "
            f"{padding_config} for the shape {x.shape}."
        )
    return x.update(shape=shape)


def _spread(n: int, interior: int) -> int:
    return n + builtins.max(n - 1, 0) * interior


def _numpy_pad(x: np.ndarray, padding_value: np.ndarray, padding_config: tuple) -> np.ndarray:
    for axis, (low, high, interior) in enumerate(padding_config):
        x = _pad_axis(x, padding_value, axis, low, high, interior)
    return x


def _pad_axis(x: np.ndarray, value: np.ndarray, axis: int, low: int, high: int, interior: int):
    """Spreads the elements out and adds edges; a negative edge is cut off."""
    start, size = builtins.max(low, 0), _spread(x.shape[axis], interior)
    shape, where = list(x.shape), [builtins.slice(None)] * x.ndim
    shape[axis] = start + size + builtins.max(high, 0)
    out = np.full(shape, value, x.dtype)
    where[axis] = builtins.slice(start, start + size, interior + 1)
    out[tuple(where)] = x
    where[axis] = builtins.slice(builtins.max(-low, 0), shape[axis] - builtins.max(-high, 0))
    return out[tuple(where)] if low < 0 or high < 0 else out


concatenate_p = numpy_primitive(
    "concatenate", _concatenate_rule, lambda *xs, dimension: np.concatenate(xs, dimension)
)
slice_p = numpy_primitive("slice", _slice_rule, _numpy_slice)
pad_p = numpy_primitive("pad", _pad_rule, _numpy_pad)

# Reductions and products.


def reduction(name: str, accepts: str, numpy_fun: Callable) -> Primitive:
    """A primitive that takes away `axes`."""

    def shape_rule(x: ShapedArray, axes: tuple, **_: Any) -> ShapedArray:
        if any(not 0 <= d < x.ndim for d in axes) or len(set(axes)) != len(axes):
            raise ValueError(f"{name} needs different axes of the shape {x.shape}; got {axes}.")
        if dtype_kind(x.dtype) not in accepts:
            _refuse_kind(name, accepts, x.dtype)
        return x.update(shape=[n for d, n in enumerate(x.shape) if d not in axes])

    return numpy_primitive(name, shape_rule, numpy_fun)


def dtype_bounds(dtype: np.dtype) -> tuple[Any, Any]:
    """The smallest and the largest value: what the extremes of no values are."""
    if dtype_kind(dtype) in "iu":
        return np.iinfo(dtype).min, np.iinfo(dtype).max
    return (False, True) if dtype == np.bool_ else (-np.inf, np.inf)


reduce_sum_p = reduction(
    "reduce_sum", "iufc", through_float32(lambda x, axes: np.add.reduce(x, axes, x.dtype))
)
reduce_max_p = reduction(
    "reduce_max", "biufc",
    through_float32(lambda x, axes, **_: np.max(x, axis=axes, initial=dtype_bounds(x.dtype)[0])),
)  # fmt: skip
reduce_min_p = reduction(
    "reduce_min", "biufc",
    through_float32(lambda x, axes, **_: np.min(x, axis=axes, initial=dtype_bounds(x.dtype)[1])),
)  # fmt: skip


def remaining(ndim: int, *used: Sequence[int]) -> list[int]:
    """The axes, in order, that none of `used` names."""
    return [d for d in range(ndim) if not any(d in axes for axes in used)]


def _dot_general_rule(
    x: ShapedArray, y: ShapedArray, dimension_numbers: tuple, preferred_element_type: Any, **_: Any
) -> ShapedArray:
    (x_contract, y_contract), (x_batch, y_batch) = dimension_numbers
    pairs = [("contract", x_contract, y_contract), ("batch", x_batch, y_batch)]
    for kind, x_axes, y_axes in pairs:
        if not set(x_axes) <= set(range(x.ndim)) or not set(y_axes) <= set(range(y.ndim)):
            raise TypeError(f"dot_general: no such axes to {kind}: {x_axes} and {y_axes}.")
        if [x.shape[d] for d in x_axes] != [y.shape[d] for d in y_axes]:
            sides = f"axes {x_axes} of {x.shape} with axes {y_axes} of {y.shape}"
            raise TypeError(f"dot_general cannot {kind} {sides}: their sizes differ.")
    if any(len({*used}) < len(used) for used in [x_contract + x_batch, y_contract + y_batch]):
        raise TypeError(f"dot_general takes each axis once, and got {dimension_numbers}.")
    if x.dtype != y.dtype and preferred_element_type is None:
        raise TypeError(f"dot_general needs operands of one dtype; got {x.dtype} and {y.dtype}.")
    shape = [x.shape[d] for d in x_batch]
    shape += [x.shape[d] for d in remaining(x.ndim, x_contract, x_batch)]
    shape += [y.shape[d] for d in remaining(y.ndim, y_contract, y_batch)]
    return ShapedArray(shape, preferred_element_type or x.dtype, x.weak_type and y.weak_type)


def _numpy_dot_general(
    x: np.ndarray, y: np.ndarray, dimension_numbers: tuple, preferred_element_type: Any = None, **_
) -> np.ndarray:
    """As one batched matrix product: (batch, free, contracted) @ (batch, contracted, free)."""
    is_narrow = dtype_kind(x.dtype) == "f" and x.dtype.itemsize == 2
    wide = preferred_element_type or (np.dtype(np.float32) if is_narrow else x.dtype)
    x, y = x.astype(wide, copy=False), y.astype(wide, copy=False)
    (x_contract, y_contract), (x_batch, y_batch) = dimension_numbers
    x_free = remaining(x.ndim, x_contract, x_batch)
    y_free = remaining(y.ndim, y_contract, y_batch)
    batch_shape = [x.shape[d] for d in x_batch]
    x_shape, y_shape = [x.shape[d] for d in x_free], [y.shape[d] for d in y_free]
    size = np.prod([x.shape[d] for d in x_contract], dtype=int)
    x = x.transpose(*x_batch, *x_free, *x_contract)
    y = y.transpose(*y_batch, *y_contract, *y_free)
    product = np.matmul(
        x.reshape(*batch_shape, np.prod(x_shape, dtype=int), size),
        y.reshape(*batch_shape, size, np.prod(y_shape, dtype=int)),
    )
    return product.reshape([*batch_shape, *x_shape, *y_shape])


dot_general_p = numpy_primitive("dot_general", _dot_general_rule, _numpy_dot_general)

# The functions that bind them, under JAX's names in `lax`: element by element.


def unary(primitive: Primitive, doc: str, **params: Any) -> Callable:
    """The function of one operand that binds `primitive`."""

    def fun(x: Any) -> Any:
        return primitive.bind(x, **params)

    fun.__name__ = fun.__qualname__ = primitive.name
    fun.__doc__ = doc
    return fun


def binary(primitive: Primitive, doc: str, **params: Any) -> Callable:
    """The function of two operands, of one dtype, that binds `primitive`."""

    def fun(x: Any, y: Any) -> Any:
        return primitive.bind(x, y, **params)

    fun.__name__ = fun.__qualname__ = primitive.name
    fun.__doc__ = doc
    return fun


neg = unary(neg_p, "-x, of a number, an array or a tracer.")
sin = unary(sin_p, "The sine of floats or complex numbers, in radians.", accuracy=None)
cos = unary(cos_p, "The cosine of floats or complex numbers, in radians.", accuracy=None)
tanh = unary(tanh_p, "The hyperbolic tangent of floats or complex numbers.", accuracy=None)
exp = unary(exp_p, "e to the power of x, for floats or complex numbers.", accuracy=None)
log = unary(log_p, "The natural logarithm: -inf at 0, NaN below.", accuracy=None)
sqrt = unary(sqrt_p, "The square root; NaN below 0.", accuracy=None)
rsqrt = unary(rsqrt_p, "1 / sqrt(x).", accuracy=None)
logistic = unary(logistic_p, "1 / (1 + exp(-x)), the sigmoid.", accuracy=None)
abs = unary(abs_p, "The absolute value; of complex numbers, a float.")
sign = unary(sign_p, "-1, 0 or 1; NaN of NaN.")
square = unary(square_p, "x * x.")
bitwise_not = unary(not_p, "Every bit of bools or integers turned over.")

add = binary(add_p, "x + y, for operands of one dtype.")
add_jaxvals = binary(add_any_p, "The sum of two derivatives of one value.")
sub = binary(sub_p, "x - y, for operands of one dtype.")
mul = binary(mul_p, "x * y, for operands of one dtype.", out_dtype=None)
div = binary(div_p, "x / y, for operands of one dtype; integers round towards zero.")
pow = binary(pow_p, "x to the power of y, for floats or complex numbers of one dtype.")
max = binary(max_p, "The larger of x and y, element by element; NaN where either is.")
min = binary(min_p, "The smaller of x and y, element by element; NaN where either is.")
bitwise_and = binary(and_p, "The bits that are set in both.")
bitwise_or = binary(or_p, "The bits that are set in either.")
eq = binary(eq_p, "Whether x == y, element by element, as bools.")
ne = binary(ne_p, "Whether x != y, element by element, as bools.")
lt = binary(lt_p, "Whether x < y, element by element, as bools.")
le = binary(le_p, "Whether x <= y, element by element, as bools.")
gt = binary(gt_p, "Whether x > y, element by element, as bools.")
ge = binary(ge_p, "Whether x >= y, element by element, as bools.")


def stop_gradient(x: Any) -> Any:
    """x itself, which derivatives take for a constant; TypeError for what is no array."""
    typeof(x)
    return stop_gradient_p.bind(x) if isinstance(x, Array) else x


def integer_pow(x: Any, y: int) -> Any:
    """x to the power of the Python integer y.

    >>> integer_pow(3, 2)
    Array(9, dtype=int32, weak_type=True)
    """
    y = operator.index(y)
    if y < 0 and dtype_kind(typeof(x).dtype) not in "fc":
        raise TypeError(f"integer_pow of {typeof(x)} to {y}: a negative power needs a float.")
    return integer_pow_p.bind(x, y=y)


# Choosing and converting, and the shapes.


def select_n(which: Any, *cases: Any) -> Any:
    """cases[which], element by element; `which` is bool for two cases, int32 for more."""
    return select_n_p.bind(which, *cases)


def select(pred: Any, on_true: Any, on_false: Any) -> Any:
    """`on_true` where `pred`, else `on_false`."""
    return select_n_p.bind(pred, on_false, on_true)


def convert_element_type(operand: Any, new_dtype: Any, weak_type: bool = False) -> Any:
    """The operand in another dtype; itself, when nothing changes.

    >>> convert_element_type(1.7, np.int32)
    Array(1, dtype=int32)
    """
    new_dtype, old = canonicalize_dtype(new_dtype), typeof(operand)
    if (old.dtype, old.weak_type) == (new_dtype, weak_type):
        return operand if isinstance(operand, Array) else as_array(operand)
    if dtype_kind(old.dtype) == "c" and dtype_kind(new_dtype) != "c":
        warnings.warn("The imaginary part is dropped.", np.exceptions.ComplexWarning, stacklevel=2)
    is_number = not isinstance(operand, Array | np.ndarray)
    if not is_number and (isinstance(operand, Tracer) or old.shape or not old.weak_type):
        return convert_element_type_p.bind(
            operand, new_dtype=new_dtype, weak_type=weak_type, sharding=None
        )
    source = np.asarray(operand) if is_number else raw_value(operand)  # a number is rounded once
    with np.errstate(all="ignore"):
        value = np.array(_numpy_convert(source, new_dtype))
    return Array(value, ShapedArray(old.shape, new_dtype, weak_type))


def canonicalize_shape(shape: Any) -> tuple[int, ...]:
    """The shape as a tuple of ints; TypeError when one is traced or below zero."""
    try:
        is_one = hasattr(shape, "__index__") and not getattr(shape, "ndim", 0)
        sizes = tuple(map(operator.index, [shape] if is_one else shape))
    except TypeError as error:
        raise TypeError(
            f"A shape needs integers that are known while tracing, and got {shape!r}. "
            f"Mark the argument that it comes from static (jit's static_argnums)."
        ) from error
    if any(n < 0 for n in sizes):
        raise TypeError(f"A shape has no negative sizes; got {sizes}.")
    return sizes


def _integers(values: Sequence[int]) -> tuple[int, ...]:
    """Refuses floats and tracers: TypeError."""
    return tuple(map(operator.index, values))


def broadcast_in_dim(operand: Any, shape: Shape, broadcast_dimensions: Sequence[int]) -> Any:
    """The operand repeated to `shape`; its axis i becomes axis broadcast_dimensions[i].

    >>> broadcast_in_dim(np.arange(2), (2, 3), (0,))
    Array([[0, 0, 0],
           [1, 1, 1]], dtype=int32)
    """
    shape, dimensions = canonicalize_shape(shape), _integers(broadcast_dimensions)
    if isinstance(operand, Array) and operand.shape == shape and dimensions == tuple(
        range(len(shape))
    ):
        return operand
    return broadcast_in_dim_p.bind(
        operand, shape=shape, broadcast_dimensions=dimensions, sharding=None
    )


def full_like(x: Any, fill_value: Any, dtype: Any = None, shape: Shape | None = None) -> Any:
    """An array that holds one number everywhere, like x unless another dtype or shape is given."""
    aval = typeof(x)
    weak_type = dtype is None and aval.weak_type
    value = convert_element_type(fill_value, aval.dtype if dtype is None else dtype, weak_type)
    return broadcast_in_dim(value, aval.shape if shape is None else shape, ())


def expand_dims(operand: Any, dimensions: Sequence[int]) -> Any:
    """The operand with new axes of size 1 at `dimensions` of the result."""
    old = typeof(operand).shape
    ndim = len(old) + len(dimensions)
    kept = remaining(ndim, {canonicalize_axis(d, ndim) for d in dimensions})
    shape = [1] * ndim
    for d, n in zip(kept, old, strict=True):
        shape[d] = n
    return broadcast_in_dim(operand, shape, kept)


def reshape(operand: Any, new_sizes: Shape, dimensions: Shape | None = None) -> Any:
    """The same elements, in row-major order, in another shape; axes first put in an order."""
    new_sizes = canonicalize_shape(new_sizes)
    if dimensions is not None:
        return reshape(transpose(operand, dimensions), new_sizes)
    if isinstance(operand, Array) and operand.shape == new_sizes:
        return operand
    return reshape_p.bind(operand, new_sizes=new_sizes, dimensions=None, sharding=None)


def squeeze(operand: Any, dimensions: Sequence[int]) -> Any:
    """The operand without the axes `dimensions`, which have size 1."""
    ndim = typeof(operand).ndim
    dimensions = tuple(sorted(canonicalize_axis(d, ndim) for d in dimensions))
    if not dimensions and isinstance(operand, Array):
        return operand
    return squeeze_p.bind(operand, dimensions=dimensions)


def canonicalize_axis(axis: Any, ndim: int) -> int:
    """The axis, counted from the front; ValueError when there is no such axis.

    >>> canonicalize_axis(-1, 3)
    2
    """
    axis = operator.index(axis)
    if not -ndim <= axis < ndim:
        raise ValueError(f"There is no axis {axis} in an array of {ndim} dimensions.")
    return axis % ndim


def transpose(operand: Any, permutation: Sequence[int]) -> Any:
    """The operand with its axes in the order `permutation`."""
    permutation = _integers(permutation)
    if permutation == tuple(range(typeof(operand).ndim)) and isinstance(operand, Array):
        return operand
    return transpose_p.bind(operand, permutation=permutation)


def rev(operand: Any, dimensions: Sequence[int]) -> Any:
    """The operand turned round along `dimensions`."""
    return rev_p.bind(operand, dimensions=_integers(dimensions))


# Parts, wholes, reductions and products.


def concatenate(operands: Sequence[Any], dimension: int) -> Any:
    """The operands one after the other along an axis that they have."""
    if not len(operands):
        raise ValueError("concatenate needs at least one operand, and got none.")
    if len(operands) == 1 and isinstance(operands[0], Array):
        return operands[0]
    return concatenate_p.bind(*operands, dimension=operator.index(dimension))


def slice(
    operand: Any, start_indices: Shape, limit_indices: Shape, strides: Shape | None = None
) -> Any:
    """The part of the operand from `start_indices` up to, not with, `limit_indices`.

    >>> slice(np.arange(5), (1,), (4,))
    Array([1, 2, 3], dtype=int32)
    """
    return slice_p.bind(
        operand, start_indices=_integers(start_indices), limit_indices=_integers(limit_indices),
        strides=None if strides is None else _integers(strides),
    )  # fmt: skip


def slice_in_dim(
    operand: Any, start_index: int, limit_index: int, stride: int = 1, axis: int = 0
) -> Any:
    """`slice` along one axis, with the other axes whole."""
    shape = typeof(operand).shape
    starts, limits, strides = [0] * len(shape), list(shape), [1] * len(shape)
    starts[axis], limits[axis], strides[axis] = start_index, limit_index, stride
    return slice(operand, starts, limits, strides)


def pad(operand: Any, padding_value: Any, padding_config: Sequence[Sequence[int]]) -> Any:
    """(low, high, interior) times `padding_value` before, after and between the elements."""
    return pad_p.bind(operand, padding_value, padding_config=tuple(map(_integers, padding_config)))


def reduce_sum(operand: Any, axes: Sequence[int]) -> Any:
    """The sum over `axes`."""
    return reduce_sum_p.bind(operand, axes=_integers(axes), out_sharding=None)


def reduce_max(operand: Any, axes: Sequence[int]) -> Any:
    """The maximum over `axes`; the smallest value of the dtype where there are no elements."""
    return reduce_max_p.bind(operand, axes=_integers(axes))


def reduce_min(operand: Any, axes: Sequence[int]) -> Any:
    """The minimum over `axes`; the largest value of the dtype where there are no elements."""
    return reduce_min_p.bind(operand, axes=_integers(axes))


def dot_general(
    lhs: Any, rhs: Any, dimension_numbers: Any, precision: None = None,
    preferred_element_type: Any = None,
) -> Any:  # fmt: skip
    """The product that sums over pairs of contracted axes and goes along pairs of batch axes.

    `dimension_numbers` is ((lhs_contract, rhs_contract), (lhs_batch, rhs_batch)). The result
    has the batch axes, then lhs's other axes, then rhs's.
    """
    contract, batch = dimension_numbers
    dimension_numbers = tuple(map(_integers, contract)), tuple(map(_integers, batch))
    if preferred_element_type is not None:
        preferred_element_type = canonicalize_dtype(preferred_element_type)
    return dot_general_p.bind(
        lhs, rhs, dimension_numbers=dimension_numbers, precision=precision,
        preferred_element_type=preferred_element_type, out_sharding=None,
    )  # fmt: skip
