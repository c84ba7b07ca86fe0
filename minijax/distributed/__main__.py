"""`python -m minijax.distributed -n 4 SCRIPT.py`: runs a script in several processes."""

import argparse
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path


def count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"there must be at least 1 process, not {number}")
    return number


def starter() -> str | None:
    """The mpiexec beside this Python, or else the first on the path. None where mpi4py or that
    is not there."""
    try:
        import mpi4py  # noqa: F401  (which starts nothing yet)
    except ImportError:
        return None
    beside = Path(sys.executable).parent / "mpiexec"
    return str(beside) if beside.exists() else shutil.which("mpiexec")


def main(argv: Sequence[str]) -> int:
    """Runs the script in as many processes as `-n` says. Returns the exit status."""
    parser = argparse.ArgumentParser("python -m minijax.distributed", description=__doc__)
    parser.add_argument("-n", type=count, required=True, help="how many processes")
    parser.add_argument("script", type=Path, help="a script, which calls distributed.initialize()")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="the script's own")
    given = parser.parse_args(argv)
    if not given.script.is_file():
        parser.error(f"there is no file {given.script}")
    mpiexec = starter()
    if mpiexec is None:
        parser.error('mpi4py and an MPI are needed: pip install "minijax[mpi]"')
    command = [mpiexec, "-n", str(given.n), sys.executable, "-m", "minijax"]
    return subprocess.run([*command, str(given.script), *given.arguments]).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
