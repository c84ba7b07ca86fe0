"""The rule for slides: each figure has one, and what is said is on a slide or in the notes."""

import re

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from contents import read_entries
from nbfile import ROOT, read_notebook
from reading_time import count_figures
from slides import slides_page
from website.cards import read_cards
from website.slide_cells import CAPTION_WORDS, OPENING_WORDS, blocks, choose_slides, last_sentences

ENTRIES = read_entries(ROOT)
each_chapter = pytest.mark.parametrize("title, file", ENTRIES)


def diagram(source, *outputs):
    return new_code_cell(source, outputs=[new_output("display_data", data={kind: "x"})
                                          for kind in outputs])  # fmt: skip


@each_chapter
def test_each_figure_has_a_slide_and_no_prose_is_lost(title, file):
    notebook = read_notebook(ROOT / "notebooks" / file)
    first, *slides = choose_slides(notebook, read_cards()[file[:-6]]["question"])
    story = list(blocks(notebook))
    assert first.kind == "title" and first.words.startswith(f"{story[0]}\n")
    assert story[0].startswith(f"# {title.partition(':')[0][:2]}")
    figures = [slide.figure for slide in slides if slide.kind == "figure"]
    assert len(figures) == sum(not isinstance(block, str) for block in story)
    assert len(figures) == sum(map(count_figures, notebook.cells))
    said = "\n\n".join(text for slide in [first, *slides] for text in [slide.words, *slide.notes])
    assert all(block in said for block in story if isinstance(block, str) and block[0] != "#")


@pytest.fixture
def chapter():
    cells = [
        "# 05 Forward: derivatives\n\nA question. **How?**", "## One\n\nFirst. Look at [it](a.md):",
        diagram("show(f)", "text/vnd.mermaid", "image/png"), "It is so.\n\n### Two\n\nAnd then.",
        "```mermaid\nflowchart LR\n```\n\nAt the end.\n\n## Where this lives in JAX\n\nThere.",
    ]  # fmt: skip
    return new_notebook(cells=[cell if isinstance(cell, nbformat.NotebookNode)
                               else new_markdown_cell(cell) for cell in cells])  # fmt: skip


def test_what_stands_on_a_slide_and_what_is_said_to_it(chapter):
    found = [(s.kind, s.words, s.notes) for s in choose_slides(chapter, "Why?")]
    assert found == [
        ("title", "# 05 Forward: derivatives\n\nWhy?", []),
        ("opening", "## 05 Forward\n\nA question. **How?**", []),
        ("figure", "## One\n\nFirst. Look at it:", ["**One**", "First. Look at it:"]),
        ("figure", "## One", ["It is so."]),
        ("figure", "## Two\n\nAnd then.", ["**Two**", "And then.", "At the end."]),
    ]


def test_code_stands_beside_a_diagram_where_it_is_short(chapter):
    figures = [s.figure for s in choose_slides(chapter, "Why?") if s.figure]
    assert [figure.source for figure in figures] == ["show(f)", "", ""]
    chapter.cells[2].source = "x" * 80
    assert not any(s.figure.source for s in choose_slides(chapter, "Why?") if s.figure)


def test_an_opening_has_as_many_paragraphs_as_there_is_room_for(chapter):
    long = "word " * (OPENING_WORDS - 10)
    chapter.cells[0].source = f"# T\n\n{long}\n\nTwenty more {long}\n\nEnd."
    opening = choose_slides(chapter, "Why?")[1]
    assert opening.words.endswith(long.strip()) or opening.words.endswith(long)
    assert opening.notes[-1] == "End." and len(opening.notes) == 2


def test_what_introduces_a_figure_stands_on_its_slide(chapter):
    chapter.cells[0].source = "# T\n\nA question.\n\nHere it is:\n\n```mermaid\nflowchart\n```"
    _, opening, figure, *_ = choose_slides(chapter, "Why?")
    assert (opening.words, figure.words) == ("## T\n\nA question.", "## T\n\nHere it is:")


def test_a_caption_is_the_end_of_a_paragraph():
    assert last_sentences(f"{'Too long. ' * CAPTION_WORDS}Here it is:").endswith(" Here it is:")
    assert len(last_sentences("Too long. " * CAPTION_WORDS).split()) <= CAPTION_WORDS
    assert last_sentences("word " * (CAPTION_WORDS + 1)) == ""


def test_a_page_asks_nothing_of_the_network():
    title, file = ENTRIES[5]
    path = ROOT / "notebooks" / file
    page = slides_page(path, title)
    assert page.count("<section ") == len(choose_slides(read_notebook(path), ""))
    assert page.count('<aside class="notes">') > 3
    assert not re.findall(r'(?:src|href)="(?:https?:)?//', page)
