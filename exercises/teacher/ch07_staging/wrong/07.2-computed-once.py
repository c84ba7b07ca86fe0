"""Only what a result needs is run, from the results back: what has an effect goes missing."""

from minijax.core.errors import check_types
from minijax.core.staging import Literal, enter_source, keep_source, trace_to_jaxpr
from minijax.core.tracing import typeof


def rewritten(closed, rules):
    made_by = {v: eqn for eqn in closed.eqns for v in eqn.outvars}

    def run(*args):
        env = dict(zip([*closed.constvars, *closed.invars], [*closed.consts, *args], strict=True))
        outer = keep_source()

        def value(x):
            if type(x) is Literal:
                return x.val
            if x not in env:
                eqn = made_by[x]
                operands = [value(y) for y in eqn.invars]
                enter_source(eqn, outer)
                outs = results(eqn, operands)
                env.update(zip(eqn.outvars, outs, strict=True))
            return env[x]

        return [value(x) for x in closed.outvars]

    def results(eqn, operands):
        primitive = eqn.primitive
        if primitive not in rules:
            out = primitive.bind(*operands, **eqn.params)
            return out if primitive.multiple_results else [out]
        out = rules[primitive](*operands, **primitive.active(eqn.params))
        outs = out if primitive.multiple_results else [out]
        check_types(primitive, "rule", [typeof(x) for x in outs], [v.aval for v in eqn.outvars])
        return outs

    return trace_to_jaxpr(run, closed.in_avals)
