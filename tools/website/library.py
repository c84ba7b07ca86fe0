"""The modules of the package, each with its names and its runs, and the book that explains them."""

from __future__ import annotations

from dataclasses import dataclass

import griffe

from book import Book, Cell
from contents import read_entries, shorten
from website.package import Name, modules_in, modules_of, public_names, read_package
from website.source_runs import Run, find_runs, run_at

# Packages whose files are empty.
WORDS = {
    "minijax.compiler": "The compiler: a program becomes loops, and loops become native code.",
    "minijax.core": "The machine: traces and tracers, programs, and all that transforms them.",
}


@dataclass
class Module:
    """A module as its page shows it.

    Attributes:
      path: the dotted name.
      file: from the repository's root.
      lines: of the file.
      docstring: or a sentence of `WORDS`.
      names: the public names that it defines, in the order of their lines.
      others: those that it shows, and another module defines.
      runs: of its source.
      children: the dotted names of the modules in it.
    """

    path: str
    file: str
    lines: list[str]
    docstring: str
    names: list[Name]
    others: list[Name]
    runs: list[Run]
    children: list[str]

    def run_of(self, name: Name) -> Run:
        """Returns the run in which a name of this module is defined."""
        return run_at(self.runs, name.object.lineno)

    @property
    def cells(self) -> list[Cell]:
        """The cells that hold its lines."""
        return [run.cell for run in self.runs if run.cell is not None]


class Library:
    """All modules.

    Attributes:
      modules: by their dotted names, a package before what is in it.
      titles: of the notebooks, short ones, by file name.
    """

    def __init__(self, book: Book) -> None:
        modules = modules_of(read_package(book.root))
        self.modules = {module.path: describe(book, module) for module in modules}
        self.titles = {file: shorten(title) for title, file in read_entries(book.root)}

    def title_of(self, cell: Cell) -> str:
        """Returns the short title of a cell's notebook."""
        return self.titles.get(cell.notebook.name, cell.notebook.stem)

    def home_of(self, name: Name) -> Module:
        return self.modules[name.home.path]


def describe(book: Book, module: griffe.Module) -> Module:
    """Returns a module as its page shows it."""
    file = module.filepath.relative_to(book.root).as_posix()
    text = module.filepath.read_text(encoding="utf-8")
    names = public_names(module)
    own = [name for name in names if name.home is module]
    return Module(
        path=module.path,
        file=file,
        lines=text.split("\n"),
        docstring=docstring_of(module) or WORDS.get(module.path, ""),
        names=own,
        others=[name for name in names if name.home is not module],
        runs=find_runs(book, file, text, [name.object.lineno for name in own]),
        children=[child.path for child in modules_in(module)],
    )


def docstring_of(thing: griffe.Object) -> str:
    return thing.docstring.value if thing.docstring else ""
