"""The chapters as cards: each one's title, question and minutes, and one of its figures.

Questions and figures are named in cards.toml. A figure is one that the notebook stores, made small.
"""

from __future__ import annotations

import base64
import html
import io
import tomllib
from pathlib import Path

import nbformat
from PIL import Image

from nbfile import read_notebook
from reading_time import count_notebook
from website.markdown import FENCED
from website.notebook_pages import IMAGES, write_pictures
from website.small_diagrams import draw_small

TABLE = Path(__file__).with_name("cards.toml")
SIZE = (560, 300)  # of a small picture at most: twice what a card has room for
MERMAID, PNG = "text/vnd.mermaid", "image/png"


def read_cards() -> dict[str, dict[str, str]]:
    """Returns what cards.toml says of each notebook, by its name without the suffix."""
    return tomllib.loads(TABLE.read_text(encoding="utf-8"))


def card(root: Path, title: str, file: str) -> str:
    """Returns a notebook's card as Markdown, for a page at the root, and writes its small picture.

    Raises ValueError where cards.toml lacks the notebook, or names a cell that has no figure.
    """
    path = root / "notebooks" / file
    said = read_cards().get(path.stem)
    if said is None:
        raise ValueError(f"{TABLE.name} has nothing of {file}: give a question and a figure's cell")
    notebook = read_notebook(path)
    figure = figure_of(notebook, said["picture"], path) if said["picture"] else ""
    minutes = round(count_notebook(notebook).minutes)
    return (
        '<div class="card">\n<div class="card-figure" aria-hidden="true">\n\n'
        f"{figure}\n\n</div>\n\n"
        f'[{title}](notebooks/{file})\n\n{html.escape(said["question"], quote=False)}\n\n'
        f'<p class="minutes">{minutes} minutes</p>\n</div>'
    )


def figure_of(notebook: nbformat.NotebookNode, id: str, path: Path) -> str:
    """Returns the Markdown of the figure of a cell."""
    for cell in notebook.cells:
        if cell.id != id:
            continue
        shown = [output.data for output in cell.get("outputs", []) if "data" in output]
        for data in shown:
            if PNG in data:
                name = f"{IMAGES}/card-{path.stem}.png"
                write_pictures(path.parent, {name: shrink(base64.b64decode(data[PNG]))})
                return f"![](notebooks/{name})"
        diagrams = [data[MERMAID] for data in shown if MERMAID in data]
        diagrams += [m["body"] for m in FENCED.finditer(cell.source) if m["info"] == "mermaid"]
        if diagrams:
            return draw_small(diagrams[0])
    raise ValueError(f"{TABLE.name}: {path.name} has no cell {id} with a figure")


def shrink(png: bytes) -> bytes:
    """Returns a picture as large as a card needs it."""
    picture, out = Image.open(io.BytesIO(png)).convert("RGBA"), io.BytesIO()
    picture.thumbnail(SIZE, Image.Resampling.LANCZOS)
    picture.quantize(64).save(out, "PNG", optimize=True)
    return out.getvalue()
