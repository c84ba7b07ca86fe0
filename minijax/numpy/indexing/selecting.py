"""Elements taken from arrays: at indices, of one array or another, and where a condition holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from minijax import lax
from minijax.core.batching import vmap
from minijax.core.dtypes import issubdtype
from minijax.core.forward import constant
from minijax.core.tracing import typeof
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.shapes.axes import as_integer, known_axis
from minijax.lax.shapes.sizes import index_dtype, min_dim
from minijax.numpy.arguments import check_arraylike, check_broadcast, library_jit, refuse_out
from minijax.numpy.creation import asarray, astype, new_array
from minijax.numpy.elementwise.comparisons import where
from minijax.numpy.elementwise.ufuncs import remainder
from minijax.numpy.indexing.as_gather import from_the_end
from minijax.numpy.indexing.positions import in_range
from minijax.numpy.indexing.positions import indices as places_of
from minijax.numpy.promotion import promote_dtypes
from minijax.numpy.reductions.extremes import argmax
from minijax.numpy.reductions.running_totals import cumsum
from minijax.numpy.reductions.totals import any as any_of
from minijax.numpy.shapes.joining import concatenate, stack
from minijax.numpy.shapes.reshaping import (
    broadcast_arrays,
    broadcast_shapes,
    broadcast_to,
    moveaxis,
    ravel,
)
from minijax.numpy.sorting import argsort

# Taking.


def take(
    a: Any, indices: Any, axis: int | None = None, out: None = None, mode: str | None = None,
    unique_indices: bool = False, indices_are_sorted: bool = False, fill_value: Any = None,
) -> Any:  # fmt: skip
    """The parts of `a` along an axis that `indices` names; of its elements in a row for None.

    The shape of `indices` stands in the place of the axis. Out of range, the result is what
    `mode` says: "fill" (the default) `fill_value`, or NaN for floats; "clip", the last part;
    "wrap", counted round. IndexError for a part of an axis that has none.

    >>> take(np.array([10, 20, 30]), np.array([2, 0]))
    Array([30, 10], dtype=int32)
    """
    refuse_out("jnp.take", out)
    check_arraylike("jnp.take", a, indices)
    axis = None if axis is None else as_integer("jnp.take", "axis", axis)
    if mode == "raise":
        raise NotImplementedError(
            'jnp.take cannot raise an error of an index. Give mode "fill", "clip" or "wrap".'
        )
    if mode not in (None, "fill", "clip", "wrap"):
        raise ValueError(
            f'jnp.take knows no mode {shown(mode)}. Give "fill", "clip" or "wrap".'
        )
    if typeof(indices).dtype == np.bool_ and mode in (None, "fill"):
        indices = lax.convert_element_type(indices, int)
    check_integers("jnp.take", indices, ValueError)
    hints = {"unique_indices": unique_indices, "indices_are_sorted": indices_are_sorted}
    return _take(a, indices, axis=axis, mode=mode, fill_value=fill_value, **hints)


@partial(
    library_jit,
    static_argnames=("axis", "mode", "unique_indices", "indices_are_sorted", "fill_value"),
)
def _take(
    a: Any, indices: Any, axis: int | None, mode: str | None, fill_value: Any, **hints: bool
) -> Any:
    a = ravel(a) if axis is None else a
    axis = 0 if axis is None else known_axis("jnp.take", axis, a.ndim)
    size, before, after = a.shape[axis], a.shape[:axis], a.shape[axis + 1 :]
    if mode in (None, "fill"):
        mode = "fill"
        indices = where(indices < 0, lax.add(indices, constant(indices, size)), indices)
    elif mode == "wrap":
        mode = "promise_in_bounds"
        indices = remainder(indices, constant(indices, size))
    if not size:
        if indices.size:
            raise IndexError(
                f"jnp.take found nothing along axis {axis} of {typeof(a)}. Give no indices."
            )
        return a
    if not indices.size:
        return lax.full_like(a, 0, shape=(*before, *indices.shape, *after))
    behind = axis + indices.ndim
    dims = lax.GatherDimensionNumbers(
        offset_dims=(*range(axis), *range(behind, behind + len(after))),
        collapsed_slice_dims=(axis,),
        start_index_map=(axis,),
    )
    starts = lax.expand_dims(indices, [indices.ndim])
    return lax.gather(
        a, starts, dims, (*before, 1, *after), mode=mode, fill_value=fill_value, **hints
    )


@library_jit(static_argnames=("axis", "mode", "fill_value", "wrap_negative_indices"))
def take_along_axis(
    arr: Any, indices: Any, axis: int | None = -1, mode: str | None = None, fill_value: Any = None,
    *, wrap_negative_indices: bool | None = None,
) -> Any:  # fmt: skip
    """For each place of `indices`, the element of `arr` at that index along an axis and, in all
    other axes, at the same place; as `argsort` and `argmax` give such indices.

    Both have the same number of axes, and broadcast but for that one. With None, `arr` is taken
    in a row. Modes are those of `x.at[...].get`, and "fill" the default.

    >>> take_along_axis(np.array([[1, 2], [3, 4]]), np.array([[1], [0]]), axis=1)
    Array([[2],
           [3]], dtype=int32)
    """
    name = "jnp.take_along_axis"
    check_integers(name, indices)
    arr, axis = along(name, arr, indices, axis)
    size, one_at_axis = arr.shape[axis], (*arr.shape[:axis], 1, *arr.shape[axis + 1 :])
    check_broadcast(name, [indices.shape, one_at_axis], ValueError)
    shape = broadcast_shapes(indices.shape, one_at_axis)
    if not size:
        return lax.full(shape, 0, arr.dtype)
    wrap = mode != "promise_in_bounds" if wrap_negative_indices is None else wrap_negative_indices
    if wrap:
        indices = from_the_end(lax.convert_element_type(indices, index_dtype([size])), size)
    dims, kept, squeezed = _aligned(one_at_axis, indices.shape, axis)
    starts = lax.reshape(indices, (*(shape[i] for i in kept), 1))
    sizes = [
        min_dim(n, 1) if i in kept else n for i, n in enumerate(one_at_axis) if i not in squeezed
    ]
    mode = "fill" if mode is None else mode
    arr = lax.squeeze(arr, squeezed)
    return lax.gather(arr, starts, dims, sizes, mode=mode, fill_value=fill_value)


def check_integers(
    fun_name: str, indices: Any, error: type[Exception] = TypeError
) -> None:  # fmt: skip
    if not issubdtype(typeof(indices).dtype, np.integer):
        raise error(
            f"{fun_name} takes integers as indices, and got {typeof(indices)}. Convert them: "
            f"i.astype(int)."
        )


def along(fun_name: str, arr: Any, indices: Any, axis: int | None) -> tuple[Any, int]:
    """The array and the axis that indices lie along; all elements in a row for None."""
    arr, axis = (ravel(arr), 0) if axis is None else (arr, axis)
    if typeof(indices).ndim != arr.ndim:
        raise ValueError(
            f"{fun_name} takes indices with as many axes as there are, {arr.ndim}, and got "
            f"{typeof(indices)}.\nGive them axes of size 1."
        )
    return arr, known_axis(fun_name, axis, arr.ndim)


def _aligned(
    shape: Sequence[int], index_shape: Sequence[int], axis: int
) -> tuple[Any, list[int], list[int]]:
    """The dimension numbers of a gather along one axis, at the same place in all others; which
    axes the starts keep; and which axes of size 1 the operand loses.

    An axis of size 1 in the indices is a side of the window, one in the operand alone is no axis;
    what is left runs along in both.
    """
    kept = [i for i, n in enumerate(index_shape) if i == axis or n != 1]
    squeezed = [i for i in kept if i != axis and shape[i] == 1]
    left = [i for i in range(len(shape)) if i not in squeezed]
    together = [i for i in kept if i != axis and i not in squeezed]
    dims = lax.GatherDimensionNumbers(
        offset_dims=tuple(i for i in range(len(shape)) if i not in kept),
        collapsed_slice_dims=(left.index(axis),),
        start_index_map=(left.index(axis),),
        operand_batching_dims=tuple(left.index(i) for i in together),
        start_indices_batching_dims=tuple(kept.index(i) for i in together),
    )
    return dims, kept, squeezed


# Choosing.


def select(condlist: Sequence[Any], choicelist: Sequence[Any], default: Any = 0) -> Any:
    """For each element, the choice that goes with the first condition that holds, or `default`.

    >>> select([np.array([True, False]), True], [1, 2])
    Array([1, 2], dtype=int32, weak_type=True)
    """
    if len(condlist) != len(choicelist) or not len(condlist):
        raise ValueError(
            f"jnp.select got {len(condlist)} conditions and {len(choicelist)} choices. Give as "
            f"many, at least one."
        )
    check_arraylike("jnp.select", *condlist, *choicelist, default)
    conditions = broadcast_arrays(*(asarray(c) for c in (False, *condlist)))
    choices = promote_dtypes(*(asarray(x) for x in (default, *choicelist)))
    which = argmax(astype(stack(conditions), bool), axis=0)
    return lax.select_n(*broadcast_arrays(which, *choices))


def choose(a: Any, choices: Sequence[Any], out: None = None, mode: str = "raise") -> Any:
    """For each element of `a`, an integer, the element of that choice at its place.

    `mode` says what of integers out of range: "raise" a ValueError, which needs them while
    tracing; "clip" moves them to the nearest, "wrap" counts round.

    >>> choose(np.array([1, 0]), [np.array([1, 2]), np.array([3, 4])])
    Array([3, 2], dtype=int32)
    """
    refuse_out("jnp.choose", out)
    check_arraylike("jnp.choose", a, *choices)
    which, choices = asarray(a), [asarray(x) for x in choices]
    if not issubdtype(which.dtype, np.integer):
        raise ValueError(f"jnp.choose takes integers, and got {typeof(which)}. Use a.astype(int).")
    which = in_range("jnp.choose", which, len(choices), mode, ("raise", "wrap", "clip"))
    which, *choices = broadcast_arrays(which, *choices)
    return new_array("jnp.choose", choices)[(which, *places_of(which.shape, sparse=True))]


# Where a condition holds.


def extract(condition: Any, arr: Any, *, size: int | None = None, fill_value: Any = 0) -> Any:
    """The elements where a condition holds, in a row.

    With `size`, which is needed while tracing, there are so many, and `fill_value` behind them.

    >>> extract(np.array([True, False, True]), np.array([1, 2, 3]))
    Array([1, 3], dtype=int32)
    """
    check_arraylike("jnp.extract", condition, arr, fill_value)
    return compress(ravel(condition), ravel(arr), size=size, fill_value=fill_value)


def compress(
    condition: Any, a: Any, axis: int | None = None, *, size: int | None = None,
    fill_value: Any = 0, out: None = None,
) -> Any:  # fmt: skip
    """The parts of `a` along an axis for which a condition, a row, holds; options as `extract`'s.

    >>> compress(np.array([True, False]), np.array([[1, 2], [3, 4]]), axis=0)
    Array([[1, 2]], dtype=int32)
    """
    refuse_out("jnp.compress", out)
    check_arraylike("jnp.compress", condition, a, fill_value)
    holds = astype(asarray(condition), bool)
    if holds.ndim != 1:
        raise ValueError(f"jnp.compress takes a row as condition, and got {typeof(condition)}. "
                         f"Give one axis.")
    x = ravel(a) if axis is None else a
    axis = known_axis("jnp.compress", 0 if axis is None else axis, typeof(x).ndim)
    x = moveaxis(x, axis, 0)
    holds, extra = holds[: x.shape[0]], holds[x.shape[0] :]
    x = x[: holds.size]
    if size is None:
        if any_of(extra):
            raise ValueError(
                f"jnp.compress got a condition of {typeof(condition).size} for {x.shape[0]} parts. "
                f"Give as many."
            )
        return moveaxis(x[holds], 0, axis)
    if not 0 <= size <= x.shape[0]:
        raise ValueError(
            f"jnp.compress was asked for {size} of {x.shape[0]} parts. Give a size up to that."
        )
    mask = lax.expand_dims(holds, range(1, x.ndim))
    x = where(mask, x, new_array("jnp.compress", fill_value, x.dtype, copy=True))
    return moveaxis(x[argsort(holds, stable=True, descending=True)][:size], 0, axis)


def piecewise(
    x: Any, condlist: Any, funclist: Sequence[Any], *args: Any, **kw: Any
) -> Any:  # fmt: skip
    """Of each element, the function that belongs to the first condition which holds for it.

    One function more is for what no condition holds for, where the result is 0 otherwise. They are
    mapped: each gets one element, as f(x, *args, **kw), and not several as in NumPy. Numbers may
    stand for functions. The result has x's dtype.

    >>> piecewise(np.array([-2.0, 3.0]), [np.array([True, False])], [abs, lambda x: 10 * x])
    Array([ 2., 30.], dtype=float32)
    """
    name = "jnp.piecewise"
    check_arraylike(name, x)
    x = asarray(x)
    if not isinstance(condlist, list | tuple):
        check_arraylike(name, condlist)
    conditions = asarray(condlist, dtype=bool)
    count = len(condlist) if isinstance(condlist, list | tuple) else conditions.shape[0]
    if len(funclist) == count:
        functions = [0, *funclist]
    elif len(funclist) == count + 1:
        functions = [funclist[-1], *funclist[:-1]]
    else:
        raise ValueError(
            f"{name} got {len(funclist)} functions for {count} conditions. Give one for each, and "
            f"perhaps one more."
        )
    if not count:
        raise ValueError(f"{name} got no conditions. Give one at least.")
    # No condition holds, or the first that does: its place, counted from 1.
    nothing = lax.full((1, *conditions.shape[1:]), False)
    place = argmax(cumsum(concatenate([nothing, conditions], 0), axis=0), axis=0)

    def branch(fun: Any) -> Callable:
        def of_element(element: Any) -> Any:
            result = fun(element, *args, **kw) if callable(fun) else fun
            return lax.convert_element_type(asarray(result), x.dtype)

        return of_element

    choice = partial(_switch, list(map(branch, functions)))
    for _ in range(x.ndim):
        choice = vmap(choice)
    return choice(broadcast_to(place, x.shape), x)


def _switch(branches: list[Callable], place: Any, element: Any) -> Any:
    return lax.switch(place, branches, element)
