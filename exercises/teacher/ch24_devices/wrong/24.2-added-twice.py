"""In the second round totals are added, not put in place."""

import minijax.numpy as jnp
from minijax import lax


def ring_sum(x, axis_name):
    """The sum of the devices' x over an axis of the mesh, by ppermute alone."""
    n, i = lax.axis_size(axis_name), lax.axis_index(axis_name)
    ring = [(j, (j + 1) % n) for j in range(n)]
    parts = jnp.pad(x.reshape(-1), (0, -x.size % n)).reshape(n, -1)
    for k in range(n - 1):
        arrived = lax.ppermute(parts[(i - k) % n], axis_name, ring)
        parts = parts.at[(i - k - 1) % n].add(arrived)
    for k in range(n - 1):
        arrived = lax.ppermute(parts[(i + 1 - k) % n], axis_name, ring)
        parts = parts.at[(i - k) % n].add(arrived)
    return parts.reshape(-1)[: x.size].reshape(x.shape)
