"""A look at a child, ten times a second: what it writes, and what it uses, up to its limits."""

from __future__ import annotations

import contextlib
import itertools
import os
import selectors
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from exercises.grading.confine import Limits, tree
from exercises.grading.interview import Channel, Interview
from exercises.grading.scratch import check_room

TICK = 0.1  # seconds from one look at the child to the next
KEPT = 4000  # of what it wrote to stderr
AROUND = 4  # processes that are not the child's own: bubblewrap's and confine.py's


class Watch:
    """Reads what a child writes, up to its limits, and looks at what it uses; an `interview` goes
    on as it answers.

    Where orphans cannot be told by their parents, a `mark` in their environment tells them.
    """

    def __init__(
        self, child: subprocess.Popen, given: bytes, scratch: Path, limits: Limits,
        last: float, mark: str, interview: Interview | None = None,
    ) -> None:  # fmt: skip
        self.child, self.scratch, self.limits = child, scratch, limits
        self.last, self.mark, self.interview = last, mark, interview
        self.left = memoryview(given)
        self.output, self.tail, self.written = bytearray(), bytearray(), 0
        self.reason, self.looks, self.cpu_seconds = "", itertools.count(1), 0.0
        self.cores = cores(0)
        self.selector = selectors.DefaultSelector()
        for stream, event in ((child.stdin, selectors.EVENT_WRITE),
                              (child.stdout, selectors.EVENT_READ),
                              (child.stderr, selectors.EVENT_READ)):  # fmt: skip
            os.set_blocking(stream.fileno(), False)
            self.selector.register(stream, event)
        for channel in interview.channels if interview else ():
            self.selector.register(channel.ours, selectors.EVENT_READ, channel)

    def error(self) -> str:
        return self.tail.decode(errors="replace")

    def attend(self) -> None:
        """Until the child has ended, or is to be ended for a reason."""
        looked = time.monotonic()
        while not self.reason and self.child.poll() is None:
            self.read(TICK)
            if time.monotonic() > looked + TICK:
                self.reason = self.reason or self.look()
                looked = time.monotonic()

    def read(self, seconds: float) -> None:
        """Passes on what there is now, or comes within that time."""
        if len(self.selector.get_map()) == 0:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.child.wait(seconds)
            return
        for key, _ in self.selector.select(seconds):
            try:
                more = self.hear(key.data) if key.data else self.pass_on(key.fileobj)
            except BlockingIOError:
                continue
            except OSError:
                more = False
            if not more:
                self.selector.unregister(key.fileobj)
                key.fileobj.close()

    def drain(self) -> None:
        """What is left when the child is gone."""
        while self.reason != "output" and self.selector.select(0):
            self.read(0)

    def look(self) -> str:
        """The limit that is passed, if one is.

        Raises:
          NoRoom: the disk is full, by whoever's doing.
        """
        limits = self.limits
        check_room(self.scratch)
        if time.monotonic() > self.last:
            return "timeout"
        found = tree(self.child.pid, self.mark, with_root=True)
        memory = sum(process.memory for process in found.values())
        left, shared = machine_memory()
        if shared > limits.memory:  # its own, or another's?
            memory += nameless(found)
        if memory > limits.memory or (left < 0 and memory > limits.memory // 4):
            return "memory"
        if len(found) > limits.processes + AROUND:
            return "processes"
        if any(cores(thread) - self.cores for pid in found for thread in threads(pid)):
            return "cores"
        cpu_seconds = sum(process.cpu_seconds for process in found.values())
        self.cpu_seconds = max(self.cpu_seconds, cpu_seconds)  # a dead one's is not there at once
        if self.cpu_seconds > limits.cpu_seconds:
            return "timeout"
        if self.interview and (reason := self.interview.look(self.cpu_seconds)):
            return reason
        files = 16 * limits.file_size
        return "output" if next(self.looks) % 10 == 0 and used(self.scratch, files) > files else ""

    def hear(self, channel: Channel) -> bool:
        """A piece of what is told in the interview; whether there may be more."""
        piece = channel.ours.recv(65536)
        self.count(len(piece))
        self.interview.take(channel, piece)
        return bool(piece)

    def count(self, size: int) -> None:
        self.written += size
        if self.written > self.limits.output:
            self.reason = self.reason or "output"

    def pass_on(self, stream: Any) -> bool:
        """A piece of a stream; whether there may be more."""
        if stream is self.child.stdin:
            self.left = self.left[os.write(stream.fileno(), self.left[:65536]) :]
            return bool(self.left)
        piece = os.read(stream.fileno(), 65536)
        self.count(len(piece))
        if stream is self.child.stdout:
            self.output += piece[: self.limits.output - len(self.output)]
        else:
            self.tail = (self.tail + piece)[-KEPT:]
        return bool(piece)


def machine_memory() -> tuple[int, int]:
    """The bytes that the machine has left beyond a sixteenth, and those that are shared: what is
    hidden in files of memory counts in no process."""
    if sys.platform != "linux":
        return 1, 0
    words = Path("/proc/meminfo").read_text(encoding="ascii").split()
    names = ("MemTotal:", "MemAvailable:", "Shmem:")
    total, available, shared = (int(words[words.index(name) + 1]) * 1024 for name in names)
    return available - total // 16, shared


def cores(thread: int) -> set[int]:
    """The processors that a thread may run on; nothing, where that is not to be known."""
    with contextlib.suppress(OSError, AttributeError):
        return os.sched_getaffinity(thread)
    return set()


def threads(pid: int) -> list[int]:
    with contextlib.suppress(OSError):
        return list(map(int, os.listdir(f"/proc/{pid}/task")))
    return []


def nameless(pids: Iterable[int]) -> int:
    """The bytes of files without a name that processes hold: files of memory are such."""
    sizes = {}
    for pid in pids:
        with contextlib.suppress(OSError):
            for name in os.listdir(f"/proc/{pid}/fd"):
                with contextlib.suppress(OSError):
                    file = os.stat(f"/proc/{pid}/fd/{name}")
                    if file.st_nlink == 0:
                        sizes[file.st_dev, file.st_ino] = file.st_blocks * 512
    return sum(sizes.values())


def used(folder: Path, enough: int) -> int:
    """What a folder's files take on the disk; counted until it is more than enough."""
    folders, total = [str(folder)], 0
    while folders and total <= enough:
        with contextlib.suppress(OSError), os.scandir(folders.pop()) as entries:
            for entry in entries:
                total += max(entry.stat(follow_symlinks=False).st_blocks * 512, 4096)
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
    return total
