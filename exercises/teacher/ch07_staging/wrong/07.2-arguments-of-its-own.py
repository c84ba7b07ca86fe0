"""Staged anew at made-up arrays: weak types are lost, and so is the line of each equation."""

import numpy as np

import minijax as jax
from minijax.core.errors import check_types
from minijax.core.staging import Literal
from minijax.core.tracing import typeof


def rewritten(closed, rules):
    def run(*args):
        env = dict(zip([*closed.constvars, *closed.invars], [*closed.consts, *args], strict=True))
        for eqn in closed.eqns:
            operands = [x.val if type(x) is Literal else env[x] for x in eqn.invars]
            if eqn.primitive in rules:
                out = rules[eqn.primitive](*operands, **eqn.primitive.active(eqn.params))
            else:
                out = eqn.primitive.bind(*operands, **eqn.params)
            outs = out if eqn.primitive.multiple_results else [out]
            types = [typeof(x) for x in outs]
            check_types(eqn.primitive, "rule", types, [v.aval for v in eqn.outvars])
            env.update(zip(eqn.outvars, outs, strict=True))
        return [x.val if type(x) is Literal else env[x] for x in closed.outvars]

    return jax.make_jaxpr(run)(*[np.zeros(aval.shape, aval.dtype) for aval in closed.in_avals])
