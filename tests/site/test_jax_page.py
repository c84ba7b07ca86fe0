"""The table of where things live in JAX: every chapter's rows, with files named from one folder."""

import re
from pathlib import Path

import pytest

from contents import read_entries
from nbfile import read_notebook
from website.jax_page import from_source, jax_page, parse_section, read_section

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| \[[^\]]+\]\(([\w-]+\.ipynb)#[^)]+\) \| .+ \| .+ \|$", re.MULTILINE)
CELL_LINK = re.compile(r"\[(`[^`]+`)\]\([\w-]+\.ipynb#[\w-]+-\d{3}\)")
FILES = [file for _, file in read_entries(ROOT)]


@pytest.fixture(scope="module")
def text() -> str:
    return jax_page(ROOT).text


@pytest.mark.parametrize("file", FILES)
def test_every_row_of_a_chapter_is_there(text, file):
    said = read_section(ROOT / "notebooks" / file)
    assert said is not None
    assert ROW.findall(text).count(file) == max(len(said.rows), 1)
    plain = CELL_LINK.sub(r"\1", text)
    assert all(f"| {here} |" in plain for here, _ in said.rows)


def test_a_name_leads_to_the_cell_of_its_chapter(text):
    [(file, id)] = re.findall(r"\[`_scan_transpose`\]\(([^)#]+)#([^)]+)\)", text)
    [cell] = [cell for cell in read_notebook(ROOT / "notebooks" / file).cells if cell.id == id]
    assert "def _scan_transpose(" in cell.source
    assert len(CELL_LINK.findall(text)) > 200


def test_no_chapter_is_without_a_row(text):
    found = {file[:2] for file in ROW.findall(text)}
    assert {f"{number:02d}" for number in range(22)} <= found
    assert len(ROW.findall(text)) > 200


def test_it_is_one_table_that_can_be_searched(text):
    table = text.partition('<div class="searchable">\n\n')[2].partition("\n\n</div>")[0]
    lines = table.split("\n")
    assert len(lines) == len(ROW.findall(table)) + 2
    assert all(line.count(" | ") == 2 for line in lines if "---" not in line)


def test_files_are_named_from_one_folder(text):
    # Chapter 20 leaves out the folder, appendix G says it in full.
    assert "`lax/control_flow/conditionals.py`: `cond_p`" in text
    assert "`lax/control_flow/loops.py`, `_scan_impl`" in text
    assert "`random/threefry2x32.py`: `threefry_seed`" in text
    assert re.findall(r"`jax/_src/[^`]*\.py`", text) == []


def test_paths_elsewhere_stay():
    assert from_source("`jaxlib/pjit.cc`; `jax/interpreters/ad.py`", "lax") == (
        "`jaxlib/pjit.cc`; `jax/interpreters/ad.py`"
    )


def test_a_section_of_sentences_is_a_row():
    said = parse_section("XLA keeps them.\n\nThere are `jax/_src/core.py` and\nothers.", "x.ipynb")
    assert said.rows == [] and said.prose == ["XLA keeps them.", "There are `core.py` and others."]


def test_a_table_of_another_kind_stands_below_with_its_sentence(text):
    assert "\n\n## More in 01 Tracing\n\n" in text
    said = parse_section("Once:\n\n| then | now |\n|---|---|\n| a | b |", "x.ipynb")
    assert said.others == ["Once:\n\n| then | now |\n|---|---|\n| a | b |"]


def test_a_row_with_a_cell_too_many_is_named():
    with pytest.raises(ValueError, match="x.ipynb: the table under 'Where this lives in JAX' has"):
        parse_section("| here | there |\n|---|---|\n| a | b | c |", "x.ipynb")
