"""A program that is explained: what was traced, what the compiler made of it, and its names."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from minijax.compiler.backend import backend_named
from minijax.compiler.executable import Executable, kernel_id
from minijax.compiler.kernels.fuse import Kernel
from minijax.compiler.special_cases.calling_loops import CallingLoop
from minijax.compiler.special_cases.other_types import is_viewing
from minijax.core.jitting import Traced, compile_once
from minijax.core.printing import Names
from minijax.core.staging import ClosedJaxpr
from minijax.stages.costs import of_values
from minijax.stages.followed_passes import Followed


class KnownNames(Names):
    """Variables are called as they are in the program that was made."""

    def __init__(self, known: dict[Any, str]) -> None:
        super().__init__()
        self.known, self.taken = known, set(known.values())

    def fresh(self) -> str:
        return next(name for name in iter(super().fresh, None) if name not in self.taken)

    def __call__(self, x: Any) -> str:
        return self.known[x] if x in self.known else super().__call__(x)


class ExplainedProgram:
    """A traced function, compiled: its steps, and who computes each."""

    def __init__(self, traced: Traced, program: ClosedJaxpr | None = None) -> None:
        """`program` is what is compiled, where that isn't what was traced: one device's part."""
        self.traced = traced
        self.whole = program or traced.jaxpr
        self.given = program or traced.staged.program
        backend, name = backend_named("numba"), traced.fun_name
        made = compile_once(self.given, backend, name, ())()
        self.executable: Executable = of_values(made)
        self.program = self.executable.program
        self.names = KnownNames(self.program.variables)
        self.order = {v: k for k, v in enumerate(self.program.variables)}
        loops = [x for x in self.program.meanings.values() if isinstance(x, CallingLoop)]
        self.calling = {id(loop.eqn): loop for loop in loops}  # kernels that call Python

    @cached_property
    def followed(self) -> Followed:
        return Followed(self.traced.jaxpr, self.given, self.executable.jaxpr)

    @cached_property
    def needed(self) -> set[Any]:
        """What some step reads, or the program returns."""
        read = set[Any]().union(*(step.reads for step in self.executable.steps))
        return read | set(self.executable.jaxpr.outvars)

    def callers(self, key: tuple) -> list[int]:
        """The steps that call a kernel."""
        sources = enumerate(self.executable.sources)
        return [k for k, source in sources if source and kernel_id(source) == key]

    def left(self) -> list[int]:
        """The steps that are no kernels. (What only looks at memory in another way is no work.)"""
        steps = zip(self.executable.steps, self.executable.sources, strict=True)
        return [k for k, (step, source) in enumerate(steps)
                if source is None and not is_viewing(step.eqn.primitive)
                and id(step.eqn) not in self.calling]  # fmt: skip

    def variables(self, atoms: Sequence[Any]) -> str:
        return " ".join(map(self.names, atoms)) or "nothing"

    def step_name(self, k: int) -> str:
        """Its kernel, if it has one, and its primitives."""
        step, source = self.executable.steps[k], self.executable.sources[k]
        eqns = step.eqns if isinstance(step, Kernel) else [step.eqn]
        where = self.program.kernels[kernel_id(source)] if source else "NumPy"
        where = where if id(eqns[0]) not in self.calling else "a kernel that calls Python"
        return f"{where}: {' '.join(str(eqn.primitive) for eqn in eqns)}"

    def step_ends(self, k: int) -> tuple[Sequence[Any], Sequence[Any]]:
        """The variables and numbers that a step reads, and what it writes."""
        step, source = self.executable.steps[k], self.executable.sources[k]
        is_kernel = isinstance(step, Kernel)
        reads = sorted(step.reads, key=self.order.__getitem__) if is_kernel else step.eqn.invars
        return reads, source.writes if source else step.eqn.outvars
