"""The peak of memory: what a jitted program adds, on arrays of 64 MB.

A process runs the program on 16 million numbers, another on 16. The difference of their peaks is
what the data took: input, output, and whatever lies between them.

    python -m benchmarks.memory minijax elementwise_chain 16000000     prints the bytes of the peak
"""

import math
import sys
import tempfile

from benchmarks import pallas
from benchmarks.libraries import CACHE, load
from benchmarks.pallas import KEYS
from benchmarks.processes import peak, run_fresh
from benchmarks.rows import Row
from benchmarks.turns import Effort, name_of

SIZE, BASELINE = 16_000_000, 16


def elementwise_chain(lib, size=SIZE):
    """Ten operations that can run as one loop."""
    def f(x):
        for i in range(5):
            x = lib.numpy.sin(x) + float(i)
        return x

    return lib.jit(f), (lib.numpy.full((size,), 0.5),)


def chain_of_dots(lib, size=SIZE):
    """Ten products with a 4x4 matrix, each of which needs the one before it whole."""
    def f(x, w):
        for _ in range(10):
            x = x @ w
        return x

    return lib.jit(f), (lib.numpy.full((size // 4, 4), 0.5), lib.numpy.full((4, 4), 0.25))


def chain_gradient(lib, size=SIZE):
    """The gradient through ten operations, whose backward pass needs what the forward pass had."""
    def f(x):
        for i in range(5):
            x = lib.numpy.sin(x) + float(i)
        return lib.numpy.sum(x)

    return lib.jit(lib.grad(f)), (lib.numpy.full((size,), 0.5),)


def attention_by_hand(lib, size=SIZE):
    """Attention of two heads, by hand in minijax and in its plain form in JAX: of 3,968 queries and
    keys, which have a score for each pair, or of a few."""
    positions = max(KEYS, math.isqrt(size) // KEYS * KEYS)
    return pallas.attention_by_hand(lib, positions, heads=2)


WORKLOADS = (elementwise_chain, chain_of_dots, chain_gradient, attention_by_hand)


def peak_of(library: str, name: str, size: int) -> float:
    """The peak of a process that finds nothing compiled: so what compiling takes is in each."""
    with tempfile.TemporaryDirectory() as folder:
        arguments = "-m", "benchmarks.memory", library, name, str(size)
        return run_fresh(*arguments, environment={CACHE: folder})[0]


def added(library: str, name: str) -> float:
    return peak_of(library, name, SIZE) - peak_of(library, name, BASELINE)


def measure(effort: Effort) -> list[Row]:
    """A row for each chain."""
    return [
        Row("peak memory", name_of(workload), added("minijax", workload.__name__),
            added("jax", workload.__name__), unit="B")
        for workload in WORKLOADS[:effort.workloads]
    ]


def main(library: str, name: str, size: str) -> None:
    lib = load(library)
    [workload] = [workload for workload in WORKLOADS if workload.__name__ == name]
    function, args = workload(lib, int(size))
    lib.block_until_ready(function(*args))
    print(peak())


if __name__ == "__main__":
    main(*sys.argv[1:])
