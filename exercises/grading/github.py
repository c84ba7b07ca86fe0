"""A repository for GitHub Classroom: the students' copy, and checks that run at each push.

A push runs `check` on each task of the chapters, as a student does: what may be seen, and nothing
else, is in the repository. GitHub Classroom counts a point for each task that passes. The marks are
`grade`'s, of the clones that `gh classroom clone student-repos` brings: a clone is a hand-in.
"""

from __future__ import annotations

import argparse
import glob
import os
import re
from collections.abc import Sequence
from pathlib import Path

from exercises.grading.classroom import Secret
from exercises.grading.release import check_new, chosen_chapters, copy_searched
from exercises.grading.submissions import FILE, folder_entries
from exercises.grading.tasks import Chapter, Fault, Task

WORKFLOW = ".github/workflows/classroom.yml"
MINUTES = 10  # for a task's check; the first one compiles
HEAD = """\
# What may be seen of each task is checked at each push. It gives a point for each that passes, for
# an overview: the marks are your teacher's.
name: Checks
on: [push, workflow_dispatch, repository_dispatch]
permissions:
  checks: write
  actions: read
  contents: read
jobs:
  checks:
    runs-on: ubuntu-latest
    if: github.actor != 'github-classroom[bot]'
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: "3.12"
          cache: pip
          cache-dependency-path: constraints.txt
      - run: python -m pip install -q -c constraints.txt -e .
"""
STEP = """\
      - name: "{name}"
        id: {id}
        uses: classroom-resources/autograding-command-grader@v1
        with:
          test-name: "{name}"
          setup-command: ""
          command: python -m exercises check --task {task}
          timeout: {minutes}
          max-score: 1
"""
REPORT = """\
      - name: Report
        uses: classroom-resources/autograding-grading-reporter@v1
        env:
{results}
        with:
          runners: {runners}
"""
# Students write in work/exercises/, which `make learn` makes, or in exercises/.
IGNORED = """\
.venv/
__pycache__/
.ipynb_checkpoints/
.progress.json
/work/*
!/work/exercises/
"""


def step_id(task: Task) -> str:
    """A name of letters for GitHub: "task-05-2"."""
    return f"task-{re.sub('[^0-9a-z]', '-', task.id)}"


def workflow(chapters: Sequence[Chapter]) -> str:
    """The workflow that checks each task of these chapters.

    Its names are of a task's number alone: a title is somebody's words, and YAML has rules.
    """
    tasks = [task for chapter in chapters for task in chapter.tasks]
    ids = [step_id(task) for task in tasks]
    steps = [STEP.format(name=f"Task {task.id}", id=id, task=task.id, minutes=MINUTES)
             for id, task in zip(ids, tasks, strict=True)]  # fmt: skip
    results = "\n".join(
        f'          {id.upper()}_RESULTS: "${{{{ steps.{id}.outputs.result }}}}"' for id in ids
    )
    return "".join([HEAD, *steps, REPORT.format(results=results, runners=",".join(ids))])


def write_repository(options: argparse.Namespace) -> int:
    """Writes the template, of which GitHub Classroom makes each student's repository."""
    check_new(options.out)
    chapters = chosen_chapters(options.chapters)
    if options.out.exists():
        options.out.rmdir()  # it is empty
    files = {WORKFLOW: workflow(chapters), ".gitignore": IGNORED}
    copy_searched(options.out, chapters, Secret(""), files)
    print(f"{options.out}: {len(chapters)} chapters. Push it to GitHub, and make it a template.")
    return 0


def take_clones(options: argparse.Namespace) -> int:
    """Writes, of the clones of a class, the exercises alone, each student's by their name."""
    check_new(options.out)
    prefix = f"{options.assignment}-"
    clones = sorted(path for path in options.clones.glob(f"{glob.escape(prefix)}*")
                    if path.is_dir() and not path.is_symlink())  # fmt: skip
    if not clones:
        raise Fault(f"{options.clones} has no folder {prefix}NAME, as gh classroom names clones. "
                    "--assignment says what stands before the name.")  # fmt: skip
    for clone in clones:
        student, remarks = clone.name.removeprefix(prefix), []
        for entry in folder_entries(clone, remarks):
            if entry.path.name == FILE:
                target = options.out / student / entry.path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(entry.read())
                os.utime(target, (entry.modified, entry.modified))
        print(*(f"{student}: {remark}" for remark in remarks), sep="\n", end="\n" * bool(remarks))
    print(f"{options.out}: {len(clones)} students. Next: python -m exercises grade {options.out}")
    return 0


def arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("out", type=Path, help="a new folder")
    add("--chapters", nargs="*", default=[], help="ch05 ch06, or nothing for all")
    add("--clones", type=Path, help="take these clones' exercises, for `grade`, in place of that")
    add("--assignment", default="", help="what stands before a student's name in a clone's: week3")


def command(options: argparse.Namespace) -> int:
    return take_clones(options) if options.clones else write_repository(options)
