"""The benchmarks' report: rows, means, verdicts, charts and the command's options."""

from xml.etree import ElementTree

import pytest

from benchmarks import groups, report
from benchmarks.__main__ import parse
from benchmarks.charts import draw_ratios, draw_sizes
from benchmarks.first_calls import BOTH_WARM, COLD
from benchmarks.rows import Row, mean_ratio, median_run
from benchmarks.sizes import Point, line

ROWS = [
    Row("dispatch", "eager add", 1e-6, 4e-6),
    Row("dispatch", "jitted add", 2e-6, 2e-6),
    Row("training", "convnet step", note="absent: minijax.lax.conv_general_dilated"),
    Row("peak memory", "elementwise chain", 128e6, 64e6, unit="B"),
]


def test_means_are_geometric_and_pass_over_what_did_not_run():
    assert mean_ratio(ROWS[:2]) == pytest.approx(2.0)
    assert mean_ratio(ROWS[2:3]) is None


def test_the_table():
    assert report.table(ROWS).splitlines() == [
        "dispatch                                               2.00  at least 2, aim 5",
        "  eager add                    1.00 us     4.00 us     4.00",
        "  jitted add                   2.00 us     2.00 us     1.00",
        "training                                                  -  at least 1, aim 1.4",
        "  convnet step                       -           -        -"
        "  absent: minijax.lax.conv_general_dilated",
        "peak memory                                           0.500  at least 1, aim 1.5",
        "  elementwise chain             128 MB     64.0 MB    0.500",
    ]


def test_the_summary_is_a_table_of_markdown():
    assert report.summary(ROWS).splitlines()[2:] == [
        "| dispatch | 2.00 | 2 | 5 |", "| peak memory | 0.500 | 1 | 1.5 |"]


@pytest.mark.parametrize("value, unit, text", [
    (2.5, "s", "2.50 s "), (1.234e-3, "s", "1.23 ms"), (5e-10, "s", "0.000500 us"),
    (2.5e9, "B", "2.50 GB"), (1.28e8, "B", "128 MB"), (None, "s", "-"),
])
def test_quantities(value, unit, text):
    assert report.quantity(value, unit) == text


@pytest.mark.parametrize("row, said", [
    (Row("loops", "lstm", 1.0, 2.0), []),
    (Row("loops", "lstm", 1.0, 1.0), ["loops: 1.00, below 1.3"]),
    (Row("loops", "lstm", 2.0, 1.0), ["loops: 0.500, below 1.3",
                                      "loops, lstm: 0.500, below 0.6"]),
    (Row(COLD, "selu", 2.0, 2.5), ["script, cold: 1.25, below 2"]),
    (Row("loops", "lstm", note="the values differ", failed=True),
     ["loops, lstm: the values differ"]),
    (Row("training", "convnet step", note="absent: it"), []),
    (Row(BOTH_WARM, "selu", 9.0, 1.0), []),
])
def test_what_falls_short(row, said):
    assert report.misses([row]) == said


def test_of_several_runs_the_median_row():
    runs = [[Row("g", "w", 1.0, ratio)] for ratio in (3.0, 1.0, 2.0)]
    assert median_run(runs) == [Row("g", "w", 1.0, 2.0)]
    assert median_run(runs[:2]) == [Row("g", "w", 1.0, 1.0)]
    failed = [Row("g", "w", note="the values differ", failed=True)]
    assert median_run([runs[0], failed]) == failed
    absent = [Row("g", "w", note="absent: it")]
    assert median_run([absent, absent]) == absent


def test_every_group_has_a_bound():
    assert set(groups.IN_TURNS) < set(groups.BOUNDS)
    assert all(at_least < aim for at_least, aim in groups.BOUNDS.values())


def test_a_point_of_a_size():
    point = Point("a call", "elements", 1000, 1e-6, 3e-6)
    assert line(point).split() == "a call 1,000 elements 1.00 us 3.00 us 3.00".split()


def test_charts_are_svg_and_the_same_each_time(tmp_path):
    draw_ratios(ROWS, tmp_path / "ratios.svg")
    points = [Point("a call", "elements", n, n * 1e-6, 3e-6) for n in (1, 10)]
    draw_sizes(points, tmp_path / "sizes.svg")
    for file in tmp_path.glob("*.svg"):
        assert ElementTree.parse(file).getroot().tag.endswith("svg")
    before = (tmp_path / "sizes.svg").read_bytes()
    draw_sizes(points, tmp_path / "sizes.svg")
    assert (tmp_path / "sizes.svg").read_bytes() == before


@pytest.mark.parametrize("arguments, said", [
    (["linalgebra"], "there is no group linalgebra"),
    (["sizes", "loops"], "sizes is a command of its own"),
    (["--runs", "0"], "--runs is at least 1"),
    (["--backend", "gpu"], "invalid choice"),
])
def test_wrong_options(arguments, said, capsys):
    with pytest.raises(SystemExit) as stopped:
        parse(arguments)
    assert stopped.value.code == 2
    assert said in capsys.readouterr().err


def test_options():
    options = parse(["loops", "random", "--runs", "3", "--backend", "numpy", "--quick"])
    assert (options.groups, options.runs, options.backend) == (["loops", "random"], 3, "numpy")
    assert options.quick and options.json is None and options.svg is None
