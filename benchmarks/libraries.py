"""Which libraries there are, how one is loaded, and the machine and versions that ran it."""

import importlib
import os
import platform
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NAMES = ("minijax", "jax")
SUBMODULES = ("lax", "nn", "numpy", "random", "tree")
BACKEND = "MINIJAX_JIT_BACKEND"
CACHE = "MINIJAX_COMPILATION_CACHE_DIR"


def choose_backend(backend: str | None) -> None:
    """Has jit of minijax use `backend`, here and in the processes started from here."""
    if backend is not None:
        os.environ[BACKEND] = backend


def load(name: str):
    """Imports a library whole, as a user who writes `lib.random` has it."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    library = importlib.import_module(name)
    for submodule in SUBMODULES:
        importlib.import_module(f"{name}.{submodule}")
    if name == "minijax" and BACKEND in os.environ:
        set_backend(library, os.environ[BACKEND])
    return library


def load_both() -> tuple:
    """minijax and JAX."""
    return tuple(map(load, NAMES))


@contextmanager
def empty_cache() -> Iterator[None]:
    """Has minijax, loaded within, find no kernel that an earlier process compiled."""
    import tempfile  # as above

    with tempfile.TemporaryDirectory() as folder:
        os.environ[CACHE] = folder
        yield


def set_backend(minijax, backend: str) -> None:
    """Sets jit's backend where there is a choice. A minijax without the option runs NumPy, and
    the report's first line says so.
    """
    with suppress(AttributeError):
        minijax.config.update("jit_backend", backend)


def backend_of(minijax) -> str:
    return getattr(minijax.config, "jit_backend", "numpy")


def cpu_name() -> str:
    """The processor as it names itself."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def describe(minijax) -> dict:
    """What ran: machine, versions, backend."""
    from importlib import metadata  # not in a script whose time is measured

    packages = ("minijax", "jax", "numpy", "numba")
    return {
        "date": time.strftime("%Y-%m-%d"),
        "cpu": cpu_name(),
        "cores": os.cpu_count(),
        "system": platform.system(),
        "python": platform.python_version(),
        "versions": {package: metadata.version(package) for package in packages},
        "backend": backend_of(minijax),
        "load before": os.getloadavg()[0],
    }


def one_line(machine: dict) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    return f"{machine['cpu']}, {machine['cores']} cores; backend {machine['backend']}; {versions}"


def warn_if_busy() -> None:
    """Says so where other programs hold the processor: the ratios then say less."""
    load_average, cores = os.getloadavg()[0], os.cpu_count() or 1
    if load_average > cores / 2:
        print(f"Warning: load average {load_average:.1f} on {cores} cores. Something else is "
              "running; believe these ratios less.")
