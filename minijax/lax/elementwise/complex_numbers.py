"""Complex numbers and their parts. A derivative is linear over the reals: the transpose of taking
the real part puts a cotangent there, that of the imaginary part puts it there with its sign turned.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minijax.core.batching import defbroadcasting, defvectorized
from minijax.core.dtypes import is_narrow, issubdtype
from minijax.core.primitives import binary, cast, naryop, neg, unary
from minijax.core.reverse import deflinear2, is_undefined_primal, unbroadcast
from minijax.core.tracing import typeof
from minijax.lax.elementwise.arithmetic import real_dtype


def _complex_dtype(dtype: np.dtype) -> np.dtype:
    """That of complex numbers with such parts; TypeError for floats of 16 bits and fewer."""
    if is_narrow(dtype):
        raise TypeError(
            f"Complex numbers have parts of 32 or 64 bits, and not {dtype}.\n"
            f"Convert with x.astype('float32')."
        )
    return np.result_type(dtype, np.complex64)


def _zero(x: Any) -> Any:
    return cast(0, typeof(x).dtype)


real_p = naryop("real", [np.complexfloating], np.real, real_dtype)
deflinear2(real_p, lambda ct, x: [complex(ct, _zero(ct))])
defvectorized(real_p)
real = unary(real_p, "The real part of complex numbers.")

imag_p = naryop("imag", [np.complexfloating], np.imag, real_dtype)
deflinear2(imag_p, lambda ct, x: [complex(_zero(ct), neg(ct))])
defvectorized(imag_p)
imag = unary(imag_p, "The imaginary part of complex numbers, a float.")


def _numpy_complex(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    out = np.empty(np.broadcast_shapes(x.shape, y.shape), _complex_dtype(x.dtype))
    out.real, out.imag = x, y
    return out


def _complex_transpose(ct, x, y):
    return [
        unbroadcast(x.aval, real(ct)) if is_undefined_primal(x) else None,
        unbroadcast(y.aval, imag(neg(ct))) if is_undefined_primal(y) else None,
    ]


complex_p = naryop("complex", [np.floating], _numpy_complex, _complex_dtype)
deflinear2(complex_p, _complex_transpose)
defbroadcasting(complex_p)
complex = binary(complex_p, "x + i y, of floats of 32 or of 64 bits.")


def _numpy_conj(x: np.ndarray, input_dtype: np.dtype) -> np.ndarray:
    return np.conj(x).astype(_complex_dtype(x.dtype))


def _conj_transpose(ct, x, *, input_dtype):
    return [conj(ct) if issubdtype(input_dtype, np.complexfloating) else real(ct)]


conj_p = naryop(
    "conj", [np.inexact], _numpy_conj, _complex_dtype, params=["input_dtype"]
)
deflinear2(conj_p, _conj_transpose)
defvectorized(conj_p)


def conj(x: Any) -> Any:
    """x with its imaginary part's sign turned; of floats, complex numbers too.

    >>> conj(1 + 2j)
    Array(1.-2.j, dtype=complex64, weak_type=True)
    """
    return conj_p.bind(x, input_dtype=typeof(x).dtype)
