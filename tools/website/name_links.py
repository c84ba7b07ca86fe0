"""Names in a table become links to the cells of the book that define them."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from nbfile import read_notebook

NAME = re.compile(r"(?<!\[)`(\w+)(?:\.\w+)?`")
DEFINITION = re.compile(r"^(?:def|class) (\w+)|^(\w+)(?:: [^=\n]+)? = ", re.MULTILINE)
MIRRORED = "# minijax/"  # how a cell of the package starts


def link_names(text: str, notebooks: list[Path], folder: str = "") -> str:
    """Returns `text` with a link from each name in it that one of the notebooks defines.

    Args:
      notebooks: the first that defines a name is the one.
      folder: of the notebooks, as seen from the page.
    """

    def link(match: re.Match[str]) -> str:
        for notebook in notebooks:
            cell = defining_cells(notebook).get(match[1])
            if cell is not None:
                return f"[{match[0]}]({folder}{notebook.name}#{cell})"
        return match[0]

    return NAME.sub(link, text)


@cache
def defining_cells(path: Path) -> dict[str, str]:
    """Returns, by name, the first cell of the package in a notebook that defines it."""
    found: dict[str, str] = {}
    for cell in read_notebook(path).cells:
        if cell.cell_type == "code" and cell.source.startswith(MIRRORED):
            for match in DEFINITION.finditer(cell.source):
                found.setdefault(match[1] or match[2], cell.id)
    return found
