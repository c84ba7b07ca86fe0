"""The one writer of the book's notebooks.

    python tools/notebooks.py run [NOTEBOOK ...]       run, and store the outputs
    python tools/notebooks.py build SOURCE NOTEBOOK    make a notebook from its text form
    python tools/notebooks.py dump NOTEBOOK            print a notebook's text form

`run` executes each notebook (all of them without arguments) from the top in a fresh kernel of
this interpreter, and stores what it prints in a form that is the same each time: no times, no
paths, no addresses, readable cell ids, metadata cut to kernel, language, tags and folds. Outputs
that differ from the stored ones only as tests/book/sanitize.cfg allows (durations, for one) stay as
stored; so do those of cells that opt out of the comparison. `run --fresh` stores them all anew.

The text form, for authors:

    # %% [markdown]                              a Markdown cell, in plain lines
    # %%                                         a code cell
    # %% tags=raises-exception                   a code cell with tags
    # %% mirror minijax/core/forward.py A B..C   a cell with units A, and B to C, of that file

tools/textform.py says it in full. To edit a chapter: dump it, edit the text, build it over the
notebook (cells that did not change keep their ids and outputs), and run it.
"""

import argparse
import copy
import os
import re
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

from generated import write_generated
from nbfile import ROOT, normalise, notebook_paths, read_notebook, write_notebook
from textform import keep_outputs, parse_text, print_text

CELL_TIMEOUT = 120  # seconds
OPT_OUT_TAGS = {"nbval-ignore-output", "nbval-skip"}
RULE = re.compile(r"^regex: (.*)\n^replace: (.*)$", re.MULTILINE)
NOT_STORED = "\n[durations]\n"  # the part of sanitize.cfg that is for comparing alone


class Sanitizer:
    """The replacements of tests/book/sanitize.cfg."""

    def __init__(self, text: str):
        self.rules = RULE.findall(text)
        self.stored_rules = RULE.findall(text.partition(NOT_STORED)[0])

    def for_comparing(self, value):
        return replace_all(value, self.rules)

    def for_storing(self, value):
        return replace_all(value, self.stored_rules)


def read_sanitizer(root: Path) -> Sanitizer:
    return Sanitizer((root / "tests" / "book" / "sanitize.cfg").read_text(encoding="utf-8"))


def replace_all(value, rules):
    """Returns `value`, which is what JSON can hold, with the rules applied to its strings."""
    if isinstance(value, dict):
        return nbformat.from_dict({
            # A picture is one long word, in which there is nothing to replace.
            key: item if key.startswith("image/") else replace_all(item, rules)
            for key, item in value.items()
        })
    if isinstance(value, list):
        return [replace_all(item, rules) for item in value]
    if isinstance(value, str):
        for regex, replacement in rules:
            value = re.sub(regex, replacement, value)
    return value


def run_notebook(path: Path, sanitizer: Sanitizer, fresh: bool = False) -> bool:
    """Runs a notebook and stores its outputs; returns whether the file changed.

    Raises nbclient's CellExecutionError, CellTimeoutError or DeadKernelError where a cell fails;
    the file is then left as it was.
    """
    stored = read_notebook(path)
    notebook = copy.deepcopy(stored)
    client = NotebookClient(
        notebook,
        timeout=CELL_TIMEOUT,
        kernel_name="python3",
        record_timing=False,
        coalesce_streams=True,
        resources={"metadata": {"path": str(path.parent)}},
    )
    client.execute()
    for cell, before in zip(notebook.cells, stored.cells, strict=True):
        if cell.cell_type != "code":
            continue
        if not fresh and same_outputs(before, cell, sanitizer):
            cell.outputs = before.outputs
        cell.outputs = [store_output(output, sanitizer) for output in cell.outputs]
        for output in cell.outputs:
            if "execution_count" in output:
                output.execution_count = cell.execution_count
    return write_notebook(path, notebook)


def store_output(output: nbformat.NotebookNode, sanitizer: Sanitizer) -> nbformat.NotebookNode:
    """Returns `output` without what differs from run to run; pictures are left alone."""
    output = copy.deepcopy(output)
    for kind, value in output.get("data", {}).items():
        if kind.startswith("text/"):
            output.data[kind] = sanitizer.for_storing(value)
    for key in ("text", "evalue", "traceback"):
        if key in output:
            output[key] = sanitizer.for_storing(output[key])
    return output


def same_outputs(before, after, sanitizer: Sanitizer) -> bool:
    """Returns whether a cell's stored outputs still stand for its new ones."""
    if before.execution_count is None:
        return False
    if OPT_OUT_TAGS & set(after.metadata.get("tags", [])):
        return output_kinds(before) == output_kinds(after)
    return strip_counts(sanitizer.for_comparing(before.outputs)) == strip_counts(
        sanitizer.for_comparing(after.outputs)
    )


def output_kinds(cell) -> list:
    return [(output.output_type, sorted(output.get("data", {}))) for output in cell.outputs]


def strip_counts(outputs: list) -> list:
    return [{k: v for k, v in output.items() if k != "execution_count"} for output in outputs]


def run_all(paths: list[Path], fresh: bool) -> int:
    """Runs notebooks one after the other, says what happened, and returns the exit status."""
    os.environ["JUPYTER_PREFER_ENV_PATH"] = "1"  # the kernel is this interpreter's
    sanitizer = read_sanitizer(ROOT)
    failures = 0
    for path in paths:
        try:
            changed = run_notebook(path, sanitizer, fresh)
        except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
            failures += 1
            print(f"{path.name}: failed; the file is as it was\n{error}", file=sys.stderr)
        else:
            print(f"{path.name}: {'outputs stored' if changed else 'unchanged'}")
    return 1 if failures else 0


def build_notebook(source: Path, path: Path, root: Path) -> bool:
    """Makes `path` from the text form in `source`; returns whether the file changed."""
    notebook = parse_text(source.read_text(encoding="utf-8"), root)
    if path.exists():
        keep_outputs(read_notebook(path), notebook)
    normalise(notebook, path.stem)
    write_generated(notebook, path.stem, root)
    return write_notebook(path, notebook)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="run notebooks and store their outputs")
    run.add_argument("notebooks", nargs="*", type=Path)
    run.add_argument("--fresh", action="store_true", help="store every output anew")
    build = commands.add_parser("build", help="make a notebook from its text form")
    build.add_argument("source", type=Path)
    build.add_argument("notebook", type=Path)
    dump = commands.add_parser("dump", help="print a notebook's text form")
    dump.add_argument("notebook", type=Path)
    options = parser.parse_args(arguments)

    if options.command == "run":
        return run_all(options.notebooks or notebook_paths(ROOT), options.fresh)
    if options.command == "dump":
        print(print_text(read_notebook(options.notebook), ROOT), end="")
        return 0
    try:
        changed = build_notebook(options.source, options.notebook, ROOT)
    except ValueError as error:
        print(f"{options.source}: {error}", file=sys.stderr)
        return 1
    print(f"{options.notebook}: {'written' if changed else 'unchanged'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
