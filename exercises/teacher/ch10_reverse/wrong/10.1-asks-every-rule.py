"""Asks for the rule of each equation, where only zeros arrive too."""

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
        operands = list(map(read, eqn.invars))
        if any(map(is_undefined_primal, operands)):
            values.update((v, UndefinedPrimal(v.aval)) for v in eqn.outvars)
            linear_eqns.append(eqn)
        else:
            out = eqn.primitive.bind(*operands, **eqn.params)
            outs = out if eqn.primitive.multiple_results else [out]
            values.update(zip(eqn.outvars, outs, strict=True))
    for x, ct in zip(jaxpr.outvars, cts_out, strict=True):
        accumulate(x, ct)
    for eqn in reversed(linear_eqns):
        ct_out = [cts.get(v, Zero(v.aval)) for v in eqn.outvars]
        if ct_out:
            for x, ct in zip(eqn.invars, transpose_eqn(eqn, ct_out, read), strict=True):
                accumulate(x, ct)
    return [cts.get(v, Zero(v.aval)) for v in jaxpr.invars]
