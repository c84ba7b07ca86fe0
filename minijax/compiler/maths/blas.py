"""Products of matrices for compiled loops: those of BLAS, the library that NumPy itself calls.

NumPy's own extension module is linked with one, and its functions are found there by name. Where
there is none, or where it is not the one that is meant, loops with large products run step by step.
"""

from __future__ import annotations

import ctypes
import math
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np

from minijax.compiler.maths.precisions import Pair, both, publish

# In NumPy's own packages; built with OpenBLAS's 64-bit names; with Apple's library. All take whole
# numbers of 64 bits.
NAMES = ("scipy_cblas_{}64_", "cblas_{}64_", "cblas_{}$NEWLAPACK$ILP64")
# As cblas.h has them: rows lie one behind the other, a matrix is as it stands or transposed.
ROW_MAJOR, AS_IT_IS, TRANSPOSED = 101, 111, 112


@cache
def numpys_library() -> ctypes.CDLL | None:
    """NumPy's extension module, and with it the libraries that it is linked with; None, after a
    warning, where it is no more where it was."""
    try:
        from numpy._core import _multiarray_umath

        return ctypes.CDLL(_multiarray_umath.__file__)
    except (AttributeError, ImportError, OSError):
        from minijax.compiler.native.environment import warn_of_release

        warn_of_release("numpy", "numpy._core._multiarray_umath", "Products are slower.")
        return None


def known_function(forms: Sequence[str], name: str, types: Sequence[type]) -> Callable | None:
    """A function that returns nothing, by the first of these forms of its name that is there."""
    for form in forms:
        fun = getattr(numpys_library(), form.format(name), None)
        if fun is not None:
            fun.argtypes, fun.restype = types, None
            return fun
    return None


@cache
def function_of(name: str, dtype: np.dtype) -> Callable | None:
    """BLAS's gemm or gemv for float32 or float64; None where it isn't found.

    Its name is the library's, by which machine code asks for it too (`machine_code.load`).
    """
    letter, real = ("s", ctypes.c_float) if dtype == np.float32 else ("d", ctypes.c_double)
    form, size, array = ctypes.c_int32, ctypes.c_int64, ctypes.c_void_p
    types = {
        "gemm": (form, form, form, size, size, size, real, array, size, array, size, real, array,
                 size),
        "gemv": (form, form, size, size, real, array, size, array, size, real, array, size),
    }  # fmt: skip
    fun = known_function(NAMES, letter + name, types[name])
    return fun if fun is not None and CHECKS[name](fun, real) else None


def gemm_multiplies(gemm: Callable, real: type) -> bool:
    """Whether the function gives a small product as we understand its arguments."""
    x, y, out = (np.arange(n, dtype=real) for n in (6, 12, 8))
    gemm(ROW_MAJOR, AS_IT_IS, TRANSPOSED, 2, 4, 3, 1, x.ctypes, 3, y.ctypes, 3, 0, out.ctypes, 4)
    return np.array_equal(out.reshape(2, 4), x.reshape(2, 3) @ y.reshape(4, 3).T)


def gemv_multiplies(gemv: Callable, real: type) -> bool:
    x, y, out = (np.arange(n, dtype=real) for n in (6, 4, 3))
    gemv(ROW_MAJOR, TRANSPOSED, 2, 3, 1, x.ctypes, 3, y.ctypes, 2, 0, out.ctypes, 1)
    return np.array_equal(out, x.reshape(2, 3).T @ y[::2])


CHECKS = {"gemm": gemm_multiplies, "gemv": gemv_multiplies}
gemm, gemv = (
    Pair(*(function_of(name, np.dtype(dtype)) for dtype in (np.float32, np.float64)))
    for name in CHECKS
)


@both
def product(x, x_form, x_step, y, y_form, y_step, out, out_step, m, n, k):
    """The product of a matrix of m rows and one of n columns, k numbers each, written to `out`.

    Each array begins with the matrix's first element; from the beginning of a row to that of the
    next it is a step, of the matrix as it lies in memory: a form says if that is the transposed.
    """
    gemm(ROW_MAJOR, x_form, y_form, m, n, k, 1.0, x.ctypes, x_step, y.ctypes, y_step, 0.0,
         out.ctypes, out_step)  # fmt: skip


@both
def product_onto(x, x_form, x_step, y, y_form, y_step, out, out_step, m, n, k):
    """Like `product`, added to what `out` holds."""
    gemm(ROW_MAJOR, x_form, y_form, m, n, k, 1.0, x.ctypes, x_step, y.ctypes, y_step, 1.0,
         out.ctypes, out_step)  # fmt: skip


@both
def product_with_row(x, form, x_step, rows, columns, y, y_step, out, out_step, factor):
    """The product of a matrix and a row of numbers, each so many steps from the next, to which
    `factor` times what `out` holds is added. `rows` and `columns` are those that lie in memory."""
    gemv(ROW_MAJOR, form, rows, columns, 1.0, x.ctypes, x_step, y.ctypes, y_step, factor,
         out.ctypes, out_step)  # fmt: skip


publish(globals())


# How many threads BLAS takes for a product. Where several of ours multiply at a time, each is to
# take a part of the processors: else they wait for each other, ten times as long as they compute.

_SHARING = threading.Lock()
_shares: list[tuple[int, int]] = []  # of those who share now: (BLAS's own number, a share)


@cache
def thread_counts() -> tuple[Callable, Callable] | None:
    """BLAS's functions that read and set the number; None where they aren't found."""
    for form in ("scipy_openblas_{}_num_threads64_", "openblas_{}_num_threads64_"):
        read, write = (getattr(numpys_library(), form.format(x), None) for x in ("get", "set"))
        if read is not None and write is not None:
            read.argtypes, read.restype = [], ctypes.c_int
            write.argtypes, write.restype = [ctypes.c_int], None
            return read, write
    return None


@contextmanager
def shared_among(number: int) -> Iterator[None]:
    """Inside, BLAS takes as many threads as each of so many who multiply at a time can have."""
    if thread_counts() is None or number < 2:
        yield
        return
    share = _take(number)
    try:
        yield
    finally:
        _give_back(share)


# Multiplications: from the first number on, BLAS shares a product among threads; from the second,
# that is worth it. Its threads look for work without a rest, and a product waits for all of them:
# where another program has a processor, 30 microseconds become 10 milliseconds.
SHARED, WORTH_SHARING = 1 << 18, 1 << 22
_CALL = re.compile(r"\bproduct(?:_onto)?_f\d\d\(.*, (\d+), (\d+), (\d+)\)$", re.MULTILINE)


def by_size(product: Callable, multiplications: int) -> Callable:
    """The same function, of a product or of several: a small one has one thread of BLAS's."""
    is_small = SHARED <= multiplications < WORTH_SHARING
    return by_one_thread(product) if is_small else product


def largest_product(source: str) -> int:
    """The multiplications of the largest product in a kernel's text, where the last three arguments
    of its call are the sizes. A product with a row has a large matrix."""
    costs = [math.prod(map(int, sizes)) for sizes in _CALL.findall(source)]
    return max(costs, default=0) if "product_with_row_" not in source else WORTH_SHARING


def by_one_thread(product: Callable) -> Callable:
    """The same function, for whose products BLAS takes one thread."""
    functions = thread_counts()
    if functions is None:
        return product
    read, write = functions

    def alone(*operands: Any) -> Any:
        with _SHARING:
            own = _shares[0][0] if _shares else read()
            if own > 1:
                _shares.append((own, 1))
                write(1)
        try:
            return product(*operands)
        finally:
            if own > 1:
                _give_back((own, 1))

    return alone


def _take(number: int) -> tuple[int, int]:
    read, write = thread_counts()
    with _SHARING:
        own = _shares[0][0] if _shares else read()
        share = own, max(1, own // number)
        _shares.append(share)
        write(min(share for _, share in _shares))
    return share


def _give_back(share: tuple[int, int]) -> None:
    _, write = thread_counts()
    with _SHARING:
        _shares.remove(share)
        write(min(part for _, part in _shares) if _shares else share[0])
