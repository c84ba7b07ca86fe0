"""Where two chains meet, one of them stays in a kernel of its own; and room is not asked for."""

from minijax.compiler.kernels.fuse import add, join_beside, joined


def join(grouping, eqn):
    at = max(map(grouping.step_of, eqn.invars), default=-1)
    is_ready = all(grouping.is_in(at, x) for x in eqn.invars if grouping.step_of(x) == at)
    changes = joined(grouping.steps[at], eqn) if at >= 0 and is_ready else None
    if changes is None:
        return join_beside(grouping, eqn, at)
    add(grouping, at, eqn, changes)
    return True
