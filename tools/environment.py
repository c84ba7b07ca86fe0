"""Makes, mends and fills the environments in which the book is read, tested and compared with JAX.

    python tools/environment.py .venv course       course: to read; test: that, and to change it;
                                                   site: that, and to open the site in a browser
                                                   mpi: beside these, MPI, for several processes
    python tools/environment.py .venv-oracle oracle
    python tools/environment.py .venv-classroom classroom
    python tools/environment.py .venv-release release

It does nothing where all is there already. An environment that does not run, lacks pip or has too
old a Python is made anew. Python 3.6 can run this file as far as the sentence that it is too old.
"""

import hashlib
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NEEDED = (3, 11)
PINS = ("pyproject.toml", "constraints.txt")
BRINGS = {
    "course": "JupyterLab, NumPy, Numba, matplotlib and what they need",
    "test": "JupyterLab, NumPy, Numba, matplotlib, pytest, mypy, ruff and what they need",
    "site": "JupyterLab, NumPy, Numba, matplotlib, pytest, playwright and what they need",
    "mpi": "mpi4py and MPICH",
    "oracle": "JAX, NumPy, Numba, matplotlib, pytest and what they need",
    "classroom": "nbgrader, JupyterLab, NumPy, Numba, pytest and what they need",
    "release": "NumPy, Numba, build, twine and what they need",
}
INCLUDED_IN = {
    "course": ("course", "test", "site"), "test": ("test", "site"), "site": ("site",),
    "mpi": ("mpi",), "oracle": ("oracle",), "classroom": ("classroom",), "release": ("release",),
}  # fmt: skip
PROBE = (
    "import sys; from importlib.metadata import version; version('pip'); "
    "print(sys.version_info[0], sys.version_info[1])"
)


class Refusal(Exception):
    """What stands in the way, and what to do."""


def spell(version: tuple) -> str:
    return ".".join(map(str, version))


def read_version(environment: Path):
    """Returns the version of an environment's Python, or None where that or pip does not run."""
    python = str(environment / "bin" / "python")
    try:
        said = subprocess.check_output([python, "-c", PROBE], stderr=subprocess.DEVNULL)
        return tuple(map(int, said.split()))
    except (OSError, ValueError, subprocess.CalledProcessError):
        return None


def check_python() -> None:
    """Raises Refusal where the Python that runs this cannot make an environment for the book."""
    found = sys.version_info[:3]
    if found < NEEDED:
        raise Refusal(
            f"minijax needs Python {spell(NEEDED)} or newer, and {sys.executable} is Python "
            f"{spell(found)}. Install one, and name it if it is not your python3: "
            "make learn PYTHON=python3.12"
        )
    for module in ("venv", "ensurepip"):
        if importlib.util.find_spec(module) is None:
            raise Refusal(
                f"{sys.executable} cannot make an environment: it has no {module}. On Debian and "
                f"Ubuntu this installs it: sudo apt install python{spell(found[:2])}-venv"
            )


def make(environment: Path) -> None:
    """Makes an environment, in place of what is there. Raises Refusal."""
    check_python()
    if environment.is_symlink() or environment.is_file():
        environment.unlink()
    elif environment.exists():
        print(f"{environment.name}/ lacks pip or a Python that can run the book: made anew.")
    sys.stdout.flush()
    if subprocess.call([sys.executable, "-m", "venv", "--clear", str(environment)]):
        raise Refusal(f"{sys.executable} could not make {environment}; what it says is above.")


def fingerprint(version: tuple) -> str:
    """Returns what an install depends on: the files that name it, the Python, and the place."""
    parts = [(ROOT / name).read_text(encoding="utf-8") for name in PINS]
    parts += [spell(version), str(ROOT)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def is_installed(environment: Path, extra: str, version: tuple) -> bool:
    stamps = [environment / f".{name}" for name in INCLUDED_IN[extra]]
    return fingerprint(version) in [stamp.read_text() for stamp in stamps if stamp.exists()]


def install(environment: Path, extra: str) -> None:
    """Installs an extra of this package. Raises Refusal where pip fails."""
    print(
        f"Installing {BRINGS[extra]} into {environment.name}/. "
        "The first time this takes one to five minutes, and up to a gigabyte.",
        flush=True,
    )
    pip = [str(environment / "bin" / "python"), "-m", "pip", "install", "-q", "-c"]
    pip += ["constraints.txt", "-e", f".[{extra}]"]
    quiet = dict(os.environ, PIP_DISABLE_PIP_VERSION_CHECK="1")
    if subprocess.call(pip, cwd=str(ROOT), env=quiet):
        raise Refusal(
            "pip could not install it all; what it says is above. Once that is mended, give the "
            "command again: it goes on from here."
        )


def prepare(environment: Path, extra: str) -> None:
    """Leaves `environment` with all that `extra` names. Raises Refusal where that cannot be."""
    version = read_version(environment)
    if version is None or version < NEEDED:
        make(environment)
        version = sys.version_info[:2]
    if not is_installed(environment, extra, version):
        install(environment, extra)
        (environment / f".{extra}").write_text(fingerprint(version))


def main(arguments: list) -> int:
    environment, extra = arguments
    try:
        prepare(ROOT / environment, extra)
    except Refusal as refusal:
        print(refusal, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
