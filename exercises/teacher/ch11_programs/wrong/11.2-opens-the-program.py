"""Has the right derivatives by opening the program, of which nothing is left to undo."""

from minijax.core.batching import batch_flat, fancy_primitive_batchers
from minijax.core.forward import is_nonzero, jvp_flat, primitive_jvps
from minijax.core.linearization import primitive_linearizations, put_zeros
from minijax.core.programs import linearize_jaxpr
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
    return jvp_flat(jaxpr_as_fun(jaxpr), primals, tangents)


def undo_batcher(axis_data, vals, dims, *, jaxpr, inverse):
    return batch_flat(jaxpr_as_fun(jaxpr), axis_data, dims, vals)


def undo_linearize(nonzeros, *primals, jaxpr, inverse):
    split = linearize_jaxpr(jaxpr, tuple(nonzeros))

    def linearized(residuals, *tangents):
        args = jaxpr_as_fun(inverse)(*residuals)
        out = jaxpr_as_fun(split.forward)(*args)
        given = filter(is_nonzero, tangents)
        out_dot = jaxpr_as_fun(split.linear)(*split.residuals(args, out), *given)
        return put_zeros(out_dot, split.out_nonzeros, jaxpr.out_avals)

    out = undo_p.bind(*primals, jaxpr=jaxpr, inverse=inverse)
    return out, split.out_nonzeros, list(out), linearized


primitive_jvps[undo_p] = undo_jvp
fancy_primitive_batchers[undo_p] = undo_batcher
primitive_linearizations[undo_p] = undo_linearize
