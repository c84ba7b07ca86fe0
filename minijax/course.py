"""The book, for whoever has only the wheel: `python -m minijax.course`.

A release brings the book and the exercises along, in `course.zip`. The command unpacks them into a
folder, with the package's own files beside them, which chapters link to, and starts JupyterLab on
the reader's copy there, `work/`. What the reader has changed in `work/` is never overwritten.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import zipfile
from collections.abc import Sequence
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

COURSE = Path(__file__).with_suffix(".zip")
RELEASE = ".minijax-release"  # in the folder: which release it was unpacked from


class Refusal(Exception):
    """Why the book can't be opened, and what to do."""


def unpack(folder: Path, release: str) -> bool:
    """Brings a folder to the book's state in this release, and returns whether it had to.

    Args:
      folder: a new one, an empty one, or one that was unpacked into before, by any release.
      release: this release's name, as in "0.1.0".

    Raises:
      Refusal: there is no archive, or the folder has something else in it.
    """
    if not COURSE.is_file():
        raise Refusal(
            "This minijax was not installed from a release, and so brings no course along. In a "
            "copy of the repository, make learn opens the book."
        )
    mark = folder / RELEASE
    if folder.exists() and not mark.is_file() and (not folder.is_dir() or any(folder.iterdir())):
        raise Refusal(
            f"{folder} is there already, and holds something else than the course. Name another "
            "folder: python -m minijax.course FOLDER"
        )
    if mark.is_file() and mark.read_text(encoding="utf-8").strip() == release:
        return False
    folder.mkdir(parents=True, exist_ok=True)
    mark.write_text("", encoding="utf-8")  # until all is there, it is no release's
    with zipfile.ZipFile(COURSE) as archive:
        archive.extractall(folder)
    package, left_out = Path(__file__).parent, shutil.ignore_patterns("__pycache__", COURSE.name)
    shutil.copytree(package, folder / "minijax", ignore=left_out, dirs_exist_ok=True)
    mark.write_text(release, encoding="utf-8")
    return True


def start(folder: Path, fresh: bool, flags: list[str]) -> int:
    """Opens the book in JupyterLab with the folder's own tools, or renews the reader's copy."""
    sys.path.insert(0, str(folder.resolve() / "tools"))
    from working_copy import Commands, renew

    asked = f"{Path(sys.executable).name} -m minijax.course"
    commands = Commands(asked, f"{asked} --fresh", f"{asked} --allow-root")
    if fresh:
        print(renew(folder.resolve(), commands))
        return 0
    if find_spec("jupyterlab") is None:
        raise Refusal("JupyterLab, which opens it, is missing: pip install 'minijax[course]'")
    from learn import main as learn

    return learn(flags, commands)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m minijax.course",
        description="Brings the book's notebooks and exercises into a folder, and opens them.",
        epilog="Other flags are JupyterLab's: --port=9000, --no-browser, --allow-root.",
    )
    add = parser.add_argument
    add("folder", nargs="?", type=Path, default=Path("minijax-course"), help="where: %(default)s")
    add("--fresh", action="store_true", help="renew what you have not changed, and end")
    add("--only-unpack", action="store_true", help="don't open them")
    options, flags = parser.parse_known_args(arguments)
    try:
        if unpack(options.folder, version("minijax")):
            print(f"The book is in {options.folder}; START.md there says more.")
        return 0 if options.only_unpack else start(options.folder, options.fresh, flags)
    except Refusal as refusal:
        print(refusal, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
