"""The cells that no author writes.

A notebook opens and closes with links to its neighbours in the table of contents, and to that.
Above each mirrored cell stands a link to its lines, and above each folded one what it is for. A
chapter's last text is the list of its exercises and projects: the tasks of each
exercises/*/tasks.toml that names its notebook. Where there are some, the section of those to come
goes. A generated cell's id is that of the cell below it and `-at`, or the notebook's name and
`-exercises`, `-top` or `-end`.
"""

import copy
import re
from pathlib import Path

import nbformat

from cells import find_run, fold_reason, mirrored_body, mirrored_path
from contents import links_of, read_exercises
from nbfile import authored_cells, is_generated

TO_COME = re.compile(r"\n*^## The exercises to come\n.*\Z", re.MULTILINE | re.DOTALL)


def write_generated(notebook: nbformat.NotebookNode, stem: str, root: Path) -> None:
    """Gives the notebook `stem`, whose cells have their ids, its generated cells anew."""
    headings = Headings(root)
    cells = []
    for cell in authored_cells(notebook):
        text = headings.of(cell)
        if text is not None:
            cells.append(markdown_cell(f"{cell.id}-at", text))
        cells.append(cell)
    exercises = list_exercises(stem, root)
    if exercises:
        cells[-1].source = TO_COME.sub("", cells[-1].source)
        cells.append(markdown_cell(f"{stem}-exercises", exercises))
    links = links_of(f"{stem}.ipynb", root)
    if links is not None:
        cells = [
            markdown_cell(f"{stem}-top", links), *cells, markdown_cell(f"{stem}-end", links)
        ]
    notebook.cells = cells


def markdown_cell(id: str, text: str) -> nbformat.NotebookNode:
    return nbformat.v4.new_markdown_cell(text, id=id)


def list_exercises(stem: str, root: Path) -> str:
    """Returns the section that lists a chapter's exercises, with links; '' where it has none."""
    lines = [
        f"[{task['id']} {task['title']}](../{folder.relative_to(root).as_posix()}/README.md): "
        f"{task['kind']}, {task['minutes']} minutes"
        for folder, content in read_exercises(root).items()
        if content["notebook"] == f"{stem}.ipynb"
        for task in content["task"]
    ]
    return "## Exercises\n\n" + "\\\n".join(lines) if lines else ""


class Headings:
    """What stands above the code cells of one notebook, asked for in their order."""

    def __init__(self, root: Path):
        self.root = root
        self.files: dict[str, list[str]] = {}  # path -> lines
        self.ends: dict[str, int] = {}  # path -> the line that the last cell of it ended with

    def of(self, cell: nbformat.NotebookNode) -> str | None:
        if cell.cell_type != "code":
            return None
        path, reason = mirrored_path(cell.source), fold_reason(cell)
        if path is None:
            return f"**{reason.capitalize()}**" if reason else None
        link = self.link(path, mirrored_body(cell.source).split("\n"))
        return f"{link} ({reason})" if reason else link

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


def check_generated(notebook: nbformat.NotebookNode, path: Path, root: Path) -> list[str]:
    """Returns a sentence for each generated cell of a notebook that is missing, wrong or left over.

    The mirrored cells must hold already.
    """
    right = copy.deepcopy(notebook)
    write_generated(right, path.stem, root)
    expected = {cell.id: cell.source for cell in right.cells if is_generated(cell)}
    found = {cell.id: cell.source for cell in notebook.cells if is_generated(cell)}
    failures = [
        f"{path.name}: cell {id} is missing: {text!r}"
        for id, text in expected.items()
        if id not in found
    ]
    for id, text in found.items():
        if id not in expected:
            failures.append(f"{path.name} cell {id} should not be there: {text!r}")
        elif text != expected[id]:
            failures.append(f"{path.name} cell {id} should be {expected[id]!r}, and is {text!r}")
    if not failures and [cell.id for cell in notebook.cells] != [cell.id for cell in right.cells]:
        failures.append(f"{path.name}: a generated cell stands in the wrong place")
    return [f"{failure} (tools/mirror.py sync mends it)" for failure in failures]
