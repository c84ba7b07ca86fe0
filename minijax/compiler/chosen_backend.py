"""Jitted functions that run on a backend of their own: jit(f, backend="xla")."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from minijax.compiler.backend import BACKENDS, backend_named
from minijax.compiler.fallbacks import is_installed
from minijax.core.errors import safe_repr
from minijax.core.jitting import Backend, JitFunction, running


def check_backend(name: str) -> None:
    """ImportError for "xla" where there is no jaxlib."""
    if name == "xla" and not is_installed("jaxlib"):
        raise ImportError(
            "jit's backend 'xla' is XLA, and jaxlib can't be imported.\nInstall it (pip install "
            "jaxlib), or choose 'numba' or 'numpy'."
        )


class FunctionOnBackend(JitFunction):
    """A jitted function whose calls are run by one backend, whatever the option says.

    What a transformation around it runs after the call, as grad does with the backward pass, is
    run by the backend of that time.
    """

    def __init__(self, backend_name: str, *args: Any) -> None:
        super().__init__(*args)
        self._backend_name, self._place = backend_name, f"{self._place}, on {backend_name}"

    backend = property(lambda self: backend_named(self._backend_name))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        with in_use(self.backend):
            return super().__call__(*args, **kwargs)


@contextmanager
def in_use(backend: Backend) -> Iterator[None]:
    """A context in which this thread runs programs on a backend."""
    outer = vars(running).get("backend")  # a thread's own, if it has one
    running.backend = backend
    try:
        yield
    finally:
        del running.backend
        if outer is not None:
            running.backend = outer


def on_backend(name: Any) -> Callable:
    """What makes a jitted function that runs on the backend of this name. "cpu", JAX's name for
    where programs run, is the one in use. ImportError where "xla" is not installed."""
    if not isinstance(name, str) or name not in ("cpu", "numba", *BACKENDS):
        raise RuntimeError(
            f"jit knows no backend {safe_repr(name)}. Give 'cpu', 'numba', 'numpy' or 'xla'."
        )
    check_backend(name)
    return JitFunction if name == "cpu" else partial(FunctionOnBackend, name)
