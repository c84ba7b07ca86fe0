"""Around a child that nobody trusts: limits, a user of its own, and an end for all that it starts.

`python confine.py ORDERS COMMAND...` starts a command and stays until it ends, or until the
lifeline, a pipe that the grader holds, is closed. Whatever the command has started comes to this
process when it is orphaned, daemons too, and ends with it.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

MARK = "MINIJAX_CHILD"  # in the environment of all that a child starts
PAGE = resource.getpagesize()
TICKS = os.sysconf("SC_CLK_TCK")  # in a second


class Limits(NamedTuple):
    """What a child may use, in all."""

    seconds: float  # with those that it sleeps, or waits for a processor
    cpu_seconds: int
    memory: int  # bytes
    output: int  # bytes
    processes: int
    file_size: int  # bytes; 16 times as many for all its files


# A tree of processes.


class Process(NamedTuple):
    parent: int
    memory: int  # bytes in use
    threads: int
    cpu_seconds: float  # its own, and that of those that it has waited for
    marked: bool = False  # its environment has the mark that was looked for


def processes(mark: str = "") -> dict[int, Process]:
    """All that run now, by number; with a mark, who is marked too."""
    return from_proc(mark) if os.path.exists("/proc/self/stat") else from_ps(mark)


def from_proc(mark: str) -> dict[int, Process]:
    found = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            with open(f"/proc/{name}/stat", "rb") as file:
                state, parent, *rest = file.read().rpartition(b")")[2].split()
            if state not in b"ZX":
                memory, threads = int(rest[19]) * PAGE, int(rest[15])
                cpu_seconds = sum(map(int, rest[9:13])) / TICKS
                found[int(name)] = Process(int(parent), memory, threads, cpu_seconds,
                                           is_marked(name, mark))  # fmt: skip
    return found


def is_marked(name: str, mark: str) -> bool:
    with contextlib.suppress(PermissionError):
        if mark:
            with open(f"/proc/{name}/environ", "rb") as file:
                return f"{MARK}={mark}".encode() in file.read()
    return False


def from_ps(mark: str) -> dict[int, Process]:
    command = ["ps", "axeww", "-o", "pid=,ppid=,rss=,time=,state=,command="]
    found = {}
    for line in subprocess.run(command, capture_output=True).stdout.splitlines():
        pid, parent, memory, cpu, state, *rest = line.split(None, 5)
        if not state.startswith(b"Z"):
            marked = bool(mark) and f"{MARK}={mark}".encode() in b"".join(rest)
            found[int(pid)] = Process(int(parent), int(memory) * 1024, 1, seconds(cpu), marked)
    return found


def seconds(time: bytes) -> float:
    """What `ps` writes as [[days-]hours:]minutes:seconds.

    >>> seconds(b"0:02.50"), seconds(b"1-00:00:01")
    (2.5, 86401.0)
    """
    days, _, rest = time.rpartition(b"-")
    parts = [float(part) for part in rest.split(b":")]
    return 86400 * int(days or 0) + sum(60**k * part for k, part in enumerate(reversed(parts)))


def tree(root: int, mark: str = "", with_root: bool = False) -> dict[int, Process]:
    """What descends from a process, and what is marked."""
    found = processes(mark)
    inside = {root, *(pid for pid, process in found.items() if process.marked)}
    while more := {p for p, process in found.items() if process.parent in inside} - inside:
        inside |= more
    inside -= {os.getpid()} if with_root else {os.getpid(), root}
    return {pid: found[pid] for pid in inside if pid in found}


def end(root: int, mark: str = "", seconds: float = 10) -> None:
    """Ends all that descends from a process. It is stopped first, so that nothing new starts."""
    last = time.monotonic() + seconds
    while (left := set(tree(root, mark))) and time.monotonic() < last:
        stopped: set[int] = set()
        while left - stopped and time.monotonic() < last:
            send(left - stopped, signal.SIGSTOP)
            stopped |= left
            left = set(tree(root, mark))
        send(stopped, signal.SIGKILL)
        reap()


def send(pids: Iterable[int], number: int) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def reap() -> dict[int, int]:
    """The children of this process that have ended, with their exit status as shells count it."""
    found = {}
    with contextlib.suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            code = os.waitstatus_to_exitcode(ended[1])
            found[ended[0]] = code if code >= 0 else 128 - code
    return found


def adopt_orphans() -> None:
    """What the command leaves behind becomes a child of this process (Linux; macOS has no such)."""
    if os.getpid() != 1 and sys.platform == "linux":
        import ctypes

        set_child_subreaper = 36
        ctypes.CDLL(None).prctl(set_child_subreaper, 1, 0, 0, 0)


# The command.


def limit(name: str, value: int, more: int = 0) -> None:
    """Sets a limit where the system has it, and never above the one that holds already."""
    kind = getattr(resource, name)
    _, hard = resource.getrlimit(kind)
    most = value + more if hard == resource.RLIM_INFINITY else min(value + more, hard)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(kind, (min(value, most), most))


def become(orders: dict[str, Any], command: Sequence[str]) -> None:
    """This process turns into the command, within its limits."""
    os.setsid()
    os.nice(5)
    with contextlib.suppress(OSError):  # where memory runs out, it is the first to go
        Path("/proc/self/oom_score_adj").write_text("1000")
    for name, value in orders["limits"].items():
        limit(name, value, more=int(name == "RLIMIT_CPU"))
    if orders["user"]:
        os.setgroups([])
        os.setresgid(*[orders["user"]] * 3)
        os.setresuid(*[orders["user"]] * 3)
    os.chdir(orders["folder"])
    os.execv(command[0], command)


def attend(child: int, lifeline: int) -> int:
    """Waits for the child, whose exit status this is, or for the lifeline's end."""
    ended, tells = os.pipe()
    os.set_blocking(tells, False)
    signal.set_wakeup_fd(tells, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    while True:
        found = reap()
        if child in found:
            return found[child]
        ready, _, _ = select.select([ended, lifeline], [], [])
        if lifeline in ready:
            return 128 + signal.SIGKILL
        os.read(ended, 4096)


def main() -> None:
    orders, command = json.loads(sys.argv[1]), sys.argv[2:]
    os.set_inheritable(orders["lifeline"], False)
    adopt_orphans()
    child = os.fork()
    if child == 0:
        try:
            become(orders, command)
        finally:
            os._exit(127)
    code = attend(child, orders["lifeline"])
    if os.getpid() != 1:  # with the first of its namespace the kernel ends all others
        end(os.getpid(), orders["mark"])
    os._exit(code)


if __name__ == "__main__":
    main()
