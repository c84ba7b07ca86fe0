"""Facts: what a person reads of them."""

import minijax
from exercises.facts import evaluated, shortly


def test_tuple_of_one_prints_as_one():
    assert shortly(evaluated("(3,), [3], (3, (4,))", {"jax": minijax})) == "((3,), [3], (3, (4,)))"
