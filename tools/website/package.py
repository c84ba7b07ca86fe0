"""The package as griffe reads it, without importing it, and what each of its modules shows.

griffe misses three things that stand in the package: names that are assigned several at once, as in
`tan_p, tan = ...`, the tables of `lazy_names`, and the words of a text that `__all__` unpacks. They
are put in here.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import griffe

PACKAGE = "minijax"
# What they give is for the package itself, also where a module that only re-exports imports it.
HOUSEHOLD = ("minijax.face.boundaries", "minijax.face.lazily", "minijax.face.planned")


@dataclass
class Name:
    """A public name of a module.

    Attributes:
      name: in this module.
      object: what it stands for, where that is defined.
      home: the module that defines it.
    """

    name: str
    object: griffe.Object
    home: griffe.Module


def read_package(root: Path) -> griffe.Module:
    """Returns the package below `root`, with every name that its modules have."""
    loader = griffe.GriffeLoader(search_paths=[root], allow_inspection=False)
    package = loader.load(PACKAGE, try_relative_path=False)
    for module in modules_of(package):
        for statement in ast.parse(module.source).body:
            if isinstance(statement, ast.Assign):
                add_several(module, statement)
                add_lazy(package, module, statement)
                add_unpacked(module, statement)
    loader.resolve_aliases()
    return package


def modules_of(module: griffe.Module) -> Iterator[griffe.Module]:
    """Yields a module and all below it, by their names."""
    yield module
    for child in modules_in(module):
        yield from modules_of(child)


def modules_in(module: griffe.Module) -> list[griffe.Module]:
    """Returns the modules of a package, not those below its own packages, by their names."""
    members = (member for _, member in sorted(module.members.items()) if not member.is_alias)
    return [member for member in members if member.is_module]


def add_several(module: griffe.Module, statement: ast.Assign) -> None:
    """Gives a module the names that one statement assigns together."""
    for target in statement.targets:
        for element in target.elts if isinstance(target, ast.Tuple) else ():
            if isinstance(element, ast.Name):
                lines = {"lineno": statement.lineno, "endlineno": statement.end_lineno}
                module.set_member(element.id, griffe.Attribute(element.id, **lines))


def add_lazy(package: griffe.Module, module: griffe.Module, statement: ast.Assign) -> None:
    """Gives a package the names of the table that `statement` hands to `lazy_names`, if it does."""
    match statement.value:
        case ast.Call(func=ast.Name("lazy_names"), args=[ast.Name("__name__"), table]):
            shown = module
        case ast.Call(func=ast.Name("lazy_names"), args=[ast.Constant(str(path)), table]):
            shown = package[path.partition(".")[2]]
        case _:
            return
    for home, names in ast.literal_eval(table).items():
        for name in names.split():
            if name not in shown.members:
                shown.set_member(name, griffe.Alias(name, f"{home}.{name}"))
            shown.members[name].public = True


def add_unpacked(module: griffe.Module, statement: ast.Assign) -> None:
    """Lets a module export the words of a text that `__all__` unpacks, and its `lazy_names`."""
    match statement:
        case ast.Assign(targets=[ast.Name("__all__")], value=ast.List(elts=[ast.Starred(), *_])):
            nodes = ast.walk(statement.value)
            texts = [node.value for node in nodes if isinstance(node, ast.Constant)]
            lazy = [name for name, member in module.members.items() if member.public]
            module.exports = [*" ".join(texts).split(), *lazy]


def public_names(module: griffe.Module) -> list[Name]:
    """Returns what a module shows to others, but for modules: its own in the order of their lines.

    It shows what `__all__` lists; else the names without an underscore that it defines or has in a
    table of `lazy_names`; and where it defines none, those that it imports of the package.
    """
    own = [name for name in module.members if not name.startswith("_")]
    defined = [name for name in own if is_defined(module.members[name])]
    lazy = [name for name in own if module.members[name].public]
    names = module.exports or (defined + lazy if defined else own)
    found = [name for name in (resolve(module, name) for name in names) if name]
    own = [name for name in found if name.home is module]
    others = [name for name in found if name.home is not module]
    return sorted(own, key=lambda each: each.object.lineno) + sorted(others, key=lambda x: x.name)


def is_defined(member: griffe.Object | griffe.Alias) -> bool:
    return not member.is_alias and not member.is_module


def resolve(module: griffe.Module, name: str) -> Name | None:
    """Returns what a module's name stands for; None for a module, or what is not for users."""
    member = module.members[name]
    try:
        found = member.final_target if member.is_alias else member
    except griffe.AliasResolutionError:  # of another package
        return None
    if found.is_module or (member.is_alias and found.module.path in HOUSEHOLD):
        return None
    return Name(name, found, found.module)
