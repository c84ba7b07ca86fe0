"""The new axis goes behind those that are there: the inner number comes first."""

import numpy as np

from minijax.core.extend import Primitive, bdim_at_front, primitive_batchers, primitive_jvps, typeof
from minijax.lax.outside.debugging import DebugEffect

watch_p = Primitive("watch")
watch_p.multiple_results = True
watch_p.def_effectful_abstract_eval(lambda x, when, *, fun, depth: ([], frozenset([DebugEffect()])))


@watch_p.def_impl
def _watch_impl(x, when, *, fun, depth):
    values = np.asarray(x)
    for index in map(tuple, np.argwhere(np.asarray(when).T).tolist()):
        fun(index, values[index[::-1]])
    return []


def _watch_jvp(primals, tangents, *, fun, depth):
    return watch_p.bind(*primals, fun=fun, depth=depth), []


def _watch_batcher(args, dims, *, fun, depth):
    size = next(typeof(x).shape[d] for x, d in zip(args, dims, strict=True) if d is not None)
    both = [bdim_at_front(x, d, size) for x, d in zip(args, dims, strict=True)]
    return watch_p.bind(*both, fun=fun, depth=depth + 1), []


primitive_jvps[watch_p] = _watch_jvp
primitive_batchers[watch_p] = _watch_batcher


def watch(fun, x, when):
    watch_p.bind(x, when, fun=fun, depth=0)
