"""NumPy's promotion in place of the lattice's: integers widen floats, and weak numbers count."""

import numpy as np

from minijax.core.arrays import canonicalize_dtype


def _upper_bounds(point):
    return frozenset([point])


def _least_upper_bound(points):
    names = [{int: "int64", float: "float64", complex: "complex128"}.get(p, p) for p in points]
    return str(np.result_type(*names))


def result_aval_type(avals):
    dtype = np.result_type(*[aval.dtype for aval in avals])
    return canonicalize_dtype(dtype), all(aval.weak_type for aval in avals)
