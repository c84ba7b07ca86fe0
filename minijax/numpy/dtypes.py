"""Dtypes by name, and what is known of them."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from minijax.core.arrays import Array
from minijax.core.config import enable_x64
from minijax.core.dtypes import ExtendedDType, canonicalize_dtype
from minijax.core.errors import warn
from minijax.core.tracing import typeof
from minijax.dtypes import finfo, iinfo, issubdtype, result_type
from minijax.face.boundaries import guard
from minijax.face.offers import offered
from minijax.lax.elementwise.arithmetic import known_dtype, shown
from minijax.numpy.arguments import is_array, user_dtype
from minijax.numpy.creation import new_array


class _ScalarType(type):
    """The class of `jnp.float32` and its like: a dtype's name that also makes arrays."""

    dtype: np.dtype

    def __call__(cls, x: Any) -> Any:
        name = f"jnp.{cls.__name__}"
        return new_array(name, x, user_dtype(name, cls.dtype))

    def __eq__(cls, other: Any) -> bool:
        return cls is other or cls.dtype.type == other

    def __hash__(cls) -> int:
        return hash(cls.dtype.type)

    def __instancecheck__(cls, x: Any) -> bool:
        return isinstance(x, cls.dtype.type)


def _scalar_type(name: str) -> _ScalarType:
    doc = f"The dtype {name}, and the function that makes arrays of it: jnp.{name}(x)."
    members = {"dtype": np.dtype(name), "__doc__": doc, "__module__": "minijax.numpy"}
    return _ScalarType(name, (), members)


bool_ = _scalar_type("bool")
int1 = _scalar_type("int1")
int2 = _scalar_type("int2")
int4 = _scalar_type("int4")
int8 = _scalar_type("int8")
int16 = _scalar_type("int16")
int32 = _scalar_type("int32")
int64 = int_ = _scalar_type("int64")
uint1 = _scalar_type("uint1")
uint2 = _scalar_type("uint2")
uint4 = _scalar_type("uint4")
uint8 = _scalar_type("uint8")
uint16 = _scalar_type("uint16")
uint32 = _scalar_type("uint32")
uint64 = uint = _scalar_type("uint64")
float4_e2m1fn = _scalar_type("float4_e2m1fn")
float6_e2m3fn = _scalar_type("float6_e2m3fn")
float6_e3m2fn = _scalar_type("float6_e3m2fn")
float8_e3m4 = _scalar_type("float8_e3m4")
float8_e4m3 = _scalar_type("float8_e4m3")
float8_e4m3b11fnuz = _scalar_type("float8_e4m3b11fnuz")
float8_e4m3fn = _scalar_type("float8_e4m3fn")
float8_e4m3fnuz = _scalar_type("float8_e4m3fnuz")
float8_e5m2 = _scalar_type("float8_e5m2")
float8_e5m2fnuz = _scalar_type("float8_e5m2fnuz")
float8_e8m0fnu = _scalar_type("float8_e8m0fnu")
bfloat16 = _scalar_type("bfloat16")
float16 = _scalar_type("float16")
float32 = _scalar_type("float32")
float64 = float_ = _scalar_type("float64")
complex64 = _scalar_type("complex64")
complex128 = complex_ = _scalar_type("complex128")

bool = bool_
single, double = float32, float64
csingle, cdouble = complex64, complex128

# Families of dtypes, for `issubdtype`.

generic, number, inexact = np.generic, np.number, np.inexact
integer, signedinteger, unsignedinteger = np.integer, np.signedinteger, np.unsignedinteger
floating, complexfloating = np.floating, np.complexfloating
character, flexible, object_ = np.character, np.flexible, np.object_
ComplexWarning = np.exceptions.ComplexWarning

dtype = np.dtype

__all__ = ["finfo", "iinfo", "issubdtype", "result_type"]


def promote_types(a: Any, b: Any) -> np.dtype:
    """The smallest dtype that holds both, by JAX's lattice; 64 bits only where one of them has.

    >>> promote_types("int8", "uint8"), promote_types("int64", "int8")
    (dtype('int16'), dtype('int64'))
    """
    is_wide = any(known_dtype("jnp.promote_types", x) != np.dtype(x) for x in (a, b))
    with enable_x64(True):
        bound = result_type(*(x if isinstance(x, type) else np.dtype(x) for x in (a, b)))
    return bound if is_wide else canonicalize_dtype(bound)


# What is asked of dtypes and of values.

can_cast, iterable = np.can_cast, np.iterable
_KINDS = {
    "bool": (np.bool_,), "signed integer": (np.signedinteger,),
    "unsigned integer": (np.unsignedinteger,), "integral": (np.integer,),
    "real floating": (np.floating,), "complex floating": (np.complexfloating,),
    "numeric": (np.number,),
}  # fmt: skip


def isdtype(dtype: Any, kind: Any) -> builtins.bool:
    """Whether a dtype is of a kind, such as "real floating", or one of several: a tuple.

    The kinds are "bool", "signed integer", "unsigned integer", "integral", "real floating",
    "complex floating" and "numeric"; a dtype is a kind, too. An array stands for its dtype.

    >>> isdtype("int8", "integral"), isdtype("int8", ("bool", "float32"))
    (True, False)
    """
    dtype = _dtype_of(dtype)
    if not isinstance(dtype, ExtendedDType):
        known_dtype("jnp.isdtype", dtype)  # a TypeError, for what is none
        dtype = np.dtype(dtype)
    return any(_is_of_kind(dtype, one) for one in (kind if isinstance(kind, tuple) else (kind,)))


def _dtype_of(x: Any) -> Any:
    """What an array stands for, with a warning; anything else is itself."""
    if not isinstance(x, Array):
        return x
    warn(f"jnp.isdtype got {shown(x)}. Give its x.dtype.", DeprecationWarning)
    return x.dtype


def _is_of_kind(dtype: Any, kind: Any) -> builtins.bool:
    kind = _dtype_of(kind)
    if isinstance(kind, str) and kind in _KINDS:
        return any(issubdtype(dtype, family) for family in _KINDS[kind])
    if not isinstance(kind, str | type | np.dtype):
        got = shown(kind)
        raise TypeError(f"jnp.isdtype takes a kind, or a dtype, and got {got}. Give its name.")
    try:
        return dtype == np.dtype(kind)
    except TypeError as error:
        raise ValueError(
            f"jnp.isdtype knows no kind {shown(kind)}. Give a dtype, or one of\n"
            f"{', '.join(_KINDS)}."
        ) from error


def isscalar(element: Any) -> builtins.bool:
    """Whether something is one number, or a text: an array without axes is, too.

    >>> isscalar(3.0), isscalar([3.0])
    (True, False)
    """
    if np.isscalar(element):
        return True
    element = offered(element)
    return is_array(element) and not typeof(element).ndim


guard(_ScalarType)
