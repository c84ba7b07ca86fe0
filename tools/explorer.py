"""The walks that the site's explorer shows, each a page of its own.

    python tools/explorer.py     makes notebooks/explore/, where mdBook finds them and git does not

They are made again when the package has changed.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "notebooks" / "explore"
MADE_OF = "made-of.txt"  # the digest of the package that they show


def digest() -> str:
    """Of the package's files."""
    found = hashlib.sha256()
    for file in sorted((ROOT / "minijax").rglob("*")):
        if file.is_file() and "__pycache__" not in file.parts:
            found.update(file.read_bytes())
    return found.hexdigest()


def make_walks(folder: Path) -> list[str]:
    """Writes all walks into a folder. Returns a sentence on each that failed."""
    from minijax.explore.pages import walk_file, walk_page
    from minijax.explore.programs import programs
    from minijax.explore.walks import walk

    failed = []
    for row in programs.values():
        for name in row.transformations:
            shown = walk(row.text, row.expression(name), row.arguments(name))
            file = walk_file(row.name, name)
            (folder / file).write_text(walk_page(row.title, shown.html), encoding="utf-8")
            if shown.failed:
                failed.append(f"{file}: {shown.failed}")
    return failed


def main() -> int:
    mark, now = FOLDER / MADE_OF, digest()
    if mark.is_file() and mark.read_text(encoding="utf-8") == now:
        return 0
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.html"):
        old.unlink()
    mark.unlink(missing_ok=True)
    if failed := make_walks(FOLDER):
        print("\n".join(failed), file=sys.stderr)
        return 1
    mark.write_text(now, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
