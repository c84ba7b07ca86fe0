"""Where a student's files are, and what a student is told about them."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from exercises.grading import source
from exercises.grading.draws import PRACTICE
from exercises.grading.overlay import ROOT
from exercises.grading.tasks import EXERCISES, OWN_SEED, Chapter, Fault

FILE = "exercise.py"
RECORD = ".progress.json"


class NoFile(Fault):
    """A student's file that is not where it should be."""


def students_folder(root: Path = ROOT) -> Path:
    """work/exercises, where `make learn` has made it; or exercises/ itself, as in a release."""
    own = root / "work" / "exercises"
    return own if own.is_dir() else root / "exercises"


def exercise(chapter: Chapter, folder: Path) -> Path:
    """A student's exercise.py of a chapter.

    Raises:
      NoFile: there is none.
    """
    file = folder / chapter.folder.name / FILE
    if not file.is_file():
        raise NoFile(f"There is no {shown(file)}: what you write for {chapter.name} goes there.")
    return file


def read_exercise(file: Path) -> str:
    """What a student wrote.

    Raises:
      NoFile: it is no text.
    """
    try:
        return source.decoded(file.read_bytes())
    except ValueError as error:
        raise NoFile(f"{shown(file)} is {error}.") from None


def shown(path: Path) -> str:
    """A path as one types it."""
    relative = os.path.relpath(path)
    return str(path) if relative.startswith("..") else relative


def seed(folder: Path) -> str:
    """The seed of a student's questions; without one from the teacher, that of the practice.

    Raises:
      NoFile: the teacher's file has no seed in it.
    """
    for file in (folder / OWN_SEED, EXERCISES / OWN_SEED):
        if file.is_file():
            try:
                return str(json.loads(file.read_text(encoding="utf-8"))["seed"])
            except (ValueError, LookupError, TypeError):
                raise NoFile(f"{shown(file)} has no seed: ask your teacher for another.") from None
    return PRACTICE


# What `check` writes down, and `progress` reads: by chapter, the file's digest and the tasks.


def digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()[:16]


def read_record(folder: Path) -> dict[str, Any]:
    try:
        record = json.loads((folder / RECORD).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}


def write_record(folder: Path, record: dict[str, Any]) -> None:
    new = folder / f"{RECORD}.new"
    new.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    new.replace(folder / RECORD)  # in one step: no half record is ever read
