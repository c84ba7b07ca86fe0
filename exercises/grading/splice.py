"""Splicing: a student's definitions take the place of those of the same name in a module.

What they need goes with them: helpers, imports, and statements that mention them, such as
`primitive_jvps[cbrt_p] = cbrt_jvp`. Each line remembers where it came from, so that a traceback can
be told in the student's lines.
"""

from __future__ import annotations
import __future__

import ast
import contextlib
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from exercises.grading import source


class Line(NamedTuple):
    text: str
    number: int | None  # in the student's file; None: the module's own


class Missing(Exception):
    """The student's file lacks a definition that the task asks for."""


class Piece(NamedTuple):
    """What of a student's file belongs to a task."""

    wanted: dict[str, ast.stmt]  # name or Class.method -> its definition
    others: list[ast.stmt]  # in the file's order: what it uses, and what is done with it


# A file's statements: the names that they define, and those that they use.


def bound(statement: ast.stmt) -> set[str]:
    if is_definition(statement):
        return {statement.name}
    if is_import(statement):
        return {alias.asname or alias.name.split(".")[0] for alias in statement.names}
    targets = getattr(statement, "targets", [getattr(statement, "target", None)])
    nodes = [node for target in targets if target for node in ast.walk(target)]
    return {
        node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def mentioned(statement: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}


def is_import(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Import | ast.ImportFrom)


def is_definition(statement: ast.stmt) -> bool:
    """Of a function or a class."""
    return isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)


def acted_on(statement: ast.stmt) -> set[str]:
    """The names with which it does something: by being run, or by a decorator."""
    if bound(statement) and not isinstance(statement, ast.For):
        decorators = getattr(statement, "decorator_list", [])
        return {name for decorator in decorators for name in mentioned(decorator)}
    names = mentioned(statement) - bound(statement)
    return set() if "__name__" in names else names


# What belongs to a task.


def find_piece(
    tree: ast.Module, defines: Sequence[str], others: Collection[str], there: Collection[str]
) -> Piece:
    """What of a student's file belongs to these definitions.

    `others` are names that other tasks define: the reference has them. What is `there` in the
    module is not imported once more.

    Raises:
      Missing: one of the definitions is not there, or is only imported.
    """
    defined = {name: statement for statement in tree.body for name in bound(statement)}
    wanted = {name: definition(defined, name) for name in defines}
    taken = [defined[name.split(".")[0]] for name in defines]
    theirs = [defined[name] for name in others if name in defined]
    kept_out = [s for s in theirs if not is_import(s)]  # an import may bring other names too
    kept_out += [s for s in tree.body if is_future(s) or is_superseded(s, defined, defines)]
    free = [s for s in tree.body if s not in taken and s not in kept_out]
    comes_with: dict[str, list[ast.stmt]] = {}
    for statement in free:
        for name in bound(statement) - (set(there) if is_import(statement) else set()):
            comes_with.setdefault(name, []).append(statement)
        for name in acted_on(statement):
            if name in defined and not is_import(defined[name]):
                comes_with.setdefault(name, []).append(statement)
    found, looked_up = set(taken), set(others)
    for statement in taken:  # grows on the way
        new = (mentioned(statement) | bound(statement)) - looked_up
        looked_up |= new
        more = [s for name in sorted(new) for s in comes_with.get(name, ())]
        taken += [s for s in dict.fromkeys(more) if s not in found]
        found.update(more)
    return Piece(wanted, [s for s in free if s in found])


def is_superseded(
    statement: ast.stmt, defined: dict[str, ast.stmt], defines: Sequence[str]
) -> bool:
    """Whether a function or a class is defined once more further down, which is what counts. What
    a decorator has noted, such as a rule of the name `_`, counts all the same."""
    if not is_definition(statement) or not is_definition(last := defined[statement.name]):
        return False
    is_wanted = statement.name in [name.split(".")[0] for name in defines]
    return last is not statement and (is_wanted or not statement.decorator_list)


def definition(defined: dict[str, ast.stmt], name: str) -> ast.stmt:
    outer, _, method = name.partition(".")
    found = defined.get(outer)
    if found is None:
        raise Missing(f"exercise.py does not define {outer}")
    if is_import(found):
        raise Missing(f"exercise.py imports {outer}, and does not define it")
    inner = found if not method else find_method(found, method)
    if inner is None:
        raise Missing(f"the class {outer} of exercise.py does not define {method}")
    return inner


def find_method(statement: ast.stmt, name: str) -> ast.stmt | None:
    body = getattr(statement, "body", [])
    return next((s for s in reversed(body) if name in bound(s)), None)


def find_in(tree: ast.Module, name: str) -> ast.stmt | None:
    """Where a module defines a name, or a class's method."""
    outer, _, method = name.partition(".")
    for statement in reversed(tree.body):
        if outer in bound(statement) and not is_import(statement):
            return find_method(statement, method) if method else statement
    return None


@contextlib.contextmanager
def told_as_no_python(text: str) -> Iterator[None]:
    """Where something is missing in a student's file that is no Python, a SyntaxError says that."""
    try:
        yield
    except Missing:
        ast.parse(text)
        raise


# Lines.


def begin(statement: ast.stmt) -> int:
    """The first line, from 1, decorators included."""
    return min([statement.lineno, *(d.lineno for d in getattr(statement, "decorator_list", []))])


def lines_of(text: Sequence[str], statement: ast.stmt) -> list[Line]:
    end = statement.end_lineno or statement.lineno
    return [Line(text[k - 1], k) for k in range(begin(statement), end + 1)]


def indented_as(line: str, lines: Sequence[Line], statement: ast.stmt) -> list[Line]:
    """A statement's lines with the margin of the line whose place it takes: a method may stand at
    another one in the student's class. What is inside of a text over several lines stays."""
    theirs, ours = margin(lines[0].text), margin(line)
    texts = (node for node in ast.walk(statement) if isinstance(node, ast.Constant | ast.JoinedStr))
    inside = {k for text in texts for k in range(text.lineno + 1, (text.end_lineno or 0) + 1)}
    return [
        Line(ours + each.text.removeprefix(theirs), each.number)
        if each.number not in inside and each.text.startswith(theirs) else each
        for each in lines
    ]  # fmt: skip


def margin(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def splice(
    module_text: str, student_text: str, defines: Sequence[str],
    others: Collection[str] = (),
) -> list[Line]:  # fmt: skip
    """The module's lines with the student's definitions in them.

    What the module has is replaced where it stands. What is new comes last, in the student's order;
    beside pieces that all replace something it follows the imports, for the module may call them
    while it is imported, unless it needs what has been replaced.

    Raises:
      Missing: the student's file lacks a definition.
      SyntaxError: it may stand in what of the student's file is no Python.

    >>> for line in splice("import a\\ndef f(): 1\\ndef g(): 2", "def g(): 3 + k\\nk = 1", ["g"]):
    ...     print(line)
    Line(text='import a', number=None)
    Line(text='k = 1', number=2)
    Line(text='def f(): 1', number=None)
    Line(text='def g(): 3 + k', number=1)
    """
    tree, student = ast.parse(module_text), source.parse(student_text)
    there = {name for s in tree.body for name in bound(s)}
    with told_as_no_python(student_text):
        piece = find_piece(student, defines, others, there)
    own = [(min(bound(s), default=""), s) for s in piece.others if not is_import(s)]
    new = [s for s in piece.others if is_import(s)]
    changes: list[tuple[int, int, ast.stmt]] = []
    for name, statement in [*own, *piece.wanted.items()]:
        old = find_in(tree, name)
        if old is None:
            new.append(statement)
        else:
            changes.append((begin(old) - 1, old.end_lineno or 0, statement))
    theirs = source.lines(student_text)
    spliced = [Line(text, None) for text in source.lines(module_text)]
    for first, end, statement in sorted(changes, key=lambda change: change[0], reverse=True):
        own = lines_of(theirs, statement)
        spliced[first:end] = indented_as(spliced[first].text, own, statement)
    new.sort(key=begin)
    replaced = {name.split(".")[0] for name in [*piece.wanted, *dict(own)] if find_in(tree, name)}
    replaces_all = all(find_in(tree, name) for name in piece.wanted)
    late = needing(new, replaced) if replaces_all else new
    spliced += [line for s in late for line in lines_of(theirs, s)]
    place = after_imports(tree)
    spliced[place:place] = [line for s in new if s not in late for line in lines_of(theirs, s)]
    spliced[after_text(tree):after_text(tree)] = future(tree, student, theirs)
    return spliced


def needing(statements: Sequence[ast.stmt], names: Collection[str]) -> list[ast.stmt]:
    """Those that need names while the module is run, and those that need what they define."""
    late: list[ast.stmt] = []
    known = set(names)
    for statement in statements:
        if run_at_once(statement) & known:
            late.append(statement)
            known |= bound(statement)
    return late


def run_at_once(statement: ast.stmt) -> set[str]:
    """The names that a statement needs when the module is run: of a function, not the body's."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
        parts = [*statement.decorator_list, *statement.args.defaults,
                 *filter(None, statement.args.kw_defaults)]  # fmt: skip
        return {name for part in parts for name in mentioned(part)}
    if isinstance(statement, ast.ClassDef):
        parts = [*statement.decorator_list, *statement.bases, *statement.keywords]
        inner = {name for s in statement.body for name in run_at_once(s)}
        return inner | {name for part in parts for name in mentioned(part)}
    return mentioned(statement)


def is_future(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.ImportFrom) and statement.module == "__future__"


def is_known(statement: ast.ImportFrom) -> bool:
    return all(alias.name in __future__.all_feature_names for alias in statement.names)


def future(tree: ast.Module, student: ast.Module, text: Sequence[str]) -> list[Line]:
    """`from __future__ import annotations`, where the student has it and the module has not."""
    if any(map(is_future, tree.body)):
        return []
    known = [s for s in student.body if is_future(s) and is_known(s)]
    return [line for s in known for line in lines_of(text, s)]


def after_text(tree: ast.Module) -> int:
    """Where a module's docstring ends."""
    has_text = ast.get_docstring(tree) is not None
    return tree.body[0].end_lineno or 0 if has_text else 0


def after_imports(tree: ast.Module) -> int:
    return max((s.end_lineno or 0 for s in tree.body if is_import(s)), default=0)
