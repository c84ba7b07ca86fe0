"""Equations are computed by their implementations, whoever is in charge; effects are forgotten."""

from minijax.core.staging import DynamicJaxprTracer, JaxprEqn, Literal, Var
from minijax.core.tracing import current_source, no_effects


def eval_jaxpr(jaxpr, consts, *args):
    if len(args) != len(jaxpr.invars):
        raise TypeError(f"The jaxpr takes {len(jaxpr.invars)} arguments.")
    env = dict(zip([*jaxpr.constvars, *jaxpr.invars], [*consts, *args], strict=True))
    for eqn, dead in zip(jaxpr.eqns, jaxpr.last_uses, strict=True):
        operands = [x.val if type(x) is Literal else env[x] for x in eqn.invars]
        out = eqn.primitive.impl(*operands, **eqn.primitive.active(eqn.params))
        env.update(zip(eqn.outvars, out if eqn.primitive.multiple_results else [out], strict=True))
        for v in dead:
            del env[v]
    return [x.val if type(x) is Literal else env[x] for x in jaxpr.outvars]


class JaxprTrace:
    def record(self, primitive, args, params):
        invars = [self.to_atom(x) for x in args]
        out, _ = primitive.abstract_eval(*[x.aval for x in invars], **primitive.active(params))
        outvars = [Var(aval) for aval in (out if primitive.multiple_results else [out])]
        source = current_source(self.scopes_outside)
        self.frame.eqns.append(JaxprEqn(invars, outvars, primitive, params, no_effects, source))
        tracers = [DynamicJaxprTracer(self, v) for v in outvars]
        return tracers if primitive.multiple_results else tracers[0]
