"""What is in the references is a number in the program that is kept for each function."""

import minijax as jax
from minijax.core.staging import ClosedJaxpr, jaxpr_as_fun
from minijax.lax.references.discharge import discharge
from minijax.ref import Ref

kept = {}


def dry_run(fun):
    def run(*args):
        closed, out = jax.make_jaxpr(fun, return_shape=True)(*args)
        jaxpr, operands = closed.jaxpr, [*closed.consts, *args]
        invars = [*jaxpr.constvars, *jaxpr.invars]
        pure = discharge(ClosedJaxpr(jaxpr.replace(constvars=[], invars=invars), []))
        values = [x[...] if isinstance(x, Ref) else x for x in operands]
        values = [
            kept.setdefault(id(x), value) if isinstance(x, Ref) else value
            for x, value in zip(operands, values, strict=True)
        ]
        found = jaxpr_as_fun(pure)(*values)
        leaves, tree = jax.tree.flatten(out)
        held = sum(isinstance(x, Ref) for x in closed.consts)
        contents = list(found[len(leaves) + held :])
        return jax.tree.unflatten(tree, found[: len(leaves)]), contents

    return run
