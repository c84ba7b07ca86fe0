"""A convolution's axes: how far a turn along each moves in lhs, in rhs and in the result.

Where lhs is spread out, as in the transpose of a convolution with strides, most of what a window
sees are gaps. The places that show elements are the same for every second window, or every third:
these are a convolution of their own, of lhs without gaps and of a share of the kernel.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from minijax.compiler.kernels.row_major import row_major
from minijax.compiler.special_cases.small_products import Axis
from minijax.lax.windows.convolution_numbers import ConvDimensionNumbers, permuted
from minijax.lax.windows.window_shapes import Windows


class Axes(NamedTuple):
    """A convolution's axes, by what becomes of them."""

    groups: Axis
    rows: list[Axis]  # examples and windows
    features: Axis  # of the result
    summed: list[Axis]  # features of lhs, and places in a window

    @property
    def kept(self) -> list[Axis]:
        """Those of the result, in its order."""
        return in_order([self.groups, *self.rows, self.features], "out")

    def moved(self, side: str, steps: dict[str, int]) -> Axes:
        """The axes for another array, by the steps that they have in it; others have none."""
        def one(axis: Axis) -> Axis:
            return axis._replace(**{side: steps.get(axis.name, 0)})

        return Axes(one(self.groups), list(map(one, self.rows)), one(self.features),
                    list(map(one, self.summed)))  # fmt: skip

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to sum over, or no window."""
        return not size_of(self.rows) or not size_of(self.summed)


def conv_axes(
    shapes: Sequence[Sequence[int]], windows: Windows, numbers: ConvDimensionNumbers,
    feature_groups: int, batch_groups: int,
) -> Axes:  # fmt: skip
    """For lhs, padded and spread out already, rhs and the result, of these shapes."""
    lhs, rhs, out = map(permuted, shapes, numbers)
    x, w, y = (permuted(row_major(shape), spec)
               for shape, spec in zip(shapes, numbers, strict=True))  # fmt: skip
    groups, examples = feature_groups * batch_groups, lhs[0] // batch_groups
    features = rhs[0] // groups
    step = examples * x[0] if batch_groups > 1 else rhs[1] * x[1]
    rows, summed = [Axis("n", examples, x[0], 0, y[0])], [Axis("c", rhs[1], x[1], w[1], 0)]
    for d in range(2, len(lhs)):
        stride, dilation = windows.window_strides[d - 2], windows.window_dilation[d - 2]
        rows.append(Axis(f"i{d}", out[d], x[d] * stride, 0, y[d]))
        summed.append(Axis(f"k{d}", rhs[d], x[d] * dilation, w[d], 0))
    return Axes(
        Axis("g", groups, step, features * w[0], features * y[1]), rows,
        Axis("f", features, 0, w[0], y[1]), summed,
    )  # fmt: skip


def in_order(axes: Sequence[Axis], side: str) -> list[Axis]:
    """From the longest to the shortest step in an array; those of size 1 are none."""
    return sorted((a for a in axes if a.size > 1), key=lambda a: -getattr(a, side))


def size_of(axes: Sequence[Axis]) -> int:
    return math.prod(axis.size for axis in axes)


def laid_out(axes: Sequence[Axis]) -> dict[str, int]:
    """By their names, the axes' steps in an array that has just these."""
    return dict(zip([a.name for a in axes], row_major([a.size for a in axes]), strict=True))


# An operand that is spread out.

MOST_SHARES = 16  # convolutions that one is written as, since each has its text


class Share(NamedTuple):
    """Windows along an axis that see elements at the same places: every so many of both."""

    step: int
    first_window: int
    windows: int
    first_place: int
    places: int
    first_element: int  # that the first window sees at the first place, in the padded operand


WHOLE = None  # an axis that isn't shared out


def shared_out(windows: Windows, shape: Sequence[int]) -> tuple[Windows, list[list]]:
    """The windows over lhs without gaps, and for each axis the shares that they are made of."""
    are_shared = [
        dilation > 1 and windows.window_strides[d] == windows.window_dilation[d] == 1
        for d, dilation in enumerate(windows.base_dilation)
    ]
    steps = [n for n, is_shared in zip(windows.base_dilation, are_shared, strict=True) if is_shared]
    found: list[list] = [[WHOLE] for _ in shape]
    if math.prod(steps) > MOST_SHARES:
        return windows, found
    padding, dilations = list(windows.padding), list(windows.base_dilation)
    counts = windows.counts(shape)
    for d, is_shared in enumerate(are_shared):
        if is_shared:
            shares = shares_along(counts[d], windows.window_dimensions[d], dilations[d],
                                  padding[d][0])  # fmt: skip
            ends = [s.first_element + s.windows + s.places - 1 for s in shares]
            low = max(0, -min(s.first_element for s in shares))
            padding[d], dilations[d] = (low, max(0, max(ends) - shape[d])), 1
            found[d] = [s._replace(first_element=s.first_element + low) for s in shares]
    return windows._replace(padding=tuple(padding), base_dilation=tuple(dilations)), found


def shares_along(count: int, window: int, step: int, low: int) -> list[Share]:
    """For each of the first windows, those like it; elements are counted from the operand's first.

    >>> [tuple(share) for share in shares_along(5, 3, 2, 1)]
    [(2, 0, 3, 1, 1, 0), (2, 1, 2, 0, 2, 0)]
    """
    found = []
    for first in range(min(step, count)):
        place = (low - first) % step
        windows, places = len(range(first, count, step)), len(range(place, window, step))
        found.append(Share(step, first, windows, place, places, (first + place - low) // step))
    return found


def share_of(axes: Axes, chosen: Sequence[Share | None]) -> tuple[Axes, list[int]]:
    """The axes of one share along each, and where it begins in lhs, in rhs and in the result."""
    rows, summed, starts = list(axes.rows), list(axes.summed), [0, 0, 0]
    for k, share in enumerate(chosen, 1):
        if share is not WHOLE:
            row, term = rows[k], summed[k]
            starts[0] += share.first_element * row.lhs
            starts[1] += share.first_place * term.rhs
            starts[2] += share.first_window * row.out
            rows[k] = row._replace(size=share.windows, out=row.out * share.step)
            summed[k] = term._replace(size=share.places, rhs=term.rhs * share.step)
    return axes._replace(rows=rows, summed=summed), starts
