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
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from exercises.confine import MARK, end, tree

CONFINE = Path(__file__).resolve().with_name("confine.py")
LINUX = sys.platform == "linux"
TICK = 0.1  # seconds from one look at the child to the next
TOLD = "A submission can tell its author, in its own messages, the cases that it is run on."
KEPT = 4000  # of what it wrote to stderr
AROUND = 3  # processes that are not the child's own: bubblewrap's and confine.py's
COUNT = itertools.count()
SINGLE = ("OMP", "OPENBLAS", "MKL", "VECLIB", "NUMEXPR", "NUMBA")  # one thread each


class Limits(NamedTuple):
    """What a child may use, in all."""

    seconds: float
    cpu_seconds: int
    memory: int  # bytes
    output: int  # bytes
    processes: int
    file_size: int  # bytes; 16 times as many for all its files


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
    limits: Limits, isolated: bool,
) -> Outcome:  # fmt: skip
    """Runs a command to its end, or to that of its limits. Nothing that it starts is left.

    Args:
      argv: the command, with its whole path.
      given: its standard input.
      scratch: where it starts, and may write.
      readonly: files and folders that it may read beside Python's.
      limits: what it may use.
      isolated: whether it is kept from the rest of the machine, as well as can be.

    Raises:
      Refused: it is to be isolated, and this is root without bubblewrap.
    """
    program = bubblewrap() if isolated else None
    if isolated and not program and os.getuid() == 0:
        raise Refused(
            "Root grades in bubblewrap only, for limits do not hold root's processes: "
            f"{why_not()} Use an account of less power, or install bubblewrap."
        )
    return start(program, argv, given, scratch, readonly, limits)


def start(
    program: str | None, argv: Sequence[str], given: bytes, scratch: Path,
    readonly: Sequence[Path], limits: Limits,
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
    command = [
        *around, sys.executable, "-I", "-S", "-B", str(CONFINE), json.dumps(orders), *argv,
    ]  # fmt: skip
    with open(lifeline, "wb") as held, subprocess.Popen(
        command, env=environment(scratch, mark), stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, pass_fds=[hangs], start_new_session=True,
    ) as child:  # fmt: skip
        os.close(hangs)
        watch = Watch(child, given, scratch, limits, began + limits.seconds, mark)
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


class Watch:
    """Reads what a child writes, up to its limits, and looks at what it uses."""

    def __init__(
        self, child: subprocess.Popen, given: bytes, scratch: Path, limits: Limits,
        last: float, mark: str,
    ) -> None:  # fmt: skip
        self.child, self.scratch, self.limits, self.last = child, scratch, limits, last
        self.mark = "" if LINUX else mark  # elsewhere, orphans are known by it alone
        self.left = memoryview(given)
        self.output, self.tail, self.written = bytearray(), bytearray(), 0
        self.reason, self.looks = "", itertools.count(1)
        self.selector = selectors.DefaultSelector()
        for stream, event in ((child.stdin, selectors.EVENT_WRITE),
                              (child.stdout, selectors.EVENT_READ),
                              (child.stderr, selectors.EVENT_READ)):  # fmt: skip
            os.set_blocking(stream.fileno(), False)
            self.selector.register(stream, event)

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
                more = self.pass_on(key.fileobj)
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
        """The limit that is passed, if one is."""
        limits = self.limits
        if time.monotonic() > self.last:
            return "timeout"
        found = tree(self.child.pid, self.mark)
        memory = sum(process.memory for process in found.values())
        left, shared = machine_memory()
        if shared > limits.memory:  # its own, or another's?
            memory += nameless(found)
        if memory > limits.memory or left < 0:
            return "memory"
        if len(found) > limits.processes + AROUND:
            return "processes"
        files = 16 * limits.file_size
        return "output" if next(self.looks) % 10 == 0 and used(self.scratch, files) > files else ""

    def pass_on(self, stream: Any) -> bool:
        """A piece of a stream; whether there may be more."""
        if stream is self.child.stdin:
            self.left = self.left[os.write(stream.fileno(), self.left[:65536]) :]
            return bool(self.left)
        piece = os.read(stream.fileno(), 65536)
        self.written += len(piece)
        if stream is self.child.stdout:
            self.output += piece[: self.limits.output - len(self.output)]
        else:
            self.tail = (self.tail + piece)[-KEPT:]
        if self.written > self.limits.output:
            self.reason = self.reason or "output"
        return bool(piece)


def machine_memory() -> tuple[int, int]:
    """The bytes that the machine has left beyond a sixteenth, and those that are shared: what is
    hidden in files of memory counts in no process."""
    if not LINUX:
        return 1, 0
    words = Path("/proc/meminfo").read_text(encoding="ascii").split()
    names = ("MemTotal:", "MemAvailable:", "Shmem:")
    total, available, shared = (int(words[words.index(name) + 1]) * 1024 for name in names)
    return available - total // 16, shared


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


@contextlib.contextmanager
def scratch_folder(prefix: str) -> Iterator[Path]:
    """A folder for a while. Whatever a child has made of it, it goes."""
    folder = Path(tempfile.mkdtemp(prefix=prefix)).resolve()
    try:
        yield folder
    finally:
        for command in (["chmod", "-R", "u+rwx"], ["rm", "-rf"]):
            subprocess.run([*command, str(folder)], capture_output=True)


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
    user = 2_000_000_000 + (os.getpid() * 64 + next(COUNT)) % 100_000_000
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
    with scratch_folder("trial-") as scratch:
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
        ]
    return Isolation("limits", tuple(gaps))
