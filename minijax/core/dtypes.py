"""Dtypes: the kinds of numbers that arrays hold, a registry of them, and the user's way to ask."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np

from minijax.core.config import config
from minijax.core.errors import safe_repr


class DTypeInfo(NamedTuple):
    """What the machine knows of a dtype."""

    kind: type  # NumPy's class of such numbers, or one of our own
    short_name: str  # as a jaxpr prints it
    tangent_dtype: Any  # of a small change of such a value; float0 where there is none


float0 = np.dtype([("float0", np.void, 0)])  # the type of a derivative that does not exist
dtype_registry: dict[Any, DTypeInfo] = {float0: DTypeInfo(np.void, "float0", float0)}


def register_dtype(dtype: Any, kind: type, short_name: str, tangent_dtype: Any = float0) -> None:
    """Lets arrays have a dtype."""
    dtype_registry[dtype] = DTypeInfo(kind, short_name, tangent_dtype)


def issubdtype(dtype: Any, *kinds: type) -> bool:
    """Whether a dtype is of one of these kinds.

    >>> issubdtype(np.dtype("float32"), np.inexact), issubdtype(bfloat16, np.integer, np.bool_)
    (True, False)
    """
    return issubclass(dtype_registry[dtype].kind, kinds)


# Those of NumPy, and those that the package ml_dtypes adds. Of fewer than 8 bits, each number takes
# a byte in memory. The name of a small float says how many bits are exponent (e) and mantissa (m):
# `fn` has no infinities, `uz` no negative zero, and e8m0fnu no sign at all.

for _kind, _word, _formats in [
    (np.signedinteger, "int", "1 2 4 8 16 32 64"), (np.unsignedinteger, "uint", "1 2 4 8 16 32 64"),
    (np.complexfloating, "complex", "64 128"), (np.floating, "float", "16 32 64 4_e2m1fn 6_e2m3fn "
        "6_e3m2fn 8_e3m4 8_e4m3 8_e4m3b11fnuz 8_e4m3fn 8_e4m3fnuz 8_e5m2 8_e5m2fnuz 8_e8m0fnu"),
]:  # fmt: skip
    for _format in _formats.split():
        _dtype = np.dtype(_word + _format)
        register_dtype(_dtype, _kind, _word[0] + _format, float0 if "int" in _word else _dtype)
bfloat16 = np.dtype(ml_dtypes.bfloat16)
register_dtype(bfloat16, np.floating, "bf16", bfloat16)
register_dtype(np.dtype("bool"), np.bool_, "bool")


def is_narrow(dtype: Any) -> bool:
    """Whether it is one of floats of fewer than 32 bits."""
    return issubdtype(dtype, np.floating) and dtype.itemsize < 4


# Those of our own.


class extended(np.generic):
    """The kind of dtypes that NumPy does not have."""


class ExtendedDType:
    """A dtype that NumPy does not have, such as that of random keys.

    NumPy keeps its values in the dtype `storage`, one item for each.
    """

    storage: np.dtype

    def array_repr(self, x: Any) -> str:
        """An array of this dtype as text."""
        raise NotImplementedError(f"{type(self).__name__} has no array_repr. Define one.")


def storage_dtype(dtype: Any) -> np.dtype:
    """The dtype in which NumPy keeps values of a dtype."""
    return dtype.storage if isinstance(dtype, ExtendedDType) else dtype


# What is asked for, and what one gets.

NARROW = {
    np.dtype(f"{kind}{2 * bits}"): np.dtype(f"{kind}{bits}")
    for kind, bits in [("int", 32), ("uint", 32), ("float", 32), ("complex", 64)]
}
_PYTHON_SCALARS = {
    bool: np.dtype("bool"), int: np.dtype("int64"),
    float: np.dtype("float64"), complex: np.dtype("complex128"),
}  # fmt: skip


def canonicalize_dtype(dtype: Any) -> Any:
    """The dtype that an array gets when `dtype` is asked for: 64 bits only where switched on.

    TypeError where that is no dtype, or one that no array may have.

    >>> canonicalize_dtype(float), canonicalize_dtype("int64")
    (dtype('float32'), dtype('int32'))
    """
    if isinstance(dtype, ExtendedDType):
        return dtype
    try:
        dtype = _PYTHON_SCALARS.get(dtype) or np.dtype(dtype)
    except Exception as error:  # NumPy asks for the repr, which may raise
        got = safe_repr(dtype)
        raise TypeError(f"{got} is not a dtype. Give one such as 'float32' or int.") from error
    if dtype not in dtype_registry:
        raise TypeError(
            f"No array has the dtype {dtype}: arrays hold bools and numbers, in the machine's own "
            f"byte order. Convert to one such as float32 first."
        )
    return dtype if config.jax_enable_x64 else NARROW.get(dtype, dtype)


# Of several numbers, one: as XLA chooses.


def chooser(numpy_fun: np.ufunc, wins: np.ufunc, of_bits: np.ufunc) -> Any:
    """max or min of arrays of one dtype: -0.0 is below 0.0, and NaN wins over any other float.

    Complex numbers go by real parts, then by imaginary ones; where neither wins, it is the second.
    `of_bits` makes the right zero of two: its sign is the only bit that may be set.
    """

    def choose(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        kind = x.dtype.kind
        if kind == "c":
            wins_by_real, wins_by_imag = wins(x.real, y.real), wins(x.imag, y.imag)
            return np.where(np.where(x.real == y.real, wins_by_imag, wins_by_real), x, y)
        chosen = numpy_fun(x, y)
        if kind in "biu" or not np.count_nonzero(ties := x == y):
            return chosen
        bits = f"u{x.dtype.itemsize}"
        return np.where(ties, of_bits(x.view(bits), y.view(bits)).view(x.dtype), chosen)

    return choose


def with_signs_of_zeros(numpy_fun: Callable) -> Callable:
    """A function that chooses among the numbers of arrays: -0.0 is below 0.0 then."""

    def order(x: Any) -> Any:
        """Zeros become numbers of their sign, with which all others keep their order."""
        is_float = isinstance(x, np.ndarray) and issubdtype(x.dtype, np.floating)
        return np.copysign(np.where(x == 0, 1, 2), x) if is_float else x

    def fun(x: np.ndarray, *args: Any, **params: Any) -> np.ndarray:
        chosen = numpy_fun(x, *args, **params)
        if not issubdtype(x.dtype, np.floating) or not np.any(zeros := chosen == 0):
            return chosen
        signs = numpy_fun(*map(order, (x, *args)), **params)
        return np.where(zeros, np.copysign(np.zeros_like(chosen), signs), chosen)

    return fun


maximum = chooser(np.maximum, np.greater, np.bitwise_and)
minimum = chooser(np.minimum, np.less, np.bitwise_or)


# Sizes.


class SymbolicDimension:
    """A size that is not known yet. It calculates as an int does, and is no int."""

    __slots__ = ()
    staged: Callable[[Any], Any]  # its value, in a program that this trace is writing


def is_constant_shape(sizes: Iterable) -> bool:
    """Whether all of the sizes are known."""
    return not any([isinstance(n, SymbolicDimension) for n in sizes])


def integers(values: Iterable) -> tuple:
    """The values as a tuple of ints, in which symbolic dimensions stay as they are; TypeError for
    floats and tracers."""
    return tuple([n if isinstance(n, SymbolicDimension) else operator.index(n) for n in values])
