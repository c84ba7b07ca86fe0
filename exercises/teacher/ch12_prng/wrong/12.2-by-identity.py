"""Knows a key by the array that holds it: the same key made twice is another one."""

import numpy as np

from minijax.core.jitting import jit_p
from minijax.core.prng import (
    random_bits_p,
    random_clone_p,
    random_fold_in_p,
    random_split_p,
    words_of,
)
from minijax.core.staging import eval_jaxpr
from minijax.core.tracing import Trace, new_trace, set_current_trace, trace_ctx

KEPT = []


class KeyTrace(Trace):
    """Runs every operation, and notes which keys have served and for what."""

    def __init__(self, parent):
        self.parent, self.served, self.folded, self.faults = parent, set(), {}, []

    def process_primitive(self, primitive, args, params):
        if primitive is jit_p:
            with set_current_trace(self):
                return eval_jaxpr(params["jaxpr"].jaxpr, params["jaxpr"].consts, *args)
        if primitive in (random_bits_p, random_split_p):
            self.use_up(primitive, words(args[0]))
        elif primitive is random_fold_in_p:
            self.fold(*args)
        elif primitive is random_clone_p:
            for key in words(args[0]):
                self.served.discard(key)
                self.folded.pop(key, None)
        return primitive.bind(*args, **params)

    def use_up(self, primitive, keys):
        for key in keys:
            if key in self.served or key in self.folded:
                self.faults.append(primitive.name)
            self.served.add(key)

    def fold(self, keys, data):
        shape = np.broadcast_shapes(np.shape(keys), np.shape(data))
        spread = np.broadcast_to(np.asarray(words_of(keys)), (*shape, 2)).reshape(-1, 2)
        numbers = np.broadcast_to(np.asarray(data), shape).ravel()
        for key, number in zip(map(tuple, spread.tolist()), numbers.tolist(), strict=True):
            folded = self.folded.setdefault(key, set())
            if key in self.served or number in folded:
                self.faults.append("random_fold_in")
            folded.add(number)


def words(keys):
    KEPT.append(keys)
    return [(id(keys), i) for i in range(words_of(keys).size // 2)]


def watch_keys(fun):
    def watched(*args):
        with new_trace(KeyTrace(trace_ctx.trace)) as trace:
            return fun(*args), trace.faults

    return watched
