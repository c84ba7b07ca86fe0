"""What machine code depends on beside its text: the processor, the software, our own files."""

from __future__ import annotations

import hashlib
import os
import sys
import warnings
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from minijax.compiler import doors

_FILES = ("native/machine_code.py", "native/translate.py", "native/expressions.py",
          "native/scalars.py", "native/called_functions.py", "native/function_texts.py",
          "native/loop_hints.py", "native/wrong_merges.py", "maths/precisions.py",
          "maths/totals.py", "maths/elementary.py", "maths/relatives.py", "maths/special.py",
          "maths/as_xla.py", "maths/xla_numbers.py", "maths/gamma_functions.py",
          "maths/bessel_functions.py", "maths/incomplete_integrals.py", "maths/sixteen_bits.py",
          "maths/blas.py")  # fmt: skip
# Of what Linux says of a processor: other lines change from one start to the next.
_LASTING = ("vendor_id", "cpu family", "model", "stepping", "flags", "Features", "CPU ")


def processor() -> Any:
    """What tells this processor from others: what Linux says of it, elsewhere what LLVM says."""
    with suppress(OSError), open("/proc/cpuinfo", encoding="utf-8") as file:
        lines = file.read(1 << 14).split("\n\n")[0].splitlines()
        if any(line.startswith(("flags", "Features")) for line in lines):
            facts = [line for line in lines if line.startswith(_LASTING)]
            return os.uname().machine, sys.maxsize, facts
    from llvmlite import binding as llvm

    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


@cache
def environment(settings: tuple) -> bytes:
    """A digest of the machine and the software: processor, versions, the kernels' functions."""
    packages = map(find_spec, ("llvmlite", "numba"))
    files = [Path(p.origin).with_name("_version.py") for p in packages if p and p.origin]
    facts = (settings, sys.version, sys.platform, np.__version__, processor(), own_texts(),
             [file.read_bytes() for file in files if file.exists()])  # fmt: skip
    return hashlib.sha256(repr(facts).encode()).digest()


def own_texts() -> list[bytes]:
    """The modules that native code is made by, as their loader reads them: from an archive too.

    Where they can't be read, what is made is like nothing that was ever kept.
    """
    try:
        here, read = Path(doors.__file__).parent, doors.__spec__.loader.get_data
        return [read(str(here / name)) for name in _FILES]
    except (AttributeError, OSError, TypeError):
        return [os.urandom(16)]


def warn_of_release(package: str, lacks: str, cost: str) -> None:
    """Says that a library's release lacks what we reach into it for, what that costs, and what to
    do: what isn't in a library's manual may go with any release."""
    release = version(package)
    warnings.warn(
        f"{package} {release} lacks {lacks}, which minijax asks it for by a name that is the "
        f"library's own affair. {cost} Results are the same. The way out is a release that has it: "
        f"pip install '{package}<{release}'",
        stacklevel=2,
    )
