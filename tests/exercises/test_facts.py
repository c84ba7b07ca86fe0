"""`exercises/grading/facts.py`: values as data, and how people read them."""

import pytest

import minijax as jax
from exercises.grading.facts import describe, shortly


@pytest.mark.parametrize("value", [(), (1,), (1, 2), [3], [(4,), {"a": 5}], "text", None])
def test_prints_as_python_does(value):
    assert shortly(describe(value, jax)) == repr(value)
