"""A flowchart of Mermaid's as a small drawing for a card, made when the site is built.

Of Mermaid it reads what the book's flowcharts use: boxes with labels, chains of arrows, `&`, and
frames, whose boxes are drawn without the frame. A frame from which arrows start is one box.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

ARROW = re.compile(
    r"\s*(?:--\s*(?:\"[^\"]*\"|[^-\">]+)\s*-->|-\.\s*(?:\"[^\"]*\"|[^.\"]+)\s*\.->|-->|-\.->|(~~~))\s*"
)
BOX = re.compile(r"\s*(\w+)\s*(?:[\[({]+\s*(?:\"([^\"]*)\"|([^\"\])}]*))\s*[\])}]+)?\s*")
FRAME = re.compile(r"subgraph\s+(\w+)")
CHARACTER, LINE = 7.2, 26  # a letter's width, a box's height
GAP, AIR = 22, 14  # between ranks, and between boxes of a rank
SHAPE = 2.0  # the width of a card's figure, in its heights
LONGEST = 22  # characters of a label


@dataclass
class Flowchart:
    """Boxes by their ids, with labels, and arrows between them."""

    labels: dict[str, str] = field(default_factory=dict)
    arrows: list[tuple[str, str]] = field(default_factory=list)
    frames: dict[str, list[str]] = field(default_factory=dict)


def draw_small(mermaid: str) -> str:
    """Returns the drawing. Raises ValueError where the text is no flowchart.

    >>> draw_small('flowchart LR\\n  a["x"] --> b["y"]').count("<rect")
    2
    """
    first, *lines = mermaid.strip().split("\n")
    if not first.startswith("flowchart"):
        raise ValueError(f"a card shows flowcharts alone, and no {first.split()[0]}")
    chart = as_boxes(read_lines(lines))
    ranks = in_ranks(chart)
    upright, lying = place(chart, ranks, upright=True), place(chart, ranks, upright=False)
    return as_svg(chart, min(upright, lying, key=how_small))


def read_lines(lines: list[str]) -> Flowchart:
    chart, around = Flowchart(), list[str]()
    for line in map(str.strip, lines):
        if match := FRAME.match(line):
            around.append(match[1])
            chart.frames[match[1]] = []
        elif line == "end":
            around.pop()
        elif line and not line.startswith(("direction", "style", "classDef", "class ", "%%")):
            read_chain(line, chart, around)
    return chart


def read_chain(line: str, chart: Flowchart, around: list[str]) -> None:
    """Reads a line such as `a["x"] --> b & c`."""
    groups, ties, at = [], [], 0
    for arrow in [*ARROW.finditer(line), None]:
        groups.append(list(read_boxes(line[at : arrow.start() if arrow else None], chart, around)))
        if arrow:
            ties.append(arrow[1] is None)
            at = arrow.end()
    for above, below, shown in zip(groups[:-1], groups[1:], ties, strict=True):
        chart.arrows += [(a, b) for a in above for b in below if shown]


def read_boxes(text: str, chart: Flowchart, around: list[str]) -> Iterator[str]:
    for part in text.split(" & "):
        match = BOX.match(part)
        if match is None:
            raise ValueError(f"no box of a flowchart: {part!r}")
        name, quoted, bare = match.groups()
        if name not in chart.labels and name not in chart.frames:
            chart.labels[name] = name
            for frame in around[-1:]:
                chart.frames[frame].append(name)
        if label := quoted or bare:
            chart.labels[name] = label
        yield name


def as_boxes(chart: Flowchart) -> Flowchart:
    """Returns the chart with a box for each frame from or to which an arrow goes."""
    ends = {end for arrow in chart.arrows for end in arrow}
    for name in [name for name in chart.frames if name in ends]:
        members = [member for member in chart.frames[name] if member in chart.labels]
        label = "  ".join(chart.labels.pop(member) for member in members)
        chart.labels = {name: label, **chart.labels}
    chart.arrows = [(a, b) for a, b in dict.fromkeys(chart.arrows)
                    if a != b and {a, b} <= set(chart.labels)]  # fmt: skip
    return chart


def without_loops(chart: Flowchart) -> list[tuple[str, str]]:
    """Returns the arrows but for those that lead back to a box that they come from."""
    kept: list[tuple[str, str]] = []
    seen: set[str] = set()

    def visit(name: str, above: tuple[str, ...]) -> None:
        seen.add(name)
        for a, b in chart.arrows:
            if a == name and b not in above:
                kept.append((a, b))
                if b not in seen:
                    visit(b, (*above, b))

    for name in chart.labels:
        if name not in seen:
            visit(name, (name,))
    return kept


def in_ranks(chart: Flowchart) -> list[list[str]]:
    """Returns the boxes in ranks, each below those that have arrows to it."""
    arrows, rank = without_loops(chart), dict.fromkeys(chart.labels, 0)
    for _ in rank:
        for a, b in arrows:
            rank[b] = max(rank[b], rank[a] + 1)
    rows: list[list[str]] = []
    for name in chart.labels:
        while len(rows) <= rank[name]:
            rows.append([])
        rows[rank[name]].append(name)
    for above, row in zip(rows, rows[1:], strict=False):
        places = {name: n for n, name in enumerate(above)}

        def middle(name: str, places: dict[str, int] = places) -> float:
            found = [places[a] for a, b in arrows if b == name and a in places]
            return sum(found) / len(found) if found else len(places)

        row.sort(key=middle)
    return rows


Places = dict[str, tuple[float, float, float]]  # of each box: its middle, and its width


def shown(label: str) -> str:
    """Returns the first line of a label, cut where it is long."""
    line = html.unescape(re.sub(r"#(\d+);", r"&#\1;", re.split(r"<br/?>", label)[0]))
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"


def place(chart: Flowchart, ranks: list[list[str]], upright: bool) -> Places:
    """Returns where the boxes stand, ranks below one another or beside one another."""
    widths = {name: len(shown(label)) * CHARACTER + 16 for name, label in chart.labels.items()}
    places: Places = {}
    along = 0.0
    for rank in ranks:
        depth = LINE if upright else max(widths[name] for name in rank)
        sizes = [widths[name] if upright else LINE for name in rank]
        across = -(sum(sizes) + AIR * (len(sizes) - 1)) / 2
        for name, size in zip(rank, sizes, strict=True):
            middle = (across + size / 2, along + depth / 2)
            places[name] = (*(middle if upright else middle[::-1]), widths[name])
            across += size + AIR
        along += depth + GAP
    return places


def extent(places: Places) -> tuple[float, float, float, float]:
    """Returns left, top, width and height of what is drawn."""
    left = min(x - width / 2 for x, _, width in places.values()) - 2
    right = max(x + width / 2 for x, _, width in places.values()) + 2
    ys = [y for _, y, _ in places.values()]
    return left, min(ys) - LINE / 2 - 2, right - left, max(ys) - min(ys) + LINE + 4


def how_small(places: Places) -> float:
    """Returns by how much a drawing must shrink to stand on a card."""
    _, _, width, height = extent(places)
    return max(width, SHAPE * height)


def as_svg(chart: Flowchart, places: Places) -> str:
    left, top, width, height = extent(places)
    lines = []
    for a, b in chart.arrows:
        (x0, y0, _), (x1, y1, _) = places[a], places[b]
        lines.append(f'<path d="M{x0:.0f} {y0:.0f} L{x1:.0f} {y1:.0f}"/>')
    for name, (x, y, wide) in places.items():
        label = html.escape(shown(chart.labels[name]))
        lines.append(
            f'<rect x="{x - wide / 2:.0f}" y="{y - LINE / 2:.0f}" width="{wide:.0f}" '
            f'height="{LINE}" rx="5"/><text x="{x:.0f}" y="{y + 4:.0f}">{label}</text>'
        )
    box = f"{left:.0f} {top:.0f} {width:.0f} {height:.0f}"
    return f'<svg class="small" viewBox="{box}" width="{width:.0f}">' + "".join(lines) + "</svg>"
