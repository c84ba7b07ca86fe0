"""`tools/mirror.py sync`: rewrites the mirrored cells from the files, unit by unit."""

from bisect import bisect_right
from collections import Counter
from pathlib import Path

from book import Cell, read_book
from cells import mirrored_source
from generated import write_generated
from nbfile import clear_outputs, write_notebook
from units import Unit, run_of_lines, split_units


def sync_book(root: Path) -> tuple[list[str], list[str]]:
    """Rewrites the mirrored cells below `root`; returns messages and failures.

    A file that fails (it has no cell, or it or a cell of it does not parse) is left alone.
    """
    book = read_book(root)
    messages, failures, left_alone = [], [], set()
    for path, text in book.files.items():
        try:
            messages += sync_file(path, text, book.cells_of(path))
        except ValueError as error:
            failures.append(str(error))
            left_alone |= {cell.notebook for cell in book.cells_of(path)}
    for cell in book.cells:
        if cell.path not in book.files:
            messages.append(remove(cell))
    for path, notebook in book.notebooks.items():
        own = [cell for cell in book.cells if cell.notebook == path]
        gone = {cell.node.id for cell in own if cell.removed}
        notebook.cells = [node for node in notebook.cells if node.id not in gone]
        if path not in left_alone:
            write_generated(notebook, path.stem, root)
        if write_notebook(path, notebook):
            to_run = gone or any(cell.rewritten for cell in own)
            todo = "; run it with tools/notebooks.py" if to_run else ""
            messages.append(f"{path.name}: written{todo}")
    return messages, failures


def sync_file(path: str, text: str, cells: list[Cell]) -> list[str]:
    """Rewrites the cells that mirror one file; returns messages.

    Raises ValueError where that cannot be done.
    """
    units = parse(text, path)
    if units and not cells:
        raise ValueError(
            f"{path}: in no chapter: write a cell that starts with '# {path}' for its "
            f"{len(units)} units: {' '.join(unit.key for unit in units)}"
        )
    places, messages = assign_units(path, units, read_homes(cells), cells)
    for number, cell in enumerate(cells):
        held = [unit for unit, place in zip(units, places, strict=True) if place == number]
        if not held:
            messages.append(remove(cell))
            continue
        source = mirrored_source(path, run_of_lines(text, held))
        if source != cell.node.source:
            cell.node.source = source
            cell.rewritten = True
            clear_outputs(cell.node)
            messages.append(f"{path}:{held[0].start}: {cell.place} is rewritten")
    return messages


def remove(cell: Cell) -> str:
    cell.removed = True
    return f"{cell.path}: {cell.place} is removed: nothing of it is left in the file"


def parse(source: str, where: str, seen: Counter | None = None) -> list[Unit]:
    try:
        return split_units(source, seen)
    except SyntaxError as error:
        raise ValueError(f"{where}, line {error.lineno}: does not parse: {error.msg}") from None


def read_homes(cells: list[Cell]) -> dict[str, int]:
    """Returns the number of the cell that holds each key: the first one."""
    home: dict[str, int] = {}
    seen: Counter = Counter()
    for number, cell in enumerate(cells):
        for unit in parse("\n".join(cell.lines), f"{cell.path}: {cell.place}", seen):
            home.setdefault(unit.key, number)
    return home


def assign_units(
    path: str, units: list[Unit], home: dict[str, int], cells: list[Cell]
) -> tuple[list[int], list[str]]:
    """Returns the cell of each unit, in order, and what is to be told about it.

    The cells hold the units in the file's order, so their numbers never fall. A unit whose home
    would break that has moved in the file: it joins the unit before it, as a new one does.
    """
    known = [(number, home[unit.key]) for number, unit in enumerate(units) if unit.key in home]
    staying = longest_rise(known)
    place, places, messages = -1, [], []
    for number, unit in enumerate(units):
        place = staying.get(number, join_cell(number, place, staying, len(cells)))
        places.append(place)
        if unit.key not in home:
            where = f"put in {cells[place].place}, which does not explain it yet"
            messages.append(f"{path}:{unit.start}: {unit.key} is new: {where}")
        elif place != home[unit.key]:
            where = f"moved from {cells[home[unit.key]].place} to {cells[place].place}"
            messages.append(f"{path}:{unit.start}: {unit.key} has another place: {where}")
    return places, messages


def join_cell(number: int, before: int, staying: dict[int, int], count: int) -> int:
    """Returns the cell for a unit that has none: one between its neighbours' that would be
    left empty (the unit was renamed, most likely), else that of the unit before it."""
    after = next((cell for n, cell in staying.items() if n > number), count)
    kept = set(staying.values())
    free = next((cell for cell in range(before + 1, after) if cell not in kept), None)
    if free is not None:
        return free
    return before if before >= 0 else after


def longest_rise(pairs: list[tuple[int, int]]) -> dict[int, int]:
    """Returns the longest run of `pairs`, in their order, whose second numbers never fall.

    >>> longest_rise([(0, 1), (1, 3), (2, 1), (3, 2)])
    {0: 1, 2: 1, 3: 2}
    """
    tails: list[int] = []  # the smallest last value of a rise of each length
    chains: list[list[tuple[int, int]]] = []
    for pair in pairs:
        length = bisect_right(tails, pair[1])
        chain = [*(chains[length - 1] if length else []), pair]
        tails[length : length + 1], chains[length : length + 1] = [pair[1]], [chain]
    return dict(chains[-1]) if chains else {}
