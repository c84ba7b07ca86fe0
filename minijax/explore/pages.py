"""The explorer's pages: the lists with their frame, and what stands in the frame."""

from __future__ import annotations

import json
from html import escape
from pathlib import Path

from minijax.explore.programs import programs


def walk_page(title: str, shown: str) -> str:
    """A document around a walk. It tells the page that it stands in how high it is."""
    return filled("walk.html", title=escape(title), shown=shown)


def live_page() -> str:
    """The page that the server shows."""
    return filled(
        "live.html", style=text("explorer.css"), script=text("explorer.js"), explorer=explorer()
    )


def explorer() -> str:
    """The lists and the frame, without the script."""
    return filled("explorer.html", programs=listing())


def site_page(folder: str) -> str:
    """What a page of the site holds: the explorer for walks that lie in a folder beside it.

    Each element ends at a blank line, as Markdown has it.
    """
    return (
        f"<style>\n{text('explorer.css')}</style>\n\n{explorer()}\n"
        f'<script data-folder="{escape(folder)}">\n{text("explorer.js")}</script>\n'
    )


def listing() -> str:
    """JSON that may stand in a page's script: the programs, each with its transformations."""
    found = [
        {
            "name": row.name, "title": row.title, "text": row.text,
            "walks": [
                {
                    "name": name, "expression": row.expression(name),
                    "arguments": row.arguments(name), "file": walk_file(row.name, name),
                }
                for name in row.transformations
            ],
        }
        for row in programs.values()
    ]  # fmt: skip
    return json.dumps(found).replace("<", "\\u003c")


def walk_file(program: str, transformation: str) -> str:
    """The name of a walk's file on the site.

    >>> walk_file("sine", "vmap grad")
    'sine-vmap-grad.html'
    """
    return f"{program}-{transformation.replace(' ', '-')}.html"


def text(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def filled(name: str, **pieces: str) -> str:
    """A template with its pieces. What a piece holds is not looked through for more of them."""
    parts = text(name).split("{{")
    found = [parts[0]]
    for part in parts[1:]:
        piece, _, rest = part.partition("}}")
        found += [pieces[piece], rest]
    return "".join(found)
