"""The largest few, where some may be missed: machines with matrix units find those sooner.

Here none is missed. What is left of the approximation is its parameters, and the size of a result
whose numbers were not brought together.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from minijax.compiler.lowerings import register_lowering
from minijax.core.batching import primitive_batchers
from minijax.core.dtypes import is_narrow, issubdtype
from minijax.core.errors import JaxRuntimeError
from minijax.core.forward import Zero, primitive_jvps
from minijax.core.primitives import reshape
from minijax.core.staging import JaxprEqn
from minijax.core.tracing import ShapedArray, typeof
from minijax.lax.primitive_makers import numpy_primitive_several
from minijax.lax.shapes.array_routines import FEW, largest_part
from minijax.lax.shapes.axes import as_integer, known_axis
from minijax.lax.sorting import from_places


def _reduced_size(
    name: str, ndim: int, size: int, k: int, recall_target: float, whole_size: int
) -> int:
    """How many numbers remain of `size` before those of all tiles are brought together.

    (Chern et al., TPU-KNN: K nearest neighbor search at peak FLOP/s, 2022, section 4: of m bins,
    each of which keeps its largest number, the recall is about 1 - (k - 1) / m.)
    """
    tile = 1024 if ndim == 1 else 128
    if size <= tile:
        return size
    if k == 1:
        return tile
    if 0 <= whole_size < size:
        raise JaxRuntimeError(
            f"{name} got the reduction_input_size_override {whole_size}, and the axis has the size "
            f"{size}.\nGive the size of the whole, of which this is a part."
        )
    if recall_target == 1:
        return size
    bins = max(int((1 - k) / math.log(recall_target)), tile)
    halvings = max((max(whole_size, size) // bins).bit_length() - 1, 0)
    return -(-math.ceil(size / tile) // 2**halvings) * tile if halvings else size


def _approx_top_k_rule(
    x: ShapedArray, *, k: int, reduction_dimension: int, recall_target: float, is_max_k: bool,
    reduction_input_size_override: int, aggregate_to_topk: bool,
) -> list[ShapedArray]:  # fmt: skip
    name = "lax.approx_max_k" if is_max_k else "lax.approx_min_k"
    if not x.ndim:
        raise TypeError(f"{name} needs an axis, and got {x}. Give an array that has one.")
    size = x.shape[reduction_dimension]
    if not 0 < k <= size:
        raise ValueError(
            f"{name} cannot give {k} of the {size} elements along axis {reduction_dimension} of "
            f"{x}.\nGive k from 1 to {size}."
        )
    if not issubdtype(x.dtype, np.floating):
        raise ValueError(f"{name} takes floats, and got {x}. Convert it, or use lax.top_k.")
    if not 0 < recall_target <= 1:
        raise JaxRuntimeError(
            f"{name} got the recall_target {recall_target}. Give a share, above 0 and up to 1."
        )
    if not aggregate_to_topk:
        k = _reduced_size(name, x.ndim, size, k, recall_target, reduction_input_size_override)
    shape = list(x.shape)
    shape[reduction_dimension] = k
    values = x.update(shape=shape)
    return [values, values.update(dtype=np.dtype(np.int32), weak_type=False)]


def _numpy_approx_top_k(
    x: np.ndarray, reduction_dimension: int, is_max_k: bool, **params: Any
) -> list[np.ndarray]:
    """NaN comes before all, then of equal ones the first; of one only, XLA finds the last."""
    axis = reduction_dimension
    rule = partial(_approx_top_k_rule, is_max_k=is_max_k, reduction_dimension=axis)
    values, _ = rule(ShapedArray(x.shape, x.dtype), **params)
    keys = x.astype(np.float32) if is_narrow(x.dtype) else x
    keys = np.where(np.isnan(keys), -np.inf, -keys if is_max_k else keys)
    own = np.indices(x.shape)[axis]
    order = np.lexsort([-own if params["k"] == 1 else own, keys, ~np.isnan(x)], axis)
    places = np.take(order, np.arange(values.shape[axis]), axis)
    return [np.take_along_axis(x, places, axis), places]


def _approx_top_k_jvp(primals, tangents, *, reduction_dimension, **params):
    axis = reduction_dimension % typeof(primals[0]).ndim
    values, places = approx_top_k_p.bind(
        *primals, reduction_dimension=reduction_dimension, **params
    )
    indices = reshape(places, (*typeof(places).shape, 1))
    tangent = from_places(tangents[0], indices, axis)
    return [values, places], [tangent, Zero.from_primal_value(places)]


def _approx_top_k_batcher(args, dims, *, reduction_dimension, **params):
    (x,), (d,) = args, dims
    axis = reduction_dimension % (typeof(x).ndim - 1)
    axis += axis >= d
    return approx_top_k_p.bind(x, reduction_dimension=axis, **params), [d, d]


approx_top_k_p = numpy_primitive_several("approx_top_k", _approx_top_k_rule, _numpy_approx_top_k)
primitive_jvps[approx_top_k_p] = _approx_top_k_jvp
primitive_batchers[approx_top_k_p] = _approx_top_k_batcher


def _axis_of(eqn: JaxprEqn) -> int:
    return eqn.params["reduction_dimension"] % eqn.invars[0].aval.ndim


def _approx_top_k_part(eqn: JaxprEqn) -> Any:
    """Of equal ones the first comes first, or the last where one only is asked for."""
    sign = ">" if eqn.params["is_max_k"] else "<"
    is_later = f"({{1}} {sign} {{0}}) | (({{1}} != {{1}}) & ({{0}} == {{0}}))"
    if eqn.params["k"] == 1:
        is_later = f"({{1}} {sign}= {{0}}) | ({{1}} != {{1}})"
    return largest_part(eqn, _axis_of(eqn), is_later)


register_lowering(
    approx_top_k_p, source=_approx_top_k_part, on_halves="exact",
    alone=lambda eqn: eqn.outvars[0].aval.shape[_axis_of(eqn)] <= FEW,
)  # fmt: skip


def approx_max_k(
    operand: Any, k: int, reduction_dimension: int = -1, recall_target: float = 0.95,
    reduction_input_size_override: int = -1, aggregate_to_topk: bool = True,
) -> list[Any]:  # fmt: skip
    """[values, indices] of the k largest floats along an axis, the largest first.

    On a CPU they are exact, whatever share of them `recall_target` asks for. NaN comes before all;
    which of equal ones is found is not said. With `aggregate_to_topk` False there are more of them:
    as many as tiles of the array would leave. `reduction_input_size_override` then is the size of
    the whole axis, where this is a part of it.

    ValueError for no floats, or a k that is not from 1 to the size of the axis; IndexError where
    there is no such axis.

    >>> approx_max_k(np.array([2.0, 7.0, 5.0]), 2)
    [Array([7., 5.], dtype=float32), Array([1, 2], dtype=int32)]
    """
    params = (reduction_dimension, recall_target, reduction_input_size_override, aggregate_to_topk)
    return _approx_k("lax.approx_max_k", operand, k, True, *params)


def approx_min_k(
    operand: Any, k: int, reduction_dimension: int = -1, recall_target: float = 0.95,
    reduction_input_size_override: int = -1, aggregate_to_topk: bool = True,
) -> list[Any]:  # fmt: skip
    """[values, indices] of the k smallest floats along an axis, the smallest first.

    Parameters and errors are those of `approx_max_k`.

    >>> approx_min_k(np.array([2.0, 7.0, 5.0]), 2)
    [Array([2., 5.], dtype=float32), Array([0, 2], dtype=int32)]
    """
    params = (reduction_dimension, recall_target, reduction_input_size_override, aggregate_to_topk)
    return _approx_k("lax.approx_min_k", operand, k, False, *params)


def _approx_k(
    name: str, operand: Any, k: int, is_max_k: bool, reduction_dimension: int,
    recall_target: float, reduction_input_size_override: int, aggregate_to_topk: bool,
) -> list[Any]:  # fmt: skip
    ndim = typeof(operand).ndim
    axis = as_integer(name, "reduction_dimension", reduction_dimension)
    if ndim:
        known_axis(name, axis, ndim, IndexError)
    override = as_integer(name, "reduction_input_size_override", reduction_input_size_override)
    return approx_top_k_p.bind(
        operand, k=as_integer(name, "k", k), reduction_dimension=axis,
        recall_target=recall_target, is_max_k=is_max_k,
        reduction_input_size_override=override, aggregate_to_topk=bool(aggregate_to_topk),
    )  # fmt: skip
