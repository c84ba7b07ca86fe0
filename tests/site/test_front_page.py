"""The front page: what stands in README.md alone, and the ways in."""

import html
import re
import shutil
from pathlib import Path

import pytest

from front_picture import PICTURE, draw, record
from nbfile import notebook_paths, read_notebook
from website.cards import card, read_cards
from website.front_page import front_page
from website.sections import find_section, section

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"\]\((?!https?:)([^)#]+)")
PIECES = (  # test_readme.py runs the code, and compares what it prints and the picture
    "What it is",
    "Twenty lines, and what they print",
    "The idea in one picture",
    "How it compares",
    "What was measured",
    "Questions, and where the answer stands",
    "What people ask",
)


@pytest.fixture(scope="module")
def text() -> str:
    return front_page(ROOT).text


def without_cells(text: str) -> str:
    """Returns `text` without the links from names to cells, which the page adds."""
    return re.sub(r"\[(`[^`]+`)\]\(notebooks/[^)]+-\d{3}\)", r"\1", text)


@pytest.mark.parametrize("heading", PIECES)
def test_a_piece_is_readmes_to_the_letter(text, heading):
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    here = without_cells(section(text, heading, "the page"))
    assert here == section(readme, heading, "README.md")
    template = ROOT / "tools" / "website" / "front_page.md"
    assert len(find_section(template.read_text(encoding="utf-8"), heading).split("\n")) == 1


def test_a_name_in_an_answer_leads_to_the_cell_that_defines_it(text):
    answers = section(text, "Questions, and where the answer stands", "the page")
    [(file, id)] = re.findall(r"\[`_scan_linearize`\]\(notebooks/([^)#]+)#([^)]+)\)", answers)
    [cell] = [cell for cell in read_notebook(ROOT / "notebooks" / file).cells if cell.id == id]
    assert "def _scan_linearize(" in cell.source
    assert len(re.findall(r"-\d{3}\)", answers)) > 30


def test_it_opens_with_readmes_sentence_the_picture_and_three_ways(text):
    first_screen, readme = text.partition("\n## ")[0], (ROOT / "README.md").read_text("utf-8")
    title, sentence, *_ = readme.split("\n\n")
    assert f"\n{title}\n\n{sentence}\n" in first_screen
    assert (ROOT / PICTURE).read_text(encoding="utf-8").strip() in first_screen
    buttons = re.findall(r"^- \[\*\*(\w+)\*\*", first_screen, re.M)
    assert buttons == re.findall(r"^\[\*\*(\w+)\*\*", readme.partition("\n## ")[0], re.M)
    assert len(buttons) == 3


def test_the_picture_is_of_a_real_run():
    """As `tools/front_picture.py` draws it."""
    assert (ROOT / PICTURE).read_text(encoding="utf-8") == draw(*record())


def test_what_was_measured_is_what_the_benchmarks_page_says(text):
    here = section(text, "What was measured", "the page")
    benchmarks = (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8")
    there = section(benchmarks, "What came out", "benchmarks/README.md")
    rows = re.findall(r"^\| .*\((.+)\) \| ([\d.]+) \| ([\d.]+) \|$", here, re.M)
    assert len(rows) > 9
    assert set(rows) <= set(re.findall(r"^\| ([\w, ]+) \| ([\d.]+) \| ([\d.]+) \|", there, re.M))


def test_the_short_way_is_that_of_the_contents(text):
    summary = (ROOT / "notebooks" / "SUMMARY.md").read_text(encoding="utf-8")
    [labels] = re.findall(r"for an afternoon: ([\d, ]+)", summary)
    linked = LINK.findall(section(text, "For an afternoon", "the page"))
    assert [link[len("notebooks/") :][:2] for link in linked] == labels.split(", ")


def test_every_notebook_has_a_card_in_its_part(text):
    parts = re.split(r"^### ", section(text, "All chapters", "the page"), flags=re.M)[1:]
    assert [part.partition("\n")[0].partition(":")[0] for part in parts] == [
        "Start here", "Part I", "Part II", "Part III", "Part IV", "Appendices",
    ]  # fmt: skip
    linked = re.findall(r"^\[.+\]\(notebooks/(.+\.ipynb)\)$", "\n".join(parts), re.M)
    assert linked == [path.name for path in notebook_paths(ROOT)]
    assert set(read_cards()) == {path.stem for path in notebook_paths(ROOT)}


def test_a_card_has_a_question_minutes_and_the_figure_that_the_table_names(text):
    cards = section(text, "All chapters", "the page").split('<div class="card">')[1:]
    assert len(cards) == len(read_cards())
    for card_text, said in zip(cards, read_cards().values(), strict=True):
        assert f"\n{said['question']}\n" in html.unescape(card_text)
        assert re.search(r'<p class="minutes">\d+ minutes</p>', card_text)
        figures = re.findall(r'!\[\]\(notebooks/images/card-|<svg class="small"', card_text)
        assert len(figures) == bool(said["picture"])


def test_a_card_whose_figure_is_not_there_is_named(monkeypatch):
    said = {"05-forward": {"question": "?", "picture": "05-forward-001"}}
    monkeypatch.setattr("website.cards.read_cards", lambda: said)
    with pytest.raises(ValueError, match=r"05-forward\.ipynb has no cell 05-forward-001 with a f"):
        card(ROOT, "05 Forward", "05-forward.ipynb")
    with pytest.raises(ValueError, match="has nothing of 06-batching.ipynb"):
        card(ROOT, "06 Batching", "06-batching.ipynb")


def test_links_lead_somewhere(text):
    generated = {"notebooks/jax.md"}
    links = LINK.findall(text)
    assert [link for link in links if link not in generated and not (ROOT / link).exists()] == []


def test_there_is_a_way_in_for_each_reader(text):
    ways = section(text, "For whom", "the page")
    assert re.findall(r"^\*\*(.+?)\*\*", ways, re.M) == ["A learner", "A teacher", "An engineer"]


@pytest.fixture
def copy(tmp_path):
    (tmp_path / "notebooks").mkdir()
    for name in ("README.md", "notebooks/SUMMARY.md", str(PICTURE)):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def test_a_heading_that_readme_has_lost_is_named(copy):
    edit(copy / "README.md", "## The idea in one picture", "## A picture")
    with pytest.raises(ValueError, match="README.md has no heading 'The idea in one picture'"):
        front_page(copy)


def test_a_short_way_that_is_not_there_is_named(copy):
    edit(copy / "notebooks" / "SUMMARY.md", "00, 01, 05", "00, 01, 77")
    with pytest.raises(ValueError, match="the short way names 77, no chapter here"):
        front_page(copy)
    edit(copy / "notebooks" / "SUMMARY.md", "The short way, for", "For")
    with pytest.raises(ValueError, match="SUMMARY.md has no line"):
        front_page(copy)
