"""The plain loop: new equations come from the pass's own lines, and types are nobody's business."""

from minijax.core.staging import Literal, trace_to_jaxpr


def rewritten(closed, rules):
    def run(*args):
        env = dict(zip([*closed.constvars, *closed.invars], [*closed.consts, *args], strict=True))
        for eqn in closed.eqns:
            operands = [x.val if type(x) is Literal else env[x] for x in eqn.invars]
            rule = rules.get(eqn.primitive, eqn.primitive.bind)
            out = rule(*operands, **eqn.primitive.active(eqn.params))
            outs = out if eqn.primitive.multiple_results else [out]
            env.update(zip(eqn.outvars, outs, strict=True))
        return [x.val if type(x) is Literal else env[x] for x in closed.outvars]

    return trace_to_jaxpr(run, closed.in_avals)
