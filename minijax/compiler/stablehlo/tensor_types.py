"""Types and constants as MLIR writes them: `tensor<2x3xf32>`, `dense<1.0>`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from minijax.core.dtypes import (
    ExtendedDType, bfloat16, dtype_registry, float0, is_constant_shape, issubdtype, storage_dtype,
)
from minijax.core.prng import prng_key
from minijax.core.tracing import ShapedArray

BOOL, INT32, UINT32 = np.dtype(np.bool_), np.dtype(np.int32), np.dtype(np.uint32)
FLOAT32 = np.dtype(np.float32)
TOKEN = "token"  # in a dtype's place


class TensorType(NamedTuple):
    """The type of a value in the text; str() of it is its text."""

    shape: tuple[int, ...]
    dtype: Any

    def __str__(self) -> str:
        if self.dtype == TOKEN:
            return "!stablehlo.token"
        return f"tensor<{''.join(f'{n}x' for n in self.shape)}{element_type(self.dtype)}>"

    ndim = property(lambda self: len(self.shape))

    def of(self, dtype: Any) -> TensorType:
        """The type with other elements."""
        return TensorType(self.shape, np.dtype(dtype))

    def shaped(self, shape: Iterable[int]) -> TensorType:
        return TensorType(tuple(shape), self.dtype)


def element_type(dtype: np.dtype) -> str:
    """The name of a type of numbers.

    >>> element_type(np.dtype("complex64")), element_type(np.dtype("uint8")), element_type(BOOL)
    ('complex<f32>', 'ui8', 'i1')
    """
    name, kind = dtype.name, dtype_registry[dtype].kind
    if dtype == BOOL:
        return "i1"
    if dtype == bfloat16:
        return "bf16"
    if issubclass(kind, np.complexfloating):
        return f"complex<f{4 * dtype.itemsize}>"
    if issubclass(kind, np.floating):
        return "f" + name.removeprefix("float").replace("_", "").upper()
    return name.replace("uint", "ui").replace("int", "i")


def type_of(aval: Any) -> TensorType:
    """The type of what is in a variable: of keys their words, of float0 bools.

    NotImplementedError for a dtype that XLA has not.
    """
    if not isinstance(aval, ShapedArray):
        return TensorType((), TOKEN)
    if not is_constant_shape(aval.shape):
        raise NotImplementedError(
            f"StableHLO is written for fixed sizes, and {aval} has symbolic dimensions.\n"
            f"Give the function arguments of fixed sizes."
        )
    if aval.dtype == float0:
        return TensorType(aval.shape, BOOL)
    if issubdtype(aval.dtype, prng_key):
        return TensorType((*aval.shape, 2), UINT32)
    if isinstance(aval.dtype, ExtendedDType):
        raise NotImplementedError(
            f"StableHLO has no type for {aval}. Convert to an array of numbers first."
        )
    return TensorType(aval.shape, np.dtype(aval.dtype))


def is_key(aval: Any) -> bool:
    return isinstance(aval, ShapedArray) and issubdtype(aval.dtype, prng_key)


def numpy_of(x: Any, aval: Any) -> np.ndarray:
    """The NumPy array of a value of this type, in the form in which programs take it."""
    value = getattr(x, "_value", x)
    if is_key(aval):
        return value["words"]
    if aval.dtype == float0:
        return np.zeros(aval.shape, np.bool_)
    return np.asarray(value, storage_dtype(aval.dtype))


# Constants.

FEW = 32  # numbers that are written one by one
LISTED = {BOOL, *(np.dtype(name) for name in (  # of fewer bits than a byte: always so
    "int2", "int4", "uint2", "uint4", "int1", "uint1", "float4_e2m1fn", "float6_e2m3fn",
    "float6_e3m2fn",
))}  # fmt: skip


def dense(x: np.ndarray) -> str:
    """An array as the text of a constant.

    >>> dense(np.array([1, 2])), dense(np.zeros((2, 2), np.float32)), dense(np.array([True]))
    ('dense<[1, 2]>', 'dense<0.000000e+00>', 'dense<true>')
    """
    if not x.size:
        return "dense<>"
    flat = np.ascontiguousarray(x).reshape(-1)
    if flat.tobytes() == flat[:1].tobytes() * x.size:
        return f"dense<{number(flat[0])}>"
    if x.size > FEW and x.dtype not in LISTED:
        return f'dense<"0x{x.tobytes().hex().upper()}">'
    return f"dense<{_nested(x)}>"


def _nested(x: np.ndarray) -> str:
    return f"[{', '.join(map(_nested, x))}]" if x.ndim else number(x[()])


def number(x: Any) -> str:
    """One number: floats so that each reads as exactly this one, or by their bits."""
    dtype = np.dtype(type(x))
    if dtype == BOOL:
        return "true" if x else "false"
    if issubdtype(dtype, np.complexfloating):
        return f"({number(x.real)}, {number(x.imag)})"
    if issubdtype(dtype, np.integer):
        return str(int(x))
    wide = float(x)
    text = f"{wide:e}"
    if np.isfinite(wide) and np.array(float(text)).astype(dtype).tobytes() == x.tobytes():
        return text
    if np.isfinite(wide) and dtype.kind == "f" and dtype.itemsize > 2:
        return _with_point(repr(x.item()) if dtype.itemsize == 8 else np.format_float_scientific(x))
    return f"0x{int.from_bytes(np.asarray(x).tobytes(), 'little'):0{2 * dtype.itemsize}X}"


def _with_point(text: str) -> str:
    """MLIR asks for digits on both sides of a point."""
    digits, _, power = text.partition("e")
    whole, _, rest = digits.partition(".")
    return f"{whole}.{rest or '0'}" + (f"e{power}" if power else "")


# Names and other pieces of text.


def safe_name(text: str) -> str:
    """A name in which everything that MLIR might take for its own is a _.

    >>> safe_name("jit(<lambda>)"), safe_name("")
    ('jit__lambda', '_')
    """
    name = re.sub(r"[^A-Za-z0-9_.]", "_", text).rstrip("_")
    return f"_{name}" if not name or not re.match(r"[A-Za-z_]", name) else name


_COMPOSITE = re.compile(r"[a-zA-Z][a-zA-Z0-9_]*(\.[a-zA-Z0-9_$]+)+")


def check_composite_name(name: str) -> str:
    """A composite's name, where a compiler takes it; ValueError where none does."""
    if not _COMPOSITE.fullmatch(name):
        raise ValueError(
            f"A composite with the name {name!r} can't be compiled. Give it one of two parts or "
            f"more, of letters, digits and _, as 'my_library.norm'."
        )
    return name


def quoted(text: str) -> str:
    """Text in quotes, in which only harmless characters stand as they are."""
    return '"' + "".join(
        c if re.match(r"[\w ./()<>\[\]:,=+'-]", c, re.ASCII) else "".join(
            f"\\{byte:02X}" for byte in c.encode("utf-8", "replace")
        )
        for c in text
    ) + '"'  # fmt: skip


def integers(values: Sequence[int]) -> str:
    """[1, 2]"""
    return f"[{', '.join(str(int(n)) for n in values)}]"


def array(values: Sequence[int]) -> str:
    """array<i64: 1, 2>"""
    return f"array<i64: {', '.join(str(int(n)) for n in values)}>" if values else "array<i64>"


def matrix(rows: Sequence[Sequence[int]]) -> str:
    """dense<[[1, 2]]> : tensor<1x2xi64>"""
    if not rows:
        return "dense<> : tensor<0x2xi64>"
    return f"dense<{integers_nested(rows)}> : tensor<{len(rows)}x{len(rows[0])}xi64>"


def integers_nested(rows: Sequence[Sequence[int]]) -> str:
    return f"[{', '.join(map(integers, rows))}]"
