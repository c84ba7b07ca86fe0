"""The formula as it stands: exponentials overflow, and -1 is the last segment."""

import minijax.numpy as jnp


def segment_softmax(x, ids, count):
    terms = jnp.exp(x)
    sums = jnp.zeros((count, *x.shape[1:]), x.dtype).at[ids].add(terms)
    return terms / sums[ids]
