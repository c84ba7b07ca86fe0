"""Holds the book's code cells and the package's files together.

    python tools/mirror.py check        say where a notebook and a file differ; status 1 if any does
    python tools/mirror.py sync         rewrite the mirrored cells from the files
    python tools/mirror.py units FILE   list the units of a file: what a cell can be made of

A code cell whose first line is a comment with a file's path, `# minijax/core/forward.py`, is a
mirrored cell: its other lines are a run of that file's lines, to the letter. Mirrored files are
those under minijax/core/, and the others that a chapter reads in full, which tools/book.py names. A
notebook is a chapter, `05-forward.ipynb`, or an appendix, `A-errors.ipynb`; appendices come last.
`check` holds that

- every non-blank line of a mirrored file is in exactly one mirrored cell, in the file's order,
  and all of a file's cells are in one chapter or appendix;
- a mirrored cell holds nothing that the file doesn't;
- the generated cells are there (tools/generated.py): above each mirrored cell a link to its lines,
  and at both ends of a notebook links to its neighbours in SUMMARY.md;
- at most 40 lines of code stand without prose between, folded cells not counted, and more than 8
  lines of imports have a cell of their own (tools/page_check.py);
- a chapter imports, of the mirrored modules, those of its own, of earlier chapters and of any
  appendix. A module's chapter is the one that mirrors it, and a chapter may mirror several;
- an appendix imports, of the mirrored modules, those of appendices;
- a chapter that mirrors files builds its own machine, so it imports nothing of the finished
  package (`import minijax`, `minijax.numpy`, a lax file that is not mirrored, ...), and neither
  does an appendix. Chapters that mirror no file (the tour, the chapters that use minijax) may
  import all of the package's face;
- a cell tagged `finished-package` may import anything.

`sync` goes by what the cells define (tools/units.py): a cell keeps its units; a new unit joins
the cell of the unit before it in the file, and is reported, since no prose explains it yet; a
unit that has left the file leaves its cell. Changed cells lose their outputs until
tools/notebooks.py runs them. It writes the generated cells anew. The file is the source, never
the notebook.
"""

import argparse
import sys
from pathlib import Path

from mirror_check import check_book
from mirror_sync import sync_book
from nbfile import ROOT
from units import split_units


def print_units(path: Path) -> None:
    """Prints the units of a file with their lines."""
    for unit in split_units(path.read_text(encoding="utf-8")):
        print(f"{unit.start:5}-{unit.end:<5} {unit.key}")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--root", type=Path, default=ROOT, help="the repository (this one)")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("check", help="say where a notebook and a file differ")
    commands.add_parser("sync", help="rewrite the mirrored cells from the files")
    commands.add_parser("units", help="list the units of a file").add_argument("file", type=Path)
    options = parser.parse_args(arguments)

    if options.command == "units":
        print_units(options.file)
        return 0
    if options.command == "sync":
        messages, failures = sync_book(options.root)
        for message in messages:
            print(message)
    else:
        failures = check_book(options.root)
    for failure in failures:
        print(failure, file=sys.stderr)
    print(f"mirror {options.command}: {len(failures) or 'no'} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
