"""Links: written as from file to file in the repository, they lead from page to page."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from website.markdown import CODE, map_prose
from website.pages import LINES, Page, relative

WORDS = r"[^\[\]`]|`+[^`]*`+"
LABEL = rf"(?:{WORDS}|\[(?:{WORDS})*\])*"
LINK = re.compile(CODE + rf"|(?P<bang>!?)\[(?P<label>{LABEL})\]\((?P<target>[^()\s]*)\)", re.DOTALL)
SOURCE = "notebooks"  # mdBook copies what it holds beside Markdown
CELL = re.compile(r".+-\d{3}")


class DeadLink(Exception):
    """A link that leads nowhere, or a picture that is not there."""


class Links:
    """Where the links of all pages lead.

    Args:
      root: the repository.
      pages: all pages of the site.
      repository: its public address, if it has one: for files that are no pages.
    """

    def __init__(self, root: Path, pages: Iterable[Page], repository: str | None = None) -> None:
        self.root, self.repository = root, repository and repository.rstrip("/")
        self.paths = {page.source: page.path for page in pages}

    def rewrite(self, page: Page) -> str:
        """Returns a page's text, its links leading to pages. Raises DeadLink."""

        def rewrite(match: re.Match[str]) -> str:
            return match[0] if match["ticks"] else self.link(page, match)

        return map_prose(page.text, lambda prose: LINK.sub(rewrite, prose))

    def link(self, page: Page, match: re.Match[str]) -> str:
        label = LINK.sub(lambda inner: inner[0] if inner["ticks"] else self.link(page, inner),
                         match["label"])  # fmt: skip
        target = self.target(page, match["target"], "picture" if match["bang"] else "link to")
        return label if target is None else f"{match['bang']}[{label}]({target})"

    def target(self, page: Page, link: str, kind: str = "link to") -> str | None:
        """Returns where a page's link leads: from page to page, outwards, or None: to a file that
        is not on the site. Raises DeadLink."""
        parts = urlsplit(link)
        if parts.scheme or link.startswith("//"):
            return link
        if not parts.path:
            return "#" + heading_id(parts.fragment)
        folder = posixpath.dirname(page.source)
        path = posixpath.normpath(posixpath.join(folder, unquote(parts.path)))
        lines = LINES if parts.fragment.startswith("line=") else ""
        found = next((name + lines for name in names_of(path) if name + lines in self.paths), None)
        if found is not None:
            fragment = fragment_of(found, parts.fragment)
            return relative(page, self.paths[found]) + (fragment and f"#{fragment}")
        if path.startswith("..") or not (self.root / path).exists():
            raise DeadLink(
                f"{page.source}: the {kind} {link} leads to {path}, which is not there"
            )
        if path.startswith(f"{SOURCE}/") and not path.endswith(".md"):
            return relative(page, path.removeprefix(f"{SOURCE}/"))
        what = "tree" if (self.root / path).is_dir() else "blob"
        return self.repository and f"{self.repository}/{what}/main/{quote(path)}"


def names_of(path: str) -> Iterator[str]:
    """What a link to a file or a folder may mean."""
    yield path
    yield f"{path}/__init__.py"
    yield f"{path}/README.md"


def fragment_of(source: str, fragment: str) -> str:
    """Returns the anchor on a file's page for a fragment of a link to the file.

    >>> fragment_of("minijax/core/forward.py", "line=11")
    'line-12'
    >>> fragment_of("notebooks/05-forward.ipynb", "The-trace")
    'the-trace'
    """
    if fragment.startswith("line="):
        return f"line-{int(fragment.removeprefix('line=')) + 1}"
    if source.endswith(".py") or CELL.fullmatch(fragment):  # a name, a cell's id
        return fragment
    return heading_id(fragment)


def heading_id(text: str) -> str:
    """Returns the anchor that mdBook gives a heading.

    >>> heading_id("What-`x[i]`-costs%3F")
    'what-xi-costs'
    """
    words = unquote(text).strip().lower()
    return "".join("-" if c.isspace() else c for c in words if c.isalnum() or c in "_- ")
