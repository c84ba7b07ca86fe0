"""The book and the package hold together, and nothing in core/ can change without the book."""

import random
from pathlib import Path

import pytest

from book import MIRRORED_ELSEWHERE, MIRRORED_FAMILIES, read_book
from mirror_check import check_file, find_failures

ROOT = Path(__file__).resolve().parent.parent
CHANGED_LINES = 200


@pytest.fixture(scope="module")
def book():
    return read_book(ROOT)


def test_the_book_holds_the_package(book):
    assert find_failures(book) == []


def test_all_of_core_is_mirrored(book):
    core = ROOT / "minijax/core"
    files = {file.relative_to(ROOT).as_posix() for file in core.glob("[a-z]*.py")}
    assert {path for path in book.files if path.startswith("minijax/core/")} == files
    assert {cell.path for cell in book.cells} >= {path for path in files if book.files[path]}


def test_the_families_that_chapters_read_in_full_exist():
    named = (*MIRRORED_FAMILIES, *MIRRORED_ELSEWHERE)
    assert [path for path in named if not (ROOT / path).is_file()] == []


def test_changing_any_one_line_of_core_is_found(book):
    places = [
        (path, number)
        for path, text in book.files.items()
        if path.startswith("minijax/core/")
        for number, line in enumerate(text.split("\n"))
        if line.strip()
    ]
    for path, number in random.Random(2024).sample(places, CHANGED_LINES):
        lines = book.files[path].split("\n")
        assert check_file(path, lines, book.cells_of(path)) == []
        lines[number] += "  # changed"
        assert check_file(path, lines, book.cells_of(path)) != [], (path, number + 1)
