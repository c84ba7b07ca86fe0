"""In order of size. An order of keys is a permutation, and all else goes along: the values that
stand beside the keys, and the tangents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minijax.compiler.lowerings import register_lowering
from minijax.core.batching import moveaxis, not_mapped, primitive_batchers
from minijax.core.dtypes import is_narrow, issubdtype
from minijax.core.forward import Zero, is_nonzero, primitive_jvps
from minijax.core.primitives import broadcast_in_dim, expand_dims, remaining, reshape
from minijax.core.tracing import ShapedArray, typeof
from minijax.lax.elementwise.floats import total_order
from minijax.lax.indexing.dimension_numbers import GatherDimensionNumbers
from minijax.lax.indexing.gather_scatter import gather
from minijax.lax.kernel_parts import always
from minijax.lax.primitive_makers import numpy_primitive_several
from minijax.lax.shapes.array_routines import FEW, sort_part, top_k_part
from minijax.lax.shapes.axes import as_integer, broadcasted_iota, known_axis

# The order of keys: NaN last, complex numbers by their real parts first.


def _sort_rule(*xs: ShapedArray, dimension: int, is_stable: bool, num_keys: int) -> list:
    if len({x.shape for x in xs}) > 1:
        raise TypeError(
            f"lax.sort got the shapes {', '.join(str(x.shape) for x in xs[:4])}.\n"
            f"Give arrays of one shape."
        )
    for x in xs[:num_keys]:
        if not issubdtype(x.dtype, np.bool_, np.number):
            raise TypeError(f"lax.sort needs an order, which {x} has not. Give numbers as keys.")
    return list(xs)


def _parts(key: np.ndarray) -> list[np.ndarray]:
    """A key as keys that NumPy puts in order, the most important first."""
    if issubdtype(key.dtype, np.complexfloating):
        return [key.real, key.imag]
    return [key.astype(np.float32) if is_narrow(key.dtype) else key]


MANY = 1 << 12  # numbers, from which on it pays to look whether any order of equals will do


def _fastest_kind(key: np.ndarray) -> str | None:
    """Equal floats differ in zeros' signs and in NaNs' bits: without those, no order need be kept,
    and NumPy sorts several times as fast."""
    if key.dtype.kind != "f":
        return None
    if key.size < MANY or np.isnan(key).any() or np.signbit(key[key == 0]).any():
        return "stable"
    return None


def _numpy_sort(
    *xs: np.ndarray, dimension: int, is_stable: bool, num_keys: int
) -> list[np.ndarray]:
    keys = [part for x in xs[:num_keys] for part in _parts(x)]
    if len(xs) == len(keys) == 1:
        return [np.sort(keys[0], dimension, kind=_fastest_kind(keys[0]))]
    if len(keys) == 1:
        order = np.argsort(keys[0], dimension, kind="stable")
    else:
        order = np.lexsort(keys[::-1], dimension)
    return [np.take_along_axis(x, order, dimension) for x in xs]


sort_p = numpy_primitive_several("sort", _sort_rule, _numpy_sort)


def sort(
    operand: Any, dimension: int = -1, is_stable: bool = True, num_keys: int = 1
) -> Any:  # fmt: skip
    """The operand in order along an axis; NaN comes last, 0.0 and -0.0 are alike.

    Of several operands, of one shape, the first `num_keys` are keys, the first of them the most
    important; the others go along, and the result is a tuple. Equal keys stay in their order.

    >>> sort([np.array([3, 1, 2]), np.array([0.3, 0.1, 0.2])])
    (Array([1, 2, 3], dtype=int32), Array([0.1, 0.2, 0.3], dtype=float32))
    """
    several = isinstance(operand, Sequence)
    operands = list(operand) if several else [operand]
    if not operands:
        raise TypeError("lax.sort got no operands. Give at least one.")
    num_keys = as_integer("lax.sort", "num_keys", num_keys)
    if not 1 <= num_keys <= len(operands):
        raise ValueError(
            f"lax.sort has {len(operands)} operands, and got num_keys {num_keys}.\n"
            f"Give a number from 1 to {len(operands)}."
        )
    dimension = known_axis("lax.sort", dimension, typeof(operands[0]).ndim)
    out = sort_p.bind(
        *operands, dimension=dimension, is_stable=bool(is_stable), num_keys=num_keys
    )
    return tuple(out) if several else out[0]


def sort_key_val(
    keys: Any, values: Any, dimension: int = -1, is_stable: bool = True
) -> tuple[Any, Any]:  # fmt: skip
    """The keys in order along an axis, and the values beside them in the same order.

    >>> sort_key_val(np.array([3, 1, 2]), np.array([0, 1, 2]))
    (Array([1, 2, 3], dtype=int32), Array([1, 2, 0], dtype=int32))
    """
    return sort([keys, values], dimension, is_stable)


def _sort_batcher(args, dims, *, dimension, is_stable, num_keys):
    shape, dim = next(
        (typeof(x).shape, d) for x, d in zip(args, dims, strict=True) if d is not not_mapped
    )
    args = [
        broadcast_in_dim(x, shape, remaining(len(shape), [dim])) if d is not_mapped
        else moveaxis(x, d, dim)
        for x, d in zip(args, dims, strict=True)
    ]  # fmt: skip
    dimension += dim <= dimension
    out = sort_p.bind(*args, dimension=dimension, is_stable=is_stable, num_keys=num_keys)
    return out, [dim] * len(out)


def _sort_jvp(primals, tangents, *, dimension, is_stable, num_keys):
    """The places go along too, and say from where the tangents come."""
    shape = typeof(primals[0]).shape
    places = broadcasted_iota(np.dtype(np.uint32), shape, dimension)
    *out, places = sort_p.bind(
        *primals, places, dimension=dimension, is_stable=is_stable, num_keys=num_keys
    )
    indices = expand_dims(places, [len(shape)])
    return out, [from_places(t, indices, dimension) if is_nonzero(t) else t for t in tangents]


def from_places(x: Any, indices: Any, axis: int) -> Any:
    """The elements of x along an axis, at an index for each element of the result."""
    ndim = typeof(x).ndim
    others = tuple(remaining(ndim, [axis]))
    numbers = GatherDimensionNumbers((), (axis,), (axis,), others, others)
    return gather(x, indices, numbers, (1,) * ndim)


primitive_jvps[sort_p] = _sort_jvp
primitive_batchers[sort_p] = _sort_batcher
register_lowering(sort_p, source=sort_part, alone=always, on_halves="exact")

# The largest few.


def _top_k_rule(x: ShapedArray, *, k: int, axis: int) -> list[ShapedArray]:
    if not issubdtype(x.dtype, np.bool_, np.integer, np.floating):
        raise ValueError(f"lax.top_k needs an order, which {x} has not. Try abs(x).")
    if not 0 <= k <= x.shape[axis]:
        raise ValueError(
            f"lax.top_k cannot give {k} of the {x.shape[axis]} elements along axis {axis} of {x}.\n"
            f"Give k from 0 to {x.shape[axis]}."
        )
    values = x.update(shape=(*x.shape[:axis], k, *x.shape[axis + 1 :]))
    return [values, values.update(dtype=np.dtype(np.int32))]


def _numpy_top_k(x: np.ndarray, k: int, axis: int) -> list[np.ndarray]:
    largest_first = np.argsort(~total_order(x), axis, kind="stable")
    places = np.take(largest_first, np.arange(k), axis)
    return [np.take_along_axis(x, places, axis), places]


def _top_k_jvp(primals, tangents, *, k, axis):
    values, places = top_k_p.bind(*primals, k=k, axis=axis)
    indices = reshape(places, (*typeof(places).shape, 1))
    tangent = from_places(tangents[0], indices, axis)
    return [values, places], [tangent, Zero.from_primal_value(places)]


def _top_k_batcher(args, dims, *, k, axis):
    (x,), (d,) = args, dims
    return top_k_p.bind(x, k=k, axis=axis + (axis >= d)), [d, d]


top_k_p = numpy_primitive_several("top_k", _top_k_rule, _numpy_top_k)
primitive_jvps[top_k_p] = _top_k_jvp
primitive_batchers[top_k_p] = _top_k_batcher
register_lowering(
    top_k_p, source=top_k_part, alone=lambda eqn: eqn.params["k"] <= FEW, on_halves="exact"
)


def top_k(operand: Any, k: int, *, axis: int = -1) -> list[Any]:
    """[values, indices] of the k largest elements along an axis, the largest first.

    Of equal ones the first comes first. NaN is the largest of all, and 0.0 is larger than -0.0.

    >>> top_k(np.array([2.0, 7.0, 5.0]), 2)
    [Array([7., 5.], dtype=float32), Array([1, 2], dtype=int32)]
    """
    k = as_integer("lax.top_k", "k", k)
    return top_k_p.bind(operand, k=k, axis=known_axis("lax.top_k", axis, typeof(operand).ndim))
