"""The front page: what stands in README.md alone, and the ways in."""

import re
import shutil
from pathlib import Path

import pytest

from nbfile import notebook_paths, read_notebook
from website.front_page import front_page
from website.sections import find_section, section

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"\]\((?!https?:)([^)#]+)")
PIECES = (  # test_readme.py runs the code, and compares what it prints and the picture
    "Twenty lines, and what they print",
    "The idea in one picture",
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


def test_it_opens_as_readme_does(text):
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert text.startswith(readme.partition("\n## ")[0])


def test_the_short_way_is_that_of_the_contents(text):
    summary = (ROOT / "notebooks" / "SUMMARY.md").read_text(encoding="utf-8")
    [labels] = re.findall(r"for an afternoon: ([\d, ]+)", summary)
    linked = LINK.findall(section(text, "For an afternoon", "the page"))
    assert [link[len("notebooks/") :][:2] for link in linked] == labels.split(", ")


def test_every_notebook_is_linked_in_its_part(text):
    parts = section(text, "All chapters", "the page").split("\n\n")
    assert [re.match(r"\*\*(\w+ ?\w*)", part)[1] for part in parts] == [
        "Part I", "Part II", "Part III", "Part IV", "Appendices",
    ]  # fmt: skip
    linked = [link.removeprefix("notebooks/") for link in LINK.findall("\n".join(parts))]
    assert linked == [path.name for path in notebook_paths(ROOT)][1:]  # the tour is in no part


def test_links_lead_somewhere(text):
    generated = {"notebooks/jax.md"}
    links = LINK.findall(text)
    assert [link for link in links if link not in generated and not (ROOT / link).exists()] == []


def test_there_is_a_way_in_for_each_reader(text):
    ways = section(text, "Three ways in", "the page")
    assert re.findall(r"^\*\*(.+?)\*\*", ways, re.M) == ["A learner", "A teacher", "An engineer"]


@pytest.fixture
def copy(tmp_path):
    (tmp_path / "notebooks").mkdir()
    for name in ("README.md", "notebooks/SUMMARY.md"):
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
