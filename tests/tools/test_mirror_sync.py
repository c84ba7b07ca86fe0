"""`tools/mirror.py sync` on made-up trees: what a cell keeps, gains and loses."""

import pytest

from mirror_check import check_book
from mirror_sync import sync_book
from nbfile import authored_cells, read_notebook, write_notebook
from textform import print_text


@pytest.fixture
def tracing(tree):
    """The chapter of tracing.py, each code cell with an output."""
    path = tree.root / "notebooks" / "01-tracing.ipynb"
    notebook = read_notebook(path)
    for number, cell in enumerate(cell for cell in notebook.cells if cell.cell_type == "code"):
        cell.execution_count = number + 1
    write_notebook(path, notebook)
    return path


def sync(tree):
    messages, failures = sync_book(tree.root)
    assert failures == []
    assert check_book(tree.root) == []
    return "\n".join(messages)


def markers(tree, path):
    """The directives of a notebook's mirrored cells."""
    text = print_text(read_notebook(path), tree.root)
    return [line[12:] for line in text.split("\n") if line.startswith("# %% mirror")]


def counts(path):
    return [cell.get("execution_count") for cell in authored_cells(read_notebook(path))]


def test_a_book_that_holds_is_left_alone(tree, tracing):
    before = tracing.read_bytes()
    assert sync(tree) == ""
    assert tracing.read_bytes() == before


def test_a_changed_unit_changes_its_cell_and_clears_its_output(tree, tracing):
    tree.edit("minijax/core/tracing.py", "return 2 * x", "return x + x")
    told = sync(tree)
    assert "minijax/core/tracing.py:1: 01-tracing.ipynb cell 01-tracing-002 is rewritten" in told
    assert "01-tracing.ipynb: written" in told and "05-forward" not in told
    assert "return x + x" in authored_cells(read_notebook(tracing))[1].source
    assert counts(tracing) == [None, None, 2, 3, 4]


def test_a_new_unit_joins_the_one_before_it_and_is_reported(tree, tracing):
    tree.edit("minijax/core/tracing.py", "def thrice", "def fresh():\n    pass\n\n\ndef thrice")
    told = sync(tree)
    assert "minijax/core/tracing.py:11: fresh is new: put in 01-tracing.ipynb cell " in told
    assert "01-tracing-002, which does not explain it yet" in told
    assert markers(tree, tracing)[0] == "minijax/core/tracing.py HEADER twice fresh"


def test_a_new_unit_at_the_top_joins_the_first_cell(tree, tracing):
    tree.write("minijax/core/tracing.py", "import os\n" + tree.read("minijax/core/tracing.py"))
    assert "import:os is new" in sync(tree)
    first = authored_cells(read_notebook(tracing))[1]
    assert first.source.startswith("# minijax/core/tracing.py\nimport os")


def test_a_unit_that_left_the_file_leaves_its_cell(tree, tracing):
    tree.edit("minijax/core/tracing.py", "import math\n", "")
    sync(tree)
    assert "import math" not in authored_cells(read_notebook(tracing))[1].source


def test_a_cell_that_is_left_empty_is_removed(tree, tracing):
    tree.edit("minijax/core/tracing.py", "def thrice(x):\n    return 3 * x\n\n\n", "")
    assert "01-tracing-004 is removed" in sync(tree)
    assert len(markers(tree, tracing)) == 2


def test_a_renamed_unit_takes_over_the_cell(tree, tracing):
    tree.edit("minijax/core/tracing.py", "def thrice", "def triple")
    assert "triple is new: put in 01-tracing.ipynb cell 01-tracing-004" in sync(tree)
    assert markers(tree, tracing)[1] == "minijax/core/tracing.py triple"


def test_a_moved_unit_follows_the_file(tree, tracing):
    text = tree.read("minijax/core/tracing.py")
    moved = text.replace("def thrice(x):\n    return 3 * x\n\n\n", "")
    tree.write("minijax/core/tracing.py", moved + "\n\ndef thrice(x):\n    return 3 * x\n")
    told = sync(tree)
    assert "thrice has another place: moved from 01-tracing.ipynb cell 01-tracing-004" in told
    assert markers(tree, tracing)[-1].endswith('rules..thrice')


def test_a_file_without_a_cell_is_a_failure(tree):
    tree.write("minijax/core/reverse.py", "def vjp():\n    pass\n")
    assert sync_book(tree.root) == (
        [],
        [
            "minijax/core/reverse.py: in no chapter: write a cell that starts with "
            "'# minijax/core/reverse.py' for its 1 units: vjp"
        ],
    )


def test_a_cell_that_does_not_parse_is_left_alone(tree, tracing):
    notebook = read_notebook(tracing)
    authored_cells(notebook)[1].source += "\ndef"
    write_notebook(tracing, notebook)
    before = tracing.read_bytes()
    messages, failures = sync_book(tree.root)
    assert messages == []
    assert "01-tracing.ipynb cell 01-tracing-002, line 9: does not parse" in failures[0]
    assert tracing.read_bytes() == before


def test_an_appendix_is_synced_as_a_chapter_is(tree):
    tree.write("minijax/core/errors.py", "def stop():\n    pass\n")
    path = tree.chapter("A-errors", "# %% mirror minijax/core/errors.py ..")
    tree.edit("minijax/core/errors.py", "pass", "return 1")
    assert "minijax/core/errors.py:1: A-errors.ipynb cell A-errors-001 is rewritten" in sync(tree)
    assert "return 1" in authored_cells(read_notebook(path))[0].source


def test_cells_of_a_file_that_is_gone_are_removed(tree):
    (tree.root / "minijax/core/forward.py").unlink()
    assert "minijax/core/forward.py: 05-forward.ipynb cell 05-forward-001 is removed" in sync(tree)
    assert len(read_notebook(tree.root / "notebooks/05-forward.ipynb").cells) == 1
