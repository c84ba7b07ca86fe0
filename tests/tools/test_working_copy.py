"""`tools/working_copy.py`: what counts as changed, what is renewed, and what is left alone."""

import json
import re
import shutil

import pytest

from jupyterlab_save import save_as_jupyterlab
from nbfile import read_notebook
from working_copy import RECORD, main, prepare, renew


@pytest.fixture
def root(tree):
    """A made-up book: three notebooks, a module and data, and what tools leave beside them."""
    tree.write("notebooks/pictures.py", "picture = 1\n")
    tree.write("notebooks/data/digits.csv", "1,2\n")
    tree.write("exercises/ch05_forward/tasks.toml", "")
    tree.write("exercises/ch05_forward/questions.py", "")
    tree.write("exercises/ch05_forward/exercise.py", STUB)
    tree.write("exercises/ch05_forward/README.md", STATEMENT)
    for name in ("images/a.svg", "__pycache__/b.pyc", ".ipynb_checkpoints/00-tour.ipynb"):
        tree.write(f"notebooks/{name}", "made by a tool")
    assert "work/ is your own copy" in prepare(tree.root)
    return tree.root


COPIED = ["00-tour.ipynb", "01-tracing.ipynb", "05-forward.ipynb", "data/digits.csv", "pictures.py"]
EXERCISES = ["exercises/ch05_forward/README.md", "exercises/ch05_forward/exercise.py"]
STUB = "def f():\n    raise NotImplementedError\n"
STATEMENT = """[05](../../notebooks/05-forward.ipynb), [its file](../../minijax/core/forward.py)
and [yours](exercise.py)"""


def work_files(root):
    files = [path.relative_to(root / "work") for path in (root / "work").rglob("*.*")]
    return sorted(file.as_posix() for file in files if (root / "work" / file).is_file())


def is_fresh(root, name):
    return (root / "work" / name).read_bytes() == (root / "notebooks" / name).read_bytes()


def edit_cells(path, edit):
    notebook = json.loads(path.read_text())
    edit(notebook["cells"])
    path.write_text(json.dumps(notebook, indent=1))


def write_in(number, text):
    def edit(cells):
        cells[number]["source"] = [text]

    return edit


def move_the_book_on(root):
    edit_cells(root / "notebooks/01-tracing.ipynb", write_in(0, "# Tracing, better told"))
    edit_cells(root / "notebooks/05-forward.ipynb", write_in(1, "forward(2)"))


def test_the_copy_has_what_chapters_need_and_nothing_else(root):
    assert work_files(root) == sorted([*COPIED, *EXERCISES, RECORD])
    assert all(is_fresh(root, name) for name in COPIED)


def test_nothing_is_said_where_nothing_happened(root):
    assert prepare(root) == ""
    assert renew(root) == "Renewed in work/: nothing."


# What counts as a change by the reader.


def test_opening_running_and_saving_is_no_change(root):
    save_as_jupyterlab(root / "work/05-forward.ipynb")
    assert prepare(root) == ""
    assert not is_fresh(root, "05-forward.ipynb")
    assert renew(root) == "Renewed in work/: 05-forward.ipynb."
    assert is_fresh(root, "05-forward.ipynb")


def add_a_cell(cells):
    cells.insert(1, {**cells[1], "id": "mine", "source": ["1 + 1"]})


def delete_a_cell(cells):
    del cells[1]


def swap_cells(cells):
    cells.reverse()


def turn_code_into_text(cells):
    cells[1] = {"cell_type": "markdown", "id": "t", "metadata": {}, "source": cells[1]["source"]}


CHANGES = [write_in(1, "forward(3)"), add_a_cell, delete_a_cell, swap_cells, turn_code_into_text]


@pytest.mark.parametrize("change", CHANGES)
def test_what_the_reader_changed_is_never_overwritten(change, root):
    mine = root / "work/05-forward.ipynb"
    edit_cells(mine, change)
    before = mine.read_bytes()
    for _ in range(2):
        move_the_book_on(root)
        assert "What you have changed is left alone: 05-forward.ipynb." in renew(root)
        prepare(root)
    assert mine.read_bytes() == before


def test_other_files_are_changed_when_their_bytes_are(root):
    (root / "work/pictures.py").write_text("picture = 2\n")
    assert "What you have changed is left alone: pictures.py." in renew(root)
    assert (root / "work/pictures.py").read_text() == "picture = 2\n"


@pytest.mark.parametrize("text", ["no JSON", "[]", "{}", '{"cells": [1]}', '{"cells": 1}'])
def test_a_broken_notebook_is_the_readers_too(text, root):
    (root / "work/00-tour.ipynb").write_text(text)
    assert "00-tour.ipynb" in renew(root)
    assert (root / "work/00-tour.ipynb").read_text() == text


def test_the_readers_own_files_are_never_touched(root):
    (root / "work/notes.ipynb").write_text("mine")
    renew(root)
    assert (root / "work/notes.ipynb").read_text() == "mine"


# When the book has moved on.


def test_it_says_so_in_a_sentence_that_names_learn_fresh(root):
    move_the_book_on(root)
    said = prepare(root)
    assert said == (
        "The book has moved on since work/ was made (01-tracing.ipynb, 05-forward.ipynb): "
        "`make learn-fresh` renews what you have not changed."
    )
    assert prepare(root) == said  # and changes nothing
    assert not is_fresh(root, "01-tracing.ipynb")


def test_what_was_left_alone_is_not_told_again_until_the_book_changes_again(root):
    edit_cells(root / "work/05-forward.ipynb", write_in(1, "forward(3)"))
    move_the_book_on(root)
    assert renew(root).startswith("Renewed in work/: 01-tracing.ipynb. What you have changed is")
    assert prepare(root) == ""
    edit_cells(root / "notebooks/05-forward.ipynb", write_in(1, "forward(4)"))
    assert "(05-forward.ipynb)" in prepare(root)


def test_the_same_change_in_the_book_is_none(root):
    edit_cells(root / "work/05-forward.ipynb", write_in(1, "forward(2)"))
    move_the_book_on(root)
    assert renew(root) == "Renewed in work/: 01-tracing.ipynb."  # and nothing is left alone
    assert prepare(root) == ""


def test_a_new_chapter_is_added(root):
    text = (root / "notebooks/05-forward.ipynb").read_text()
    (root / "notebooks/06-new.ipynb").write_text(text)
    assert prepare(root) == ""
    assert is_fresh(root, "06-new.ipynb")


def test_a_chapter_that_the_reader_deleted_or_renamed_comes_back(root):
    edit_cells(root / "work/05-forward.ipynb", write_in(1, "forward(3)"))
    (root / "work/05-forward.ipynb").rename(root / "work/mine.ipynb")
    prepare(root)
    assert is_fresh(root, "05-forward.ipynb") and (root / "work/mine.ipynb").exists()


def test_a_chapter_that_left_the_book_leaves_work_unless_changed(root):
    (root / "notebooks/01-tracing.ipynb").unlink()
    (root / "notebooks/05-forward.ipynb").unlink()
    edit_cells(root / "work/05-forward.ipynb", write_in(1, "forward(3)"))
    assert "(01-tracing.ipynb, 05-forward.ipynb)" in prepare(root)
    said = renew(root)
    assert "Renewed in work/: 01-tracing.ipynb." in said and "05-forward.ipynb" in said
    assert not (root / "work/01-tracing.ipynb").exists()
    assert (root / "work/05-forward.ipynb").exists()
    assert prepare(root) == ""


# The exercises.


def test_links_between_chapters_and_exercises_stay_in_the_copy(root):
    link = "[Exercises](../exercises/ch05_forward/README.md)"
    edit_cells(root / "notebooks/05-forward.ipynb", write_in(0, link))
    renew(root)
    cells = read_notebook(root / "work/05-forward.ipynb").cells
    assert cells[0].source == "[Exercises](exercises/ch05_forward/README.md)"
    statement = root / "work/exercises/ch05_forward/README.md"
    links = re.findall(r"\((.*?)\)", statement.read_text())
    assert [(statement.parent / link).resolve() for link in links] == [
        root / "work/05-forward.ipynb",
        root / "minijax/core/forward.py",
        statement.parent / "exercise.py",
    ]
    assert prepare(root) == "" and renew(root) == "Renewed in work/: nothing."


def test_a_solution_is_never_overwritten(root):
    mine = root / "work/exercises/ch05_forward/exercise.py"
    mine.write_text("def f():\n    return 1\n")
    (root / "exercises/ch05_forward/exercise.py").write_text(STUB + "# moved on\n")
    assert "(exercises/ch05_forward/exercise.py)" in prepare(root)
    assert "left alone: exercises/ch05_forward/exercise.py." in renew(root)
    assert mine.read_text() == "def f():\n    return 1\n"


def test_a_copy_that_was_made_before_the_exercises_gets_them(root):
    shutil.rmtree(root / "work/exercises")
    assert prepare(root) == ""
    assert (root / "work/exercises/ch05_forward/exercise.py").read_text() == STUB


def test_without_its_record_it_still_knows_a_change(root):
    (root / "work" / RECORD).unlink()
    edit_cells(root / "work/05-forward.ipynb", write_in(1, "forward(3)"))
    save_as_jupyterlab(root / "work/01-tracing.ipynb")
    said = renew(root)
    assert said.startswith("Renewed in work/: 01-tracing.ipynb. What you have changed is")
    assert "forward(3)" in read_notebook(root / "work/05-forward.ipynb").cells[1].source


def test_the_command(root, capsys):
    assert main([], root) == 0 and capsys.readouterr().out == ""
    assert main(["--fresh"], root) == 0 and "nothing." in capsys.readouterr().out
