"""No value is dropped before the end, and operations come from wherever the program is run."""

from minijax.core.staging import DynamicJaxprTracer, JaxprEqn, Literal, Var
from minijax.core.tracing import current_source


def eval_jaxpr(jaxpr, consts, *args):
    if len(args) != len(jaxpr.invars):
        raise TypeError(f"The jaxpr takes {len(jaxpr.invars)} arguments.")
    env = dict(zip([*jaxpr.constvars, *jaxpr.invars], [*consts, *args], strict=True))
    for eqn in jaxpr.eqns:
        operands = [x.val if type(x) is Literal else env[x] for x in eqn.invars]
        out = eqn.primitive.bind(*operands, **eqn.params)
        env.update(zip(eqn.outvars, out if eqn.primitive.multiple_results else [out], strict=True))
    return [x.val if type(x) is Literal else env[x] for x in jaxpr.outvars]


class JaxprTrace:
    def record(self, primitive, args, params):
        invars = [self.to_atom(x) for x in args]
        avals = [x.aval for x in invars]
        out, effects = primitive.abstract_eval(*avals, **primitive.active(params))
        outvars = [Var(aval) for aval in (out if primitive.multiple_results else [out])]
        source = current_source(self.scopes_outside)
        params = {**primitive.inert, **params}
        self.frame.eqns.append(JaxprEqn(invars, outvars, primitive, params, effects, source))
        tracers = [DynamicJaxprTracer(self, v) for v in outvars]
        return tracers if primitive.multiple_results else tracers[0]
