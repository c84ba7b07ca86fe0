"""What is in the references is taken as a number of NumPy's, which under jit there is none of."""

import numpy as np

import minijax as jax
from minijax.core.staging import ClosedJaxpr, jaxpr_as_fun
from minijax.lax.references.discharge import discharge
from minijax.ref import Ref


def dry_run(fun):
    def run(*args):
        closed, out = jax.make_jaxpr(fun, return_shape=True)(*args)
        jaxpr, operands = closed.jaxpr, [*closed.consts, *args]
        invars = [*jaxpr.constvars, *jaxpr.invars]
        pure = discharge(ClosedJaxpr(jaxpr.replace(constvars=[], invars=invars), []))
        values = [np.asarray(x[...]) if isinstance(x, Ref) else x for x in operands]
        found = jaxpr_as_fun(pure)(*values)
        leaves, tree = jax.tree.flatten(out)
        contents = found[len(leaves) :]
        held = sum(isinstance(x, Ref) for x in closed.consts)
        return jax.tree.unflatten(tree, found[: len(leaves)]), list(contents[held:])

    return run
