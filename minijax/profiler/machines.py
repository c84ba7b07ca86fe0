"""What this machine can do: how fast it moves bytes, and how fast it computes."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np

from minijax.compiler.executable import workers


class Machine(NamedTuple):
    """The two bounds of a roofline, measured: bytes and operations on float32, each in a second."""

    bandwidth: float
    flops: float

    def least_seconds(self, num_bytes: float, operations: float) -> float:
        """How long it takes at least to move so many bytes, and to compute so much meanwhile.

        >>> Machine(bandwidth=1e9, flops=1e10).least_seconds(1e9, 5e10)
        5.0
        """
        return max(num_bytes / self.bandwidth, operations / self.flops)


@cache
def this_machine() -> Machine:
    """What the processor's threads reach together; measured once in a process, in half a second."""
    return Machine(_bandwidth(), _flops())


def fastest(run: Callable[[], object], times: int = 5) -> float:
    """The seconds of the fastest of some runs."""
    seconds = []
    for _ in range(times):
        begin = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - begin)
    return min(seconds)


def _bandwidth(size: int = 1 << 24) -> float:
    """Of a copy between arrays that are larger than caches: what is read, and what is written."""
    count, pool = workers()
    x, y = np.ones(size, np.float32), np.zeros(size, np.float32)
    pieces = list(zip(np.array_split(x, count), np.array_split(y, count), strict=True))

    def run() -> None:
        others = [pool.submit(np.copyto, to, part) for part, to in pieces[1:]]
        np.copyto(pieces[0][1], pieces[0][0])
        for other in others:
            other.result()

    return 2 * x.nbytes / fastest(run)


def _flops(size: int = 768) -> float:
    """Of a product of matrices, as NumPy's library makes it: two operations for each term."""
    x = np.ones((size, size), np.float32)
    return 2 * size**3 / fastest(lambda: x @ x)
