"""Jitted functions that run on a backend of their own: jit(f, backend="xla"), or "cuda"."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from minijax.compiler.backend import BACKENDS, backend_named
from minijax.compiler.fallbacks import is_installed
from minijax.core.errors import safe_repr
from minijax.core.jitting import JitFunction, running


def check_backend(name: str) -> None:
    """ImportError for "xla", and what XLA runs on, where there is no jaxlib."""
    if name not in ("numba", "numpy") and not is_installed("jaxlib"):
        raise ImportError(
            f"jit's backend {name!r} is XLA, and jaxlib can't be imported.\nInstall it (pip "
            f"install jaxlib), or choose 'numba' or 'numpy'."
        )


class FunctionOnBackend(JitFunction):
    """A jitted function whose program is run by one backend, whatever the option says: and so are
    the programs that transformations make of it, since they carry the backend's name. (In another
    program it is a part of that one, and runs where that runs.)
    """

    def __init__(self, name: str, fun: Callable, *how: Any) -> None:
        *others, params = how
        super().__init__(fun, *others, {**params, "backend": name})
        self._backend_name, self._place = name, f"{self._place}, on {name}"

    backend = property(lambda self: backend_named(self._backend_name))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        with in_use(self._backend_name):  # what is remembered of a call is the backend's
            return super().__call__(*args, **kwargs)


@contextmanager
def in_use(name: str) -> Iterator[None]:
    """A context in which this thread runs programs on a backend."""
    backend = backend_named(name)
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
    where programs run, is the one in use; "gpu", "cuda", "rocm" and "tpu" are XLA there.
    ImportError where XLA is not installed."""
    if not isinstance(name, str) or name not in ("cpu", "numba", *BACKENDS):
        raise RuntimeError(
            f"jit knows no backend {safe_repr(name)}. Give 'cpu', 'numba', 'numpy' or 'xla', or "
            f"where XLA is to run it: 'gpu', 'cuda', 'rocm' or 'tpu'."
        )
    if name == "cpu":
        return JitFunction
    check_backend(name)
    return partial(FunctionOnBackend, name)
