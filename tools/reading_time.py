"""How long the book takes to read.

    python tools/reading_time.py      a table; status 1 where a bound is passed

A minute is for 200 words of Markdown, or for 12 lines of code. A word is what stands between
blanks; fenced blocks are not counted. Every line of a code cell that is not blank counts, imports
too. The column `unfolded` leaves out the cells that a reader finds folded (tools/cells.py); the
bounds are for the column before it.

The last columns say how many figures there are (pictures, diagrams, steppers), how many are wanted,
one for every ten minutes, and what a reader sees first below the opening words: a figure, a result,
or code that gives none.
"""

import argparse
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import nbformat

from cells import count_lines, fold_reason
from nbfile import ROOT, authored_cells, chapter_label, notebook_paths, read_notebook

WORDS_A_MINUTE = 200
LINES_A_MINUTE = 12
NOTEBOOK_BOUND = 60  # minutes
# The compiler, and what carries its programs away, are the hardest to read, and the tour of the
# engine room is to stay a tour.
SHORTER_BOUNDS = {**dict.fromkeys("13 14 15 16 17 23 G H I".split(), 50), "24": 55, "F": 40}
# Of which many devices take five, and references three: what the core must know of them.
MAIN_LINE_BOUND = 590
MAIN_LINE_END = "12"  # the last chapter of the main line, which starts at 00
MINUTES_A_FIGURE = 10
FIGURES = ("image/png", "image/svg+xml", "text/vnd.mermaid")
FIGURE_IN_TEXT = re.compile(r"^```mermaid$|!\[", re.MULTILINE)
STEPPER = '<div class="minijax-watch"'  # in what `minijax.watch` shows: the traces, step by step
FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


@dataclass(frozen=True)
class Count:
    """What there is to read: words, lines of code, those of them that are folded, and figures."""

    words: int = 0
    lines: int = 0
    folded: int = 0
    figures: int = 0

    def __add__(self, other: "Count") -> "Count":
        return Count(
            self.words + other.words, self.lines + other.lines, self.folded + other.folded,
            self.figures + other.figures,
        )  # fmt: skip

    @property
    def minutes(self) -> float:
        return self.words / WORDS_A_MINUTE + self.lines / LINES_A_MINUTE

    @property
    def wanted_figures(self) -> int:
        return int(self.minutes / MINUTES_A_FIGURE)

    @property
    def unfolded_minutes(self) -> float:
        return self.minutes - self.folded / LINES_A_MINUTE


def count_words(text: str) -> int:
    """Returns how many words of Markdown stand outside fenced blocks.

    >>> count_words("Two words.\\n```python\\nx = 1\\n```\\nAnd three more.")
    5
    """
    words, fence = 0, None
    for line in text.split("\n"):
        match = FENCE.match(line)
        if fence is None and match is None:
            words += len(line.split())
        elif fence is None:
            fence = match[1]
        elif match is not None and match[1].startswith(fence) and not line[match.end() :].strip():
            fence = None
    return words


def count_notebook(notebook: nbformat.NotebookNode) -> Count:
    total = Count()
    for cell in notebook.cells:
        total += Count(figures=count_figures(cell))
        if cell.cell_type == "markdown":
            total += Count(words=count_words(cell.source))
        elif cell.cell_type == "code":
            lines = count_lines(cell.source)
            total += Count(lines=lines, folded=lines if fold_reason(cell) else 0)
    return total


def count_figures(cell: nbformat.NotebookNode) -> int:
    """Returns how many pictures, diagrams and steppers a cell shows."""
    if cell.cell_type == "markdown":
        return len(FIGURE_IN_TEXT.findall(cell.source))
    shown = [output.data for output in cell.get("outputs", []) if "data" in output]
    return sum(
        any(kind in data for kind in FIGURES) or STEPPER in data.get("text/html", "")
        for data in shown
    )


def opens_with(notebook: nbformat.NotebookNode) -> str:
    """Returns what a reader sees first: a figure, a result, or code that gives none."""
    for cell in authored_cells(notebook):
        if count_figures(cell):
            return "figure"
        if cell.cell_type == "code" and not fold_reason(cell):
            return "result" if cell.outputs else "code"
    return "words"


def count_book(root: Path) -> dict[str, Count]:
    """Returns the count of each notebook below `root`, by its name, in the book's order."""
    return {path.stem: count_notebook(read_notebook(path)) for path in notebook_paths(root)}


def count_main_line(counts: dict[str, Count]) -> Count:
    labels = {stem: chapter_label(Path(stem)) for stem in counts}
    main_line = [stem for stem, label in labels.items() if label <= MAIN_LINE_END]
    return sum((counts[stem] for stem in main_line), Count())


def passed_bounds(counts: dict[str, Count]) -> list[str]:
    """Returns one sentence for each bound that is passed."""
    bounds = [
        (stem, count, SHORTER_BOUNDS.get(chapter_label(Path(stem)), NOTEBOOK_BOUND))
        for stem, count in counts.items()
    ]
    bounds.append(("the main line", count_main_line(counts), MAIN_LINE_BOUND))
    return [
        f"{name}: {count.minutes:.1f} minutes, the bound is {bound}"
        for name, count, bound in bounds
        if count.minutes > bound
    ]


def short_of_figures(counts: dict[str, Count]) -> list[str]:
    """Returns the labels of the notebooks that have fewer figures than are wanted."""
    return [
        chapter_label(Path(stem))
        for stem, count in counts.items()
        if count.figures < count.wanted_figures
    ]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--root", type=Path, default=ROOT, help="the repository (this one)")
    options = parser.parse_args(arguments)

    counts = count_book(options.root)
    openings = {path.stem: opens_with(read_notebook(path)) for path in notebook_paths(options.root)}
    rows = [*counts.items(), (f"00 to {MAIN_LINE_END}", count_main_line(counts))]
    print(
        f"{'':20}{'words':>8}{'lines':>8}{'minutes':>9}{'unfolded':>10}{'figures':>9}{'wanted':>8}"
        "  opens"
    )
    for name, count in rows:
        print(
            f"{name:20}{count.words:8}{count.lines:8}{count.minutes:9.1f}"
            f"{count.unfolded_minutes:10.1f}{count.figures:9}{count.wanted_figures:8}"
            f"  {openings.get(name, '')}".rstrip()
        )
    failures = passed_bounds(counts)
    for failure in failures:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
