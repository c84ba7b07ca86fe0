"""The door "python": a kernel's text is run as it stands, for a debugger to step through.

With NUMBA_DISABLE_JIT=1 all kernels take it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minijax.compiler.doors import Kernel, as_function, file_name, flat


def interpreted(fun: Callable) -> Callable:
    """The kernel run by Python, as silent as native code about overflow and division by zero."""

    def call(*args: Any) -> None:
        with np.errstate(all="ignore"):
            fun(*flat(args))

    return call


def by_python(source: str, name: str, signature: tuple, fastmath: frozenset) -> Kernel:
    file = file_name(source, signature)
    call = interpreted(as_function(source, name, file))
    return Kernel(source, name, signature, "python", file, call)
