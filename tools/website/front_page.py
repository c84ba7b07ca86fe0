"""The front page: front_page.md, with pieces of README.md and of the table of contents put in.

A piece stands in its own file alone. The template names it in a line such as `{{twenty lines}}`.
"""

from __future__ import annotations

import re
from pathlib import Path

from contents import ENTRY, read_entries, shorten
from website.jax_page import split_row
from website.name_links import link_names
from website.pages import Page
from website.sections import section

TEMPLATE = Path(__file__).with_name("front_page.md")
PIECE = re.compile(r"^\{\{(.+)\}\}$", re.MULTILINE)
PART = re.compile(r"^(?:# (Part .*)|---)$", re.MULTILINE)
NOTEBOOK = re.compile(r"\((notebooks/[\w-]+\.ipynb)")
SHORT_WAY = re.compile(r"^The short way, for an afternoon: ([\d, ]+)\.$", re.MULTILINE)


def front_page(root: Path) -> Page:
    """Returns the page. Raises ValueError where a piece is not where it should be."""
    readme = (root / "README.md").read_text(encoding="utf-8")
    pieces = {
        "what it is": lead(readme),
        "twenty lines": section(readme, "Twenty lines, and what they print", "README.md"),
        "picture": section(readme, "The idea in one picture", "README.md"),
        "short way": short_way(root),
        "chapters": chapters(root),
        "questions": questions(root, readme),
        "people ask": section(readme, "What people ask", "README.md"),
    }
    text = PIECE.sub(lambda match: pieces[match[1]], TEMPLATE.read_text(encoding="utf-8"))
    return Page("minijax", "index.md", "README.md", text)


def lead(readme: str) -> str:
    """Returns what stands between README's title and its first section."""
    _, _, text = readme.partition("\n")
    return text.partition("\n## ")[0].strip("\n")


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
    """Returns a paragraph of links for each part of the contents, and one for the appendices."""
    summary = (root / "notebooks" / "SUMMARY.md").read_text(encoding="utf-8")
    _, *parts = PART.split(summary)  # titles and texts in turns
    paragraphs = []
    for title, text in zip(parts[::2], parts[1::2], strict=True):
        links = [f"[{name_in(name)}](notebooks/{file})" for name, file in ENTRY.findall(text)]
        paragraphs.append(f"**{title or 'Appendices'}**: {', '.join(links)}.")
    return "\n\n".join(paragraphs)


def name_in(title: str) -> str:
    """Returns how a list names a chapter.

    >>> name_in("05 Forward: derivatives along a direction"), name_in("Appendix D: Dtypes")
    ('05 Forward', 'D Dtypes')
    """
    return shorten(title).removeprefix("Appendix ").replace(":", "")
