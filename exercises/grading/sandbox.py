"""Running a child that nobody trusts: how long, how much, and what it may see.

With bubblewrap a child sees Python, what it is given and a scratch folder, and nothing else of the
machine. Without it there are limits, and an end for all that it started; `isolation` says what that
leaves open.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from exercises.grading.confine import MARK, Limits, end, tree
from exercises.grading.interview import Interview
from exercises.grading.scratch import OWN_USERS, scratch_folder
from exercises.grading.watch import Watch

CONFINE = Path(__file__).resolve().with_name("confine.py")
LINUX = sys.platform == "linux"
TOLD = ("A submission can miss a hidden property on purpose, and so tell its author yes or no of a "
        "case that it is run on.")  # fmt: skip
COUNT = itertools.count()
SINGLE = ("OMP", "OPENBLAS", "MKL", "VECLIB", "NUMEXPR", "NUMBA")  # one thread each


class Outcome(NamedTuple):
    """How a child ended: done, timeout, memory, output, processes or crash."""

    output: bytes
    error: str
    status: str
    seconds: float


class Isolation(NamedTuple):
    """What keeps a child from the rest. `gaps`: sentences on what is not prevented."""

    name: str  # "bubblewrap" or "limits"
    gaps: tuple[str, ...] = ()


class Refused(Exception):
    """Nothing here would hold a child that means harm."""


# The command that starts a child.


def run(
    argv: Sequence[str], given: bytes, scratch: Path, readonly: Sequence[Path],
    limits: Limits, isolated: bool, interview: Interview | None = None,
) -> Outcome:  # fmt: skip
    """Runs a command to its end, or to that of its limits. Nothing that it starts is left.

    Args:
      argv: the command, with its whole path.
      given: its standard input.
      scratch: where it starts, and may write.
      readonly: files and folders that it may read beside Python's.
      limits: what it may use.
      isolated: whether it is kept from the rest of the machine, as well as can be.
      interview: what it is asked meanwhile, on sockets that it inherits.

    Raises:
      Refused: it is to be isolated, and this is root without bubblewrap.
    """
    program = bubblewrap() if isolated else None
    if isolated and not program and os.getuid() == 0:
        raise Refused(
            "Root grades in bubblewrap only, for limits do not hold root's processes: "
            f"{why_not()} Use an account of less power, or install bubblewrap."
        )
    return start(program, argv, given, scratch, readonly, limits, interview)


def start(
    program: str | None, argv: Sequence[str], given: bytes, scratch: Path,
    readonly: Sequence[Path], limits: Limits, interview: Interview | None = None,
) -> Outcome:  # fmt: skip
    """Runs a command, in bubblewrap where `program` is its path."""
    began, mark, user = time.monotonic(), secrets.token_hex(16), 0
    around: list[str] = []
    if program:
        user = own_user(scratch) if os.getuid() == 0 else 0
        around = [program, *namespaces(), *mounts(scratch, [CONFINE, *readonly])]
    hangs, lifeline = os.pipe()
    orders = {"lifeline": hangs, "mark": mark, "user": user, "folder": str(scratch),
              "limits": resources(limits, user)}  # fmt: skip
    theirs = [channel.theirs for channel in interview.channels] if interview else []
    command = [
        *around, sys.executable, "-I", "-S", "-B", str(CONFINE), json.dumps(orders), *argv,
    ]  # fmt: skip
    with open(lifeline, "wb") as held, subprocess.Popen(
        command, env=environment(scratch, mark), stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        pass_fds=[hangs, *(one.fileno() for one in theirs)],
    ) as child:  # fmt: skip
        os.close(hangs)
        for one in theirs:
            one.close()
        watch = Watch(child, given, scratch, limits, began + limits.seconds, "" if LINUX else mark,
                      interview)  # fmt: skip
        try:
            watch.attend()
        finally:
            held.close()
            finish(child, mark)
            watch.drain()
    status = watch.reason or ended(child.returncode, watch.error())
    return Outcome(bytes(watch.output), watch.error(), status, time.monotonic() - began)


def ended(code: int, error: str) -> str:
    """What an exit status means."""
    if code == 128 + signal.SIGXCPU:
        return "timeout"
    if code and "MemoryError" in error.splitlines()[-1:]:
        return "memory"
    return "crash" if code else "done"


def finish(child: subprocess.Popen, mark: str) -> None:
    """Ends a child whose lifeline is closed, and whatever else is left of it."""
    try:
        child.wait(timeout=15)
    except subprocess.TimeoutExpired:
        end(child.pid, mark)
        child.kill()
        child.wait()
    if child.returncode < 0 or not LINUX:  # who cared for its orphans was killed, or could not
        end(-1, mark)


# What a child has around it.


def environment(scratch: Path, mark: str) -> dict[str, str]:
    """Of the grader's own, nothing."""
    home = str(scratch)
    return {
        MARK: mark, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": home, "TMPDIR": home,
        "PYTHONHASHSEED": "0", "PYTHONUTF8": "1", "PYTHONUNBUFFERED": "1",
        **{f"{name}_NUM_THREADS": "1" for name in SINGLE},
        "MINIJAX_COMPILATION_CACHE_DIR": f"{home}/kernels", "NUMBA_CACHE_DIR": f"{home}/numba",
    }  # fmt: skip


def resources(limits: Limits, user: int) -> dict[str, int]:
    """By name, the limits that the system holds each process to. Who has a user of its own has all
    of its processes counted; otherwise those that this user has already come on top."""
    return {
        "RLIMIT_AS": limits.memory, "RLIMIT_CPU": limits.cpu_seconds, "RLIMIT_CORE": 0,
        "RLIMIT_FSIZE": limits.file_size, "RLIMIT_NOFILE": 256,
        "RLIMIT_NPROC": limits.processes + (0 if user else own_threads()),
    }  # fmt: skip


def own_threads() -> int:
    """How many threads this user has."""
    if not LINUX:
        command = ["ps", "-U", str(os.getuid()), "-o", "pid="]
        return len(subprocess.run(command, capture_output=True).stdout.splitlines())
    count = 0
    for pid, process in tree(0).items():
        with contextlib.suppress(OSError):
            count += process.threads * (os.stat(f"/proc/{pid}").st_uid == os.getuid())
    return count


def own_user(scratch: Path) -> int:
    """A user of a child's own, known to nobody else, who may write to its scratch folder.

    The kernel counts the processes of each user, but never those of root.
    """
    user = OWN_USERS + (os.getpid() * 64 + next(COUNT)) % 100_000_000
    os.chown(scratch, user, user)
    return user


# bubblewrap.


def namespaces() -> list[str]:
    """As root no user namespace: the child gets a user of its own. The one that starts it, alone in
    having a right left, is the first process, and all others end with it."""
    if os.getuid() == 0:
        shares = "ipc pid net uts cgroup-try".split()
        made = [f"--unshare-{name}" for name in shares]
        made += ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    else:
        made = ["--unshare-all"]
    return [*made, "--die-with-parent", "--new-session", "--as-pid-1"]


def mounts(scratch: Path, readonly: Sequence[Path]) -> list[str]:
    """What is there of the file system: programs, Python, what is given, and scratch."""
    made = []
    for name in ("usr", "lib", "lib64", "lib32", "bin", "sbin"):
        path = Path("/", name)
        if path.is_symlink():
            made += ["--symlink", os.readlink(path), str(path)]
        elif path.exists():
            made += ["--ro-bind", str(path), str(path)]
    pieces = ("bin", "lib", "lib64", "lib32", "pyvenv.cfg")
    chain = chain_of_links(Path(sys.executable))
    prefixes = [sys.prefix, sys.base_prefix, str(chain[-1].parents[1])]
    python = [Path(prefix, piece) for prefix in prefixes for piece in pieces]
    system = [Path("/etc/ld.so.cache"), Path("/etc/alternatives"), Path("/etc/localtime")]
    made += binds("--ro-bind", [path for path in [*python, *system] if not is_below(path, "/usr")])
    if is_below(CONFINE, "/usr"):
        made += ["--tmpfs", str(CONFINE.parent)]
    for link, target in itertools.pairwise(chain):
        if not any(is_below(link, folder) for folder in ("/usr", *prefixes)):
            made += ["--dir", str(link.parent), "--symlink", str(target), str(link)]
    made += binds("--ro-bind", readonly)
    made += ["--proc", "/proc", "--dev", "/dev", *binds("--bind", [scratch])]
    return [*made, "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/"]


def is_below(path: Path, folder: str) -> bool:
    return path.is_relative_to(folder)


def binds(how: str, paths: Sequence[Path]) -> list[str]:
    """Mounts where the same path leads inside. Folders on the way are open to the child's user."""
    made = []
    for path in dict.fromkeys(path for path in paths if path.exists()):
        for folder in list(path.parents)[-2::-1]:
            made += ["--dir", str(folder)]
        made += [how, str(path), str(path)]
    return made


def chain_of_links(path: Path) -> list[Path]:
    """A path, what it is a link to, and so on: Python is often found through several."""
    chain = [path]
    while chain[-1].is_symlink():
        chain.append(chain[-1].parent / os.readlink(chain[-1]))
    return chain


def bubblewrap() -> str | None:
    """The path of bubblewrap, where it really runs. Some systems have it, and forbid it."""
    return try_bubblewrap()[0]


def why_not() -> str:
    return try_bubblewrap()[1]


@cache
def try_bubblewrap() -> tuple[str | None, str]:
    """Its path, or a sentence on why not. It is tried once, with what a child needs."""
    program = shutil.which("bwrap")
    if not LINUX:
        return None, "There is no bubblewrap for this system."
    if not program:
        return None, "bubblewrap (bwrap) is not installed."
    limits = Limits(20, 20, 2 << 30, 4096, 16, 1 << 20)
    code = "import os, numpy; open('tried', 'w'); print(os.getpid() < 9)"
    with scratch_folder("trial") as scratch:
        argv = [sys.executable, "-P", "-s", "-B", "-c", code]
        outcome = start(program, argv, b"", scratch, [], limits)
    if outcome.output == b"True\n":
        return program, ""
    lines = outcome.error.strip().splitlines() or [outcome.status]
    return None, f"bubblewrap is installed, and does not run here ({lines[-1]})."


def isolation() -> Isolation:
    """What `isolated` means here."""
    if bubblewrap():
        return Isolation("bubblewrap", (TOLD,))
    gaps = [
        why_not(),
        "A submission can read what you can: the solutions, the hidden cases, the seeds.",
        "It can write and delete what you can, and use the network.",
        "It can end the grader.",
    ]
    if not LINUX:
        gaps += [
            "This system holds no process to a limit of memory; the grader looks at what is used.",
            "A process that leaves its parent and empties its environment is not found.",
            "This system keeps nobody to one processor: many processes of one slow the others.",
        ]
    return Isolation("limits", tuple(gaps))
