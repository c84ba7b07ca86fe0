"""Kernels that tests compile are kept from one run to the next, in a folder that users don't have.

It is `.pytest_cache/d/kernels`; `pytest --cache-clear` empties it. What tests start (notebooks'
kernels, graded hand-ins, scripts) inherits the variable.
"""

import os

import numpy as np
import pytest


@pytest.fixture(autouse=True)
def names_of_examples(doctest_namespace: dict) -> None:
    """Examples in docstrings say `np` without further ado."""
    doctest_namespace["np"] = np


def pytest_configure(config: pytest.Config) -> None:
    cache = getattr(config, "cache", None)  # None with -p no:cacheprovider
    folder = cache.mkdir("kernels") if cache else ""
    os.environ.setdefault("MINIJAX_COMPILATION_CACHE_DIR", str(folder))
