"""Which cells a reader finds folded: those that only import.

A mirrored cell folds when it holds imports alone, the module's docstring above them or not; a cell
of a chapter's own when it holds more than LONG_IMPORTS lines of them and nothing else.
"""

from nbfile import mirrored_body, mirrored_path
from units import header_length, split_units

LONG_IMPORTS = 8  # lines


def folds(source: str) -> bool:
    """Returns whether a code cell with this source is folded.

    >>> folds("# minijax/core/forward.py\\nimport math"), folds("import math")
    (True, False)
    """
    mirrored = mirrored_path(source) is not None
    try:
        units = split_units(mirrored_body(source) if mirrored else source)
    except SyntaxError:  # a magic, or a fault that is shown
        return False
    only_header = header_length(units) == len(units)
    imports = [unit for unit in units if unit.key != "__doc__"]
    return only_header and bool(imports) and (mirrored or count_lines(source) > LONG_IMPORTS)


def count_lines(source: str) -> int:
    """Returns the number of lines that are not blank."""
    return sum(bool(line.strip()) for line in source.split("\n"))
