"""Two rows slid along each other: at each place, the sum of the products."""

from __future__ import annotations

from typing import Any

import numpy as np

from minijax import lax
from minijax.core.dtypes import issubdtype
from minijax.core.tracing import typeof
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.product_precisions import canonicalize_precision
from minijax.numpy.arguments import library_jit, refuse_keys, user_dtype
from minijax.numpy.promotion import promote_dtypes_inexact
from minijax.numpy.shapes.reshaping import flip


@library_jit(static_argnames=("mode", "precision", "preferred_element_type"))
def convolve(
    a: Any, v: Any, mode: str = "full", *, precision: Any = None, preferred_element_type: Any = None
) -> Any:  # fmt: skip
    """The convolution of two rows: element k is the sum over i of a[i] * v[k - i], as floats.

    With the `mode` "full", wherever they meet; "same", as many elements as the longer row has, from
    the middle; "valid", where the shorter row lies within the longer. ValueError for what is no row
    with elements.

    >>> convolve(np.array([1, 2, 3]), np.array([1, 1]))
    Array([1., 3., 5., 3.], dtype=float32)
    """
    x, y, _ = _rows("jnp.convolve", a, v, mode)
    how = _result("jnp.convolve", x, precision, preferred_element_type)
    return _conv(x, y, mode=mode, is_turned=True, **how)


@library_jit(static_argnames=("mode", "precision", "preferred_element_type"))
def correlate(
    a: Any, v: Any, mode: str = "valid", *, precision: Any = None,
    preferred_element_type: Any = None,
) -> Any:  # fmt: skip
    """The correlation of two rows: element k is the sum over i of a[i + k] * conj(v[i]), as floats.

    The `mode` says for which k: see `convolve`.

    >>> correlate(np.array([1, 2, 3]), np.array([0, 1]))
    Array([2., 3.], dtype=float32)
    """
    x, y, swapped = _rows("jnp.correlate", a, v, mode, conjugate=True)
    how = _result("jnp.correlate", x, precision, preferred_element_type)
    result = _conv(x, y, mode=mode, is_turned=False, **how)
    return flip(result) if swapped else result


def _rows(fun_name: str, a: Any, v: Any, mode: str, conjugate: bool = False) -> tuple:
    """The rows in one dtype of floats, the longer one first, and whether that was the second."""
    refuse_keys(fun_name, a, v)
    shapes = typeof(a).shape, typeof(v).shape
    if any(len(shape) != 1 for shape in shapes) or (0,) in shapes:
        raise ValueError(
            f"{fun_name} takes two rows with elements, and got the shapes {shapes[0]} and "
            f"{shapes[1]}.\nGive one axis each."
        )
    if mode not in ("full", "same", "valid"):
        raise ValueError(f"{fun_name} knows no mode {shown(mode)}. Give 'full', 'same' or 'valid'.")
    x, y = promote_dtypes_inexact(a, v)
    if conjugate and issubdtype(typeof(y).dtype, np.complexfloating):
        y = lax.conj(y)
    swapped = typeof(x).size < typeof(y).size
    return (y, x, True) if swapped else (x, y, False)


def _result(fun_name: str, x: Any, precision: Any, preferred: Any) -> dict[str, Any]:
    """The precision and the dtype of the sums, where these are asked for."""
    dtype = typeof(x).dtype
    preferred = None if preferred is None else user_dtype(fun_name, preferred)
    if preferred is not None and preferred.itemsize < dtype.itemsize:
        raise TypeError(
            f"{fun_name} of {dtype} has no room in the preferred_element_type {preferred}.\n"
            f"Convert the result: .astype('{preferred}')."
        )
    precision = canonicalize_precision(fun_name, precision)
    return {"precision": precision, "preferred_element_type": preferred}


@library_jit(static_argnames=("mode", "is_turned", "precision", "preferred_element_type"))
def _conv(x: Any, y: Any, *, mode: str, is_turned: bool, **how: Any) -> Any:
    """The sums of the products of y and each window of x that is as long: a convolution of one
    example with one feature."""
    n = typeof(y).size
    before = {"full": n - 1, "same": n // 2, "valid": 0}[mode]
    behind = {"full": n - 1, "same": n - n // 2 - 1, "valid": 0}[mode]
    y = flip(y) if is_turned else y
    out = lax.conv_general_dilated(x[None, None], y[None, None], (1,), [(before, behind)], **how)
    return out[0, 0]
