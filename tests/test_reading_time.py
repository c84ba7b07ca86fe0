"""No chapter takes longer to read than an hour, and the main line no longer than 580 minutes."""

from pathlib import Path

from reading_time import count_book, passed_bounds

ROOT = Path(__file__).resolve().parent.parent


def test_the_book_holds_the_bounds():
    counts = count_book(ROOT)
    assert counts
    assert passed_bounds(counts) == []
