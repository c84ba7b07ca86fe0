"""The students' copy: what goes into it. The book, the package, their commands, the tasks.

It has the modules of the students' commands and what these import, and nothing of teacher/. It is
what `release` hands out, and, without the package, what a wheel brings for `python -m
minijax.course`; there setuptools writes it, so that this imports nothing that has to be installed.
"""

from __future__ import annotations

import ast
import shutil
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from exercises.__main__ import STUDENTS
from exercises.grading.overlay import GRADING, ROOT
from exercises.grading.tasks import EXERCISES, OWN_SEED, Chapter, find_chapters

NAME = "minijax-exercises"
WHOLE = ("minijax", "notebooks", "tools", "LICENSE", "README.md", "constraints.txt",
         "pyproject.toml")  # fmt: skip
# Of the core's `assemble` runs some; the examples are those that the book names.
TESTS = ("core", "conftest.py", "examples/forward_laplacian", "examples/test_forward_laplacian.py",
         "examples/depth_trace.py", "examples/count_trace.py", "examples/unit_trace.py",
         "examples/repeat.py")  # fmt: skip
BY_NAME = ("child", "confine", "fresh", "assignment")  # run by name, or by a notebook
OF_CHAPTER = ("tasks.toml", "questions.py", "expected.json", "exercise.py", "explore.ipynb",
              "README.md")  # fmt: skip
LEFT_OUT = ("__pycache__", ".*", "*.egg-info", "*.pyc", OWN_SEED)
# Made when the site is built.
OF_THE_SITE = {"notebooks": ("explore", "images", "search", "slides", "vendor")}
START = """# Start here

You need Python 3.11 or later, and make. Then, in this folder:

```sh
make learn               # opens the book; the first time it installs what it needs
make check CHAPTER=ch05  # checks what you wrote for chapter 05
make questions CHAPTER=ch05   # prints the questions that were drawn for you
make progress            # the way so far
make assemble            # all your pieces at once, under the package's own tests
```

Grading runs more cases than `check` shows; try your own.

`make learn` makes `work/`, your own copy of the notebooks and the exercises. There,
`work/exercises/chNN_.../README.md` says what is asked, and you write in `exercise.py` beside it.
`.venv/bin/python -m exercises --help` names all commands.

Hand in the folders `chNN_...` of `work/exercises/` with their `exercise.py`, or a zip of them.
Leave the names as they are. `exercises/student.json` is there if the questions are drawn for you
alone: leave it where it is.

When your teacher hands out a new copy, unpack it over this one, and `make learn-fresh` renews in
`work/` what you have not changed. What is new in an `exercise.py` that you have changed, copy from
`exercises/`.

`README.md` is about the whole repository: some of what it names is not in this copy.

Root adds `JUPYTER_FLAGS=--allow-root`. Where `python3` is older: `make learn PYTHON=python3.12`
"""
MAKEFILE = """PYTHON ?= python3
CHAPTER ?=
VENV := .venv

.PHONY: learn learn-fresh check questions progress assemble env

learn: env
\t@$(VENV)/bin/python tools/learn.py $(JUPYTER_FLAGS)

learn-fresh: env
\t@$(VENV)/bin/python tools/working_copy.py --fresh

check questions: env
\t@$(VENV)/bin/python -m exercises $@ $(CHAPTER) || true

progress: env
\t@$(VENV)/bin/python -m exercises progress

assemble: env
\t@$(VENV)/bin/python -m pip install -q -c constraints.txt pytest hypothesis
\t@$(VENV)/bin/python -m exercises assemble $(CHAPTER)

env:
\t@$(PYTHON) tools/environment.py $(VENV) course
"""


FOR_A_CLASS = {"START.md": START, "Makefile": MAKEFILE}
FOR_ONE = {"START.md": """# Start here

`python -m minijax.course`, given in the folder above, opens the book on your own copy of it, which
is `work/`. There, `work/exercises/chNN_.../README.md` says what is asked, and you write in
`exercise.py` beside it. These are given in this folder:

```sh
python -m exercises check ch05        # checks what you wrote for chapter 05; --hint helps
python -m exercises questions ch05    # prints questions
python -m exercises progress          # the way so far
python -m exercises assemble          # all your pieces at once: pip install pytest hypothesis
```

`README.md` is about the whole repository: some of what it names is not in this copy.
"""}


# What goes in.


def modules_of(names: Iterable[str]) -> set[str]:
    """The modules of these names that are in exercises/grading/, and those that they import."""
    found: set[str] = set()
    waiting = [name for name in names if find_spec(f"exercises.grading.{name}")]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += imported((GRADING / f"{name}.py").read_text(encoding="utf-8"))
    return found


def imported(text: str) -> Iterator[str]:
    """The modules of exercises/grading/ that a text imports."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.module:
            if node.module == "exercises.grading":
                yield from (alias.name for alias in node.names)
            elif node.module.startswith("exercises.grading."):
                yield node.module.split(".")[2]


def copy(
    out: Path, chapters: Sequence[Chapter], whole: Sequence[str] = WHOLE,
    first: Mapping[str, str] = FOR_A_CLASS,
) -> None:  # fmt: skip
    """Writes the copy into a folder that is not there yet.

    Of the repository it takes what `whole` names as it is; `first` is what is read and run first.
    """
    out.mkdir(parents=True)
    for name in (*whole, *(f"tests/{name}" for name in TESTS)):
        put(ROOT / name, out / name)
    (out / "exercises" / "grading").mkdir(parents=True)
    face = [EXERCISES / f"{name}.py" for name in ("__init__", "__main__")]
    needed = modules_of([*STUDENTS, *BY_NAME, *imported(face[1].read_text(encoding="utf-8"))])
    for file in (*face, *(GRADING / f"{name}.py" for name in ("__init__", *needed))):
        put(file, out / file.relative_to(ROOT))
    for chapter in chapters:
        for name in OF_CHAPTER:
            put(chapter.folder / name, out / "exercises" / chapter.folder.name / name)
    for name, text in first.items():
        (out / name).write_text(text, encoding="utf-8")


def put(source: Path, target: Path) -> None:
    if source.is_dir():
        left_out = shutil.ignore_patterns(*LEFT_OUT, *OF_THE_SITE.get(source.name, ()))
        shutil.copytree(source, target, ignore=left_out)
    elif source.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)


def write_course(file: Path) -> None:
    """Writes the copy that a wheel brings, for one who learns alone. The wheel has the package."""
    whole = [name for name in WHOLE if name != "minijax"]
    with TemporaryDirectory() as folder:
        out = Path(folder) / "course"
        copy(out, find_chapters(), whole, FOR_ONE)
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for each in sorted(path for path in out.rglob("*") if path.is_file()):
                entry = zipfile.ZipInfo(each.relative_to(out).as_posix())  # no date: same bytes
                archive.writestr(entry, each.read_bytes(), zipfile.ZIP_DEFLATED)
