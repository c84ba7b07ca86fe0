"""Reading and writing the book's notebooks, and what their names and their cells' ids mean.

A notebook's file name starts with its label: a chapter's number, as in `05-forward.ipynb`, or an
appendix's letter, as in `A-errors.ipynb`. Labels sort as the book does, appendices last. A cell's
id is the notebook's name and a number, `05-forward-012`; a generated cell (tools/generated.py) has
an id such as `05-forward-012-at`, `05-forward-top`, `05-forward-exercises` or `05-forward-end`.
"""

import re
import warnings
from pathlib import Path

import nbformat

from cells import fold_reason

ROOT = Path(__file__).resolve().parent.parent
LABEL = re.compile(r"([0-9][0-9]|[A-Z])-")
GENERATED_ID = re.compile(r".+-(\d{3}-at|exercises|top|end)")
METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def notebook_paths(root: Path) -> list[Path]:
    """Returns the book's notebooks in their order: the chapters, then the appendices."""
    return sorted((root / "notebooks").glob("*.ipynb"), key=lambda path: path.name)


def chapter_label(notebook: Path) -> str:
    """Returns the label that a notebook's name starts with. Raises ValueError without one.

    >>> chapter_label(Path("05-forward.ipynb")), chapter_label(Path("A-errors.ipynb"))
    ('05', 'A')
    """
    match = LABEL.match(notebook.name)
    if match is None:
        raise ValueError(
            f"{notebook.name}: the name starts with no chapter, as 05-name.ipynb does, "
            "and no appendix, as A-name.ipynb does"
        )
    return match[1]


def is_appendix(label: str) -> bool:
    return label.isalpha()


def spell_label(label: str) -> str:
    """Returns a label as it stands in a sentence.

    >>> spell_label("05"), spell_label("A")
    ('chapter 05', 'appendix A')
    """
    return f"appendix {label}" if is_appendix(label) else f"chapter {label}"


def read_notebook(path: Path) -> nbformat.NotebookNode:
    """Returns the notebook in `path`, in its normal form."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", nbformat.warnings.MissingIDFieldWarning)
        notebook = nbformat.read(path, as_version=4)
    normalise(notebook, path.stem)
    return notebook


def write_notebook(path: Path, notebook: nbformat.NotebookNode) -> bool:
    """Writes `notebook` in its normal form; returns whether that changed the file."""
    normalise(notebook, path.stem)
    nbformat.validate(notebook)
    text = nbformat.writes(notebook, version=4) + "\n"
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return False
    path.write_text(text, encoding="utf-8")
    return True


def normalise(notebook: nbformat.NotebookNode, stem: str) -> None:
    """Cuts the metadata to kernel, language, tags and folds, and gives every cell a readable id.

    An id such as `05-forward-012` that a cell has already stays; other cells get free numbers,
    so a cell's id does not change when a cell is put before it. Generated cells keep their ids.
    """
    notebook.metadata = nbformat.from_dict(METADATA)
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    own_id = re.compile(rf"{re.escape(stem)}-(\d{{3}})")
    taken: set[str] = set()
    unnamed = []
    for cell in notebook.cells:
        cell.metadata = own_metadata(cell)
        if is_generated(cell):
            continue
        if own_id.fullmatch(cell.get("id", "")) and cell.id not in taken:
            taken.add(cell.id)
        else:
            unnamed.append(cell)
    number = max((int(own_id.fullmatch(name)[1]) for name in taken), default=0)
    for cell in unnamed:
        number += 1
        cell.id = f"{stem}-{number:03d}"


def own_metadata(cell: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Returns what a cell's metadata are to be: its tags, and that it is folded."""
    metadata = {}
    if cell.metadata.get("tags"):
        metadata["tags"] = list(cell.metadata.tags)
    if fold_reason(cell):
        metadata["jupyter"] = {"source_hidden": True}
    return nbformat.from_dict(metadata)


def is_generated(cell: nbformat.NotebookNode) -> bool:
    return cell.cell_type == "markdown" and bool(GENERATED_ID.fullmatch(cell.get("id", "")))


def authored_cells(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    """Returns the cells that an author wrote: all but the generated ones."""
    return [cell for cell in notebook.cells if not is_generated(cell)]


def read_exempt_cells(folder: Path) -> list[str]:
    """Returns the ids in `folder`'s exempt-cells.txt: the first word of each line."""
    lines = (folder / "exempt-cells.txt").read_text(encoding="utf-8").split("\n")
    return [line.split()[0] for line in lines if line.strip() and not line.startswith("#")]


def clear_outputs(cell: nbformat.NotebookNode) -> None:
    cell.outputs = []
    cell.execution_count = None
