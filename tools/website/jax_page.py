"""The page of all rows "where this lives in JAX", in one table that can be searched.

Each chapter has such a section, with paths from the folder that suits it. Here they all start from
`jax/_src`, and the names here lead to the cells that define them. Where a section has no table, its
sentences are the row.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from contents import read_entries, shorten
from nbfile import chapter_label, read_notebook
from website.name_links import link_names
from website.pages import Page
from website.sections import find_section

HEADING = "Where this lives in JAX"
FOLDER = re.compile(r"`jax/_src/?([\w/]*?)/?`")
FILE = re.compile(r"`(?:(\w+(?:/\w+)*)/)?(\w+\.py)`")
CELL_END = re.compile(r"(?<!\\)\|")
ROW = "| [{}]({}#Where-this-lives-in-JAX) | {} | {} |"

INTRO = """# Where this lives in JAX

What the chapters say at their ends, in one table. It is JAX 0.10.2. A file without `jax/` or
`jaxlib/` before it is in the folder `jax/_src`; what is said to be XLA's is C++, in a repository of
its own.
"""


@dataclass
class Section:
    """What a chapter says of JAX: rows of here and there, sentences, and tables of another kind."""

    rows: list[tuple[str, str]] = field(default_factory=list)
    prose: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)  # each with the paragraph before it


def jax_page(root: Path) -> Page:
    """Returns the page. Raises ValueError where a table has a row with more than two cells."""
    rows, others = ["| chapter | here | in JAX |", "|---|---|---|"], []
    for title, file in read_entries(root):
        said = read_section(root / "notebooks" / file)
        if said is None:
            continue
        label = chapter_label(Path(file))
        for here, there in rows_of(said):
            linked = link_names(here, [root / "notebooks" / file])
            rows.append(ROW.format(label, file, linked, there))
        others += [f"## More in {shorten(title)}\n\n{other}" for other in said.others]
    table = '<div class="searchable">\n\n' + "\n".join(rows) + "\n\n</div>"
    text = "\n\n".join([INTRO.rstrip("\n"), table, *others]) + "\n"
    return Page(HEADING, "jax.md", "notebooks/jax.md", text)


def rows_of(said: Section) -> list[tuple[str, str]]:
    return said.rows or [("the whole chapter", " ".join(said.prose))]


def read_section(path: Path) -> Section | None:
    """Returns what a notebook says of JAX; None where it has no such section."""
    for cell in read_notebook(path).cells:
        text = find_section(cell.source, HEADING) if cell.cell_type == "markdown" else None
        if text is not None:
            return parse_section(text, path.name)
    return None


def parse_section(text: str, name: str) -> Section:
    """Takes a section apart. `name` is the notebook's, for messages."""
    stated = FOLDER.search(text)
    folder = stated[1] if stated else ""
    said = Section()
    for paragraph in re.split(r"\n{2,}", text):
        if not paragraph.startswith("|"):
            said.prose.append(from_source(paragraph.replace("\n", " "), folder))
            continue
        head, _, *lines = [split_row(line) for line in paragraph.split("\n")]
        if head[0] != "here":
            said.others.append(f"{said.prose[-1]}\n\n{paragraph}")
            continue
        for cells in lines:
            if len(cells) != 2:
                raise ValueError(f"{name}: the table under {HEADING!r} has the row {cells}")
            said.rows.append((cells[0], from_source(cells[1], folder)))
    return said


def split_row(line: str) -> list[str]:
    r"""Returns the cells of a table's line.

    >>> split_row(r"| a | b\|c |")
    ['a', 'b\\|c']
    """
    return [cell.strip() for cell in CELL_END.split(line.strip())[1:-1]]


def from_source(text: str, folder: str) -> str:
    """Returns `text` with its files named from `jax/_src`.

    Args:
      folder: from there, where the chapter says its files are.

    >>> from_source("`scan.py`, `jax/_src/lax/lax.py`, `pjit.py`", "")
    '`scan.py`, `lax/lax.py`, `lax/pjit.py`'
    """

    def named(match: re.Match[str]) -> str:
        nonlocal folder
        above, file = match[1] or "", match[2]
        if above == "jax/_src" or above.startswith("jax/_src/"):
            folder = above = above.removeprefix("jax/_src").strip("/")  # what follows is beside it
        elif above.split("/")[0] not in ("jax", "jaxlib"):
            above = "/".join(part for part in (folder, above) if part)
        return f"`{above}/{file}`" if above else f"`{file}`"

    return FILE.sub(named, text)
