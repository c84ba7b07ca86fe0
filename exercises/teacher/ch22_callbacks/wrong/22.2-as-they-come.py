"""The batch axis is taken to be the first, and both operands to have it."""

import numpy as np

from minijax.core.extend import Primitive, primitive_batchers, primitive_jvps
from minijax.lax.outside.debugging import DebugEffect

watch_p = Primitive("watch")
watch_p.multiple_results = True
watch_p.def_effectful_abstract_eval(lambda x, when, *, fun: ([], frozenset([DebugEffect()])))

@watch_p.def_impl
def _watch_impl(x, when, *, fun):
    values = np.asarray(x)
    for index in map(tuple, np.argwhere(np.asarray(when)).tolist()):
        fun(index, values[index])
    return []


def _watch_jvp(primals, tangents, *, fun):
    return watch_p.bind(*primals, fun=fun), []


primitive_jvps[watch_p] = _watch_jvp


def _watch_batcher(args, dims, *, fun):
    return watch_p.bind(*args, fun=fun), []


primitive_batchers[watch_p] = _watch_batcher


def watch(fun, x, when):
    watch_p.bind(x, when, fun=fun)
