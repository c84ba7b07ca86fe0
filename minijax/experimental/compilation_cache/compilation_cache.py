"""The cache of compiled kernels: where it is.

It is a folder of this machine, for kernels rather than whole programs; README.md says where it is
unless an option or the environment names another place.
"""

from __future__ import annotations

import sys

from minijax.core.config import config
from minijax.face.boundaries import guard
from minijax.face.planned import missing_names, shown_names

__all__ = ["reset_cache", "set_cache_dir"]
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)


def set_cache_dir(path: str) -> None:
    """Has kernels be kept in a folder: what the option `jax_compilation_cache_dir` does.

    ValueError for what is no path of this machine.
    """
    config.update("jax_compilation_cache_dir", path)


def reset_cache() -> None:
    """Does nothing: the folder is looked at anew at each compilation, and nothing stays open."""


guard(sys.modules[__name__])
