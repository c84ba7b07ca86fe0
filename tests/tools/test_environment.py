"""`tools/environment.py`: what it makes, mends and leaves alone, and what it says."""

import ast
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

import environment
from environment import main, make, prepare, read_version

ROOT = Path(__file__).resolve().parent.parent.parent
SOURCE = (ROOT / "tools" / "environment.py").read_text(encoding="utf-8")


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A repository with nothing but the files that name what to install."""
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    (tmp_path / "constraints.txt").write_text("numpy==2\n")
    monkeypatch.setattr(environment, "ROOT", tmp_path)
    return tmp_path


@pytest.fixture
def calls(monkeypatch):
    """The commands, without their program, that would have run; they only make the folder."""
    seen = []

    def call(command, **options):
        seen.append(" ".join(command[1:]))
        if "venv" in command:
            Path(command[-1]).mkdir(exist_ok=True)
        return 0

    monkeypatch.setattr(subprocess, "call", call)
    return seen


def without_pip(folder):
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    return folder


def with_a_broken_link(folder):
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "python").symlink_to("/nowhere/python3")
    return folder


# The Python.


def test_the_oldest_python_is_the_packages():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["requires-python"] == f">={environment.spell(environment.NEEDED)}"


def test_an_old_python_can_load_the_file():
    tree = ast.parse(SOURCE, feature_version=(3, 6))
    notes = [node.annotation for node in ast.walk(tree) if isinstance(node, ast.arg)]
    notes += [node.returns for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    assert {type(note) for note in notes} <= {ast.Name, ast.Constant, type(None)}


def test_an_old_python_is_told_so_before_anything_is_made(root, calls, monkeypatch, capsys):
    monkeypatch.setattr(environment, "NEEDED", (99, 1))
    assert main([".venv", "course"]) == 1
    said = capsys.readouterr().err
    assert "needs Python 99.1 or newer" in said and f"{sys.executable} is Python 3." in said
    assert "make learn PYTHON=python3.12" in said
    assert calls == [] and not (root / ".venv").exists()


def test_a_python_that_makes_no_environments_says_what_to_install(root, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "ensurepip", None)
    assert main([".venv", "course"]) == 1
    assert f"apt install python3.{sys.version_info[1]}-venv" in capsys.readouterr().err
    assert not (root / ".venv").exists()


def test_an_old_python3_is_no_matter_where_the_environment_runs(root, calls, monkeypatch):
    monkeypatch.setattr(environment, "read_version", lambda _: (99, 2))
    monkeypatch.setattr(environment, "NEEDED", (99, 1))
    (root / ".venv").mkdir()
    assert main([".venv", "course"]) == 0
    assert [call.partition(" install")[0] for call in calls] == ["-m pip"]


# What is wrong with an environment.


def test_this_environment_runs(tmp_path):
    assert read_version(Path(sys.prefix)) == sys.version_info[:2]


@pytest.mark.parametrize("spoil", [without_pip, with_a_broken_link, lambda folder: folder])
def test_one_without_pip_or_python_does_not(spoil, tmp_path):
    assert read_version(spoil(tmp_path / ".venv")) is None


@pytest.mark.parametrize("spoil", [without_pip, with_a_broken_link])
def test_such_a_one_is_made_anew(spoil, root, calls, capsys):
    prepare(spoil(root / ".venv"), "course")
    assert calls[0] == f"-m venv --clear {root / '.venv'}"
    assert calls[1].endswith("install -q -c constraints.txt -e .[course]")
    assert ".venv/ lacks pip or a Python that can run the book" in capsys.readouterr().out


def test_one_with_an_old_python_is_made_anew(root, calls, monkeypatch):
    (root / ".venv").mkdir()
    monkeypatch.setattr(environment, "read_version", lambda _: (3, 10))
    prepare(root / ".venv", "course")
    assert calls[0].startswith("-m venv --clear")


def test_a_link_is_replaced_and_where_it_led_is_left_alone(root, calls):
    elsewhere = with_a_broken_link(root / "elsewhere")
    (root / ".venv").symlink_to(elsewhere)
    make(root / ".venv")
    assert not (root / ".venv").is_symlink()
    assert (elsewhere / "bin" / "python").is_symlink()


@pytest.mark.prove
def test_what_is_made_runs_and_has_pip(root):
    make(with_a_broken_link(root / ".venv"))
    assert read_version(root / ".venv") == sys.version_info[:2]


# What is installed.


@pytest.fixture
def healthy(root, calls, monkeypatch):
    """An environment that runs, with nothing installed."""
    (root / ".venv").mkdir()
    monkeypatch.setattr(environment, "read_version", lambda _: (3, 12))
    return root / ".venv"


def test_it_installs_once_and_says_so(healthy, calls, capsys):
    prepare(healthy, "course")
    assert "Installing JupyterLab, NumPy" in capsys.readouterr().out
    prepare(healthy, "course")
    assert len(calls) == 1 and capsys.readouterr().out == ""


def test_what_tests_need_includes_what_reading_needs(healthy, calls):
    prepare(healthy, "test")
    prepare(healthy, "course")
    assert len(calls) == 1


def test_what_reading_needs_is_not_enough_for_tests(healthy, calls):
    prepare(healthy, "course")
    prepare(healthy, "test")
    assert len(calls) == 2


@pytest.mark.parametrize("file", ["pyproject.toml", "constraints.txt"])
def test_it_installs_again_when_what_to_install_changes(file, root, healthy, calls):
    prepare(healthy, "course")
    (root / file).write_text("other\n")
    prepare(healthy, "course")
    assert len(calls) == 2


def test_it_installs_again_under_another_python(healthy, calls, monkeypatch):
    prepare(healthy, "course")
    monkeypatch.setattr(environment, "read_version", lambda _: (3, 13))
    prepare(healthy, "course")
    assert len(calls) == 2


def test_a_failed_install_is_told_and_tried_again(healthy, monkeypatch, capsys):
    monkeypatch.setattr(subprocess, "call", lambda *command, **options: 1)
    assert main([".venv", "course"]) == 1
    assert "give the command again" in capsys.readouterr().err
    assert list(healthy.iterdir()) == []


def test_every_extra_is_the_packages():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = set(project["optional-dependencies"])
    assert set(environment.BRINGS) == set(environment.INCLUDED_IN) == extras
    assert "minijax[course]" in project["optional-dependencies"]["test"]


def test_what_is_pinned_runs_on_the_oldest_python():
    """Debian 12 has Python 3.11.2: a pin that asks for 3.11.5 locks its users out."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").split("\n")
    pins = dict(line.split("==") for line in lines if "==" in line)
    oldest = environment.spell((*environment.NEEDED, 0))
    installed = {dist.name: dist for dist in metadata.distributions()}
    here = [dist for name, dist in installed.items() if pins.get(name) == dist.version]
    asks = {dist.name: dist.metadata["Requires-Python"] or "" for dist in here}
    assert len(asks) > 80
    assert {name for name, ask in asks.items() if oldest not in SpecifierSet(ask)} == set()
