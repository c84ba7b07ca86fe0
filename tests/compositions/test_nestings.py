"""The transformations nested to depth three, over every function of the table."""

import functools
import itertools
from collections import Counter
from contextlib import nullcontext
from operator import attrgetter

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from composition_families import FAMILIES, FAMILY_CASES, REFERENCE, is_defined
from composition_functions import CASES as BASE_CASES
from composition_functions import Case
from composition_meanings import STEPS, by_jit, identity, is_floating, nestings
from kernel_runs import on_backend
from minijax import tree
from minijax.core.staging import eval_jaxpr

CASES = [*BASE_CASES, *FAMILY_CASES]


def nesting_name(steps: tuple) -> str:
    return "(".join(step.name for step in steps) or "plain"


@functools.cache
def reference(case_number: int, meanings: tuple) -> list[np.ndarray]:
    """The leaves that a nesting of `meanings`, outermost first, answers; nothing is transformed."""
    case = CASES[case_number]
    leaves, treedef = tree.flatten(case.args)
    leaves = [x.astype(np.longdouble) if is_floating(x) else x for x in leaves]
    function = case.by_hand or case.function

    def f(*xs):
        ys = tree.leaves(function(REFERENCE, *tree.unflatten(treedef, xs)))
        return [np.asarray(y) for y in ys]

    for meaning in reversed(meanings):
        f = meaning(f)
    return [y.astype(np.float64) if is_floating(y) else y for y in f(*leaves)]


def transformed(case: Case, steps: tuple):
    def f(*args):
        return case.function(FAMILIES, *args)

    f.__name__ = case.name
    for step in reversed(steps):
        f = step.apply(f)
    return f


def assert_same_leaves(got: list, want: list) -> None:
    assert len(got) == len(want)
    for number, (x, y) in enumerate(zip(got, want, strict=True)):
        x = np.asarray(x)
        assert (x.shape, x.dtype) == (y.shape, y.dtype), f"leaf {number}"
        size = max(1.0, np.abs(y).max(initial=0.0))
        np.testing.assert_allclose(x, y, rtol=0, atol=1e-6 * size, err_msg=f"leaf {number}")


def meanings_of(steps: tuple) -> tuple:
    return tuple(step.meaning for step in steps if step.meaning is not identity)


def nestings_of_cases() -> list:
    return [
        pytest.param(number, steps, id=f"{case.name}-{nesting_name(steps)}")
        for number, case in enumerate(CASES)
        for steps in nestings(STEPS, attrgetter("name"), number)
        if is_defined(case, meanings_of(steps))
    ]


NESTINGS = nestings_of_cases()


def test_the_cases_together_have_all_nestings_of_two():
    found = Counter(steps for _, steps in (case.values for case in NESTINGS) if len(steps) == 2)
    assert found.keys() == set(itertools.product(STEPS, repeat=2)) and min(found.values()) >= 20


def test_the_cases_together_have_all_nestings_of_three():
    """Of meanings each three several times; where two transformations mean the same, both."""
    found = Counter(steps for _, steps in (case.values for case in NESTINGS) if len(steps) == 3)
    outermost = [step for step in STEPS if step.meaning is not identity]
    assert found.keys() == set(itertools.product(outermost, STEPS, STEPS))
    of_meanings = Counter()
    for steps, times in found.items():
        of_meanings[tuple(step.meaning for step in steps)] += times
    assert len(of_meanings) == 48 and min(of_meanings.values()) >= 10


@pytest.mark.parametrize("case_number, steps", NESTINGS)
def test_nesting(case_number, steps, every_jaxpr_typechecks):
    """Compiled where jit is outermost, which has all the rest in its program; else on NumPy."""
    case = CASES[case_number]
    want = reference(case_number, meanings_of(steps))
    is_compiled = bool(steps) and steps[0].apply is by_jit
    with jax.enable_x64(True), nullcontext() if is_compiled else on_backend("numpy"):
        args = tree.map(jnp.asarray, case.args)
        f = transformed(case, steps)
        assert_same_leaves(tree.leaves(f(*args)), want)
        if is_compiled:  # and has been staged, as below
            return
        closed = jax.make_jaxpr(f)(*args)
        again = eval_jaxpr(closed.jaxpr, closed.consts, *tree.leaves(args))
        assert_same_leaves(again, want)
