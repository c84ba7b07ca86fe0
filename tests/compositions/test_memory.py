"""No cache keeps a function alive: when the caller lets go of it, it is gone."""

import gc
import itertools
import weakref

import numpy as np
import pytest

import minijax.numpy as jnp
from composition_meanings import STEPS

pytestmark = pytest.mark.usefixtures("module_few_objects")


def call_and_forget(steps: tuple) -> weakref.ref:
    def f(x):
        return jnp.sin(x) * 2.0

    g = f
    for step in reversed(steps):
        g = step.apply(g)
    g(jnp.asarray(np.ones(3, np.float32)))
    return weakref.ref(f)


@pytest.mark.parametrize(
    "steps", [steps for depth in (1, 2) for steps in itertools.product(STEPS, repeat=depth)],
    ids=lambda steps: "(".join(step.name for step in steps))
def test_a_transformed_function_is_freed(steps):
    held = call_and_forget(steps)
    gc.collect()
    assert held() is None
