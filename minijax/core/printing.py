"""Jaxprs as text: their layout, the names of variables, what an equation shows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

# A document is text, a break (a space or a new line), a list of documents, a nest (its lines are
# indented) or a group (on one line if it fits, else every break is a new line).


class Break(NamedTuple):
    flat: str = " "


class Nest(NamedTuple):
    doc: Any
    indent: int = 2


class Group(NamedTuple):
    doc: Any


def _flat(doc: Any) -> str:
    if isinstance(doc, list):
        return "".join(map(_flat, doc))
    return doc if isinstance(doc, str) else doc.flat if isinstance(doc, Break) else _flat(doc.doc)


def format_doc(doc: Any, width: int = 80) -> str:
    """The text of a document, with lines of at most `width` characters where groups allow it.

    After Wadler, A prettier printer (2003).
    """
    out, column = [], 0
    todo = [(0, False, doc)]
    while todo:
        indent, flat, doc = todo.pop()
        if isinstance(doc, list):
            todo.extend((indent, flat, part) for part in reversed(doc))
        elif isinstance(doc, Nest):
            todo.append((indent + doc.indent, flat, doc.doc))
        elif isinstance(doc, Group):
            todo.append((indent, flat or column + len(_flat(doc)) <= width, doc.doc))
        elif isinstance(doc, Break) and not flat:
            out.append("\n" + " " * indent)
            column = indent
        else:
            text = doc.flat if isinstance(doc, Break) else doc
            out.append(text)
            column += len(text)
    return "".join(out)


def _join(separator: Any, docs: Sequence[Any]) -> list[Any]:
    joined = [part for doc in docs for part in (separator, doc)]
    return joined[1:]


# Which parameters an equation shows.

# For a primitive, a function from all its parameters to those that are shown.
pp_eqn_rules: dict[Any, Callable[[dict], dict]] = {}
# For a primitive whose equations have another form, a function from equation and names to it.
pp_forms: dict[Any, Callable[[Any, Any], Any]] = {}
# Primitives whose jaxpr's variables are named like the operands and results outside.
pp_aliased: set = set()
# Primitives whose `name` stands among the other parameters, in the order of letters, not in front.
pp_by_letters: set = set()


def hide_none(*hidden: str) -> Callable[[dict], dict]:
    """Hides these parameters where they are None."""
    return lambda params: {k: v for k, v in params.items() if v is not None or k not in hidden}


def programs_in_params(params: dict[str, Any]) -> Iterator[Any]:
    """The jaxprs that an equation carries."""
    for value in params.values():
        for x in value if isinstance(value, tuple) else (value,):
            if hasattr(x, "eqns"):
                yield x


def jaxprs_in_params(params: dict[str, Any]) -> Iterator[Any]:
    """The jaxprs that an equation carries, without their constants."""
    return (getattr(x, "jaxpr", x) for x in programs_in_params(params))


# Variables get names, jaxprs and equations become documents.


def is_literal(x: Any) -> bool:
    return hasattr(x, "val")


class Names:
    """Variables get the names a, b, ..., z, ba, ... in the order in which they are printed."""

    def __init__(self) -> None:
        self.of_vars: dict[Any, str] = {}
        self.of_jaxprs: dict[Any, str] = {}
        self.count = 0

    def fresh(self) -> str:
        while True:
            n, name = self.count, ""
            self.count += 1
            while n or not name:
                n, letter = divmod(n, 26)
                name = chr(ord("a") + letter) + name
            if name not in self.of_jaxprs.values():
                return name

    def __call__(self, x: Any) -> str:
        if is_literal(x):
            return str(x)
        if x not in self.of_vars:
            self.of_vars[x] = self.fresh()
        return self.of_vars[x]

    def alias(self, variables: Sequence, like: Sequence) -> None:
        """Gives variables of an inner jaxpr the names that they have outside."""
        seen = set()
        for v, outer in zip(variables, like, strict=True):
            if is_literal(v) or is_literal(outer):
                continue
            if v not in self.of_vars and outer not in seen:
                seen.add(outer)
                self.of_vars[v] = self(outer)


def readable(name: str) -> str:
    """A primitive's name for text that is run, in a name or a comment: letters, digits and _.

    >>> readable("scatter-add"), readable('2 "x")')
    ('scatter_add', 'p_2__x__')
    """
    found = re.sub(r"\W", "_", str.__str__(name), flags=re.ASCII)
    return found if found[:1].isalpha() and found != "kernel" else f"p_{found}"


def vars_doc(atoms: Sequence, names: Names, separator: str = "", typed: bool = False):
    words = [
        names(x) + (":" + x.aval.str_short(short_dtypes=True) if typed else "") for x in atoms
    ]
    return Nest(Group(_join([separator, Group(Break())], words)))


def _param_doc(name: str, value: Any, names: Names) -> list[Any]:
    return [f"{name}=", _value_doc(value, names)]


def _value_doc(value: Any, names: Names) -> Any:
    if hasattr(value, "eqns"):
        return _jaxpr_doc(getattr(value, "jaxpr", value), names)
    if value and isinstance(value, tuple) and all(hasattr(x, "eqns") for x in value):
        docs = _join(Break(), [_value_doc(x, names) for x in value])
        return Group([Nest(["(", Break(""), docs]), Break(""), ")"])
    return str(value)


def _eqn_doc(eqn: Any, names: Names) -> Any:
    if eqn.primitive in pp_forms:
        return pp_forms[eqn.primitive](eqn, names)
    params = pp_eqn_rules.get(eqn.primitive, dict)(eqn.params)
    if eqn.primitive in pp_aliased:
        (inner,) = jaxprs_in_params(eqn.params)
        if inner not in names.of_jaxprs:
            names.alias(inner.invars, eqn.invars)
            names.alias(inner.outvars, eqn.outvars)
    first = "" if eqn.primitive in pp_by_letters else "name"
    keys = sorted(params, key=lambda name: (name != first, name))
    lhs = vars_doc(eqn.outvars, names, typed=True)
    pairs = [_param_doc(key, params[key], names) for key in keys]
    brackets = Group([Nest(["[", Break(""), _join(Break(), pairs)]), Break(""), "]"])
    return [lhs, " = " if eqn.outvars else "", eqn.primitive.name, brackets if pairs else "", " ",
            vars_doc(eqn.invars, names)]  # fmt: skip


def _jaxpr_doc(jaxpr: Any, names: Names) -> Any:
    return names.of_jaxprs[jaxpr] if jaxpr in names.of_jaxprs else _lambda_doc(jaxpr, names)


def _lambda_doc(jaxpr: Any, names: Names) -> Group:
    constvars = vars_doc(jaxpr.constvars, names, typed=True)
    invars = vars_doc(jaxpr.invars, names, typed=True)
    eqns = _join(Break("; "), [_eqn_doc(eqn, names) for eqn in jaxpr.eqns])
    outvars = ["(", vars_doc(jaxpr.outvars, names, separator=","),
               ",)" if len(jaxpr.outvars) == 1 else ")"]  # fmt: skip
    body = ["{ lambda ", constvars, "; ", invars, ". let", Nest([Break(), eqns]), Break(),
            "in ", outvars]  # fmt: skip
    return Group([Nest(body), " }"])


def _shared_jaxprs(jaxpr: Any) -> dict[Any, str]:
    """Names for the inner jaxprs that occur twice, or are long: they are printed once, in front."""
    bases, order = {jaxpr: ""}, [jaxpr]
    for outer in order:  # level by level, each jaxpr once; the list grows
        for eqn in outer.eqns:
            for inner in jaxprs_in_params(eqn.params):
                if inner not in bases:
                    bases[inner] = (eqn.params.get("name") or "jaxpr").strip("<>")
                    order.append(inner)
    counts = _count_occurrences(jaxpr)
    names: dict[Any, str] = {}
    taken: Counter = Counter()
    for inner in order[1:]:
        if counts[inner] > 1 or len(inner.eqns) > 10:
            base = bases[inner]
            names[inner] = f"{base}{taken[base]}" if taken[base] else base
            taken[base] += 1
    return names


def _count_occurrences(jaxpr: Any) -> Counter:
    """How often each inner jaxpr would stand in the text if all were written out."""
    inside: dict[Any, list] = {}
    finished: list = []

    def visit(outer: Any) -> None:
        if outer not in inside:
            inside[outer] = [x for eqn in outer.eqns for x in jaxprs_in_params(eqn.params)]
            for inner in inside[outer]:
                visit(inner)
            finished.append(outer)

    visit(jaxpr)
    counts = Counter({jaxpr: 1})
    for outer in reversed(finished):
        for inner in inside[outer]:
            counts[inner] += counts[outer]
    return counts


def format_eqn(eqn: Any) -> str:
    return format_doc(_eqn_doc(eqn, Names()))


def format_jaxpr(jaxpr: Any, names: Names | None = None) -> str:
    """Returns the text of a jaxpr; `names` is told what the variables are called in it."""
    names = Names() if names is None else names
    names.of_jaxprs = _shared_jaxprs(jaxpr)
    used = {x for eqn in jaxpr.eqns for x in eqn.invars}.union(jaxpr.outvars)
    names.of_vars = {v: "_" for eqn in jaxpr.eqns for v in eqn.outvars if v not in used}
    docs = [["let ", name, " = ", _lambda_doc(inner, names), " in", Break()]
            for inner, name in names.of_jaxprs.items()]  # fmt: skip
    return format_doc([docs, _lambda_doc(jaxpr, names)])
