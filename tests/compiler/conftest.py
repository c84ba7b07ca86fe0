"""Kernels here are those that users have."""

import pytest


@pytest.fixture(autouse=True, scope="module")
def at_users_level(module_at_users_level):
    pass
