"""The direct door, and its cache on disk: a kernel's text is compiled once on a machine.

What was compiled is kept in a folder by a digest of all that it depends on. Whatever is wrong with
the folder or a file in it, the kernel is compiled again. No file is removed but those that were
written here, and none is run that somebody else could have written.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import time
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

from minijax.compiler import executable
from minijax.compiler.doors import Kernel, by_numba, compile_source
from minijax.compiler.fallbacks import fall_back
from minijax.compiler.kernel_functions import users_functions
from minijax.compiler.native import machine_code
from minijax.compiler.native.argument_checks import NativeKernel
from minijax.compiler.native.environment import environment
from minijax.compiler.native.scalars import Refused
from minijax.core.config import BoundedDict, bounded_cache, config, is_remote, register_cache
from minijax.core.errors import warn

# The key: all that native code depends on.


def kernel_key(source: str, name: str, signature: tuple, fastmath: frozenset) -> str:
    """The name of a kernel's file."""
    settings = tuple(sorted(item for item in os.environ.items() if item[0].startswith("NUMBA_")))
    facts = (source, name, signature, sorted(fastmath), machine_code.asked_level(),
             environment(settings))  # fmt: skip
    return hashlib.sha256(repr(facts).encode()).hexdigest()


# The folder: KEY.kernel is what was compiled, KEY.py its text, for a reader.

FOLDER = "minijax-kernels"  # inside the folder that is named: all in it is ours, and nothing else


def _setting(name: str, default: str) -> Any:
    """An option's value; where it has none, what the environment says; or the default."""
    value = getattr(config, f"jax_{name}")
    return os.environ.get(f"MINIJAX_{name.upper()}", default) if value is None else value


def _users_caches() -> str:
    """Where programs keep what they can make again; "" where this user has no such place."""
    places = os.environ.get("XDG_CACHE_HOME", ""), os.path.expanduser("~/.cache")
    return next(filter(os.path.isabs, places), "")


def cache_folder() -> Path | None:
    """Where kernels are kept; None where nothing is to be kept, or where others could write."""
    named = _setting("compilation_cache_dir", _users_caches())
    if not named:
        return None
    if is_remote(named):
        return _tell(f"Compiled kernels are kept in a folder of this machine, not in {named!r}.")
    try:
        folder = Path(os.path.realpath(named)) / FOLDER
        if not all(map(_is_safe, folder.parents)):
            return _tell(_OTHERS.format(folder.parent))
        if not os.path.lexists(folder):
            os.makedirs(folder.parent, mode=0o700, exist_ok=True)
            with suppress(FileExistsError):
                os.mkdir(folder, mode=0o700)
        status = os.lstat(folder)
    except (OSError, ValueError):
        return None
    if not stat.S_ISDIR(status.st_mode):
        return None
    return folder if _is_ours(status) else _tell(_OTHERS.format(folder))


# What others could have written is never run.

_OTHERS = "Others may write to {} or to what is around it, so nothing kept there is trusted."


@bounded_cache
def _tell(sentence: str) -> None:
    """A warning, once."""
    warn(f"{sentence} Kernels are compiled anew in each process. Let jax_compilation_cache_dir "
         "name a folder of yours alone, or '' to keep none.")  # fmt: skip


def _is_safe(folder: Path) -> bool:
    """Whether others can put nothing into a folder, or, as in /tmp, nothing in another's place."""
    try:
        status = os.lstat(folder)
    except FileNotFoundError:  # it is to be made
        return True
    if not hasattr(os, "getuid"):  # Windows, where a user's folder is the user's
        return True
    if status.st_uid not in (0, os.getuid()):
        return False
    if status.st_mode & stat.S_ISVTX:
        return True
    by_group = status.st_mode & stat.S_IWGRP and not _is_alone_in(status.st_gid)
    return not (by_group or status.st_mode & stat.S_IWOTH)


def _is_alone_in(gid: int) -> bool:
    """Whether a group has one member: us. Where each user has such a group, it may write."""
    import grp
    import pwd

    with suppress(KeyError):
        user, group = pwd.getpwuid(os.getuid()), grp.getgrgid(gid)
        return group.gr_name == user.pw_name and {*group.gr_mem} <= {user.pw_name}
    return False


def _is_ours(status: os.stat_result) -> bool:
    """Whether this user owns it, and nobody else may write to it."""
    if not hasattr(os, "getuid"):
        return True
    others = stat.S_IWGRP | stat.S_IWOTH
    return status.st_uid == os.getuid() and not status.st_mode & others


_MAGIC = b"minijax kernel 1\n"
_COMMENT = "# minijax kernel 1\n"  # the mark of a text


def packed(key: str, needed: str, code: bytes) -> bytes:
    """A file's content: a mark, a digest of the rest, the key, the names needed, the code."""
    payload = b"\n".join([key.encode(), needed.encode(), code])
    return _MAGIC + hashlib.sha256(payload).digest() + payload


def unpacked(key: str, content: bytes) -> tuple[str, bytes] | None:
    """The names needed and the code; None where the content is not, to the byte, what was kept."""
    mark, digest, payload = content[:17], content[17:49], content[49:]
    if mark != _MAGIC or hashlib.sha256(payload).digest() != digest:
        return None
    try:
        kept_key, needed, code = payload.split(b"\n", 2)
        return (needed.decode(), code) if kept_key.decode() == key else None
    except ValueError:  # fewer lines, or other bytes than a text's
        return None


def is_kept(*of_kernel: Any) -> bool:
    """Whether the folder has a file for a kernel of this text, name, signature and flags."""
    folder = cache_folder()
    return folder is not None and os.path.exists(folder / f"{kernel_key(*of_kernel)}.kernel")


# A link is not followed, and nobody waits for the other end of a pipe. (Windows has neither.)
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
_BYTES = getattr(os, "O_BINARY", 0)


def read_kernel(folder: Path, key: str) -> tuple[str, bytes] | None:
    """What the folder keeps under a key, marked as just used; None where there is nothing sound."""
    path = folder / f"{key}.kernel"
    try:
        with open(os.open(path, _READ | _BYTES), "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                return None
            if not _is_ours(status):
                return _tell(_OTHERS.format(folder))
            content = file.read()
    except OSError:
        return None
    with suppress(OSError):
        os.utime(path)
    return unpacked(key, content)


def write_file(path: Path, content: bytes) -> None:
    """Writes a file so that a reader finds all of it or none; does nothing where it can't."""
    unfinished = path.with_name(f"{path.name}.{os.urandom(8).hex()}.tmp")
    try:
        with open(os.open(unfinished, _CREATE | _BYTES, 0o600), "wb") as file:
            file.write(content)
        os.replace(unfinished, path)
    except OSError:
        with suppress(OSError):
            unfinished.unlink()


# The folder's size: what was used least recently goes first.

_writes = count()
_WRITES_BETWEEN_SWEEPS = 100
_NAMES = re.compile(r"[0-9a-f]{64}\.(kernel|py)(\.[0-9a-f]{16}\.tmp)?")


def size_limit() -> int:
    """How many bytes the folder may hold, about; -1 is no limit."""
    try:
        return int(_setting("compilation_cache_max_size", str(2**30)))
    except ValueError:
        return 2**30


def _sweep_at_times(folder: Path) -> None:
    """Sweeps at a process's first write, and at every hundredth: each is a walk over the folder."""
    if next(_writes) % _WRITES_BETWEEN_SWEEPS == 0:
        sweep(folder, size_limit())


def _entries(folder: Path) -> Iterator[tuple[float, int, Path]]:
    """When each file of ours was last used, its size, and where it is."""
    with os.scandir(folder) as found:
        for entry in found:
            if _NAMES.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                with suppress(OSError):  # another process removed it
                    status = entry.stat(follow_symlinks=False)
                    yield status.st_mtime, status.st_size, Path(entry.path)


def _has_mark(path: Path) -> bool:
    """Whether a file begins as ours do: as far as it goes, since one may be half written."""
    with open(os.open(path, _READ | _BYTES), "rb") as file:
        begin = file.read(len(_COMMENT))
    return any(mark.startswith(begin[: len(mark)]) for mark in (_MAGIC, _COMMENT.encode()))


def sweep(folder: Path, limit: int) -> None:
    """Removes what is over the limit in bytes, and what killed processes left; -1 is no limit."""
    with suppress(OSError):
        entries = sorted(_entries(folder), reverse=True)
        an_hour_ago = time.time() - 3600
        total = 0
        for used, size, path in entries:
            total += size
            is_left = path.suffix == ".tmp" and used < an_hour_ago
            if is_left or 0 <= limit < total:
                with suppress(OSError):
                    if _has_mark(path):
                        path.unlink()


# The direct door.

_asked: BoundedDict = BoundedDict(4096)  # the keys of kernels that the process has
_begun: BoundedDict = BoundedDict(4096)  # kernels' own code, before they are asked for
register_cache(_asked.clear)


def directly(source: str, name: str, signature: tuple, fastmath: frozenset) -> Kernel:
    """The kernel from the folder, or compiled by our translator. What it refuses, Numba compiles.

    Numba's go into no folder. Nor does what calls a function of the user's: once its text is
    changed, the folder would give what it gave before.
    """
    folder = None if users_functions(source) else cache_folder()
    key = kernel_key(source, name, signature, fastmath)
    file = str(folder / f"{key}.py") if folder else f"<kernel {key[:16]}>"
    kept = read_kernel(folder, key) if folder else None
    call = machine_code.load(name, *kept) if kept else None
    _asked[key], begun = True, _begun.pop(key, None)
    if call is None:
        try:
            own = begun.result() if begun else None
            needed, code = machine_code.native_code(source, name, signature, fastmath, own)
        except Refused as error:
            if not users_functions(source):
                fall_back("translator", error)
            return by_numba(source, name, signature, fastmath)
        if folder:
            write_file(folder / f"{key}.py", (_COMMENT + source).encode())
            write_file(folder / f"{key}.kernel", packed(key, needed, code))
            _sweep_at_times(folder)
        call = machine_code.load(name, needed, code)
        if call is None:
            raise RuntimeError(f"The kernel {name} needs one of {needed}: nothing has it here.")
    if "product_" in source:
        from minijax.compiler.maths.blas import by_size, largest_product

        call = by_size(call, largest_product(source))
    return NativeKernel(source, name, signature, "direct", file, call)


def begin(kernels: Sequence[tuple]) -> None:
    """Compiles what is missing, in all threads: the kernels' own code first, then what they call.

    So nobody waits for a function that another thread compiles, as long as there is more to do.
    """
    keys = {kernel_key(*kernel): kernel for kernel in kernels if not is_kept(*kernel)}
    missing = {key: Future[tuple]() for key in keys if key not in _asked}
    if len(missing) < 2:
        return
    for key, own in missing.items():
        _begun[key] = own
    first, then = deque(missing), deque(missing)

    def run() -> None:
        with machine_code.collector_at_rest(), suppress(IndexError):
            while True:
                key = first.popleft()
                compile_own(keys[key], missing[key])
        with suppress(IndexError):
            while True:
                compile_source(*keys[then.popleft()], "direct")

    count, pool = executable.workers()
    for _ in range(min(count, len(missing)) - 1):
        pool.submit(run)
    run()


def compile_own(kernel: tuple, own: Future) -> None:
    """A kernel's own code, or why there is none, is what those get who wait for it."""
    try:
        own.set_result(machine_code.own_code(*kernel))
    except BaseException as error:
        own.set_exception(error)
        if not isinstance(error, Exception):
            raise
