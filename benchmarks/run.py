"""minijax beside JAX, in one run: tracing, eager operations, and the time that importing takes.

Needs an environment that has both (`make bench` makes one). The two take turns within each
round, so that a busy machine slows both, and what is printed is a ratio: believe it sooner than
the microseconds. Exits with 1 when a ratio misses the bound in the last column.
"""

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import jax
import jax.numpy

import minijax
import minijax.numpy

ROOT = Path(__file__).resolve().parent.parent
EQUATIONS = 1000


def tracing(lib) -> Callable[[], object]:
    """Traces a function of 1,000 equations, anew each time."""
    def trace():
        def f(x):
            for _ in range(EQUATIONS // 2):
                x = lib.numpy.sin(x) * 2.0
            return x

        return lib.make_jaxpr(f)(1.0)

    assert len(trace().eqns) == EQUATIONS
    return trace


def eager_addition(lib) -> Callable[[], object]:
    """Adds four numbers to four numbers."""
    x = lib.numpy.arange(4.0)
    return lambda: (x + x).block_until_ready()


def eager_gradient(lib) -> Callable[[], object]:
    """The gradient, outside jit, of a function of four numbers."""
    x = lib.numpy.arange(4.0)
    gradient = lib.grad(lambda x: lib.numpy.sum(lib.numpy.sin(x) * x))
    return lambda: gradient(x).block_until_ready()


class Benchmark(NamedTuple):
    name: str
    prepare: Callable
    calls: int  # in one timing


BENCHMARKS = (
    Benchmark("trace 1,000 equations", tracing, 1),
    Benchmark("eager addition of four numbers", eager_addition, 2000),
    Benchmark("eager gradient, four numbers", eager_gradient, 100),
)


def seconds(call: Callable[[], object], calls: int) -> float:
    start = time.perf_counter()
    for _ in range(calls):
        call()
    return (time.perf_counter() - start) / calls


def seconds_to_import(module: str) -> float:
    """The import alone, without the interpreter's own start, in a fresh process.

    The round that warms up leaves the bytecode behind, as an installation would.
    """
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    program = f"import time; t = time.perf_counter(); import {module}; print(time.perf_counter()-t)"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=environment, check=True,
        capture_output=True, text=True)
    return float(done.stdout)


def take_turns(timings: list[Callable[[], float]], rounds: int) -> list[list[float]]:
    """Each timing once a round, for all rounds but a first one that warms up."""
    table = [[timing() for timing in timings] for _ in range(rounds + 1)]
    return [list(column) for column in zip(*table[1:], strict=True)]


def ratio(numerators: list[float], denominators: list[float]) -> float:
    """The median of the rounds' own ratios: the two of a round met the same machine."""
    return statistics.median(
        x / y for x, y in zip(numerators, denominators, strict=True))


def microseconds(times: list[float]) -> str:
    return f"{1e6 * statistics.median(times):12,.1f} us"


def main(rounds: int) -> int:
    met = True
    print(f"{'':32}{'minijax':>15}{'JAX':>15}   JAX / minijax")
    for name, prepare, calls in BENCHMARKS:
        runs = [prepare(minijax), prepare(jax)]
        ours, theirs = take_turns([partial(seconds, run, calls) for run in runs], rounds)
        r = ratio(theirs, ours)
        met &= r > 1
        print(f"{name:32}{microseconds(ours)}{microseconds(theirs)}   {r:6.2f}   (above 1)")

    imports = [partial(seconds_to_import, module) for module in ("minijax", "numpy", "jax")]
    ours, numpy, theirs = take_turns(imports, rounds)
    print(f"{'import':32}{microseconds(ours)}{microseconds(theirs)}   {ratio(theirs, ours):6.2f}")
    r = ratio(ours, numpy)
    met &= r < 1.5
    print(f"\nimport minijax / import numpy: {r:.2f}   (below 1.5)")
    return 0 if met else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15, help="turns that each library takes")
    sys.exit(main(parser.parse_args().rounds))
