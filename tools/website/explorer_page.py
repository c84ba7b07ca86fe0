"""The explorer's page: a program and a transformation, and what comes of them."""

from __future__ import annotations

from pathlib import Path

from minijax.explore.pages import site_page
from website.pages import Page

ABOUT = """\
# The explorer

What becomes of a program under a transformation: who was asked for each operation, what it asked in
turn, what was written down meanwhile; and below, what the compiler makes of it. The arrow keys step
through it, once it has been clicked. Each of these was run when this page was made. For a program
of your own, `python -m minijax.explore` opens the same with an editor.

"""


def explorer_page(root: Path) -> Page:
    """Returns the page. The walks that it shows are made by tools/explorer.py."""
    text = ABOUT + site_page("explore/")
    return Page("The explorer", "explore.md", "minijax/explore/explorer.html", text)
