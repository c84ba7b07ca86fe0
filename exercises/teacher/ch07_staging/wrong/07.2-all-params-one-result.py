"""Rules get the inert params too, and every primitive is taken to have one result."""

from minijax.core.errors import check_types
from minijax.core.staging import Literal, enter_source, keep_source, trace_to_jaxpr
from minijax.core.tracing import typeof


def rewritten(closed, rules):
    def run(*args):
        env = dict(zip([*closed.constvars, *closed.invars], [*closed.consts, *args], strict=True))
        outer = keep_source()
        for eqn in closed.eqns:
            enter_source(eqn, outer)
            operands = [x.val if type(x) is Literal else env[x] for x in eqn.invars]
            if eqn.primitive in rules:
                out = rules[eqn.primitive](*operands, **eqn.params)
                check_types(eqn.primitive, "rule", [typeof(out)], [eqn.outvars[0].aval])
            else:
                out = eqn.primitive.bind(*operands, **eqn.params)
            env[eqn.outvars[0]] = out
        return [x.val if type(x) is Literal else env[x] for x in closed.outvars]

    return trace_to_jaxpr(run, closed.in_avals)
