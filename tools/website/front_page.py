"""The front page: front_page.md, with pieces of README.md and the short way put in.

A piece stands in its own file alone. The template names it in a line such as `{{twenty lines}}`.
"""

from __future__ import annotations

import re
from pathlib import Path

from contents import read_entries, shorten
from website.pages import Page
from website.sections import section

TEMPLATE = Path(__file__).with_name("front_page.md")
PIECE = re.compile(r"^\{\{(.+)\}\}$", re.MULTILINE)
SHORT_WAY = re.compile(r"^The short way, for an afternoon: ([\d, ]+)\.$", re.MULTILINE)


def front_page(root: Path) -> Page:
    """Returns the page. Raises ValueError where a piece is not where it should be."""
    readme = (root / "README.md").read_text(encoding="utf-8")
    pieces = {
        "what it is": lead(readme),
        "twenty lines": section(readme, "Twenty lines, and what they print", "README.md"),
        "picture": section(readme, "The idea in one picture", "README.md"),
        "questions": section(readme, "Questions, and where the answer stands", "README.md"),
        "short way": short_way(root),
    }
    text = PIECE.sub(lambda match: pieces[match[1]], TEMPLATE.read_text(encoding="utf-8"))
    return Page("minijax", "index.md", "README.md", text)


def lead(readme: str) -> str:
    """Returns what stands between README's title and its first section."""
    _, _, text = readme.partition("\n")
    return text.partition("\n## ")[0].strip("\n")


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
