"""The table, line by line, and the verdict at its end."""

from benchmarks.groups import BOUNDS, FLOOR
from benchmarks.rows import Row, groups_of, mean_ratio

SCALES = {
    "s": ((1.0, "s "), (1e-3, "ms"), (1e-6, "us")),
    "B": ((1e9, "GB"), (1e6, "MB")),
}

HEADING = f"{'':26}{'minijax':>12}{'JAX':>12}{'JAX / minijax':>15}"


def quantity(value: float | None, unit: str = "s") -> str:
    """A time or an amount of memory with three digits, in the unit that suits it."""
    if value is None:
        return "-"
    scales = SCALES[unit]
    scale, name = next((pair for pair in scales if value >= pair[0]), scales[-1])
    return f"{digits(value / scale)} {name}"


def digits(number: float | None) -> str:
    """Three of them, however small the number is."""
    if number is None:
        return "-"
    return f"{number:#.3g}".rstrip(".") if number < 1000 else f"{number:,.0f}"


def row_line(row: Row) -> str:
    numbers = f"{quantity(row.minijax, row.unit):>12}{quantity(row.jax, row.unit):>12}"
    return f"  {row.workload:24}{numbers}{digits(row.ratio):>9}  {row.note}".rstrip()


def group_line(group: str, rows: list[Row]) -> str:
    """The geometric mean beside the group's bounds."""
    line = f"{group:26}{'':24}{digits(mean_ratio(rows)):>9}"
    if group in BOUNDS:
        line += f"  at least {BOUNDS[group].at_least:g}, aim {BOUNDS[group].aim:g}"
    return line


def table(rows: list[Row]) -> str:
    lines = []
    for group, members in groups_of(rows).items():
        lines += [group_line(group, members), *map(row_line, members)]
    return "\n".join(lines)


def misses(rows: list[Row]) -> list[str]:
    """What falls short: means below their bound, workloads below the floor, values that differ."""
    found = []
    for group, members in groups_of(rows).items():
        mean = mean_ratio(members)
        if group in BOUNDS and mean is not None and mean < BOUNDS[group].at_least:
            found.append(f"{group}: {digits(mean)}, below {BOUNDS[group].at_least:g}")
        for row in members:
            slow = row.ratio is not None and row.ratio < FLOOR
            if slow and group in BOUNDS:
                found.append(f"{group}, {row.workload}: {digits(row.ratio)}, below {FLOOR:g}")
            if row.failed:
                found.append(f"{group}, {row.workload}: {row.note}")
    return found


def summary(rows: list[Row]) -> str:
    """The geometric means alone, for a README."""
    lines = ["| group | JAX / minijax | at least | aim |", "|---|---|---|---|"]
    for group, members in groups_of(rows).items():
        mean = mean_ratio(members)
        if group in BOUNDS and mean is not None:
            at_least, aim = BOUNDS[group]
            lines.append(f"| {group} | {digits(mean)} | {at_least:g} | {aim:g} |")
    return "\n".join(lines)
