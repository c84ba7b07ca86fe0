"""The condition goes along as an operand: the right examples, and an equation for each."""

import numpy as np

import minijax as jax


def watch(fun, x, when):
    def ask(x, when):
        if when:
            fun((), np.asarray(x))

    jax.debug.callback(ask, x, when)
