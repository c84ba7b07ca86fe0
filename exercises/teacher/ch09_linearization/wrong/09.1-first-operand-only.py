"""Looks at the first operand only: a product with the tangent behind counts as known."""

from minijax.core.linearization import primitive_linearizations, split_program
from minijax.core.staging import ClosedJaxpr, dce_jaxpr
from minijax.core.tracing import Tracer, set_current_trace, unzip2


class SplitTrace:
    def process_primitive(self, primitive, args, params):
        touched = [isinstance(x, Tracer) and x._trace is self.tangent_trace for x in args]
        if not touched[0]:
            return primitive.bind(*args, **params)
        if primitive in primitive_linearizations and not all(touched):
            return split_program(self.tangent_trace, primitive, args, touched, params)
        with set_current_trace(self.tangent_trace):
            return primitive.bind(*args, **params)


def dce_linear(closed):
    jaxpr, _ = dce_jaxpr(closed.jaxpr, [True] * len(closed.outvars), instantiate=True)
    used = {x for eqn in jaxpr.eqns for x in eqn.invars}.union(jaxpr.outvars)
    kept = [(v, x) for v, x in zip(jaxpr.constvars, closed.consts, strict=True) if v in used]
    constvars, consts = unzip2(kept)
    return ClosedJaxpr(jaxpr.replace(constvars=constvars), consts)
