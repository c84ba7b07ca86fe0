"""Rules are asked about what rules bind, too: the program is rewritten until it stays the same."""

from minijax.core.staging import Literal, enter_source, keep_source, trace_to_jaxpr


def rewritten(closed, rules):
    def run(*args):
        env = dict(zip([*closed.constvars, *closed.invars], [*closed.consts, *args], strict=True))
        outer = keep_source()
        for eqn in closed.eqns:
            enter_source(eqn, outer)
            operands = [x.val if type(x) is Literal else env[x] for x in eqn.invars]
            if eqn.primitive in rules:
                out = rules[eqn.primitive](*operands, **eqn.primitive.active(eqn.params))
            else:
                out = eqn.primitive.bind(*operands, **eqn.params)
            outs = out if eqn.primitive.multiple_results else [out]
            env.update(zip(eqn.outvars, outs, strict=True))
        return [x.val if type(x) is Literal else env[x] for x in closed.outvars]

    new = trace_to_jaxpr(run, closed.in_avals)
    for _ in range(10):
        if not any(eqn.primitive in rules for eqn in new.eqns):
            break
        closed, new = new, trace_to_jaxpr(run, new.in_avals)
    return new
