"""Structures of arguments and results as JSON. A class of containers is written by a name.

A leaf is "*", None is null. Each other node is an object with one key: {"tuple": [child, ...]},
{"list": [child, ...]}, {"dict": [[key, child], ...]}, or for a class that its user has registered
{"custom": [its name, its auxiliary data as hexadecimal digits, [child, ...]]}.
"""

from __future__ import annotations

import collections
import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from minijax.core.errors import safe_repr
from minijax.core.pytrees import PyTreeDef, _registry, tree_structure
from minijax.export.value_format import need
from minijax.lax.elementwise.arithmetic import shown
from minijax.treedefs import is_namedtuple


class Registration(NamedTuple):
    """How the auxiliary data of a class's nodes become bytes, and nodes are made of them."""

    nodetype: type
    serialized_name: str
    serialize_auxdata: Callable[[Any], bytes]
    deserialize_auxdata: Callable[[bytes], Any]
    from_children: Callable[[Any, Sequence[Any]], Any]


_by_type: dict[type, Registration] = {}
_by_name: dict[str, Registration] = {}


def register_pytree_node_serialization(
    nodetype: type, *, serialized_name: str, serialize_auxdata: Callable[[Any], bytes],
    deserialize_auxdata: Callable[[bytes], Any],
    from_children: Callable[[Any, Sequence[Any]], Any] | None = None,
) -> type:  # fmt: skip
    """Lets functions of nodes of this class be serialized. Returns the class.

    `serialize_auxdata` makes bytes of a node's auxiliary data, and `deserialize_auxdata` undoes it;
    `from_children(aux, children)` makes a node, by default as the class is registered as a pytree.
    ValueError where the class or the name is taken, or the class is no node.

    >>> import minijax
    >>> class Pair:
    ...     def __init__(self, x, y):
    ...         self.x, self.y = x, y
    >>> minijax.tree_util.register_pytree_node(
    ...     Pair, lambda p: ((p.x, p.y), None), lambda aux, xy: Pair(*xy))
    >>> _ = register_pytree_node_serialization(
    ...     Pair, serialized_name="my.Pair", serialize_auxdata=lambda aux: b"",
    ...     deserialize_auxdata=lambda data: None)
    """
    return _register(
        "register_pytree_node_serialization", nodetype, serialized_name, serialize_auxdata,
        deserialize_auxdata, from_children or _as_registered(nodetype),
    )  # fmt: skip


def _as_registered(nodetype: Any) -> Callable:
    """How a node is made of its children, as the class is registered as a pytree."""
    if not isinstance(nodetype, type) or nodetype not in _registry:
        raise ValueError(
            f"register_pytree_node_serialization: {shown(nodetype)} is no class of nodes. Call "
            f"jax.tree_util.register_pytree_node first, or give from_children."
        )
    unflatten = _registry[nodetype].unflatten
    return lambda aux, children: unflatten(aux, tuple(children))


def _register(name: str, nodetype: type, serialized_name: str, *functions: Callable) -> type:
    """ValueError, naming the function `name`, where the class or the name is taken; TypeError where
    they are no such things, or one of the functions is none."""
    wanted = zip((nodetype, serialized_name), (type, str), strict=True)
    wrong = [x for x, kind in wanted if not isinstance(x, kind)]
    wrong += [x for x in functions if not callable(x)]
    if wrong:
        raise TypeError(
            f"{name} takes a class, a name and functions, and got {shown(wrong[0])} for one of "
            f"them. Give those."
        )
    if nodetype in _by_type:
        raise ValueError(
            f"{name}: {nodetype} is registered already, as {_by_type[nodetype].serialized_name!r}. "
            f"Do it once."
        )
    if serialized_name in _by_name:
        raise ValueError(
            f"{name}: the name {serialized_name!r} is that of "
            f"{_by_name[serialized_name].nodetype}. Give another."
        )
    registration = Registration(nodetype, serialized_name, *functions)
    _by_type[nodetype] = _by_name[serialized_name] = registration
    return nodetype


def register_namedtuple_serialization(nodetype: type, *, serialized_name: str) -> type:
    """Lets functions of named tuples of this class be serialized. Returns the class.

    ValueError for another class, or where the class or the name is taken; TypeError for no class.

    >>> class Point(NamedTuple):
    ...     x: float
    >>> _ = register_namedtuple_serialization(Point, serialized_name="my.Point")
    """
    if isinstance(nodetype, type) and not is_namedtuple(nodetype):
        raise ValueError(
            f"register_namedtuple_serialization takes a class of named tuples, and got "
            f"{shown(nodetype)}. Use register_pytree_node_serialization."
        )
    return _register(
        "register_namedtuple_serialization", nodetype, serialized_name,
        lambda aux: json.dumps(nodetype._fields).encode(), json.loads,  # type: ignore[attr-defined]
        lambda names, xs: nodetype(**dict(zip(names, xs, strict=True))),
    )  # fmt: skip


def _keys_of_ordered_dict(keys: Any) -> bytes:
    if not all(isinstance(key, str) for key in keys):
        raise NotImplementedError(
            f"Exported.serialize takes an OrderedDict whose keys are strings, and got the keys "
            f"{safe_repr(list(keys))}. Use strings."
        )
    return json.dumps(list(keys)).encode()


register_pytree_node_serialization(
    collections.OrderedDict, serialized_name="collections.OrderedDict",
    serialize_auxdata=_keys_of_ordered_dict, deserialize_auxdata=json.loads,
    from_children=lambda keys, xs: collections.OrderedDict(zip(keys, xs, strict=True)),
)  # fmt: skip


# Writing.


def write_tree(treedef: PyTreeDef) -> Any:
    """The structure as JSON. ValueError for a class without a name, TypeError for a dict with other
    keys than strings."""
    nodetype, children = treedef._type, list(map(write_tree, treedef._children))
    if nodetype is None:
        return "*"
    if nodetype is type(None):
        return None
    if nodetype in (tuple, list):
        return {nodetype.__name__: children}
    if nodetype is dict:
        return {"dict": [*zip(map(_checked_key, treedef._aux), children, strict=True)]}
    if nodetype not in _by_type:
        raise ValueError(
            f"Exported.serialize: {nodetype} in the arguments or results has no name for other "
            f"processes.\nGive it one: jax.export.register_pytree_node_serialization, or "
            f"register_namedtuple_serialization."
        )
    known = _by_type[nodetype]
    data = known.serialize_auxdata(treedef._aux)
    if not isinstance(data, bytes | bytearray):
        raise ValueError(
            f"Exported.serialize: the serialize_auxdata of {nodetype} returned {shown(data)}. "
            f"Return bytes."
        )
    return {"custom": [known.serialized_name, data.hex(), children]}


def _checked_key(key: Any) -> str:
    if not isinstance(key, str):
        raise TypeError(
            f"Exported.serialize takes dicts whose keys are strings, and got the key "
            f"{safe_repr(key)}. Use strings."
        )
    return key


# Reading. The nodes are made, with types in the place of leaves, as classes may look at these.


def read_tree(data: Any, leaves: Sequence[Any]) -> PyTreeDef:
    """The structure of this JSON; ValueError unless it is one, with as many leaves."""
    rest = iter(leaves)
    tree = _read_node(data, rest)
    need(next(rest, None) is None, "a structure has too few leaves")
    return tree_structure(tree)


def _read_node(data: Any, leaves: Iterator[Any]) -> Any:
    if data == "*":
        return next(leaves)
    if data is None:
        return None
    [(kind, inside)] = data.items()
    if kind in ("tuple", "list"):
        children = [_read_node(child, leaves) for child in inside]
        return tuple(children) if kind == "tuple" else children
    if kind == "dict":
        return {_checked_key(key): _read_node(child, leaves) for key, child in inside}
    need(kind == "custom", f"a structure has a node of the kind {kind!r}")
    name, digits, nodes = inside
    if name not in _by_name:
        raise UnknownName(
            f"deserialize: the class {name!r} of a container is not known here.\nCall what was "
            f"called where it was written: jax.export.register_pytree_node_serialization, or "
            f"register_namedtuple_serialization."
        )
    known = _by_name[name]
    aux = known.deserialize_auxdata(bytes.fromhex(digits))
    return known.from_children(aux, [_read_node(child, leaves) for child in nodes])


class UnknownName(ValueError):
    """The bytes are sound, and this process lacks something that they name."""
