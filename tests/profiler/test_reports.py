"""Reports: the steps of a call, their times and costs, and how they are shown."""

import re

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax, profiler
from minijax.profiler import machines, reports
from minijax.profiler.machines import Machine

M = jnp.ones((64, 48))
MACHINE = Machine(bandwidth=1e9, flops=2e9)


@pytest.fixture(autouse=True)
def known_machine(monkeypatch):
    monkeypatch.setattr(reports, "this_machine", lambda: MACHINE)
    monkeypatch.setattr(reports, "ENOUGH", 0.01)


def two_steps(x, w, n=1):
    with jax.named_scope("product"):
        y = x @ w
    return jnp.tanh(y) + n


def test_a_row_for_each_step_with_its_costs(on_numba):
    report = profiler.report(two_steps)(M, M.T)
    product, rest = report.rows
    assert product.step.name == "NumPy: dot_general"
    assert rest.step.name == "kernel0: tanh add"
    assert product.step.bytes == 4 * (2 * 64 * 48 + 64 * 64)
    assert product.step.operations == 2 * 64 * 64 * 48
    assert product.least == max(product.step.bytes / 1e9, product.step.operations / 2e9)
    assert product.reached == product.least / product.seconds
    assert 0 < rest.seconds <= report.seconds * 3
    between = max(report.program - product.seconds - rest.seconds, 0)
    assert report.between == pytest.approx(between)
    assert report.around == max(report.seconds - report.program, 0)


def test_the_line_and_the_scope_of_a_step(on_numba):
    product = profiler.report(two_steps)(M, M.T).rows[0]
    assert re.fullmatch(r"test_reports\.py:\d+ in product", product.line)
    with open(__file__, encoding="utf-8") as file:
        line = file.readlines()[product.step.source.line - 1]
    assert line.strip() == "y = x @ w"


def test_of_what_runs_on_numpy_each_equation_is_a_row(on_numpy):
    report = profiler.report(two_steps)(M, M.T)
    assert [row.step.name for row in report.rows] == [
        "NumPy: dot_general", "NumPy: tanh", "NumPy: add"]  # fmt: skip
    assert all(row.seconds > 0 for row in report.rows)


def test_jitted_functions_and_static_arguments(backend):
    jitted = jax.jit(two_steps, static_argnames="n")
    report = profiler.report(jitted)(M, M.T, n=5)
    assert report.name == "two_steps"
    assert report.rows


def test_arguments_are_not_donated(backend):
    x = M + 1
    profiler.report(jax.jit(lambda x: x * 2, donate_argnums=0))(x)
    assert not x.is_deleted()


def test_what_has_effects_runs_once(backend, capsys):
    profiler.report(lambda x: jax.debug.print("x is {}", x))(1.0)
    assert capsys.readouterr().out == "x is 1.0\n"


def test_a_function_without_steps(backend):
    report = profiler.report(lambda x: x)(M)
    assert report.rows == []
    assert "between the steps" in repr(report)


def test_loops_are_steps(on_numba):
    f = lambda x: lax.fori_loop(0, 9, lambda i, c: c * 1.5, x)  # noqa: E731
    (row,) = profiler.report(f)(M).rows
    assert row.step.operations >= 9 * M.size


def test_the_table_has_a_line_for_each_step_and_one_for_the_rest(on_numba):
    report = profiler.report(two_steps)(M, M.T)
    lines = repr(report).splitlines()
    assert lines[0].startswith("two_steps: ")
    assert lines[0].endswith("This machine moves 1 GB and computes 2 Gflop in a second.")
    assert lines[2].split() == "step time part bytes operations of this machine line".split()
    assert [line.split("  ")[0] for line in lines[3:]] == [
        "NumPy: dot_general", "kernel0: tanh add", "between the steps",
        "around the program"]  # fmt: skip
    assert "41 kB" in lines[3] and "393 k" in lines[3]
    assert max(map(len, lines)) < 160


def test_in_a_notebook_it_is_a_table_and_names_are_no_html(on_numba):
    def f(x):
        return jnp.exp(x) * 2

    f.__name__ = "<b>"
    html = profiler.report(f)(M)._repr_html_()
    assert html.count("<tr>") == 4
    assert "<b>" not in html and "&lt;b&gt;" in html
    assert "linear-gradient" in html


def test_a_plot_has_two_bars_for_each_step(on_numba):
    pytest.importorskip("matplotlib")
    figure = profiler.report(two_steps)(M, M.T).plot()
    (axes,) = figure.axes
    taken, least = axes.containers
    assert len(taken) == len(least) == 2
    for outer, inner in zip(taken, least, strict=True):
        assert inner.get_width() <= outer.get_width()


def test_the_machine_is_measured_once(monkeypatch):
    machines.this_machine.cache_clear()
    monkeypatch.setattr(machines, "_bandwidth", lambda: 3.0)
    monkeypatch.setattr(machines, "_flops", lambda: 4.0)
    assert machines.this_machine() is machines.this_machine() == Machine(3.0, 4.0)
    machines.this_machine.cache_clear()


def test_what_is_measured_is_what_any_machine_reaches():
    assert 1e8 < machines._bandwidth(1 << 18) < 1e13
    assert 1e8 < machines._flops(64) < 1e14


def test_the_results_are_those_of_the_function(on_numba):
    """The copy that is timed computes with the same kernels."""
    compiled = jax.jit(two_steps).lower(M, M.T).compile()
    program = compiled.runtime_executable()
    before = dict(program.run.__globals__)
    profiler.report(two_steps)(M, M.T)
    assert program.run.__globals__ == before
    np.testing.assert_array_equal(compiled(M, M.T), two_steps(M, M.T))
