"""Cost against size: elements of an array, equations of a program, steps of a loop."""

import random
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

from benchmarks.data import normals
from benchmarks.report import digits, quantity
from benchmarks.turns import Effort, make_call, middle_round, take_turns

ELEMENTS = tuple(10**n for n in range(8))
EQUATIONS = (1, 10, 100, 1000, 5000)
DIFFERENT = (10, 100, 1000, 5000)
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


# Of the last two values and a number near 1 the next one, which stays within a few units of 0.
OPERATIONS: tuple[Callable, ...] = (
    lambda lib, x, y, c: 0.5 * x + c,
    lambda lib, x, y, c: c - 0.5 * (x - y),
    lambda lib, x, y, c: x / (abs(y) + c),
    lambda lib, x, y, c: lib.numpy.maximum(x, y) - c,
    lambda lib, x, y, c: lib.numpy.minimum(c * x, y),
    lambda lib, x, y, c: lib.numpy.where(x > c, y, x),
    lambda lib, x, y, c: lib.numpy.clip(x, -c, c),
    lambda lib, x, y, c: lib.numpy.floor(c * x) - y,
    lambda lib, x, y, c: lib.numpy.sqrt(abs(x) + c),
    lambda lib, x, y, c: lib.lax.rsqrt(x * x + c),
    lambda lib, x, y, c: lib.numpy.exp(-c * abs(x)),
    lambda lib, x, y, c: lib.numpy.expm1(-c * abs(x)),
    lambda lib, x, y, c: lib.numpy.log(abs(x) + c),
    lambda lib, x, y, c: lib.numpy.log1p(c * abs(x)),
    lambda lib, x, y, c: (abs(x) + 0.1) ** (-0.5 * c),
    lambda lib, x, y, c: lib.numpy.sin(c * x),
    lambda lib, x, y, c: lib.numpy.cos(c * x),
    lambda lib, x, y, c: lib.numpy.tan(0.5 * lib.numpy.tanh(x)) + c,
    lambda lib, x, y, c: lib.nn.sigmoid(x) - c * y,
    lambda lib, x, y, c: lib.lax.erf(c * x),
    lambda lib, x, y, c: lib.numpy.arctan2(x, abs(y) + c),
    lambda lib, x, y, c: lib.numpy.arcsinh(c * x),
    lambda lib, x, y, c: lib.numpy.cbrt(x + c),
)


def varied(lib, equations: int) -> Callable:
    """A function of so many operations that all differ: in kind, order or number."""
    numbers = random.Random(equations)
    steps = [(numbers.choice(OPERATIONS), numbers.uniform(0.5, 1.5)) for _ in range(equations)]

    def f(x):
        before = x
        for operation, c in steps:
            before, x = x, operation(lib, x, before, c)
        return x

    return f


def call_by_elements(lib, size: int):
    return lib.jit(chain(lib, 6)), (normals(lib, size),)


def call_by_equations(lib, size: int, program: Callable = chain):
    return lib.jit(program(lib, size)), (normals(lib, 100),)


def trace_by_equations(lib, size: int, program: Callable = chain):
    return lambda: len(lib.make_jaxpr(program(lib, size))(1.0).eqns), ()


def call_different(lib, size: int):
    return call_by_equations(lib, size, varied)


def trace_different(lib, size: int):
    return trace_by_equations(lib, size, varied)


def call_by_steps(lib, size: int):
    """A fori_loop over ten numbers. The count of steps is an argument: one program for all."""
    loop = lib.jit(lambda n, x: lib.lax.fori_loop(0, n, lambda i, x: 0.9 * x + lib.numpy.sin(x), x))
    return loop, (size, normals(lib, 10))


SERIES = (
    ("a call", "elements", ELEMENTS, call_by_elements),
    ("tracing", "equations", EQUATIONS, trace_by_equations),
    ("a call on 100 numbers", "equations", EQUATIONS, call_by_equations),
    ("tracing", "different", DIFFERENT, trace_different),
    ("a call on 100 numbers", "different", DIFFERENT, call_different),
    ("a loop over ten numbers", "steps", STEPS, call_by_steps),
)

FIRST_CALLS = (("equations", EQUATIONS, chain), ("different", DIFFERENT, varied))


def first_call(lib, size: int, program: Callable = chain) -> float:
    """Seconds to trace, compile and run a function of `size` equations that is new."""
    function, args = call_by_equations(lib, size, program)
    start = time.perf_counter()
    lib.block_until_ready(function(*args))
    return time.perf_counter() - start


def measure(libraries: tuple, effort: Effort) -> Iterator[Point]:
    """Each series, size by size. First calls come first, while none of the programs is compiled,
    and after one that has each library load what compiling needs.
    """
    for lib in libraries:
        first_call(lib, 2)
    for what, sizes, program in FIRST_CALLS:
        for size in sizes:
            times = [first_call(lib, size, program) for lib in libraries]
            yield Point("first call", what, size, *times)
    for series, what, sizes, workload in SERIES:
        for size in sizes:
            calls = [make_call(*workload(lib, size)) for lib in libraries]
            yield Point(series, what, size, *middle_round(take_turns(calls, effort)))


def line(point: Point) -> str:
    times = f"{quantity(point.minijax):>12}{quantity(point.jax):>12}"
    what = f"{point.size:,} {point.what}"
    return f"  {point.series:25}{what:>22}{times}{digits(point.jax / point.minijax):>9}"
