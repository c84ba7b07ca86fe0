"""Writes the jvp into the linear program: a jit in it makes values and tangents at once."""

from minijax.core.batching import fancy_primitive_batchers, matchaxis
from minijax.core.forward import instantiate_zeros, jvp_flat, primitive_jvps
from minijax.core.linearization import primitive_linearizations
from minijax.core.programs import batch_jaxpr, jvp_jaxpr, linearize_jaxpr
from minijax.core.pytrees import tree_flatten, tree_unflatten
from minijax.core.staging import jaxpr_as_fun, make_jaxpr
from minijax.core.tracing import Primitive

undo_p = Primitive("undo")
undo_p.multiple_results = True
undo_p.def_impl(lambda *args, jaxpr, inverse: jaxpr_as_fun(jaxpr)(*args))
undo_p.def_abstract_eval(lambda *avals, jaxpr, inverse: jaxpr.out_avals)


def undoable(fun, inverse):
    def called(*args):
        jaxpr, shapes = make_jaxpr(fun, return_shape=True)(*args)
        leaves, tree = tree_flatten(shapes)
        back = make_jaxpr(inverse)(*leaves)
        return tree_unflatten(tree, undo_p.bind(*args, jaxpr=jaxpr, inverse=back))

    return called


def undo_jvp(primals, tangents, *, jaxpr, inverse):
    size = len(primals)
    new_jaxpr, _ = jvp_jaxpr(jaxpr, (True,) * size, instantiate=True)
    new_inverse, _ = jvp_jaxpr(inverse, (True,) * size, instantiate=True)
    operands = [*primals, *map(instantiate_zeros, tangents)]
    out = undo_p.bind(*operands, jaxpr=new_jaxpr, inverse=new_inverse)
    return out[:size], out[size:]


def undo_batcher(axis_data, vals, dims, *, jaxpr, inverse):
    front = (0,) * len(vals)
    new_jaxpr, _ = batch_jaxpr(jaxpr, axis_data, front, front)
    new_inverse, _ = batch_jaxpr(inverse, axis_data, front, front)
    moved = [matchaxis(axis_data.size, d, 0, x) for x, d in zip(vals, dims, strict=True)]
    return undo_p.bind(*moved, jaxpr=new_jaxpr, inverse=new_inverse), front


def undo_linearize(nonzeros, *primals, jaxpr, inverse):
    split = linearize_jaxpr(jaxpr, tuple(nonzeros))

    def linearized(residuals, *tangents):
        args = jaxpr_as_fun(inverse)(*residuals)
        _, out_dot = jvp_flat(jaxpr_as_fun(jaxpr), args, tangents)
        return out_dot

    out = undo_p.bind(*primals, jaxpr=jaxpr, inverse=inverse)
    return out, split.out_nonzeros, list(out), linearized


primitive_jvps[undo_p] = undo_jvp
fancy_primitive_batchers[undo_p] = undo_batcher
primitive_linearizations[undo_p] = undo_linearize
