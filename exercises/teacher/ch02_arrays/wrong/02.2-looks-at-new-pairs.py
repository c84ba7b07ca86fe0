"""Only the pairs with the new point are looked at: two old points may have been parted."""

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
    if len(least) != 1:
        raise ValueError(f"{a!r} and {b!r} have {len(least)} nearest upper bounds")
    return least[0]


def with_point(table, point, above, below=()):
    new = {old: arrows + [point] * (old in below) for old, arrows in table.items()}
    new[point] = list(above)
    for other in new:
        join(new, point, other)
    return new


FLOAT8_TABLE = with_point(_LATTICE, "float8", ["bfloat16", "float16"], [float])
