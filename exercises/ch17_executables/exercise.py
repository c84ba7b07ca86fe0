"""Exercises of chapter 17. README.md says what is asked."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from minijax.compiler.executable import Program
from minijax.compiler.kernels.fuse import Step
from minijax.compiler.kernels.loop_nests import Source
from minijax.core.extend import Var
from minijax.core.staging import Atom

# 17.1 Whose memory is used again


def last_reads(
    outvars: Sequence[Atom], steps: Sequence[Step], sources: Sequence[Source | None]
) -> list[list[Var]]:
    """For each step, what it makes or reads and no later one does, nor the result."""
    raise NotImplementedError("17.1 last_reads")


def new(program: Program, v: Var) -> str:
    """An array to write to: one that is free, or a new one."""
    raise NotImplementedError("17.1 new")


# 17.2 Computed once on a machine


def remember(fun: Callable[..., np.ndarray], text: str, folder: str) -> Callable[..., np.ndarray]:
    """A function that gives what `fun` gives, computed once for arguments of these bits.

    With `f = remember(lambda x: x * np.ones(3), "triple", folder)`, `f(2.0)` is [2. 2. 2.],
    and so it is in any other process that remembers "triple" in that folder.
    """
    raise NotImplementedError("17.2 remember")


# 17.3 Made, or kept?
# The questions: python -m exercises questions ch17

answers_17_3 = [None, None, None, None]
