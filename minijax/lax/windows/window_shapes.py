"""Where windows lie: along each axis, so long, so far apart, in an array with so much around it.

Dilation spreads things out: that of the base puts gaps between the operand's elements, that of the
window between the elements that it looks at. Along an axis of n elements,

    span    = (n - 1) * base_dilation + 1                    of the operand, 0 if there is none
    reach   = (window_dimension - 1) * window_dilation + 1   of a window
    windows = (low + span + high - reach) // stride + 1      or none, if a window is too long
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from minijax.core.primitives import Shape
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.shapes.axes import as_integers
from minijax.lax.shapes.sizes import max_dim
from minijax.lax.shapes.slicing import pad_p

Pads = Sequence[tuple[int, int]]
numpy_pad = pad_p.numpy_fun


def spread(n: int, dilation: int) -> int:
    """How much n elements take up, if neighbours are `dilation` apart.

    >>> spread(3, 1), spread(3, 2), spread(0, 2)
    (3, 5, 0)
    """
    return (n - 1) * dilation + 1 if n else 0


class Windows(NamedTuple):
    """How windows lie along each axis, by the names that equations have for it."""

    window_dimensions: tuple[int, ...]
    window_strides: tuple[int, ...]
    padding: tuple[tuple[int, int], ...]
    base_dilation: tuple[int, ...]
    window_dilation: tuple[int, ...]

    @property
    def reaches(self) -> tuple[int, ...]:
        """From the first to the last element of a window, both included."""
        return tuple(map(spread, self.window_dimensions, self.window_dilation))

    @property
    def edges(self) -> list[tuple[int, int, int]]:
        """What `lax.pad` is told, so that the windows lie in the operand with all around it."""
        gaps = [dilation - 1 for dilation in self.base_dilation]
        return [(low, high, gap) for (low, high), gap in zip(self.padding, gaps, strict=True)]

    @property
    def are_within(self) -> bool:
        """Whether they see nothing but elements of the operand."""
        return not any(map(any, self.edges))

    def counts(self, shape: Shape) -> tuple[int, ...]:
        """How many windows there are along each axis of an operand."""
        spans = map(spread, shape, self.base_dilation)
        room = [low + n + high for n, (low, high) in zip(spans, self.padding, strict=True)]
        ends = zip(room, self.reaches, self.window_strides, strict=True)
        return tuple(max_dim((n - reach) // stride + 1, 0) for n, reach, stride in ends)

    def offsets(self) -> Iterator[tuple[int, ...]]:
        """The places in a window, row after row, from its first element on."""
        sizes = zip(self.window_dimensions, self.window_dilation, strict=True)
        return product(*[range(0, n * dilation, dilation) for n, dilation in sizes])

    def ends(self, offset: Sequence[int], counts: Sequence[int]) -> Iterator[tuple[int, int]]:
        """From where to where the elements at one place in all windows lie, in the padded
        operand; they are a stride apart."""
        for start, n, stride in zip(offset, counts, self.window_strides, strict=True):
            yield (start, start + spread(n, stride)) if n else (0, 0)

    def seen(self, x: np.ndarray, offset: Sequence[int], counts: Sequence[int]) -> np.ndarray:
        """The elements at one place in all windows, of a padded NumPy array; a view of it."""
        ends = zip(self.ends(offset, counts), self.window_strides, strict=True)
        return x[tuple(slice(start, end, stride) for (start, end), stride in ends)]

    def padded(self, x: np.ndarray, value: Any) -> np.ndarray:
        """A NumPy array, with `value` around it and in its gaps."""
        return x if self.are_within else numpy_pad(x, value, self.edges)

    def with_axis(self, d: int) -> Windows:
        """The same windows in arrays with another axis, d, along which each is one long."""
        neutral = Windows(1, 1, (0, 0), 1, 1)
        return Windows(*(
            (*values[:d], value, *values[d:]) for values, value in zip(self, neutral, strict=True)
        ))  # fmt: skip

    def transposed_padding(self, shape: Shape) -> list[tuple[int, int]]:
        """Around cotangents, a stride apart, so that the same windows over them, turned round, see
        for each element of an operand of this shape those windows that saw it."""
        found = []
        for span, reach, out, (low, _) in self._in_and_out(shape):
            before = reach - 1 - low
            found.append((before, span + reach - 1 - out - before))
        return found

    def kernel_padding(self, shape: Shape) -> list[tuple[int, int]]:
        """Around the operand, so that cotangents, a stride apart, are a window that lies in it in
        as many ways as a kernel has elements."""
        return [
            (low, out + reach - 1 - span - low)
            for span, reach, out, (low, _) in self._in_and_out(shape)
        ]

    def _in_and_out(self, shape: Shape) -> Iterator[tuple]:
        spans = map(spread, shape, self.base_dilation)
        outs = map(spread, self.counts(shape), self.window_strides)
        return zip(spans, self.reaches, outs, self.padding, strict=True)


# As a user gives them.


def padtype_to_pads(
    in_shape: Sequence[int], window_shape: Sequence[int], window_strides: Sequence[int],
    padding: str,
) -> list[tuple[int, int]]:  # fmt: skip
    """The padding, low and high for each axis, that "VALID", "SAME" or "SAME_LOWER" stands for.

    "VALID" is none. With "SAME" there are ceil(size / stride) windows; if what that takes is odd,
    the end gets more, and with "SAME_LOWER" the beginning. TypeError for what is no string,
    RuntimeError for another one.

    >>> padtype_to_pads((5, 6), (2, 3), (2, 1), "SAME")
    [(0, 1), (1, 1)]
    """
    return named_pads("lax.padtype_to_pads", in_shape, window_shape, window_strides, padding)


def named_pads(
    name: str, in_shape: Sequence[int], window_shape: Sequence[int], strides: Sequence[int],
    padding: Any,
) -> list[tuple[int, int]]:  # fmt: skip
    """What `padtype_to_pads` says to the function `name`."""
    if not isinstance(padding, str):
        raise TypeError(
            f'{name} takes the name of a padding, and got {shown(padding)}.\nGive "SAME", '
            f'"SAME_LOWER" or "VALID".'
        )
    kind = padding.upper()
    if kind not in ("SAME", "SAME_LOWER", "VALID"):
        raise RuntimeError(
            f'{name} knows no padding {shown(padding)}.\nGive "SAME", "SAME_LOWER", "VALID", or '
            f"(low, high) for each axis."
        )
    if any(stride < 1 for stride in strides):
        raise ValueError(f"{name} got window_strides {tuple(strides)}. Give strides from 1.")
    found = []
    for n, reach, stride in zip(in_shape, window_shape, strides, strict=False):
        total = max_dim((-(-n // stride) - 1) * stride + reach - n, 0) if kind != "VALID" else 0
        low = total // 2 if kind == "SAME" else total - total // 2
        found.append((low, total - low))
    return found


def as_pads(name: str, padding: Any, not_pairs: type[Exception]) -> tuple[tuple[int, int], ...]:
    """Pairs of integers; the error `not_pairs` for anything else."""
    try:
        pads = tuple(as_integers(name, "padding", pair) for pair in padding)
    except TypeError as error:
        raise not_pairs(_no_pairs(name, padding)) from error
    if any(len(pair) != 2 for pair in pads):
        raise ValueError(_no_pairs(name, padding))
    return pads


def _no_pairs(name: str, padding: Any) -> str:
    return (
        f'{name} got the padding {shown(padding)}.\nGive "SAME", "SAME_LOWER", "VALID", or '
        f"(low, high), two integers, for each axis."
    )


def per_axis(name: str, title: str, values: Any, ndim: int) -> tuple[int, ...]:
    """Integers, one for each axis; ones where there is None."""
    return (1,) * ndim if values is None else as_integers(name, title, values)


def check_windows(name: str, shape: Shape, windows: Windows, titles: Sequence[str]) -> None:
    """TypeError unless there is one number from 1 for each axis in all but the padding, which has
    a pair for each; `titles` names them as the user does."""
    for title, values in zip(titles, windows, strict=True):
        if len(values) != len(shape):
            error = ValueError if values is windows.padding else TypeError
            raise error(
                f"{name} of an operand of shape {tuple(shape)} got {title} {values}.\n"
                f"Give {'a pair' if values is windows.padding else 'one number'} for each axis."
            )
        if values is not windows.padding and any(n < 1 for n in values):
            raise TypeError(f"{name} got {title} {values}. Give numbers from 1.")


def known_windows(
    name: str, shape: Shape, dimensions: Any, strides: Any, padding: Any, base_dilation: Any,
    window_dilation: Any,
) -> Windows:  # fmt: skip
    """The windows that a user describes, over an operand of this shape; None stands for ones."""
    sizes = as_integers(name, "window_dimensions", dimensions)
    strides, base_dilation, window_dilation = (
        per_axis(name, title, values, len(sizes))
        for title, values in [
            ("window_strides", strides), ("base_dilation", base_dilation),
            ("window_dilation", window_dilation),
        ]
    )  # fmt: skip
    windows = Windows(sizes, strides, ((0, 0),) * len(sizes), base_dilation, window_dilation)
    check_windows(name, shape, windows, Windows._fields)
    if isinstance(padding, str):
        pads = tuple(named_pads(name, shape, windows.reaches, strides, padding))
    else:
        pads = as_pads(name, padding, TypeError)
    windows = windows._replace(padding=pads)
    check_windows(name, shape, windows, Windows._fields)
    return windows


def reduce_window_shape_tuple(
    operand_shape: Sequence[int], window_dimensions: Sequence[int], window_strides: Sequence[int],
    padding: Sequence[tuple[int, int]], base_dilation: Sequence[int] | None = None,
    window_dilation: Sequence[int] | None = None,
) -> tuple[int, ...]:  # fmt: skip
    """The shape of `reduce_window`'s result: how many windows there are along each axis.

    TypeError or ValueError for numbers that do not fit the operand.

    >>> reduce_window_shape_tuple((5, 6), (2, 3), (2, 1), ((0, 0), (0, 0)))
    (2, 4)
    """
    name = "lax.reduce_window_shape_tuple"
    shape = as_integers(name, "operand_shape", operand_shape)
    windows = known_windows(
        name, shape, window_dimensions, window_strides, padding, base_dilation, window_dilation
    )
    return windows.counts(shape)
