"""How the code lies on the page: no long run of it without prose, and long imports by themselves.

A generated cell (tools/generated.py) is no prose, and a folded cell is no code to read.
"""

from itertools import groupby

import nbformat

from cells import FOLD_TAG, FOLD_TAGS, count_lines, fold_reason, mirrored_body, mirrored_path
from nbfile import authored_cells
from units import split_units

LONGEST_RUN = 40  # lines
MOST_IMPORTS = 8  # lines of them among other code


def check_page(notebook: nbformat.NotebookNode, name: str) -> list[str]:
    """Returns a sentence for each place of a notebook that a reader would not get through."""
    failures = []
    for is_code, group in groupby(authored_cells(notebook), lambda cell: cell.cell_type == "code"):
        group = list(group)
        failures += [failure for cell in group for failure in check_fold_tags(cell, name)]
        cells = [cell for cell in group if is_code and fold_reason(cell) is None]
        length = sum(count_lines(cell.source) for cell in cells)
        if length > LONGEST_RUN:
            places = " to ".join(dict.fromkeys([cells[0].id, cells[-1].id]))
            failures.append(
                f"{name} cell {places}: {length} lines of code without prose between, "
                f"at most {LONGEST_RUN} are read at once"
            )
        for cell in cells:
            imports = count_imports(cell.source)
            if imports > MOST_IMPORTS:
                failures.append(
                    f"{name} cell {cell.id}: {imports} lines of imports among other code; "
                    "in a cell of their own they are folded"
                )
    return failures


def check_fold_tags(cell: nbformat.NotebookNode, name: str) -> list[str]:
    """Returns a sentence for each tag that folds for a reason which a reader is never told."""
    tags = [tag for tag in cell.metadata.get("tags", []) if tag.startswith(FOLD_TAG)]
    return [
        f"{name} cell {cell.id}: the tag {tag} is none of: {', '.join(FOLD_TAGS)}"
        for tag in tags
        if tag not in FOLD_TAGS
    ]


def count_imports(source: str) -> int:
    """Returns how many lines a code cell's imports fill."""
    try:
        units = split_units(source if mirrored_path(source) is None else mirrored_body(source))
    except SyntaxError:  # a magic, or a fault that is shown
        return 0
    imports = [unit for unit in units if unit.key.startswith(("import:", "from:"))]
    return sum(unit.end - unit.start + 1 for unit in imports)
