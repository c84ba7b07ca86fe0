"""Builds a release and tries it as a user has it: `make release`.

    python tools/release.py [DIST]

Into DIST, `dist/` if none is named, `python -m build` writes an sdist, and of that a wheel. Then
both are checked: their metadata by twine; that they hold the package and the course, and nothing
that is for those who change minijax; and, installed in an environment of its own outside of the
repository, each prints what README's first example prints, and unpacks the course.

It publishes nothing. For that there is `twine upload dist/*`, once pyproject.toml and the files of
SAY_THE_VERSION have the new version.
"""

import re
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = re.compile(r"^```python\n(.*?)^```\n+```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BESIDE = {  # what stands beside the package in an archive
    "sdist": {"CHANGELOG.md", "CITATION.cff", "LICENSE", "MANIFEST.in", "PKG-INFO", "README.md",
              "minijax.egg-info", "pyproject.toml", "setup.cfg", "setup.py"},
    "wheel": {"minijax.dist-info"},
}  # fmt: skip
SAY_THE_VERSION = {
    "CHANGELOG.md": r"^## (\d\S*)",
    "CITATION.cff": r"^version: (\S+)",
    "minijax/__init__.py": r'^__version__ = "(\S+)"',
}
NEVER = {"teacher", "__pycache__", "build", "tests", ".git"}  # in an archive, as a folder
OF_THE_COURSE = ("notebooks/00-tour.ipynb", "exercises/__main__.py", "tools/learn.py", "START.md")


class Fault(Exception):
    """What is wrong with the release."""


def check_version(root: Path) -> str:
    """Returns the version. Raises Fault where a file says another."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    version = project["version"]
    for name, line in SAY_THE_VERSION.items():
        found = re.search(line, (root / name).read_text(encoding="utf-8"), re.MULTILINE)
        if not found or found[1] != version:
            raise Fault(f"pyproject.toml has version {version}; {name} has {found and found[1]}.")
    return version


def members(archive: Path) -> list[PurePosixPath]:
    """The files of an archive, without the folder that an sdist is in, or a version."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            names = [PurePosixPath(name) for name in wheel.namelist()]
        info = re.compile(r"^minijax-[^/]+\.dist-info")
        return [PurePosixPath(info.sub("minijax.dist-info", str(name))) for name in names]
    with tarfile.open(archive) as sdist:
        names = [PurePosixPath(each.name) for each in sdist if each.isfile()]
    return [PurePosixPath(*name.parts[1:]) for name in names]


def check_members(archive: Path) -> None:
    """Raises Fault where an archive holds what is for nobody who installs it."""
    kind, names = "wheel" if archive.suffix == ".whl" else "sdist", members(archive)
    strays = sorted(
        str(name) for name in names
        if name.parts[0] not in {"minijax", *BESIDE[kind]} or NEVER & set(name.parts[:-1])
    )  # fmt: skip
    if strays:
        raise Fault(f"{archive.name} holds {', '.join(strays[:5])}, {len(strays)} files in all.")
    if PurePosixPath("minijax/course.zip") not in names:
        raise Fault(f"{archive.name} lacks the course, minijax/course.zip.")


def example(root: Path) -> tuple[str, str]:
    """README's first example, and what it prints."""
    code, printed = EXAMPLE.search((root / "README.md").read_text(encoding="utf-8")).groups()
    return code, printed


def run(*command: object, cwd: Path) -> str:
    """What a command prints. Raises Fault, with what it says, where it fails."""
    done = subprocess.run(list(map(str, command)), cwd=cwd, capture_output=True, text=True)
    if done.returncode:
        raise Fault(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def try_installed(archive: Path, root: Path) -> None:
    """Raises Fault where what an archive installs doesn't do what README says."""
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        run(sys.executable, "-m", "venv", home / "env", cwd=home)
        python = home / "env" / "bin" / "python"
        run(python, "-m", "pip", "install", "-q", archive.resolve(), cwd=home)
        code, printed = example(root)
        (home / "example.py").write_text(code, encoding="utf-8")
        if (got := run(python, "example.py", cwd=home)) != printed:
            raise Fault(f"{archive.name}, installed, prints for README's example:\n{got}")
        run(python, "-m", "minijax.course", "--only-unpack", cwd=home)
        course = home / "minijax-course"
        if missing := [name for name in OF_THE_COURSE if not (course / name).is_file()]:
            raise Fault(f"The course of {archive.name} lacks {', '.join(missing)}.")
        run(python, "-m", "exercises", "progress", cwd=course)


def main(arguments: list[str]) -> int:
    dist = Path(arguments[0] if arguments else ROOT / "dist").resolve()
    try:
        version = check_version(ROOT)
        print(f"minijax {version}, into {dist}", flush=True)
        run(sys.executable, "-m", "build", "--outdir", dist, cwd=ROOT)
        archives = [*dist.glob(f"minijax-{version}.tar.gz"), *dist.glob(f"minijax-{version}-*.whl")]
        print(run(sys.executable, "-m", "twine", "check", "--strict", *archives, cwd=ROOT), end="")
        for archive in archives:
            check_members(archive)
            try_installed(archive, ROOT)
            print(f"{archive.name}: {archive.stat().st_size / 1e6:.1f} MB, installs, runs README's "
                  "example, and brings the course", flush=True)  # fmt: skip
    except Fault as fault:
        print(fault, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
