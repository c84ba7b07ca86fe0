"""The teacher's solutions of chapter 22."""

import numpy as np

from minijax.core.extend import Primitive, bdim_at_front, primitive_batchers, primitive_jvps, typeof
from minijax.lax.outside.debugging import DebugEffect

watch_p = Primitive("watch")
watch_p.multiple_results = True
watch_p.def_effectful_abstract_eval(lambda x, when, *, fun: ([], frozenset([DebugEffect()])))


@watch_p.def_impl
def _watch_impl(x, when, *, fun):
    """The batch axes are those of `when`; in x they come first."""
    values = np.asarray(x)
    for index in map(tuple, np.argwhere(np.asarray(when)).tolist()):
        fun(index, values[index])
    return []


def _watch_jvp(primals, tangents, *, fun):
    return watch_p.bind(*primals, fun=fun), []


def _watch_batcher(args, dims, *, fun):
    size = next(typeof(x).shape[d] for x, d in zip(args, dims, strict=True) if d is not None)
    operands = [bdim_at_front(x, d, size) for x, d in zip(args, dims, strict=True)]
    return watch_p.bind(*operands, fun=fun), []


primitive_jvps[watch_p] = _watch_jvp
primitive_batchers[watch_p] = _watch_batcher


def watch(fun, x, when):
    """Calls fun(index, value) for each example of x for which `when` holds."""
    watch_p.bind(x, when, fun=fun)
