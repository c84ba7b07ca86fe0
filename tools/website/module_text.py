"""The text of a module's pages: docstring and names, and its source."""

from __future__ import annotations

import posixpath

import griffe

from book import Cell
from website.docstrings import as_markdown, escape, first_sentence
from website.library import Library, Module, docstring_of
from website.markdown import fence
from website.outlines import outline
from website.package import Name
from website.source_runs import Run


def module_text(library: Library, module: Module) -> str:
    """Returns the Markdown of a module's page."""
    sections = [
        f"# {escape(module.path)}",
        chapters_line(library, module),
        source_line(module),
        as_markdown(module.docstring),
        section("Modules in it", "modules-in-it", children_table(library, module, module.file)),
        section("Public names", "public-names", names_text(library, module)),
        section("From other modules", "from-other-modules", others_table(library, module)),
    ]
    return "\n\n".join(filter(None, sections)) + "\n"


def section(title: str, id: str, text: str) -> str:
    """Returns a section; nothing where there is nothing in it."""
    return f"## {title} {{#{id}}}\n\n{text}" if text else ""


def link(source: str, label: str, file: str, fragment: str = "") -> str:
    """Returns a link from the page of the file `source` to that of another.

    >>> link("minijax/core/forward.py", "05", "notebooks/05-forward.ipynb", "05-forward-012")
    '[05](../../notebooks/05-forward.ipynb#05-forward-012)'
    """
    target = posixpath.relpath(file, posixpath.dirname(source) or ".")
    return f"[{label}]({target}{fragment and '#'}{fragment})"


def chapter_link(library: Library, source: str, cell: Cell, fragment: str = "") -> str:
    file = f"notebooks/{cell.notebook.name}"
    return link(source, escape(library.title_of(cell)), file, fragment)


def chapters_of(library: Library, source: str, module: Module) -> str:
    """Returns links to the notebooks that hold a module's lines."""
    links = [chapter_link(library, source, cell) for cell in module.cells]
    return ", ".join(dict.fromkeys(links))


def chapters_line(library: Library, module: Module) -> str:
    chapters = chapters_of(library, module.file, module)
    return f"Read in {chapters}." if chapters else ""


def spell_lines(start: int, end: int) -> str:
    """Returns lines as they stand in a sentence.

    >>> spell_lines(3, 5), spell_lines(3, 3)
    ('lines 3 to 5', 'line 3')
    """
    return f"line {start}" if start == end else f"lines {start} to {end}"


# Tables.


def table(heads: list[str], rows: list[list[str]]) -> str:
    """Returns a table, without the columns that are empty."""
    full = [n for n in range(len(heads)) if any(row[n] for row in rows)]
    kept = [[row[n] for n in full] for row in (heads, ["---"] * len(heads), *rows)]
    return "\n".join("| " + " | ".join(row) + " |" for row in kept)


def children_table(library: Library, module: Module, source: str) -> str:
    """Returns a table of what is in a package, for the page of the file `source`."""
    children = [library.modules[path] for path in module.children]
    rows = [
        [
            link(source, escape(child.path.rpartition(".")[2]), child.file),
            first_sentence(child.docstring),
            chapters_of(library, source, child),
        ]
        for child in children
    ]
    return table(["module", "what it is", "read in"], rows) if rows else ""


def others_table(library: Library, module: Module) -> str:
    """Returns a table of the names that a module shows and others define, with a filter."""
    rows = [other_row(library, module, name) for name in module.others]
    if not rows:
        return ""
    found = table(["name", "defined in", "what it is"], rows)
    return f'<div class="searchable">\n\n{found}\n\n</div>'


def other_row(library: Library, module: Module, name: Name) -> list[str]:
    home, there = library.home_of(name), name.object.name
    listed = any(each.name == there for each in home.names)
    fragment = there if listed else f"line={home.run_of(name).start - 1}"
    place = link(module.file, escape(home.path), home.file)
    return [
        link(module.file, f"`{name.name}`", home.file, fragment),
        place if there == name.name else f"{place}, as `{there}`",
        first_sentence(docstring_of(name.object)),
    ]


# Names.


def names_text(library: Library, module: Module) -> str:
    return "\n\n".join(name_text(library, module, name) for name in module.names)


def name_text(library: Library, module: Module, name: Name) -> str:
    """Returns a name's heading, where it is explained and defined, its first lines, its words."""
    thing = name.object
    blocks = [
        f"### {escape(name.name)} {{#{name.name}}}",
        place_text(library, module, thing, module.run_of(name)),
        fence(outline(thing.source), "python"),
        as_markdown(docstring_of(thing)),
    ]
    if thing.is_class:
        blocks += methods_text(thing)
    return "\n\n".join(filter(None, blocks))


def place_text(library: Library, module: Module, thing: griffe.Object, run: Run) -> str:
    words = spell_lines(thing.lineno, thing.endlineno)
    lines = link(module.file, words, module.file, f"line={run.start - 1}")
    if run.cell is None:
        return lines
    chapter = chapter_link(library, module.file, run.cell, run.cell.node.id)
    return f"explained in {chapter}, {lines}"


def methods_text(cls: griffe.Class) -> list[str]:
    """Returns the docstrings of the methods and properties that a class shows."""
    own = [(name, member) for name, member in cls.members.items() if not member.is_alias]
    return [
        f"`{name}`: {as_markdown(docstring_of(member))}"
        for name, member in own
        if member.docstring and not name.startswith("_")
    ]


# Source.


def source_line(module: Module) -> str:
    """Returns the link to a module's source; nothing where the file is empty."""
    if not module.runs:
        return ""
    first, last = module.runs[0].start, module.runs[-1].end
    return link(module.file, f"The source, {last} lines", module.file, f"line={first - 1}") + "."


def source_page_text(library: Library, module: Module) -> str:
    """Returns the Markdown of the page of a module's source."""
    blocks = [
        f"# {escape(module.path)}: the source",
        link(module.file, "What it is for, and its names", module.file) + ".",
        *(run_text(library, module, run) for run in module.runs),
    ]
    return "\n\n".join(blocks) + "\n"


def run_text(library: Library, module: Module, run: Run) -> str:
    """Returns a run of the source, with a link to the cell that explains it."""
    words = spell_lines(run.start, run.end)
    if run.cell is not None:
        words += ": " + chapter_link(library, module.file, run.cell, run.cell.node.id)
    code = fence("\n".join(module.lines[run.start - 1 : run.end]), "python")
    return (
        f'<div class="run" id="line-{run.start}">\n<div class="explained">\n\n{words}\n\n</div>\n\n'
        f"{code}\n\n</div>"
    )
