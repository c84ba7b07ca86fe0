"""Eigenvectors, whose derivatives come for free, and are NaN where eigenvalues are equal."""




from minijax import lax
from minijax.lax.linalg.matrices import product


def root(a):
    values, v = parts(a)
    scaled = v * lax.broadcast_in_dim(lax.sqrt(values), v.shape, other_axes(v))
    return product(scaled, turned(v))


def lyapunov(s, c):
    values, v = parts(s)
    rows = lax.broadcast_in_dim(values, v.shape, (*range(v.ndim - 2), v.ndim - 2))
    columns = lax.broadcast_in_dim(values, v.shape, other_axes(v))
    inside = lax.div(product(product(turned(v), c), v), lax.add(rows, columns))
    return product(product(v, inside), turned(v))


def parts(a):
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise TypeError(f"no square matrix: {a.shape}")
    v, values = lax.linalg.eigh(a, symmetrize_input=False)
    return values, v


def other_axes(v):
    return (*range(v.ndim - 2), v.ndim - 1)


def turned(v):
    return lax.transpose(v, (*range(v.ndim - 2), v.ndim - 1, v.ndim - 2))
