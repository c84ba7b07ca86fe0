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
from exercises.grading.classroom import Secret, read_roster, read_secret
from exercises.grading.expected import EXPECTED, read_facts, shown_cases
from exercises.grading.generate import explore, readme
from exercises.grading.home import OWN_SEED
from exercises.grading.overlay import GRADING, ROOT
from exercises.grading.stubs import stubs
from exercises.grading.tasks import EXERCISES, Chapter, Fault, find_chapters, teachers

NAME = "minijax-exercises"
WHOLE = ("minijax", "notebooks", "tools", "LICENSE", "README.md", "constraints.txt",
         "pyproject.toml")  # fmt: skip
# Of these `assemble` runs some; the last is what chapter 29 shows.
TESTS = ("core", "conftest.py", "examples/forward_laplacian")
BY_NAME = ("child", "confine", "fresh", "assignment")  # run by name, or by a notebook
SHORTEST = 16  # letters of what is looked for: what is shorter, chance writes too
LEFT_OUT = shutil.ignore_patterns(
    "__pycache__", ".*", "*.egg-info", "*.pyc", "images", "vendor", OWN_SEED, "work"
)
START = """# Start here

You need Python 3.11 or later, and make. Then, in this folder:

```sh
make learn               # opens the book; the first time it installs what it needs
make check CHAPTER=ch05  # checks what you wrote for chapter 05
make questions CHAPTER=ch05   # prints the questions that were drawn for you
make progress            # the way so far
make assemble            # all your pieces at once, under the package's own tests
```

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


def copy(out: Path, chapters: Sequence[Chapter]) -> None:
    """Writes the copy into a folder that is not there yet."""
    out.mkdir(parents=True)
    for name in (*WHOLE, *(f"tests/{name}" for name in TESTS)):
        put(ROOT / name, out / name)
    (out / "exercises" / "grading").mkdir(parents=True)
    face = [EXERCISES / f"{name}.py" for name in ("__init__", "__main__")]
    needed = modules_of([*STUDENTS, *BY_NAME, *imported(face[1].read_text(encoding="utf-8"))])
    for file in (*face, *(GRADING / f"{name}.py" for name in ("__init__", *needed))):
        put(file, out / file.relative_to(ROOT))
    for chapter in chapters:
        copy_chapter(chapter, out / "exercises" / chapter.folder.name)
    (out / "START.md").write_text(START, encoding="utf-8")
    (out / "Makefile").write_text(MAKEFILE, encoding="utf-8")


def copy_chapter(chapter: Chapter, target: Path) -> None:
    """What students get of a chapter; stubs, whatever somebody has tried in exercise.py."""
    for name in ("tasks.toml", "questions.py", EXPECTED):
        put(chapter.folder / name, target / name)
    generated = {"exercise.py": stubs(chapter), "explore.ipynb": explore(chapter),
                 "README.md": readme(chapter, read_facts(chapter))}  # fmt: skip
    for name, text in generated.items():
        (target / name).write_text(text, encoding="utf-8")


def is_stale(chapter: Chapter) -> bool:
    """Whether the stored facts are not those of the tasks as they are now."""
    stored = read_facts(chapter)
    return any(case not in stored.get(task.id, {})
               for task in chapter.tasks for case in shown_cases(task))  # fmt: skip


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


def published(out: Path, chapters: Sequence[Chapter]) -> str:
    """What everybody may read: statements, the package and its tests, the students' commands."""
    told = [tomllib.loads((c.folder / "tasks.toml").read_text(encoding="utf-8")) for c in chapters]
    files = [file for name in ("minijax", "tests") for file in sorted((out / name).rglob("*.py"))]
    for folder in (out / "exercises", out / "exercises" / "grading"):
        files += sorted(folder.glob("*.py"))
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
        str(file.relative_to(out)): file.read_text(encoding="utf-8", errors="replace")
        for file in sorted(out.rglob("*")) if file.is_file()
    }  # fmt: skip
    found = [f"{name} is the teacher's" for name in files if "teacher" in Path(name).parts]
    found += [f"{name} has the secret" for name, text in files.items()
              if secret.text and secret.text in text]  # fmt: skip
    ours = {name: text for name, text in files.items()
            if name.startswith("exercises") or "/" not in name}  # fmt: skip
    whole, known = "\n".join(ours.values()), published(out, chapters)
    for each in {line: None for chapter in chapters for line in kept_back(chapter)}:
        forms = (each, json.dumps(each)[1:-1])  # as it is, and as a notebook or a table has it
        if len(each) > SHORTEST and any(f in whole for f in forms) and each not in known:
            found += [f"{name} has: {each}" for name, text in ours.items()
                      if any(form in text for form in forms)]  # fmt: skip
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
    if stale := [chapter.name for chapter in chapters if is_stale(chapter)]:
        raise Fault(f"Tasks have changed: python -m exercises generate {' '.join(stale)}")
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
