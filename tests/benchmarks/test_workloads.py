"""Every workload of the benchmarks runs under minijax, small, and gives finite numbers."""

import inspect

import numpy as np
import pytest

import minijax
from benchmarks import groups, memory, sizes
from benchmarks.agreement import as_numbers

WORKLOADS = [
    *(workload for workloads in groups.IN_TURNS.values() for workload in workloads),
    *memory.WORKLOADS,
    *(workload for *_, workload in sizes.SERIES),
]


def run_small(workload):
    sized = "size" in inspect.signature(workload).parameters
    function, args = workload(minijax, **({"size": 8} if sized else {}))
    return minijax.tree.leaves(function(*args))


@pytest.mark.parametrize("workload", WORKLOADS, ids=lambda workload: workload.__name__)
def test_results_are_finite(workload):
    leaves = run_small(workload)
    assert leaves
    for leaf in leaves:
        assert np.isfinite(as_numbers(minijax, leaf)).all()


def test_names_tell_workloads_apart():
    for workloads in groups.IN_TURNS.values():
        assert len({workload.__name__ for workload in workloads}) == len(workloads)


def test_the_same_numbers_each_time():
    first, again = (run_small(groups.IN_TURNS["training"][0]) for _ in range(2))
    np.testing.assert_array_equal(np.asarray(first[0]), np.asarray(again[0]))
