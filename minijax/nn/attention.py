"""Attention: each query's mean of values, by how well the keys beside them fit.

Vaswani and others, Attention is all you need (2017), section 3.2.1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minijax import lax, numpy
from minijax.core.dtypes import issubdtype
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.shapes.axes import known_integer

NAME = "nn.dot_product_attention"
MASKED = -0.7 * float(np.finfo(np.float32).max)  # where all is masked, all weights are alike


def dot_product_attention(
    query: Any, key: Any, value: Any, bias: Any = None, mask: Any = None, *,
    scale: float | None = None, is_causal: bool = False, query_seq_lengths: Any = None,
    key_value_seq_lengths: Any = None, local_window_size: int | tuple[int, int] | None = None,
    implementation: str | None = None, return_residual: bool = False,
) -> Any:  # fmt: skip
    """softmax(query @ key.T * scale + bias) @ value for each head, of the query's shape.

    The query has the shape ([batch,] places, heads, size); key and value ([batch,] other places,
    heads, size), of which each head serves as many of the query's as it takes. `bias` is added,
    and a place where `mask` is False does not count; both have axes (batch, heads, places, other
    places), or sizes of 1. `scale` is 1 / sqrt(size).

    With `is_causal`, no place sees those after it; with `local_window_size`, only those so far
    before and after (a number, or one for each). The lengths, an integer for each of the batch, say
    how many places count; results for further queries are 0. Where nothing counts, the result is
    the mean of all values.

    `implementation` is "xla" or None; RuntimeError for "cudnn", which needs a GPU. With
    `return_residual`, also the logarithms of the sums that softmax divides by, without `size`.
    ValueError for shapes and dtypes that don't fit.

    >>> x = np.eye(2, dtype=np.float32)[:, None]
    >>> dot_product_attention(x, x, x, is_causal=True)[0]
    Array([[1., 0.]], dtype=float32)
    """
    if implementation not in (None, "xla"):
        if implementation == "cudnn":
            raise RuntimeError(f"{NAME} runs on the CPU, without cuDNN. Leave implementation out.")
        got = shown(implementation)
        raise ValueError(f"{NAME} knows no implementation {got}. Leave it out.")
    ndim = numpy.ndim(query)
    query, key, value = (_with_batch(x) for x in (query, key, value))
    _check_shapes(query, key, value)
    scale = query.shape[-1] ** -0.5 if scale is None else scale
    groups = query.shape[2] // key.shape[2]
    key, value = (numpy.repeat(x, groups, axis=2) for x in (key, value))
    logits = lax.dot_general(
        query, key, (((3,), (3,)), ((0, 2), (0, 2))), preferred_element_type=_wide(query.dtype)
    )
    logits = logits * numpy.asarray(scale, logits.dtype)
    if bias is not None:
        logits = (logits + _alike("bias", bias, logits.shape)).astype(logits.dtype)
    lengths = (
        _lengths("query_seq_lengths", query_seq_lengths, len(query)),
        _lengths("key_value_seq_lengths", key_value_seq_lengths, len(query)),
    )
    counts = _counting(logits.shape, mask, is_causal, lengths, local_window_size)
    if counts is not None:
        logits = numpy.where(counts, logits, numpy.asarray(MASKED, logits.dtype))
    largest = lax.stop_gradient(numpy.max(logits, axis=-1, keepdims=True))
    powers = numpy.exp(logits - largest)
    total = numpy.sum(powers, axis=-1, keepdims=True)
    weights = (powers / total).astype(key.dtype)
    out = lax.dot_general(weights, value, (((3,), (1,)), ((0, 1), (0, 2))))
    out = numpy.swapaxes(out, 1, 2)
    if lengths[0] is not None:
        is_there = numpy.arange(query.shape[1]) < lengths[0][:, None]
        out = numpy.where(is_there[:, :, None, None], out, 0)
    residual = numpy.swapaxes((largest + numpy.log(total))[..., 0], 1, 2)
    out, residual = (x if ndim == 4 else x[0] for x in (out, residual))
    return (out, residual) if return_residual else out


def _wide(dtype: np.dtype) -> np.dtype:
    return np.dtype(np.float64 if dtype == np.float64 else np.float32)


def _with_batch(x: Any) -> Any:
    """The array with four axes."""
    x = numpy.asarray(x)
    if x.ndim not in (3, 4):
        got = f"an array of the shape {x.shape}"
        raise ValueError(f"{NAME} takes three axes or four, and got {got}. Give as many.")
    return x if x.ndim == 4 else x[None]


def _check_shapes(query: Any, key: Any, value: Any) -> None:
    batch, _, heads, size = query.shape
    for name, x in (("key", key), ("value", value)):
        if x.dtype != query.dtype:
            got = f"a query of {query.dtype} and a {name} of {x.dtype}"
            raise ValueError(f"{NAME} got {got}. Give one dtype.")
        if (x.shape[0], x.shape[3]) != (batch, size) or x.shape[:3] != key.shape[:3]:
            raise ValueError(
                f"{NAME} got the shapes {query.shape}, {key.shape} and {value.shape}.\n"
                f"Give key and value one shape, with the query's batch and size."
            )
    if not issubdtype(query.dtype, np.floating):
        raise ValueError(f"{NAME} takes floats, and got {query.dtype}. Convert them.")
    if not key.shape[2] or heads % key.shape[2]:
        got = f"{heads} heads of the query and {key.shape[2]} of the key"
        raise ValueError(f"{NAME} got {got}. Give a multiple.")


def _alike(name: str, x: Any, shape: tuple[int, ...]) -> Any:
    """The array with the four axes of the logits, or sizes of 1."""
    x = numpy.asarray(x)
    x = lax.expand_dims(x, range(max(4 - x.ndim, 0)))
    if x.ndim != 4 or any(n not in (1, m) for n, m in zip(x.shape, shape, strict=True)):
        raise ValueError(
            f"{NAME} takes a {name} of the shape {shape}, and got {x.shape}. Give such, or sizes "
            f"of 1."
        )
    return x


def _lengths(name: str, lengths: Any, batch: int) -> Any:
    if lengths is None:
        return None
    lengths = numpy.asarray(lengths)
    if lengths.shape != (batch,) or not issubdtype(lengths.dtype, np.integer):
        raise ValueError(
            f"{NAME} takes {batch} integers as {name}, and got {lengths.aval}. Give as many."
        )
    return lengths


def _counting(
    shape: tuple[int, ...], mask: Any, is_causal: bool, lengths: tuple[Any, Any], window: Any
) -> Any:
    """Which places count for which queries; None for all."""
    parts = []
    if mask is not None:
        mask = _alike("mask", mask, shape)
        if mask.dtype != np.bool_:
            raise ValueError(f"{NAME} takes bools as mask, and got {mask.dtype}. Compare it.")
        parts.append(mask)
    places = numpy.arange(shape[2])[:, None], numpy.arange(shape[3])
    if is_causal:
        parts.append(places[0] >= places[1])
    if window is not None:
        pair = window if isinstance(window, tuple) else (window, window)
        before, after = (known_integer(NAME, "local_window_size", n) for n in pair)
        parts += [places[1] >= places[0] - before, places[1] <= places[0] + after]
    for length, place in zip(lengths, places, strict=True):
        if length is not None:
            parts.append(place < length[:, None, None, None])
    if not parts:
        return None
    total = parts[0]
    for part in parts[1:]:
        total = total & part
    return total
