"""A page of the site, before mdBook makes HTML of it."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Page:
    """A page's Markdown, and where it comes from.

    Attributes:
      title: as it stands in the contents.
      path: below the book's source folder, with the suffix .md: `modules/minijax.core.forward.md`.
      source: the file that it shows, from the repository's root: `minijax/core/forward.py`. Links
        in `text` are relative to this file's folder; a link to this file leads to this page.
      text: Markdown.
      children: the pages below it in the contents.
      number: its place in the contents, from 1; None for a page that is not numbered.
    """

    title: str
    path: str
    source: str
    text: str
    children: list[Page] = field(default_factory=list)
    number: int | None = None
