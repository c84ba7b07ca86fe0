"""The students' copy: the book, the package and the exercises, without what is the teacher's.

It has the modules of the students' commands and what these import, and nothing of teacher/. Before
it is handed over it is searched for what must not be in it. With a roster each student gets a zip
of it, with a seed that the teacher's secret and the student's name make.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import shutil
import tomllib
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

from exercises.__main__ import STUDENTS
from exercises.classroom import Secret, read_roster, read_secret
from exercises.home import OWN_SEED
from exercises.overlay import HERE, ROOT
from exercises.stubs import stubs
from exercises.tasks import Chapter, Fault, find_chapters, teachers

NAME = "minijax-exercises"
WHOLE = ("minijax", "notebooks", "tools", "LICENSE", "README.md", "constraints.txt",
         "pyproject.toml")  # fmt: skip
TESTS = ("core", "conftest.py", "derivatives.py", "numerics.py")  # what `assemble` runs, and uses
SCRIPTS = ("child", "confine", "fresh")  # run by name, not imported
OF_A_CHAPTER = ("README.md", "tasks.toml", "questions.py", "expected.json", "explore.ipynb")
LEFT_OUT = shutil.ignore_patterns(
    "__pycache__", ".*", "*.egg-info", "*.pyc", "images", OWN_SEED, "work"
)
START = """# Start here

You need Python 3.11 or later, and make. Then, in this folder:

```sh
make learn               # the first time, this installs what it needs; it opens the book
make check CHAPTER=ch05  # checks what you wrote in exercises/ch05_forward/exercise.py
make progress            # the way so far
```

`exercises/chNN_.../README.md` says what is asked, and `exercise.py` beside it is where you write.
`python -m exercises --help`, with the Python of `.venv`, names the other commands. Hand in your
folders `chNN_...` with their `exercise.py`, or a zip of them; leave the names as they are.

Root adds `JUPYTER_FLAGS=--allow-root`. Where `python3` is older: `make learn PYTHON=python3.12`
"""
MAKEFILE = """PYTHON ?= python3
CHAPTER ?=
VENV := .venv

.PHONY: learn check questions progress env

learn: env
\t@$(VENV)/bin/python tools/learn.py $(JUPYTER_FLAGS)

check questions: env
\t@$(VENV)/bin/python -m exercises $@ $(CHAPTER)

progress: env
\t@$(VENV)/bin/python -m exercises progress

env:
\t@$(PYTHON) tools/environment.py $(VENV) course
"""


# What goes in.


def modules_of(names: Iterable[str]) -> set[str]:
    """The modules of these names, and those of exercises/ that they import."""
    found: set[str] = set()
    waiting = [name for name in names if find_spec(f"exercises.{name}")]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += imported((HERE / f"{name}.py").read_text(encoding="utf-8"))
    return found


def imported(text: str) -> Iterator[str]:
    """The modules of exercises/ that a text imports."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.module:
            if node.module == "exercises":
                yield from (alias.name for alias in node.names)
            elif node.module.startswith("exercises."):
                yield node.module.split(".")[1]


def copy(out: Path, chapters: Sequence[Chapter]) -> None:
    """Writes the copy into a folder that is not there yet."""
    out.mkdir(parents=True)
    for name in (*WHOLE, *(f"tests/{name}" for name in TESTS)):
        put(ROOT / name, out / name)
    (out / "exercises").mkdir()
    for name in ("__init__", *modules_of(["__main__", *STUDENTS, *SCRIPTS])):
        put(HERE / f"{name}.py", out / "exercises" / f"{name}.py")
    for chapter in chapters:
        for name in OF_A_CHAPTER:
            if (chapter.folder / name).exists():
                put(chapter.folder / name, out / "exercises" / chapter.folder.name / name)
        text = stubs(chapter)  # not the file: somebody may have tried things in it
        (out / "exercises" / chapter.folder.name / "exercise.py").write_text(text, "utf-8")
    (out / "START.md").write_text(START, encoding="utf-8")
    (out / "Makefile").write_text(MAKEFILE, encoding="utf-8")


def put(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, ignore=LEFT_OUT)
    elif source.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)


# What must not be in it.


def kept_back(chapter: Chapter) -> Iterator[str]:
    """Texts that are the teacher's: names and cases of what is hidden, lines of solutions."""
    for task in chapter.tasks:
        yield task.misconception
        for each in task.hidden:
            yield from (each.name, *each.cases, *each.setup.splitlines())
    home = teachers(chapter.folder)
    for file in [*home.glob("*.py"), *home.glob("wrong/*.py")]:
        for line in file.read_text(encoding="utf-8").splitlines():
            if not re.match(r"\s*(#|import |from |def |class |@|return \w+$|\"\"\")", line):
                yield line.strip()


def published(chapter: Chapter) -> str:
    """What a chapter tells everybody: its statements, and the package."""
    told = tomllib.loads((chapter.folder / "tasks.toml").read_text(encoding="utf-8"))
    files = sorted((ROOT / "minijax").rglob("*.py"))
    return "\n".join([*texts(told), *(file.read_text(encoding="utf-8") for file in files)])


def texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from texts(each)


def leaks(out: Path, chapters: Sequence[Chapter], secret: Secret) -> list[str]:
    """What of the teacher's is in a copy, with the file that has it."""
    files = {
        file: file.read_text(encoding="utf-8", errors="replace")
        for file in out.rglob("*")
        if file.is_file() and file.relative_to(out).parts[0] not in ("minijax", "notebooks")
    }
    found = [
        f"{file.relative_to(out)} has the secret"
        for file, text in files.items() if secret.text and secret.text in text
    ]  # fmt: skip
    found += [f"{file.relative_to(out)} is the teacher's" for file in out.rglob("teacher*")]
    for chapter in chapters:
        known = published(chapter)
        wanted = {each for each in kept_back(chapter) if len(each) > 16 and each not in known}
        for file, text in files.items():
            found += [
                f"{file.relative_to(out)} has, of {chapter.name}: {each}"
                for each in wanted if each in text or json.dumps(each)[1:-1] in text
            ]  # fmt: skip
    return found


# The command.


def hand_out(copied: Path, out: Path, roster: Sequence[str], secret: Secret) -> None:
    """A zip of the copy for each student, with the student's seed in it."""
    out.mkdir()
    base = shutil.make_archive(str(out / ".base"), "zip", copied.parent, copied.name)
    for name in roster:
        target = out / f"{name}.zip"
        shutil.copyfile(base, target)
        own = json.dumps({"student": name, "seed": secret.student(name)}, indent=1) + "\n"
        with zipfile.ZipFile(target, "a") as archive:
            archive.writestr(f"{copied.name}/exercises/{OWN_SEED}", own)
    Path(base).unlink()


def release(options: argparse.Namespace) -> int:
    roster, secret = read_roster(options.roster), read_secret(options.secret_file)
    if roster and not secret.text:
        raise Fault("A roster goes with --secret-file: of that the students' seeds are made.")
    if options.out.exists() and any(options.out.iterdir()):
        raise Fault(f"{options.out} has something in it; name a folder that is new.")
    chapters = find_chapters(options.chapters)
    copied = options.out / NAME
    copy(copied, chapters)
    if found := leaks(copied, chapters, secret):
        shutil.rmtree(copied)
        raise Fault("\n".join(["There is no release, for it would tell what is hidden.", *found]))
    print(f"{copied}: {len(chapters)} chapters, and START.md says how to begin")
    if roster:
        hand_out(copied, options.out / "students", roster, secret)
        print(f"{options.out / 'students'}: a zip for each of {len(roster)} students")
    return 0


def arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("out", type=Path, help="a new folder")
    add("--chapters", nargs="*", default=[], help="ch05 ch06, or nothing for all")
    add("--roster", type=Path, help="a CSV whose first column names the students")
    add("--secret-file", type=Path, help="a text of yours, 16 letters or more; `grade` needs it")


command = release
