"""Dtypes beyond NumPy's, and how dtypes meet."""

from __future__ import annotations

import sys
from typing import Any

import ml_dtypes
import numpy as np
from ml_dtypes import bfloat16

from minijax.core.arguments import ShapeDtypeStruct
from minijax.core.arrays import is_array_like, result_aval_type
from minijax.core.dtypes import ExtendedDType, dtype_registry, extended, float0
from minijax.core.dtypes import canonicalize_dtype as canonical_dtype
from minijax.core.errors import TypePromotionError
from minijax.core.prng import prng_key
from minijax.core.tracing import ShapedArray, typeof
from minijax.face.boundaries import guard
from minijax.face.planned import missing_names, shown_names
from minijax.lax.elementwise.arithmetic import known_dtype, shown
from minijax.lax.elementwise.number_sizes import bits_of

__all__ = [
    "TypePromotionError",
    "bfloat16",
    "canonicalize_dtype",
    "extended",
    "finfo",
    "float0",
    "iinfo",
    "issubdtype",
    "itemsize_bits",
    "prng_key",
    "result_type",
    "scalar_type_of",
]
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)

finfo, iinfo = ml_dtypes.finfo, ml_dtypes.iinfo


def canonicalize_dtype(dtype: Any, allow_extended_dtype: bool = False) -> Any:
    """The dtype that an array gets when `dtype` is asked for: 64 bits only where switched on.

    TypeError where that is no dtype, or one that no array may have; ValueError for the dtype of
    keys, unless `allow_extended_dtype`.

    >>> canonicalize_dtype(float), canonicalize_dtype("int64")
    (dtype('float32'), dtype('int32'))
    """
    if isinstance(dtype, ExtendedDType) and not allow_extended_dtype:
        raise ValueError(
            f"dtypes.canonicalize_dtype takes dtypes of numbers, and got {dtype}. Pass "
            f"allow_extended_dtype=True."
        )
    return canonical_dtype(dtype)


def issubdtype(a: Any, b: Any) -> bool:
    """Whether a dtype belongs to a family, such as `np.floating`, or is the other dtype.

    >>> issubdtype("bfloat16", np.floating), issubdtype("int8", np.floating)
    (True, False)
    """
    if not _is_family(b):
        return not _is_family(a) and _as_dtype(a) == _as_dtype(b)
    if not _is_family(a):
        dtype = _as_dtype(a)
        a = dtype_registry[dtype].kind if dtype in dtype_registry else dtype.type
    return issubclass(a, b)


def _as_dtype(x: Any) -> Any:
    try:
        return x if isinstance(x, ExtendedDType) else np.dtype(x)
    except Exception as error:  # NumPy asks for the repr, which may raise
        got = shown(x)
        raise TypeError(f"jnp.issubdtype knows no dtype {got}. Give one as 'float32'.") from error


def _is_family(x: Any) -> bool:
    """Whether x is a class of dtypes' numbers, and not that of one dtype."""
    if not (isinstance(x, type) and issubclass(x, np.generic)):
        return False
    return issubclass(x, extended) or x in (
        np.generic, np.number, np.inexact, np.integer, np.signedinteger, np.unsignedinteger,
        np.floating, np.complexfloating, np.character, np.flexible,
    )  # fmt: skip


def result_type(*args: Any, return_weak_type_flag: bool = False) -> Any:
    """The dtype that arrays, numbers and dtypes promote to; Python's own types give way.

    None stands for the dtype of floats. With `return_weak_type_flag`, (dtype, whether it is weak).

    >>> result_type(np.int8(1), 1.5), result_type(int, "int8")
    (dtype('float32'), dtype('int8'))
    """
    if not args:
        raise ValueError("jnp.result_type got nothing. Give an array, a number or a dtype.")
    dtype, weak_type = result_aval_type([_representative(x) for x in args])
    return (dtype, weak_type) if return_weak_type_flag else dtype


def _representative(x: Any) -> Any:
    """A type without axes that promotes as x does; TypeError for what has none."""
    if x is None:
        return ShapedArray((), canonical_dtype(float))
    if any(x is python for python in (int, float, complex)):
        return typeof(x(0))
    if isinstance(x, str | type | np.dtype | ExtendedDType):
        return ShapedArray((), known_dtype("jnp.result_type", x))
    if isinstance(x, ShapeDtypeStruct):
        return x.aval
    if is_array_like(x):
        return typeof(x)
    dtype = getattr(x, "dtype", None)  # of a library's own kind of array
    if not isinstance(dtype, np.dtype | ExtendedDType):
        raise TypeError(
            f"jnp.result_type takes arrays, numbers and dtypes, and got {shown(x)}. Give these."
        )
    return ShapedArray((), canonical_dtype(dtype))


def itemsize_bits(dtype: Any) -> int:
    """How many bits a number of a dtype takes; a bool takes eight.

    >>> itemsize_bits("float32"), itemsize_bits("int4")
    (32, 4)
    """
    if dtype is None:
        raise ValueError("dtypes.itemsize_bits takes a dtype, and got None. Give one.")
    found = _as_dtype(getattr(dtype, "dtype", dtype))
    if not issubdtype(found, np.bool_) and not issubdtype(found, np.number):
        raise ValueError(f"dtypes.itemsize_bits got {found}. Give a dtype of bools or numbers.")
    return bits_of(found)


def scalar_type_of(x: Any) -> type:
    """Python's type for such numbers: bool, int, float or complex.

    >>> scalar_type_of(np.float32(1)), scalar_type_of(3)
    (<class 'float'>, <class 'int'>)
    """
    if x is None:
        raise ValueError("dtypes.scalar_type_of got None. Give an array or a number.")
    dtype = typeof(x).dtype
    for family, python in (
        (np.bool_, bool), (np.integer, int), (np.floating, float), (np.complexfloating, complex),
    ):  # fmt: skip
        if issubdtype(dtype, family):
            return python
    raise TypeError(f"dtypes.scalar_type_of got {typeof(x)}. Give numbers.")


guard(sys.modules[__name__])
