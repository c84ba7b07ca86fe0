"""The digits that the book ships: notebooks/data/digits.csv.gz."""

from pathlib import Path

import numpy as np
import pytest

DIGITS = Path(__file__).resolve().parent.parent / "notebooks" / "data" / "digits.csv.gz"
# UCI's own description of the test set: how many of each digit, 0 to 9.
COUNTS = [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]


@pytest.fixture(scope="module")
def rows():
    return np.loadtxt(DIGITS, delimiter=",", dtype=np.int32)


def test_each_row_has_64_pixels_and_a_label(rows):
    assert rows.shape == (1797, 64 + 1)


def test_pixels_span_their_range(rows):
    pixels = rows[:, :64]
    assert (pixels.min(), pixels.max()) == (0, 16)


def test_each_digit_occurs_as_often_as_uci_says(rows):
    counts = np.bincount(rows[:, 64])
    assert counts.tolist() == COUNTS
    assert counts.sum() == len(rows)
