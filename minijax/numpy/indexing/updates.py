"""x.at[...]: a new array with the elements that the index takes replaced, or brought together
with others. Every one of them is a scatter."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from minijax import lax
from minijax.compiler.maths.bounds import dtype_bounds
from minijax.core.arrays import is_array_like, result_aval_type
from minijax.core.dtypes import ExtendedDType, issubdtype
from minijax.core.errors import warn
from minijax.core.forward import constant
from minijax.core.primitives import cast
from minijax.core.tracing import Tracer, typeof
from minijax.face.boundaries import guard
from minijax.lax.indexing.combining_scatters import extreme_at
from minijax.numpy.creation import asarray, new_array, ones_like
from minijax.numpy.elementwise.ufuncs import divide, power
from minijax.numpy.indexing.as_gather import GatherIndex, gather_index
from minijax.numpy.indexing.parsing import parse_index
from minijax.numpy.indexing.paths import by_index
from minijax.numpy.indexing.reading import read
from minijax.numpy.promotion import promote_dtypes
from minijax.numpy.shapes.reshaping import broadcast_to


class _IndexUpdateHelper:
    """x.at: x.at[index] is where an update goes."""

    __slots__ = ("array",)

    def __init__(self, array: Any) -> None:
        self.array = array

    def __getitem__(self, index: Any) -> _IndexUpdateRef:
        return _IndexUpdateRef(self.array, index)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.array!r})"


class _IndexUpdateRef:
    """x.at[index]: its methods give new arrays; x stays as it is.

    `values` are broadcast to the shape of x[index] and converted to x's dtype. Each method takes
    further: `mode`, "drop" or "fill" (updates out of range do nothing; reads give `fill_value`),
    "clip" (they move to the nearest element), or "promise_in_bounds"; `wrap_negative_indices`,
    True; and hints of how indices lie, `indices_are_sorted` and `unique_indices`, False.
    """

    __slots__ = ("array", "index")

    def __init__(self, array: Any, index: Any) -> None:
        self.array, self.index = array, index

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.array!r}, {self.index!r})"

    def get(self, *, fill_value: Any = None, **options: Any) -> Any:
        """x[index]; with mode "fill" or "drop", `fill_value` (NaN, for floats) out of range."""
        if fill_value is not None:
            options["fill_value"] = fill_value
        return _get(self.array, self.index, **options)

    def set(self, values: Any, **options: Any) -> Any:
        """x with `values` in place of x[index]."""
        return _set(self.array, self.index, values, **options)

    def add(self, values: Any, **options: Any) -> Any:
        """x with x[index] + values in place of x[index]; where an element is taken twice, the sum
        of all that comes there."""
        return _add(self.array, self.index, values, **options)

    def subtract(self, values: Any, **options: Any) -> Any:
        """x with x[index] - values in place of x[index]."""
        return _subtract(self.array, self.index, values, **options)

    def multiply(self, values: Any, **options: Any) -> Any:
        """x with x[index] * values in place of x[index]."""
        return _multiply(self.array, self.index, values, **options)

    mul = multiply

    def divide(self, values: Any, **options: Any) -> Any:
        """x with x[index] / values in place of x[index], as floats."""
        return divide(self.array, self._amid_ones(values, options))

    def power(self, values: Any, **options: Any) -> Any:
        """x with x[index] ** values in place of x[index]."""
        return power(self.array, self._amid_ones(values, options))

    def min(self, values: Any, **options: Any) -> Any:
        """x with the smaller of x[index] and values in place of x[index]."""
        return _min(self.array, self.index, values, **options)

    def max(self, values: Any, **options: Any) -> Any:
        """x with the larger of x[index] and values in place of x[index]."""
        return _max(self.array, self.index, values, **options)

    def apply(self, func: Callable, **options: Any) -> Any:
        """x with func(element) in place of each element of x[index]."""

        def scatter_apply(x: Any, indices: Any, y: Any, dims: Any, **hints: Any) -> Any:
            return lax.scatter_apply(x, indices, func, dims, update_shape=y.shape, **hints)

        nothing = constant(self.array, 0)
        return scatter_update(self.array, self.index, nothing, scatter_apply, **_options(options))

    def _amid_ones(self, values: Any, options: dict) -> Any:
        return _multiply(ones_like(self.array), self.index, values, **options)


_OPTIONS = ("mode", "wrap_negative_indices", "indices_are_sorted", "unique_indices", "out_sharding")


def _options(given: dict) -> dict:
    """What `read` and `scatter_update` take, of the options of a method."""
    unknown = [name for name in given if name not in _OPTIONS]
    if unknown:
        raise TypeError(
            f"x.at[...] has no option {unknown[0]}. Give some of\n"
            f"fill_value (of get), {', '.join(_OPTIONS)}."
        )
    hints = (given.get("indices_are_sorted", False), given.get("unique_indices", False))
    wrap = given.get("wrap_negative_indices", True)
    return {"mode": given.get("mode"), "wrap": wrap, "hints": hints}


def scatter_update(
    x: Any, index: Any, values: Any, scatter: Callable, mode: Any = None, wrap: bool = True,
    hints: tuple[bool, bool] = (False, False),
) -> Any:  # fmt: skip
    """x with `values` scattered into x[index], in the dtype that x and they promote to, and then
    in x's."""
    x = asarray(x)
    if mode is not None:
        mode = lax.GatherScatterMode.from_any(mode)
    values = _as_update(x, values)
    plan = gather_index(parse_index(index, x.shape), x.shape, wrap)
    starts = plan.indices()
    if 0 in plan.result_shape:
        return x
    dtype, weak_type = x.dtype, typeof(x).weak_type
    x, values = promote_dtypes(x, values)
    values = _laid_out(values, plan)
    x = lax.expand_dims(x, plan.bool_axes) if plan.bool_axes else x
    out = scatter(x, starts, values, plan.scatter_dims(), mode=mode, **plan.hints(*hints))
    out = lax.squeeze(out, plan.bool_axes) if plan.bool_axes else out
    return cast(out, dtype, weak_type)


def at(x: Any) -> Any:
    """x.at, of an array or of a reference in a program."""
    is_ref = isinstance(x, Tracer) and x.aval.mutable
    return x.aval.at(x) if is_ref else _IndexUpdateHelper(x)


@by_index
def _get(x: Any, index: Any, *, fill_value: Any = None, **options: Any) -> Any:
    return read(x, index, fill_value=fill_value, **_options(options))


def _update(scatter: Callable, in_numpy: Callable) -> Callable:
    """The method that does a scatter; `in_numpy` does it to an array, at an index of NumPy's."""

    @by_index(update=in_numpy)
    def update(x: Any, index: Any, values: Any, **options: Any) -> Any:
        return scatter_update(x, index, values, scatter, **_options(options))

    return update


_set, _add = _update(lax.scatter, operator.setitem), _update(lax.scatter_add, np.add.at)
_subtract = _update(lax.scatter_sub, np.subtract.at)
_multiply = _update(lax.scatter_mul, np.multiply.at)
_min = _update(lax.scatter_min, partial(extreme_at(np.minimum), program=None))
_max = _update(lax.scatter_max, partial(extreme_at(np.maximum), program=None))


def _as_update(x: Any, values: Any) -> Any:
    """The values as an array; a warning where x's dtype does not hold them all."""
    if type(values) is int and issubdtype(x.dtype, np.integer):
        smallest, largest = dtype_bounds(x.dtype)
        values = np.array(values, x.dtype) if smallest <= values <= largest else values
    elif not is_array_like(values):
        values = new_array("x.at[...]", values)
    values = asarray(values)
    if x.dtype != values.dtype and isinstance(x.dtype, ExtendedDType):
        raise TypeError(f"x.at[...] puts {typeof(values)} among {x.dtype}. Give one of these.")
    if result_aval_type([typeof(x), typeof(values)])[0] != x.dtype:
        warn(
            f"x.at[...] puts values of type {typeof(values)} into an array of {x.dtype}, which "
            f"does not hold\nthem all. Convert one of them with x.astype(dtype).",
            FutureWarning,
        )
    if issubdtype(values.dtype, np.complexfloating) and not issubdtype(
        x.dtype, np.complexfloating
    ):
        warn("x.at[...] drops the values' imaginary parts.", np.exceptions.ComplexWarning)
    return values


def _laid_out(values: Any, plan: GatherIndex) -> Any:
    """The values as a scatter takes them: of x[index]'s shape, without its new axes, forwards."""
    try:
        values = broadcast_to(values, plan.result_shape)
    except ValueError as error:
        raise ValueError(
            f"x.at[...] got values of the shape {values.shape} for a place of "
            f"{tuple(plan.result_shape)}.\nGive values that broadcast to that."
        ) from error
    values = lax.squeeze(values, plan.new_axes) if plan.new_axes else values
    return lax.rev(values, plan.reversed_axes) if plan.reversed_axes else values


guard(_IndexUpdateHelper, _IndexUpdateRef)
