"""Timing two libraries in turns: a round is a turn of each, so that a busy minute slows both.

A turn is as many calls as fill some hundredths of a second. It begins with a pause, in which the
other library's threads stop spinning, and a call that is not timed, which fills the caches with
this library's data. What counts is the round in the middle, by the ratio of its two times: they
met the same machine, whose clock and whose other work change from second to second.
"""

import gc
import time
from collections.abc import Callable
from itertools import repeat
from typing import Any, NamedTuple

from benchmarks.agreement import disagreement
from benchmarks.rows import Row


class Effort(NamedTuple):
    """How long to look."""

    turn: float = 0.03  # seconds of a turn
    pause: float = 0.02  # before each
    rounds: int = 15
    budget: float = 3.0  # seconds for a workload, after which no more rounds begin
    processes: int = 3  # fresh ones, for what is timed in them
    workloads: int = 100  # of those that are timed in fresh processes


QUICK = Effort(turn=0.02, pause=0.01, rounds=5, budget=0.5, processes=1, workloads=1)


ABSENT = " is not here yet"  # what minijax says of a name that only JAX has


def last_leaf(tree: Any) -> Any:
    """The last of a result's arrays: a compiled program's results are all ready when it is."""
    while not hasattr(tree, "block_until_ready"):
        tree = next(reversed(tree.values())) if isinstance(tree, dict) else tree[-1]
    return tree


def make_call(function: Callable, args: tuple) -> Callable[[], object]:
    """A call that gives the result when it is there, and costs hardly more than `function`."""
    result = function(*args)
    if isinstance(result, int):  # of tracing: how many equations
        return lambda: function(*args)
    if hasattr(result, "block_until_ready"):
        return lambda: function(*args).block_until_ready()

    def call():
        result = function(*args)
        last_leaf(result).block_until_ready()
        return result

    return call


def seconds(call: Callable[[], object], calls: int) -> float:
    """What one of `calls` calls takes."""
    start = time.perf_counter()
    for _ in repeat(None, calls):
        call()
    return (time.perf_counter() - start) / calls


def calls_to_fill(call: Callable[[], object], turn: float) -> int:
    """How many calls fill a turn: doubled until they nearly do."""
    calls = 1
    while (taken := calls * seconds(call, calls)) < turn / 2:
        calls *= 2
    return max(1, round(calls * turn / taken))


def take_turns(calls: list[Callable[[], object]], effort: Effort) -> list[list[float]]:
    """The rounds: of each, what one call took in each turn."""
    end = time.perf_counter() + effort.budget
    counts = [calls_to_fill(call, effort.turn) for call in calls]
    rounds: list[list[float]] = []
    collecting = gc.isenabled()
    gc.disable()
    try:
        while len(rounds) < effort.rounds and (len(rounds) < 3 or time.perf_counter() < end):
            rounds.append([take_turn(*pair, effort) for pair in zip(calls, counts, strict=True)])
    finally:
        if collecting:
            gc.enable()
    return rounds


def take_turn(call: Callable[[], object], count: int, effort: Effort) -> float:
    time.sleep(effort.pause)
    if count > 1:
        call()
    return seconds(call, count)


def middle_round(rounds: list[list[float]]) -> list[float]:
    """The round in the middle, by the ratio of its two times."""
    ordered = sorted(rounds, key=lambda times: times[1] / times[0])
    return ordered[(len(ordered) - 1) // 2]


def name_of(workload: Callable) -> str:
    return workload.__name__.replace("_", " ")


def compare(group: str, workload: Callable, libraries: tuple, effort: Effort) -> Row:
    """One row: a workload under minijax and JAX, once their values agree.

    What minijax lacks so far is absent: the row says which name. Any other error fails the row.
    """
    name = name_of(workload)
    try:
        calls = [make_call(*workload(lib)) for lib in libraries]
        if said := disagreement(libraries, [call() for call in calls]):
            return Row(group, name, note=said, failed=True)
        gc.collect()
        return Row(group, name, *middle_round(take_turns(calls, effort)))
    except Exception as error:
        said = " ".join(str(error).split())
        if isinstance(error, AttributeError) and ABSENT in said:
            return Row(group, name, note=f"absent: {said.partition(ABSENT)[0]}")
        return Row(group, name, note=f"{type(error).__name__}: {said:.80}", failed=True)
