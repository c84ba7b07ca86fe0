"""The students' copy, handed out: the book, the package, the exercises, and nothing that is hidden.

Before it is handed over it is searched for what must not be in it. With a roster each student gets
a zip of it, with a seed that the teacher's secret and the student's name make.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import tomllib
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from exercises.grading import students_copy
from exercises.grading.classroom import Secret, read_roster, read_secret
from exercises.grading.expected import read_facts
from exercises.grading.generate import explore, readme
from exercises.grading.stubs import stubs
from exercises.grading.students_copy import NAME
from exercises.grading.tasks import OWN_SEED, Chapter, Fault, find_chapters, teachers

SHORTEST = 16  # letters of what is looked for: what is shorter, chance writes too


# What goes in.


def copy(out: Path, chapters: Sequence[Chapter]) -> None:
    """Writes the copy, with stubs, whatever somebody has tried in an exercise.py."""
    students_copy.copy(out, chapters)
    for chapter in chapters:
        generated = {"exercise.py": stubs(chapter), "explore.ipynb": explore(chapter),
                     "README.md": readme(chapter, read_facts(chapter))}  # fmt: skip
        for name, text in generated.items():
            (out / "exercises" / chapter.folder.name / name).write_text(text, encoding="utf-8")


def is_stale(chapter: Chapter) -> bool:
    """Whether the stored facts are not those of the tasks as they are now."""
    stored = read_facts(chapter)
    return any(case not in stored.get(task.id, {}) for task in chapter.tasks
               for case in task.visible)  # fmt: skip


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


def chosen_chapters(names: Sequence[str]) -> list[Chapter]:
    """The chapters to hand out. Raises Fault where what is made of a task is not as it is now."""
    chapters = find_chapters(names)
    if stale := [chapter.name for chapter in chapters if is_stale(chapter)]:
        raise Fault(f"Tasks have changed: python -m exercises generate {' '.join(stale)}")
    return chapters


def copy_searched(
    copied: Path, chapters: Sequence[Chapter], secret: Secret, beside: Mapping[str, str]
) -> None:
    """Writes a copy, with these files beside it; none where anything hidden is in it.

    Raises:
      Fault: it would tell what is hidden.
    """
    copy(copied, chapters)
    for name, text in beside.items():
        (copied / name).parent.mkdir(parents=True, exist_ok=True)
        (copied / name).write_text(text, encoding="utf-8")
    if found := leaks(copied, chapters, secret):
        shutil.rmtree(copied)
        raise Fault("\n".join(["There is no release, for it would tell what is hidden.", *found]))


def check_new(folder: Path) -> None:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Fault(f"{folder} has something in it; name a folder that is new.")


def release(options: argparse.Namespace) -> int:
    roster, secret = read_roster(options.roster), read_secret(options.secret_file)
    if roster and not secret.text:
        raise Fault("A roster goes with --secret-file: of that the students' seeds are made.")
    check_new(options.out)
    chapters = chosen_chapters(options.chapters)
    copied = options.out / NAME
    copy_searched(copied, chapters, secret, {})
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
