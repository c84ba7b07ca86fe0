"""Names in a table become links to the cells of the book that define them."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from cells import mirrored_body, mirrored_path
from nbfile import read_notebook
from units import split_units

NAME = re.compile(r"(?<!\[)`(\w+)(?:\.\w+)?`")


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
        if cell.cell_type == "code" and mirrored_path(cell.source):
            for unit in split_units(mirrored_body(cell.source)):
                for name in unit.key.split("="):
                    found.setdefault(name, cell.id)
    return found
