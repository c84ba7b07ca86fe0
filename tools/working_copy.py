"""The reader's own copy of the notebooks and the exercises: work/, which git ignores.

    python tools/working_copy.py            make it; later, say whether the book has moved on
    python tools/working_copy.py --fresh    renew what the reader has not changed

JupyterLab rewrites a notebook that was only opened, and the tests hold notebooks/ to the letter:
so the reader reads, runs and changes a copy. Links such as `../minijax/core/forward.py` lead from
there to the same files. Of the exercises, work/exercises/ has what a student reads and writes, and
links between it and the chapters are changed to stay in work/. What is missing from work/ is
copied, and what the reader has changed is never overwritten. A notebook counts as changed when the
text of its cells is: other outputs, other metadata and an empty cell come from opening and running
it.

work/.copied.json records for each copied file what the book's file was ("book"), which tells
whether the book has moved on, and what of it a reader can change ("text").
"""

import argparse
import hashlib
import json
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
RECORD = ".copied.json"
# For the site, but the first.
MADE_BY_TOOLS = {"__pycache__", "explore", "images", "search", "slides", "vendor"}
OF_EXERCISES = ("README.md", "exercise.py", "explore.ipynb")


class Commands(NamedTuple):
    """How the reader opens the book, and renews the copy: the commands that messages name."""

    learn: str = "make learn"
    fresh: str = "make learn-fresh"
    as_root: str = "make learn JUPYTER_FLAGS=--allow-root"


BY_MAKE = Commands()


def book_files(book: Path) -> list[str]:
    """Returns the files that a reader gets, as names below `book`."""
    names = [path.relative_to(book) for path in sorted(book.rglob("*")) if path.is_file()]
    return [
        name.as_posix()
        for name in names
        if not any(part.startswith(".") or part in MADE_BY_TOOLS for part in name.parts)
    ]


def exercise_files(exercises: Path) -> list[str]:
    """Returns the exercises' files that a reader gets, as names below the repository."""
    folders = sorted(path.parent for path in exercises.glob("*/tasks.toml"))
    paths = [folder / name for folder in folders for name in OF_EXERCISES]
    return [path.relative_to(exercises.parent).as_posix() for path in paths if path.is_file()]


def relink(name: str, data: bytes) -> bytes:
    """Returns a file's bytes with its links as they are to be in work/.

    >>> relink("05-forward.ipynb", b"[Exercises](../exercises/ch05/README.md)")
    b'[Exercises](exercises/ch05/README.md)'
    >>> relink("exercises/ch05/README.md", b"[05](../../notebooks/05.ipynb) [f](../../tools/f.py)")
    b'[05](../../05.ipynb) [f](../../../tools/f.py)'
    """
    if not name.endswith((".ipynb", ".md")):
        return data
    if not name.startswith("exercises/"):
        return data.replace(b"](../exercises/", b"](exercises/")
    return data.replace(b"](../../", b"](../../../").replace(b"](../../../notebooks/", b"](../../")


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def digest_text(name: str, data: bytes) -> str:
    """Returns the digest of what a reader can change: a notebook's cells, another file's bytes."""
    if name.endswith(".ipynb"):
        try:
            cells = [(c["cell_type"], "".join(c["source"])) for c in json.loads(data)["cells"]]
            data = json.dumps([cell for cell in cells if cell[1].strip()]).encode()
        except (ValueError, LookupError, TypeError):
            pass  # no notebook any more: its bytes tell
    return digest(data)


class WorkingCopy:
    """work/ beside notebooks/ and exercises/, all below `root`."""

    def __init__(self, root: Path):
        self.root, self.work = root, root / "work"
        self.names = [*book_files(root / "notebooks"), *exercise_files(root / "exercises")]
        record = self.work / RECORD
        self.record = json.loads(record.read_text(encoding="utf-8")) if record.exists() else {}

    def write_record(self) -> None:
        self.work.mkdir(exist_ok=True)
        written = self.work / f"{RECORD}.new"
        written.write_text(json.dumps(self.record, indent=1, sort_keys=True), encoding="utf-8")
        written.replace(self.work / RECORD)  # in one step: no half record is ever read

    def original(self, name: str) -> bytes:
        """Returns a file of the book as it is to be in work/."""
        home = self.root if name.startswith("exercises/") else self.root / "notebooks"
        return relink(name, (home / name).read_bytes())

    def digest_book(self, name: str) -> str:
        return digest(self.original(name))

    def copy(self, name: str) -> None:
        """Copies a file of the book, over what is there."""
        target = self.work / name
        target.parent.mkdir(parents=True, exist_ok=True)
        data = self.original(name)
        target.write_bytes(data)
        self.record[name] = {"book": digest(data), "text": digest_text(name, data)}

    def is_changed(self, name: str) -> bool:
        """Returns whether the reader changed a file that is in work/."""
        known = [self.record[name]["text"]] if name in self.record else []
        if name in self.names:
            known.append(digest_text(name, self.original(name)))
        return digest_text(name, (self.work / name).read_bytes()) not in known

    def outdated(self) -> list[str]:
        """Returns the copied files that are no longer in the book as they were copied."""
        return [
            name
            for name, was in sorted(self.record.items())
            if name not in self.names or was["book"] != self.digest_book(name)
        ]

    def add_missing(self) -> list[str]:
        """Copies what is not in work/; returns the names."""
        missing = [name for name in self.names if not (self.work / name).exists()]
        for name in missing:
            self.copy(name)
        self.write_record()
        return missing

    def renew(self) -> tuple[list[str], list[str]]:
        """Brings work/ to the book's state, but for what the reader has changed.

        Returns what it wrote or removed, and what it left alone. A file left alone counts as seen:
        it is not `outdated` until the book's changes once more.
        """
        renewed, left = self.add_missing(), []
        for name in sorted({*self.names, *self.record} - set(renewed)):
            target, in_book = self.work / name, name in self.names
            if target.exists() and self.is_changed(name):
                left.append(name)
                if name in self.record and in_book:
                    self.record[name]["book"] = self.digest_book(name)
            elif in_book:
                if target.read_bytes() != self.original(name):
                    renewed.append(name)
                self.copy(name)
            elif target.exists():
                target.unlink()
                renewed.append(name)
            if not in_book:
                del self.record[name]
        self.write_record()
        return renewed, left


def spell(names: list[str]) -> str:
    """Returns names as they stand in a sentence.

    >>> spell(["a", "b"]), spell(list("abcde"))
    ('a, b', '5 files')
    """
    return ", ".join(names) if len(names) < 4 else f"{len(names)} files"


def prepare(root: Path, commands: Commands = BY_MAKE) -> str:
    """Makes the copy, or adds what it lacks; returns what there is to say to the reader, or ''."""
    copy = WorkingCopy(root)
    is_new = not copy.work.exists()
    copy.add_missing()
    if is_new:
        return "work/ is your own copy of the notebooks and exercises: change there what you like."
    if outdated := copy.outdated():
        return (
            f"The book has moved on since work/ was made ({spell(outdated)}): "
            f"`{commands.fresh}` renews what you have not changed."
        )
    return ""


def renew(root: Path, commands: Commands = BY_MAKE) -> str:
    """Renews the copy, and returns what was done and what was left alone."""
    renewed, left = WorkingCopy(root).renew()
    said = f"Renewed in work/: {spell(renewed) or 'nothing'}."
    if left:
        said += (
            f" What you have changed is left alone: {', '.join(left)}. Rename a file, and the next "
            f"`{commands.learn}` brings the book's as well."
        )
    return said


def main(arguments: list[str] | None = None, root: Path = ROOT) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--fresh", action="store_true", help="renew what is unchanged")
    said = (renew if parser.parse_args(arguments).fresh else prepare)(root)
    if said:
        print(said)
    return 0


if __name__ == "__main__":
    sys.exit(main())
