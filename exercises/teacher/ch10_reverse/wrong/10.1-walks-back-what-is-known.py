"""Walks back every equation, those too that have all their operands."""

from minijax.core.forward import Zero, add_tangents
from minijax.core.reverse import UndefinedPrimal, is_undefined_primal, transpose_eqn
from minijax.core.staging import Literal


def backward_pass(jaxpr, consts, args, cts_out):
    values = dict(zip(jaxpr.constvars, consts, strict=True))
    values.update(zip(jaxpr.invars, args, strict=True))
    cts = {}

    def read(x):
        return x.val if type(x) is Literal else values[x]

    def accumulate(x, ct):
        if is_undefined_primal(read(x)) and ct is not None and type(ct) is not Zero:
            cts[x] = add_tangents(cts[x], ct) if x in cts else ct

    linear_eqns = []
    for eqn in jaxpr.eqns:
        values.update((v, UndefinedPrimal(v.aval)) for v in eqn.outvars)
        linear_eqns.append(eqn)
    for x, ct in zip(jaxpr.outvars, cts_out, strict=True):
        accumulate(x, ct)
    for eqn in reversed(linear_eqns):
        ct_out = [cts.get(v, Zero(v.aval)) for v in eqn.outvars]
        if any(type(ct) is not Zero for ct in ct_out):
            for x, ct in zip(eqn.invars, transpose_eqn(eqn, ct_out, read), strict=True):
                accumulate(x, ct)
    return [cts.get(v, Zero(v.aval)) for v in jaxpr.invars]
