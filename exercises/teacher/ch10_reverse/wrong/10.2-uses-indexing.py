"""Uses the indexing that the package has, so neither is a primitive; and checks no places."""

import minijax.numpy as jnp


def pick(x, places):
    return x[places]


def put_back(y, places, size):
    return jnp.zeros(size, y.dtype).at[places].add(y)
