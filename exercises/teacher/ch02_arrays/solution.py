"""The teacher's solutions of chapter 02."""

from minijax.core.arrays import _LATTICE


def reached(table, point):
    """All the points that can be reached from one, itself included."""
    found, waiting = set(), [point]
    while waiting:
        point = waiting.pop()
        if point not in found:
            found.add(point)
            waiting += table[point]
    return found


def nearest(bounds, a, b):
    """The nearest upper bound of two points, where each point's upper bounds are known."""
    common = bounds[a] & bounds[b]
    least = [point for point in common if common <= bounds[point]]
    if len(least) != 1:
        raise ValueError(f"{a!r} and {b!r} have {len(least)} nearest upper bounds, not one")
    return least[0]


def join(table, a, b):
    """The nearest upper bound of two points of a table of arrows."""
    return nearest({point: reached(table, point) for point in table}, a, b)


def with_point(table, point, above, below=()):
    """A table with one point more; ValueError where it would be no lattice."""
    new = {old: [*arrows, *[point] * (old in below)] for old, arrows in table.items()}
    new[point] = list(above)
    bounds = {point: reached(new, point) for point in new}
    for a in new:
        for b in new:
            nearest(bounds, a, b)
    return new


FLOAT8_TABLE = with_point(_LATTICE, "float8", ["bfloat16", "float16"], [float])
