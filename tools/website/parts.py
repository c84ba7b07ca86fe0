"""What stands before and after the chapters in the site's contents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from book import read_book
from website.exercise_pages import exercise_pages, text_pages
from website.explorer_page import explorer_page
from website.front_page import front_page
from website.jax_page import jax_page
from website.module_pages import module_pages
from website.pages import Page
from website.syllabus_page import syllabus_page

Part = dict[str, Any] | Page  # mdBook's title of a part, or a page


def parts_before(root: Path) -> list[Part]:
    return [front_page(root), explorer_page(root)]


def parts_after(root: Path) -> list[Part]:
    return [
        {"PartTitle": "Exercises"}, *exercise_pages(root), syllabus_page(root),
        {"PartTitle": "To look things up"}, jax_page(root), *module_pages(read_book(root)),
        *text_pages(root),
    ]  # fmt: skip
