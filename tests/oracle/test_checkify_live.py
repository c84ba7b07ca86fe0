"""checkify beside JAX: what is found, and what comes out, through every construct and two of them.

One in eight is asked, and ORACLE_CASES=all asks all.
"""

import os

import pytest

from oracle import facts
from oracle.cases import checkify

EVERY = 1 if os.environ.get("ORACLE_CASES") == "all" else 8


@pytest.mark.parametrize("case", checkify.LIVE[::EVERY])
def test_findings_are_those_of_jax(case):
    text = f"{checkify.SETUP}\n{case}"
    got, want = (
        facts.evaluated(text, facts.namespace(package)) for package in ("minijax", "jax")
    )
    found = facts.difference(got, want)
    assert not found, f"\n{case}\n\n{found}"
