"""The ids index as they are: -1 counts from the end, so a stray joins the last segment."""

import minijax.numpy as jnp
from minijax import lax


def segment_softmax(x, ids, count):
    least = jnp.full((count, *x.shape[1:]), -jnp.inf, x.dtype)
    largest = least.at[ids].max(lax.stop_gradient(x))
    terms = jnp.exp(x - largest[ids])
    sums = jnp.zeros_like(largest).at[ids].add(terms)
    stray = ((ids < 0) | (ids >= count)).reshape(ids.shape + (1,) * (x.ndim - 1))
    return jnp.where(stray, 0.0, terms / sums[ids])
