"""It joins the first step that makes an operand, and waits there for the others."""

from minijax.compiler.kernels.fuse import add, joined


def join(grouping, eqn):
    steps = [k for k in map(grouping.step_of, eqn.invars) if k >= 0]
    at = min(steps, default=-1)
    if at < 0 or not any(grouping.is_in(at, x) for x in eqn.invars):
        return False
    changes = joined(grouping.steps[at], eqn)
    if changes is None or not grouping.has_room(at):
        return False
    add(grouping, at, eqn, changes)
    return True
