"""Every nesting of the transformations to depth three, over every function of the table."""

import functools
import itertools

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from composition_functions import CASES, MINIJAX, NUMPY, Case
from composition_meanings import STEPS, identity, is_floating
from minijax import tree
from minijax.core.staging import eval_jaxpr

NESTINGS = [steps for depth in range(4) for steps in itertools.product(STEPS, repeat=depth)]


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
        ys = tree.leaves(function(NUMPY, *tree.unflatten(treedef, xs)))
        return [np.asarray(y) for y in ys]

    for meaning in reversed(meanings):
        f = meaning(f)
    return [y.astype(np.float64) if is_floating(y) else y for y in f(*leaves)]


def transformed(case: Case, steps: tuple):
    def f(*args):
        return case.function(MINIJAX, *args)

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


@pytest.mark.parametrize("steps", NESTINGS, ids=nesting_name)
@pytest.mark.parametrize("case_number", range(len(CASES)), ids=lambda n: CASES[n].name)
def test_nesting(case_number, steps, every_jaxpr_typechecks):
    case = CASES[case_number]
    want = reference(case_number, tuple(s.meaning for s in steps if s.meaning is not identity))
    with jax.enable_x64(True):
        args = tree.map(jnp.asarray, case.args)
        f = transformed(case, steps)
        assert_same_leaves(tree.leaves(f(*args)), want)

        closed = jax.make_jaxpr(f)(*args)
        again = eval_jaxpr(closed.jaxpr, closed.consts, *tree.leaves(args))
        assert_same_leaves(again, want)
