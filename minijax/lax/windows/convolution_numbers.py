"""Which axis of a convolution's operands is what, and the shape of its result.

A specification of an array's axes names the position of the batch axis and of the features, of a
kernel those of the output's and the input's features, and then those of the spatial axes: for
"NHWC" it is (0, 3, 1, 2), for a kernel "HWIO" (3, 2, 0, 1).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from minijax.core.primitives import Shape
from minijax.core.reverse import inverse
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.shapes.axes import as_integer, as_integers
from minijax.lax.windows.window_shapes import Windows, as_pads, named_pads, spread


class ConvDimensionNumbers(NamedTuple):
    """The axes of a convolution's operands and of its result: batch, features, then the others."""

    lhs_spec: Sequence[int]
    rhs_spec: Sequence[int]
    out_spec: Sequence[int]


ConvGeneralDilatedDimensionNumbers = tuple[str, str, str] | ConvDimensionNumbers | None


def conv_dimension_numbers(
    lhs_shape: Sequence[int], rhs_shape: Sequence[int],
    dimension_numbers: ConvGeneralDilatedDimensionNumbers,
) -> ConvDimensionNumbers:  # fmt: skip
    """The numbers that three strings, such as ("NCHW", "OIHW", "NCHW"), or None stand for.

    None is that order, for any number of spatial axes. TypeError for other things, or for strings
    that don't fit the shapes.

    >>> conv_dimension_numbers((2, 7, 8, 3), (2, 3, 3, 4), ("NHWC", "HWIO", "NHWC"))
    ConvDimensionNumbers(lhs_spec=(0, 3, 1, 2), rhs_spec=(3, 2, 0, 1), out_spec=(0, 3, 1, 2))
    """
    name = "lax.conv_dimension_numbers"
    return dimension_numbers_of(name, lhs_shape, rhs_shape, dimension_numbers)


def dimension_numbers_of(
    name: str, lhs_shape: Shape, rhs_shape: Shape, numbers: Any
) -> ConvDimensionNumbers:
    """What `conv_dimension_numbers` says to the function `name`."""
    if isinstance(numbers, ConvDimensionNumbers):
        specs = (as_integers(name, "dimension_numbers", spec) for spec in numbers)
        return ConvDimensionNumbers(*specs)
    ndim = len(shapes_of(name, lhs_shape, rhs_shape)[0])
    if numbers is None:
        return ConvDimensionNumbers(*[tuple(range(ndim))] * 3)
    specs = permutations(name, numbers)
    if any(len(spec) != ndim for spec in specs):
        raise TypeError(
            f"{name} of arrays of {ndim} axes got the dimension_numbers {shown(numbers)}.\n"
            f"Give each a letter for each axis."
        )
    return ConvDimensionNumbers(*specs)


def conv_general_permutations(dimension_numbers: Sequence[str]) -> tuple[tuple[int, ...], ...]:
    """For lhs, rhs and result, the positions of "N" and "C" ("O" and "I" in rhs), then of the
    spatial axes, in the order in which rhs has them.

    TypeError where a letter is missing, stands twice, or is not in all three.

    >>> conv_general_permutations(("NHWC", "HWIO", "NWHC"))
    ((0, 3, 1, 2), (3, 2, 0, 1), (0, 3, 2, 1))
    """
    return permutations("lax.conv_general_permutations", dimension_numbers)


def permutations(name: str, numbers: Sequence[str]) -> tuple[tuple[int, ...], ...]:
    """What `conv_general_permutations` says to the function `name`."""
    are_three = isinstance(numbers, tuple | list) and len(numbers) == 3
    if not are_three or any(not isinstance(spec, str) for spec in numbers):
        raise TypeError(
            f"{name} got the dimension_numbers {shown(numbers)}.\n"
            f'Give three strings, as ("NCHW", "OIHW", "NCHW").'
        )
    found, (_, rhs, _) = [], numbers
    spatial = [letter for letter in rhs if letter not in "OI"]
    for spec, first in zip(numbers, ("NC", "OI", "NC"), strict=True):
        if sorted(spec) != sorted([*first, *spatial]) or len(set(spec)) < len(spec):
            raise TypeError(
                f"{name} got the dimension_numbers {shown(tuple(numbers))}.\nName the letters N "
                f"and C once in lhs and in the result, O and I in rhs, and the same others in all."
            )
        found.append(tuple(map(spec.index, [*first, *spatial])))
    return tuple(found)


# Shapes.


def shapes_of(name: str, lhs_shape: Any, rhs_shape: Any) -> tuple[tuple[int, ...], ...]:
    """Both shapes as tuples; TypeError for anything else, or where their lengths differ."""
    lhs = as_integers(name, "lhs_shape", lhs_shape)
    rhs = as_integers(name, "rhs_shape", rhs_shape)
    if len(lhs) != len(rhs) or len(lhs) < 2:
        raise TypeError(
            f"{name} got lhs of shape {lhs} and rhs of shape {rhs}.\n"
            f"Give both as many axes: two, and the spatial ones."
        )
    return lhs, rhs


def permuted(values: Sequence[Any], axes: Sequence[int]) -> tuple[Any, ...]:
    return tuple(values[d] for d in axes)


def conv_shape_tuple(
    lhs_shape: Sequence[int], rhs_shape: Sequence[int], strides: Sequence[int],
    pads: str | Sequence[tuple[int, int]], batch_group_count: int = 1,
) -> tuple[int, ...]:  # fmt: skip
    """The shape of a convolution's result, of shapes in the order "NC" and spatial axes, "OI" and
    spatial axes.

    TypeError unless there are pads for each axis, ValueError where more is cut off than there is.

    >>> conv_shape_tuple((2, 3, 7, 8), (4, 3, 2, 3), (2, 1), "VALID")
    (2, 4, 3, 6)
    """
    name = "lax.conv_shape_tuple"
    lhs, rhs = shapes_of(name, lhs_shape, rhs_shape)
    return _shape_tuple(name, lhs, rhs, strides, pads, batch_group_count)


def _shape_tuple(
    name: str, lhs: Shape, rhs: Shape, strides: Any, pads: Any, batch_group_count: Any = 1
) -> tuple[int, ...]:
    ones, strides = (1,) * (len(lhs) - 2), as_integers(name, "strides", strides)
    count = as_integer(name, "batch_group_count", batch_group_count)
    if isinstance(pads, str):
        pads = named_pads(name, lhs[2:], rhs[2:], strides, pads)
    windows = Windows(rhs[2:], strides, as_pads(name, pads, TypeError), ones, ones)
    return result_shape(name, lhs, rhs, windows, count)


def result_shape(
    name: str, lhs_shape: Shape, rhs_shape: Shape, windows: Windows, batch_group_count: int
) -> tuple[int, ...]:
    """What `conv_shape_tuple` says to the function `name`."""
    spatial, pads = lhs_shape[2:], windows.padding
    if len(pads) != len(spatial):
        raise TypeError(
            f"{name} got the padding {pads}. Give (low, high) for each of {len(spatial)} spatial "
            f"axes."
        )
    for title, steps in (("strides", windows.window_strides), ("dilation", windows.base_dilation)):
        if len(steps) != len(spatial):
            raise ValueError(
                f"{name} got {title} {steps}. Give one number for each of {len(spatial)} spatial "
                f"axes."
            )
    spans = map(spread, spatial, windows.base_dilation)
    if any(n + low + high < 0 for n, (low, high) in zip(spans, pads, strict=True)):
        raise ValueError(
            f"{name} got the padding {pads}, which cuts more off than there is of the spatial "
            f"axes {tuple(spatial)}.\nGive less."
        )
    batch = lhs_shape[0] // batch_group_count
    return (batch, rhs_shape[0], *windows.counts(spatial))


def conv_general_shape_tuple(
    lhs_shape: Sequence[int], rhs_shape: Sequence[int], window_strides: Sequence[int],
    padding: str | Sequence[tuple[int, int]], dimension_numbers: Sequence[str],
) -> tuple[int, ...]:  # fmt: skip
    """The shape of a convolution's result, whose axes three strings name.

    >>> conv_general_shape_tuple(
    ...     (2, 7, 8, 3), (2, 3, 3, 4), (2, 1), "SAME", ("NHWC", "HWIO", "NHWC"))
    (2, 4, 8, 4)
    """
    name = "lax.conv_general_shape_tuple"
    lhs, rhs, out_axes = _in_order(name, lhs_shape, rhs_shape, dimension_numbers)
    return permuted(_shape_tuple(name, lhs, rhs, window_strides, padding), inverse(out_axes))


def _in_order(name: str, lhs_shape: Any, rhs_shape: Any, numbers: Any) -> tuple:
    """Both shapes with batch, features and spatial axes in this order, and the result's axes."""
    lhs_axes, rhs_axes, out_axes = dimension_numbers_of(name, lhs_shape, rhs_shape, numbers)
    return permuted(lhs_shape, lhs_axes), permuted(rhs_shape, rhs_axes), out_axes


def conv_transpose_shape_tuple(
    lhs_shape: Sequence[int], rhs_shape: Sequence[int], window_strides: Sequence[int],
    padding: str | Sequence[tuple[int, int]], dimension_numbers: Sequence[str],
) -> tuple[int, ...]:  # fmt: skip
    """The shape of `conv_transpose`'s result, whose axes three strings name.

    >>> conv_transpose_shape_tuple(
    ...     (2, 7, 8, 3), (2, 3, 3, 4), (2, 1), "SAME", ("NHWC", "HWIO", "NHWC"))
    (2, 14, 8, 4)
    """
    name = "lax.conv_transpose_shape_tuple"
    lhs, rhs, out_axes = _in_order(name, lhs_shape, rhs_shape, dimension_numbers)
    ones, strides = (1,) * (len(lhs) - 2), as_integers(name, "window_strides", window_strides)
    if isinstance(padding, str):
        pads = tuple(transposed_pads(name, *pair, padding)
                     for pair in zip(rhs[2:], strides, strict=False))  # fmt: skip
    else:
        pads = as_pads(name, padding, TypeError)
    windows = Windows(rhs[2:], ones, pads, strides, ones)
    return permuted(result_shape(name, lhs, rhs, windows, 1), inverse(out_axes))


def transposed_pads(name: str, size: int, stride: int, padding: str) -> tuple[int, int]:
    """Around n elements that lie a stride apart, so that a kernel of this size gives n * stride
    results ("SAME"), or so many that a convolution without padding would bring them back to n
    ("VALID")."""
    if padding not in ("SAME", "VALID"):
        raise ValueError(
            f'{name} knows no padding {shown(padding)}.\nGive "SAME", "VALID", or (low, high) for '
            f"each axis."
        )
    total = size + stride - 2
    if padding == "VALID":
        low, total = size - 1, total + max(size - stride, 0)
    else:
        low = size - 1 if stride > size - 1 else -(-total // 2)
    return low, total - low
