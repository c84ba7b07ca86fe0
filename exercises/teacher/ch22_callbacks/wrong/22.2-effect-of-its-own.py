"""An effect of its own, which no branch of a mapped cond may have."""

import numpy as np

from minijax.core.extend import Primitive, bdim_at_front, primitive_batchers, primitive_jvps, typeof
from minijax.core.tracing import Effect

watch_p = Primitive("watch")
watch_p.multiple_results = True


class Watches(Effect):
    pass


watch_p.def_effectful_abstract_eval(lambda x, when, *, fun: ([], frozenset([Watches()])))

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
    size = next(typeof(x).shape[d] for x, d in zip(args, dims, strict=True) if d is not None)
    both = [bdim_at_front(x, d, size) for x, d in zip(args, dims, strict=True)]
    return watch_p.bind(*both, fun=fun), []


primitive_batchers[watch_p] = _watch_batcher


def watch(fun, x, when):
    watch_p.bind(x, when, fun=fun)
