"""Blocks: a large sum is a sum of sums, which threads share. They are as many on any machine."""

from __future__ import annotations

from minijax.compiler.kernels.elements import is_reduction, scalar_template
from minijax.compiler.lowerings import lowerings
from minijax.core.staging import ClosedJaxpr, JaxprEqn, Var

LARGE, BLOCKS = 1 << 19, 8  # from so many numbers on, a sum is made of so many


def in_blocks(eqn: JaxprEqn) -> list[JaxprEqn]:
    """A large sum along the outermost loop as two: one result for each block, and their sum."""
    is_sum = lowerings[eqn.primitive].monoid and is_reduction(eqn)
    if not is_sum or scalar_template(eqn) is None:
        return [eqn]
    x, v, axes = eqn.invars[0].aval, eqn.outvars[0].aval, eqn.params["axes"]
    long = [d for d, n in enumerate(x.shape) if n != 1]
    is_less = x.size >= max(LARGE, 4 * BLOCKS * v.size)
    if not is_less or long[0] not in axes or (long[-1] in axes and v.size > 1):
        return [eqn]
    sums = Var(v.update(shape=(BLOCKS, *v.shape)))
    return [eqn._replace(outvars=[sums], params={**eqn.params, "blocks": BLOCKS}),
            eqn._replace(invars=[sums], params={**eqn.params, "axes": (0,)})]  # fmt: skip


def with_blocks(closed: ClosedJaxpr) -> ClosedJaxpr:
    """The program with its large sums in blocks."""
    eqns = [part for eqn in closed.eqns for part in in_blocks(eqn)]
    return ClosedJaxpr(closed.jaxpr.replace(eqns=eqns), closed.consts)
