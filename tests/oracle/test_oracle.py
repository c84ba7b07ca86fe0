"""Every case, live in JAX and in minijax; and the recorded facts against what JAX says today."""

import functools
import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import pytest

from golden import store
from oracle import facts
from oracle.parameters import case_parameters


@functools.cache
def live(topic, case):
    return facts.run(topic, case, "jax")


def test_jax_is_the_version_that_was_recorded():
    assert jax.__version__ == store.JAX_VERSION


# A module's scope puts the two tests of a case side by side: JAX runs it once for both.


@pytest.mark.parametrize("topic, case", case_parameters(), scope="module")
def test_recorded_fact_is_jax_fact(topic, case):
    assert not facts.difference(store.recorded(topic)[case], live(topic, case)), case


@pytest.mark.parametrize("topic, case", case_parameters(with_marks=True), scope="module")
def test_minijax_equals_jax(topic, case):
    found = facts.difference(facts.run(topic, case, "minijax"), live(topic, case))
    assert not found, f"\n{case}\n\n{found}"
