"""The glossary: terms in order, one sentence each, and a link to where the term is explained."""

import re
from functools import cache
from pathlib import Path

from exercises.grading.generate import anchor
from nbfile import chapter_label, read_notebook
from website.sections import headings

BOOK = Path(__file__).resolve().parents[2] / "notebooks"
LINES = (BOOK / "glossary.md").read_text(encoding="utf-8").split("\n")
ENTRY = re.compile(r"- \*\*(.+?)\*\*: (.+) \[(\w+)\]\(([\w-]+\.ipynb)(?:#(\S+))?\)")
ENTRIES = [match.groups() for match in map(ENTRY.fullmatch, LINES) if match]
# What the book's first chapters say on every page, and what its readers look up most.
SURELY = """abstract value, batch tracer, bind, buffer, carry, closed jaxpr, cotangent, DCE,
donation, effect, fusion, gather, jaxpr, JVP, kernel, key, leak, linearize, lowering,
perturbation confusion, primal, pytree, residual, scan, tangent, trace, tracer, treedef,
ulp, weak type"""


def spelt(term: str) -> str:
    return term.replace("`", "").lower()


def test_every_line_is_a_term_or_its_letter():
    items = [line for line in LINES if line.startswith("-")]
    assert len(items) == len(ENTRIES) > 100
    letter = ""
    for line in LINES:
        if line.startswith("## "):
            assert line[3:] > letter
            letter = line[3:]
        elif match := ENTRY.fullmatch(line):
            assert spelt(match[1])[0].upper() == letter, line


def test_terms_are_in_order_and_occur_once():
    terms = [spelt(term) for term, *_ in ENTRIES]
    assert terms == sorted(set(terms))
    assert {spelt(term.strip()) for term in SURELY.replace("\n", " ").split(",")} <= set(terms)


def test_each_has_one_sentence():
    for term, sentence, *_ in ENTRIES:
        assert sentence.endswith("."), term
        assert not re.search(r"[.?!]\s", sentence), term
        assert len(sentence.split()) <= 40, term


@cache
def cells_of(file: str) -> list:
    return read_notebook(BOOK / file).cells


@cache
def anchors_of(file: str) -> set[str]:
    markdown = [cell.source for cell in cells_of(file) if cell.cell_type == "markdown"]
    return {anchor(words) for source in markdown for *_, words in headings(source)}


def test_each_links_to_a_heading_of_the_chapter_that_it_names():
    for term, _, label, file, fragment in ENTRIES:
        assert label == chapter_label(BOOK / file), term
        assert fragment is None or fragment in anchors_of(file), term


def test_each_is_a_word_of_its_chapter():
    for term, _, _, file, _ in ENTRIES:
        text = " ".join(cell.source for cell in cells_of(file)).lower()
        assert all(word in text for word in spelt(term).split()), (term, file)
