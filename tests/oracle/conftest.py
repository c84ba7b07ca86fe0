"""The oracle runs where JAX is installed (`make oracle`), and is left out where it is not.

Asked for by name without JAX, pytest then finds no test, which it reports as a failure.
"""

import importlib.util
import itertools
from pathlib import Path

import pytest

from golden import store
from oracle import newer_jax

from . import facts

has_jax = importlib.util.find_spec("jax") is not None
if has_jax:
    import jax

    jax.config.update("jax_num_cpu_devices", facts.DEVICES)
is_newer = has_jax and jax.__version__ != store.JAX_VERSION
collect_ignore_glob = [] if has_jax else ["test_*.py"]
tests_so_far = itertools.count(1)
MAPS = Path("/proc/self/maps")


@pytest.fixture(autouse=True)
def executables_are_dropped():
    """XLA maps three pieces of memory for each of its executables, and JAX keeps them all.

    A process that has come to 65,530 pieces, Linux's limit, dies in XLA's next compilation.
    """
    yield
    if next(tests_so_far) % 100 == 0 and MAPS.exists() and MAPS.read_bytes().count(b"\n") > 30_000:
        jax.clear_caches()


# `make oracle JAX=newest`.


def pytest_collection_modifyitems(items):
    if is_newer:
        newer_jax.leave_out(items)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if is_newer:
        newer_jax.explain(call, report)
    return report


def pytest_terminal_summary(terminalreporter):
    if is_newer:
        found = terminalreporter.getreports("xfailed")
        terminalreporter.write_line(newer_jax.summary(jax.__version__, found))
