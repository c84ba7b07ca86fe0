"""Products in groups of rows: each group has a matrix of its own, and how many rows it has is data.

So a mixture of experts is one product. (Gale et al., MegaBlocks: Efficient sparse training with
mixture-of-experts, 2022.)
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from minijax.compiler.lowerings import register_lowering
from minijax.core.batching import bdim_at_front, primitive_batchers, shift_axes
from minijax.core.dtypes import issubdtype
from minijax.core.forward import defjvp2
from minijax.core.primitives import (
    broadcast_in_dim,
    cast,
    contract,
    dot_general_p,
    numpy_primitive,
    remaining,
    transpose,
)
from minijax.core.reverse import inverse, is_undefined_primal, primitive_transposes
from minijax.core.staging import JaxprEqn, trace_to_jaxpr
from minijax.core.tracing import ShapedArray, typeof
from minijax.lax.elementwise.arithmetic import dtype_for
from minijax.lax.product_precisions import canonicalize_precision
from minijax.lax.ragged_parts import ragged_part
from minijax.lax.shapes.axes import as_integers


class _Numbers(NamedTuple):
    dot_dimension_numbers: tuple
    lhs_ragged_dimensions: tuple[int, ...]
    rhs_group_dimensions: tuple[int, ...]


class RaggedDotDimensionNumbers(_Numbers):
    """The axes of a product in groups: those of a `dot_general`, the axis of lhs that is cut into
    groups, and the axis of rhs that has a matrix for each.

    >>> RaggedDotDimensionNumbers((((1,), (1,)), ((), ())), [0], [0]).rhs_group_dimensions
    (0,)
    """

    def __new__(
        cls, dot_dimension_numbers: Any, lhs_ragged_dimensions: Sequence[int],
        rhs_group_dimensions: Sequence[int],
    ) -> RaggedDotDimensionNumbers:  # fmt: skip
        """Axes are integers; TypeError for others."""
        name = "lax.RaggedDotDimensionNumbers"
        (x_contract, y_contract), (x_batch, y_batch) = (
            tuple(as_integers(name, "dot_dimension_numbers", axes) for axes in pair)
            for pair in dot_dimension_numbers
        )
        return super().__new__(
            cls, ((x_contract, y_contract), (x_batch, y_batch)),
            as_integers(name, "lhs_ragged_dimensions", lhs_ragged_dimensions),
            as_integers(name, "rhs_group_dimensions", rhs_group_dimensions),
        )  # fmt: skip


def _ragged_rule(
    x: ShapedArray, y: ShapedArray, sizes: ShapedArray, *,
    ragged_dot_dimension_numbers: RaggedDotDimensionNumbers, precision: Any,
    preferred_element_type: Any, group_offset: None, out_sharding: Any = None,
) -> ShapedArray:  # fmt: skip
    name = "lax.ragged_dot_general"
    numbers, ragged, group = ragged_dot_dimension_numbers
    (x_contract, _), (x_batch, _) = numbers
    if not issubdtype(sizes.dtype, np.integer):
        raise TypeError(f"{name} takes group_sizes of integers, and got {sizes}.\nConvert them.")
    if len(ragged) != 1 or not 0 <= ragged[0] < x.ndim:
        raise TypeError(
            f"{name} got the lhs_ragged_dimensions {ragged} of lhs {x}.\nName one axis of lhs."
        )
    is_of_rows = ragged[0] not in (*x_contract, *x_batch)
    if len(group) != is_of_rows or any(not 0 <= d < y.ndim for d in group):
        raise TypeError(
            f"{name} got the rhs_group_dimensions {group} of rhs {y}.\nName one axis of rhs where "
            f"the ragged axis {ragged[0]} of lhs is neither contracted nor a batch axis, else none."
        )
    batch = tuple(x.shape[d] for d in x_batch)
    count = y.shape[group[0]] if group else sizes.shape[-1] if sizes.ndim else 0
    if sizes.shape not in [(count,), (*batch, count)]:
        raise TypeError(
            f"{name} got group_sizes {sizes} for lhs {x} and rhs {y}.\n"
            f"Give an array of the shape ({count},), a size for each group."
        )
    params = {"precision": precision, "preferred_element_type": preferred_element_type}
    one = y.update(shape=[n for d, n in enumerate(y.shape) if d not in group])
    [out] = dot_general_p.out_avals([x, one], {
        "dimension_numbers": _without_group(numbers, group), "out_sharding": None, **params,
    })  # fmt: skip
    return out.update(shape=(count, *out.shape)) if ragged[0] in x_contract else out


def _without_group(numbers: tuple, group: Sequence[int]) -> tuple:
    """The axes of the product of lhs and one of the matrices of rhs."""
    (x_contract, y_contract), (x_batch, y_batch) = numbers
    y_contract, y_batch = (
        tuple(d - sum(g < d for g in group) for d in axes) for axes in (y_contract, y_batch)
    )
    return (x_contract, y_contract), (x_batch, y_batch)


def _groups(sizes: np.ndarray, length: int) -> list[slice]:
    """The rows of each group; those behind the last group are in none."""
    sizes = sizes.astype(np.int64)
    stops = np.cumsum(sizes)
    bounds = zip(stops - sizes, stops, strict=True)
    return [slice(*np.clip((start, stop), 0, length)) for start, stop in bounds]


def _numpy_ragged(
    x: np.ndarray, y: np.ndarray, sizes: np.ndarray, ragged_dot_dimension_numbers: Any,
    precision: Any, preferred_element_type: Any, group_offset: None, out_sharding: Any = None,
) -> np.ndarray:  # fmt: skip
    """Rows that are in no group give zeros, or nothing to a sum over rows. Sizes below 0 go back:
    a row that is in two groups is the sum of both."""
    numbers, [ragged], group = ragged_dot_dimension_numbers
    (x_contract, y_contract), (x_batch, y_batch) = numbers
    product_numbers = _without_group(numbers, group)

    def product(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return np.asarray(dot_general_p.impl(
            x, y, dimension_numbers=product_numbers, precision=None,
            preferred_element_type=preferred_element_type,
        ))  # fmt: skip

    if ragged in x_batch:
        return product(x, y)
    if sizes.ndim > 1:  # for each place along the first batch axis, groups of its own
        inner = RaggedDotDimensionNumbers(
            (
                (_after(x_contract, x_batch[0]), _after(y_contract, y_batch[0])),
                (_after(x_batch[1:], x_batch[0]), _after(y_batch[1:], y_batch[0])),
            ),
            _after([ragged], x_batch[0]), _after(group, y_batch[0]),
        )  # fmt: skip
        xs, ys = np.moveaxis(x, x_batch[0], 0), np.moveaxis(y, y_batch[0], 0)
        parts = zip(xs, ys, sizes, strict=True)
        out = [_numpy_ragged(*part, inner, None, preferred_element_type, None) for part in parts]
        return np.stack(out, 1 if ragged in x_contract else 0)
    at_x = (slice(None),) * ragged
    if ragged in x_contract:
        at_y = (slice(None),) * y_contract[x_contract.index(ragged)]
        rows = _groups(sizes, x.shape[ragged])
        sums = np.stack([product(x[*at_x, each], y[*at_y, each]) for each in rows])
        return sums + np.zeros((), sums.dtype)  # also the one product -0.0 is a sum, 0.0
    at_y = (slice(None),) * group[0]
    free = remaining(x.ndim, x_contract, x_batch)
    at_out = (slice(None),) * (len(x_batch) + free.index(ragged))
    out = np.zeros_like(product(x, y[*at_y, 0]))
    for i, each in enumerate(_groups(sizes, x.shape[ragged])):
        out[*at_out, each] += product(x[*at_x, each], y[*at_y, i])
    return out


def _after(axes: Sequence[int], taken: int) -> tuple[int, ...]:
    """What axes are called once an axis is taken away."""
    return tuple(d - (d > taken) for d in axes)


ragged_dot_general_p = numpy_primitive(
    "ragged_dot_general", _ragged_rule, _numpy_ragged, {"out_sharding": None}
)
defjvp2(
    ragged_dot_general_p,
    lambda g, ans, x, y, sizes, **params: ragged_dot_general_p.bind(g, y, sizes, **params),
    lambda g, ans, x, y, sizes, **params: ragged_dot_general_p.bind(x, g, sizes, **params),
    None,
)


def _ragged_transpose(ct, x, y, sizes, *, ragged_dot_dimension_numbers, **params):
    """Of rows with matrices of their own: of lhs another such product, of rhs sums for each group.
    Of such sums: products of rows of the other operand with ct's matrices."""
    numbers, [ragged], group = ragged_dot_dimension_numbers
    (x_contract, y_contract), (x_batch, y_batch) = numbers
    if ragged in x_batch:
        raise NotImplementedError(
            "lax.ragged_dot_general is not differentiated where the ragged axis of lhs is a batch "
            "axis.\nUse lax.dot_general: it gives the same."
        )
    x_aval, y_aval = (z.aval if is_undefined_primal(z) else typeof(z) for z in (x, y))
    x_free = remaining(x_aval.ndim, x_contract, x_batch)
    y_free = remaining(y_aval.ndim, y_contract, y_batch, group)
    places = iter(range(typeof(ct).ndim))
    own = [] if group else [next(places)]  # ct's axis of groups, where it has one
    ct_batch, ct_x, ct_y = (tuple(next(places) for _ in axes) for axes in (x_batch, x_free, y_free))
    pairs = list(zip(x_contract, y_contract, strict=True))
    mine = [x_axis for x_axis, _ in sorted(pairs, key=lambda pair: pair[1])]
    theirs = [y_axis for _, y_axis in sorted(pairs)]

    def product(lhs, rhs, contract, batch, ragged, group):
        numbers = RaggedDotDimensionNumbers((contract, batch), [ragged], group)
        return ragged_dot_general_p.bind(
            lhs, rhs, sizes, ragged_dot_dimension_numbers=numbers, **params
        )

    if is_undefined_primal(x):
        if group:
            at = ct_x[x_free.index(ragged)]
            out = product(ct, y, (ct_y, y_free), (ct_batch, y_batch), at, group)
            return [_in_order(out, [*x_batch, *x_free, *mine], x_aval), None, None]
        at = y_contract[x_contract.index(ragged)]
        out = product(y, ct, (y_free, ct_y), (y_batch, ct_batch), at, own)
        return [_in_order(out, [*x_batch, *mine, *x_free], x_aval), None, None]
    out = product(x, ct, (x_free, ct_x), (x_batch, ct_batch), ragged, own)
    return [None, _in_order(out, [*group, *y_batch, *theirs, *y_free], y_aval), None]


def _in_order(product: Any, order: Sequence[int], aval: ShapedArray) -> Any:
    """The product, whose axes are those of `order`, with the axes and the dtype of an operand."""
    if typeof(product).dtype != aval.dtype:
        product = cast(product, aval.dtype)
    places = inverse(order)
    return product if list(places) == sorted(places) else transpose(product, places)


primitive_transposes[ragged_dot_general_p] = _ragged_transpose


def _ragged_batcher(args, dims, *, ragged_dot_dimension_numbers, **params):
    """One more batch axis, in front of the others; what is not mapped is repeated."""
    numbers, ragged, group = ragged_dot_dimension_numbers
    (x_contract, y_contract), (x_batch, y_batch) = numbers
    size = next(typeof(x).shape[d] for x, d in zip(args, dims, strict=True) if d is not None)
    count = len(x_batch)
    x, y, sizes = (bdim_at_front(x, d, size) for x, d in zip(args, dims, strict=True))
    if typeof(sizes).ndim == 2 and count:  # inner batch axes share their sizes
        from_front = (size, *(typeof(x).shape[d + 1] for d in x_batch), typeof(sizes).shape[-1])
        sizes = broadcast_in_dim(sizes, from_front, (0, len(from_front) - 1))
    more = RaggedDotDimensionNumbers(
        (
            (shift_axes(x_contract, 0), shift_axes(y_contract, 0)),
            ((0, *shift_axes(x_batch, 0)), (0, *shift_axes(y_batch, 0))),
        ),
        shift_axes(ragged, 0), shift_axes(group, 0),
    )  # fmt: skip
    out = ragged_dot_general_p.bind(x, y, sizes, ragged_dot_dimension_numbers=more, **params)
    return out, 1 if ragged[0] in x_contract else 0


primitive_batchers[ragged_dot_general_p] = _ragged_batcher


def _as_product(eqn: JaxprEqn) -> tuple | None:
    """Where the ragged axis is a batch axis, groups change nothing."""
    (numbers, [ragged], _), operands = eqn.params["ragged_dot_dimension_numbers"], eqn.invars[:2]
    if ragged not in numbers[1][0]:
        return None
    params = {name: eqn.params[name] for name in ("precision", "preferred_element_type")}
    product = partial(contract, dimension_numbers=numbers, **params)
    return trace_to_jaxpr(lambda x, y: [product(x, y)], [x.aval for x in operands]), operands


register_lowering(ragged_dot_general_p, call=_as_product, source=ragged_part)


def ragged_dot_general(
    lhs: Any, rhs: Any, group_sizes: Any,
    ragged_dot_dimension_numbers: RaggedDotDimensionNumbers, precision: Any = None,
    preferred_element_type: Any = None, group_offset: None = None, out_sharding: Any = None,
) -> Any:  # fmt: skip
    """A `dot_general` in groups: `group_sizes` says how many rows of lhs each of them has.

    The ragged axis of lhs is one of three. Neither contracted nor a batch axis: a row is multiplied
    with the matrix of its group, along the group axis of rhs; rows of no group give zeros.
    Contracted: there is a sum for each group, and the result has an axis of them in front. A batch
    axis: groups change nothing. TypeError for axes and shapes that don't fit and for sizes that
    are no integers; NotImplementedError for a `group_offset`.
    """
    if group_offset is not None:
        raise NotImplementedError(
            "lax.ragged_dot_general has no group_offset. Give the sizes of all groups, from 0 on."
        )
    if preferred_element_type is not None:
        preferred_element_type = dtype_for("lax.ragged_dot_general", preferred_element_type)
    return ragged_dot_general_p.bind(
        lhs, rhs, group_sizes, ragged_dot_dimension_numbers=ragged_dot_dimension_numbers,
        precision=canonicalize_precision("lax.ragged_dot_general", precision),
        preferred_element_type=preferred_element_type, group_offset=None,
        out_sharding=out_sharding,
    )  # fmt: skip


def ragged_dot(
    lhs: Any, rhs: Any, group_sizes: Any, precision: Any = None,
    preferred_element_type: Any = None, group_offset: None = None, out_sharding: Any = None,
) -> Any:  # fmt: skip
    """The rows of lhs (m, k), each times the matrix of its group, of rhs (g, k, n): (m, n).

    The first `group_sizes[0]` rows are of the first group, and so on; the rest are zeros. Errors
    are those of `ragged_dot_general`.

    >>> ragged_dot(np.ones((3, 1)), np.array([[[2.0]], [[5.0]]]), np.array([1, 2])).ravel()
    Array([2., 5., 5.], dtype=float32)
    """
    numbers = RaggedDotDimensionNumbers((((1,), (1,)), ((), ())), [0], [0])
    return ragged_dot_general(
        lhs, rhs, group_sizes, numbers, precision, preferred_element_type, group_offset,
        out_sharding,
    )  # fmt: skip
