"""The front page: front_page.md, with pieces of README.md, cards for the chapters, and the picture.

A piece stands in its own file alone. The template names it in a line such as `{{twenty lines}}`.
"""

from __future__ import annotations

import re
from pathlib import Path

from contents import ENTRY, read_entries, shorten
from front_picture import PICTURE
from website.cards import card
from website.jax_page import split_row
from website.name_links import link_names
from website.pages import Page
from website.sections import section

FROM_README = (
    "What it is", "Twenty lines, and what they print", "The idea in one picture", "How it compares",
    "What was measured", "Two commands", "What people ask",
)  # fmt: skip
TEMPLATE = Path(__file__).with_name("front_page.md")
PIECE = re.compile(r"^\{\{(.+)\}\}$", re.MULTILINE)
PART = re.compile(r"^(?:# (Part .*)|---)$", re.MULTILINE)
NOTEBOOK = re.compile(r"\((notebooks/[\w-]+\.ipynb)")
SHORT_WAY = re.compile(r"^The short way, for an afternoon: ([\d, ]+)\.$", re.MULTILINE)


def front_page(root: Path) -> Page:
    """Returns the page. Raises ValueError where a piece is not where it should be."""
    readme = (root / "README.md").read_text(encoding="utf-8")
    pieces = {
        "one sentence": lead(readme),
        "falling sine": (root / PICTURE).read_text(encoding="utf-8").rstrip("\n"),
        **{heading: section(readme, heading, "README.md") for heading in FROM_README},
        "short way": short_way(root),
        "chapters": chapters(root),
        "questions": questions(root, readme),
    }
    text = PIECE.sub(lambda match: pieces[match[1]], TEMPLATE.read_text(encoding="utf-8"))
    return Page("minijax", "index.md", "README.md", text)


def lead(readme: str) -> str:
    """Returns the paragraph below README's title."""
    return readme.split("\n\n")[1]


def questions(root: Path, readme: str) -> str:
    """Returns README's table of questions, its names linked to the cells of the row's chapters."""
    text = section(readme, "Questions, and where the answer stands", "README.md")
    head, rule, *rows = text.split("\n")
    for n, row in enumerate(rows):
        question, place, chapter = split_row(row)
        notebooks = [root / path for path in NOTEBOOK.findall(chapter)]
        place = link_names(place, notebooks, "notebooks/")
        rows[n] = f"| {question} | {place} | {chapter} |"
    return "\n".join([head, rule, *rows])


def short_way(root: Path) -> str:
    """Returns the chapters for an afternoon, which SUMMARY.md counts up, as a list of links."""
    said = SHORT_WAY.search((root / "notebooks" / "SUMMARY.md").read_text(encoding="utf-8"))
    if said is None:
        raise ValueError(
            "notebooks/SUMMARY.md has no line 'The short way, for an afternoon: 00, 01.'"
        )
    entries = {title[:2]: (title, file) for title, file in read_entries(root)}
    lines = []
    for label in said[1].split(", "):
        if label not in entries:
            raise ValueError(f"notebooks/SUMMARY.md: the short way names {label}, no chapter here")
        title, file = entries[label]
        lines.append(f"1. [{shorten(title)}](notebooks/{file}){title[len(shorten(title)) :]}")
    return "\n".join(lines)


def chapters(root: Path) -> str:
    """Returns the cards of each part of the contents, under its title, and of the appendices."""
    summary = (root / "notebooks" / "SUMMARY.md").read_text(encoding="utf-8")
    first, *parts = PART.split(summary)  # titles and texts in turns
    rows = []
    for title, text in [("Start here", first), *zip(parts[::2], parts[1::2], strict=True)]:
        cards = [card(root, name, file) for name, file in ENTRY.findall(text)]
        rows.append(f"### {title or 'Appendices'}\n\n<div class=\"cards\">\n\n" + "\n\n".join(cards)
                    + "\n\n</div>")  # fmt: skip
    return "\n\n".join(rows)
