"""Scratch folders: there for a while, and gone whatever happens.

Each is locked as long as its process lives. One that is not was left by a process that was killed:
the next process that makes a scratch folder takes it away.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from exercises.grading.tasks import Fault

PREFIX = "minijax-exercises-"
NAME = re.compile(rf"{PREFIX}[a-z]+-\w{{8}}")  # as `scratch_folder` makes them
OWN_USERS = 2_000_000_000  # from here on are the users that a child has of its own
ROOM = 32 << 20  # bytes


class NoRoom(Fault):
    """The disk is full: what runs there comes to nothing, whoever has filled it."""


@contextlib.contextmanager
def scratch_folder(kind: str) -> Iterator[Path]:
    """A folder for a while. Whatever a child has made of it, it goes.

    Raises:
      NoRoom: there is no room for it; or none is left at the end, and what was done in it is void.
    """
    sweep_once()
    folder, lock = make(kind)
    try:
        check_room(folder)
        yield folder
        check_room(folder)
    finally:
        remove(folder)
        os.close(lock)


def end_by_signals() -> None:
    """TERM and HUP end this process as `sys.exit` does, so that it tidies up."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: sys.exit(128 + number))


def check_room(folder: Path) -> None:
    if shutil.disk_usage(folder).free < ROOM:
        where = tempfile.gettempdir()
        raise NoRoom(f"{where} has less than {ROOM >> 20} MB left; make room there.")


def make(kind: str) -> tuple[Path, int]:
    """A new folder, and its lock."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{kind}-")).resolve()
        with contextlib.suppress(BlockingIOError, FileNotFoundError):  # a sweep was quicker
            return folder, lock(folder)


def lock(folder: Path) -> int:
    """Locks a folder, until what is returned is closed or the process ends.

    Raises:
      BlockingIOError: another process has it.
      FileNotFoundError: it is gone.
    """
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.stat(folder)
    except OSError:
        os.close(handle)
        raise
    return handle


def remove(folder: Path) -> None:
    for command in (["chmod", "-R", "u+rwx"], ["rm", "-rf"]):
        subprocess.run([*command, str(folder)], capture_output=True)


@cache
def sweep_once() -> None:
    sweep()


def sweep() -> None:
    """Takes away what killed processes of this user have left."""
    for path in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):  # somebody has it, or another sweep was quicker
            if NAME.fullmatch(path.name) and is_ours(path.lstat()):
                path.chmod(0o700)
                handle = lock(path)
                remove(path)
                os.close(handle)


def is_ours(about: os.stat_result) -> bool:
    is_childs = os.getuid() == 0 and about.st_uid >= OWN_USERS
    return stat.S_ISDIR(about.st_mode) and (about.st_uid == os.getuid() or is_childs)
