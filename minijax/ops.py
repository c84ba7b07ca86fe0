"""Sums, products and extremes by segments: of all rows that have one number."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from minijax.compiler.maths.bounds import largest, smallest
from minijax.core.dtypes import issubdtype
from minijax.core.tracing import typeof
from minijax.face.boundaries import guard
from minijax.face.planned import missing_names, shown_names
from minijax.lax.out_sharding import takes_out_sharding
from minijax.lax.shapes.axes import known_integer
from minijax.numpy.arguments import check_arraylike, refuse_keys
from minijax.numpy.creation import arange, asarray, astype, full
from minijax.numpy.reductions.extremes import max as max_of
from minijax.numpy.reductions.extremes import min as min_of
from minijax.numpy.reductions.totals import prod, sum

__all__ = ["segment_max", "segment_min", "segment_prod", "segment_sum"]
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)


@takes_out_sharding
def segment_sum(
    data: Any, segment_ids: Any, num_segments: int | None = None,
    indices_are_sorted: bool = False, unique_indices: bool = False,
    bucket_size: int | None = None, mode: Any = None,
) -> Any:  # fmt: skip
    """For each segment, the sum of the parts of `data` along its first axes that `segment_ids`
    gives its number; of none, 0.

    There are `num_segments`, which must be known while tracing; as many as the largest number says
    where it isn't given. Parts with other numbers are left out, or with the `mode` "clip" go to the
    nearest segment. `bucket_size` parts are added up at a time, and then these sums.

    >>> segment_sum(np.array([1.0, 2.0, 5.0]), np.array([0, 0, 2]))
    Array([3., 0., 5.], dtype=float32)
    """
    options = (num_segments, indices_are_sorted, unique_indices, bucket_size, mode)
    return _by_segments("segment_sum", "add", sum, lambda dtype: 0, data, segment_ids, *options)


@takes_out_sharding
def segment_prod(
    data: Any, segment_ids: Any, num_segments: int | None = None,
    indices_are_sorted: bool = False, unique_indices: bool = False,
    bucket_size: int | None = None, mode: Any = None,
) -> Any:  # fmt: skip
    """For each segment, the product of the parts of `data` that have its number; of none, 1.

    See `segment_sum` for the arguments.
    """
    options = (num_segments, indices_are_sorted, unique_indices, bucket_size, mode)
    return _by_segments(
        "segment_prod", "multiply", prod, lambda dtype: 1, data, segment_ids, *options
    )


@takes_out_sharding
def segment_max(
    data: Any, segment_ids: Any, num_segments: int | None = None,
    indices_are_sorted: bool = False, unique_indices: bool = False,
    bucket_size: int | None = None, mode: Any = None,
) -> Any:  # fmt: skip
    """For each segment, the largest of the parts of `data` that have its number; of none, -inf, or
    the smallest integer.

    See `segment_sum` for the arguments.

    >>> segment_max(np.array([1, 7, 5]), np.array([0, 0, 1]))
    Array([7, 5], dtype=int32)
    """
    options = (num_segments, indices_are_sorted, unique_indices, bucket_size, mode)
    return _by_segments("segment_max", "max", max_of, smallest, data, segment_ids, *options)


@takes_out_sharding
def segment_min(
    data: Any, segment_ids: Any, num_segments: int | None = None,
    indices_are_sorted: bool = False, unique_indices: bool = False,
    bucket_size: int | None = None, mode: Any = None,
) -> Any:  # fmt: skip
    """For each segment, the smallest of the parts of `data` that have its number; of none, inf, or
    the largest integer.

    See `segment_sum` for the arguments.
    """
    options = (num_segments, indices_are_sorted, unique_indices, bucket_size, mode)
    return _by_segments("segment_min", "min", min_of, largest, data, segment_ids, *options)


def _by_segments(
    name: str, update: str, reduce: Callable, neutral: Callable, data: Any, segment_ids: Any,
    num_segments: Any, indices_are_sorted: bool, unique_indices: bool, bucket_size: Any, mode: Any,
) -> Any:  # fmt: skip
    name = f"ops.{name}"
    check_arraylike(name, data, segment_ids)
    refuse_keys(name, data)
    data, ids = asarray(data), asarray(segment_ids)
    if not issubdtype(ids.dtype, np.integer):
        raise TypeError(f"{name} got {typeof(ids)} as segment_ids. Give integers.")
    if update in ("add", "multiply") and data.dtype == np.bool_:
        raise TypeError(f"{name} takes numbers, and got {typeof(data)}. Use x.astype(int).")
    if num_segments is None:
        num_segments = max_of(ids) + 1
    count = known_integer(name, "num_segments", num_segments)
    if count < 0:
        raise ValueError(f"{name} was asked for {count} segments. Give num_segments from 0.")
    options = {
        "indices_are_sorted": indices_are_sorted, "unique_indices": unique_indices, "mode": mode,
        "wrap_negative_indices": False,
    }  # fmt: skip
    start, rest = neutral(data.dtype), data.shape[1:]
    if bucket_size is None:
        out = full((count, *rest), start, data.dtype)
        return getattr(out.at[ids], update)(data, **options)
    size = known_integer(name, "bucket_size", bucket_size)
    buckets = -(-ids.size // size)
    out = full((buckets, count, *rest), start, data.dtype)
    of_bucket = arange(ids.size) // size
    options["indices_are_sorted"] = False
    sums = getattr(out.at[of_bucket, ids], update)(data, **options)
    return astype(reduce(sums, axis=0), data.dtype)


guard(sys.modules[__name__])
