"""How many threads BLAS takes for a product, of NumPy's or in a loop of ours.

Its threads look for work without a rest, and a product waits for all of them. Where another program
has a processor, a product of 30 microseconds then takes 10 milliseconds, of processor time too. So
a small product has one thread. A larger one has all, but while that is known to be slower.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from time import perf_counter

import numpy as np

from minijax.compiler.maths import blas

# Multiplications of a product: BLAS takes threads; they are worth it; waiting is a small part.
SHARED, WORTH_SHARING, LARGE = 1 << 18, 1 << 22, 1 << 28
WAITED = 3  # times as long as one thread takes: others have the processors
REST = 30  # times as long as what was waited for: how long threads are not tried again

# In a kernel's text, the last three arguments are the sizes.
_CALL = re.compile(r"\bproduct(?:_onto)?_f\d\d\(.*, (\d+), (\d+), (\d+)\)$", re.MULTILINE)
now = perf_counter
_busy_until = [0.0]  # the time when threads are tried again


def multiply_by_threads(cost: int) -> Callable:
    """`np.matmul` for a product of so many multiplications, by one thread or by all."""
    if not SHARED <= cost < LARGE or blas.thread_counts() is None:
        return np.matmul
    alone = blas.by_one_thread(np.matmul)
    return alone if cost < WORTH_SHARING else _by_all_if_free(alone)


def loop_by_threads(source: str, kernel: Callable) -> Callable:
    """A kernel; where its text calls BLAS for small products alone, by one thread."""
    costs = [math.prod(map(int, sizes)) for sizes in _CALL.findall(source)]
    most = math.inf if "product_with_row_" in source else max(costs, default=0)
    is_small = SHARED <= most < WORTH_SHARING and blas.thread_counts() is not None
    return blas.by_one_thread(kernel) if is_small else kernel


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
