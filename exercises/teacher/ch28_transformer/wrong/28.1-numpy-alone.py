"""It is computed by NumPy, so p can't be traced, and nothing can be mapped."""

import numpy as np

import minijax.numpy as jnp


def nucleus(scores, p):
    order = np.argsort(-np.asarray(scores), axis=-1, kind="stable")
    powers = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    chances = np.take_along_axis(powers / powers.sum(-1, keepdims=True), order, axis=-1)
    before = np.cumsum(chances, axis=-1) - chances
    is_first = np.arange(scores.shape[-1]) == 0
    belongs = np.take_along_axis((before < p) | is_first, np.argsort(order, axis=-1), axis=-1)
    return jnp.where(belongs, scores, -jnp.inf)
