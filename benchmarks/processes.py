"""What only a fresh process can tell: imports, whole scripts, the peak of memory."""

import os
import resource
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from benchmarks.libraries import ROOT


def run_fresh(*arguments: str, environment: Mapping[str, str] | None = None) -> list[float]:
    """Runs Python with `arguments` in a new process, and reads the numbers of its last line.

    RuntimeError, with what it said, where it failed.
    """
    env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    env |= {"JAX_PLATFORMS": "cpu", **(environment or {})}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env=env, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"python {' '.join(arguments)} failed:\n{done.stderr}")
    return list(map(float, done.stdout.splitlines()[-1].split()))


def peak() -> int:
    """The most memory that this process has held, in bytes.

    Linux passes getrusage's peak on from the process that started this one, so its own account
    comes first.
    """
    status = Path("/proc/self/status")
    if status.exists():
        [line] = [x for x in status.read_text().splitlines() if x.startswith("VmHWM")]
        return 1024 * int(line.split()[1])
    unit = 1 if sys.platform == "darwin" else 1024
    return unit * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
