"""Of the common points, the one that reaches most is taken, and nobody asks whether it is alone."""

from minijax.core.arrays import _LATTICE


def reached(table, point):
    found, waiting = set(), [point]
    while waiting:
        point = waiting.pop()
        if point not in found:
            found.add(point)
            waiting += table[point]
    return found


def join(table, a, b):
    common = reached(table, a) & reached(table, b)
    return max(common, key=lambda point: len(reached(table, point)))  # ValueError where it is empty


def with_point(table, point, above, below=()):
    new = {old: arrows + [point] * (old in below) for old, arrows in table.items()}
    new[point] = list(above)
    for a in new:
        for b in new:
            join(new, a, b)
    return new


FLOAT8_TABLE = with_point(_LATTICE, "float8", ["bfloat16", "float16"], [float])
