"""Random programs in text (tests/program_texts.py), in JAX and in minijax: none differs.

RANDOM_TEXTS=5000 runs more of them; RANDOM_TEXTS_FROM=10000 begins at another seed.
"""

import os

import jax
import pytest

import minijax
from oracle.known_programs import is_known
from oracle.program_runs import Runner

FIRST = int(os.environ.get("RANDOM_TEXTS_FROM", "0"))
COUNT = int(os.environ.get("RANDOM_TEXTS", "600"))
AT_ONCE = 50


@pytest.fixture(scope="module")
def runner():
    return Runner()


@pytest.mark.parametrize("first", range(FIRST, FIRST + COUNT, AT_ONCE))
def test_random_programs_in_text_agree(runner, first):
    found = []
    for seed in range(first, min(first + AT_ONCE, FIRST + COUNT)):
        program = runner.make(seed)
        difference = runner.difference(program)
        if difference and not is_known(program, difference):
            found.append(f"{runner.shrunk(program)}\n# {difference}")
    assert not found, "\n\n".join(found)


@pytest.fixture(autouse=True)
def executables_are_dropped():
    yield
    jax.clear_caches()
    minijax.clear_caches()
