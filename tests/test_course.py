"""`python -m minijax.course`: what it unpacks, what it leaves alone, and what it refuses."""

import sys
import zipfile

import pytest

from minijax import course


@pytest.fixture
def archive(tmp_path, monkeypatch):
    """A course of two files, in the place of the one that a release brings."""
    file = tmp_path / "course.zip"
    with zipfile.ZipFile(file, "w") as written:
        written.writestr("START.md", "# Start here\n")
        written.writestr("notebooks/00-tour.ipynb", "{}")
    monkeypatch.setattr(course, "COURSE", file)
    monkeypatch.setattr(course, "version", lambda name: "1.0.0")
    monkeypatch.chdir(tmp_path)
    return file


def test_it_is_unpacked_beside_the_package(archive, tmp_path, capsys):
    assert course.main(["--only-unpack"]) == 0
    folder = tmp_path / "minijax-course"
    assert (folder / "notebooks" / "00-tour.ipynb").read_text() == "{}"
    assert (folder / "minijax" / "core" / "tracing.py").is_file()
    assert not list(folder.rglob("__pycache__"))
    assert "The book is in minijax-course" in capsys.readouterr().out
    assert course.main(["--only-unpack"]) == 0
    assert capsys.readouterr().out == ""


def test_another_release_renews_the_book_and_not_what_the_reader_wrote(archive, tmp_path):
    folder = tmp_path / "here"
    assert course.unpack(folder, "0.9.0")
    (folder / "work").mkdir()
    (folder / "work" / "00-tour.ipynb").write_text("mine")
    (folder / "START.md").write_text("old")
    assert course.unpack(folder, "1.0.0")
    assert (folder / "START.md").read_text() == "# Start here\n"
    assert (folder / "work" / "00-tour.ipynb").read_text() == "mine"
    assert not course.unpack(folder, "1.0.0")


def test_what_was_not_finished_is_unpacked_again(archive, tmp_path):
    folder = tmp_path / "here"
    folder.mkdir()
    (folder / course.RELEASE).write_text("")
    (folder / "START.md").write_text("ha")
    assert course.unpack(folder, "1.0.0")
    assert (folder / "START.md").read_text() == "# Start here\n"


def test_a_folder_with_something_else_is_left_alone(archive, tmp_path, capsys):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "START.md").write_text("thesis")
    assert course.main(["mine"]) == 1
    assert "mine is there already, and holds something else" in capsys.readouterr().err
    (tmp_path / "file").write_text("thesis")
    assert course.main(["file"]) == 1
    assert (tmp_path / "mine" / "START.md").read_text() == "thesis"


def test_a_checkout_says_how_it_opens_the_book(archive, capsys):
    archive.unlink()
    assert course.main([]) == 1
    assert "make learn opens the book" in capsys.readouterr().err


def test_without_jupyterlab_it_says_what_to_install(archive, monkeypatch, capsys):
    monkeypatch.setattr(course, "find_spec", lambda name: None)
    monkeypatch.setattr(sys, "path", list(sys.path))
    assert course.main([]) == 1
    assert "pip install 'minijax[course]'" in capsys.readouterr().err
