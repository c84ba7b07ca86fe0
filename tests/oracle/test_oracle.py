"""Recorded facts are what JAX says today. That minijax gives them too, `make test` has shown.

JAX's version is fixed, and a fact is recorded from it. So a twelfth of the cases are asked, and
fewer of the topics in `SLOW`, whose cases JAX compiles for up to three seconds each.
ORACLE_CASES=all asks all, as is to be done after a change of a topic.
"""

import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import pytest

from golden import store
from oracle import facts
from oracle.cases import TOPICS

EVERY = 12
SLOW = {
    "scipy_functions": 48, "scipy_distributions": 32, "scipy_linalg": 32, "scipy_special": 32,
    "linalg": 32, "convolutions": 32, "windows": 32, "numpy_elementwise": 32, "numpy_padding": 32,
    "numpy_shapes": 32, "numpy_sums": 32, "effects": 32, "shard_maps": 48, "shard_map_nestings": 48,
    "sharded_jit_nestings": 48,
}  # fmt: skip


def asked() -> list:
    """The cases that are asked: the first of every so many."""
    return [
        pytest.param(topic.name, case, id=f"{topic.name}-{number}")
        for topic in TOPICS.values()
        for number, case in enumerate(topic.cases)
        if number % SLOW.get(topic.name, EVERY) == 0 or os.environ.get("ORACLE_CASES") == "all"
    ]


def test_jax_is_the_version_that_was_recorded():
    assert jax.__version__ == store.JAX_VERSION


@pytest.mark.parametrize("topic, case", asked())
def test_recorded_fact_is_jax_fact(topic, case):
    found = facts.difference(store.recorded(topic)[case], facts.run(topic, case, "jax"))
    assert not found, f"\n{case}\n\n{found}"
