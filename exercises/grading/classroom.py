"""A class: who is in it, and the secret that its seeds are made of."""

from __future__ import annotations

import csv
import hashlib
import unicodedata
from pathlib import Path
from typing import NamedTuple

from exercises.grading import draws
from exercises.grading.tasks import Fault


class Secret(NamedTuple):
    """What a class's seeds are made of; without a text, everybody has the public ones."""

    text: str

    @property
    def hidden(self) -> int:
        """The seed of what hidden cases draw, the same for all."""
        digest = hashlib.sha256(f"hidden:{self.text}".encode()).digest()
        return int.from_bytes(digest[:4], "big")

    def student(self, name: str) -> str:
        return draws.students_seed(self.text, name) if self.text else draws.PRACTICE

    @property
    def mark(self) -> str:
        """What tells it from another, and does not tell it."""
        return hashlib.sha256(f"mark:{self.text}".encode()).hexdigest()[:16]


def one_spelling(name: str) -> str:
    """A name with each accent and its letter as one character: some systems store them apart.

    >>> len("Zoe\u0308"), len(one_spelling("Zoe\u0308"))
    (4, 3)
    """
    return unicodedata.normalize("NFC", name)


def read_roster(file: Path | None) -> list[str]:
    """The names in a roster: the first column; a heading `name` or `student` is left out.

    Raises:
      Fault: it can't be read, or a name can't be a folder's.
    """
    if file is None:
        return []
    try:
        with file.open(encoding="utf-8-sig", newline="") as lines:
            firsts = [one_spelling(row[0].strip()) for row in csv.reader(lines) if row]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise Fault(f"the roster {file} can't be read: {error}") from error
    names = list(filter(None, firsts))
    names = names[1:] if names[:1] and names[0].lower() in ("name", "student") else names
    for name in names:
        if name.startswith(".") or any(c in name for c in '/\\:\0*?"<>|'):
            raise Fault(f"the roster's name {name!r} can't be that of a folder")
    if len(set(names)) < len(names):
        raise Fault("the roster has a name twice; seeds are made of names, so add a letter")
    return names


def read_secret(file: Path | None) -> Secret:
    """The text of a secret's file.

    Raises:
      Fault: it can't be read, or is too short to be one.
    """
    if file is None:
        return Secret("")
    try:
        text = file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise Fault(f"the secret {file} can't be read: {error}") from error
    if len(text) < 16:
        raise Fault(f"the secret in {file} is shorter than 16 letters; this makes one: "
                      "python -c 'import secrets; print(secrets.token_hex())'")  # fmt: skip
    return Secret(text)
