"""What starts processes by MPI."""

import subprocess
import sys

import pytest

from minijax.distributed.__main__ import starter


@pytest.fixture(scope="session")
def mpi():
    """Skips tests where MPI is not installed, or starts no two processes."""
    if starter() is None:
        pytest.skip("MPI is not installed: make env-mpi")
    program = [sys.executable, "-c", "from mpi4py import MPI; MPI.COMM_WORLD.Barrier()"]
    try:
        command = [starter(), "-n", "2", *program]
        subprocess.run(command, check=True, timeout=60, capture_output=True)
    except (OSError, subprocess.SubprocessError) as error:
        pytest.skip(f"MPI starts no processes here: {error}")
