"""A page of the site, before mdBook makes HTML of it, and its place among the others."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from urllib.parse import quote

from website.docstrings import escape

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


def walk(page: Page) -> Iterator[Page]:
    """Returns a page and all below it."""
    yield page
    for child in page.children:
        yield from walk(child)


def relative(page: Page, path: str) -> str:
    """Returns the address of a path below the book's source folder, from a page."""
    return quote(posixpath.relpath(path, posixpath.dirname(page.path) or "."))


def add_neighbours(pages: Sequence[Page]) -> None:
    """Ends each page with links to the one before it and the one after it, by their titles."""
    for n, page in enumerate(pages):
        links = [f"[← {escape(other.title)}]({relative(page, other.path)})"
                 for other in pages[:n][-1:]]  # fmt: skip
        links += [f"[{escape(other.title)} →]({relative(page, other.path)})"
                  for other in pages[n + 1 :][:1]]  # fmt: skip
        if links:
            page.text += '\n\n<nav class="neighbours" aria-label="The pages before and after">\n\n'
            page.text += " ".join(links) + "\n\n</nav>\n"
