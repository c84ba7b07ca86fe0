"""Arrays: immutable values over NumPy, their dtypes, and how dtypes meet."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np

from minijax.core.tracing import (
    ShapedArray,
    Tracer,
    Typed,
    bfloat16,
    dtype_kind,
    float0,
    pytype_aval_mappings,
    typeof,
)

# Settings, for the process and for a thread.


class Config(threading.local):
    """The switches, by JAX's names: class attributes, which a thread may cover with its own.

    >>> config.jax_enable_x64
    False
    """

    jax_enable_x64 = False
    jax_disable_jit = False
    jax_numpy_dtype_promotion = "standard"

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"Options are set with config.update({name!r}, {value!r}).")

    def update(self, name: str, value: Any) -> None:
        """Sets an option for every thread."""
        if not name.startswith("jax_") or not hasattr(Config, name):
            options = [option for option in vars(Config) if option.startswith("jax_")]
            raise AttributeError(f"There is no option {name!r}; there are {options}.")
        setattr(Config, name, _option_value(name, value))

    @contextmanager
    def override(self, name: str, value: Any) -> Iterator[None]:
        """Sets an option for this thread, inside a `with` block."""
        outer = {option: old for option, old in vars(self).items() if option == name}
        vars(self)[name] = _option_value(name, value)
        try:
            yield
        finally:
            vars(self).pop(name)
            vars(self).update(outer)


config = Config()


def _option_value(name: str, value: Any) -> Any:
    """The value as the option keeps it: a bool, or one of the modes of promotion."""
    if isinstance(getattr(Config, name), bool):
        return bool(value)
    if value not in ("standard", "strict"):
        raise ValueError(f"{name} is 'standard' or 'strict'; got {value!r}.")
    return value


def enable_x64(new_val: bool = True) -> Any:
    """A context in which int, float and complex have 64, 64 and 128 bits.

    >>> with enable_x64(True):
    ...     typeof(1.0).dtype
    dtype('float64')
    """
    return config.override("jax_enable_x64", new_val)


def numpy_dtype_promotion(new_val: str = "standard") -> Any:
    """A context in which mixed dtypes meet as usual ("standard") or are refused ("strict")."""
    return config.override("jax_numpy_dtype_promotion", new_val)


# Which dtypes there are.

_NARROW = {
    np.dtype(wide): np.dtype(narrow)
    for wide, narrow in [
        ("int64", "int32"), ("uint64", "uint32"),
        ("float64", "float32"), ("complex128", "complex64"),
    ]
}  # fmt: skip
_PYTHON_SCALARS = {
    bool: np.dtype("bool"), int: np.dtype("int64"),
    float: np.dtype("float64"), complex: np.dtype("complex128"),
}  # fmt: skip


_DTYPES = {bfloat16, float0} | {np.dtype(name) for name in [
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "complex64", "complex128"]}  # fmt: skip


def canonicalize_dtype(dtype: Any) -> np.dtype:
    """The dtype that an array gets when `dtype` is asked for: 64 bits only where switched on.

    >>> canonicalize_dtype(float), canonicalize_dtype("int64")
    (dtype('float32'), dtype('int32'))
    """
    try:
        dtype = _PYTHON_SCALARS.get(dtype) or np.dtype(dtype)
    except TypeError as error:
        raise TypeError(f"{dtype!r} is not a dtype") from error
    if dtype not in _DTYPES:
        raise TypeError(f"Arrays hold bools and numbers; {dtype} is not a dtype for them")
    return dtype if config.jax_enable_x64 else _NARROW.get(dtype, dtype)


# How dtypes meet: a lattice, with Python's numbers as weak types in it.

_LATTICE = {
    "bool": [int], int: ["uint8", "int8"],
    "uint8": ["int16", "uint16"], "uint16": ["int32", "uint32"], "uint32": ["int64", "uint64"],
    "uint64": [float], "int8": ["int16"], "int16": ["int32"], "int32": ["int64"], "int64": [float],
    float: ["bfloat16", "float16", complex], "bfloat16": ["float32"], "float16": ["float32"],
    "float32": ["float64", "complex64"], "float64": ["complex128"],
    complex: ["complex64"], "complex64": ["complex128"], "complex128": [],
}  # fmt: skip


@cache
def _upper_bounds(node: Any) -> frozenset:
    return frozenset([node]).union(*map(_upper_bounds, _LATTICE[node]))


@cache
def _least_upper_bound(nodes: frozenset) -> Any:
    """The one common upper bound that is below all the others."""
    bounds = frozenset.intersection(*map(_upper_bounds, nodes))
    (least,) = [node for node in bounds if bounds <= _upper_bounds(node)]
    return least


class TypePromotionError(ValueError):
    """Two dtypes met that the promotion mode in force keeps apart."""


def _weak_node(dtype: np.dtype) -> Any:
    return {"b": "bool", "i": int, "u": int, "f": float, "c": complex}[dtype_kind(dtype)]


def _check_promotion(strong: set[str], bound: Any) -> None:
    if config.jax_numpy_dtype_promotion == "strict" and strong and strong != {bound}:
        raise TypePromotionError(
            f"Strict promotion is on, and the operands have the dtypes {sorted(strong)}, which "
            f"would become {bound}. Convert one of them with x.astype(dtype)."
        )


def result_aval_type(avals: Sequence[ShapedArray]) -> tuple[np.dtype, bool]:
    """The dtype, and its weakness, of an operation on values of these types."""
    first = avals[0]
    if all(aval.dtype is first.dtype for aval in avals):
        return first.dtype, all(aval.weak_type for aval in avals)
    strong = {str(aval.dtype) for aval in avals if not aval.weak_type}
    weak = {_weak_node(aval.dtype) for aval in avals if aval.weak_type}
    bound = _least_upper_bound(frozenset(strong | weak))
    _check_promotion(strong, bound)
    if isinstance(bound, str):
        return canonicalize_dtype(bound), False
    return canonicalize_dtype(bound), True


def result_type(*args: Any, return_weak_type_flag: bool = False) -> Any:
    """The dtype that arrays, numbers and dtypes promote to.

    >>> result_type(np.int8(1), 1.5), result_type("uint8", "int8")
    (dtype('float32'), dtype('int16'))
    """
    avals = [
        ShapedArray((), canonicalize_dtype(x)) if isinstance(x, str | type | np.dtype)
        else typeof(x)
        for x in args
    ]
    dtype, weak_type = result_aval_type(avals)
    return (dtype, weak_type) if return_weak_type_flag else dtype


# The array.


class Device:
    """What arrays live on. There is one: the CPU."""

    platform = device_kind = "cpu"
    id = process_index = 0

    def __repr__(self) -> str:
        return f"CpuDevice(id={self.id})"

    def __str__(self) -> str:
        return f"cpu:{self.id}"


_CPU = Device()


def devices(backend: str | None = None) -> list[Device]:
    """All devices.

    >>> devices()
    [CpuDevice(id=0)]
    """
    if backend not in (None, "cpu"):
        raise RuntimeError(f"devices() was asked for {backend!r}; there is only 'cpu'.")
    return [_CPU]


class _ArrayMeta(type):
    """`isinstance(x, Array)` is true of tracers too: they stand for arrays."""

    def __instancecheck__(cls, x: Any) -> bool:
        return type(x) is cls or isinstance(x, Tracer)


class Array(Typed, metaclass=_ArrayMeta):
    """An immutable array: a NumPy array that nobody writes to, and its type.

    Operators and methods that compute are put on this class, as on `Tracer`, by the modules
    that define them.

    >>> Array(np.arange(3, dtype=np.float32))
    Array([0., 1., 2.], dtype=float32)
    """

    __slots__ = ("_value", "aval", "number", "__weakref__")
    __array_priority__ = 100  # np.ndarray + Array asks the Array
    __hash__ = None

    def __init__(self, value: np.ndarray, aval: ShapedArray | None = None) -> None:
        value.setflags(write=False)
        self._value = value
        self.aval = aval or ShapedArray(value.shape, value.dtype)

    itemsize = property(lambda self: self.aval.dtype.itemsize)
    nbytes = property(lambda self: self.aval.size * self.aval.dtype.itemsize)
    device = property(lambda self: _CPU)

    def devices(self) -> set[Device]:
        return {_CPU}

    def block_until_ready(self) -> Array:
        """Returns at once: minijax computes before it answers."""
        return self

    def delete(self) -> None:
        self._value = None

    def is_deleted(self) -> bool:
        return self._value is None

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(to_numpy(self), dtype=dtype, copy=copy)

    def tolist(self) -> Any:
        return to_numpy(self).tolist()

    def item(self, *args: int) -> Any:
        return to_numpy(self).item(*args)

    def __reduce__(self) -> tuple:
        return _rebuild_array, (np.array(to_numpy(self)), self.weak_type)


def to_numpy(x: Array) -> np.ndarray:
    """The NumPy array inside, read-only; RuntimeError when it was deleted."""
    if x._value is None:
        raise RuntimeError(f"This Array of type {x.aval} has been deleted (x.delete()).")
    return x._value


def _rebuild_array(value: np.ndarray, weak_type: bool) -> Array:
    return Array(value, ShapedArray(value.shape, value.dtype, weak_type))


# An array as text.


def _array_repr(x: Array) -> str:
    value = to_numpy(x)
    width = np.get_printoptions()["linewidth"]
    numbers = np.array2string(value, prefix="Array(", suffix=",", separator=", ",
                              max_line_width=width)  # fmt: skip
    if not x.size:
        numbers = f"[], shape={x.shape}"
    dtype = f"dtype={x.dtype}{', weak_type=True' if x.weak_type else ''}"
    # As in JAX: a type that would stand beyond the line's end gets a wider gap.
    last_line = len(numbers) - numbers.rfind("\n") + 1
    gap = " " * (1 if last_line + len(dtype) + 2 <= width else len("Array("))
    return f"Array({numbers},{gap}{dtype})"


def _array_format(x: Array, spec: str) -> str:
    return format(to_numpy(x)[()] if x.ndim == 0 else to_numpy(x), spec)


Array.__repr__ = _array_repr
Array.__str__ = lambda x: str(to_numpy(x))
Array.__format__ = _array_format

# An array as a Python number.


def _scalar(x: Array, name: str) -> Any:
    if x.ndim:
        raise TypeError(f"{name}() takes an array with no dimensions, and got {x.aval}. Try x[0].")
    if dtype_kind(x.dtype) == "c" and name != "complex":
        raise TypeError(f"{name}() takes a real number, and got {x.aval}. Try abs(x).")
    return to_numpy(x)[()]


def _array_bool(x: Array) -> bool:
    if x.size != 1:
        raise ValueError(
            f"bool() of {x.aval}: the truth of {x.size} values at once is not defined. "
            f"Use x.any() or x.all()."
        )
    return bool(to_numpy(x).reshape(())[()])


def _array_index(x: Array) -> int:
    if x.ndim or dtype_kind(x.dtype) not in "iu":
        raise TypeError(f"Only an integer array with no dimensions is an index; got {x.aval}.")
    return int(to_numpy(x))


def _array_iter(x: Array) -> Iterator[Array]:
    if not x.ndim:
        raise TypeError(f"Iteration over {x.aval}: it has no dimensions.")
    row = x.aval.update(shape=x.shape[1:])
    return (Array(np.asarray(value), row) for value in to_numpy(x))


Array.__bool__ = _array_bool
Array.__int__ = lambda x: int(_scalar(x, "int"))
Array.__float__ = lambda x: float(_scalar(x, "float"))
Array.__complex__ = lambda x: complex(_scalar(x, "complex"))
Array.__index__ = _array_index
Array.__iter__ = _array_iter


def _no_item_assignment(x: Any, where: Any, value: Any) -> None:
    raise TypeError(
        f"Arrays are immutable, so x[{where!r}] = ... is not possible on {x.aval}. "
        f"Write x = x.at[{where!r}].set(...) instead."
    )


Array.__setitem__ = Tracer.__setitem__ = _no_item_assignment

# The types of values, and arrays from values.

_SCALAR_AVALS = {  # by Python type, then by whether x64 is on
    python: (ShapedArray((), _NARROW.get(wide, wide), weak), ShapedArray((), wide, weak))
    for python, wide, weak in [
        (bool, np.dtype("bool"), False), (int, np.dtype("int64"), True),
        (float, np.dtype("float64"), True), (complex, np.dtype("complex128"), True),
    ]
}  # fmt: skip


def _scalar_aval(x: Any) -> ShapedArray:
    return _SCALAR_AVALS[type(x)][config.jax_enable_x64]


def _int_aval(x: int) -> ShapedArray:
    aval = _scalar_aval(x)
    bound = 1 << (8 * aval.dtype.itemsize - 1)
    if not -bound <= x < bound:
        way_out = "Make it a float, or switch on jax_enable_x64."
        raise OverflowError(f"The integer {x} does not fit in {aval.dtype}. {way_out}")
    return aval


def _numpy_aval(x: Any) -> ShapedArray:
    return ShapedArray(x.shape, canonicalize_dtype(x.dtype))


pytype_aval_mappings.update({python: _scalar_aval for python in _SCALAR_AVALS} | {int: _int_aval})
pytype_aval_mappings.update({
    scalar: _numpy_aval
    for scalar in [np.ndarray, *(dtype.type for dtype in _DTYPES if dtype != float0)]
})
pytype_aval_mappings[Array] = lambda x: x.aval


def is_array_like(x: Any) -> bool:
    """Whether x is a tracer, an array or a number."""
    return isinstance(x, Tracer) or type(x) in pytype_aval_mappings


def raw_value(x: Any) -> np.ndarray:
    """The NumPy array of a concrete value, in the dtype that its type says: locked, or new."""
    if type(x) is Array:
        return to_numpy(x)
    with np.errstate(over="ignore"):
        return np.array(x, typeof(x).dtype)


def as_array(x: Any) -> Array:
    """The `Array` of a number or a NumPy array, which is copied.

    >>> as_array(1.5)
    Array(1.5, dtype=float32, weak_type=True)
    """
    if type(x) is Array:
        return x
    array = Array(raw_value(x), typeof(x))
    if type(x) in (float, complex):
        array.number = x  # for a jaxpr, which shows the number as it was written
    return array
