"""Every recorded fact is what JAX says today. That minijax gives it too, `make test` has shown."""

import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import pytest

from golden import store
from oracle import facts
from oracle.parameters import case_parameters


def test_jax_is_the_version_that_was_recorded():
    assert jax.__version__ == store.JAX_VERSION


@pytest.mark.parametrize("topic, case", case_parameters())
def test_recorded_fact_is_jax_fact(topic, case):
    found = facts.difference(store.recorded(topic)[case], facts.run(topic, case, "jax"))
    assert not found, f"\n{case}\n\n{found}"
