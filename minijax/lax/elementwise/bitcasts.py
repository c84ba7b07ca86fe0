"""The same bits, read as other numbers: of the same size, of parts, or several as one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from minijax.compiler.lowerings import register_lowering
from minijax.compiler.special_cases.half_floats import HALVES, from_bits_p, to_bits_p
from minijax.core.batching import moveaxis, primitive_batchers
from minijax.core.dtypes import ExtendedDType, issubdtype
from minijax.core.forward import primitive_jvps, zero_jvp
from minijax.core.primitives import numpy_primitive
from minijax.core.staging import JaxprEqn
from minijax.core.tracing import ShapedArray, typeof
from minijax.lax.elementwise.arithmetic import dtype_for
from minijax.lax.elementwise.number_sizes import as_numbers, bits_of, is_small, resized, words_of
from minijax.lax.kernel_parts import Part


def _bitcast_rule(x: ShapedArray, *, new_dtype: np.dtype) -> ShapedArray:
    if isinstance(x.dtype, ExtendedDType) or isinstance(new_dtype, ExtendedDType):
        raise ValueError(
            f"lax.bitcast_convert_type takes numbers, and got {x.dtype} and {new_dtype}.\n"
            f"Use random.key_data for the bits of keys."
        )
    if x.dtype == new_dtype:
        return x.update(weak_type=False)
    shape, old, new = x.shape, bits_of(x.dtype), bits_of(new_dtype)
    if old > new:
        shape = (*shape, old // new)
    elif old < new:
        if not shape or shape[-1] * old != new:
            raise ValueError(
                f"lax.bitcast_convert_type makes one {new_dtype} of {new // old} {x.dtype}, and "
                f"got the shape {shape}.\nGive an array whose last axis has the size {new // old}."
            )
        shape = shape[:-1]
    for dtype in (x.dtype, new_dtype):
        if issubdtype(dtype, np.bool_, np.complexfloating):
            raise TypeError(
                f"lax.bitcast_convert_type takes integers and floats, and got {dtype}.\n"
                f"Use lax.convert_element_type for values."
            )
    return ShapedArray(shape, new_dtype)


def _numpy_bitcast(x: np.ndarray, new_dtype: np.dtype) -> np.ndarray:
    if is_small(x.dtype) or is_small(new_dtype):
        same_size = bits_of(x.dtype) == bits_of(new_dtype)
        return as_numbers(words_of(x), new_dtype) if same_size else resized(x, new_dtype)
    x = np.asarray(x, order="C")
    if x.dtype.itemsize == new_dtype.itemsize:
        return x.view(new_dtype)
    if x.dtype.itemsize > new_dtype.itemsize:
        return x[..., None].view(new_dtype)
    return x.view(new_dtype)[..., 0]


def _bitcast_batcher(args, dims, *, new_dtype):
    (x,), (d,) = args, dims
    if bits_of(typeof(x).dtype) < bits_of(new_dtype):
        x, d = moveaxis(x, d, 0), 0  # for the parts that become one are the last axis
    return bitcast_convert_type_p.bind(x, new_dtype=new_dtype), d


def _bitcast_template(
    in_dtypes: Sequence[np.dtype], out_dtype: np.dtype, new_dtype: np.dtype
) -> str | None:
    """Where a number stays one number."""
    (dtype,) = in_dtypes
    if dtype.itemsize != out_dtype.itemsize:
        return None
    return "{0}" if dtype == out_dtype else f"{dtype}({{0}}).view({out_dtype})"


def _bitcast_part(eqn: JaxprEqn) -> Any:
    """The parts of a number, or a number of its parts, whose lowest bits come first."""
    part, [x], [out] = Part(eqn), eqn.invars, eqn.outvars
    array, old, new = part.array(x), x.aval.dtype, out.aval.dtype
    word, small = (f"uint{8 * size(old.itemsize, new.itemsize)}" for size in (max, min))
    width = 8 * min(old.itemsize, new.itemsize)
    shifts = range(0, 8 * max(old.itemsize, new.itemsize), width)

    def bits(text: str, dtype: np.dtype) -> str:
        return f"{dtype}({text}).view(uint{8 * dtype.itemsize})"

    with part.loops(("i", min(x.aval.size, out.aval.size))):
        if old.itemsize > new.itemsize:
            part.emit(f"b = {bits(f'{array}[i]', old)}")
            for k, shift in enumerate(shifts):
                number = f"{small}(b >> {word}({shift}))"
                part.emit(f"y0[i * {len(shifts)} + {k}] = {number}.view({new})")
        else:
            parts = [f"{word}({bits(f'{array}[i * {len(shifts)} + {k}]', old)})"
                     for k in range(len(shifts))]  # fmt: skip
            terms = [f"({x} << {word}({shift}))" for x, shift in zip(parts, shifts, strict=True)]
            part.emit(f"y0[i] = {word}({' | '.join(terms)}).view({new})")
    return part.finished()


def _bitcast_of_numbers(x: Any, *, dtype: np.dtype, new_dtype: np.dtype) -> Any:
    """Where one of the dtypes has floats of 16 bits, which are numbers in float32."""
    word = np.dtype(np.uint16)
    bits = to_bits_p.bind(x, dtype=dtype) if dtype in HALVES else bitcast_convert_type(x, word)
    if new_dtype in HALVES:
        return from_bits_p.bind(bits, dtype=new_dtype)
    return bitcast_convert_type(bits, new_dtype)


bitcast_convert_type_p = numpy_primitive("bitcast_convert_type", _bitcast_rule, _numpy_bitcast)
primitive_jvps[bitcast_convert_type_p] = partial(zero_jvp, bitcast_convert_type_p)
primitive_batchers[bitcast_convert_type_p] = _bitcast_batcher
register_lowering(
    bitcast_convert_type_p, template=_bitcast_template, source=_bitcast_part,
    on_halves=_bitcast_of_numbers,
)  # fmt: skip


def bitcast_convert_type(operand: Any, new_dtype: Any) -> Any:
    """The numbers that have, in `new_dtype`, the same bits.

    Where an element becomes several, they lie along a new last axis; where several become one,
    that was their last axis. TypeError for bools and complex numbers in another dtype than their
    own; ValueError for a last axis of another size and for keys.

    >>> bitcast_convert_type(1.0, "uint32")
    Array(1065353216, dtype=uint32)
    >>> bitcast_convert_type(np.float32([1.0, 2.0]), "uint16")
    Array([[    0, 16256],
           [    0, 16384]], dtype=uint16)
    """
    new_dtype = dtype_for("lax.bitcast_convert_type", new_dtype)
    return bitcast_convert_type_p.bind(operand, new_dtype=new_dtype)
