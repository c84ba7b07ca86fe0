"""The weak types are taken for dtypes like others, so that `2.0` widens a float16."""

from functools import cache

from minijax.core.arrays import _LATTICE, canonicalize_dtype


@cache
def _upper_bounds(point):
    return frozenset([point]).union(*map(_upper_bounds, _LATTICE[point]))


@cache
def _least_upper_bound(points):
    common = frozenset.intersection(*map(_upper_bounds, points))
    (least,) = [point for point in common if common <= _upper_bounds(point)]
    return least


def result_aval_type(avals):
    point = _least_upper_bound(frozenset(str(aval.dtype) for aval in avals))
    return canonicalize_dtype(point), all(aval.weak_type for aval in avals)
