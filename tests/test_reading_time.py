"""No chapter takes longer to read than an hour, and the main line no longer than 590 minutes.

There is a figure for every ten minutes, and the first thing to see is a figure or a result.
"""

from pathlib import Path

from nbfile import chapter_label, notebook_paths, read_notebook
from reading_time import count_book, opens_with, passed_bounds, short_of_figures

ROOT = Path(__file__).resolve().parent.parent


def test_the_book_holds_the_bounds():
    counts = count_book(ROOT)
    assert counts
    assert passed_bounds(counts) == []
    assert short_of_figures(counts) == []


def test_chapters_open_with_something_to_see():
    paths = notebook_paths(ROOT)
    shows = {chapter_label(path): opens_with(read_notebook(path)) for path in paths}
    assert [label for label, first in shows.items() if first == "code"] == []
