"""A kernel as a program: traced with references, for one program of the grid, which it may ask for
its place."""

from __future__ import annotations

import operator
import threading
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from minijax.core.config import FunctionCache, config
from minijax.core.errors import DebugInfo
from minijax.core.printing import pp_eqn_rules
from minijax.core.pytrees import PyTreeDef, tree_unflatten
from minijax.core.staging import ClosedJaxpr, JaxprTrace, trace_to_jaxpr
from minijax.core.tracing import Primitive, Trace, set_current_trace, trace_ctx
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.pallas.block_specs import DynamicGridDim
from minijax.lax.pallas.mappings import INDEX

# Where a program is in the grid. A kernel's program asks in its first lines, not in those of a loop
# or a branch of it: so whoever writes the grid's loops finds all questions there.


class Kernel(NamedTuple):
    """A kernel that is being traced."""

    trace: Trace
    grid: tuple[int, ...]


class _Kernels(threading.local):
    traced: tuple[Kernel, ...] = ()


_kernels = _Kernels()

program_id_p, num_programs_p = Primitive("program_id"), Primitive("num_programs")


def _in_a_kernel(*, axis: int) -> Any:
    raise NotImplementedError(
        "program_id runs in a kernel, and this program is in none. Use it there."
    )


for _primitive in (program_id_p, num_programs_p):
    _primitive.def_abstract_eval(lambda *, axis: INDEX)
    _primitive.def_impl(_in_a_kernel)
    pp_eqn_rules[_primitive] = dict


def _axis(name: str, axis: Any) -> tuple[Kernel, int]:
    """The kernel that is traced, and an axis of its grid."""
    if not _kernels.traced:
        raise RuntimeError(f"{name} is for kernels. Call it in the function given to pallas_call.")
    kernel = _kernels.traced[-1]
    try:
        k = operator.index(axis)
    except TypeError:
        raise TypeError(f"{name} takes an axis; got {shown(axis)}. Give an integer.") from None
    if not -len(kernel.grid) <= k < len(kernel.grid):
        raise ValueError(f"{name} got the axis {k}, and the grid is {kernel.grid}. Give one of it.")
    return kernel, k % len(kernel.grid)


def program_id(axis: int) -> Any:
    """In a kernel: where along this axis of the grid the program is, an int32.

    RuntimeError elsewhere, ValueError where the grid has no such axis.
    """
    kernel, axis = _axis("program_id", axis)
    with set_current_trace(kernel.trace):
        return program_id_p.bind(axis=axis)


def num_programs(axis: int) -> Any:
    """In a kernel: how many programs there are along this axis of the grid.

    RuntimeError elsewhere, ValueError where the grid has no such axis.
    """
    kernel, axis = _axis("num_programs", axis)
    if not isinstance(kernel.grid[axis], DynamicGridDim):
        return kernel.grid[axis]
    with set_current_trace(kernel.trace):
        return num_programs_p.bind(axis=axis)


@contextmanager
def _inside(grid: tuple[int, ...]) -> Any:
    outer = _kernels.traced
    assert isinstance(trace_ctx.trace, JaxprTrace)
    _kernels.traced = (*outer, Kernel(trace_ctx.trace, grid))
    try:
        yield
    finally:
        _kernels.traced = outer


# From a function to its program.

_traced_kernels = FunctionCache()


def traced_kernel(
    kernel: Callable, in_tree: PyTreeDef, avals: Sequence[Any], grid: tuple[int, ...],
    info: DebugInfo,
) -> ClosedJaxpr:  # fmt: skip
    """The program of a kernel, which has no results: what it does is what becomes of references.

    `in_tree` is the structure of its arguments (args, kwargs). ValueError where the kernel returns
    something, or uses an array that is no argument.
    """
    key = (in_tree, tuple(avals), grid, config.trace_key())
    cache = _traced_kernels.of(kernel)
    if key not in cache:
        cache[key] = _trace(kernel, in_tree, avals, grid, info)
    return cache[key]


def _trace(
    kernel: Callable, in_tree: PyTreeDef, avals: Sequence[Any], grid: tuple, info: DebugInfo
) -> ClosedJaxpr:
    def flat_kernel(*refs: Any) -> list:
        args, kwargs = tree_unflatten(in_tree, refs)
        with _inside(grid):
            out = kernel(*args, **kwargs)
        if out is not None:
            raise ValueError(
                f"pallas_call's kernel {info.func_name} returned {shown(out)}. Write it into a "
                f"reference, o_ref[...] = x, and return nothing."
            )
        return []

    closed = trace_to_jaxpr(flat_kernel, avals, info)
    if closed.consts:
        types = ", ".join(str(v.aval) for v in closed.jaxpr.constvars)
        raise ValueError(
            f"pallas_call's kernel {info.func_name} uses arrays that are none of its arguments: "
            f"{types}. Give them to pallas_call's function as inputs."
        )
    return closed
