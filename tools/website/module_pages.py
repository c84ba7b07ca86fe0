"""The package as pages: one for each module, below an overview of all.

A module's page has its docstring and its public names, and below it lies a page with the source in
runs. Above each run stands a link to the cell of the book that explains it, where there is one. No
module is imported.

The search leaves out the sources, as book.toml says: they would be half of its index.
"""

from __future__ import annotations

from book import Book
from website.docstrings import as_markdown, escape
from website.library import Library, Module
from website.module_text import children_table, module_text, source_page_text
from website.package import PACKAGE
from website.pages import LINES, Page

OPENING = """# Modules

Every module of the package has a page: what it is for, its public names, and its source. Above each
piece of source that the book explains stands a link to the cell that does."""


def module_pages(book: Book) -> list[Page]:
    """Returns the overview; below it the package, and below a package the modules in it.

    A module's page has the path `modules/minijax.core.forward.md`, and the file for its source. On
    it, a public name has a heading with the name for its id. The first page below it has the path
    `sources/minijax.core.forward.md`; on it, each run of lines has an id such as `line-120`.
    """
    library = Library(book)

    def page_of(module: Module) -> Page:
        children = [page_of(library.modules[path]) for path in module.children]
        if module.runs:
            children.insert(0, source_page(library, module))
        return Page(
            title=module.path.rpartition(".")[2],
            path=f"modules/{module.path}.md",
            source=module.file,
            text=module_text(library, module),
            children=children,
        )

    root = page_of(library.modules[PACKAGE])
    return [Page("Modules", "modules.md", PACKAGE, overview(library), [root])]


def source_page(library: Library, module: Module) -> Page:
    path = f"sources/{module.path}.md"
    return Page("source", path, f"{module.file}{LINES}", source_page_text(library, module))


def overview(library: Library) -> str:
    """Returns the text of the page of all modules: a table for each package."""
    packages = [module for module in library.modules.values() if module.children]
    sections = [
        f"## {escape(package.path)}\n\n{as_markdown(package.docstring)}\n\n"
        + children_table(library, package, PACKAGE)
        for package in packages
    ]
    return "\n\n".join([OPENING, *sections]) + "\n"
