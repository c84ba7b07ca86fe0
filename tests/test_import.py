"""`import minijax` is light, and what is installed is the package alone."""

import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent.parent
HEAVY = ["numba", "llvmlite", "scipy", "matplotlib", "jax", "IPython"]


def test_importing_minijax_imports_nothing_heavy():
    code = f"import minijax, sys; print([name for name in {HEAVY} if name in sys.modules])"
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() == "[]"


def test_a_wheel_contains_the_package_and_nothing_else(tmp_path):
    source = tmp_path / "source"
    shutil.copytree(
        ROOT, source, ignore=shutil.ignore_patterns(".*", "build", "*.egg-info", "__pycache__")
    )
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation",
         "--wheel-dir", str(tmp_path), str(source)],
        check=True, capture_output=True, timeout=120,
    )  # fmt: skip
    (wheel,) = tmp_path.glob("*.whl")
    names = [name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name]
    files = [path.relative_to(ROOT).as_posix() for path in (ROOT / "minijax").rglob("*.py")]
    assert sorted(names) == sorted(files)


def test_the_package_needs_three_others():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = [re.match(r"\w+", requirement)[0] for requirement in project["dependencies"]]
    assert names == ["numpy", "numba", "ml_dtypes"]


def test_every_installed_version_is_pinned():
    text = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    pins = dict(re.findall(r"^([\w.-]+)==(\S+)$", text, re.MULTILINE))
    pinned = {normal_name(name): version for name, version in pins.items()}
    for name in installed_by("minijax", {"course", "test"}):
        assert pinned.get(name) == metadata.version(name), name


def installed_by(name: str, extras: set[str]) -> set[str]:
    """Returns the installed packages that a package needs, and those that these need."""
    found: set[str] = set()
    waiting = [(name, extra) for extra in {"", *extras}]
    seen = set(waiting)
    while waiting:
        package, extra = waiting.pop()
        for text in metadata.requires(package) or []:
            requirement = Requirement(text)
            if requirement.marker and not requirement.marker.evaluate({"extra": extra}):
                continue
            needed = normal_name(requirement.name)
            if needed != name:
                found.add(needed)
            new = {(needed, wanted) for wanted in {"", *requirement.extras}} - seen
            seen |= new
            waiting += new
    return found


def normal_name(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
