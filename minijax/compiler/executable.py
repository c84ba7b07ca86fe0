"""Executables: a compiled program is a function in Python that calls kernels, one after the other.

Its text can be read (`as_text`). Arrays that nobody needs any more give their memory to later ones,
and a kernel with much to do is shared out among threads, turn by turn of its outer loop.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import cache, partial
from keyword import iskeyword
from typing import Any

import numpy as np

from minijax.compiler.doors import FLAGS, compile_source, door_in_use, doors
from minijax.compiler.generated_text import TextWriter
from minijax.compiler.kernels.fuse import Call, Step
from minijax.compiler.kernels.loop_nests import Source, kernel_source
from minijax.compiler.kernels.pieces import steps_of
from minijax.compiler.kernels.reuse import written_over
from minijax.compiler.kernels.whole_loops import loop_source
from minijax.compiler.named_in_text import array_of, caller, contiguous, typed, with_plain_numbers
from minijax.compiler.passes.simplify import prune, simplify
from minijax.compiler.passes.sum_blocks import BLOCKS, with_blocks
from minijax.core.jitting import CompileOptions, as_runtime_value, running
from minijax.core.printing import Names, readable
from minijax.core.staging import Atom, ClosedJaxpr, Jaxpr, JaxprEqn, Literal, Var

# What a program goes through before it is cut into steps, in this order. A pass of one's own, from
# a program to a program, joins them here.
PASSES: list[Callable[[ClosedJaxpr], ClosedJaxpr]] = [with_plain_numbers, simplify, with_blocks]
# What runs an equation that is no kernel's: a function of its operands; the first that gives one.
CALLERS: list[Callable[[JaxprEqn], Callable | None]] = [caller]
TAKING: list[Callable[..., list[Var]]] = []  # what gives a step's results the memory of operands
LARGE = 1 << 19  # numbers to compute, from which on threads are worth their while
SMALL = 1 << 14  # numbers of an array, up to which memory is not worth keeping


class Executable:
    """A program that is ready to run: called with arrays, it returns a list of arrays."""

    def __init__(
        self, closed: ClosedJaxpr, options: CompileOptions, door: str | None = None
    ) -> None:
        for run_pass in PASSES:
            closed = run_pass(closed)
        self.jaxpr, self.name = prune(closed), options.name
        self.steps = steps_of(self.jaxpr.jaxpr)
        needed = {x for step in self.steps for x in step.reads} | set(self.jaxpr.jaxpr.outvars)
        self.sources = [step_source(step, needed) for step in self.steps]
        self.binds = None in self.sources  # whether primitives are bound while it runs
        self.program = Program(self.jaxpr, self.steps, self.sources, door)
        write(self.program)
        self.run = self.program.compile()
        self.text = "\n".join([self.run.source, *self.program.kernel_texts()])

    def __call__(self, *args: Any) -> list[Any]:
        return self.run(*args)

    def as_text(self) -> str:
        """The program, and the source of each kernel that it calls."""
        return self.text


def step_source(step: Step, needed: set[Atom]) -> Source | None:
    """The kernel of a step, whose results that are needed it writes; None: NumPy's."""
    if isinstance(step, Call):
        return loop_source(step.eqn)
    return kernel_source(step, [v for eqn in step.eqns for v in eqn.outvars if v in needed])


def variable_names(jaxpr: Jaxpr) -> dict[Var, str]:
    """The names that a jaxpr prints its variables with; Python's words in capitals."""
    names, made = Names(), [v for eqn in jaxpr.eqns for v in eqn.outvars]
    for v in (*jaxpr.constvars, *jaxpr.invars, *made):
        names(v)
    return {v: name.upper() if iskeyword(name) else name for v, name in names.of_vars.items()}


def last_reads(
    outvars: Sequence[Atom], steps: Sequence[Step], sources: Sequence[Source | None]
) -> list[list[Var]]:
    """For each step, what it makes or reads and no later one does, nor the result."""
    seen, ended = {x for x in outvars if type(x) is Var}, []
    for step, source in zip(reversed(steps), reversed(sources), strict=True):
        here = {*step.reads, *(source.writes if source else step.eqn.outvars)}
        ended.append([v for v in here if v not in seen])
        seen |= here
    return ended[::-1]


def named(source: Source, name: str) -> str:
    """A kernel's text under a name of its own."""
    return source.text.replace("def kernel(", f"def {name}(", 1)


def kernel_id(source: Source) -> tuple:
    return source.text, source.signature


# The program's text. A variable's array of NumPy's has its name, `a`; as an `Array` it is `a_`.


class Program(TextWriter):
    """Writes the function that runs the steps."""

    def __init__(
        self, closed: ClosedJaxpr, steps: Sequence[Step], sources: Sequence[Source | None],
        door: str | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.closed, self.steps, self.sources, self.door = closed, steps, sources, door
        self.variables = variable_names(closed.jaxpr)
        self.args = [f"{self.variables[v]}_" for v in closed.jaxpr.invars]
        self.taken: dict[Var, Var] = {}  # whose memory is used again
        self.released: set[Var] = set()  # what is let go before the end
        self.forms: set[str] = set()  # the names that are bound
        self.kernels: dict[tuple, str] = {}
        self.free: dict[tuple, list[Var]] = {}  # large arrays of ours that nobody needs any more

    def kernel_texts(self) -> list[str]:
        kernels = map(named, self.distinct(), self.kernels.values())
        return ["\n" + kernel for kernel in kernels]

    def distinct(self) -> list[Source]:
        """A source for each kernel, in the order of first calls: those of one text are one."""
        return list({kernel_id(s): s for s in self.sources if s}.values())

    def compile(self) -> Callable:
        """The function, and what its names mean."""
        kernels = zip(self.kernels.values(), compiled(self.distinct(), self.door), strict=True)
        self.meanings |= {"Array": array_of, "contiguous": contiguous, "empty": np.empty,
                          "share": share, "typed": typed, **dict(kernels)}  # fmt: skip
        return self.function("program", ", ".join(self.args))


def data(program: Program, v: Any) -> str:
    """The name of the elements, in a row: of a variable, a number or a constant."""
    if type(v) is not Var:
        value = as_runtime_value(v.val if type(v) is Literal else v)
        return program.name(contiguous(value), "constant")
    name = program.variables[v]
    if name not in program.forms:
        program.emit(f"{name} = contiguous({name}_)")
        program.forms.add(name)
    return name


def array(program: Program, x: Atom) -> str:
    """The variable, or the number, as an Array."""
    if type(x) is Literal:
        return program.name(as_runtime_value(x.val), "number")
    name = program.variables[x]
    if f"{name}_" not in program.forms:
        program.emit(f"{name}_ = Array({name}, {program.name(x.aval, 'type')})")
        program.forms.add(f"{name}_")
    return f"{name}_"


# Steps.


def write_kernel(program: Program, source: Source, sums: Sequence[Var]) -> None:
    arrays = [data(program, v) for v in source.reads] + [new(program, v) for v in source.writes]
    kernel = program.kernels.setdefault(kernel_id(source), f"kernel{len(program.kernels)}")
    if sums or (source.turns is not None and source.cost >= LARGE):
        kept = program.name(source.kept, "kept")
        blocks = [k for k, v in enumerate((*source.reads, *source.writes)) if v in sums]
        given = f"[{', '.join(arrays)}], {blocks}, {kept}, {list(source.sizes)}, {source.turns}"
        return program.emit(f"share({kernel}, {given})")
    rows = [f"empty({size}, {str(dtype)!r})" for size, dtype in source.kept]
    turns = [] if source.turns is None else [0, source.turns]
    given = map(str, [*arrays, *rows, *source.sizes, *turns])
    return program.emit(f"{kernel}({', '.join(given)})")


def new(program: Program, v: Var) -> str:
    """An array to write to: one that is free, or a new one."""
    name, aval = program.variables[v], v.aval
    if name in program.forms:  # by the kernel of another box
        return name
    free = program.free.get((aval.size, aval.dtype))
    if free:
        program.taken[v] = free.pop()
        program.emit(f"{name} = {program.variables[program.taken[v]]}.reshape({aval.shape})")
    else:
        program.emit(f"{name} = empty({aval.shape}, {str(aval.dtype)!r})")
    program.forms.add(name)
    return name


def write_call(program: Program, eqn: JaxprEqn) -> None:
    operands = ", ".join(map(partial(array, program), eqn.invars))
    outs = [f"{program.variables[v]}_" for v in eqn.outvars]
    run = next(filter(None, (make(eqn) for make in CALLERS)))
    call = program.name(run, f"{readable(eqn.primitive.name)}_")
    results = f"[{', '.join(outs)}]" if eqn.primitive.multiple_results else outs[0]
    program.emit(f"{results} = {call}({operands})")
    program.forms |= set(outs)


def is_ours(program: Program, v: Var) -> bool:
    """Whether kernels alone know the array."""
    name = program.variables[v]
    return name in program.forms and f"{name}_" not in program.forms


def drop(program: Program, dead: Sequence[Var]) -> None:
    """Large arrays that no step needs any more: ours are used again, others are let go."""
    for v in dead:
        name, aval = program.variables[v], v.aval
        if not hasattr(aval, "size") or aval.size < SMALL or v in program.closed.jaxpr.constvars:
            continue
        names = [form for form in (name, f"{name}_") if form in program.forms]
        if is_ours(program, v):
            program.free.setdefault((aval.size, aval.dtype), []).append(v)
        elif names:
            program.released.add(v)
            program.emit(f"del {', '.join(names)}")


def write(program: Program) -> None:
    """The program's lines: constants get their names, then step after step."""
    jaxpr = program.closed.jaxpr
    program.forms |= set(program.args)
    for v, x in zip(jaxpr.constvars, program.closed.consts, strict=True):
        program.meanings[f"{program.variables[v]}_"] = as_runtime_value(x)
        program.forms.add(f"{program.variables[v]}_")
    last = last_reads(jaxpr.outvars, program.steps, program.sources)
    for k, (step, dead) in enumerate(zip(program.steps, last, strict=True)):
        taken = [x for taking in TAKING for x in taking(program, k, dead)]
        if (source := program.sources[k]) is None:
            write_call(program, step.eqn)
        else:
            # Before the kernel: memory that the result takes, element by element as it is read.
            early = [x for x in dead if is_ours(program, x) and x in written_over(step, source)]
            drop(program, early)
            write_kernel(program, source, getattr(step, "block_sums", ()))
            taken += early
        drop(program, [x for x in dead if x not in taken])
    called = {v for step in program.steps if isinstance(step, Call) for v in step.eqn.outvars}
    outs = ", ".join(result(program, x, x in called) for x in jaxpr.outvars)
    program.emit(f"return [{outs}]")


def result(program: Program, x: Atom, is_called: bool) -> str:
    """One of the results. A call finds out types anew, of operands that may be weak by now."""
    name = array(program, x)
    return f"typed({name}, {program.name(x.aval, 'type')})" if is_called else name


# Threads.


@cache
def workers() -> tuple[int, Any]:
    """How many processors we may use, and the threads beside this one."""
    from concurrent.futures import ThreadPoolExecutor  # not before there is much to do

    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return count or 1, ThreadPoolExecutor(max(1, (count or 1) - 1), "minijax")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=workers.cache_clear)


def compiled(sources: Sequence[Source], door: str | None = None) -> list[Callable]:
    """The kernels. The door hears of all of them, before the first is asked for."""
    given = [(source.text, "kernel", source.signature, FLAGS) for source in sources]
    doors[door_in_use(door)].begin(given)
    return [compile_source(*kernel, door).call for kernel in given]


# A context, made for their number, in which threads run a kernel together: the last one counts.
TOGETHER: list[Callable] = [nullcontext]


def share(
    kernel: Callable, arrays: list, sums: list, kept: Sequence, sizes: list, turns: int
) -> None:
    """Runs a kernel in threads, which take parts of its turns. Of `sums`, each part has a row."""
    count, pool = getattr(running, "workers", workers)()  # a device's thread has fewer
    number = BLOCKS if sums else 2 * count
    parts = iter(range(number))

    def run() -> None:
        given, rows = list(arrays), [np.empty(size, dtype) for size, dtype in kept]
        for k in parts:
            for i in sums:
                given[i] = arrays[i][k : k + 1]
            kernel(*given, *rows, *sizes, turns * k // number, turns * (k + 1) // number)

    with TOGETHER[-1](count):
        others = [pool.submit(run) for _ in range(count - 1)]
        run()
        for other in others:
            if not other.cancel():
                other.result()
    arrays.clear()  # a thread may hold `run` a moment longer, and no array with it
