"""mdBook's preprocessor: notebooks as Markdown, and the pages that no chapter is.

    python tools/preprocessor.py supports RENDERER     whether a renderer is served (exit status)
    python tools/preprocessor.py                       [context, book] from stdin, a book to stdout

mdBook calls it, as book.toml says. It refuses a notebook with a cell of unknown type, a link that
leads nowhere and a picture that is missing, each by name.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from website.links import DeadLink, Links
from website.markdown import mark_diagrams, mark_formulas
from website.notebook_pages import UnknownCell, notebook_page, remove_pictures
from website.pages import Page, add_neighbours, walk
from website.parts import Part, parts_after, parts_before
from website.search_index import write_index

Item = dict[str, Any] | str  # of mdBook's: {"Chapter": ...}, {"PartTitle": ...}, "Separator"


def preprocess(context: dict[str, Any], book: dict[str, Any]) -> dict[str, Any]:
    """Returns mdBook's book, all its pages Markdown. Raises DeadLink, UnknownCell.

    Args:
      context: what mdBook says of the book: its `root`, its `config`.
      book: its `items`, of which notebooks hold JSON.
    """
    root = Path(context["root"])
    repository = context["config"].get("output", {}).get("html", {}).get("git-repository-url")
    items: list[Item | Part] = [
        *parts_before(root),
        *(chapter_page(item, root, repository) for item in book["items"]),
        *parts_after(root),
    ]
    pages = [page for item in items if isinstance(item, Page) for page in walk(item)]
    links = Links(root, pages, repository)
    for page in pages:
        page.text = mark_formulas(mark_diagrams(links.rewrite(page)))
    remove_pictures(root / "notebooks", pages)
    write_index(root, pages)
    add_neighbours(pages)
    return {"items": [as_item(item) if isinstance(item, Page) else item for item in items]}


def chapter_page(item: Item, root: Path, repository: str | None) -> Item | Page:
    """Returns the page of an item of the contents; of a title or a draft, the item itself."""
    if not isinstance(item, dict) or not item.get("Chapter", {}).get("path"):
        return item
    chapter = item["Chapter"]
    source = root / "notebooks" / chapter["path"]
    if source.suffix == ".ipynb":
        return notebook_page(source, chapter["name"], repository)
    path = chapter["path"]
    return Page(chapter["name"], path, f"notebooks/{path}", chapter["content"])


def as_item(page: Page, parents: tuple[str, ...] = ()) -> Item:
    """Returns a page as mdBook has it."""
    below = [as_item(child, (*parents, page.title)) for child in page.children]
    # The contents show no number, but how long it is says how far a page is set in.
    number = [1] * (len(parents) + 1) if parents else None
    return {"Chapter": {
        "name": page.title, "content": page.text, "number": number, "sub_items": below,
        "path": page.path, "source_path": page.path, "parent_names": list(parents),
    }}  # fmt: skip


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["supports"]:
        return 0 if arguments[1:] == ["html"] else 1
    context, book = json.load(sys.stdin)
    try:
        json.dump(preprocess(context, book), sys.stdout)
    except (DeadLink, UnknownCell, ValueError) as refused:
        print(refused, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
