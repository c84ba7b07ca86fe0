"""Reading the book breaks nothing: it happens in work/, which no check looks into."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from jupyterlab_save import save_as_jupyterlab
from nbfile import notebook_paths, read_notebook
from working_copy import prepare, renew

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"\]\((?!\w+:)([\w./-]+)")


@pytest.fixture
def root(tmp_path):
    """This repository, with a copy of its notebooks/ and a work/ of its own."""
    for path in ROOT.iterdir():
        if path.name not in ("notebooks", "work") and not path.name.startswith("."):
            (tmp_path / path.name).symlink_to(path)
    left_by_tools = shutil.ignore_patterns(".*", "__pycache__", "images")
    shutil.copytree(ROOT / "notebooks", tmp_path / "notebooks", ignore=left_by_tools)
    prepare(tmp_path)
    return tmp_path


def read_all(folder):
    """Returns the bytes of each file below `folder` that the tests read."""
    paths = [path for path in folder.rglob("*") if path.is_file()]
    return {path: path.read_bytes() for path in paths if "__pycache__" not in path.parts}


def test_chapters_that_are_run_and_saved_in_work_leave_the_book_as_it_was(root):
    before, copied = read_all(root / "notebooks"), read_all(root / "work")
    for path in notebook_paths(root):
        save_as_jupyterlab(root / "work" / path.name)
    assert read_all(root / "notebooks") == before
    assert prepare(root) == ""
    assert "left alone" not in renew(root)
    for path in notebook_paths(root):
        work = root / "work" / path.name
        assert work.read_bytes() == copied[work]


@pytest.mark.prove
@pytest.mark.parametrize("name", ["00-tour.ipynb", "C-printing.ipynb"])
def test_a_chapter_runs_in_work_as_in_the_book(root, name):
    """00 reads data/, and both draw with pictures.py or print programs."""
    before = read_all(root / "notebooks")
    path = root / "work" / name
    notebook = nbformat.read(path, as_version=4)
    resources = {"metadata": {"path": str(path.parent)}}
    NotebookClient(notebook, timeout=120, kernel_name="python3", resources=resources).execute()
    nbformat.write(notebook, path)
    assert read_all(root / "notebooks") == before
    assert prepare(root) == ""


def test_links_lead_from_work_to_where_they_lead_from_the_book(root):
    found = []
    for path in [*notebook_paths(root), root / "notebooks" / "SUMMARY.md"]:
        text = path.read_text(encoding="utf-8") if path.suffix == ".md" else "\n".join(
            cell.source for cell in read_notebook(path).cells if cell.cell_type == "markdown"
        )
        links = [link for link in LINK.findall(text) if (path.parent / link).exists()]
        assert [link for link in links if not (root / "work" / link).exists()] == [], path.name
        found += links
    assert len(found) > 20


@pytest.mark.prove
def test_no_check_looks_into_work(tmp_path):
    """Neither where the checks are told where to look, nor where they look everywhere."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    notebook = json.dumps(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1 / 0")]))
    for folder in ("notebooks", "work"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "00-tour.ipynb").write_text(notebook)
        (tmp_path / folder / "test_it.py").write_text("def test_it():\n    pass\n")
    said = [
        subprocess.run([sys.executable, "-m", *command], cwd=tmp_path, capture_output=True,
                       text=True, timeout=120).stdout
        for command in (
            ["pytest", "--collect-only", "-q", "--nbval", "-p", "no:cacheprovider", "."],
            ["ruff", "check", "--show-files"],
        )
    ]  # fmt: skip
    assert all("test_it.py" in text for text in said)
    assert "00-tour.ipynb" in said[0]
    assert not any("work/" in text for text in said)
    assert [path.parent.name for path in notebook_paths(tmp_path)] == ["notebooks"]


def test_git_ignores_work():
    assert "/work/" in (ROOT / ".gitignore").read_text(encoding="utf-8").split("\n")
