"""`python -m exercises COMMAND`: what a student and a teacher do with the exercises."""

from __future__ import annotations

import argparse
import importlib
import sys
from importlib.util import find_spec

from exercises.grading.scratch import end_by_signals
from exercises.grading.tasks import Fault

# Each is a module with `arguments(parser)` and `command(options)`. A student's copy lacks the
# teacher's.
STUDENTS = {
    "check": "what is right, and why not",
    "progress": "the way so far",
    "questions": "the questions that were drawn for you",
    "assemble": "all of your pieces at once, under the package's own tests",
}
TEACHERS = {
    "release": "make the copy that students get",
    "grade": "grade a class",
    "similarity": "compare a class's pieces with each other",
    "github": "write a repository for GitHub Classroom, or take its clones",
    "nbgrader": "write the chapters as nbgrader's assignments",
    "generate": "write what is made of tasks.toml: statements, stubs, notebooks",
    "prove": "show that a chapter's tasks tell right from wrong",
}


def parser(chosen: str) -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="python -m exercises", description=__doc__)
    commands = made.add_subparsers(required=True, metavar="COMMAND")
    for name, said in {**STUDENTS, **TEACHERS}.items():
        if find_spec(f"exercises.grading.{name}"):
            own = commands.add_parser(name, help=said, description=said)
            if name == chosen:
                module = importlib.import_module(f"exercises.grading.{name}")
                module.arguments(own)
                own.set_defaults(run=module.command)
    return made


def main() -> int:
    end_by_signals()
    try:
        options = parser(next(iter(sys.argv[1:]), "")).parse_args()
        return options.run(options)
    except ModuleNotFoundError as error:
        if error.name != "numpy":
            raise
        print(f"{sys.executable} has no NumPy: write .venv/bin/python in place of python. "
              "`make learn` makes it.", file=sys.stderr)  # fmt: skip
        return 2
    except Fault as fault:
        print(fault, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
