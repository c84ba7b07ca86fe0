"""Cost against size: elements of an array, equations of a program, steps of a loop."""

import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

from benchmarks.data import normals
from benchmarks.report import digits, quantity
from benchmarks.turns import Effort, make_call, middle_round, take_turns

ELEMENTS = tuple(10**n for n in range(8))
EQUATIONS = (1, 10, 100, 1000, 5000)
STEPS = tuple(10**n for n in range(6))


class Point(NamedTuple):
    """One size of a series: what minijax took and what JAX took, in seconds."""

    series: str
    what: str
    size: int
    minijax: float
    jax: float


def chain(lib, equations: int) -> Callable:
    """A function of so many equations, new each time: nobody has compiled it yet."""
    def f(x):
        for i in range(equations):
            x = lib.numpy.sin(x) if i % 2 else x * 1.5
        return x

    return f


def call_by_elements(lib, size: int):
    return lib.jit(chain(lib, 6)), (normals(lib, size),)


def call_by_equations(lib, size: int):
    return lib.jit(chain(lib, size)), (normals(lib, 100),)


def trace_by_equations(lib, size: int):
    return lambda: len(lib.make_jaxpr(chain(lib, size))(1.0).eqns), ()


def call_by_steps(lib, size: int):
    """A fori_loop over ten numbers. The count of steps is an argument: one program for all."""
    loop = lib.jit(lambda n, x: lib.lax.fori_loop(0, n, lambda i, x: 0.9 * x + lib.numpy.sin(x), x))
    return loop, (size, normals(lib, 10))


SERIES = (
    ("a call", "elements", ELEMENTS, call_by_elements),
    ("tracing", "equations", EQUATIONS, trace_by_equations),
    ("a call on 100 numbers", "equations", EQUATIONS, call_by_equations),
    ("a loop over ten numbers", "steps", STEPS, call_by_steps),
)


def first_call(lib, size: int) -> float:
    """Seconds to trace, compile and run a function of `size` equations that is new."""
    function, args = call_by_equations(lib, size)
    start = time.perf_counter()
    lib.block_until_ready(function(*args))
    return time.perf_counter() - start


def measure(libraries: tuple, effort: Effort) -> Iterator[Point]:
    """Each series, size by size. First calls come first, while none of the programs is compiled,
    and after one that has each library load what compiling needs.
    """
    for lib in libraries:
        first_call(lib, 2)
    for size in EQUATIONS:
        times = [first_call(lib, size) for lib in libraries]
        yield Point("first call", "equations", size, *times)
    for series, what, sizes, workload in SERIES:
        for size in sizes:
            calls = [make_call(*workload(lib, size)) for lib in libraries]
            yield Point(series, what, size, *middle_round(take_turns(calls, effort)))


def line(point: Point) -> str:
    times = f"{quantity(point.minijax):>12}{quantity(point.jax):>12}"
    what = f"{point.size:,} {point.what}"
    return f"  {point.series:25}{what:>22}{times}{digits(point.jax / point.minijax):>9}"
