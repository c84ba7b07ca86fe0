"""Every test runs with the machine's own checks on: what each rule gives, and each jaxpr.

Messages keep their sentences on one line: tests match parts of these. Hypothesis tries the same
examples on every run, and takes its time: a first call compiles. LLVM compiles in a hurry, but for
what is about kernels, their speed, or a result's last bits: `module_at_users_level`.
"""

import gc
import sys
import zlib

import hypothesis
import numpy as np
import pytest

import minijax
from minijax.compiler import fallbacks
from minijax.core import errors
from minijax.core.config import Config, option_kinds
from minijax.core.jitting import running

hypothesis.settings.register_profile("minijax", deadline=None, derandomize=True)
hypothesis.settings.load_profile("minijax")
minijax.config.update("jax_enable_checks", True)
minijax.config.update("jax_optimization_level", "O0")
minijax.config.update("jax_num_cpu_devices", 8)
errors.WIDTH = sys.maxsize


MOST_FROZEN = 2_000_000  # objects that no collection looks at


def pytest_collection_finish():
    """Some hundred thousand objects of pytest's stay to the end: no collection looks at them.

    And collections are rarer than a user's: they took a tenth of the tests' time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 20, 100)


@pytest.fixture(autouse=True, scope="module")
def few_objects_of_other_modules():
    """Nor do they look at what the tests of the modules before have left, nor do tests that look
    for what is still alive. Now and then it is seen what of that has gone."""
    if gc.get_freeze_count() > MOST_FROZEN:
        gc.unfreeze()
    gc.collect()
    gc.freeze()


class UnexpectedFallback(Exception):
    """A faster way was left for a reason that `fallbacks.EXPECTED` doesn't have."""


def refuse_fallback(where, why):
    raise UnexpectedFallback(where, repr(why)) from why


fallbacks.fallback_watchers.append(refuse_fallback)


@pytest.fixture(autouse=True)
def settings_stay():
    """A test that leaves an option changed fails: the tests after it would run under another.
    So does one that leaves this thread an option or a backend of its own, which covers others."""
    before = dict(vars(Config))
    own = set(vars(minijax.config)) | set(vars(running))
    yield
    left = (set(vars(minijax.config)) | set(vars(running))) - own - {"inside_program"}
    changed = {name: before[name] for name in option_kinds if getattr(Config, name) != before[name]}
    for name, value in changed.items():
        minijax.config.update(name, value)
    for name in left:
        vars(minijax.config).pop(name, None)
        vars(running).pop(name, None)
    assert not changed, f"the test leaves other options than it found: {list(changed)}"
    assert not left, f"the test leaves this thread with its own {sorted(left)}"


@pytest.fixture
def errors_as_raised(monkeypatch):
    """For tests of many errors: what is said of each on its way to the user takes time."""
    for step in ("complete_message", "filter_all"):
        monkeypatch.setattr(errors, step, lambda *_: None)
    monkeypatch.setattr(errors, "advisers", [])


@pytest.fixture
def told(monkeypatch):
    """For a test that is about a fallback: where one was taken, instead of an error."""
    places = []
    monkeypatch.setattr(fallbacks, "fallback_watchers", [lambda where, why: places.append(where)])
    return places


@pytest.fixture(autouse=True)
def own_draws(request):
    """What a test draws from its module's generator does not depend on the tests before it."""
    generator = getattr(request.module, "RANDOM", None) if hasattr(request, "module") else None
    if isinstance(generator, np.random.Generator):
        seed = zlib.crc32(request.node.name.encode())
        generator.bit_generator.state = np.random.default_rng(seed).bit_generator.state


def without_older_objects():
    """What looks at all objects sees those that are made from now on, not all that pytest holds."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


def without_older_programs():
    """And what looks at all programs, as a recording does when it begins, finds few."""
    minijax.clear_caches()
    yield from without_older_objects()


few_objects = pytest.fixture(without_older_objects, name="few_objects")
module_few_objects = pytest.fixture(
    without_older_programs, scope="module", name="module_few_objects"
)


@pytest.fixture(scope="module")
def module_at_users_level():
    """Kernels are compiled as users have them; what was compiled in a hurry is forgotten."""
    before = minijax.config.jax_optimization_level
    minijax.config.update("jax_optimization_level", "UNKNOWN")
    minijax.clear_caches()
    yield
    minijax.config.update("jax_optimization_level", before)
    minijax.clear_caches()


def run_on(backend):
    before = minijax.config.jit_backend
    minijax.config.update("jit_backend", backend)
    yield
    minijax.config.update("jit_backend", before)


def run_on_numpy():
    """Inside, jit runs programs on NumPy, one equation after the other."""
    yield from run_on("numpy")


@pytest.fixture
def on_numba():
    """For a test that is about kernels: they are made even where `make backends` wants none."""
    yield from run_on("numba")


@pytest.fixture(params=["numba", "numpy"])
def backend(request):
    """For a test that is to hold whatever runs compiled programs; the name of what does."""
    for _ in run_on(request.param):
        yield request.param


on_numpy = pytest.fixture(run_on_numpy, name="on_numpy")
module_on_numpy = pytest.fixture(run_on_numpy, scope="module", name="module_on_numpy")
