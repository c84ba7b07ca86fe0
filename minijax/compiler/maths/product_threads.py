"""How many threads BLAS takes for a product of NumPy's.

Its threads look for work without a rest, and a product waits for all of them. Where another program
has a processor, a product of 30 microseconds then takes 10 milliseconds, of processor time too. So
a small product has one thread. A larger one has all, but while that is known to be slower.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from time import perf_counter

import numpy as np

from minijax.compiler.maths import blas

# Multiplications of a product: BLAS takes threads; they are worth it; waiting is a small part.
SHARED, WORTH_SHARING, LARGE = 1 << 18, 1 << 22, 1 << 28
WAITED = 3  # times as long as one thread takes: others have the processors
REST = 30  # times as long as what was waited for: how long threads are not tried again

now = perf_counter
_busy_until = [0.0]  # the time when threads are tried again


def multiply_by_threads(cost: int) -> Callable:
    """`np.matmul` for a product of so many multiplications, by one thread or by all."""
    if not SHARED <= cost < LARGE or blas.thread_counts() is None:
        return np.matmul
    alone = blas.by_one_thread(np.matmul)
    return alone if cost < WORTH_SHARING else _by_all_if_free(alone)


def _by_all_if_free(alone: Callable) -> Callable:
    """The first product is one thread's, which shows how long that takes."""
    least = math.inf  # seconds, by one thread

    def product(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        nonlocal least
        start = now()
        if least == math.inf or start < _busy_until[0]:
            result = alone(x, y)
            least = min(least, now() - start)
            return result
        result = np.matmul(x, y)
        took = now() - start
        if took > WAITED * least:
            _busy_until[0] = start + (1 + REST) * took
        return result

    return product
