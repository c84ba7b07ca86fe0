"""float8 has arrows up, and none leads to it: an integer that meets it has two nearest points."""

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
    least = [point for point in common if common <= reached(table, point)]
    if not least:
        raise ValueError("no nearest point")
    return least[0]


def with_point(table, point, above, below=()):
    new = {old: arrows + [point] * (old in below) for old, arrows in table.items()}
    new[point] = list(above)
    for other in above:
        join(new, point, other)
    if not above:
        raise ValueError("a point needs arrows")
    return new


FLOAT8_TABLE = with_point(_LATTICE, "float8", ["bfloat16", "float16"])
