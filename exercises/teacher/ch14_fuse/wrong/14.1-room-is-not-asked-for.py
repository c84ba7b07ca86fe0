"""Nobody asks whether the kernel has room: a long chain is one kernel, slow to compile."""

from minijax.compiler.kernels.fuse import add, joined


def join(grouping, eqn):
    at = max(map(grouping.step_of, eqn.invars), default=-1)
    is_ready = all(grouping.is_in(at, x) for x in eqn.invars if grouping.step_of(x) == at)
    changes = joined(grouping.steps[at], eqn) if at >= 0 and is_ready else None
    if changes is None:
        return False
    add(grouping, at, eqn, changes)
    return True
