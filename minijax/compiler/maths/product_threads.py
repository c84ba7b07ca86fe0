"""How many threads BLAS takes for a product, of NumPy's or in a kernel of ours.

Its threads look for work without a rest, and a product waits for all of them. Where another program
has a processor, a product of 30 microseconds then takes 10 milliseconds, of processor time too. So
a small product has one thread. Larger ones have all where a product that is tried now and then says
that the processors are free.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

from minijax.compiler.maths import blas

# Multiplications of a product: BLAS takes threads; they are worth it; waiting is a small part.
SHARED, WORTH_SHARING, LARGE = 1 << 18, 1 << 22, 1 << 28
TRIED = np.ones((128, 256), np.float32), np.ones((256, 128), np.float32)
WAITED = 3  # times as long as one thread takes: others have the processors
FRESH = 0.05  # seconds for which free processors are taken to be free
REST = 30  # times as long as was waited: how long it is not tried again

# In a kernel's text, the last three arguments are the sizes.
_CALL = re.compile(r"\bproduct(?:_onto)?_f\d\d\(.*, (\d+), (\d+), (\d+)\)$", re.MULTILINE)
now = perf_counter


def multiply_by_threads(cost: int) -> Callable:
    """`np.matmul` for a product of so many multiplications, by one thread or by all."""
    return _by_threads(np.matmul, cost)


def kernel_by_threads(source: str, kernel: Callable) -> Callable:
    """A kernel for whose products BLAS takes one thread or all, by the largest in its text."""
    costs = [math.prod(map(int, sizes)) for sizes in _CALL.findall(source)]
    costs += [WORTH_SHARING] * ("product_with_row_" in source)  # a large matrix
    return _by_threads(kernel, max(costs, default=0))


def _by_threads(product: Callable, cost: int) -> Callable:
    if not SHARED <= cost < LARGE or blas.thread_counts() is None:
        return product
    alone = blas.by_one_thread(product)
    if cost < WORTH_SHARING:
        return alone

    def by_all_if_free(*operands: Any) -> Any:
        return product(*operands) if processors.are_free() else alone(*operands)

    return by_all_if_free


class Processors:
    """Whether BLAS's threads have processors of their own, as far as is known."""

    def __init__(self) -> None:
        self.by_one = math.inf  # seconds of the product that is tried, by one thread
        self.is_free, self.until = True, 0.0

    def are_free(self) -> bool:
        if now() < self.until:
            return self.is_free
        if self.by_one == math.inf:
            self.by_one = min(_seconds(blas.by_one_thread(np.matmul)) for _ in range(3))
        waited = _seconds(np.matmul)
        self.is_free = waited < WAITED * self.by_one
        self.until = now() + (FRESH if self.is_free else REST * waited)
        return self.is_free


processors = Processors()


def _seconds(product: Callable) -> float:
    start = now()
    product(*TRIED)
    return now() - start
