"""A program fused into steps, whose kernels run as Python, or compiled, one after the other."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from minijax import lax, make_jaxpr
from minijax.compiler.backend import backend_named
from minijax.compiler.doors import FLAGS, as_function, compile_source
from minijax.compiler.executable import Executable
from minijax.compiler.kernels.fuse import Call, Kernel, Step, fuse
from minijax.compiler.kernels.loop_nests import Source, kernel_source
from minijax.compiler.native import python_door
from minijax.compiler.special_cases.strips import Strips
from minijax.core.arrays import as_array, raw_value
from minijax.core.config import config
from minijax.core.jitting import CompileOptions
from minijax.core.staging import ClosedJaxpr, Literal, Var

OPTIONS = CompileOptions("program", ())


def mapped_by_scan(fun: Callable) -> Callable:
    return lambda *xs: lax.scan(lambda c, x: (c, fun(*x)), 0, xs)[1]


@contextmanager
def on_backend(name: str) -> Iterator[None]:
    """Inside, this backend runs programs, and what loops and branches carry."""
    before = config.jit_backend
    config.update("jit_backend", name)
    try:
        yield
    finally:
        config.update("jit_backend", before)


def interpreted(closed: ClosedJaxpr, *args: Any) -> list[np.ndarray]:
    """The results where NumPy runs every equation, in loops too: no kernel has a part in them."""
    with on_backend("numpy"):
        executable = backend_named("numpy").compile(closed, OPTIONS)
        return list(map(np.asarray, executable(*map(as_array, args))))


def loops_left_to_python(executable: Executable) -> list[str]:
    """The loops and choices that run step by step."""
    left = [str(step.eqn.primitive) for step, source in
            zip(executable.steps, executable.sources, strict=True) if source is None]  # fmt: skip
    return [name for name in left if name in ("scan", "while", "cond")]


def strips_beside_numpy(f: Callable, *args: Any, door: str | None = None) -> list[Strips]:
    """The compiled program's steps that are strips, after its results agree with NumPy's."""
    closed = make_jaxpr(f)(*args)
    program = Executable(closed, OPTIONS, door)
    got, want = program(*map(as_array, args)), interpreted(closed, *args)
    for x, y in zip(got, want, strict=True):
        assert (x.shape, x.dtype) == (y.shape, y.dtype)
        np.testing.assert_allclose(x, y, rtol=1e-5, atol=1e-5)
    return [step for step in program.steps if isinstance(step, Strips)]


def in_python(source: Source) -> Callable:
    """The kernel's text as it stands."""
    return python_door.interpreted(as_function(source.text, "kernel", "<kernel>"))


def compiled(source: Source) -> Callable:
    return compile_source(source.text, "kernel", source.signature, FLAGS)


def run(closed: ClosedJaxpr, args: Sequence, make: Callable) -> tuple[list[np.ndarray], list[Step]]:
    """The results, and the steps. `make` is one of the two above."""
    jaxpr, steps = closed.jaxpr, fuse(closed.jaxpr)
    values = dict(zip(jaxpr.constvars, map(raw_value, closed.consts), strict=True))
    values |= zip(jaxpr.invars, (np.asarray(x, order="C") for x in args), strict=True)
    needed = {x for step in steps for x in step.reads} | set(jaxpr.outvars)

    def value(x):
        return raw_value(as_array(x.val)) if type(x) is Literal else values[x]

    for step in steps:
        if isinstance(step, Kernel):
            run_kernel(step, [v for eqn in step.eqns for v in eqn.outvars if v in needed],
                       values, make)
        else:
            out = step.eqn.primitive.bind(*map(as_array, map(value, step.eqn.invars)),
                                          **step.eqn.params)
            out = out if step.eqn.primitive.multiple_results else [out]
            values |= zip(step.eqn.outvars, map(raw_value, out), strict=True)
    return [np.asarray(value(x)) for x in jaxpr.outvars], steps


def run_kernel(step: Kernel, writes: list[Var], values: dict, make: Callable) -> None:
    source = kernel_source(step, writes)
    reads = [np.ascontiguousarray(values[v]).reshape(-1) for v in source.reads]
    outs = [np.empty(v.aval.size, v.aval.dtype) for v in source.writes]
    rows = [np.empty(size, dtype) for size, dtype in source.kept]
    turns = () if source.turns is None else (0, source.turns)
    make(source)(*reads, *outs, *rows, *source.sizes, *turns)
    for v, out in zip(source.writes, outs, strict=True):
        values[v] = out.reshape(v.aval.shape)


def calls(steps: Sequence[Step]) -> set[str]:
    """The primitives that are left to NumPy."""
    return {step.eqn.primitive.name for step in steps if isinstance(step, Call)}
