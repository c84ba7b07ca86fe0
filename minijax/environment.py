"""What a report of a fault should say: versions, the machine, and the options that are set."""

from __future__ import annotations

import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version

import numpy as np

from minijax.face.jax_options import JAX_OPTIONS
from minijax.placement import device_count, devices, local_device_count, process_count

PACKAGES = ("numba", "llvmlite", "ml_dtypes", "scipy")


def print_environment_info(return_string: bool = False) -> str | None:
    """Prints the versions of Python and of what is installed, the machine, and the variables of the
    environment that set options. With `return_string` it returns the text instead.

    >>> print(print_environment_info(return_string=True))  # doctest: +ELLIPSIS
    minijax: ...
    numpy:  ...
    """
    device = devices()[0]
    lines = [
        f"minijax: {sys.modules['minijax'].__version__}",
        f"numpy:  {np.__version__}",
        *(f"{name}: {_version(name)}" for name in PACKAGES),
        f"python: {sys.version.replace(os.linesep, ' ')}",
        f"device info: {device.device_kind}-{device_count()}, {local_device_count()} local devices",
        f"process_count: {process_count()}",
        f"platform: {platform.uname()}",
    ]
    known = {name.upper() for names in JAX_OPTIONS.values() for name in names.split()}
    lines += [f"{name}={value}" for name, value in os.environ.items()
              if name in known or name.startswith("MINIJAX_")]  # fmt: skip
    text = "\n".join(lines)
    if return_string:
        return text
    return print(text)


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
