"""Arrays: immutable values over NumPy, their dtypes, and how dtypes meet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np

from minijax.core.config import config
from minijax.core.dtypes import (
    NARROW, ExtendedDType, canonicalize_dtype, dtype_registry, float0, issubdtype,
)
from minijax.core.errors import TypePromotionError, safe_repr
from minijax.core.tracing import ShapedArray, Tracer, Typed, aval_rule, pytype_aval_mappings, typeof

# How dtypes meet: a lattice, with Python's numbers as weak types in it.

_LATTICE: dict[Any, list] = {
    "bool": [int], int: ["uint8", "int8"],
    "uint8": ["int16", "uint16"], "uint16": ["int32", "uint32"], "uint32": ["int64", "uint64"],
    "uint64": [float], "int8": ["int16"], "int16": ["int32"], "int32": ["int64"], "int64": [float],
    float: ["bfloat16", "float16", complex], "bfloat16": ["float32"], "float16": ["float32"],
    "float32": ["float64", "complex64"], "float64": ["complex128"],
    complex: ["complex64"], "complex64": ["complex128"], "complex128": [],
}  # fmt: skip


@cache
def _upper_bounds(point: Any) -> frozenset:
    """All the points that can be reached from this one, itself included."""
    return frozenset([point]).union(*map(_upper_bounds, _LATTICE[point]))


@cache
def _least_upper_bound(points: frozenset) -> Any:
    """Of those that can be reached from each, the point from which all the others can be."""
    common = frozenset.intersection(*map(_upper_bounds, points))
    (least,) = [point for point in common if common <= _upper_bounds(point)]
    return least


def _weak_point(dtype: np.dtype) -> Any:
    points = {np.bool_: "bool", np.integer: int, np.floating: float, np.complexfloating: complex}
    return next((point for kind, point in points.items() if issubdtype(dtype, kind)), None)


def _check_promotion(strong: set[str], point: Any) -> None:
    if config.jax_numpy_dtype_promotion == "strict" and strong and strong != {point}:
        got = f"the operands have the dtypes {sorted(strong)}, which would become {point}"
        way_out = "Convert one of them with x.astype(dtype)."
        raise TypePromotionError(f"Strict promotion is on, and {got}. {way_out}")


def _check_lone(lone: ShapedArray, avals: Sequence[ShapedArray]) -> None:
    """A dtype that is no point meets Python's number of its kind, and what is below that, alone."""
    number, is_key = _weak_point(lone.dtype), isinstance(lone.dtype, ExtendedDType)
    for aval in avals:
        point = _weak_point(aval.dtype) if aval.weak_type else str(aval.dtype)
        if aval.dtype != lone.dtype and not (point in _LATTICE and number in _upper_bounds(point)):
            met, error = " and ".join(map(str, avals)), ValueError if is_key else TypePromotionError
            raise error(f"{lone} promotes to no other dtype, and {met} met. Give one dtype.")


def result_aval_type(avals: Sequence[ShapedArray]) -> tuple[np.dtype, bool]:
    """The dtype, and its weakness, of an operation on values of these types."""
    first = avals[0]
    if all(aval.dtype is first.dtype for aval in avals):
        return first.dtype, all(aval.weak_type for aval in avals)
    strong = {str(aval.dtype) for aval in avals if not aval.weak_type}
    for aval in avals:
        if str(aval.dtype) not in _LATTICE:
            _check_lone(aval, avals)
            _check_promotion(strong, str(aval.dtype))
            return aval.dtype, not strong
    if not strong:
        dtypes = frozenset(str(aval.dtype) for aval in avals)
        return canonicalize_dtype(_least_upper_bound(dtypes)), True
    weak = {_weak_point(aval.dtype) for aval in avals if aval.weak_type}
    point = _least_upper_bound(frozenset(strong | weak))
    _check_promotion(strong, point)
    return canonicalize_dtype(point), not isinstance(point, str)


# The array.


class _ArrayMeta(type):
    """`isinstance(x, Array)` is true of tracers too: they stand for arrays."""

    def __instancecheck__(cls, x: Any) -> bool:
        return cls in type(x).__mro__ or cls is Array and isinstance(x, Tracer)


class ArrayConversions(Typed):
    """An array as a number of Python's, or as a row of arrays; an error where it is none."""

    __slots__ = ()

    def __bool__(self) -> bool:
        if self.size != 1:
            got = f"bool() of {self.aval}: the truth of {self.size} values at once is not defined"
            raise ValueError(f"{got}. Use x.any() or x.all().")
        return bool(numbers(self).reshape(())[()])

    def __int__(self) -> int:
        return int(_scalar(self, "int"))

    def __float__(self) -> float:
        return float(_scalar(self, "float"))

    def __complex__(self) -> complex:
        return complex(_scalar(self, "complex"))

    def __index__(self) -> int:
        if self.ndim or not issubdtype(self.dtype, np.integer):
            got = f"got {self.aval}. Try x[0] or int(x)"
            raise TypeError(f"Only an integer array with no dimensions is an index; {got}.")
        return int(to_numpy(self))

    def __iter__(self) -> Iterator[Array]:
        if not self.ndim:
            raise TypeError(f"Iteration over {self.aval}: it has no dimensions. Try x[None].")
        row = self.aval.update(shape=self.shape[1:])
        return (Array(np.asarray(value), row) for value in to_numpy(self))


def _scalar(x: Any, name: str) -> Any:
    if x.ndim:
        raise TypeError(f"{name}() takes an array with no dimensions, and got {x.aval}. Try x[0].")
    if issubdtype(x.dtype, np.complexfloating) and name != "complex":
        raise TypeError(f"{name}() takes a real number, and got {x.aval}. Try abs(x).")
    return numbers(x)[()]


class Array(ArrayConversions, metaclass=_ArrayMeta):
    """An immutable array: a NumPy array that nobody writes to, and its type.

    Operators and methods that compute are put on this class, as on `Tracer`, by the modules
    that define them.

    >>> Array(np.arange(3, dtype=np.float32))
    Array([0., 1., 2.], dtype=float32)
    """

    __slots__ = ("_value", "aval", "number", "__weakref__")
    _value: Any  # the NumPy array; None when it was deleted
    number: Any  # what a jaxpr shows, where this is a number in one
    __array_priority__ = 100  # np.ndarray + Array asks the Array
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, value: np.ndarray, aval: ShapedArray | None = None) -> None:
        if not hasattr(value, "setflags"):
            got = type(value).__name__
            raise TypeError(f"jnp.ndarray takes a NumPy array, and got a {got}. Call jnp.asarray.")
        value.setflags(write=False)
        if isinstance(value.base, np.ndarray):  # else a view of it could be unlocked again
            value.base.setflags(write=False)
        self._value = value
        self.aval = aval or ShapedArray(value.shape, value.dtype)

    itemsize = property(lambda self: self.aval.dtype.itemsize)
    nbytes = property(lambda self: self.aval.size * self.aval.dtype.itemsize)

    def block_until_ready(self) -> Array:
        """Returns at once: minijax computes before it answers."""
        to_numpy(self)
        return self

    def delete(self) -> None:
        self._value = None

    def is_deleted(self) -> bool:
        return self._value is None

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(numbers(self).view(), dtype=dtype, copy=copy)

    def tolist(self) -> Any:
        return numbers(self).tolist()

    def item(self, *args: int) -> Any:
        return numbers(self).item(*args)

    def __reduce__(self) -> tuple:
        return Array, (np.array(to_numpy(self)), self.aval)


class ArrayImpl(Array):
    __slots__ = ()  # it is what Array(value) makes


Array.__new__ = lambda cls, *_, **__: object.__new__(ArrayImpl if cls is Array else cls)


def to_numpy(x: Any) -> np.ndarray:
    """The NumPy array inside, read-only; RuntimeError when it was deleted."""
    if x._value is None:
        how = "by x.delete(), or as a donated argument of jit. Keep a copy: x.copy()"
        raise RuntimeError(f"This Array of type {x.aval} has been deleted, {how}.")
    return x._value


def numbers(x: Any) -> np.ndarray:
    """The NumPy array inside; TypeError where its items are no numbers."""
    if isinstance(x.dtype, ExtendedDType):
        raise TypeError(f"An array of {x.dtype} holds no numbers. Use minijax.random.key_data(x).")
    return to_numpy(x)


# An array as text.


def _array_repr(x: Any) -> str:
    value = to_numpy(x)
    if isinstance(x.dtype, ExtendedDType):
        return x.dtype.array_repr(x)
    numbers = np.array2string(value, prefix="Array(", suffix=",", separator=", ")
    if not x.size:
        numbers = f"[], shape={x.shape}"
    dtype = f"dtype={x.dtype}{', weak_type=True' if x.weak_type else ''}"
    # As in JAX: a type that would stand beyond the line's end gets a wider gap.
    last_line = len(numbers) - numbers.rfind("\n") + 1
    fits = last_line + len(dtype) + 2 <= np.get_printoptions()["linewidth"]
    gap = " " * (1 if fits else len("Array("))
    return f"Array({numbers},{gap}{dtype})"


def _array_str(x: Any) -> str:
    return repr(x) if isinstance(x.dtype, ExtendedDType) else str(to_numpy(x))


def _array_format(x: Any, spec: str) -> str:
    if isinstance(x.dtype, ExtendedDType):
        return object.__format__(x, spec)
    return format(to_numpy(x)[()] if x.ndim == 0 else to_numpy(x), spec)


Array.__repr__ = _array_repr
Array.__str__ = _array_str
Array.__format__ = _array_format


def _no_item_assignment(x: Any, where: Any, value: Any) -> None:
    if x.aval.mutable:  # a tracer that stands for a reference
        return x.aval.setitem(x, where, value)
    place = safe_repr(where)
    problem = f"Arrays are immutable, so x[{place}] = ... is not possible on {x.aval}"
    raise TypeError(f"{problem}. Write x = x.at[{place}].set(...) instead.")


for _cls in (Array, Tracer):
    setattr(_cls, "__setitem__", _no_item_assignment)  # noqa: B010  (neither declares it)

# The types of values, and arrays from values.

_SCALAR_AVALS = {  # by Python type, then by whether x64 is on
    python: (ShapedArray((), NARROW.get(wide, wide), weak), ShapedArray((), wide, weak))
    for python, wide, weak in [
        (bool, np.dtype("bool"), False), (int, np.dtype("int64"), True),
        (float, np.dtype("float64"), True), (complex, np.dtype("complex128"), True),
    ]
}  # fmt: skip


def _scalar_aval(python: type) -> Any:
    return lambda x: _SCALAR_AVALS[python][config.jax_enable_x64]


def _int_aval(x: int) -> ShapedArray:
    aval = _SCALAR_AVALS[int][config.jax_enable_x64]
    bound = 1 << (8 * aval.dtype.itemsize - 1)
    if not -bound <= x < bound:
        way_out = "Make it a float, or switch on jax_enable_x64."
        raise OverflowError(f"The integer {x} does not fit in {aval.dtype}. {way_out}")
    return aval


def _numpy_aval(x: Any) -> ShapedArray:
    if hasattr(x, "_mask"):  # a numpy.ma.MaskedArray; its module is slow to import
        way_out = "Choose values for what is masked: x.filled(value)."
        raise ValueError(f"A masked array would lose its mask. {way_out}")
    return ShapedArray(x.shape, canonicalize_dtype(x.dtype))


_numpy_types = [dtype.type for dtype in dtype_registry if dtype != float0]
_numpy_types += [np.ndarray, np.longlong, np.ulonglong]
pytype_aval_mappings |= dict.fromkeys(_numpy_types, _numpy_aval)
pytype_aval_mappings |= {python: _scalar_aval(python) for python in _SCALAR_AVALS}
pytype_aval_mappings |= {int: _int_aval, ArrayImpl: lambda x: x.aval}


def is_array_like(x: Any) -> bool:
    """Whether x is a tracer, an array or a number."""
    return isinstance(x, Tracer) or type(x) in pytype_aval_mappings or aval_rule(x) is not None


def raw_value(x: Any) -> np.ndarray:
    """The NumPy array of a concrete value, in the dtype that its type says: locked, or new."""
    if type(x) is float and -1e38 < x < 1e38:  # the usual case, which can't overflow
        return np.array(x, typeof(x).dtype)
    if isinstance(x, ArrayImpl):
        return to_numpy(x)
    if isinstance(x, Typed) and not hasattr(x, "__array__"):  # a ShapeDtypeStruct (appendix E)
        raise TypeError(f"{x} has no value. Give an array, or ask for shapes: eval_shape(f, x).")
    with np.errstate(over="ignore"):
        return np.array(x, typeof(x).dtype)


def as_array(x: Any) -> Array:
    """The `Array` of a number or a NumPy array, which is copied.

    >>> as_array(1.5)
    Array(1.5, dtype=float32, weak_type=True)
    """
    return x if isinstance(x, ArrayImpl) else Array(raw_value(x), typeof(x))


def as_number(x: Any, fresh: bool = False) -> Array:
    """Like `as_array`, of a value without axes that a jaxpr shows as a number, as it is written.

    An array that is handed in must not be marked behind its owner's back: it is wrapped anew,
    unless it is `fresh`, without another owner.
    """
    array = as_array(x)
    if not hasattr(array, "number"):
        array = array if fresh or array is not x else Array(to_numpy(array), array.aval)
        is_python = isinstance(x, float | complex) and not isinstance(x, np.generic)
        array.number = x if is_python else to_numpy(array).item()
    return array


def is_number(x: Any) -> bool:
    """Whether x is a number: Python's, NumPy's, or what `as_number` has made of one."""
    if type(x) in _SCALAR_AVALS:
        return True
    if isinstance(x, Array):
        return hasattr(x, "number")
    return isinstance(x, np.generic | np.ndarray | int | float | complex) and not np.ndim(x)
