"""LAPACK over stacks of matrices: how its routines run, and what their primitives have in common.

A stack is an array whose last two axes are those of a matrix. A routine takes one matrix, and runs
for each. They are SciPy's, which is imported when the first of them is called: NumPy's, which take
stacks, compute float32 numbers with 64 bits, at half the speed for large matrices, and find an
almost singular matrix positive definite where JAX does not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import numpy as np

from minijax.core.batching import bdim_at_front, not_mapped, primitive_batchers, same_dim
from minijax.core.dtypes import is_narrow
from minijax.core.primitives import check_kind
from minijax.core.tracing import Primitive, ShapedArray, typeof

# Running.


def lapack(routine: str, dtype: np.dtype) -> Callable:
    """SciPy's function for a routine, such as "getrf", and numbers of a dtype.

    >>> lapack("getrf", np.dtype("float32")).__name__
    'function sgetrf'
    """
    from scipy.linalg import get_lapack_funcs  # not before it is needed: imports are quick

    return get_lapack_funcs(routine, dtype=dtype)


def room(n: int) -> int:
    """How many numbers of workspace let any routine for n columns work in blocks of columns, which
    it does from 32 on."""
    return 130 * max(n, 1) + (4200 if n >= 32 else 0)


def refusing_halves(fun_name: str, numpy_fun: Callable) -> Callable:
    """The function; NotImplementedError for floats of up to 16 bits, which no routine takes."""

    @wraps(numpy_fun)
    def fun(x: np.ndarray, *args: Any, **params: Any) -> Any:
        if is_narrow(x.dtype):
            raise NotImplementedError(
                f"{fun_name} has no routine for {x.dtype}. Convert with x.astype('float32')."
            )
        return numpy_fun(x, *args, **params)

    return fun


def over_stack(
    routine: Callable, *xs: np.ndarray, ranks: Sequence[int] = (2,)
) -> tuple[np.ndarray, ...]:
    """The results of `routine`, which gives a tuple, for each matrix of a stack; stacked.

    `ranks` says how many axes each operand has in one call. The axes before are the stack's, the
    same for all.

    >>> over_stack(lambda x: (np.diag(x), x.sum()), np.ones((2, 3, 3)))[1]
    array([9., 9.])
    """
    stack = xs[0].shape[: xs[0].ndim - ranks[0]]
    if not stack:
        return tuple(routine(*xs))
    size, in_one = math.prod(stack), [x.shape[len(stack) :] for x in xs]
    # The types of the results are those of any matrix.
    found = routine(*(np.zeros(shape, x.dtype) for x, shape in zip(xs, in_one, strict=True)))
    outs = [np.empty((size, *np.shape(y)), y.dtype) for y in found]
    rows = [x.reshape(size, *shape) for x, shape in zip(xs, in_one, strict=True)]
    for k, operands in enumerate(zip(*rows, strict=True)):
        for out, y in zip(outs, routine(*operands), strict=True):
            out[k] = y
    return tuple(out.reshape(*stack, *out.shape[1:]) for out in outs)


def nan_unless(found: bool, *results: np.ndarray) -> tuple[np.ndarray, ...]:
    """The results of a routine; NaN in place of all their numbers, where it has not found them."""
    if found:
        return results
    return tuple(
        np.full_like(y, complex(np.nan, np.nan) if y.dtype.kind == "c" else np.nan)
        for y in results
    )


# Types.


def stack_shape(
    fun_name: str, *avals: ShapedArray, ranks: Sequence[int] = (2,),
    accepts: Sequence[type] = (np.inexact,),
) -> tuple[int, ...]:  # fmt: skip
    """The sizes of the stack that all operands share.

    TypeError for other dtypes than accepted or several ones, for too few axes, and for stacks with
    different numbers of axes; ValueError for stacks of different sizes.
    """
    for place, (x, rank) in enumerate(zip(avals, ranks, strict=True)):
        check_kind(fun_name, accepts, x.dtype)
        if x.ndim < rank:
            raise TypeError(
                f"{fun_name} got {x} as argument {place}. Give an array with at least {rank} axes."
            )
    got = ", ".join(map(str, avals))
    if len({x.dtype for x in avals}) > 1:
        raise TypeError(f"{fun_name} needs one dtype, and got {got}. Use x.astype(dtype).")
    stacks = [x.shape[: x.ndim - rank] for x, rank in zip(avals, ranks, strict=True)]
    if len(set(map(len, stacks))) > 1:
        raise TypeError(f"{fun_name} got stacks with different numbers of axes: {got}. Give one.")
    if len(set(stacks)) > 1:
        raise ValueError(f"{fun_name} got stacks of different sizes: {got}. Give one size.")
    return stacks[0]


def check_square(fun_name: str, x: ShapedArray) -> None:
    """ValueError unless the matrices are square."""
    if x.shape[-1] != x.shape[-2]:
        raise ValueError(f"{fun_name} needs square matrices, and got {x}. Give (..., n, n).")


# Batching.


def defstacked(primitive: Primitive) -> None:
    """For routines that run over stacks: examples are a further axis of the stack, the first."""

    def stacked_batcher(args: Sequence, dims: Sequence, **params: Any) -> tuple:
        args = at_front(args, dims)
        return same_dim(primitive, primitive.bind(*args, **params), 0)

    primitive_batchers[primitive] = stacked_batcher


def at_front(args: Sequence[Any], dims: Sequence[int | None]) -> list[Any]:
    """All operands batched along their first axis; repeated, where they were not batched."""
    pairs = list(zip(args, dims, strict=True))
    size = next(typeof(x).shape[d] for x, d in pairs if d is not not_mapped)
    return [bdim_at_front(x, d, size) for x, d in pairs]
