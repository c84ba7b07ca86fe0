"""The partitioner: results are cut as JAX cuts them, and each device has its part of them."""

import hypothesis
import numpy as np
import pytest

from lax.sharding.partition_programs import PROGRAMS
from lax.sharding.partition_runs import arrays, check_values, function, partitioned, shown
from lax.sharding.random_partitions import programs

FAMILIES = PROGRAMS[::10]


def tried(text, operands):
    args, cuts = zip(*arrays(operands), strict=True)
    closed, part = partitioned(function(text), args, cuts)
    return closed, part, args


def test_results_are_cut_as_jax_cuts_them():
    wrong = {}
    for text, operands, wanted in FAMILIES:
        _, part, _ = tried(text, operands)
        got = "; ".join(map(shown, part.out_cuts))
        if got != wanted:
            wrong[text, operands] = got, wanted
    assert wrong == {}


def test_each_device_computes_its_part():
    for text, operands, _ in FAMILIES:
        check_values(*tried(text, operands))


# Why operands are moved: because of what they are, of each other, or of what it would cost later.
REASONS = {
    ("lambda a: lax.sort(a, dimension=0)", "8,8:x,-"): "it takes whole axes",
    ("lambda a, b: a + b", "8,8:x,- 8,8:-,x"): "its operands are cut in different ways",
    ("lambda a, b: a @ b", "8,8:xy,- 8,8:yx,-"): "its operands are cut in different ways",
    ("lambda a, b: a @ b", "16,4:-,x 4,16:x,-"): "to move its result would cost no less",
}


def test_a_move_has_its_reason():
    got = {case: {move.why for move in tried(*case)[1].moves} for case in REASONS}
    assert got == {case: {why} for case, why in REASONS.items()}


@pytest.mark.prove
@pytest.mark.parametrize("first", range(1, 10))
def test_all_programs(first):
    for text, operands, wanted in PROGRAMS[first::10]:
        closed, part, args = tried(text, operands)
        assert "; ".join(map(shown, part.out_cuts)) == wanted, (text, operands)
        check_values(closed, part, args)


# Random programs.


def check_random(tried):
    args = [np.linspace(-0.8, 0.9, int(np.prod(s)), dtype=np.float32).reshape(s) + 0.1 * i
            for i, s in enumerate(tried.shapes)]  # fmt: skip
    closed, part = partitioned(tried.run, args, tried.cuts, tried.out_cuts)
    for given, got in zip(tried.out_cuts, part.out_cuts, strict=True):
        assert given is None or given == got
    check_values(closed, part, args, 1e-4)


@hypothesis.settings(max_examples=20)
@hypothesis.given(programs())
def test_random_programs(tried):
    check_random(tried)


@pytest.mark.prove
@pytest.mark.parametrize("seed", range(5))
def test_many_random_programs(seed):
    many = hypothesis.settings(max_examples=220, derandomize=False, database=None)
    hypothesis.seed(seed)(many(hypothesis.given(programs())(check_random)))()
