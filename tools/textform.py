"""The text form of a notebook, which `tools/notebooks.py` builds from and dumps to.

A marker line starts a cell, which goes on to the next marker:

    # %% [markdown]
    # A heading, and plain Markdown lines: they are not commented out.

    # %%
    x = 1  # a code cell

    # %% tags=raises-exception,finished-package
    1 / 0

    # %% mirror minijax/core/forward.py HEADER Zero JVPTrace..jvp
    # %% [markdown] tags=exercise

The last but one is a mirrored cell: its text is taken from the file, so nothing stands below the
marker. The names are unit keys (`tools/mirror.py units FILE` lists them), ranges `A..B` of them,
open ranges (`A..`, `..B`, and `..` for the whole file), or HEADER for the docstring and the
imports that open the file. They must follow one another in the file.

Generated cells (tools/generated.py) are not in it. The text form is for editing. It is not kept:
the notebook is the record.
"""

import difflib
from pathlib import Path

import nbformat

from cells import mirrored_body, mirrored_path, mirrored_source
from nbfile import authored_cells
from units import name_units, run_of_lines, select_units, split_units

MARKER = "# %%"


def parse_text(text: str, root: Path) -> nbformat.NotebookNode:
    """Returns the notebook that `text` describes; files to mirror are read below `root`.

    Raises ValueError, naming the line, where the text has no such form.
    """
    notebook = nbformat.v4.new_notebook()
    marker, body, line_number = None, [], 0
    for number, line in enumerate([*text.split("\n"), MARKER], 1):
        if line != MARKER and not line.startswith(MARKER + " "):
            body.append(line)
            continue
        if marker is not None:
            try:
                notebook.cells.append(make_cell(marker, "\n".join(body), root))
            except ValueError as error:
                raise ValueError(f"line {line_number}: {error}") from None
        elif "".join(body).strip():
            raise ValueError("line 1: there is text before the first '# %%' marker")
        marker, body, line_number = line[len(MARKER) :], [], number
    return notebook


def make_cell(marker: str, body: str, root: Path) -> nbformat.NotebookNode:
    """Returns the cell of one marker (without its `# %%`) and the text below it."""
    words = marker.split()
    tags = [tag for word in words if word.startswith("tags=") for tag in word[5:].split(",")]
    words = [word for word in words if not word.startswith("tags=")]
    source = "\n".join(line.rstrip() for line in body.split("\n")).strip("\n")
    match words:
        case ["[markdown]"]:
            cell = nbformat.v4.new_markdown_cell(source)
        case []:
            cell = nbformat.v4.new_code_cell(source)
        case ["mirror", path, *names]:
            if source:
                raise ValueError(f"the text of a mirrored cell comes from {path}; leave it empty")
            cell = nbformat.v4.new_code_cell(mirror_file(path, names, root))
        case _:
            raise ValueError(f"unknown marker '{MARKER}{marker}'")
    if not cell.source:
        raise ValueError("the cell is empty")
    if tags:
        cell.metadata["tags"] = tags
    return cell


def mirror_file(path: str, names: list[str], root: Path) -> str:
    """Returns the source of the mirrored cell that holds the units `names` of a file."""
    if not (root / path).is_file():
        raise ValueError(f"there is no file {path}")
    text = (root / path).read_text(encoding="utf-8")
    return mirrored_source(path, run_of_lines(text, select_units(split_units(text), names, path)))


def print_text(notebook: nbformat.NotebookNode, root: Path) -> str:
    """Returns the text form of `notebook`: what `parse_text` makes the same cells from."""
    return "\n\n".join(print_cell(cell, root) for cell in authored_cells(notebook)) + "\n"


def print_cell(cell: nbformat.NotebookNode, root: Path) -> str:
    tags = cell.metadata.get("tags", [])
    suffix = f" tags={','.join(tags)}" if tags else ""
    if cell.cell_type == "markdown":
        return f"{MARKER} [markdown]{suffix}\n{cell.source}"
    names = mirrored_names(cell.source, root)
    if names is not None:
        return f"{MARKER} mirror {mirrored_path(cell.source)} {' '.join(names)}{suffix}"
    return f"{MARKER}{suffix}\n{cell.source}"


def mirrored_names(source: str, root: Path) -> list[str] | None:
    """Returns the names of the units that a mirrored cell holds to the letter, or None."""
    path = mirrored_path(source)
    if path is None or not (root / path).is_file():
        return None
    text = (root / path).read_text(encoding="utf-8")
    lines, body = text.split("\n"), mirrored_body(source).split("\n")
    units = split_units(text)
    for unit in units:
        start = unit.start - 1
        if lines[start : start + len(body)] == body:
            return name_units(units, unit.start, start + len(body))
    return None


def keep_outputs(old: nbformat.NotebookNode, new: nbformat.NotebookNode) -> None:
    """Gives the cells of `new` the ids of the cells of `old` that stand in their places, and,
    where the code is the same, their outputs."""
    kept_cells = authored_cells(old)
    before = [(cell.cell_type, cell.source) for cell in kept_cells]
    after = [(cell.cell_type, cell.source) for cell in new.cells]
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for kind, i1, i2, j1, j2 in matcher.get_opcodes():
        if kind not in ("equal", "replace"):
            continue
        for cell, kept in zip(new.cells[j1:j2], kept_cells[i1:i2], strict=False):
            cell.id = kept.id
            if kind == "equal" and cell.cell_type == "code":
                cell.outputs, cell.execution_count = kept.outputs, kept.execution_count
