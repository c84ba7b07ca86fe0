"""Everybody's whole array goes around the ring."""

from minijax import lax


def ring_sum(x, axis_name):
    """The sum of the devices' x over an axis of the mesh, by ppermute alone."""
    n = lax.axis_size(axis_name)
    ring = [(j, (j + 1) % n) for j in range(n)]
    total = x
    for _ in range(n - 1):
        x = lax.ppermute(x, axis_name, ring)
        total = total + x
    return total
