"""The array's last axis is taken for the one that is contracted."""

import minijax as jax
from minijax import lax
from minijax.compiler.kernels.elements import in_kernels
from minijax.compiler.kernels.fuse import Kernel, fuse
from minijax.compiler.passes.rewriting import changed, forward
from minijax.compiler.passes.simplify import simplify
from minijax.core.extend import Var


def vector_products(closed):
    """The program whose products with a vector are sums that kernels can compute."""
    return forward(closed, visit)


def visit(draft, eqn):
    found = sides(eqn) if eqn.primitive is lax.dot_general_p else None
    if found is None:
        return draft.write(eqn)
    array, vector, axis = found

    def inner(aval):
        return eqn._replace(outvars=[Var(aval)])

    wide = vector.aval.update(shape=array.aval.shape)
    [repeated] = draft.write(changed(
        inner(wide), lax.broadcast_in_dim_p, vector, shape=wide.shape, broadcast_dimensions=(axis,)
    ))  # fmt: skip
    [product] = draft.write(changed(inner(wide), lax.mul_p, array, repeated))
    return draft.write(changed(eqn, lax.reduce_sum_p, product, axes=(axis,)))


def sides(eqn):
    """The array, the vector, and the array's axis; or None."""
    x, y = eqn.invars
    (x_axes, y_axes), (x_batch, _) = eqn.params["dimension_numbers"]
    wanted = eqn.params["preferred_element_type"]
    if x_batch or len(x_axes) != 1 or not (in_kernels(x) and in_kernels(y)):
        return None
    if x.aval.dtype == bool or x.aval.dtype != y.aval.dtype or wanted not in (None, x.aval.dtype):
        return None
    if x.aval.shape[x_axes[0]] <= 1:
        return None
    if y.aval.ndim == 1:
        return x, y, x.aval.ndim - 1
    return (y, x, y_axes[0]) if x.aval.ndim == 1 else None


def made(step):
    eqns = step.eqns if isinstance(step, Kernel) else [step.eqn]
    return [v for eqn in eqns for v in eqn.outvars]


def traffic(closed):
    """How many numbers pass through memory when the program is fused."""
    steps = fuse(closed.jaxpr)
    reads = [x for step in steps for x in dict.fromkeys(step.reads)]
    used = {*reads, *(x for x in closed.jaxpr.outvars if isinstance(x, Var))}
    writes = [v for step in steps for v in made(step) if v in used]
    return sum(x.aval.size for x in [*reads, *writes])


def gain(fun, *args):
    """Steps, and numbers moved, without and with the pass."""
    before = simplify(jax.make_jaxpr(fun)(*args))
    programs = before, simplify(vector_products(before))
    return {
        "steps": tuple(len(fuse(closed.jaxpr)) for closed in programs),
        "moved": tuple(map(traffic, programs)),
    }
