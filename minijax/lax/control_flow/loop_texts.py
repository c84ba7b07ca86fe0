"""Loops and choices as lines of a kernel, written by a `writer` (compiler/kernels/whole_loops.py).

A carry has two buffers, that of its result and a second one. A step reads the one and writes the
other, and the next step goes the other way, so that no step copies its carry. Where that is little
beside all that a step does, one step is written, and copies it. A carry that a step updates in
place has one buffer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minijax.compiler.kernels.fuse import Kernel
from minijax.compiler.kernels.reuse import body_steps, kept_places
from minijax.compiler.kernels.row_major import only_first
from minijax.compiler.lowerings import register_lowering
from minijax.core.arrays import raw_value
from minijax.core.primitives import reshape_p
from minijax.core.staging import JaxprEqn, Literal, Var
from minijax.lax.control_flow.bodies import split3
from minijax.lax.indexing import chosen_updates  # noqa: F401  (by which loops update in place)
from minijax.lax.kernel_parts import Part


def scan_lines(writer: Any, eqn: JaxprEqn, args: Sequence[str], outs: Sequence[str]) -> None:
    jaxpr, length = eqn.params["jaxpr"], eqn.params["length"]
    num_consts, num_carry = eqn.params["num_consts"], eqn.params["num_carry"]
    consts, carry, xs = split3(args, num_consts, num_carry)
    x_sizes = [aval.size for aval in split3(jaxpr.in_avals, num_consts, num_carry)[2]]
    y_sizes = [aval.size for aval in jaxpr.out_avals[num_carry:]]
    here, there, sizes = _places(writer, jaxpr, num_carry, num_consts, outs)
    unrolled = 1 if length < 2 or _are_copied(jaxpr, here, there, sizes) else 2
    if length % unrolled:
        here, there = there, here

    def step(counter: str, start: Sequence[str], stop: Sequence[str]) -> None:
        i = f"{length - 1} - ({counter})" if eqn.params["reverse"] else counter
        rows = [writer.slice(x, i, n) for x, n in zip(xs, x_sizes, strict=True)]
        ys = [writer.slice(y, i, n) for y, n in zip(outs[num_carry:], y_sizes, strict=True)]
        writer.program(jaxpr, [*consts, *start, *rows], [*stop, *ys])

    _copy_all(writer, carry, here, sizes)
    i = writer.new("i_")
    if not num_carry:
        with writer.block(f"for {i} in range({writer.independent(length)}):"):
            step(i, (), ())
        return
    with writer.block(f"for {i} in range(0, {length}, {unrolled}):"):
        step(i, here, there)
        if length % unrolled:  # the last step goes there, and none back
            with writer.block(f"if {i} == {length - 1}:"):
                writer.emit("break")
        if unrolled == 2:
            step(f"{i} + 1", there, here)
        else:
            _copy_all(writer, there, here, sizes)


def _places(
    writer: Any, body: Any, num_carry: int, num_consts: int, outs: Sequence[str],
    may_keep: bool = True,
) -> tuple[list[str], list[str], list[int]]:  # fmt: skip
    """Two buffers for each carry, or twice the same one, and the sizes of the carries."""
    kept = kept_places(body) if may_keep else {}
    avals = body.out_avals[:num_carry]
    here = list(outs[:num_carry])
    there = [
        place if kept.get(k) == num_consts + k else writer.scratch(aval.size, aval.dtype)
        for k, (place, aval) in enumerate(zip(here, avals, strict=True))
    ]
    return here, there, [aval.size for aval in avals]


SHORT = 4  # numbers: to copy so few takes less time than to compile a second step
# So it does with a few more in a body of one or two kernels: called once, they become part of the
# loop. And with carries of a body of many kernels, which computes many numbers for each copied.
LONGER, FEW = 16, 2
MANY, WORTH = 8, 16


def _are_copied(body: Any, here: Sequence[str], there: Sequence[str], sizes: Sequence[int]) -> bool:
    """Whether to write the body once, with its carries copied back, and not twice."""
    moved = [size for x, y, size in zip(here, there, sizes, strict=True) if x != y]
    longest = max(moved, default=0)
    if longest <= SHORT:
        return True
    steps = body_steps(body)
    # (A kernel that is cut into boxes is one text: the others than the first start elsewhere.)
    kernels = [step for step in steps if isinstance(step, Kernel) and not any(step.start)]
    if len(kernels) <= FEW and len(kernels) == len(steps):
        return longest <= LONGER
    made = [max(x.aval.size for x in (*eqn.invars, *eqn.outvars)) for eqn in body.eqns]
    return len(kernels) >= MANY and sum(made) >= WORTH * sum(moved)


def _copy_all(
    writer: Any, sources: Sequence[str], targets: Sequence[str], sizes: Sequence[int]
) -> None:
    for source, target, size in zip(sources, targets, sizes, strict=True):
        writer.copy(source, target, size)


def while_lines(writer: Any, eqn: JaxprEqn, args: Sequence[str], outs: Sequence[str]) -> None:
    cond, body = eqn.params["cond_jaxpr"], eqn.params["body_jaxpr"]
    cond_consts, body_consts, carry = split3(
        args, eqn.params["cond_nconsts"], eqn.params["body_nconsts"]
    )
    batch = cond.out_avals[0].size
    is_batched = batch != 1  # a lone example's condition is the loop's
    here, there, sizes = _places(
        writer, body, len(carry), eqn.params["body_nconsts"], outs, may_keep=not is_batched
    )
    holds = writer.scratch(batch, cond.out_avals[0].dtype)

    def step(start: Sequence[str], stop: Sequence[str]) -> None:
        """One step, behind the question whether there is one."""
        writer.program(cond, [*cond_consts, *start], [holds])
        some = f"{writer.part(ANY)}({holds}, {batch})" if is_batched else f"{holds}[0]"
        with writer.block(f"if not {some}:"):
            _copy_all(writer, start, here, sizes)
            writer.emit("break")
        writer.program(body, [*body_consts, *start], stop)
        if is_batched:
            for old, new, size in zip(start, stop, sizes, strict=True):
                rows = f"{batch}, {size // batch if batch else 0}"
                writer.emit(f"{writer.part(STAY)}({holds}, {old}, {new}, {rows})")

    _copy_all(writer, carry, here, sizes)
    with writer.block("while True:"):
        step(here, there)
        if _are_copied(body, here, there, sizes):
            _copy_all(writer, there, here, sizes)
        else:
            step(there, here)


ANY = """def kernel(x0, n0):
    found = False
    for i0 in range(n0):
        found = found | x0[i0]
    return found
"""

# Carries of examples whose loops have ended stay as they are.
STAY = """def kernel(x0, x1, y0, n0, n1):
    for i0 in range(n0):
        if not x0[i0]:
            for i1 in range(n1):
                y0[i0 * n1 + i1] = x1[i0 * n1 + i1]
"""


def cond_lines(writer: Any, eqn: JaxprEqn, args: Sequence[str], outs: Sequence[str]) -> None:
    index, *operands = args
    branches = eqn.params["branches"]
    for k, branch in enumerate(branches[:-1]):
        test = f"{index}[0] {'<=' if k == 0 else '=='} {k}:"
        with writer.block(f"{'elif' if k else 'if'} {test}"):
            writer.program(branch, operands, outs)
    with writer.block("else:" if len(branches) > 1 else "if True:"):
        writer.program(branches[-1], operands, outs)


def known_branch(eqn: JaxprEqn) -> tuple | None:
    """The branch of a choice and its operands, where the index is a number."""
    index, *operands = eqn.invars
    if type(index) is not Literal:
        return None
    branches = eqn.params["branches"]
    return branches[min(max(int(raw_value(index.val)), 0), len(branches) - 1)], operands


# Which results may be written over which operands: a carry over its first value, and a result of a
# choice over an operand if every branch may write it there.


def scan_overwrites(eqn: JaxprEqn) -> list[tuple[int, int]]:
    return [(k, eqn.params["num_consts"] + k) for k in range(eqn.params["num_carry"])]


def while_overwrites(eqn: JaxprEqn) -> list[tuple[int, int]]:
    num_consts = eqn.params["cond_nconsts"] + eqn.params["body_nconsts"]
    return [(k, num_consts + k) for k in range(len(eqn.outvars))]


def cond_overwrites(eqn: JaxprEqn) -> list[tuple[int, int]]:
    found = set.intersection(*map(places_for_results, eqn.params["branches"]))
    pairs: dict[int, int] = {}
    for k, j in sorted(found):
        if k not in pairs and j not in pairs.values():
            pairs[k] = j
    return [(k, j + 1) for k, j in pairs.items()]


def places_for_results(branch: Any) -> set[tuple[int, int]]:
    """Which results of a branch may be written over which arguments: those that `kept_places` says,
    and over one that the branch doesn't read, any of its type."""
    read = {x for eqn in branch.eqns for x in eqn.invars if type(x) is Var}
    read |= {x for x in branch.outvars if type(x) is Var}
    free = {
        (k, j) for k, x in enumerate(branch.outvars) for j, v in enumerate(branch.invars)
        if v not in read and (x.aval.shape, x.aval.dtype) == (v.aval.shape, v.aval.dtype)
    }  # fmt: skip
    return {*kept_places(branch).items(), *free}


# A reshape leaves all numbers at their places.

register_lowering(reshape_p, overwrites=only_first, source=lambda eqn: Part(eqn).finished())
