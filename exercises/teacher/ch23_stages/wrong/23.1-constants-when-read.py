"""A constant is written wherever it is read: in a loop's region, and once more for each reader."""

from minijax.compiler.stablehlo.program_text import write_closed, write_constant, write_eqn
from minijax.compiler.stablehlo.tensor_types import numpy_of
from minijax.compiler.stablehlo.text_builder import location
from minijax.core.staging import Literal


def write_jaxpr(b, jaxpr, consts, args):
    values = dict(zip(jaxpr.invars, args, strict=True))
    constants = dict(zip(jaxpr.constvars, consts, strict=True))

    def read(x):
        if type(x) is Literal:
            return b.constant(numpy_of(x.val, x.aval))
        return values[x] if x in values else write_constant(b, constants[x], x.aval)

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

    def make():
        return *b.module.function(name, types, body), closed

    function, outs, _ = b.module.once((id(closed), name), make)
    return function, outs
