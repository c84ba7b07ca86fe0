"""The cells that no author writes.

Above each mirrored cell stands a Markdown cell that names the file and the lines, as a link that
opens the file there. Above each folded cell it says that there are imports. Its id is that of the
cell below it, and `-at`.
"""

import copy
from pathlib import Path

import nbformat

from cells import find_run, folds, mirrored_body, mirrored_path
from nbfile import authored_cells, is_generated


def write_generated(notebook: nbformat.NotebookNode, root: Path) -> None:
    """Gives a notebook, whose cells have their ids, its generated cells anew."""
    headings = Headings(root)
    cells = []
    for cell in authored_cells(notebook):
        text = headings.of(cell)
        if text is not None:
            cells.append(nbformat.v4.new_markdown_cell(text, id=f"{cell.id}-at"))
        cells.append(cell)
    notebook.cells = cells


class Headings:
    """What stands above the code cells of one notebook, asked for in their order."""

    def __init__(self, root: Path):
        self.root = root
        self.files: dict[str, list[str]] = {}  # path -> lines
        self.ends: dict[str, int] = {}  # path -> the line that the last cell of it ended with

    def of(self, cell: nbformat.NotebookNode) -> str | None:
        if cell.cell_type != "code":
            return None
        path, folded = mirrored_path(cell.source), folds(cell.source)
        if path is None:
            return "**Imports**" if folded else None
        link = self.link(path, mirrored_body(cell.source).split("\n"))
        return f"{link} (imports)" if folded else link

    def link(self, path: str, body: list[str]) -> str:
        """Returns the link to the lines `body` of a file; to the file, where it has none such."""
        start = find_run(self.read(path), body, self.ends.get(path, 0))
        if start is None:
            return f"**[{path}](../{path})**"
        end = self.ends[path] = start + len(body)
        # JupyterLab counts the lines of a link from 0.
        lines = f"{start + 1}-{end}" if len(body) > 1 else end
        return f"**[{path}:{lines}](../{path}#line={start})**"

    def read(self, path: str) -> list[str]:
        if path not in self.files:
            file = self.root / path
            text = file.read_text(encoding="utf-8") if file.is_file() else ""
            self.files[path] = text.split("\n")
        return self.files[path]


def check_generated(notebook: nbformat.NotebookNode, name: str, root: Path) -> list[str]:
    """Returns a sentence for each generated cell of a notebook that is missing, wrong or left over.

    The mirrored cells must hold already.
    """
    right = copy.deepcopy(notebook)
    write_generated(right, root)
    expected = {cell.id: cell.source for cell in right.cells if is_generated(cell)}
    found = {cell.id: cell.source for cell in notebook.cells if is_generated(cell)}
    failures = [
        f"{name}: cell {id} is missing: {text!r}"
        for id, text in expected.items()
        if id not in found
    ]
    for id, text in found.items():
        if id not in expected:
            failures.append(f"{name} cell {id} has no cell to stand above: {text!r}")
        elif text != expected[id]:
            failures.append(f"{name} cell {id} should be {expected[id]!r}, and is {text!r}")
    if not failures and [cell.id for cell in notebook.cells] != [cell.id for cell in right.cells]:
        failures.append(f"{name}: a generated cell stands in the wrong place")
    return [f"{failure} (tools/mirror.py sync mends it)" for failure in failures]
