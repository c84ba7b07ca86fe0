"""The copy is of the dict alone: its lists are those of the table, and they are written to."""

from minijax.core.arrays import _LATTICE


def reached(table, point, found=()):
    if point in found:
        return set()
    return {point}.union(*[reached(table, p, (*found, point)) for p in table[point]])


def join(table, a, b):
    common = reached(table, a) & reached(table, b)
    (least,) = [point for point in common if common <= reached(table, point)]
    return least


def with_point(table, point, above, below=()):
    new = dict(table)
    new[point] = list(above)
    for low in below:
        new[low].append(point)
    bounds = {p: reached(new, p) for p in new}
    for a in new:
        for b in new:
            common = bounds[a] & bounds[b]
            (least,) = [p for p in common if common <= bounds[p]]
    return new


FLOAT8_TABLE = with_point(_LATTICE, "float8", ["bfloat16", "float16"], [float])
