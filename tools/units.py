"""The units of a Python file: its top-level statements, each with a name.

A unit is one top-level statement with the comment and decorator lines above it.
Together the units of a file hold every one of its non-blank lines, in order.
A unit's key says what it defines:

    __doc__                      the module's docstring
    import:numpy                 import numpy as np
    from:minijax.core.tracing    from minijax.core.tracing import Primitive, Trace
    jvp                          def jvp(...), class jvp, jvp = ...
    primitive_jvps[sin_p]        primitive_jvps[sin_p] = ...
    def_impl(sin_p)              def_impl(sin_p, np.sin)
    sin_p.def_impl               sin_p.def_impl(np.sin)
    for:[sin_p,cos_p]            for p in [sin_p, cos_p]: ...
    if:TYPE_CHECKING             if TYPE_CHECKING: ...

A key that occurs again gets a number: `def_impl(sin_p)#2`.
"""

import ast
import difflib
from collections import Counter
from dataclasses import dataclass

KEY_LENGTH = 60


@dataclass(frozen=True)
class Unit:
    """One top-level statement; `start` and `end` are line numbers from 1, both included."""

    key: str
    start: int
    end: int


def split_units(source: str, seen: Counter | None = None) -> list[Unit]:
    """Returns the units of `source`, in order.

    `seen` counts the keys given so far; pass the same Counter for several pieces of one file
    so that repeated keys are numbered over all pieces. Raises SyntaxError.

    >>> [unit.key for unit in split_units("import numpy as np\\n\\n# twice\\ndef f(): pass\\n")]
    ['import:numpy', 'f']
    """
    seen = Counter() if seen is None else seen
    lines = source.split("\n")
    units: list[Unit] = []
    for position, statement in enumerate(ast.parse(source).body):
        end = statement.end_lineno
        if units and statement.lineno <= units[-1].end:  # two statements on one line
            units[-1] = Unit(units[-1].key, units[-1].start, max(end, units[-1].end))
            continue
        start = first_non_blank(lines, units[-1].end if units else 0)
        name = "__doc__" if position == 0 and is_docstring(statement) else statement_key(statement)
        seen[name] += 1
        key = name if seen[name] == 1 else f"{name}#{seen[name]}"
        units.append(Unit(key, start, end))
    if units:
        last = max(number for number, line in enumerate(lines, 1) if line.strip())
        units[-1] = Unit(units[-1].key, units[-1].start, last)
    return units


def first_non_blank(lines: list[str], after: int) -> int:
    return next(n for n, line in enumerate(lines, 1) if n > after and line.strip())


def is_docstring(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def statement_key(statement: ast.stmt) -> str:
    """Returns the key of one statement, without the number of a repeated one."""
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            key = name
        case ast.Import(names=names):
            key = "import:" + ",".join(alias.name for alias in names)
        case ast.ImportFrom(module=module, level=level):
            key = "from:" + "." * level + (module or "")
        case ast.Assign(targets=targets):
            key = "=".join(map(ast.unparse, targets))
        case ast.AnnAssign(target=target):
            key = ast.unparse(target)
        case ast.AugAssign(target=target):
            key = ast.unparse(target) + "+="
        case ast.Expr(value=ast.Call(func=ast.Name(id=name), args=[first, *_])):
            key = f"{name}({ast.unparse(first)})"
        case ast.Expr(value=ast.Call(func=function)):
            key = ast.unparse(function)
        case ast.For(iter=iterated):
            key = "for:" + ast.unparse(iterated)
        case ast.If(test=test):
            key = "if:" + ast.unparse(test)
        case ast.Try(body=[first, *_]):
            key = "try:" + statement_key(first)
        case ast.With(items=[first, *_]):
            key = "with:" + ast.unparse(first)
        case _:
            key = type(statement).__name__.lower() + ":" + ast.unparse(statement)
    return "".join(key.split())[:KEY_LENGTH]


def header_length(units: list[Unit]) -> int:
    """Returns how many units the file's opening has: its docstring and its first imports."""
    length = 0
    while length < len(units) and (
        units[length].key == "__doc__" or units[length].key.startswith(("import:", "from:"))
    ):
        length += 1
    return length


def select_units(units: list[Unit], names: list[str], path: str) -> list[Unit]:
    """Returns the run of units that `names` asks for.

    A name is a key; `A..B` is a range with both ends, either of which may be left out;
    HEADER is the docstring and the first imports. Raises ValueError where a name is unknown
    or the units do not follow one another in the file.
    """
    positions = {unit.key: position for position, unit in enumerate(units)}

    def position_of(key: str) -> int:
        if key not in positions:
            near = difflib.get_close_matches(key, positions, n=3, cutoff=0.4)
            hint = f"; close to it: {' '.join(near)}" if near else ""
            raise ValueError(f"{path} has no unit {key!r}{hint} (tools/mirror.py units {path})")
        return positions[key]

    chosen: list[int] = []
    for name in names:
        if name == "HEADER":
            chosen += range(header_length(units))
        elif ".." in name and name not in positions:
            first, _, last = name.partition("..")
            start = position_of(first) if first else 0
            stop = position_of(last) if last else len(units) - 1
            chosen += range(start, stop + 1)
        else:
            chosen.append(position_of(name))
    if not chosen:
        raise ValueError(f"{path}: {' '.join(names) or 'no name'} selects no unit")
    for before, after in zip(chosen, chosen[1:], strict=False):
        if after != before + 1:
            raise ValueError(
                f"{path}: {units[after].key} does not follow {units[before].key} in the file; "
                "a cell holds one run of the file's lines"
            )
    return [units[position] for position in chosen]


def name_units(units: list[Unit], start: int, end: int) -> list[str] | None:
    """Returns the shortest names for the units that fill lines `start` to `end`, or None."""
    chosen = [n for n, unit in enumerate(units) if start <= unit.start and unit.end <= end]
    if not chosen or units[chosen[0]].start != start or units[chosen[-1]].end != end:
        return None
    header = header_length(units)
    names = []
    if chosen[0] == 0 and header > 1 and len(chosen) >= header:
        names, chosen = ["HEADER"], chosen[header:]
    if len(chosen) > 2:
        return [*names, f"{units[chosen[0]].key}..{units[chosen[-1]].key}"]
    return [*names, *(units[position].key for position in chosen)]


def run_of_lines(source: str, units: list[Unit]) -> str:
    """Returns the text of `source` from the first of `units` to the last."""
    return "\n".join(source.split("\n")[units[0].start - 1 : units[-1].end])
