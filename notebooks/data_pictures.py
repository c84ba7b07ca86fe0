"""Pictures of data: what leads to what, trees, and arrays.

Each has a twin in plain text that says the same, for places that draw nothing, for screen readers,
and for the check of the book, which compares texts.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from pictures import Picture, quote

CELL = 0.42  # of a grid, in inches
GREY = "#7b7b7b"  # is read on white and on black: a drawing has no ground
LETTER = 0.22  # of a title, in cells
LONGEST_ROW = 14  # cells: what a phone shows in letters that can be read


def chains(rows: Iterable[Sequence[Any]], dashed: Sequence[Any] = ()) -> Picture:
    """Rows of labels, with an arrow from each to the next. Equal labels are one box.

    Boxes in `dashed` have a dashed frame.
    """
    rows = [[str(label) for label in row] for row in rows]
    names = {label: f"n{i}" for i, label in enumerate(dict.fromkeys(sum(rows, [])))}
    lines = ["flowchart LR", *(f"  {name}[{quote(label)}]" for label, name in names.items())]
    pairs = dict.fromkeys(pair for row in rows for pair in zip(row, row[1:], strict=False))
    lines += [f"  {names[start]} --> {names[end]}" for start, end in pairs]
    lines += [f"  style {names[str(label)]} stroke-dasharray: 5 5" for label in dashed]
    return Picture("\n".join(lines), "\n".join(map(" -> ".join, rows)))


def tree(
    root: Any, children: Callable[[Any], Iterable[tuple[Any, Any]] | None], label: Callable = str
) -> Picture:
    """A tree from its root down. `children` are a node's, each with what its arrow says, or "".

    A leaf is a node whose `children` are None, and has round ends.
    """
    lines, text = ["flowchart LR"], list[str]()

    def draw(node: Any, above: str, says: str, depth: int) -> None:
        name, below = f"n{len(text)}", children(node)
        text.append("    " * depth + (f"{says}: " if says else "") + label(node))
        box = f"[{quote(label(node))}]"
        lines.append(f"  {name}{f'({box})' if below is None else box}")
        if above:
            lines.append(f"  {above} {f'-- {quote(says)} -->' if says else '-->'} {name}")
        for arrow, child in below or ():
            draw(child, name, str(arrow), depth + 1)

    draw(root, "", "", 0)
    return Picture("\n".join(lines), "\n".join(text))


def pytree(root: Any, find_entry: Callable[[type], Any]) -> Picture:
    """A pytree: its containers by their classes, and its leaves; an arrow says a child's key."""

    def children(node: Any) -> Iterable[tuple[Any, Any]] | None:
        entry = find_entry(type(node))
        return entry.flatten_with_keys(node)[0] if entry else None

    def label(node: Any) -> str:
        return type(node).__name__ if children(node) else str(node)

    return tree(root, children, label)


def boxes(tracer: Any) -> Picture:
    """What a tracer holds, as far down as there are tracers."""

    def is_box(x: Any) -> bool:
        return hasattr(x, "_trace")

    return tree(tracer, lambda x: vars(x).items() if is_box(x) else None,
                lambda x: type(x).__name__ if is_box(x) else f"{x:.4g}")  # fmt: skip


def product_axes(a: Sequence[int], b: Sequence[int], dimension_numbers: Any) -> Picture:
    """What becomes of the axes of two operands of `dot_general`, which have these shapes."""
    contracted, batch = dimension_numbers
    ends: dict[tuple[int, int], str] = {}  # of an operand's axis
    for end, pairs in (("result, axis", batch), ("multiplied and summed, pair", contracted)):
        for k, pair in enumerate(zip(*pairs, strict=True)):
            ends |= {place: f"{end} {k}" for place in enumerate(pair)}
    sizes = {(side, axis): size for side, shape in enumerate((a, b))
             for axis, size in enumerate(shape)}  # fmt: skip
    free = (place for place in sizes if place not in ends)
    ends |= {place: f"result, axis {k}" for k, place in enumerate(free, len(batch[0]))}
    return chains((f"{'ab'[side]}, axis {axis}: {size}", f"{ends[side, axis]}: {size}")
                  for (side, axis), size in sizes.items())  # fmt: skip


class Drawing:
    """A figure of Matplotlib's with a twin in plain text."""

    def __init__(self, figure: Any, text: str) -> None:
        self.figure, self.text = figure, text

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        file = io.BytesIO()
        self.figure.savefig(file, bbox_inches="tight", dpi=100, metadata={"Software": None})
        return {"text/plain": self.text, "image/png": base64.b64encode(file.getvalue()).decode()}

    def __repr__(self) -> str:
        return self.text


def draw_arrays(arrays: dict[str, tuple[Any, Any]]) -> Drawing:
    """Arrays as grids of numbers, in colours. For each title there are an array of at most two
    axes, and for each of its numbers a group: a number has its group's colour, -1 is no group.

    The grids stand side by side where there is room for them. Where one alone is too wide, cells
    have a third of the width, and are only coloured.
    """
    from matplotlib import colormaps
    from matplotlib.figure import Figure

    grids = [(title, np.atleast_2d(array), np.atleast_2d(groups))
             for title, (array, groups) in arrays.items()]  # fmt: skip
    widths = [max(array.shape[1], LETTER * len(title)) for title, array, _ in grids]
    longest = max(array.shape[1] for _, array, _ in grids)
    across, narrow = sum(widths) + len(grids) <= LONGEST_ROW + 1, longest > LONGEST_ROW
    figure = Figure(facecolor="none")
    ax = figure.add_axes((0, 0, 1, 1))
    text, left, top = list[str](), 0.0, 0.0
    for (title, array, groups), width in zip(grids, widths, strict=True):
        (rows, columns), colours = array.shape, np.zeros((*array.shape, 4))
        colours[groups >= 0] = colormaps["tab20"](2 * groups[groups >= 0] % 20 + 1)
        corners = left + np.arange(columns + 1), top + np.arange(rows + 1)
        ax.pcolormesh(*corners, colours, edgecolors=GREY, linewidth=0.5)
        ax.text(left, top - 0.2, title, fontsize=11, color=GREY)
        words = [[item if isinstance(item, str) else f"{item:g}" for item in row]
                 for row in array.tolist()]  # fmt: skip
        for (row, column), word in np.ndenumerate([] if narrow else words):
            centre = left + column + 0.5, top + row + 0.55
            ax.text(*centre, word, ha="center", va="center", fontsize=11,
                    color=GREY if groups[row, column] < 0 else "black")  # fmt: skip
        left += (width + 1) * across
        top += (rows + 1.2) * (not across)
        text += [f"{title}:", *("  " + " ".join(row) for row in words),
                 *("  colours " + " ".join(map(str, row)) for row in groups.tolist())]  # fmt: skip
    right = left - 1 if across else longest if narrow else max(widths)
    bottom = max(array.shape[0] for _, array, _ in grids) if across else top - 1.2
    ax.set(xlim=(-0.1, right + 0.1), ylim=(bottom + 0.1, -1))
    ax.axis("off")
    figure.set_size_inches(right * (CELL / 3 if narrow else CELL), (bottom + 1) * CELL)
    return Drawing(figure, "\n".join(text))
