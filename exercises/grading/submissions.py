"""Submissions: what a class handed in, whatever the folders look like.

Each student has a folder or a zip. In it, at any depth, stands `chNN_topic/exercise.py`. Files are
only read, never run, and a zip is never unpacked. What is misnamed is taken where it is clear what
is meant; every such thing is told in a remark, and none stops the grading.
"""

from __future__ import annotations

import ast
import os
import re
import stat
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from exercises.grading import source, unzip
from exercises.grading.classroom import one_spelling
from exercises.grading.tasks import Chapter

FILE = "exercise.py"
LARGEST = 64 << 10  # bytes of an exercise.py
ENTRIES = 5000  # files of a student
NO_FILE = "is a link or no file, and was not read"
TOLD = 10  # of files that are not graded
NOT_THEIRS = {"minijax", "tests", "tools", "notebooks", "teacher", "__MACOSX"}
NUMBER = re.compile(r"(?:^|ch|chapter)[ _-]?(\d{1,2})(?!\d)", re.IGNORECASE)
PROJECT = re.compile(r"(?:^|[ _-])p(?:roject)?[ _-]?(\d)(?!\d)", re.IGNORECASE)


class Entry(NamedTuple):
    """A file of a student's: where it stands below the student's folder, and how it is read."""

    path: PurePosixPath
    modified: float
    read: Callable[[], bytes]


class Handed(NamedTuple):
    """What was handed in for a chapter. `fault` says why it can't be judged, or nothing."""

    text: str
    modified: float
    fault: str = ""


@dataclass
class Submission:
    """What a student handed in, by chapter, and what is to be said of it."""

    student: str
    files: dict[str, Handed] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)


def read_class(
    folder: Path, chapters: Sequence[Chapter], known: Collection[str] = ()
) -> list[Submission]:
    """The submissions of a class to these chapters, by name. Of files that look like those of
    another chapter it is told that they are not graded, unless it is among the `known`.

    Raises:
      OSError: the folder can't be read.
    """
    homes: dict[str, list[Path]] = {}
    for path in sorted(folder.iterdir()):
        if path.is_dir() or path.suffix == ".zip" or path.is_symlink():
            name = one_spelling(path.stem if path.suffix == ".zip" else path.name)
            homes.setdefault(name, []).append(path)
    names = [name for name in homes if not name.startswith((".", "__MACOSX"))]
    return [read_student(name, homes[name], chapters, known) for name in names]


def read_student(
    name: str, homes: Sequence[Path], chapters: Sequence[Chapter], known: Collection[str] = ()
) -> Submission:
    made = Submission(name)
    entries: list[Entry] = []
    for home in homes:
        try:
            for entry in entries_of(home, made.remarks):
                if len(entries) == ENTRIES:
                    made.remarks.append(f"more than {ENTRIES} files; the rest was not read")
                    break
                entries.append(entry)
        except Exception as error:  # what somebody handed in may be broken in any way
            made.remarks.append(f"{home.name} can't be read: {said(error)}")
    for chapter in chapters:
        chosen = choose(entries, chapter, made.remarks)
        if chosen:
            made.files[chapter.name] = receive(chosen)
    made.remarks += strays(entries, {*known, *(c.name for c in chapters)})
    return made


def said(error: Exception) -> str:
    return str(error) or type(error).__name__


# Where files are.


def entries_of(home: Path, remarks: list[str]) -> Iterator[Entry]:
    """A student's Python files; links are not followed, and what is neither folder nor zip told."""
    kind = home.lstat().st_mode
    if stat.S_ISDIR(kind):
        yield from folder_entries(home, remarks)
    elif stat.S_ISREG(kind):
        yield from zip_entries(home, remarks)
    else:
        remarks.append(f"{home.name} {NO_FILE}")


def folder_entries(home: Path, remarks: list[str]) -> Iterator[Entry]:
    """The Python files below a folder, and those in zips that lie in it."""

    def told(error: OSError) -> None:
        remarks.append(f"{Path(error.filename).relative_to(home)} can't be read: {error.strerror}")

    for folder, folders, files in os.walk(home, onerror=told):
        links = [path for name in folders if (path := Path(folder, name)).is_symlink()]
        remarks += [f"{path.relative_to(home)} {NO_FILE}" for path in links]
        folders[:] = sorted(f for f in folders if f not in NOT_THEIRS and f[0] != ".")
        for name in sorted(files):
            path = Path(folder, name)
            about = path.lstat()
            if path.suffix not in (".py", ".zip"):
                continue
            if not stat.S_ISREG(about.st_mode):
                remarks.append(f"{path.relative_to(home)} {NO_FILE}")
            elif path.suffix == ".py":
                below = PurePosixPath(path.relative_to(home).as_posix())
                yield Entry(below, about.st_mtime, lambda path=path: read_some(path))
            else:
                yield from zip_entries(path, remarks)


def read_some(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(LARGEST + 1)


def zip_entries(path: Path, remarks: list[str]) -> Iterator[Entry]:
    """The Python files in a zip."""
    try:
        listed = unzip.listed(path)
    except Exception as error:
        remarks.append(f"{path.name} is no zip that can be read: {said(error)}")
        return
    for info in listed:
        below = PurePosixPath(info.filename)
        hidden = any(part in NOT_THEIRS or part.startswith(".") for part in below.parts)
        if not info.is_dir() and below.suffix == ".py" and not hidden:
            modified = time.mktime((*info.date_time, 0, 0, -1))
            yield Entry(below, modified, lambda info=info: unzip.read(path, info, LARGEST + 1))


# Which of them is meant.


def choose(entries: Sequence[Entry], chapter: Chapter, remarks: list[str]) -> Entry | None:
    """The file of a chapter: that of the right name, or one whose name says the chapter.

    Of several the newest; one below work/, where students write, before what was handed out.
    """
    name = f"{chapter.folder.name}/{FILE}"
    exact = [e for e in entries if e.path.parts[-2:] == (chapter.folder.name, FILE)]
    meant = exact or [e for e in entries if number_of(e.path) == chapter.name]
    if not meant:
        return None
    newest = max(meant, key=lambda entry: ("work" in entry.path.parts, entry.modified))
    if not exact:
        remarks.append(f"misnamed: {newest.path} was taken as {name}")
    if len(meant) > 1:
        remarks.append(f"{len(meant)} files for {name}: the newest, {newest.path}, was taken")
    return newest


def number_of(path: PurePosixPath) -> str | None:
    """The chapter, `ch05` or `p1`, that a misnamed file's folder or name speaks of."""
    if path.name in ("questions.py", "__init__.py"):
        return None
    for part in (path.stem, *reversed(path.parts[:-1])):
        if found := NUMBER.search(part):
            return f"ch{int(found[1]):02}"
        if found := PROJECT.search(part):
            return f"p{found[1]}"
    return None


def strays(entries: Sequence[Entry], names: Collection[str]) -> Iterator[str]:
    """Remarks on files that look like answers, and belong to none of these chapters."""
    lost = [e.path for e in entries
            if number_of(e.path) is None and "exercise" in e.path.stem.lower()]  # fmt: skip
    for path in lost[:TOLD]:
        yield f"not graded, for it names no chapter: {path}"
    others = [str(e.path) for e in entries if number_of(e.path) not in (None, *names)]
    if others:
        more = f", and {len(others) - TOLD} more" if len(others) > TOLD else ""
        yield f"not graded, for these chapters do not count: {', '.join(others[:TOLD])}{more}"


# What is in it.


def receive(entry: Entry) -> Handed:
    """Reads a file, and says what prevents that it is judged."""
    try:
        data = entry.read()
    except Exception as error:
        return Handed("", entry.modified, f"{FILE} can't be read: {said(error)}")
    if len(data) > LARGEST:
        return Handed("", entry.modified, f"{FILE} is larger than {LARGEST >> 10} KB")
    try:
        text = source.decoded(data)
    except ValueError as error:
        return Handed("", entry.modified, f"{FILE} is {error}")
    return Handed(text, entry.modified, too_much(text))


def too_much(text: str) -> str:
    """Why a text is not to be taken apart, or nothing. A syntax error is the judge's to tell."""
    try:
        count = len(ast.parse(text).body)
    except (SyntaxError, ValueError):
        return ""
    except (RecursionError, MemoryError):
        return f"{FILE} is nested too deeply"
    most = source.STATEMENTS
    return f"{FILE} has more than {most} statements" if count > most else ""
