"""Other people's libraries on minijax: their first examples beside JAX's numbers, their own tests.

    python tools/libraries.py                       all, and the table
    python tools/libraries.py examples optax ...    examples; their prints beside JAX's
    python tools/libraries.py suites optax ...      their own tests; reports in .reports/libraries/
    python tools/libraries.py jax optax ...         the same tests under JAX: which can pass here
    python tools/libraries.py table                 README's table, of the reports that there are
    python tools/libraries.py record optax ...      writes down what the examples print under JAX

The libraries are installed without JAX in .venv-libraries/, in the versions below. Tests that a
library's wheel lacks are taken from its sources: build/libraries/NAME/, brought from the package
index or GitHub where they are not there yet. Of large suites every so-manieth test runs, the same
ones each time.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
from collections import Counter
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple
from xml.etree import ElementTree

import environment

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "tests" / "libraries"
HOME = ROOT / ".venv-libraries"
PYTHON = HOME / "bin" / "python"
ORACLE = ROOT / ".venv-oracle" / "bin" / "python"
REPORTS = ROOT / ".reports" / "libraries"
SOURCES = ROOT / "build" / "libraries"


class Library(NamedTuple):
    """One library: its version, where its tests are, and what runs of them."""

    version: str
    tests: str = ""  # a folder of the installed package or, with a source, of that
    source: str = ""  # where the wheel has no tests: "sdist", or a repository on GitHub
    tag: str = "v{version}"
    one_of: int = 1  # so many tests are passed by for each that runs, chosen by their names
    variables: tuple[tuple[str, str], ...] = ()  # of the environment


LIBRARIES = {
    "blackjax": Library("1.7.1", "tests", "sdist", one_of=12),
    "chex": Library("0.1.92", "chex"),
    "diffrax": Library("0.7.2", "test", "patrick-kidger/diffrax", one_of=32),
    "dm_haiku": Library("0.0.17", "haiku/_src", "sdist", one_of=8),
    "einops": Library(
        "0.8.2", "einops", variables=(("EINOPS_TEST_BACKENDS", "numpy,jax"),)
    ),
    "equinox": Library("0.13.8", "tests", "patrick-kidger/equinox", one_of=2),
    "flax": Library("0.12.8", "tests", "sdist", one_of=12),
    "jaxopt": Library("0.8.5", "tests", "google/jaxopt", "jaxopt-v{version}", one_of=4),
    "jaxtyping": Library("0.3.11", "test", "patrick-kidger/jaxtyping"),
    "jraph": Library("0.0.6.dev0", "jraph"),
    "lineax": Library("0.1.1", "tests", "patrick-kidger/lineax", one_of=32),
    "numpyro": Library("0.22.0", "test", "sdist", one_of=48),
    "optax": Library("0.2.8", "optax", one_of=8),
    "optimistix": Library("0.1.0", "tests", "patrick-kidger/optimistix", one_of=12),
    "penzai": Library("0.2.5", "tests", "google-deepmind/penzai", one_of=2),
    "quax": Library("0.4.6", "tests", "sdist"),
    "tinygp": Library("0.3.1", "tests", "dfm/tinygp"),
}
# What they and their tests need beside JAX.
NEEDS = """
    absl-py beartype cloudpickle dm-tree etils fastprogress ipython jmp msgpack multipledispatch
    ordered-set packaging parameterized plum-dispatch pytest pytest-benchmark pytest-timeout PyYAML
    rich scikit-learn<1.8 tabulate tensorstore toolz tqdm typeguard==2.13.3 typing_extensions
    wadler-lindig
""".split()
NEEDS_ON_JAX = ["orbax-checkpoint", "treescope"]  # these name JAX as what they need themselves
SECONDS_A_TEST, SECONDS_A_SUITE = 60, 3600
NEAR = 1e-3  # how far numbers may be from JAX's, as a part of the number


def prepare() -> None:
    """Makes and fills .venv-libraries; nothing where it has these versions already."""
    wanted = [f"{name}=={library.version}" for name, library in LIBRARIES.items()]
    stamp = HOME / ".libraries"
    said = "\n".join([*wanted, *NEEDS, *NEEDS_ON_JAX])
    if stamp.exists() and stamp.read_text() == said:
        return
    environment.make(HOME)
    pip = [str(PYTHON), "-m", "pip", "install", "-q"]
    subprocess.run([*pip, "-e", str(ROOT), *NEEDS], check=True)
    subprocess.run([*pip, "--no-deps", *wanted, *NEEDS_ON_JAX], check=True)
    stamp.write_text(said)


# Examples.

NUMBER = re.compile(r"-?(?:\d+\.\d*|\.\d+|\d+)(?:e[-+]?\d+)?")


def is_near(ours: str, theirs: str) -> bool:
    """Whether two prints have the same words, and numbers that are near each other."""
    words = ["".join(NUMBER.sub("#", text).split()) for text in (ours, theirs)]
    pairs = zip(NUMBER.findall(ours), NUMBER.findall(theirs), strict=False)
    return words[0] == words[1] and all(
        abs(float(x) - float(y)) <= NEAR * max(abs(float(y)), 0.01) for x, y in pairs
    )


def expected_of(name: str) -> Path:
    return EXAMPLES / "expected" / f"with_{name}.txt"


def run_example(name: str) -> str:
    """What the example prints under minijax, and what it complained of where it failed."""
    command = [str(PYTHON), "-m", "minijax", str(EXAMPLES / f"with_{name}.py")]
    done = subprocess.run(command, capture_output=True, text=True, env=_with_this_package())
    return done.stdout + (done.stderr if done.returncode else "")


def check_examples(names: list[str]) -> dict[str, bool]:
    """Runs examples; says of each whether its numbers are JAX's, and shows what it printed else."""
    found = {}
    for name in names:
        printed = run_example(name)
        found[name] = is_near(printed, expected_of(name).read_text(encoding="utf-8"))
        print(f"{name}: the numbers of JAX" if found[name] else f"{name} prints\n{printed}")
    return found


def record(names: list[str]) -> None:
    """Writes down what the examples print under JAX, which is given .venv-libraries' packages."""
    for name in names:
        command = [str(ORACLE), str(EXAMPLES / f"with_{name}.py")]
        printed = subprocess.run(
            command, capture_output=True, text=True, env=_with_packages(), check=True
        )
        expected_of(name).write_text(printed.stdout, encoding="utf-8")


def _with_this_package() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT)}


def _with_packages() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(packages()), "JAX_PLATFORMS": "cpu"}


# Their own tests.


def tests_of(name: str) -> Path:
    """Where a library's tests are; its sources are brought where they are needed first."""
    library = LIBRARIES[name]
    if not library.source:
        return packages() / library.tests
    folder = SOURCES / name
    if not folder.exists():
        SOURCES.mkdir(parents=True, exist_ok=True)
        (_unpack if library.source == "sdist" else _clone)(name, folder)
    return folder / library.tests


def packages() -> Path:
    """The folder of installed packages."""
    (site,) = HOME.glob("lib/python*/site-packages")
    return site


def _unpack(name: str, folder: Path) -> None:
    with TemporaryDirectory(dir=SOURCES) as download:
        wanted = f"{name}=={LIBRARIES[name].version}"
        options = ["--no-deps", "--no-binary", ":all:", "-q", "-d", download]
        subprocess.run([str(PYTHON), "-m", "pip", "download", *options, wanted], check=True)
        (archive,) = Path(download).iterdir()
        with tarfile.open(archive) as sources:
            sources.extractall(download, filter="data")
        (inside,) = (path for path in Path(download).iterdir() if path.is_dir())
        inside.rename(folder)


def _clone(name: str, folder: Path) -> None:
    library = LIBRARIES[name]
    tag = library.tag.format(version=library.version)
    command = ["git", "clone", "-q", "--depth", "1", "--branch", tag]
    url = f"https://github.com/{library.source}"
    subprocess.run([*command, url, str(folder)], check=True)


def report_of(name: str, under: str) -> Path:
    return REPORTS / f"{name}.{under}.xml"


def run_suite(name: str, under: str) -> None:
    """Runs a library's tests under "minijax" or "jax"; reports are in .reports/libraries/."""
    REPORTS.mkdir(parents=True, exist_ok=True)
    python = {"minijax": [str(PYTHON), "-m", "minijax"], "jax": [str(ORACLE)]}[under]
    variables = {"minijax": _with_this_package, "jax": _with_packages}[under]()
    command = [
        *python, str(EXAMPLES / "run_suite.py"), "-q", "--tb=short",
        "-p", "no:cacheprovider", "--continue-on-collection-errors",
        f"--timeout={SECONDS_A_TEST}", f"--junitxml={report_of(name, under)}", str(tests_of(name)),
    ]  # fmt: skip
    chosen = {"ONE_OF": str(LIBRARIES[name].one_of), **dict(LIBRARIES[name].variables)}
    try:
        with (REPORTS / f"{name}.{under}.txt").open("w") as log:
            subprocess.run(
                command, cwd=REPORTS, stdout=log, stderr=subprocess.STDOUT,
                env={**variables, **chosen}, timeout=SECONDS_A_SUITE,
            )  # fmt: skip
    except subprocess.TimeoutExpired:
        print(f"{name}: stopped after {SECONDS_A_SUITE} seconds")


class Outcome(NamedTuple):
    """The names of tests, and how often each reason was given for a failure."""

    passed: set[str]
    failed: set[str]
    reasons: Counter[str]


def outcome_of(report: Path, among: set[str] | None = None) -> Outcome:
    """What a report of pytest says of these tests, or of all; one that is skipped is in neither."""
    passed, failed, reasons = set[str](), set[str](), Counter[str]()
    for case in ElementTree.parse(report).iter("testcase"):
        test = f"{case.get('classname')}::{case.get('name')}"
        tags = {child.tag: child for child in case}
        bad = tags.get("failure", tags.get("error"))
        if among is not None and test not in among:
            continue
        if bad is not None:
            failed.add(test)
            line = (bad.get("message") or "").strip().splitlines()[:1]
            reasons[re.sub(r"0x[0-9a-f]+|\d+", "N", " ".join(line))[:90]] += 1
        elif "skipped" not in tags:
            passed.add(test)
    return Outcome(passed - failed, failed, reasons)


def table() -> Iterator[str]:
    """The lines of the table, as README has it, of the reports that there are."""
    yield "| library | version | one test of | pass under JAX | of these, here |"
    yield "|---|---|---|---|---|"
    theirs = ours = 0
    for name, library in LIBRARIES.items():
        cells = ["-"] * 2
        if report_of(name, "jax").exists() and report_of(name, "minijax").exists():
            under_jax = outcome_of(report_of(name, "jax")).passed
            here = outcome_of(report_of(name, "minijax"), under_jax).passed
            cells = [str(len(under_jax)), str(len(here))]
            theirs, ours = theirs + len(under_jax), ours + len(here)
        shown = [name.replace("_", "-"), library.version, str(library.one_of), *cells]
        yield f"| {' | '.join(shown)} |"
    yield f"| all | | | {theirs} | {ours} |"
    if theirs:
        yield f"\n{ours / theirs:.1%} of those that pass under JAX"


def main(arguments: list[str]) -> int:
    task, *names = arguments or ["all"]
    names = names or list(LIBRARIES)
    try:
        prepare()
    except environment.Refusal as refusal:
        print(refusal, file=sys.stderr)
        return 1
    if task in ("all", "examples"):
        examples = check_examples(names)
        print(f"{sum(examples.values())} of {len(examples)} examples print JAX's numbers")
    if task == "record":
        record(names)
    for name in names if task in ("all", "jax") else ():
        run_suite(name, "jax")
    for name in names if task in ("all", "suites") else ():
        run_suite(name, "minijax")
        print(name, *outcome_of(report_of(name, "minijax")).reasons.most_common(5), sep="\n  ")
    if task in ("all", "table"):
        print(f"Run on {date.today()}.", "", *table(), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
