"""Seeing how an array lies on devices: told to a function, or drawn, a field for each part.

>>> from minijax.lax.sharding.meshes import make_mesh
>>> from minijax.lax.sharding.partition_specs import P
>>> from minijax.lax.sharding.shardings import NamedSharding
>>> visualize_sharding((4, 8), NamedSharding(make_mesh((1,), "x"), P("x")), scale=0.5)
┌───────────────────────┐
│                       │
│         CPU 0         │
│                       │
│                       │
└───────────────────────┘
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from minijax.core.arrays import ArrayImpl
from minijax.core.dtypes import integers
from minijax.core.pytrees import tree_leaves
from minijax.core.tracing import Tracer
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.sharding.shardings import Sharding

HEIGHT = 10  # lines of a whole array, at scale 1
HEIGHT_TO_WIDTH = 2.5  # of a character


def inspect_array_sharding(value: Any, *, callback: Callable[[Sharding], Any]) -> None:
    """Calls a function with the sharding of each array in a pytree.

    NotImplementedError inside a traced function; TypeError for what is no array.

    >>> import minijax.numpy as jnp
    >>> inspect_array_sharding(jnp.ones(3), callback=print)
    SingleDeviceSharding(device=CpuDevice(id=0), memory_kind=device)
    """
    for x in tree_leaves(value):
        if isinstance(x, Tracer):
            raise NotImplementedError(
                f"inspect_array_sharding of {shown(x)} is not here yet. Call it on the result of "
                f"the traced function."
            )
        if not isinstance(x, ArrayImpl):
            got = shown(x)
            raise TypeError(f"inspect_array_sharding takes arrays, and got {got}. Make it one.")
        callback(x.sharding)


def visualize_array_sharding(arr: Any, **kwargs: Any) -> None:
    """Draws how an array of one or two axes lies on devices: see `visualize_sharding`."""
    inspect_array_sharding(
        arr, callback=lambda sharding: visualize_sharding(arr.shape, sharding, **kwargs)
    )


def visualize_sharding(
    shape: Sequence[int],
    sharding: Sharding,
    *,
    use_color: bool = True,
    scale: float = 1.0,
    min_width: int = 9,
    max_width: int = 80,
    color_map: Callable[[float], Sequence[float]] | None = None,
) -> None:
    """Draws how an array of this shape would lie on devices, with one or two axes.

    In a terminal and in a notebook the parts have colors, unless `use_color` is false; elsewhere
    they have frames. `color_map` gives red, green and blue for a number from 0 to 1. ValueError for
    another number of axes, and as `sharding.shard_shape` has it.
    """
    shape = integers(shape)
    if len(shape) not in (1, 2) or 0 in shape:
        raise ValueError(
            f"visualize_sharding draws arrays with one or two axes, not empty, and got the shape "
            f"{shape}. "
            f"Make it flat: x.reshape(-1)."
        )
    size = _size_of_part(shape, sharding, scale, min_width, max_width)
    rows = _labels(shape, sharding)
    is_colored = use_color and shows_colors()
    lines = _colored(rows, size, color_map or _color) if is_colored else _framed(rows, size)
    print("\n".join(lines))


def shows_colors() -> bool:
    """Whether what is printed goes to a terminal, or to a notebook, that has colors."""
    if "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb":
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return type(shell).__name__ == "ZMQInteractiveShell" or sys.stdout.isatty()


class Size(NamedTuple):
    """Of a part: how many characters wide, and lines high; and how wide all may be."""

    width: int
    height: int
    max_width: int


def _size_of_part(
    shape: tuple[int, ...], sharding: Sharding, scale: float, min_width: int, max_width: int
) -> Size:
    """As wide and as high as the part is in the whole: that is `HEIGHT` lines high."""
    local, height = sharding.shard_shape(shape), int(HEIGHT * scale)
    columns = int(height * (shape[1] if len(shape) == 2 else 1) / shape[0])
    width = int(local[-1] / shape[-1] * columns * HEIGHT_TO_WIDTH)
    lines = int(local[0] / shape[0] * height) if len(shape) == 2 else 1
    return Size(min(max(width, min_width), max_width), lines, max_width)


def _labels(shape: tuple[int, ...], sharding: Sharding) -> list[list[str]]:
    """For each part, where it is in the whole, the devices that have it."""
    ways, parts = sharding.ways(len(shape))
    grid = np.empty(ways if len(ways) == 2 else (1, *ways), object)
    for device, part in zip(sharding.device_assignment, parts, strict=True):
        place = tuple(part) if len(part) == 2 else (0, *part)
        grid[place] = [*(grid[place] or []), device.id]
    return [[f"CPU {','.join(map(str, sorted(ids)))}" for ids in row] for row in grid]


def _widths(rows: list[list[str]], size: Size, beside: int) -> list[int]:
    """How wide the columns are: as their parts, or as their longest label; less, where all columns
    and what stands `beside` each would be too wide."""
    room = max((size.max_width - 1) // len(rows[0]) - beside, 1)
    columns = list(zip(*rows, strict=True))
    return [max(min(size.width - 2, room), *map(len, column)) for column in columns]


def _framed(rows: list[list[str]], size: Size) -> list[str]:
    widths = _widths(rows, size, 1)
    above = max((size.height - 2) // 2, 0)
    below = max(size.height - 2 - (size.height - 2) // 2, 0)

    def line(left: str, between: str, right: str, fields: list[str]) -> str:
        return left + between.join(fields) + right

    bars, blank = ["─" * width for width in widths], [" " * width for width in widths]
    lines = [line("┌", "┬", "┐", bars)]
    for i, row in enumerate(rows):
        lines += [line("├", "┼", "┤", bars)] * (i > 0)
        labels = [_centered(label, width) for label, width in zip(row, widths, strict=True)]
        lines += [line("│", "│", "│", blank)] * above
        lines += [line("│", "│", "│", labels)] + [line("│", "│", "│", blank)] * below
    return [*lines, line("└", "┴", "┘", bars)]


def _centered(label: str, width: int) -> str:
    left = (width - len(label)) // 2
    return " " * left + label + " " * (width - len(label) - left)


# In color. These are Matplotlib's colors "tab20b", four shades of each of five.

_SHADES = """
    393b79 5254a3 6b6ecf 9c9ede 637939 8ca252 b5cf6b cedb9c 8c6d31 bd9e39
    e7ba52 e7cb94 843c39 ad494a d6616b e7969c 7b4173 a55194 ce6dbd de9ed6
""".split()


def _color(place: float) -> tuple[float, ...]:
    shade = _SHADES[min(int(place * len(_SHADES)), len(_SHADES) - 1)]
    return tuple(part / 255 for part in bytes.fromhex(shade))


def _styles(count: int, color_map: Callable[[float], Sequence[float]]) -> list[str]:
    """What begins each part's color in a terminal. Neighbours get colors far from each other."""
    places, styles, i = np.linspace(0, 1, count), [], 0
    for _ in range(count):
        red, green, blue = (int(part * 255) for part in color_map(float(places[i]))[:3])
        text = 0 if red * 0.299 + green * 0.587 + blue * 0.114 > 186 else 255
        styles.append(f"\033[38;2;{text};{text};{text};48;2;{red};{green};{blue}m")
        i = (i + count // 2 + (count % 2 == 0)) % count
    return styles


def _colored(
    rows: list[list[str]], size: Size, color_map: Callable[[float], Sequence[float]]
) -> list[str]:
    widths = [width + 2 for width in _widths(rows, size, 2)]
    styles = iter(_styles(sum(map(len, rows)), color_map))
    above = max((size.height - 2) // 2 + 1, 0)
    below = max(size.height - 2 - (size.height - 2) // 2 + 1, 0)
    lines = []
    for row in rows:
        row_styles = [next(styles) for _ in row]
        for labels in [[""] * len(row)] * above + [row] + [[""] * len(row)] * below:
            fields = zip(row_styles, labels, widths, strict=True)
            lines.append("".join(f"{s}{_centered(label, w)}\033[0m" for s, label, w in fields))
    return lines
