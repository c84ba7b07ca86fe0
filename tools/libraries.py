"""Other people's libraries on minijax: their first examples beside JAX's numbers, their own tests.

    python tools/libraries.py                       all, and the table
    python tools/libraries.py examples optax ...    examples; their prints beside JAX's
    python tools/libraries.py suites optax ...      their own tests; reports in .reports/libraries/
    python tools/libraries.py table                 the table, of the reports that there are
    python tools/libraries.py record optax ...      writes down what the examples print under JAX

The libraries are installed without JAX in .venv-libraries/, in the versions below. Tests that a
library's wheel lacks are taken from its sources: build/libraries/NAME/, cloned where they are not
there yet.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import date
from pathlib import Path
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
    tests: str = ""  # a folder of the installed package or, with a repository, of its sources
    repository: str = ""  # on GitHub, where the wheel has no tests
    tag: str = "v{version}"
    variables: tuple[tuple[str, str], ...] = ()  # of the environment


LIBRARIES = {
    "blackjax": Library("1.7.1", "tests", "blackjax-devs/blackjax", "{version}"),
    "chex": Library("0.1.92", "chex"),
    "diffrax": Library("0.7.2", "test", "patrick-kidger/diffrax"),
    "dm_haiku": Library("0.0.17", "haiku/_src", "google-deepmind/dm-haiku"),
    "einops": Library(
        "0.8.2", "einops", variables=(("EINOPS_TEST_BACKENDS", "numpy,jax"),)
    ),
    "equinox": Library("0.13.8", "tests", "patrick-kidger/equinox"),
    "flax": Library("0.12.8", "tests", "google/flax"),
    "jaxopt": Library("0.8.5", "tests", "google/jaxopt", "jaxopt-v{version}"),
    "jaxtyping": Library("0.3.11", "test", "patrick-kidger/jaxtyping"),
    "jraph": Library("0.0.6.dev0", "jraph"),
    "lineax": Library("0.1.1", "tests", "patrick-kidger/lineax"),
    "numpyro": Library("0.22.0", "test", "pyro-ppl/numpyro", "{version}"),
    "optax": Library("0.2.8", "optax"),
    "optimistix": Library("0.1.0", "tests", "patrick-kidger/optimistix"),
    "penzai": Library("0.2.5", "tests", "google-deepmind/penzai"),
    "quax": Library("0.4.6", "tests", "patrick-kidger/quax"),
    "tinygp": Library("0.3.1", "tests", "dfm/tinygp"),
}
# What they and their tests need beside JAX.
NEEDS = """
    absl-py beartype cloudpickle dm-tree etils fastprogress jmp msgpack multipledispatch
    ordered-set packaging parameterized plum-dispatch pytest pytest-timeout PyYAML rich scikit-learn
    tabulate tensorstore toolz tqdm typeguard typing_extensions wadler-lindig
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
    (site,) = HOME.glob("lib/python*/site-packages")
    for name in names:
        env = {**os.environ, "PYTHONPATH": str(site), "JAX_PLATFORMS": "cpu"}
        command = [str(ORACLE), str(EXAMPLES / f"with_{name}.py")]
        printed = subprocess.run(command, capture_output=True, text=True, env=env, check=True)
        expected_of(name).write_text(printed.stdout, encoding="utf-8")


def _with_this_package() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT)}


# Their own tests.


def tests_of(name: str) -> Path:
    """Where a library's tests are; its sources are cloned where they are needed first."""
    library = LIBRARIES[name]
    if not library.repository:
        (site,) = HOME.glob("lib/python*/site-packages")
        return site / library.tests
    source = SOURCES / name
    if not source.exists():
        tag = library.tag.format(version=library.version)
        url = f"https://github.com/{library.repository}"
        command = ["git", "clone", "-q", "--depth", "1", "--branch", tag, url, str(source)]
        subprocess.run(command, check=True)
    return source / library.tests


def run_suite(name: str) -> None:
    """Runs a library's tests; pytest's report is in .reports/libraries/."""
    REPORTS.mkdir(parents=True, exist_ok=True)
    command = [
        str(PYTHON), "-m", "minijax", str(EXAMPLES / "run_suite.py"), "-q", "--tb=short",
        "-p", "no:cacheprovider", "--continue-on-collection-errors",
        f"--timeout={SECONDS_A_TEST}", f"--junitxml={REPORTS / name}.xml", str(tests_of(name)),
    ]  # fmt: skip
    try:
        with (REPORTS / f"{name}.txt").open("w") as log:
            subprocess.run(
                command, cwd=REPORTS, stdout=log,
                env={**_with_this_package(), **dict(LIBRARIES[name].variables)},
                stderr=subprocess.STDOUT, timeout=SECONDS_A_SUITE,
            )  # fmt: skip
    except subprocess.TimeoutExpired:
        print(f"{name}: stopped after {SECONDS_A_SUITE} seconds")


class Outcome(NamedTuple):
    passed: int
    failed: int
    skipped: int
    reasons: Counter[str]


def outcome_of(report: Path) -> Outcome:
    """What a report of pytest's says: a test that is skipped counts apart."""
    counts, reasons = Counter[str](), Counter[str]()
    for case in ElementTree.parse(report).iter("testcase"):
        tags = {child.tag: child for child in case}
        bad = tags.get("failure", tags.get("error"))
        kind = "failed" if bad is not None else "skipped" if "skipped" in tags else "passed"
        counts[kind] += 1
        if bad is not None:
            line = (bad.get("message") or "").strip().splitlines()[:1]
            reasons[re.sub(r"0x[0-9a-f]+|\d+", "N", " ".join(line))[:90]] += 1
    return Outcome(counts["passed"], counts["failed"], counts["skipped"], reasons)


def table(examples: dict[str, bool]) -> Iterator[str]:
    """The lines of the table, of the reports that there are."""
    yield "| library | version | first example | its tests: passed | failed | skipped |"
    yield "|---|---|---|---|---|---|"
    passed = failed = 0
    for name, library in LIBRARIES.items():
        report, cells = REPORTS / f"{name}.xml", ["-"] * 3
        if report.exists():
            outcome = outcome_of(report)
            cells = [str(outcome.passed), str(outcome.failed), str(outcome.skipped)]
            passed, failed = passed + outcome.passed, failed + outcome.failed
        example = {True: "JAX's numbers", False: "fails", None: "-"}[examples.get(name)]
        yield f"| {' | '.join([name, library.version, example, *cells])} |"
    part = f" ({passed / (passed + failed):.1%} of those that ran)" if passed else ""
    yield f"| all | | | {passed}{part} | {failed} | |"


def main(arguments: list[str]) -> int:
    task, *names = arguments or ["all"]
    names = names or list(LIBRARIES)
    try:
        prepare()
    except environment.Refusal as refusal:
        print(refusal, file=sys.stderr)
        return 1
    examples = check_examples(names) if task in ("all", "examples", "table") else {}
    if task == "record":
        record(names)
    if task in ("all", "suites"):
        for name in names:
            run_suite(name)
            print(name, *outcome_of(REPORTS / f"{name}.xml").reasons.most_common(5), sep="\n  ")
    if task in ("all", "table"):
        lines = [f"Run on {date.today()}, by `make libraries`.", "", *table(examples)]
        print("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
