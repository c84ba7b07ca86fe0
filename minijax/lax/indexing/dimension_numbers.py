"""The parameters of gather and scatter: which axes belong together, what an index out of bounds
does, and how an element is updated. Operands that don't fit them are refused here.

A window is a part of the operand, of a fixed size; an index, a row along the last axis of the
indices, says where one starts. A gather reads a window at each index, a scatter updates one.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from ml_dtypes import iinfo

from minijax.core.arrays import is_array_like
from minijax.core.config import FunctionCache, config
from minijax.core.dtypes import issubdtype
from minijax.core.errors import typematch
from minijax.core.prng import prng_key
from minijax.core.staging import ClosedJaxpr, Jaxpr, trace_to_jaxpr
from minijax.core.tracing import ShapedArray, Tracer
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.shapes.axes import as_integers


class GatherDimensionNumbers(NamedTuple):
    """The axes of a gather, each counted from 0."""

    offset_dims: tuple[int, ...]  # the result's axes that run through a window, in order
    collapsed_slice_dims: tuple[int, ...]  # the operand's, of size 1 in a window, left out then
    start_index_map: tuple[int, ...]  # the operand's along which an index's entries count
    operand_batching_dims: tuple[int, ...] = ()  # the operand's, each of which goes together
    start_indices_batching_dims: tuple[int, ...] = ()  # with one of the indices


class ScatterDimensionNumbers(NamedTuple):
    """The axes of a scatter: field by field those of the gather that reads the same windows."""

    update_window_dims: tuple[int, ...]
    inserted_window_dims: tuple[int, ...]
    scatter_dims_to_operand_dims: tuple[int, ...]
    operand_batching_dims: tuple[int, ...] = ()
    scatter_indices_batching_dims: tuple[int, ...] = ()


Numbers = GatherDimensionNumbers | ScatterDimensionNumbers


class GatherScatterMode(enum.Enum):
    """What a gather or a scatter does with a window that isn't inside the operand."""

    CLIP = enum.auto()  # it is moved inside
    FILL_OR_DROP = enum.auto()  # a gather fills it with one number, a scatter leaves it out
    PROMISE_IN_BOUNDS = enum.auto()  # there is none; if there is, gathers clip and scatters drop
    ONE_HOT = enum.auto()  # for jnp alone, which multiplies by a matrix of zeros and ones

    @staticmethod
    def from_any(s: str | GatherScatterMode | None) -> GatherScatterMode:
        """The mode itself, or by the name that a user gives it; ValueError for another.

        >>> GatherScatterMode.from_any("drop")
        <GatherScatterMode.FILL_OR_DROP: 2>
        """
        if isinstance(s, GatherScatterMode):
            return s
        names = {None: "FILL_OR_DROP", "fill": "FILL_OR_DROP", "drop": "FILL_OR_DROP"}
        names |= {name.lower(): name for name in ("CLIP", "PROMISE_IN_BOUNDS", "ONE_HOT")}
        if not isinstance(s, str | None) or s not in names:
            raise ValueError(
                f"GatherScatterMode.from_any knows no mode {shown(s)}.\n"
                f"Give 'clip', 'fill', 'drop' or 'promise_in_bounds'."
            )
        return GatherScatterMode[names[s]]


def as_numbers(fun_name: str, numbers: Any, kind: type[Numbers]) -> Any:
    """The dimension numbers with tuples of ints; AttributeError where they are of another class."""
    if not isinstance(numbers, kind):
        raise AttributeError(
            f"{fun_name} takes dimension_numbers, and got {shown(numbers)}.\n"
            f"Make them with lax.{kind.__name__}."
        )
    fields = zip(numbers._fields, numbers, strict=True)
    return kind(*(as_integers(fun_name, name, dims) for name, dims in fields))


# Checks that numbers, operands and sizes fit together.


def check_numbers(
    name: str, numbers: Numbers, operand: ShapedArray, indices: ShapedArray, ndim: int
) -> None:
    """TypeError unless the numbers name axes that are there; `ndim` counts the windows' array."""
    if not indices.ndim:
        raise TypeError(
            f"{name} reads an index along the last axis of its indices, and got {indices}.\n"
            f"Give them an axis, as with x[None]."
        )
    for field, among, ordered in [
        (0, ndim, True), (1, operand.ndim, True), (2, operand.ndim, False),
        (3, operand.ndim, True), (4, indices.ndim - 1, False),
    ]:  # fmt: skip
        _check_axes(name, numbers._fields[field], numbers[field], among, ordered)
    window, left_out, mapped, batch, indices_batch = numbers
    if len(mapped) != indices.shape[-1]:
        raise TypeError(
            f"{name} got {numbers._fields[2]}={mapped} for indices of shape {indices.shape}.\n"
            f"Give one axis for each of the {indices.shape[-1]} entries along their last axis."
        )
    if set(batch) & set(mapped):
        raise TypeError(
            f"{name} got {numbers._fields[3]}={batch} and {numbers._fields[2]}={mapped}.\n"
            f"Name an axis in one of them: along one of the batch, no index counts."
        )
    if set(batch) & set(left_out) or operand.ndim != len(left_out + batch + window):
        raise TypeError(
            f"{name} of {operand} got\n{_spelt(numbers)}.\nPut each axis of the operand into one "
            f"of the last two, or give it an axis of the window."
        )
    if [operand.shape[d] for d in batch] != [indices.shape[d] for d in indices_batch]:
        raise TypeError(
            f"{name} pairs the axes {batch} of {operand} with {indices_batch} of {indices}.\n"
            f"Give as many of the one as of the other, of the same sizes."
        )


def _check_axes(name: str, what: str, axes: Sequence[int], ndim: int, ordered: bool) -> None:
    """TypeError unless these are different axes among `ndim`."""
    if len(set(axes)) < len(axes) or (ordered and list(axes) != sorted(axes)):
        raise TypeError(f"{name} got {what}={axes}. Name each axis once{', in order' * ordered}.")
    if any(not 0 <= d < ndim for d in axes):
        raise TypeError(f"{name} got {what}={axes} among {ndim} axes. Count them from 0.")


def _spelt(numbers: Numbers) -> str:
    window, left_out, _, batch, _ = zip(numbers._fields, numbers, strict=True)
    return ", ".join(f"{field}={axes}" for field, axes in (window, left_out, batch))


def check_sizes(
    name: str, numbers: Numbers, operand: ShapedArray, indices: ShapedArray, sizes: Sequence[int]
) -> None:
    """TypeError unless there are windows of these sizes in the operand, if any are asked for.

    A scatter may leave out an axis of size 0: each of its windows lies outside, and is dropped.
    """
    _, left_out, _, batch, _ = numbers
    dropped = left_out if isinstance(numbers, ScatterDimensionNumbers) else ()
    read = set(range(operand.ndim)) - set(dropped)
    if (
        len(sizes) != operand.ndim
        or any(sizes[d] != 1 for d in left_out)
        or any(sizes[d] > 1 for d in batch)
        or (indices.size and any(sizes[d] > operand.shape[d] for d in read))
    ):
        raise TypeError(
            f"{name} of {operand} got windows of the sizes {tuple(sizes)}.\nGive a size for each "
            f"axis, not above the operand's, and 1 for those that are left out."
        )


def check_indices(name: str, indices: ShapedArray) -> None:
    """ValueError unless they are integers."""
    if not issubdtype(indices.dtype, np.integer):
        raise ValueError(f"{name} takes integers as indices, and got {indices}. Convert them.")


# Shapes.


def windows_shape(numbers: Numbers, where: Sequence[int], sizes: Sequence[int]) -> tuple[int, ...]:
    """The shape of the array of windows: of an index's axes `where` and of a window's axes."""
    window, left_out, _, batch, _ = numbers
    through = (n for d, n in enumerate(sizes) if d not in (*left_out, *batch))
    outer, ndim = iter(where), len(window) + len(where)
    return tuple(next(through if d in window else outer) for d in range(ndim))


def window_sizes(numbers: Numbers, shape: Sequence[int], ndim: int) -> tuple[int, ...]:
    """The sizes of a window, along each of the operand's axes, from the shape of the windows."""
    window, left_out, _, batch, _ = numbers
    sizes = (shape[d] for d in window)
    return tuple(1 if d in (*left_out, *batch) else next(sizes) for d in range(ndim))


# The filling of a gather.


def fill_value_for(dtype: Any, value: Any) -> Any:
    """The number that fills windows out of bounds: the one given, or one that is hardly used."""
    if value is None:
        if issubdtype(dtype, np.inexact):
            return np.nan
        if issubdtype(dtype, prng_key):
            return np.iinfo(np.uint32).max
        signed = issubdtype(dtype, np.signedinteger)
        return True if dtype == np.bool_ else iinfo(dtype).min if signed else iinfo(dtype).max
    if not isinstance(value, int | float | complex | np.generic) or (
        isinstance(value, complex | np.complexfloating)
        and not issubdtype(dtype, np.complexfloating)
    ):
        raise TypeError(
            f"lax.gather fills {dtype} with a number that is known, and got\n{shown(value)}. "
            f"Give one as fill_value."
        )
    return value


# How a scatter updates an element.

_programs = FunctionCache()


def update_program(fun: Callable, dtype: Any, applied: bool = False) -> Jaxpr:
    """`fun` of an element and an update, as the jaxpr that equations show.

    One jaxpr for each function and dtype. With `applied`, `fun` is a user's, of an element alone.
    """
    known, key = _programs.of(fun), (dtype, applied, config.trace_key())
    if key not in known:
        scalar = ShapedArray((), dtype)
        update = (lambda x, y: [_one_result(fun(x))]) if applied else (lambda x, y: [fun(x, y)])
        known[key] = _without_constants(trace_to_jaxpr(update, [scalar, scalar]))
    return known[key]


def _one_result(result: Any) -> Any:
    if not is_array_like(result):
        raise ValueError(
            f"lax.scatter_apply takes a function that returns an element, and got one that returns "
            f"{shown(result)}.\nReturn a scalar."
        )
    return result


def _without_constants(closed: ClosedJaxpr) -> Jaxpr:
    if closed.consts:
        traced = any(isinstance(x, Tracer) for x in closed.consts)
        raise (NotImplementedError if traced else TypeError)(
            "lax.scatter_apply takes a function of an element and of known numbers,\nand got one "
            "that uses other arrays. Use lax.gather and lax.scatter."
        )
    [element, _], [result] = closed.in_avals, closed.out_avals
    if not typematch(result, element):
        raise ValueError(
            f"lax.scatter_apply takes a function from an element, {element}, to another, and got\n"
            f"one that returns {result}. Return a scalar of that dtype."
        )
    return closed.jaxpr
