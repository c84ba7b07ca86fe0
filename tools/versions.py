"""Tries the package with other releases of Python and of what it is built on.

    python tools/versions.py oldest             the oldest that pyproject.toml allows
    python tools/versions.py newest             the newest that there are
    python tools/versions.py numba=0.62 ...     a release of one package, and the kernels alone
    python tools/versions.py oracle             for `make oracle JAX=newest`: the newest JAX

The last one makes an environment, and runs nothing. Each of the others makes one anew,
`.venv-oldest` and so on, prints what is in it, and runs the package's tests there: all but those of
the tools, the book and the site, which one set of releases makes. `oldest` takes the oldest Python
on the path that the package allows, `newest` the newest.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NEWEST_MINOR = 30  # a bound for the search: python3.30
REQUIREMENT = re.compile(r"([\w-]+)>=([\d.]+)$")
ASK = """
import sys
from importlib.metadata import version
print("Python " + sys.version.split()[0], *(f"{x} {version(x)}" for x in sys.argv[1:]), sep=", ")
"""
LEFT_OUT = ("oracle", "tools", "book", "site")
OF_THE_PACKAGE = ["-m", "not prove", "--dist", "worksteal",
                  "--deselect=tests/test_import.py::test_every_installed_version_is_pinned",
                  *(f"--ignore=tests/{name}" for name in LEFT_OUT)]  # fmt: skip
OF_KERNELS = ["tests/compiler/native", "tests/compiler/test_doors.py",
              "tests/compiler/test_executable.py"]  # fmt: skip


def project(root: Path = ROOT) -> dict:
    return tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def lowest() -> dict[str, str]:
    """The oldest release that pyproject.toml allows, of Python and of each package."""
    asked = ["python" + project()["requires-python"], *project()["dependencies"]]
    return dict(REQUIREMENT.fullmatch(each).groups() for each in asked)


def pythons(oldest: str) -> list[str]:
    """The Pythons on the path that are not older than this one, "3.11", the oldest first."""
    first = int(oldest.split(".")[1])
    found = (shutil.which(f"python3.{minor}") for minor in range(first, NEWEST_MINOR))
    return [path for path in found if path and runs(path)] or [sys.executable]


def runs(python: str) -> bool:
    """Whether it is a Python, and not what only stands for one that isn't installed."""
    return subprocess.run([python, "-c", ""], capture_output=True).returncode == 0


def chosen(way: str) -> tuple[str, list[str], list[str]]:
    """The Python, what narrows the releases, and the tests, of a way to choose them."""
    bounds = lowest()
    there = pythons(bounds.pop("python"))
    if way == "oldest":
        return there[0], [f"{name}=={low}.*" for name, low in bounds.items()], OF_THE_PACKAGE
    if way == "newest":
        return there[-1], [], OF_THE_PACKAGE
    name, _, release = way.partition("=")
    if name not in bounds or not release:
        raise SystemExit(f"versions.py got {way}: oldest, newest, or {'=, '.join(bounds)}= and a "
                         "release, as in numba=0.62")  # fmt: skip
    return there[0], [f"{name}=={release}.*"], OF_KERNELS


def make(folder: Path, python: str, *asked: str) -> str:
    """Makes an environment with this package and what is asked of pip; returns its Python."""
    subprocess.run([python, "-m", "venv", "--clear", str(folder)], check=True)
    inner = str(folder / "bin" / "python")
    quiet = dict(os.environ, PIP_DISABLE_PIP_VERSION_CHECK="1")
    subprocess.run([inner, "-m", "pip", "install", "-q", *asked], cwd=ROOT, env=quiet, check=True)
    return inner


def tell(python: str, what: str, *packages: str) -> None:
    print(f"{what}: ", end="", flush=True)
    subprocess.run([python, "-c", ASK, *sorted({*lowest(), "llvmlite", *packages} - {"python"})],
                   check=True)  # fmt: skip


def make_oracle() -> None:
    """The newest JAX there is for the newest Python here, and what its tests need."""
    extra = project()["optional-dependencies"]["oracle"]
    packages = [re.split("[=<>]", each)[0] for each in extra]
    newest = pythons(lowest()["python"])[-1]
    python = make(ROOT / ".venv-oracle-newest", newest, "-e", ".", *packages)
    tell(python, "oracle", "jax", "jaxlib")


def try_out(way: str, jobs: str) -> int:
    """Makes the environment of a way and runs the tests in it; pytest's exit status."""
    base, narrowed, tests = chosen(way)
    folder = ROOT / f".venv-{way.replace('=', '-')}"
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as constraints:
        constraints.write("\n".join(narrowed) + "\n")
        constraints.flush()
        python = make(folder, base, "-c", constraints.name, "-e", ".[test]")
    tell(python, way)
    command = [python, "-m", "pytest", "-q", "-p", "no:nbval", "-n", jobs, *tests]
    return subprocess.call(command, cwd=ROOT)


def main(arguments: list[str]) -> int:
    if arguments == ["oracle"]:
        make_oracle()
        return 0
    jobs = os.environ.get("JOBS", "2")
    failed = [way for way in arguments or ["oldest", "newest"] if try_out(way, jobs)]
    if failed:
        print(f"Not all is well with: {', '.join(failed)}", file=sys.stderr)
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
