"""`python -m minijax run_suite.py ARGUMENTS`: pytest, where `import jax` finds minijax.

Of ONE_OF tests one runs: the same ones each time, and under JAX too.
"""

import os
import sys
from zlib import crc32

import pytest


class OneOfMany:
    """Chooses tests by their names."""

    def __init__(self, one_of: int) -> None:
        self.one_of = one_of

    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        chosen, others = [], []
        for item in items:
            name = item.nodeid.rpartition("/")[2]
            (others if crc32(name.encode()) % self.one_of else chosen).append(item)
        config.hook.pytest_deselected(items=others)
        items[:] = chosen


sys.exit(pytest.main(sys.argv[1:], plugins=[OneOfMany(int(os.environ.get("ONE_OF", "1")))]))
