"""What the book has: its table of contents, notebooks/SUMMARY.md, and its exercises."""

import re
import tomllib
from pathlib import Path
from typing import Any

ENTRY = re.compile(r"\[([^\]]+)\]\(([^)]+\.ipynb)\)")  # a draft links to nothing
SHORT_TITLE = re.compile(r"(Appendix [A-Z]: )?[^:,]+")


def read_entries(root: Path) -> list[tuple[str, str]]:
    """Returns title and file name of each notebook in the table of contents, in its order."""
    summary = root / "notebooks" / "SUMMARY.md"
    return ENTRY.findall(summary.read_text(encoding="utf-8")) if summary.is_file() else []


def read_exercises(root: Path) -> dict[Path, dict[str, Any]]:
    """Returns what the tasks.toml of each folder of exercises says, which everybody may read."""
    files = sorted((root / "exercises").glob("*/tasks.toml"))
    return {file.parent: tomllib.loads(file.read_text(encoding="utf-8")) for file in files}


def shorten(title: str) -> str:
    """Returns a title without what follows its first words.

    >>> shorten("05 Forward: derivatives along a direction")
    '05 Forward'
    >>> shorten("Appendix A: Errors, and where they point")
    'Appendix A: Errors'
    """
    return SHORT_TITLE.match(title)[0]


def links_of(name: str, root: Path) -> str | None:
    """Returns the links from the notebook `name` to its neighbours and to the contents.

    Returns None where the contents lack it.
    """
    entries = read_entries(root)
    files = [file for _, file in entries]
    if name not in files:
        return None
    place = files.index(name)
    links = [f"[< {shorten(title)}]({file})" for title, file in entries[:place][-1:]]
    links.append("[Contents](SUMMARY.md)")
    links += [f"[{shorten(title)} >]({file})" for title, file in entries[place + 1 :][:1]]
    return " | ".join(links)
