"""What holds a process that runs somebody's program: it may compute, and nothing else.

Two nets. A hook of Python's own refuses by name what a program has no business with: to write a
file, to start a process, to reach the network. Whoever gets round it, by way of C, meets the
system's: limits of time, memory and file sizes, and on Linux since 5.13 Landlock, with which a
process gives up the right to write anywhere, to reach the network and to signal others
(https://docs.kernel.org/userspace-api/landlock.html).
"""

from __future__ import annotations

import ctypes
import os
import resource
import struct
import sys
from typing import Any

REFUSED = {
    "open": "opens a file to write it", "os.remove": "removes a file", "os.rename": "moves a file",
    "os.rmdir": "removes a folder", "os.mkdir": "makes a folder", "os.truncate": "empties a file",
    "os.link": "makes a link", "os.symlink": "makes a link", "os.chmod": "changes a file's rights",
    "os.chown": "changes a file's owner", "os.utime": "changes a file's time",
    "shutil.rmtree": "removes folders", "os.system": "starts a process",
    "os.exec": "starts a process", "os.fork": "starts a process", "os.forkpty": "starts a process",
    "os.posix_spawn": "starts a process", "os.spawn": "starts a process",
    "subprocess.Popen": "starts a process", "os.kill": "ends a process",
    "os.killpg": "ends a process", "socket.connect": "reaches the network",
    "socket.bind": "reaches the network", "socket.getaddrinfo": "reaches the network",
    "socket.sendto": "reaches the network", "ctypes.dlopen": "loads a library",
}  # fmt: skip

# Of Landlock's interface: numbers of system calls, which are alike on all of Linux's machines, and
# bits. A right that a kernel doesn't know yet is left out for it.
CREATE, RESTRICT = 444, 446
NO_NEW_PRIVILEGES = 38
EXECUTE, READ_FILE, READ_DIR = 1 << 0, 1 << 2, 1 << 3
FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 5: 16}  # by the interface's version: how many there are
NETWORK, SCOPES = 0b11, 0b11  # since versions 4 and 6
ADD_RULE, BENEATH = 445, 1


class Refused(PermissionError):
    """The program asked for more than to compute."""


def confine(cpu_seconds: int, memory: int) -> None:
    """From now on this process computes, and does nothing else. There is no way back.

    Args:
      cpu_seconds: after as many more, it is ended.
      memory: bytes that it may take beside what it has.
    """
    limit(cpu_seconds, memory)
    landlock()
    sys.addaudithook(hook())


def limit(cpu_seconds: int, memory: int) -> None:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    used = int(usage.ru_utime + usage.ru_stime) + 1
    limits = {
        "RLIMIT_CPU": used + cpu_seconds, "RLIMIT_FSIZE": 0, "RLIMIT_CORE": 0,
        "RLIMIT_AS": address_space() + memory,
    }  # fmt: skip
    for name, value in limits.items():
        kind = getattr(resource, name)
        _, hard = resource.getrlimit(kind)
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        try:
            resource.setrlimit(kind, (value, value))
        except (ValueError, OSError):  # a system that has no such limit
            continue


def address_space() -> int:
    """Bytes that this process has mapped, where the system tells."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 4 << 30


def has_landlock() -> bool:
    return landlock_version() > 0


def landlock_version() -> int:
    """Of the kernel's interface; 0 where it has none."""
    if sys.platform != "linux":
        return 0
    return max(ctypes.CDLL(None).syscall(CREATE, None, 0, 1), 0)


def landlock() -> None:
    """Gives up all rights to files but those to read, and those to the network and to signals.

    Raises:
      OSError: the kernel has Landlock, and would not.
    """
    version = landlock_version()
    if not version:
        return
    libc = ctypes.CDLL(None, use_errno=True)
    rights = FILE_RIGHTS[max(known for known in FILE_RIGHTS if known <= version)]
    handled = (1 << rights) - 1
    given = [handled, *[NETWORK] * (version >= 4), *[SCOPES] * (version >= 6)]
    rules = struct.pack(f"{len(given)}Q", *given)
    ruleset = checked(libc, libc.syscall(CREATE, rules, len(rules), 0))
    root = os.open("/", os.O_PATH | os.O_CLOEXEC)
    beneath = struct.pack("=Qi", EXECUTE | READ_FILE | READ_DIR, root)
    checked(libc, libc.syscall(ADD_RULE, ruleset, BENEATH, beneath, 0))
    checked(libc, libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0))
    checked(libc, libc.syscall(RESTRICT, ruleset, 0))
    os.close(root)
    os.close(ruleset)


def checked(libc: ctypes.CDLL, result: int) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), "Landlock refused")
    return result


def hook() -> Any:
    """What Python calls before it does any such thing. It looks nothing up that can be changed."""
    refused, kind, text = dict(REFUSED), Refused, str
    writes = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

    def ask(event: str, args: tuple[Any, ...]) -> None:
        what = refused.get(event)
        if what is None:
            return
        if event == "open":
            _, _, flags = args
            if not flags & writes:
                return
        about = next((f" ({arg!r})" for arg in args if type(arg) is text), "")
        raise kind(
            f"This program {what}{about[:80]}. Here a program only computes: run it in Python "
            "itself, where it may do more."
        )

    return ask
