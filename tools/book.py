"""The mirrored files, the notebooks and their mirrored cells, as both mirror commands read them."""

from dataclasses import dataclass, field
from pathlib import Path

import nbformat

from cells import mirrored_body, mirrored_path
from nbfile import chapter_label, notebook_paths, read_notebook

MIRRORED_FOLDERS = ("minijax/core",)
# The compiler's taught ring. All else of the compiler is the engine room.
TAUGHT_RING = tuple(
    f"minijax/compiler/{name}.py"
    for name in """
    backend doors executable fallbacks generated_text kernel_functions lowerings named_in_text
    passes/identities passes/rewriting passes/simplify passes/sum_blocks
    kernels/elements kernels/fuse kernels/pieces kernels/layout kernels/loop_nests kernels/reuse
    kernels/row_major kernels/whole_loops maths/elementary maths/numba_functions
    maths/precisions maths/totals
    """.split()
)
# Of lax, the families that a chapter reads in full.
MIRRORED_FAMILIES = (
    "minijax/lax/reductions/extrema.py",
    "minijax/lax/indexing/gather_scatter.py",
    "minijax/lax/control_flow/conditionals.py",
    "minijax/lax/control_flow/scan.py",
    "minijax/lax/custom/derivatives.py",
    "minijax/lax/custom/checkpoint.py",
    "minijax/lax/outside/debugging.py",
    "minijax/lax/references/discharge.py",
)
# What else a chapter reads in full.
MIRRORED_ELSEWHERE = (
    "minijax/compiler/stablehlo/program_text.py",
    "minijax/export/exported.py",
    "minijax/compiler/passes/partition.py",
    "tests/examples/forward_laplacian/forward_laplacian.py",
)

# What an appendix uses of the chapters: those up to this one.
APPENDICES_AFTER = {"E": "04", "F": "17", "G": "16", "H": "14", "I": "16"}


@dataclass
class Cell:
    """A mirrored cell: where it stands, and the file that it mirrors."""

    notebook: Path
    node: nbformat.NotebookNode
    path: str
    rewritten: bool = False
    removed: bool = False

    @property
    def place(self) -> str:
        return f"{self.notebook.name} cell {self.node.id}"

    @property
    def chapter(self) -> str:
        return chapter_label(self.notebook)

    @property
    def lines(self) -> list[str]:
        return mirrored_body(self.node.source).split("\n")


@dataclass
class Book:
    """The files below `root` that are mirrored, and the notebooks with their mirrored cells."""

    root: Path
    files: dict[str, str] = field(default_factory=dict)  # path -> text
    notebooks: dict[Path, nbformat.NotebookNode] = field(default_factory=dict)
    cells: list[Cell] = field(default_factory=list)  # in the order of the book

    def cells_of(self, path: str) -> list[Cell]:
        return [cell for cell in self.cells if cell.path == path]

    def chapters_of_modules(self) -> dict[str, str]:
        """Returns the label of the first chapter that mirrors each module, by its dotted name."""
        chapters: dict[str, str] = {}
        for cell in self.cells:
            chapters.setdefault(module_name(cell.path), cell.chapter)
        return chapters


def read_book(root: Path) -> Book:
    book = Book(root)
    for file in mirrored_files(root):
        book.files[file.relative_to(root).as_posix()] = file.read_text(encoding="utf-8")
    for notebook in notebook_paths(root):
        book.notebooks[notebook] = read_notebook(notebook)
        for node in book.notebooks[notebook].cells:
            path = mirrored_path(node.source) if node.cell_type == "code" else None
            if path is not None:
                book.cells.append(Cell(notebook, node, path))
    return book


def mirrored_files(root: Path) -> list[Path]:
    """Returns the files below `root` of which every line is to stand in the book."""
    found = [
        file
        for folder in MIRRORED_FOLDERS
        for file in sorted((root / folder).rglob("*.py"))
        if file.name != "__init__.py"
    ]
    named = (*TAUGHT_RING, *MIRRORED_FAMILIES, *MIRRORED_ELSEWHERE)
    return found + [root / path for path in named if (root / path).is_file()]


def module_name(path: str) -> str:
    """Returns a file's dotted name.

    >>> module_name("minijax/core/forward.py"), module_name("minijax/core/__init__.py")
    ('minijax.core.forward', 'minijax.core')
    """
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
