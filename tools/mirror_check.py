"""`tools/mirror.py check`: the failures of the book, each with file, line, notebook and cell."""

import ast
import difflib
from pathlib import Path

import nbformat

from book import APPENDICES_AFTER, Book, Cell, module_name, read_book
from cells import find_run
from generated import check_generated
from nbfile import chapter_label, is_appendix, spell_label
from page_check import check_page

FINISHED_PACKAGE = "finished-package"
FINISHED_FAULT = (
    f" of the finished package; a cell that shows it carries the tag {FINISHED_PACKAGE}"
)


def check_book(root: Path) -> list[str]:
    """Returns one sentence for each failure of the book below `root`."""
    return find_failures(read_book(root))


def find_failures(book: Book) -> list[str]:
    failures = []
    for cell in book.cells:
        if cell.path not in book.files:
            failures.append(f"{cell.path}: {cell.place} mirrors it, but it is no mirrored file")
    for path, text in book.files.items():
        failures += check_file(path, text.split("\n"), book.cells_of(path))
    if not failures:
        for path, notebook in book.notebooks.items():
            failures += check_generated(notebook, path, book.root)
    for path, notebook in book.notebooks.items():
        failures += check_page(notebook, path.name)
    for notebook in book.notebooks:
        failures += check_imports(book, notebook)
    return failures


def check_file(path: str, lines: list[str], cells: list[Cell]) -> list[str]:
    """Returns what is wrong between a file and the cells that mirror it, given in book order."""
    failures = []
    holders: list[list[Cell]] = [[] for _ in lines]
    previous: tuple[int, Cell] | None = None
    after = 0
    for cell in cells:
        start, matched, drifts = place_cell(path, lines, cell, after)
        failures += drifts
        for number in matched:
            holders[number].append(cell)
        if start is None:
            continue
        if previous is not None and start < previous[0]:
            failures.append(
                f"{path}:{start + 1}: wrong order: {cell.place} stands after {previous[1].place}, "
                f"which starts at line {previous[0] + 1}"
            )
        previous, after = (start, cell), matched.stop
    failures += count_holders(path, lines, holders)
    chapters = {cell.notebook.name: cell for cell in cells}
    if len(chapters) > 1:
        places = " and ".join(cell.place for cell in chapters.values())
        failures.append(f"{path}: mirrored by more than one chapter: {places}")
    return failures


def place_cell(
    path: str, lines: list[str], cell: Cell, after: int
) -> tuple[int | None, range, list[str]]:
    """Finds the run of a file's lines that a cell holds; lines count from 0.

    Returns the run's first line (None where the cell holds nothing of the file), the lines that
    the cell stands for, and the failures. Of several equal runs, the first from line `after`.
    """
    body = cell.lines
    start = find_run(lines, body, after)
    if start is not None:
        return start, range(start, start + len(body)), []
    matcher = difflib.SequenceMatcher(None, lines, body, autojunk=False)
    blocks = near_blocks(matcher.get_matching_blocks(), body)
    if not blocks:
        return None, range(0), [f"{path}: {cell.place} holds nothing of the file: {body[0]!r}"]
    # The cell's first and last lines may have drifted too: count from the outermost equal ones.
    start = max(0, blocks[0].a - blocks[0].b)
    end = min(len(lines), blocks[-1].a + len(body) - blocks[-1].b)
    return start, range(start, end), describe_drift(path, lines[start:end], start, cell)


def near_blocks(blocks: list[difflib.Match], body: list[str]) -> list[difflib.Match]:
    """Returns the blocks with text that lie about where the longest one does."""
    blocks = [block for block in blocks if any(body[block.b : block.b + block.size])]
    longest = max(blocks, key=lambda block: block.size, default=None)
    slack = max(3, len(body) // 2)
    return [
        block
        for block in blocks
        if abs((block.a - block.b) - (longest.a - longest.b)) <= slack
    ]


def describe_drift(path: str, lines: list[str], start: int, cell: Cell) -> list[str]:
    """Returns a sentence for each place where a cell differs from the lines it stands for."""
    failures = []
    body = cell.lines
    matcher = difflib.SequenceMatcher(None, lines, body, autojunk=False)
    for kind, i1, i2, j1, j2 in matcher.get_opcodes():
        if kind != "equal":
            in_file = "\n".join(lines[i1:i2]) if i1 < i2 else "no such line"
            in_cell = "\n".join(body[j1:j2]) if j1 < j2 else "no such line"
            failures.append(
                f"{path}:{start + i1 + 1}: drifted from {cell.place}, line {j1 + 2}: "
                f"the file has {in_file!r}, the cell has {in_cell!r}"
            )
    return failures


def count_holders(path: str, lines: list[str], holders: list[list[Cell]]) -> list[str]:
    """Returns the failures of the non-blank lines that no cell holds, or more than one."""
    failures: list[str] = []
    described: list[Cell] | None = None
    for number, (line, cells) in enumerate(zip(lines, holders, strict=True), 1):
        if not line.strip():
            continue
        if len(cells) == 1:
            described = None
        elif cells != described:  # one sentence for a run of lines with the same trouble
            described = cells
            if cells:
                places = " and ".join(cell.place for cell in cells)
                failures.append(f"{path}:{number}: in two cells: {places}: {line!r}")
            else:
                failures.append(f"{path}:{number}: in no chapter: {line!r}")
    return failures


def check_imports(book: Book, notebook: Path) -> list[str]:
    """Returns the imports of a chapter that it may not make."""
    failures = []
    chapters = book.chapters_of_modules()
    files = {module_name(path) for path in book.files}
    label = chapter_label(notebook)
    builds = is_appendix(label) or any(cell.notebook == notebook for cell in book.cells)
    for node in book.notebooks[notebook].cells:
        tags = node.metadata.get("tags", [])
        if node.cell_type != "code" or FINISHED_PACKAGE in tags:
            continue
        place = f"{notebook.name} cell {node.id}"
        try:
            imports = imported_modules(node, files)
        except SyntaxError as error:
            if "raises-exception" in tags:
                continue
            failures.append(f"{place}, line {error.lineno}: does not parse: {error.msg}")
            continue
        for module, line in imports:
            if module in files:
                fault = fault_of_use(label, chapters.get(module))
            else:
                fault = FINISHED_FAULT if builds else None
            if fault is not None:
                failures.append(f"{place}, line {line}: imports {module}{fault}")
    return failures


def fault_of_use(label: str, used: str | None) -> str | None:
    """Returns what is wrong when chapter `label` imports a module of chapter `used`, or None.

    Anybody may use what stands no later. An appendix stands before the first chapter, but for
    those in `APPENDICES_AFTER`.
    """
    if used is None:
        return ", in no chapter yet"
    if place_in_order(used) <= place_in_order(label):
        return None
    return f", which comes later, in {spell_label(used)}"


def place_in_order(label: str) -> tuple[str, bool]:
    """Returns where a chapter or an appendix stands, for comparing.

    >>> place_in_order("A") < place_in_order("01"), place_in_order("E") < place_in_order("04")
    (True, False)
    """
    return (APPENDICES_AFTER.get(label, "00"), True) if is_appendix(label) else (label, False)


def imported_modules(node: nbformat.NotebookNode, files: set[str]) -> list[tuple[str, int]]:
    """Returns the modules of minijax that a cell imports, with the line of each import."""
    found = []
    for statement in ast.walk(ast.parse(without_magics(node.source))):
        if isinstance(statement, ast.Import):
            names = [alias.name for alias in statement.names]
        elif isinstance(statement, ast.ImportFrom) and statement.module:
            base = statement.module
            inside = [f"{base}.{alias.name}" for alias in statement.names]
            names = [name if name in files else base for name in inside]
        else:
            continue
        found += [
            (name, statement.lineno)
            for name in dict.fromkeys(names)
            if name == "minijax" or name.startswith("minijax.")
        ]
    return found


def without_magics(source: str) -> str:
    """Returns a cell's source with IPython's `%`, `!` and `?` lines made into comments.

    A cell that starts with `%%` is Python below its first line, unless it names a language.

    >>> without_magics("%matplotlib inline\\nx = 1")
    '#matplotlib inline\\nx = 1'
    """
    lines = source.split("\n")
    return "\n".join(
        "#" + line[1:] if line.startswith(("%", "!", "?")) else line for line in lines
    )
