"""SVG charts: ratios as bars, cost against size as lines. Needs matplotlib."""

from pathlib import Path

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "minijax"  # the same data make the same file

from matplotlib import pyplot as plt  # noqa: E402

from benchmarks.groups import BOUNDS  # noqa: E402
from benchmarks.rows import Row, groups_of, mean_ratio  # noqa: E402

AHEAD, BEHIND, MEAN = "#3b7a57", "#b5651d", "#222222"


def save(figure, file: Path) -> None:
    figure.savefig(file, format="svg", metadata={"Date": None}, bbox_inches="tight")
    plt.close(figure)


def draw_ratios(rows: list[Row], file: Path) -> None:
    """A bar for each workload from 1 to its ratio; a line for each group's mean, and its bound."""
    groups = {g: [r for r in members if r.ratio is not None]
              for g, members in groups_of(rows).items()}
    count = sum(len(members) + 1 for members in groups.values())
    figure, axes = plt.subplots(figsize=(8, 0.22 * count + 0.8))
    place, ticks = 0, []
    for group, members in groups.items():
        if not members:
            continue
        ticks.append((place, group))
        start = place + 0.5
        for row in members:
            place += 1
            color = AHEAD if row.ratio >= 1 else BEHIND
            axes.barh(place, row.ratio - 1, left=1, color=color, height=0.8)
            ticks.append((place, row.workload))
        axes.vlines(mean_ratio(members), start, place + 0.5, color=MEAN)
        if group in BOUNDS:
            axes.vlines(BOUNDS[group].at_least, start, place + 0.5, color=MEAN, linestyle=":")
        place += 1
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.axvline(1, color=MEAN, linewidth=0.6)
    axes.set_yticks([y for y, _ in ticks], [name for _, name in ticks], fontsize=7)
    for label in axes.get_yticklabels():
        if label.get_text() in groups:
            label.set_fontweight("bold")
    axes.invert_yaxis()
    axes.set_ylim(place, -1)
    axes.grid(axis="x", alpha=0.3)
    axes.set_xlabel("JAX / minijax: above 1, minijax is ahead."
                    " Line: geometric mean; dots: what is asked", fontsize=8)
    save(figure, file)


def draw_sizes(points: list, file: Path) -> None:
    """A panel for each series, both libraries' seconds against the size, logarithmic."""
    series = {point.series: [p for p in points if p.series == point.series] for point in points}
    figure, panels = plt.subplots(1, len(series), figsize=(3.6 * len(series), 3.2), squeeze=False)
    for axes, (name, members) in zip(panels[0], series.items(), strict=True):
        sizes = [p.size for p in members]
        axes.loglog(sizes, [p.minijax for p in members], "o-", color=AHEAD, label="minijax")
        axes.loglog(sizes, [p.jax for p in members], "s--", color=BEHIND, label="JAX")
        axes.set_title(name, fontsize=9)
        axes.set_xlabel(members[0].what, fontsize=8)
        axes.tick_params(labelsize=7)
        axes.grid(alpha=0.3)
    panels[0][0].set_ylabel("seconds", fontsize=8)
    panels[0][0].legend(fontsize=8)
    figure.tight_layout()
    save(figure, file)
