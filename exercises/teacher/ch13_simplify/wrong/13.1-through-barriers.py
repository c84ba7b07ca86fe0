"""Nobody asks whether an equation is opaque, so that what was to be computed twice is one."""

from minijax.compiler.passes.rewriting import forward
from minijax.core.arrays import to_numpy
from minijax.core.staging import Literal


def share(closed):
    seen = {}

    def visit(draft, eqn):
        if eqn.effects:
            return draft.write(eqn)
        try:
            outvars = seen.setdefault(_key(eqn), eqn.outvars)
        except TypeError:
            return draft.write(eqn)
        return draft.write(eqn) if outvars is eqn.outvars else outvars

    return forward(closed, visit)


def _key(eqn):
    operands = [
        (x.aval.dtype, to_numpy(x.val).tobytes()) if type(x) is Literal else x for x in eqn.invars
    ]
    params = [repr(x) if type(x) is float else x for x in eqn.params.values()]
    return eqn.primitive, *operands, *eqn.params, *params
