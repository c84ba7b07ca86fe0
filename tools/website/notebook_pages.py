"""A notebook as a page. nbconvert converts it; what is ours stands in templates/minijax.

A mirrored cell stands apart from the chapter's own, and says which lines of which file it holds. A
folded cell says what it is for. Each cell has its id for an anchor.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import quote

import nbformat
from nbconvert import MarkdownExporter
from nbconvert.filters import strip_ansi
from traitlets.config import Config

from cells import count_lines, fold_reason, mirrored_body, mirrored_path
from nbfile import is_generated, read_notebook
from reading_time import count_notebook
from units import header_length, split_units
from website.markdown import diagram, fence
from website.pages import Page

TEMPLATES = Path(__file__).parent / "templates"
IMAGES = "images"  # below notebooks/, where mdBook finds the pictures and git does not
FEWEST_IMPORTS = 3  # lines of them that are folded above the rest of their cell
KNOWN = ("code", "markdown")
SHOWN = ("text/vnd.mermaid", "text/html", "image/svg+xml", "image/png", "image/jpeg",
         "text/markdown", "text/plain")  # fmt: skip


class UnknownCell(Exception):
    """A cell of which no page can be made."""


def notebook_page(notebook: Path, title: str, repository: str | None = None) -> Page:
    """Returns a notebook's page, and writes its pictures. Raises UnknownCell.

    Args:
      notebook: the file, in the repository's `notebooks/`.
      title: as it stands in the contents.
      repository: the repository's public address, if it has one.
    """
    stored = read_notebook(notebook)
    node = prepare(stored, notebook.name)
    exporter = MarkdownExporter(
        template_name="minijax", extra_template_basedirs=[str(TEMPLATES)],
        filters={"fence": fence, "diagram": diagram, "plain": strip_ansi, "says": alternative},
        config=Config({"NbConvertBase": {"display_data_priority": list(SHOWN)}}),
    )  # fmt: skip
    resources = {"unique_key": notebook.stem, "output_files_dir": IMAGES,
                 "tools": page_tools(notebook.name, repository),
                 "minutes": max(1, round(count_notebook(stored).minutes))}  # fmt: skip
    text, resources = exporter.from_notebook_node(node, resources)
    write_pictures(notebook.parent, resources["outputs"])
    return Page(title, f"{notebook.stem}.md", f"notebooks/{notebook.name}", text)


def alternative(data: dict[str, str]) -> str:
    """Returns what a screen reader says in place of a picture: its twin in text, if it has one.

    >>> alternative({"image/png": "", "text/plain": "x[0]:\\n  1 2"})
    'x\\\\[0\\\\]: 1 2'
    >>> alternative({"image/png": "", "text/plain": "<Figure size 600x300 with 1 Axes>"})
    'a picture that the cell draws'
    """
    text = " ".join(data.get("text/plain", "<").split())
    if text.startswith("<"):
        return "a picture that the cell draws"
    return re.sub(r"([\\\[\]])", r"\\\1", text)


def prepare(notebook: nbformat.NotebookNode, name: str) -> nbformat.NotebookNode:
    """Returns a notebook with what the template needs: each cell's kind, and what stands above it.

    Links to neighbours go, for mdBook has its own.
    """
    notebook = copy.deepcopy(notebook)
    heads = {cell.id.removesuffix("-at"): cell.source for cell in notebook.cells
             if is_generated(cell) and cell.id.endswith("-at")}  # fmt: skip
    notebook.cells = [cell for cell in notebook.cells if not is_dropped(cell)]
    for cell in notebook.cells:
        if cell.cell_type not in KNOWN:
            raise UnknownCell(
                f"{name} cell {cell.id}: no page shows a cell of type {cell.cell_type!r}"
            )
        cell.metadata["head"] = heads.get(cell.id, "").replace("**", "")
        cell.metadata["kind"] = kind_of(cell)
        cell.metadata["folds"] = fold_reason(cell)
        if mirrored_path(cell.source):
            cell.source = mirrored_body(cell.source)
        elif cell.cell_type == "code" and not fold_reason(cell):
            cell.metadata["imports"], cell.source = split_imports(cell.source)
    return notebook


def split_imports(source: str) -> tuple[str, str]:
    """Returns the imports that a cell begins with, and the rest: a reader came for that.

    None are split off where nothing else is in the cell, or where they are few.

    >>> split_imports("import math\\nimport os\\n\\nfrom a import b\\n\\nx = 1")
    ('import math\\nimport os\\n\\nfrom a import b', 'x = 1')
    >>> split_imports("import math\\n\\nx = 1")
    ('', 'import math\\n\\nx = 1')
    """
    try:
        units = split_units(source)
    except SyntaxError:  # a magic, or a fault that is shown
        return "", source
    count = header_length(units)
    lines = source.split("\n")
    end = units[count].start - 1 if count < len(units) else 0
    imports = "\n".join(lines[:end]).strip("\n")
    if count_lines(imports) < FEWEST_IMPORTS:
        return "", source
    return imports, "\n".join(lines[end:]).strip("\n")


def is_dropped(cell: nbformat.NotebookNode) -> bool:
    return is_generated(cell) and cell.id.endswith(("-at", "-top", "-end"))


def kind_of(cell: nbformat.NotebookNode) -> str:
    """Returns `package` for a cell that mirrors a file, else `play`; and `folds` with either."""
    kind = "package" if mirrored_path(cell.source) else "play"
    return f"{kind} folds" if fold_reason(cell) else kind


def page_tools(name: str, repository: str | None) -> list[tuple[str, str]]:
    """Returns the links at a page's top: what they say, and where they lead.

    >>> page_tools("00-tour.ipynb", None)
    [('Download this notebook', '00-tour.ipynb')]
    """
    links = [("Download this notebook", name)]
    host, found, place = (repository or "").rstrip("/").partition("https://github.com/")
    if found and not host:
        colab = f"https://colab.research.google.com/github/{place}/blob/main/notebooks/"
        links.append(("Open in Colab", colab + quote(name)))
    return links


def write_pictures(folder: Path, pictures: dict[str, bytes]) -> None:
    """Writes a notebook's pictures, those that changed."""
    for name, data in pictures.items():
        file = folder / name
        if not file.is_file() or file.read_bytes() != data:
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(data)


def remove_pictures(folder: Path, pages: Iterable[Page]) -> None:
    """Removes the pictures that no page shows any more."""
    shown = "".join(page.text for page in pages)
    for file in (folder / IMAGES).glob("*"):
        if f"{IMAGES}/{file.name}" not in shown:
            file.unlink()
