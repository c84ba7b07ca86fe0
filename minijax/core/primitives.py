"""How a primitive runs on NumPy, and the primitives that the machine itself binds."""

from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Callable, Container, Sequence
from functools import wraps
from typing import Any

import numpy as np
from ml_dtypes import finfo, iinfo

from minijax.core.arrays import Array, as_array, as_number, is_number, raw_value
from minijax.core.config import bounded_cache, config, quietly
from minijax.core.dtypes import (
    ExtendedDType, SymbolicDimension, extended, float0, integers, is_narrow, issubdtype, maximum,
    storage_dtype,
)
from minijax.core.errors import JAXTypeError, check_types, safe_repr
from minijax.core.tracing import Primitive, ShapedArray, typeof

Shape = Sequence[int]

# How a primitive runs on NumPy.


def check_value(what: Any, rule: str, value: np.ndarray, aval: ShapedArray) -> None:
    """JaxprTypeError where an array is not what is kept for this type."""
    kept = aval.update(dtype=storage_dtype(aval.dtype))
    check_types(what, rule, [ShapedArray(value.shape, value.dtype)], [kept])


def numpy_primitive(
    name: str, type_rule: Callable, numpy_fun: Callable, inert: dict[str, Any] | None = None
) -> Primitive:
    """A primitive with one result, computed by `numpy_fun` on plain NumPy arrays.

    `type_rule` maps the operands' types to the result's and refuses what doesn't fit, so
    `numpy_fun` sees only operands that do. Its keywords are the primitive's parameters; those
    in `inert` stand in equations, with these values, and mean nothing.
    """
    primitive = Primitive(name, inert)

    @bounded_cache
    def remembered(in_avals: tuple, params: tuple) -> ShapedArray:
        return type_rule(*in_avals, **dict(params))

    @wraps(type_rule)
    def abstract_eval(*in_avals: ShapedArray, **params: Any) -> ShapedArray:
        return remembered(in_avals, tuple(params.items()))

    def impl(*args: Any, **params: Any) -> Array:
        aval = remembered(tuple(map(typeof, args)), tuple(params.items()))
        dtype, values = storage_dtype(aval.dtype), list(map(raw_value, args))
        value = quietly(lambda: np.asarray(numpy_fun(*values, **params), dtype))
        if config.jax_enable_checks:
            check_value(primitive, "NumPy function", value, aval)
        return Array(value, aval)

    primitive.def_abstract_eval(abstract_eval)
    primitive.def_impl(impl)
    primitive.numpy_fun = numpy_fun
    return primitive


def through_float32(numpy_fun: Callable) -> Callable:
    """Computes narrow floats with 32 bits and rounds once, at the end."""

    def fun(x: np.ndarray, *args: Any, **params: Any) -> np.ndarray:
        if not is_narrow(x.dtype):
            return numpy_fun(x, *args, **params)
        wide = [a.astype(np.float32) if a.dtype == x.dtype else a for a in args]
        return numpy_fun(x.astype(np.float32), *wide, **params).astype(x.dtype)

    vars(fun)["of_wide"] = numpy_fun  # what does without this
    return fun


# Element by element: one rule for all the shapes.

_WORDS = {
    np.bool_: "bools", np.signedinteger: "signed integers", np.integer: "integers",
    np.floating: "floats", np.inexact: "floats, complex numbers",
    np.complexfloating: "complex numbers", np.number: "integers, floats, complex numbers",
    extended: "keys",
}  # fmt: skip


def check_kind(name: str, accepts: Sequence[type], dtype: Any) -> None:
    """TypeError unless the dtype is of one of the kinds."""
    if not issubdtype(dtype, *accepts):
        kinds = ", ".join(_WORDS[kind] for kind in accepts)
        way_out = "Convert with x.astype(dtype)."
        if issubdtype(dtype, extended):
            way_out = "Draw numbers from a key, as by random.bits."
        raise TypeError(f"{name} takes {kinds}, and got {dtype}. {way_out}")


def broadcasting_shape(name: str, avals: Sequence[ShapedArray]) -> tuple[int, ...]:
    """The shape of an elementwise result: operands have equal shapes, sizes of 1, or no axes."""
    shapes = {aval.shape for aval in avals if aval.shape}
    if len(shapes) <= 1:
        return shapes.pop() if shapes else ()
    sizes = [set(axis_sizes) - {1} for axis_sizes in zip(*shapes, strict=False)]
    if len(set(map(len, shapes))) > 1 or any(len(axis_sizes) > 1 for axis_sizes in sizes):
        got = ", ".join(str(aval.shape) for aval in avals)
        raise TypeError(f"{name} got {got}. Give equal shapes, scalars or axes of size 1.")
    return tuple(axis_sizes.pop() if axis_sizes else 1 for axis_sizes in sizes)


elementwise: set[Primitive] = set()  # what `naryop` has made


def naryop(
    name: str, accepts: Sequence[type], numpy_fun: Callable, out_dtype: Callable | None = None,
    params: Sequence[str] = (), inert: dict[str, Any] | None = None,
) -> Primitive:  # fmt: skip
    """An elementwise primitive on operands of one dtype, of the kinds in `accepts`.

    `params` names its parameters, which say nothing about the type of the result.
    """

    def type_rule(*avals: ShapedArray, **_: Any) -> ShapedArray:
        dtype = avals[0].dtype
        if any(aval.dtype != dtype for aval in avals):
            dtypes = ", ".join(str(aval.dtype) for aval in avals)
            raise TypeError(f"{name} needs one dtype, and got {dtypes}. Use x.astype(dtype).")
        check_kind(name, accepts, dtype)
        weak_type = all(aval.weak_type for aval in avals)
        dtype = out_dtype(dtype) if out_dtype else dtype
        return ShapedArray(broadcasting_shape(name, avals), dtype, weak_type)

    primitive = numpy_primitive(name, type_rule, numpy_fun, inert)
    primitive.parameters = frozenset(params).union(primitive.inert)
    elementwise.add(primitive)
    return primitive


def to_bool(dtype: Any) -> np.dtype:
    return np.dtype(np.bool_)


def unary(primitive: Primitive, doc: str) -> Callable:
    """The function of one operand that binds `primitive`."""
    return _named(lambda x: primitive.bind(x), primitive, doc)


def binary(primitive: Primitive, doc: str) -> Callable:
    """The function of two operands, of one dtype, that binds `primitive`."""
    return _named(lambda x, y: primitive.bind(x, y), primitive, doc)


def _named(fun: Callable, primitive: Primitive, doc: str) -> Callable:
    fun.__name__ = fun.__qualname__ = primitive.name
    fun.__doc__ = doc
    return fun


def _numpy_div(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Integers round towards zero, as in C; x / 0 has all bits set, as in XLA."""
    if not issubdtype(x.dtype, np.integer):
        return x / y
    floor = x // np.where(y == 0, 1, y)
    rounded = floor + ((floor * y != x) & ((x < 0) != (y < 0)))
    return np.where(y == 0, np.array(-1).astype(x.dtype), rounded)


def _numpy_integer_pow(x: np.ndarray, y: int) -> np.ndarray:
    """By repeated squaring, which keeps integers exact and floats as in XLA."""
    one = np.ones_like(x)
    result, square, n = one, x, builtins.abs(y)
    while n:
        if n % 2:
            result = square if result is one else result * square
        n //= 2
        square = square * square if n else square
    return result if y >= 0 else _numpy_div(one, result)


_unspoken = {"accuracy": None}  # how exact a function is to be: as exact as NumPy's, here

neg_p = naryop("neg", [np.number], np.negative)
neg = unary(neg_p, "-x, of a number, an array or a tracer.")

sin_p = naryop("sin", [np.inexact], through_float32(np.sin), inert=_unspoken)
sin = unary(sin_p, "The sine of floats or complex numbers, in radians.")

cos_p = naryop("cos", [np.inexact], through_float32(np.cos), inert=_unspoken)
cos = unary(cos_p, "The cosine of floats or complex numbers, in radians.")

exp_p = naryop("exp", [np.inexact], through_float32(np.exp), inert=_unspoken)
exp = unary(exp_p, "e to the power of x, for floats or complex numbers.")

log_p = naryop("log", [np.inexact], through_float32(np.log), inert=_unspoken)
log = unary(log_p, "The natural logarithm: -inf at 0, NaN below.")

add_p = naryop("add", [np.number], np.add)
add = binary(add_p, "x + y, for operands of one dtype.")

add_any_p = naryop("add_any", [np.number], np.add)
add_jaxvals = binary(add_any_p, "The sum of two derivatives of one value.")

sub_p = naryop("sub", [np.number], np.subtract)
sub = binary(sub_p, "x - y, for operands of one dtype.")

mul_p = naryop("mul", [np.number], np.multiply, inert={"out_dtype": None})
mul = binary(mul_p, "x * y, for operands of one dtype.")

div_p = naryop("div", [np.number], _numpy_div)
div = binary(div_p, "x / y, for operands of one dtype; integers round towards zero.")

max_p = naryop("max", [np.bool_, np.number], maximum)
max = binary(max_p, "The larger of x and y, element by element; NaN where either is.")

eq_p = naryop("eq", [np.bool_, np.number, extended], operator.eq, to_bool)
eq = binary(eq_p, "Whether x == y, element by element, as bools.")

gt_p = naryop("gt", [np.bool_, np.integer, np.floating], np.greater, to_bool)
gt = binary(gt_p, "Whether x > y, element by element, as bools.")

integer_pow_p = naryop(
    "integer_pow", [np.number], through_float32(_numpy_integer_pow), params=["y"]
)


def integer_pow(x: Any, y: int) -> Any:
    """x to the power of the Python integer y."""
    y = operator.index(y)
    if y < 0 and not issubdtype(typeof(x).dtype, np.inexact):
        raise TypeError(f"integer_pow of {typeof(x)} to {y} needs a float. Try x.astype(float).")
    return integer_pow_p.bind(x, y=y)


# Choosing.


def _select_n_rule(which: ShapedArray, *cases: ShapedArray) -> ShapedArray:
    if not issubdtype(which.dtype, np.bool_, np.integer):
        got = f"`which` is {which.dtype}. Compare it: which != 0"
        raise TypeError(f"select_n chooses by a bool or an integer, and {got}.")
    if not cases:
        raise ValueError("select_n chooses among cases, and got none. Give some.")
    if which.dtype == np.bool_ and len(cases) > 2:
        raise TypeError(f"select_n by a bool got {len(cases)} cases. Give two, or an integer.")
    if len({(case.shape, case.dtype) for case in cases}) != 1:
        got = f"got {', '.join(map(str, cases))}. Use jnp.where, which converts and broadcasts"
        raise TypeError(f"select_n needs cases of one type, and {got}.")
    if which.shape and which.shape != cases[0].shape:
        shapes = f"() or the cases' {cases[0].shape}"
        raise TypeError(f"select_n got `which` of shape {which.shape}. Give it {shapes}.")
    return cases[0].update(weak_type=all(case.weak_type for case in cases))


def _numpy_select_n(which: np.ndarray, *cases: np.ndarray) -> np.ndarray:
    if len(cases) == 2:
        return np.where(which > 0, cases[1], cases[0])
    return np.choose(np.broadcast_to(which, cases[0].shape), cases, mode="clip")


select_n_p = numpy_primitive("select_n", _select_n_rule, _numpy_select_n)


def select_n(which: Any, *cases: Any) -> Any:
    """cases[which], element by element; `which` is bool for two cases, an integer for more."""
    return select_n_p.bind(which, *cases)


def select(pred: Any, on_true: Any, on_false: Any) -> Any:
    """`on_true` where `pred`, else `on_false`."""
    return select_n_p.bind(pred, on_false, on_true)


# Other dtypes. These do what they say, whatever the settings; only lax asks whether 64 bits are on.


def _convert_rule(x: ShapedArray, *, new_dtype: Any, weak_type: bool) -> ShapedArray:
    if isinstance(x.dtype, ExtendedDType) or isinstance(new_dtype, ExtendedDType):
        way_out = "Use random.key_data and random.wrap_key_data."
        raise ValueError(f"There is no way to convert {x.dtype} to {new_dtype}. {way_out}")
    return x.update(dtype=new_dtype, weak_type=weak_type)


def convert_numpy(x: np.ndarray, new_dtype: np.dtype, weak_type: bool = False) -> np.ndarray:
    """Floats too large for an integer type become its bounds, and NaN becomes 0, as in XLA."""
    if new_dtype == np.bool_:
        return x != 0
    if issubdtype(x.dtype, np.complexfloating) and not issubdtype(new_dtype, np.complexfloating):
        return convert_numpy(x.real, new_dtype)
    if issubdtype(x.dtype, np.floating) and issubdtype(new_dtype, np.integer):
        info = iinfo(new_dtype)
        wide = np.nan_to_num(np.trunc(x.astype(np.float64)), posinf=np.inf, neginf=-np.inf)
        inside = (wide > float(info.min)) & (wide < float(info.max))
        bounds = np.where(wide > 0, np.array(info.max, new_dtype), np.array(info.min, new_dtype))
        return np.where(inside, np.where(inside, wide, 0).astype(new_dtype), bounds)
    if x.dtype.isbuiltin == new_dtype.isbuiltin == 2:  # those of ml_dtypes do not all know another
        x = x.astype(np.int8 if issubdtype(x.dtype, np.integer) else np.float32)
    return x.astype(new_dtype)


convert_element_type_p = numpy_primitive(
    "convert_element_type", _convert_rule, convert_numpy, inert={"sharding": None}
)


def cast(x: Any, dtype: Any, weak_type: bool = False) -> Any:
    """x in another dtype; itself, where nothing changes. A number is converted at once.

    >>> cast(1.7, np.dtype("int32"))
    Array(1, dtype=int32)
    """
    old = typeof(x)
    is_same = old.weak_type == weak_type and old.dtype == dtype
    if is_same and isinstance(x, Array | SymbolicDimension):
        return x
    number = is_number(x)
    if is_same:
        return as_number(x) if number else as_array(x)
    if not number or isinstance(dtype, ExtendedDType):
        return convert_element_type_p.bind(x, new_dtype=dtype, weak_type=weak_type)
    source = raw_value(x) if isinstance(x, Array) else np.asarray(x)  # rounded once
    with np.errstate(all="ignore"):
        value = np.array(convert_numpy(source, dtype))
    return as_number(Array(value, ShapedArray(old.shape, dtype, weak_type)), fresh=True)


# Shapes.


def canonicalize_shape(shape: Any) -> tuple[int, ...]:
    """The shape as a tuple of ints; TypeError when one is traced or below zero."""
    try:
        is_one = hasattr(shape, "__index__") and not getattr(shape, "ndim", 0)
        sizes = integers([shape] if is_one else shape)
    except TypeError as error:
        way_out = "Give a tuple of ints."
        if isinstance(error, JAXTypeError):  # a tracer's
            way_out = "Mark the argument that it comes from static (jit's static_argnums)."
        problem = f"A shape needs integers that are known while tracing, and got {safe_repr(shape)}"
        raise TypeError(f"{problem}. {way_out}") from error
    if any(isinstance(n, int) and n < 0 for n in sizes):
        raise TypeError(f"A shape has no negative sizes; got {sizes}. Give sizes from 0.")
    return sizes


def canonicalize_axis(axis: Any, ndim: int) -> int:
    """The axis, counted from the front; ValueError when there is no such axis."""
    axis = operator.index(axis)
    if not -ndim <= axis < ndim:
        way_out = f"Give one from {-ndim} to {ndim - 1}." if ndim else "Give an array that has one."
        raise ValueError(f"There is no axis {axis} in an array of {ndim} dimensions. {way_out}")
    return axis % ndim


def _broadcast_in_dim_rule(
    x: ShapedArray, *, shape: tuple, broadcast_dimensions: tuple
) -> ShapedArray:
    axes = zip(x.shape, broadcast_dimensions, strict=False)
    fits = all(0 <= d < len(shape) and n in (1, shape[d]) for n, d in axes)
    in_order = list(broadcast_dimensions) == sorted(set(broadcast_dimensions))
    if len(broadcast_dimensions) != x.ndim or not fits or not in_order:
        where = f"the axes {broadcast_dimensions}, in order, of the shape {shape}"
        raise TypeError(f"broadcast_in_dim cannot lay {x.shape} along {where}. Give such axes.")
    return x.update(shape=shape)


def broadcast_numpy(x: np.ndarray, shape: tuple, broadcast_dimensions: tuple) -> np.ndarray:
    expanded = [1] * len(shape)
    for size, d in zip(x.shape, broadcast_dimensions, strict=True):
        expanded[d] = size
    return np.broadcast_to(x.reshape(expanded), shape)


broadcast_in_dim_p = numpy_primitive(
    "broadcast_in_dim", _broadcast_in_dim_rule, broadcast_numpy, inert={"sharding": None}
)


def broadcast_in_dim(operand: Any, shape: Shape, broadcast_dimensions: Sequence[int]) -> Any:
    """The operand repeated to `shape`; its axis i becomes axis broadcast_dimensions[i].

    >>> broadcast_in_dim(np.arange(2), (2, 3), (0,))
    Array([[0, 0, 0],
           [1, 1, 1]], dtype=int32)
    """
    shape, dimensions = canonicalize_shape(shape), integers(broadcast_dimensions)
    in_place = dimensions == tuple(range(len(shape)))
    if in_place and isinstance(operand, Array) and operand.shape == shape:
        return operand
    return broadcast_in_dim_p.bind(operand, shape=shape, broadcast_dimensions=dimensions)


def fill(aval: ShapedArray, number: Any) -> Any:
    """An array of a type that holds one number everywhere."""
    return aval.placed(broadcast_in_dim(cast(number, aval.dtype, aval.weak_type), aval.shape, ()))


def zeros(aval: ShapedArray) -> Any:
    """Zeros of a type; of float0, a NumPy array that holds nothing."""
    return np.zeros(aval.shape, float0) if aval.dtype == float0 else fill(aval, 0)


def _reshape_rule(x: ShapedArray, *, new_sizes: tuple) -> ShapedArray:
    aval = x.update(shape=new_sizes)
    if aval.size != x.size:
        problem = f"reshape of {x.shape}, size {x.size}, to {new_sizes}, size {aval.size}"
        raise TypeError(f"{problem}. Give sizes whose product is {x.size}.")
    return aval


reshape_p = numpy_primitive(
    "reshape", _reshape_rule, lambda x, new_sizes: x.reshape(new_sizes),
    inert={"dimensions": None, "sharding": None},
)  # fmt: skip


def reshape(operand: Any, new_sizes: Shape, dimensions: Shape | None = None) -> Any:
    """The same elements, in row-major order, in another shape; axes first put in an order."""
    new_sizes = canonicalize_shape(new_sizes)
    if dimensions is not None:
        return reshape(transpose(operand, dimensions), new_sizes)
    if new_sizes and isinstance(operand, Array) and operand.shape == new_sizes:
        return operand  # (as in JAX, a scalar is reshaped all the same)
    return reshape_p.bind(operand, new_sizes=new_sizes)


def _transpose_rule(x: ShapedArray, *, permutation: tuple) -> ShapedArray:
    if sorted(permutation) != list(range(x.ndim)):
        raise TypeError(f"transpose got {permutation}. Name each of {x.ndim} axes once.")
    return x.update(shape=[x.shape[d] for d in permutation])


transpose_p = numpy_primitive(
    "transpose", _transpose_rule, lambda x, permutation: x.transpose(permutation)
)


def transpose(operand: Any, permutation: Sequence[int]) -> Any:
    """The operand with its axes in the order `permutation`."""
    permutation = integers(permutation)
    if permutation == tuple(range(typeof(operand).ndim)) and isinstance(operand, Array):
        return operand
    return transpose_p.bind(operand, permutation=permutation)


def remaining(ndim: int, *used: Container[int]) -> list[int]:
    """The axes, in order, that none of `used` names."""
    return [d for d in range(ndim) if not any(d in axes for axes in used)]


def expand_dims(operand: Any, dimensions: Sequence[int]) -> Any:
    """The operand with new axes of size 1 at `dimensions` of the result."""
    old = typeof(operand).shape
    ndim = len(old) + len(dimensions)
    new = {canonicalize_axis(d, ndim) for d in dimensions}
    if len(new) < len(dimensions):
        raise ValueError(f"expand_dims was given an axis twice: {dimensions}. Name each once.")
    kept = remaining(ndim, new)
    shape = [1] * ndim
    for d, n in zip(kept, old, strict=True):
        shape[d] = n
    return broadcast_in_dim(operand, shape, kept)


# Sums and products.


def reduced_type(name: str, accepts: Sequence[type], x: ShapedArray, axes: tuple) -> ShapedArray:
    """The type without `axes`, of a reduction of values of the kinds in `accepts`."""
    if any(not 0 <= d < x.ndim for d in axes) or len(set(axes)) != len(axes):
        raise ValueError(f"{name} got axes {axes} of {x.shape}. Name axes from 0, each once.")
    check_kind(name, accepts, x.dtype)
    return x.update(shape=[n for d, n in enumerate(x.shape) if d not in axes])


def _reduce_sum_rule(x: ShapedArray, *, axes: tuple) -> ShapedArray:
    return reduced_type("reduce_sum", [np.number], x, axes)


reduce_sum_p = numpy_primitive(
    "reduce_sum", _reduce_sum_rule,
    through_float32(lambda x, axes: np.add.reduce(x, axes, x.dtype)),
    inert={"out_sharding": None},
)  # fmt: skip


def reduce_sum(operand: Any, axes: Sequence[int]) -> Any:
    """The sum over `axes`."""
    return reduce_sum_p.bind(operand, axes=integers(axes))


def _precision(dtype: np.dtype) -> tuple:
    """What XLA's products go by, the most important first: range, digits, size, sign."""
    if issubdtype(dtype, np.inexact):
        info = finfo(dtype)
        return issubdtype(dtype, np.complexfloating), info.maxexp, info.nmant, info.bits, True
    bits = 1 if dtype == np.bool_ else iinfo(dtype).bits
    return False, -1, -1, bits, not issubdtype(dtype, np.unsignedinteger)


def product_dtype(x: np.dtype, y: np.dtype) -> np.dtype:
    """The more precise of the two."""
    if x != y and _precision(x) == _precision(y):
        raise TypeError(f"dot_general of {x} and {y}: neither is more precise. Convert one.")
    return builtins.max(x, y, key=_precision)


def _dot_general_rule(
    x: ShapedArray, y: ShapedArray, *, dimension_numbers: tuple, preferred_element_type: Any,
    precision: Any = None,
) -> ShapedArray:
    (x_contract, y_contract), (x_batch, y_batch) = dimension_numbers
    pairs = [("contract", x_contract, y_contract), ("batch", x_batch, y_batch)]
    for kind, x_axes, y_axes in pairs:
        sides = f"axes {x_axes} of {x.shape} with axes {y_axes} of {y.shape}"
        if not set(x_axes) <= set(range(x.ndim)) or not set(y_axes) <= set(range(y.ndim)):
            axes = f"{x_axes} of {x.shape}, {y_axes} of {y.shape}"
            raise TypeError(f"dot_general: no such axes to {kind}: {axes}. Count from 0.")
        if [x.shape[d] for d in x_axes] != [y.shape[d] for d in y_axes]:
            raise TypeError(f"dot_general cannot {kind} {sides}. Give axes of one size.")
    if any(len({*used}) < len(used) for used in [x_contract + x_batch, y_contract + y_batch]):
        got = f"got {dimension_numbers}. Name each once"
        raise TypeError(f"dot_general takes each axis once, and {got}.")
    for aval in (x, y):
        check_kind("dot_general", [np.bool_, np.number], aval.dtype)
    shape = [x.shape[d] for d in x_batch]
    shape += [x.shape[d] for d in remaining(x.ndim, x_contract, x_batch)]
    shape += [y.shape[d] for d in remaining(y.ndim, y_contract, y_batch)]
    dtype = product_dtype(x.dtype, y.dtype)
    return ShapedArray(shape, preferred_element_type or dtype, x.weak_type and y.weak_type)


def _numpy_dot_general(
    x: np.ndarray, y: np.ndarray, dimension_numbers: tuple, preferred_element_type: Any,
    precision: Any = None,
) -> np.ndarray:
    """As one batched matrix product: (batch, free, contracted) @ (batch, contracted, free).

    Operands of one dtype are converted after the product, where that is more precise; others to
    begin with, as in XLA.
    """
    wanted = preferred_element_type or product_dtype(x.dtype, y.dtype)
    wide = product_dtype(x.dtype, wanted) if x.dtype == y.dtype else wanted
    if is_narrow(wide):
        wide = np.dtype(np.float32)
    x, y = (a if a.dtype == wide else convert_numpy(a, wide) for a in (x, y))
    (x_contract, y_contract), (x_batch, y_batch) = dimension_numbers
    x_free = remaining(x.ndim, x_contract, x_batch)
    y_free = remaining(y.ndim, y_contract, y_batch)
    batch, size = [x.shape[d] for d in x_batch], math.prod(x.shape[d] for d in x_contract)
    x_shape, y_shape = [x.shape[d] for d in x_free], [y.shape[d] for d in y_free]
    x = x.transpose(*x_batch, *x_free, *x_contract).reshape(*batch, math.prod(x_shape), size)
    y = y.transpose(*y_batch, *y_contract, *y_free).reshape(*batch, size, math.prod(y_shape))
    # One product is no sum, which would make 0.0 of -0.0.
    product = (x * y if size == 1 else np.matmul(x, y)).reshape([*batch, *x_shape, *y_shape])
    return product if wide == wanted else convert_numpy(product, wanted)


dot_general_p = numpy_primitive(
    "dot_general", _dot_general_rule, _numpy_dot_general, {"out_sharding": None}
)


def contract(lhs: Any, rhs: Any, dimension_numbers: Any, **params: Any) -> Any:
    """The product that sums over pairs of contracted axes and goes along pairs of batch axes.

    `dimension_numbers` is ((lhs_contract, rhs_contract), (lhs_batch, rhs_batch)). The result
    has the batch axes, then lhs's other axes, then rhs's.
    """
    contracted, batch = dimension_numbers
    numbers = tuple(map(integers, contracted)), tuple(map(integers, batch))
    params = {"precision": None, "preferred_element_type": None, **params}
    return dot_general_p.bind(lhs, rhs, dimension_numbers=numbers, **params)
