"""The chapter's recursion: in a circle of arrows it comes to no end (RecursionError)."""

from minijax.core.arrays import _LATTICE


def reached(table, point):
    return frozenset([point]).union(*[reached(table, p) for p in table[point]])


def join(table, a, b):
    common = reached(table, a) & reached(table, b)
    (least,) = [point for point in common if common <= reached(table, point)]
    return least


def with_point(table, point, above, below=()):
    new = {old: arrows + [point] * (old in below) for old, arrows in table.items()}
    new[point] = list(above)
    for a in new:
        for b in new:
            join(new, a, b)
    return new


FLOAT8_TABLE = with_point(_LATTICE, "float8", ["bfloat16", "float16"], [float])
