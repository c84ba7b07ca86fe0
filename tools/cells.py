"""What the text of a code cell says of it: what it mirrors, and whether it is folded.

A mirrored cell is a code cell whose first line is a comment with a file's path,
`# minijax/core/forward.py`, and whose other lines are a run of that file's lines.

Of a folded cell a reader sees a line above it that says what it is for, and may open it. A mirrored
cell folds when it holds imports alone, the module's docstring above them or not; a cell of a
chapter's own when it holds more than LONG_IMPORTS lines of them and nothing else. Others fold by a
tag: those that serve what FOLD_TAGS names, rather than the chapter's idea.
"""

import re

import nbformat

from units import header_length, split_units

PATH_COMMENT = re.compile(r"# ?((?:minijax|tests/examples)/[\w/]+\.py)\s*")
LONG_IMPORTS = 5  # lines
FOLD_TAG = "fold-"
FOLD_TAGS = {
    f"{FOLD_TAG}{reason.replace(' ', '-')}": reason
    for reason in ("messages", "sources", "settings", "caches", "printing", "deletion",
                   "the older way")
}  # fmt: skip


def mirrored_path(source: str) -> str | None:
    """Returns the file that a code cell's source mirrors, or None.

    >>> mirrored_path("# minijax/core/forward.py\\ndef jvp(): ...")
    'minijax/core/forward.py'
    """
    match = PATH_COMMENT.fullmatch(source.split("\n", 1)[0])
    return match[1] if match else None


def mirrored_body(source: str) -> str:
    """Returns the lines below a mirrored cell's path, without the blank ones at either end."""
    return source.partition("\n")[2].strip("\n")


def mirrored_source(path: str, body: str) -> str:
    return f"# {path}\n{body}"


def find_run(lines: list[str], body: list[str], after: int = 0) -> int | None:
    """Returns where `body` starts in a file's lines, which count from 0, or None.

    Of several such places it is the first from `after`.

    >>> find_run(["a", "b", "a"], ["a"]), find_run(["a", "b", "a"], ["a"], after=1)
    (0, 2)
    """
    starts = [n for n in range(len(lines)) if lines[n : n + len(body)] == body]
    return next((n for n in starts if n >= after), starts[0] if starts else None)


def fold_reason(cell: nbformat.NotebookNode) -> str | None:
    """Returns what a folded cell is for, as it is said above it; None where it isn't folded."""
    if cell.cell_type != "code":
        return None
    reasons = (FOLD_TAGS.get(tag) for tag in cell.metadata.get("tags", []))
    return next(filter(None, reasons), "imports" if only_imports(cell.source) else None)


def only_imports(source: str) -> bool:
    """Returns whether a code cell with this source folds since it only imports.

    >>> only_imports("# minijax/core/forward.py\\nimport math"), only_imports("import math")
    (True, False)
    """
    mirrored = mirrored_path(source) is not None
    try:
        units = split_units(mirrored_body(source) if mirrored else source)
    except SyntaxError:  # a magic, or a fault that is shown
        return False
    only_header = header_length(units) == len(units)
    imports = [unit for unit in units if unit.key != "__doc__"]
    return only_header and bool(imports) and (mirrored or count_lines(source) > LONG_IMPORTS)


def count_lines(source: str) -> int:
    """Returns the number of lines that are not blank."""
    return sum(bool(line.strip()) for line in source.split("\n"))
