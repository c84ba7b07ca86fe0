"""Slides of each chapter: its opening and its figures, with the prose between as speaker's notes.

    python tools/slides.py      writes notebooks/slides/, which git doesn't keep: 05-forward.html

They open in a browser from the disk, without a network: arrows turn them, S opens the speaker's
notes, F fills the screen. website/slide_cells.py chooses the cells, and nbconvert writes the pages.
Where reveal.js, KaTeX and Mermaid are not there yet, npm brings them (site_tools.py).
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from nbconvert import SlidesExporter
from traitlets.config import Config

from contents import read_entries, shorten
from environment import Refusal
from nbfile import ROOT, read_notebook
from site_tools import PACKAGES, provide_package
from website.cards import read_cards
from website.markdown import diagram, mark_formulas
from website.notebook_pages import SHOWN, TEMPLATES, alternative
from website.slide_cells import slides_notebook

FOLDER = ROOT / "notebooks" / "slides"
THEME = Path(__file__).parent / "website" / "theme"
BESIDE = ("site.css", "slides.css", "drawing.js", "slides.js")


def slides_page(notebook: Path, title: str) -> str:
    """Returns the HTML of a chapter's slides.

    Args:
      notebook: the file, in the repository's `notebooks/`.
      title: as it stands in the contents.
    """
    exporter = SlidesExporter(
        template_name="slides", extra_template_basedirs=[str(TEMPLATES)], exclude_anchor_links=True,
        filters={"formulas": mark_formulas, "diagram": diagram, "says": alternative},
        config=Config({"NbConvertBase": {"display_data_priority": list(SHOWN)}}),
    )  # fmt: skip
    chosen = slides_notebook(read_notebook(notebook), read_cards()[notebook.stem]["question"])
    text, _ = exporter.from_notebook_node(chosen, {"title": f"{shorten(title)}: slides"})
    return text


def write_slides(root: Path, folder: Path) -> None:
    """Writes the slides of all notebooks, and what they need beside them, into an empty folder."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in BESIDE:
        shutil.copy(THEME / name, folder)
    for title, file in read_entries(root):
        notebook = root / "notebooks" / file
        page = folder / f"{notebook.stem}.html"
        page.write_text(slides_page(notebook, title), encoding="utf-8")


def main() -> int:
    try:
        for package in PACKAGES:
            provide_package(package, ROOT / "notebooks" / "vendor")
    except Refusal as refusal:
        print(refusal, file=sys.stderr)
        return 1
    write_slides(ROOT, FOLDER)
    return 0


if __name__ == "__main__":
    sys.exit(main())
