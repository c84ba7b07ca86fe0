"""A row of the table: one workload, under both libraries."""

import statistics
from collections.abc import Iterable
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Row:
    """What a workload took under each library, in seconds or bytes; None where it did not run."""

    group: str
    workload: str
    minijax: float | None = None
    jax: float | None = None
    unit: str = "s"
    note: str = ""
    failed: bool = False  # the two libraries disagree on the values

    @property
    def ratio(self) -> float | None:
        """JAX's time by minijax's: above 1, minijax is ahead."""
        if self.minijax is None or self.jax is None:
            return None
        return self.jax / self.minijax

    def as_dict(self) -> dict:
        return {**asdict(self), "ratio": self.ratio}


def mean_ratio(rows: Iterable[Row]) -> float | None:
    """The geometric mean of the ratios that there are."""
    ratios = [row.ratio for row in rows if row.ratio is not None]
    return statistics.geometric_mean(ratios) if ratios else None


def groups_of(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """The rows of each group, in the order of their first ones."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row.group, []).append(row)
    return groups


def median_run(runs: list[list[Row]]) -> list[Row]:
    """Of each workload, the row of the run in the middle, by the ratio.

    With an even number of runs, the lower of the two in the middle.
    """
    found = []
    for rows in zip(*runs, strict=True):
        ran = sorted((row for row in rows if row.ratio is not None), key=lambda row: row.ratio)
        failed = [row for row in rows if row.failed]
        found.append((failed or ran[(len(ran) - 1) // 2 :] or rows)[0])
    return found
