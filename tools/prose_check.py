"""Holds the prose to what the page shows, and references to the chapters that they name.

    python tools/prose_check.py      status 1 where prose and page differ

In each Markdown cell of the chapters in CHECKED,

- a number, in digits or from four to twenty in words, stands in the code or the outputs of the
  NEAR code cells before it or after it, or in a formula of its own cell. Numbers up to three are
  everywhere, so they are not looked for;
- a single letter between backquotes, a variable, stands there too;
- another name between backquotes occurs in the chapter's code or outputs, in the package, or is
  Python's or NumPy's;
- "chapter 05" and "appendix A" are in the table of contents;
- where a reference names something, as "`foo` (chapter 05)" or "chapter 05's `foo`" do, that
  chapter's code defines it, or its prose has it between backquotes.

What is right and can't be found so is listed in tools/prose-exceptions.txt, with its reason; a line
that nothing needs fails.
"""

import argparse
import ast
import builtins
import keyword
import math
import re
import sys
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import nbformat
import numpy as np

from nbfile import ROOT, authored_cells, chapter_label, notebook_paths, read_notebook
from prose_claims import (
    IDENTIFIER,
    TICKED,
    main_name,
    numbers_in,
    read_formulas,
    read_letters,
    read_names,
    read_numbers,
    read_places,
    read_references,
)

# The chapters whose prose is held to their pages, of the others nothing is looked at.
CHECKED = tuple(
    "00 01 02 03 04 05 06 07 08 09 10 11 12 13 14 15 16 17 18 19 20 21 22 23 25 26 27 28 30".split()
) + tuple("ABCDEFGHIJ")
NEAR = 2  # code cells, before and after
EXCEPTIONS = "tools/prose-exceptions.txt"
NAMED_ELSEWHERE = ("minijax/**/*.py", "notebooks/*.py", "exercises/**/*.py", "tests/examples/*.py")
SUMMARY_LABEL = re.compile(r"\[(?:Appendix )?(\d\d|[A-Z])\b")


@dataclass
class Chapter:
    """A notebook, and what its cells say."""

    path: Path
    cells: list[nbformat.NotebookNode] = field(repr=False)

    @cached_property
    def names(self) -> set[str]:
        """The identifiers in code, outputs and fenced blocks."""
        return set(IDENTIFIER.findall("\n".join(map(page_text, self.cells))))

    @cached_property
    def told(self) -> set[str]:
        """What the code defines, and what the prose has between backquotes."""
        names: set[str] = set()
        for cell in self.cells:
            if cell.cell_type == "code":
                names |= defined_names(cell.source)
            else:
                names.update(*map(IDENTIFIER.findall, TICKED.findall(cell.source)))
        return names

    def near(self, place: int) -> str:
        """The text of the code cells around a cell, and the formulas in it."""
        before = [cell for cell in self.cells[:place] if cell.cell_type == "code"][-NEAR:]
        after = [cell for cell in self.cells[place + 1 :] if cell.cell_type == "code"][:NEAR]
        return "\n".join(map(page_text, [*before, self.cells[place], *after]))


def read_chapters(root: Path) -> dict[str, Chapter]:
    """Returns the book's chapters by their labels."""
    return {
        chapter_label(path): Chapter(path, authored_cells(read_notebook(path)))
        for path in notebook_paths(root)
    }


def page_text(cell: nbformat.NotebookNode) -> str:
    """Returns what a cell shows: code and outputs, or of Markdown the formulas."""
    if cell.cell_type != "code":
        return read_formulas(cell.source)
    texts = [cell.source]
    for output in cell.outputs:
        data = output.get("data", {}).items()
        texts += [text for kind, text in data if kind.startswith("text/")]
        texts += [output.get(key, "") for key in ("text", "ename", "evalue")]
    return "\n".join(texts)


def defined_names(source: str) -> set[str]:
    """Returns what a code cell gives a name to: functions, their parameters, classes, variables.

    >>> sorted(defined_names("def f(x):\\n    self.y = z"))
    ['f', 'x', 'y']
    """
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except SyntaxError:  # a magic, or a fault that is shown
        return set(IDENTIFIER.findall(source))
    names = {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    names |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    stored = [node for node in nodes if isinstance(getattr(node, "ctx", None), ast.Store)]
    names |= {node.id for node in stored if isinstance(node, ast.Name)}
    return names | {node.attr for node in stored if isinstance(node, ast.Attribute)}


def names_elsewhere(root: Path) -> set[str]:
    """Returns the names that prose may use without showing them: the package's, and Python's."""
    files = [file for pattern in NAMED_ELSEWHERE for file in sorted(root.glob(pattern))]
    names = {name for file in files for name in IDENTIFIER.findall(file.read_text("utf-8"))}
    for namespace in (builtins, math, np, np.ndarray):
        names.update(dir(namespace))
    return names.union(keyword.kwlist, ["np"])


def read_labels(root: Path) -> set[str]:
    """Returns the labels in the table of contents, drafts' too."""
    summary = root / "notebooks" / "SUMMARY.md"
    text = summary.read_text(encoding="utf-8") if summary.is_file() else ""
    return set(SUMMARY_LABEL.findall(text))


def read_exceptions(root: Path) -> dict[tuple[str, str], str]:
    """Returns the reasons in the file of exceptions, by the cell's id and what is claimed there.

    A line has these three, with blanks between; a claim with blanks in it stands in quotes.
    """
    file = root / EXCEPTIONS
    lines = file.read_text(encoding="utf-8").split("\n") if file.is_file() else []
    rows = [line.split(maxsplit=2) for line in lines if line.strip() and not line.startswith("#")]
    return {(cell, claim): reason for cell, claim, reason in rows}


def find_claims(
    chapters: dict[str, Chapter], chapter: Chapter, labels: set[str], elsewhere: set[str]
) -> list[tuple[str, str, str]]:
    """Returns what the page doesn't bear out: the cell's id, the claim, and what is wrong."""
    found = []
    for place, cell in enumerate(chapter.cells):
        if cell.cell_type != "markdown":
            continue
        near = chapter.near(place)
        values = numbers_in(near)
        for text, value in read_numbers(cell.source).items():
            if abs(value) not in values:
                found.append((cell.id, text, f"no {text} is in the code cells around it"))
        for letter in sorted(read_letters(cell.source) - set(IDENTIFIER.findall(near))):
            found.append((cell.id, letter, f"no `{letter}` is in the code cells around it"))
        for name in sorted(read_names(cell.source) - chapter.names - elsewhere):
            if len(name) > 1:
                found.append((cell.id, name, f"`{name}` is neither in the chapter nor elsewhere"))
        for label in sorted(read_references(cell.source) - labels):
            found.append((cell.id, label, f"the contents have no chapter or appendix {label}"))
        for span, label in read_places(cell.source):
            name = main_name(span)
            if name is not None and label in chapters and name not in chapters[label].told:
                found.append((cell.id, name, f"{label} neither defines nor explains `{span}`"))
    return found


def check_prose(root: Path, checked: tuple[str, ...] = CHECKED) -> list[str]:
    """Returns a sentence for each claim that nothing bears out, and each needless exception."""
    chapters, exceptions = read_chapters(root), read_exceptions(root)
    labels, elsewhere = read_labels(root), names_elsewhere(root)
    claims = [
        claim
        for label in checked
        if label in chapters
        for claim in find_claims(chapters, chapters[label], labels, elsewhere)
    ]
    failures = [
        f"cell {id}: {problem}. Mend one of the two, or say in {EXCEPTIONS} why it is right"
        for id, claim, problem in claims
        if (id, claim) not in exceptions
    ]
    needed = {(id, claim) for id, claim, _ in claims}
    needless = [f"{EXCEPTIONS}: nothing needs the line of {id} {claim}. Take it out"
                for id, claim in exceptions if (id, claim) not in needed]  # fmt: skip
    return failures + needless


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--root", type=Path, default=ROOT, help="the repository (this one)")
    parser.add_argument("chapters", nargs="*", help="their labels, as 05 or A (those in CHECKED)")
    options = parser.parse_args(arguments)
    failures = check_prose(options.root, tuple(options.chapters) or CHECKED)
    for failure in failures:
        print(failure, file=sys.stderr)
    print(f"prose check: {len(failures) or 'no'} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
