"""Which arrays and programs are in memory, and who made them, as pprof reads it."""

from __future__ import annotations

import gc
import os
import time
from collections import Counter
from typing import Any

import numpy as np

from minijax.compiler.executable import Executable
from minijax.core.arrays import ArrayImpl
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.sharding.meshes import Device
from minijax.placement import devices
from minijax.profiler.array_origins import Place, Stack, origin_of
from minijax.profiler.pprof import profile

_KINDS = [("allocations", "count"), ("space", "bytes")]


def device_memory_profile(backend: str | None = None) -> bytes:
    """The arrays and the compiled programs of now, as a profile for pprof, compressed.

    Each array counts with the stack of the user's that made it. That is known of arrays that were
    made while a trace was recorded (`trace`), with their named scopes, and of all where Python's
    `tracemalloc` is on: `python -X tracemalloc=25`. Of others the type is known. Memory that
    several arrays share counts once. A program counts with the bytes of its text, under its name.

    RuntimeError for a backend that is not there.

    >>> device_memory_profile()[:2].hex()
    '1f8b'
    """
    if backend not in (None, "cpu"):
        raise RuntimeError(
            f"device_memory_profile knows no backend {shown(backend)}. Give 'cpu', the only one."
        )
    counts, sizes = Counter[tuple](), Counter[tuple]()
    for stack, size, labels in (*_arrays(), *_programs()):
        counts[stack, labels] += 1
        sizes[stack, labels] += size
    samples = [(stack, (counts[key], sizes[key]), dict(labels))
               for key in counts for stack, labels in [key]]  # fmt: skip
    return profile(_KINDS, samples, time.time_ns())


def save_device_memory_profile(
    filename: str | os.PathLike[str], backend: str | None = None
) -> None:  # fmt: skip
    """Writes what `device_memory_profile` returns to a file: `pprof --web FILE` shows it.

    OSError where it can't be written.
    """
    found = device_memory_profile(backend)
    with open(filename, "wb") as file:
        file.write(found)


Sample = tuple[Stack, int, tuple[tuple[str, str], ...]]  # who made it, its bytes, its labels


def _arrays() -> list[Sample]:
    """Each memory that an array has, once."""
    found: dict[int, Sample] = {}
    for x in (x for x in gc.get_objects() if issubclass(type(x), ArrayImpl)):
        for memory, device in _parts(x):
            labels = ("kind", "buffer"), ("device", str(device)), ("type", str(x.aval))
            stack = origin_of(x)
            if id(memory) not in found or (stack and not found[id(memory)][0]):
                found[id(memory)] = stack, memory.nbytes, labels
    return [
        (stack or (Place(dict(labels)["type"], "", 0),), size, labels)
        for stack, size, labels in found.values()
    ]


def _parts(x: ArrayImpl) -> list[tuple[np.ndarray, Device]]:
    """What an array that was not deleted holds on its devices; of several, each its part."""
    is_whole = type(x) is ArrayImpl
    held = getattr(x, "_value" if is_whole else "_shards", None)  # it may be in the making
    if held is None:
        return []
    parts = [_memory(held)] if is_whole else held
    return list(zip(parts, x.sharding.device_assignment, strict=True))


def _memory(value: Any) -> np.ndarray:
    """The NumPy array that has the memory of this one: a view's is another's."""
    while isinstance(value.base, np.ndarray):
        value = value.base
    return value


def _programs() -> list[Sample]:
    labels = (("kind", "executable"), ("device", str(devices()[0])))
    found = (x for x in gc.get_objects() if type(x) is Executable and hasattr(x, "text"))
    return [((_program_place(x),), len(x.text.encode()), labels) for x in found]


def _program_place(program: Executable) -> Place:
    info = program.jaxpr.jaxpr.debug_info
    code = info.code if info else None
    if code is None:
        return Place(program.name, "", 0)
    return Place(program.name, code.co_filename, code.co_firstlineno)
