"""What a script needs of JAX and is missing here, by its text alone: nothing is run.

Imports say which names stand for modules of JAX and what is in them; every `lax.psend` is then
looked up. What is asked of arrays (`x.view`) can't be known so.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from minijax.face.planned import is_planned, sentence
from minijax.face.runtime_as_jax import LIBRARIES_ON_JAX, inside, lacking_module, uninstalled

ROOTS = ("jax", "jaxlib", "minijax")


def missing(script: Path) -> Iterator[str]:
    """A line for each name that is missing, in the script and in the modules beside it.

    `script.py:3, 8: lax.psend is not here yet. ...`. SyntaxError where the text is no Python.
    """
    scripts, seen = [script], {script}
    for file in scripts:
        tree = ast.parse(file.read_bytes(), str(file))
        lines: dict[str, list[int]] = {}
        for line, said in sorted(_lacking(tree), key=lambda found: found[0]):
            lines.setdefault(said, []).append(line)
        for said, places in lines.items():
            yield f"{file.name}:{', '.join(map(str, dict.fromkeys(places)))}: {said}"
        helpers = {script.parent / f"{name.split('.')[0]}.py" for name, _ in _imports(tree)}
        scripts += sorted(file for file in helpers - seen if file.is_file())
        seen |= helpers


def _imports(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """The modules that are imported, with the lines; relative ones stay out."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module, node.lineno


def _lacking(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The lines, and what each lacks."""
    for name, line in _imports(tree):
        root = name.partition(".")[0]
        if root in ROOTS[:2] and (said := lacking_module(name)):
            yield line, said
        elif root in LIBRARIES_ON_JAX and find_spec(root) is None:
            yield line, uninstalled(root)
    aliases = dict(_aliases(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (home := _module(node.module)):
            for alias in node.names:
                if said := _lacks(home, alias.name, f"{node.module}.{alias.name}"):
                    yield node.lineno, said
        elif isinstance(node, ast.Attribute) and (home := _resolve(node.value, aliases)):
            if said := _lacks(home, node.attr, ast.unparse(node)):
                yield node.lineno, said


def _aliases(tree: ast.AST) -> Iterator[tuple[str, Any]]:
    """What the script's names stand for, of those that imports bind to modules of JAX."""
    for node in ast.walk(tree):
        for alias in getattr(node, "names", ()) if isinstance(node, ast.Import) else ():
            name = alias.name if alias.asname else alias.name.partition(".")[0]
            if home := _module(name):
                yield alias.asname or name, home
        if isinstance(node, ast.ImportFrom) and (home := _module(node.module)):
            for alias in node.names:
                if inner := _inner(home, alias.name):
                    yield alias.asname or alias.name, inner


def _module(name: str | None) -> ModuleType | None:
    """The module of ours that a name of JAX's, or ours, stands for."""
    if name is None or name.partition(".")[0] not in ROOTS:
        return None
    try:
        return import_module(name)
    except ImportError:
        return None


def _resolve(node: ast.AST, aliases: dict[str, Any]) -> ModuleType | None:
    """The module that `jax.lax` stands for, if it is one."""
    match node:
        case ast.Name(name):
            return aliases.get(name)
        case ast.Attribute(value, attr) if home := _resolve(value, aliases):
            return _inner(home, attr)
    return None


def _inner(home: ModuleType, name: str) -> ModuleType | None:
    """The module of this name in a module, whether something has imported it yet or not."""
    x = getattr(home, name, None)
    return x if isinstance(x, ModuleType) else _module(f"{home.__name__}.{name}")


def _lacks(home: ModuleType, name: str, written: str) -> str | None:
    """What is said of a module's name that is not there."""
    if name == "*" or hasattr(home, name) or _inner(home, name):
        return None
    if is_planned(home.__name__, name):
        return sentence(written, home.__name__, name)
    if home.__name__.partition(".")[0] in ROOTS[:2]:  # a stand-in for a module of JAX's own
        return inside().refusal(written)
    return f"{written}: {home.__name__} has no such name, nor has JAX."
