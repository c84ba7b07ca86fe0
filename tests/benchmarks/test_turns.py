"""The benchmarks' harness, where minijax stands for both libraries."""

import gc
import time

import numpy as np
import pytest

import minijax
import minijax.numpy as jnp
from benchmarks import libraries
from benchmarks.agreement import disagreement, nearly_equal
from benchmarks.processes import run_fresh
from benchmarks.sizes import EQUATIONS, chain, first_call
from benchmarks.turns import (
    Effort,
    calls_to_fill,
    compare,
    last_leaf,
    make_call,
    middle_round,
    take_turns,
)

LIBRARIES = (minijax, minijax)
BRIEF = Effort(turn=1e-4, pause=0.0, rounds=3, budget=0.1)


def test_a_row_has_both_times():
    row = compare("dispatch", lambda lib: (lambda x: x + x, (jnp.ones(3),)), LIBRARIES, BRIEF)
    assert row.group == "dispatch" and not row.failed and not row.note
    assert row.minijax > 0 and row.jax > 0 and row.ratio == row.jax / row.minijax


def test_values_are_compared_before_anything_is_timed():
    values = iter([1.0, 2.0])

    def workload(lib):
        value = next(values)
        return lambda x: x + value, (jnp.ones(3),)

    row = compare("dispatch", workload, LIBRARIES, BRIEF)
    assert row.failed and row.note == "the values differ" and row.ratio is None


def test_what_is_still_to_come_is_absent_and_does_not_fail():
    def workload(lib):
        raise AttributeError("minijax.lax.later is not here yet. dir() of it\nlists what is.")

    row = compare("linalg", workload, LIBRARIES, BRIEF)
    assert row.note == "absent: minijax.lax.later" and not row.failed and row.ratio is None


@pytest.mark.parametrize("error", [AttributeError("no attribute 'x'"), ValueError("bad\nvalue")])
def test_an_error_fails_its_row_alone(error):
    def workload(lib):
        raise error

    row = compare("linalg", workload, LIBRARIES, BRIEF)
    assert row.failed and row.note.startswith(type(error).__name__)
    assert "\n" not in row.note


def test_turns_alternate_and_the_collector_is_back_afterwards():
    seen = []
    calls = [lambda: seen.append("a") or time.sleep(1e-3),
             lambda: seen.append("b") or time.sleep(2e-3)]
    rounds = take_turns(calls, Effort(turn=1e-3, pause=0.0, rounds=4, budget=10.0))
    assert len(rounds) == 4 and all(a >= 1e-3 and b >= 2e-3 for a, b in rounds)
    assert "".join(seen).count("ab") >= 4
    assert gc.isenabled()


def test_a_slow_call_gets_three_rounds():
    rounds = take_turns([lambda: time.sleep(0.01)] * 2, Effort(budget=0.0, pause=0.0))
    assert len(rounds) == 3


def test_calls_fill_a_turn():
    assert calls_to_fill(lambda: time.sleep(0.02), 0.01) == 1
    assert 2 <= calls_to_fill(lambda: time.sleep(0.001), 0.02) <= 20


@pytest.mark.parametrize("rounds, middle", [
    ([[1.0, 5.0], [1.0, 1.0], [2.0, 4.0]], [2.0, 4.0]),
    ([[1.0, 1.0], [1.0, 3.0]], [1.0, 1.0]),
])
def test_the_middle_round(rounds, middle):
    assert middle_round(rounds) == middle


def test_a_call_waits_for_the_last_of_a_tree():
    x, y = jnp.zeros(1), jnp.ones(1)
    assert last_leaf({"a": x, "b": [x, (x, y)]}) is y
    assert make_call(lambda x: {"x": x}, (x,))() == {"x": x}
    assert make_call(lambda: 3, ())() == 3
    assert make_call(lambda x: x, (x,))() is x


# Agreement.


def test_agreement_is_of_trees_shapes_dtypes_and_values():
    x = jnp.arange(4.0)
    assert disagreement(LIBRARIES, ({"a": x}, {"a": x + 1e-6})) == ""
    assert disagreement(LIBRARIES, ([x, x], [x])) == "2 results beside 1"
    assert disagreement(LIBRARIES, (x, x[:3])) == "float32[4] beside float32[3]"
    assert disagreement(LIBRARIES, (x, x.astype(int))) == "float32[4] beside int32[4]"
    assert disagreement(LIBRARIES, (x, x + 0.1)) == "the values differ"


def test_keys_agree_by_their_words():
    a, b = minijax.random.key(0), minijax.random.key(1)
    assert disagreement(LIBRARIES, (a, a)) == ""
    assert disagreement(LIBRARIES, (a, b)) == "the values differ"


def test_a_thousandth_may_differ():
    x = np.ones(2000, np.float32)
    few, many = x.copy(), x.copy()
    few[:2], many[:3] = 7, 7
    assert nearly_equal(x, few) and not nearly_equal(x, many)
    assert nearly_equal(x[:0], x[:0])
    assert nearly_equal(np.array([np.nan, np.inf]), np.array([np.nan, np.inf]))
    assert not nearly_equal(np.array([1.0]), np.array([np.nan]))


# Processes and sizes.


def test_a_fresh_process_says_numbers():
    assert run_fresh("-c", "print('said'); print(2.5, 3)") == [2.5, 3.0]
    with pytest.raises(RuntimeError, match="no such thing"):
        run_fresh("-c", "raise ValueError('no such thing')")


@pytest.mark.parametrize("arguments", [
    ("benchmarks.first_calls", "minijax", "selu", str(time.time())),
    ("benchmarks.memory", "minijax", "chain_gradient", "16"),
], ids=["script", "memory"])
def test_what_runs_in_fresh_processes(arguments):
    environment = {libraries.CACHE: "/nonexistent/cache"}
    assert min(run_fresh("-m", *arguments, environment=environment)) > 0


def test_a_chain_has_as_many_equations_as_it_says():
    for size in EQUATIONS[:4]:
        assert len(minijax.make_jaxpr(chain(minijax, size))(1.0).eqns) == size
    assert first_call(minijax, 3) > 0


@pytest.mark.usefixtures("on_numpy")  # which puts the backend of before back
def test_a_backend_that_is_not_there_is_passed_over(monkeypatch):
    monkeypatch.setenv(libraries.BACKEND, "numpy")
    assert libraries.load("minijax") is minijax
    assert libraries.backend_of(minijax) == "numpy"
