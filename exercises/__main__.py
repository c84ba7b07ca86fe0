"""`python -m exercises COMMAND`: what a student and a teacher do with the exercises."""

from __future__ import annotations

import argparse
import sys

from exercises.prove import show
from exercises.tasks import UnknownTask, find_chapters


def prove_command(options: argparse.Namespace) -> int:
    return 0 if all([show(chapter) for chapter in find_chapters(options.chapters)]) else 1


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="python -m exercises", description=__doc__)
    commands = made.add_subparsers(required=True, metavar="COMMAND")
    prove = commands.add_parser("prove", help="show that a chapter's tasks tell right from wrong")
    prove.add_argument("chapters", nargs="*", help="ch05, or nothing for all")
    prove.set_defaults(run=prove_command)
    return made


def main() -> int:
    options = parser().parse_args()
    try:
        return options.run(options)
    except UnknownTask as unknown:
        print(unknown, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
