"""Caches: a kernel's text is compiled once in a process, and once on a machine.

What was compiled is kept in memory by its text, and in a folder by a digest of all that it depends
on. Whatever is wrong with the folder or a file in it, the kernel is compiled again.
"""

from __future__ import annotations

import hashlib
import os
import stat
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

from minijax.compiler import native
from minijax.compiler.doors import (
    as_function, door, environment, interpreted, is_jit_disabled, native_code, others_called,
)
from minijax.core.config import BoundedDict, config, register_cache

# A kernel, and where its text is.


class Kernel:
    """A compiled kernel. `call` runs native code, which trusts its arguments.

    Called itself, the kernel checks them first: arrays and numbers of the signature's types.
    """

    __slots__ = ("call", "file", "name", "signature", "source")

    def __init__(self, source: str, name: str, signature: tuple, file: str, call: Callable) -> None:
        self.source, self.name, self.signature = source, name, signature
        self.file, self.call = file, call

    def __call__(self, *args: Any) -> None:
        native.check_arguments(self.name, self.signature, args)
        self.call(*args)

    def __repr__(self) -> str:
        return f"Kernel({self.name}({', '.join(self.signature)}), {self.file})"


# The key: all that native code depends on.


def kernel_key(source: str, name: str, signature: tuple, fastmath: frozenset) -> str:
    """The name of a kernel's file."""
    settings = tuple(sorted(item for item in os.environ.items() if item[0].startswith("NUMBA_")))
    facts = (source, name, signature, sorted(fastmath), door(), environment(settings))
    return hashlib.sha256(repr(facts).encode()).hexdigest()


# The folder: KEY.kernel is what was compiled, KEY.py its text, for a reader.


def _setting(name: str, default: str) -> Any:
    """An option's value; where it has none, what the environment says; or the default."""
    value = getattr(config, f"jax_{name}")
    return os.environ.get(f"MINIJAX_{name.upper()}", default) if value is None else value


def cache_folder() -> Path | None:
    """Where kernels are kept; None where nothing is to be kept, or where others could write."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    named = _setting("compilation_cache_dir", os.path.join(home, "minijax", "kernels"))
    if not named:
        return None
    try:
        os.makedirs(named, mode=0o700, exist_ok=True)
        return Path(named) if _is_ours(os.stat(named)) else None
    except OSError:
        return None


def _is_ours(status: os.stat_result) -> bool:
    """Whether this user owns it, and only this user and their group may write to it."""
    if not hasattr(os, "getuid"):  # Windows, where a user's folder is the user's
        return True
    return status.st_uid == os.getuid() and not status.st_mode & stat.S_IWOTH


_MAGIC = b"minijax kernel 1\n"


def packed(key: str, needed: str, code: bytes) -> bytes:
    """A file's content: a mark, a digest of the rest, the key, the names needed, the code."""
    payload = b"\n".join([key.encode(), needed.encode(), code])
    return _MAGIC + hashlib.sha256(payload).digest() + payload


def unpacked(key: str, content: bytes) -> tuple[str, bytes] | None:
    """The names needed and the code; None where the content is not, to the byte, what was kept."""
    mark, digest, payload = content[:17], content[17:49], content[49:]
    if mark != _MAGIC or hashlib.sha256(payload).digest() != digest:
        return None
    kept_key, needed, code = payload.split(b"\n", 2)
    return (needed.decode(), code) if kept_key.decode() == key else None


def is_kept(*of_kernel: Any) -> bool:
    """Whether the folder has a file for a kernel of this text, name, signature and flags."""
    folder = cache_folder()
    return folder is not None and (folder / f"{kernel_key(*of_kernel)}.kernel").exists()


def read_kernel(folder: Path, key: str) -> tuple[str, bytes] | None:
    """What the folder keeps under a key, marked as just used; None where there is nothing sound."""
    path = folder / f"{key}.kernel"
    try:
        with open(path, "rb") as file:
            if not _is_ours(os.fstat(file.fileno())):
                return None
            content = file.read()
    except OSError:
        return None
    with suppress(OSError):
        os.utime(path)
    return unpacked(key, content)


def write_file(path: Path, content: bytes) -> None:
    """Writes a file so that a reader finds all of it or none; does nothing where it can't."""
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.{threading.get_ident()}.tmp")
    try:
        with open(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(content)
        os.replace(unfinished, path)
    except OSError:
        with suppress(OSError):
            unfinished.unlink()


# The folder's size: what was used least recently goes first.

_writes = count()
_WRITES_BETWEEN_SWEEPS = 100


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
    with os.scandir(folder) as found:
        for entry in found:
            if entry.name.endswith((".kernel", ".py", ".tmp")):
                with suppress(OSError):  # another process removed it
                    status = entry.stat()
                    yield status.st_mtime, status.st_size, Path(entry.path)


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
                    path.unlink()


# From a text to a kernel, once.

_kernels: BoundedDict = BoundedDict(4096)
_in_work: dict[tuple, Any] = {}
_looking = threading.Lock()  # held while the two are looked into
register_cache(_kernels.clear)


def compile_source(source: str, name: str, signature: tuple, fastmath: frozenset) -> Kernel:
    """The kernel `name` of a text, compiled for arguments of these types.

    A type is "float32[::1]", a contiguous array's elements from the first on, or "int64", a number.
    The text sees addresses: it may index an array, and nothing else. ImportError where it is to
    be compiled and there is no Numba; NotImplementedError where it calls a function that is not
    this package's, and is to be kept in the folder.
    """
    key = (source, name, signature, fastmath, is_jit_disabled(), others_called(source))
    kernel = _kernels.get(key)
    if kernel is None:
        with _looking:
            lock = _in_work.setdefault(key, threading.Lock())
        with lock:  # a second thread that asks for this kernel waits here, others go on
            kernel = _kernels.get(key)
            if kernel is None:
                kernel = _kernels[key] = _load_or_compile(*key)
        with _looking:
            _in_work.pop(key, None)
    return kernel


def _load_or_compile(source: str, name: str, signature: tuple, fastmath: frozenset,
                     jit_disabled: bool, others: Sequence[Callable]) -> Kernel:  # fmt: skip
    folder = cache_folder()
    if others and folder and not jit_disabled:
        raise NotImplementedError(
            f"A kernel calls {', '.join(f'{f.__module__}.{f.__name__}' for f in others)}, which "
            f"is not one of minijax's own functions.\nThe kernels kept in {folder} don't know its "
            "text: once it is changed, they would give what it gave before. Compose it of lax's "
            "functions,\nor keep no kernels: "
            "minijax.config.update('jax_compilation_cache_dir', '')."
        )
    key = kernel_key(source, name, signature, fastmath)
    file = str(folder / f"{key}.py") if folder else f"<kernel {key[:16]}>"
    kept = read_kernel(folder, key) if folder and not jit_disabled else None
    call = native.load(name, *kept) if kept else None
    if call is None:
        if folder:
            write_file(folder / f"{key}.py", source.encode())
        if jit_disabled:
            call = interpreted(as_function(source, name, file))
        else:
            needed, code = native_code(source, name, signature, fastmath, file)
            call = _kept(name, needed, code, key)
    return Kernel(source, name, signature, file, call)


def _kept(name: str, needed: str, code: bytes, key: str) -> Callable:
    """Native code that is written to the folder and loaded."""
    folder = cache_folder()
    if folder:
        write_file(folder / f"{key}.kernel", packed(key, needed, code))
        _sweep_at_times(folder)
    call = native.load(name, needed, code)
    if call is None:
        raise RuntimeError(f"The kernel {name} needs one of {needed}: nothing has it here.")
    return call
