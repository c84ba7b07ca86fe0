"""A page of the site, before mdBook makes HTML of it."""

from __future__ import annotations

from dataclasses import dataclass, field

LINES = "#line"  # after a file, in the source of a second page, which shows its lines


@dataclass
class Page:
    """A page's Markdown, and where it comes from.

    Attributes:
      title: as it stands in the contents.
      path: below the book's source folder, with the suffix .md: `modules/minijax.core.forward.md`.
      source: the file that it shows, from the repository's root: `minijax/core/forward.py`. Links
        in `text` are relative to this file's folder; a link to this file leads to this page. With
        `#line` after it, those to a line of the file do.
      text: Markdown.
      children: the pages below it in the contents.
    """

    title: str
    path: str
    source: str
    text: str
    children: list[Page] = field(default_factory=list)
