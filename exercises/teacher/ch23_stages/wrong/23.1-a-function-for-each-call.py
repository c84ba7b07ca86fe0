"""Each call writes its function anew, so that the text grows with every call."""

from minijax.compiler.stablehlo.program_text import write_closed, write_constant, write_eqn
from minijax.compiler.stablehlo.tensor_types import numpy_of
from minijax.compiler.stablehlo.text_builder import location
from minijax.core.staging import Literal


def write_jaxpr(b, jaxpr, consts, args):
    values = dict(zip(jaxpr.invars, args, strict=True))
    constants = dict(zip(jaxpr.constvars, consts, strict=True))
    used = {x for eqn in jaxpr.eqns for x in eqn.invars}.union(jaxpr.outvars)
    for v, const in constants.items():
        if v in used:
            values[v] = write_constant(b, const, v.aval)

    def read(x):
        return b.constant(numpy_of(x.val, x.aval)) if type(x) is Literal else values[x]

    outer = b.place
    for eqn in jaxpr.eqns:
        if b.module.debug_info:
            b.place = location(eqn.source_info)
        values.update(zip(eqn.outvars, write_eqn(b, eqn, read), strict=True))
    b.place = outer
    return [read(x) for x in jaxpr.outvars]


def function_of(b, closed, name, types):
    def body(inner, *xs):
        return write_closed(inner, closed, xs)

    return b.module.function(name, types, body)
