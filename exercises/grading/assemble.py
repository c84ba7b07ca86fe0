"""`python -m exercises assemble`: all of a student's pieces at once, in one copy of the package.

The package's own tests of its core run on that copy: a small JAX of one's own. What fails is told
by piece, in the student's lines.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import shutil
import subprocess
import sys
import textwrap
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from importlib.util import find_spec
from operator import eq
from pathlib import Path
from typing import NamedTuple

from exercises.grading import source
from exercises.grading.feedback import WIDTH, tick
from exercises.grading.home import NoFile, exercise, read_exercise, shown, students_folder
from exercises.grading.judge import no_python
from exercises.grading.overlay import ROOT, copy_package, put_in_place
from exercises.grading.scratch import scratch_folder
from exercises.grading.splice import Missing, begin, bound, definition, find_in, told_as_no_python
from exercises.grading.stubs import task_stub
from exercises.grading.tasks import Chapter, Fault, Task, find_chapters

# The core's quick tests, with programs run on NumPy: some 45 seconds.
TESTS = ("tracing", "arrays", "primitives", "pytrees", "forward", "batching", "who_is_in_charge",
         "staging", "jitting", "linearization", "reverse", "programs", "prng", "values",
         "constants", "calls")  # fmt: skip
SECONDS = 600
ENOUGH = 30  # failures: then it stops
ALL_FRAMES = '\nminijax.config.update("jax_traceback_filtering", "off")\n'  # the pieces' among them
FRAME = re.compile(r"(minijax/[\w/]+\.py):(\d+)")


class Piece(NamedTuple):
    """A rebuilt piece, and where it stands; `fault` says why it did not go in."""

    task: Task
    file: Path
    fault: str = ""


class Place(NamedTuple):
    """Lines of the copy that are a student's: from `first` on, the student's from `theirs` on."""

    piece: Piece
    module: str
    first: int
    last: int
    theirs: int


class Failure(NamedTuple):
    """A test that failed: its name, the last line of what it says, and its frames."""

    test: str
    said: str
    frames: list[tuple[str, int]]


# Putting them in.


def put_all(root: Path, chapters: Sequence[Chapter], folder: Path) -> list[Piece]:
    """Puts every rebuilt piece into the package's copy below `root`, chapter by chapter."""
    pieces = []
    for chapter in chapters:
        for task in chapter.tasks:
            if task.kind == "rebuild":
                pieces.append(put(root, chapter, task, folder))
    return pieces


def put(root: Path, chapter: Chapter, task: Task, folder: Path) -> Piece:
    try:
        file = exercise(chapter, folder)
        text = read_exercise(file)
    except NoFile as missing:
        return Piece(task, folder, str(missing))
    try:
        if is_stub(task, text):
            return Piece(task, file, "not written yet")
        put_in_place(root, chapter, task, text)
    except Missing as missing:
        return Piece(task, file, str(missing))
    except (SyntaxError, ValueError) as error:
        return Piece(task, file, no_python(error))
    return Piece(task, file)


def is_stub(task: Task, text: str) -> bool:
    """Whether something of a piece is as it was handed out.

    Raises:
      Missing: it is not there at all.
      SyntaxError: it may stand in what is no Python.
    """
    def written(text: str) -> list[str]:
        defined = {name: s for s in source.parse(text).body for name in bound(s)}
        with told_as_no_python(text):
            return [ast.unparse(definition(defined, name)) for name in task.defines]

    return any(map(eq, written(text), written(task_stub(task))))


def places(root: Path, pieces: Sequence[Piece]) -> list[Place]:
    """Where the pieces stand once all are in."""
    found = []
    for piece in pieces:
        module = ast.parse((root / piece.task.module).read_text(encoding="utf-8"))
        theirs = source.parse(read_exercise(piece.file))
        for name in piece.task.defines:
            here, there = find_in(module, name), find_in(theirs, name)
            if here and there:
                found.append(Place(piece, piece.task.module, begin(here), here.end_lineno or 0,
                                   begin(there)))  # fmt: skip
    return found


# Running the tests.


class Run(NamedTuple):
    """What the tests came to; `said` is what pytest printed."""

    count: int
    failures: list[Failure]
    seconds: float
    said: str


def run_tests(root: Path, names: Sequence[str] = TESTS) -> Run:
    """Runs tests of the core on the package below `root`.

    Raises:
      Fault: there are no tests here, or nothing to run them with, or they don't come to an end.
    """
    if not find_spec("pytest"):
        raise Fault(f"The tests need pytest: {sys.executable} -m pip install pytest")
    if not (ROOT / "tests" / "core").is_dir():
        raise Fault("The package's tests are not in this copy: there is no folder tests/core.")
    shutil.copytree(ROOT / "tests" / "core", root / "tests" / "core")
    for file in [ROOT / "pyproject.toml", *(ROOT / "tests").glob("*.py")]:
        shutil.copy(file, root / file.relative_to(ROOT))
    with open(root / "tests" / "conftest.py", "a", encoding="utf-8") as conftest:
        conftest.write(ALL_FRAMES)
    files = [f"tests/core/test_{name}.py" for name in names]
    argv = [sys.executable, "-m", "pytest", "-q", "--tb=short", "-p", "no:cacheprovider",
            f"--maxfail={ENOUGH}", "--junitxml=results.xml", *files]  # fmt: skip
    environ = {**os.environ, "PYTHONPATH": str(root), "MINIJAX_JIT_BACKEND": "numpy"}
    try:
        done = subprocess.run(argv, cwd=root, env=environ, capture_output=True, text=True,
                              timeout=SECONDS)  # fmt: skip
    except subprocess.TimeoutExpired:
        raise Fault(f"The tests did not come to an end in {SECONDS} seconds.") from None
    results = root / "results.xml"
    return read_results(results.read_text(encoding="utf-8") if results.exists() else "",
                        done.stdout + done.stderr)  # fmt: skip


def read_results(xml: str, said: str) -> Run:
    """pytest's results; where it wrote none, the package could not be imported."""
    if not xml:
        return Run(0, [failure("import minijax", said)], 0.0, said)
    suite = next(ElementTree.fromstring(xml).iter("testsuite"))
    failures = [
        failure(f"{case.get('classname')}.{case.get('name')}", problem.text or "")
        for case in suite.iter("testcase")
        for problem in (*case.findall("failure"), *case.findall("error"))
    ]
    return Run(int(suite.get("tests", 0)), failures, float(suite.get("time", 0)), said)


def failure(test: str, text: str) -> Failure:
    frames = [(file, int(line)) for file, line in FRAME.findall(text)]
    errors = [line[1:].strip() for line in text.splitlines() if line.startswith("E ")]
    return Failure(test, errors[0] if errors else "", frames)


# Words.


def blamed(one: Failure, where: Sequence[Place]) -> tuple[Place, int] | None:
    """The innermost line of a student's that a failure passed through."""
    for module, line in reversed(one.frames):
        for place in where:
            if place.module == module and place.first <= line <= place.last:
                return place, place.theirs + line - place.first
    return None


def told_pieces(pieces: Sequence[Piece]) -> str:
    lines = ["Your pieces:"]
    for piece in pieces:
        said = piece.fault or f"{', '.join(piece.task.defines)} of {piece.task.module}"
        if piece.task.module.startswith("minijax/compiler/") and not piece.fault:
            said += ", which these tests do without: `check` tries it"
        lines.append(f"  {tick(not piece.fault)} {piece.task.id}  {said}")
    return "\n".join(lines)


def told_run(run: Run, where: Sequence[Place]) -> str:
    """How many tests passed; for each piece in which some failed, the first of them."""
    found = [(one, blamed(one, where)) for one in run.failures]
    groups: dict[str, list[tuple[Failure, tuple[Place, int] | None]]] = {}
    for one, place in found:
        groups.setdefault(place[0].piece.task.id if place else "", []).append((one, place))
    lines = []
    for id in sorted(groups, key=lambda id: (id == "", id)):
        (one, place), count = groups[id][0], len(groups[id])
        lines.append(f"{id or 'elsewhere'}: {count} failed; the first is {one.test}")
        line = f" ({shown(place[0].piece.file)}, line {place[1]})" if place else ""
        lines.append(textwrap.indent(textwrap.fill(one.said + line, WIDTH - 6), " " * 6))
    passed = max(run.count - len(run.failures), 0)
    total = f"{passed} of {run.count} tests of the core passed, in {run.seconds:.0f} seconds"
    if len(run.failures) >= ENOUGH:
        total += f"; the others did not run, after {ENOUGH} failures"
    return "\n".join([*lines, total])


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("chapters", nargs="*", help="pieces of these alone: ch05; nothing for all")
    parser.add_argument("--folder", type=Path, help="where the chapters' folders are")


def command(options: argparse.Namespace) -> int:
    folder = options.folder or students_folder()
    with scratch_folder("assembled") as root:
        copy_package(root)
        pieces = put_all(root, find_chapters(options.chapters), folder)
        print(told_pieces(pieces))
        whole = [piece for piece in pieces if not piece.fault]
        if not whole:
            print("\nNone of them went in: there is nothing to test yet.")
            return 1
        said = f"Tests of the core run on them, for a minute or two: {', '.join(TESTS)}."
        print("\n" + textwrap.fill(said, WIDTH) + "\n", flush=True)
        run = run_tests(root)
        print(told_run(run, places(root, whole)))
    return 1 if run.failures else 0
