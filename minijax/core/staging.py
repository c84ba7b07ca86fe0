"""Staging: a function becomes a jaxpr, a small program that can be read, checked and run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial, wraps
from typing import Any, NamedTuple

import numpy as np

import minijax.core.primitives as lax
from minijax.core.arrays import as_array, canonicalize_dtype, is_array_like
from minijax.core.forward import check_args, check_callable, debug_info, flatten_fun
from minijax.core.pytrees import tree_flatten, tree_unflatten
from minijax.core.tracing import (
    DebugInfo,
    Primitive,
    ShapedArray,
    Trace,
    Tracer,
    Typed,
    UnexpectedTracerError,
    current_source,
    describe_source,
    float0,
    new_trace,
    typeof,
)

# The language: variables, literals, equations, jaxprs.


class Var:
    """A variable of a jaxpr: it has a type, and no name until it is printed."""

    __slots__ = ("aval",)

    def __init__(self, aval: ShapedArray) -> None:
        self.aval = aval

    def __repr__(self) -> str:
        return f"Var(id={id(self)}):{self.aval.str_short()}"


class Literal:
    """A scalar written into an equation: an array without axes."""

    __slots__ = ("val",)
    aval = property(lambda self: self.val.aval)

    def __init__(self, x: Any) -> None:
        self.val = as_array(x)

    def number(self) -> Any:
        """The Python number, as it was written, if it was one and nothing was done to it."""
        return getattr(self.val, "number", self.val.item())

    def __repr__(self) -> str:
        return f"Literal({self.number()})"

    def __str__(self) -> str:
        return f"{self.number()}:{self.aval.str_short(short_dtypes=True)}"


Atom = Var | Literal


class JaxprEqn(NamedTuple):
    """outvars = primitive[params] invars, and the line of code that it came from."""

    invars: list[Atom]
    outvars: list[Var]
    primitive: Primitive
    params: dict[str, Any]
    source_info: Any

    def __repr__(self) -> str:
        return format_doc(_eqn_doc(self, _Names()))


class Jaxpr:
    """lambda constvars; invars. let eqns in outvars."""

    __slots__ = ("constvars", "invars", "outvars", "eqns", "debug_info", "__weakref__")

    def __init__(
        self, constvars: Sequence[Var], invars: Sequence[Var], outvars: Sequence[Atom],
        eqns: Sequence[JaxprEqn], debug_info: DebugInfo | None = None,
    ) -> None:  # fmt: skip
        self.constvars, self.invars = list(constvars), list(invars)
        self.outvars, self.eqns = list(outvars), list(eqns)
        self.debug_info = debug_info

    def replace(self, **changes: Any) -> Jaxpr:
        parts = {name: getattr(self, name) for name in self.__slots__[:-1]}
        return Jaxpr(**{**parts, **changes})

    def __repr__(self) -> str:
        return format_jaxpr(self)


class ClosedJaxpr:
    """A jaxpr and the values of its constvars."""

    __slots__ = ("jaxpr", "consts", "__weakref__")

    def __init__(self, jaxpr: Jaxpr, consts: Sequence[Any]) -> None:
        self.jaxpr, self.consts = jaxpr, list(consts)

    eqns = property(lambda self: self.jaxpr.eqns)
    invars = property(lambda self: self.jaxpr.invars)
    outvars = property(lambda self: self.jaxpr.outvars)
    constvars = property(lambda self: self.jaxpr.constvars)
    literals = property(lambda self: self.consts)
    in_avals = property(lambda self: [v.aval for v in self.jaxpr.invars])
    out_avals = property(lambda self: [v.aval for v in self.jaxpr.outvars])

    def __repr__(self) -> str:
        return format_jaxpr(self.jaxpr)


def jaxprs_in_params(params: dict[str, Any]) -> Iterator[Jaxpr]:
    """The jaxprs that an equation carries."""
    for value in params.values():
        for x in value if isinstance(value, tuple) else (value,):
            if isinstance(x, ClosedJaxpr | Jaxpr):
                yield x.jaxpr if isinstance(x, ClosedJaxpr) else x


# Running a jaxpr: under the current trace, whatever it is.


def eval_jaxpr(jaxpr: Jaxpr, consts: Sequence[Any], *args: Any) -> list[Any]:
    """The results of a jaxpr, by binding its primitives one after the other.

    >>> closed = make_jaxpr(lambda x: 2 * x)(3)
    >>> eval_jaxpr(closed.jaxpr, closed.consts, 5)
    [Array(10, dtype=int32, weak_type=True)]
    """
    if len(args) != len(jaxpr.invars):
        raise TypeError(f"The jaxpr takes {len(jaxpr.invars)} arguments, and got {len(args)}.")
    env = dict(zip(jaxpr.constvars, consts, strict=True))
    env.update(zip(jaxpr.invars, args, strict=True))

    def read(x: Atom) -> Any:
        return x.val if type(x) is Literal else env[x]

    for eqn in jaxpr.eqns:
        out = eqn.primitive.bind(*map(read, eqn.invars), **eqn.params)
        env.update(zip(eqn.outvars, out if eqn.primitive.multiple_results else [out], strict=True))
    return list(map(read, jaxpr.outvars))


def jaxpr_as_fun(closed: ClosedJaxpr) -> Callable:
    """The jaxpr as a function from a list of leaves to a list of leaves."""
    return partial(eval_jaxpr, closed.jaxpr, closed.consts)


# Recording one.


class DynamicJaxprTracer(Tracer):
    """A variable of the jaxpr that is being written."""

    __slots__ = ("aval", "val")

    def __init__(self, trace: JaxprTrace, aval: ShapedArray, var: Var) -> None:
        self._trace, self.aval, self.val = trace, aval, var

    def _origin(self) -> str:
        names = self._trace.argument_names(self.val)
        arguments = f"\n  it depends on: {', '.join(names)}" if names else ""
        return super()._origin() + arguments

    def _made_at(self) -> str:
        for eqn in self._trace.eqns:
            if self.val in eqn.outvars:
                return f"\n  made by: {eqn.primitive} at {describe_source(eqn.source_info)}"
        return ""

    def __repr__(self) -> str:
        return f"JitTracer({self.aval})"


class JaxprTrace(Trace):
    """Computes nothing: it writes every operation down as an equation."""

    def __init__(self, debug_info: DebugInfo | None = None) -> None:
        self.debug_info = debug_info
        self.invars: list[Var] = []
        self.eqns: list[JaxprEqn] = []
        self.constants: dict[int, tuple[Var, Any]] = {}  # by id; the value is kept alive

    def new_arg(self, aval: ShapedArray) -> DynamicJaxprTracer:
        var = Var(aval)
        self.invars.append(var)
        return DynamicJaxprTracer(self, aval, var)

    def to_atom(self, x: Any) -> Atom:
        """My tracers are variables, scalars are literals, all else becomes a constvar, once."""
        if isinstance(x, Tracer):
            if x._trace is self:
                return x.val
            if x._trace.ended:
                raise UnexpectedTracerError(x)
        elif not typeof(x).shape and typeof(x).dtype != float0:
            return Literal(x)
        if id(x) not in self.constants:
            self.constants[id(x)] = Var(typeof(x)), x
        return self.constants[id(x)][0]

    def process_primitive(self, primitive: Primitive, args: Sequence[Any], params: dict) -> Any:
        if primitive in custom_staging_rules:
            return custom_staging_rules[primitive](self, args, params)
        return self.record(primitive, args, params)

    def record(self, primitive: Primitive, args: Sequence[Any], params: dict) -> Any:
        invars = [self.to_atom(x) for x in args]
        out = primitive.abstract_eval(*[x.aval for x in invars], **params)
        out_avals = out if primitive.multiple_results else [out]
        outvars = [Var(aval) for aval in out_avals]
        self.eqns.append(JaxprEqn(invars, outvars, primitive, params, current_source()))
        tracers = [DynamicJaxprTracer(self, v.aval, v) for v in outvars]
        return tracers if primitive.multiple_results else tracers[0]

    def to_jaxpr(self, outs: Sequence[Any]) -> ClosedJaxpr:
        outvars = [self.to_atom(x) for x in outs]
        constvars = [var for var, _ in self.constants.values()]
        jaxpr = Jaxpr(constvars, self.invars, outvars, self.eqns, self.debug_info)
        return ClosedJaxpr(jaxpr, [x for _, x in self.constants.values()])

    def argument_names(self, var: Var) -> list[str]:
        """What the function calls the arguments that a variable depends on."""
        needed = {var}
        for eqn in reversed(self.eqns):
            if not needed.isdisjoint(eqn.outvars):
                needed.update(x for x in eqn.invars if type(x) is Var)
        if self.debug_info is None:
            return []
        names = [self.debug_info.arg_name(i) for i, v in enumerate(self.invars) if v in needed]
        return [name for name in names if name]


# How a primitive is recorded, where it isn't simply as an equation of its own.
custom_staging_rules: dict[Primitive, Callable] = {}


def _convert_staging(trace: JaxprTrace, args: Sequence[Any], params: dict) -> Any:
    """A scalar constant is converted now, not by an equation."""
    if isinstance(args[0], Tracer) or typeof(args[0]).shape:
        return trace.record(lax.convert_element_type_p, args, params)
    return lax.convert_element_type_p.impl(*args, **params)


custom_staging_rules[lax.convert_element_type_p] = _convert_staging


def trace_to_jaxpr(
    flat_fun: Callable, in_avals: Sequence[ShapedArray], info: DebugInfo | None = None
) -> ClosedJaxpr:
    """The jaxpr of a function of lists of leaves; its consts may hold tracers of outer traces."""
    with new_trace(JaxprTrace(info)) as trace:
        outs = flat_fun(*[trace.new_arg(aval) for aval in in_avals])
        return trace.to_jaxpr(outs)


# Checking one.


class JaxprTypeError(TypeError):
    """A jaxpr that no trace would have written."""


def check_jaxpr(jaxpr: Jaxpr | ClosedJaxpr) -> None:
    """Raises JaxprTypeError, naming the equation, unless every variable is bound once, before
    its use, and every equation's results have the types that its primitive's rule gives.

    >>> check_jaxpr(make_jaxpr(lambda x: 2 * x)(3))
    """
    if isinstance(jaxpr, ClosedJaxpr):
        _check_consts(jaxpr)
        jaxpr = jaxpr.jaxpr
    bound: set[Var] = set()

    def bind(variables: Sequence[Var], where: str) -> None:
        for v in variables:
            if v in bound:
                raise JaxprTypeError(f"{where} binds a variable of type {v.aval} a second time.")
            bound.add(v)

    def check_bound(atoms: Sequence[Atom], where: str) -> None:
        for x in atoms:
            if type(x) is Var and x not in bound:
                raise JaxprTypeError(f"{where} reads a variable of type {x.aval} before it is set.")

    bind([*jaxpr.constvars, *jaxpr.invars], "The lambda")
    for i, eqn in enumerate(jaxpr.eqns):
        try:
            check_bound(eqn.invars, "It")
            _check_eqn(eqn)
            bind(eqn.outvars, "It")
        except JaxprTypeError as error:
            where = f"Equation {i}, {eqn}, from {describe_source(eqn.source_info)}"
            raise JaxprTypeError(f"{where}: {error}") from error
    check_bound(jaxpr.outvars, "The result")


def same_type(x: ShapedArray, y: ShapedArray) -> bool:
    return (x.shape, x.dtype) == (y.shape, y.dtype)


def _check_consts(closed: ClosedJaxpr) -> None:
    avals = [typeof(x) for x in closed.consts]
    variables = [v.aval for v in closed.jaxpr.constvars]
    if len(avals) != len(variables) or not all(map(same_type, avals, variables)):
        raise JaxprTypeError(f"The constvars have the types {variables}, their values {avals}.")


def _check_eqn(eqn: JaxprEqn) -> None:
    for jaxpr in jaxprs_in_params(eqn.params):
        check_jaxpr(jaxpr)
    try:
        out = eqn.primitive.abstract_eval(*[x.aval for x in eqn.invars], **eqn.params)
    except (TypeError, ValueError) as error:
        raise JaxprTypeError(f"Its operands do not fit: {error}") from error
    expected = out if eqn.primitive.multiple_results else [out]
    got = [v.aval for v in eqn.outvars]
    if len(expected) != len(got) or not all(map(same_type, expected, got)):
        raise JaxprTypeError(f"Its results have the types {got}; its rule says {list(expected)}.")


# Removing what nobody uses.

dce_rules: dict[Primitive, Callable] = {}


def dce_jaxpr(
    jaxpr: Jaxpr, used_outputs: Sequence[bool], instantiate: bool | Sequence[bool] = False
) -> tuple[Jaxpr, list[bool]]:
    """The jaxpr with only the outputs that are used and what they need, and which inputs
    those are; inputs marked in `instantiate` stay in any case.

    >>> jaxpr = make_jaxpr(lambda x, y: (x + 1, y * 2))(1, 2).jaxpr
    >>> dce_jaxpr(jaxpr, [True, False])[1]
    [True, False]
    """
    if isinstance(instantiate, bool):
        instantiate = [instantiate] * len(jaxpr.invars)
    outvars = [x for x, used in zip(jaxpr.outvars, used_outputs, strict=True) if used]
    needed = {x for x in outvars if type(x) is Var}
    eqns = []
    for eqn in reversed(jaxpr.eqns):
        used = [v in needed for v in eqn.outvars]
        if any(used):
            if eqn.primitive in dce_rules:
                eqn = dce_rules[eqn.primitive](used, eqn)
            eqns.append(eqn)
            needed.update(x for x in eqn.invars if type(x) is Var)
    used_inputs = [
        keep or v in needed for v, keep in zip(jaxpr.invars, instantiate, strict=True)
    ]
    invars = [v for v, used in zip(jaxpr.invars, used_inputs, strict=True) if used]
    return jaxpr.replace(invars=invars, outvars=outvars, eqns=eqns[::-1]), used_inputs


# Printing one. A document is text, a break (a space or a new line), a list of documents, a nest
# (its lines are indented) or a group (on one line if it fits, else every break is a new line).


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


class _Names:
    """Variables get the names a, b, ..., z, ba, ... in the order in which they are printed."""

    def __init__(self) -> None:
        self.names: dict[Var, str] = {}
        self.shared: dict[Jaxpr, str] = {}
        self.count = 0

    def fresh(self) -> str:
        while True:
            n, name = self.count, ""
            self.count += 1
            while n or not name:
                n, letter = divmod(n, 26)
                name = chr(ord("a") + letter) + name
            if name not in self.shared.values():
                return name

    def __call__(self, x: Atom) -> str:
        if type(x) is Literal:
            return str(x)
        if x not in self.names:
            self.names[x] = self.fresh()
        return self.names[x]

    def alias(self, variables: Sequence[Var], like: Sequence[Atom]) -> None:
        """Gives variables of an inner jaxpr the names that they have outside."""
        seen = set()
        for v, outer in zip(variables, like, strict=True):
            if type(v) is Var and v not in self.names and type(outer) is Var and outer not in seen:
                seen.add(outer)
                self.names[v] = self(outer)


def _vars_doc(atoms: Sequence[Atom], names: _Names, separator: str = "", typed: bool = False):
    words = [
        names(x) + (":" + x.aval.str_short(short_dtypes=True) if typed else "") for x in atoms
    ]
    return Nest(Group(_join([separator, Group(Break())], words)))


def _param_doc(name: str, value: Any, names: _Names) -> list[Any]:
    if isinstance(value, Jaxpr | ClosedJaxpr):
        return [f"{name}=", _jaxpr_doc(getattr(value, "jaxpr", value), names)]
    return [f"{name}={value}"]


# Which parameters an equation shows: a function from its parameters to those.
pp_eqn_rules: dict[Primitive, Callable[[dict], dict]] = {}


def hide_none(*hidden: str) -> Callable[[dict], dict]:
    """Hides these parameters where they are None."""
    return lambda params: {k: v for k, v in params.items() if v is not None or k not in hidden}


pp_eqn_rules.update(dict.fromkeys(lax.unary_primitives, hide_none("accuracy")))
pp_eqn_rules[lax.mul_p] = hide_none("out_dtype")
pp_eqn_rules[lax.convert_element_type_p] = hide_none("sharding")
pp_eqn_rules[lax.broadcast_in_dim_p] = lambda params: {
    k: v for k, v in params.items() if k == "broadcast_dimensions" and v
}


def _dot_general_params(params: dict) -> dict:
    lists = tuple(tuple(map(list, pair)) for pair in params["dimension_numbers"])
    shown = hide_none("precision", "preferred_element_type", "out_sharding")(params)
    return {**shown, "dimension_numbers": lists}


pp_eqn_rules[lax.dot_general_p] = _dot_general_params
# Primitives whose jaxpr's variables are named like the operands and results outside.
pp_aliased: set[Primitive] = set()


def _eqn_doc(eqn: JaxprEqn, names: _Names) -> list[Any]:
    params = pp_eqn_rules.get(eqn.primitive, dict)(eqn.params)
    if eqn.primitive in pp_aliased:
        (inner,) = jaxprs_in_params(eqn.params)
        if inner not in names.shared:
            names.alias(inner.invars, eqn.invars)
            names.alias(inner.outvars, eqn.outvars)
    keys = sorted(params, key=lambda name: (name != "name", name))
    lhs = _vars_doc(eqn.outvars, names, typed=True)
    pairs = [_param_doc(key, params[key], names) for key in keys]
    brackets = Group([Nest(["[", Break(""), _join(Break(), pairs)]), Break(""), "]"])
    return [lhs, " = " if eqn.outvars else "", eqn.primitive.name, brackets if pairs else "", " ",
            _vars_doc(eqn.invars, names)]  # fmt: skip


def _jaxpr_doc(jaxpr: Jaxpr, names: _Names) -> Any:
    return names.shared[jaxpr] if jaxpr in names.shared else _lambda_doc(jaxpr, names)


def _lambda_doc(jaxpr: Jaxpr, names: _Names) -> list[Any]:
    constvars = _vars_doc(jaxpr.constvars, names, typed=True)
    invars = _vars_doc(jaxpr.invars, names, typed=True)
    eqns = _join(Break("; "), [_eqn_doc(eqn, names) for eqn in jaxpr.eqns])
    outvars = ["(", _vars_doc(jaxpr.outvars, names, separator=","),
               ",)" if len(jaxpr.outvars) == 1 else ")"]  # fmt: skip
    body = ["{ lambda ", constvars, "; ", invars, ". let", Nest([Break(), eqns]), Break(),
            "in ", outvars]  # fmt: skip
    return Group([Nest(body), " }"])


def _shared_jaxprs(jaxpr: Jaxpr) -> dict[Jaxpr, str]:
    """Names for the inner jaxprs that occur twice, or are long: they are printed once, in front."""
    counts, bases, todo = Counter(), {}, [jaxpr]
    while todo:
        outer = todo.pop(0)
        counts[outer] += 2 if outer is not jaxpr and len(outer.eqns) > 10 else 1
        for eqn in outer.eqns:
            for inner in jaxprs_in_params(eqn.params):
                todo.append(inner)
                bases.setdefault(inner, eqn.params.get("name", "jaxpr").strip("<>"))
    names: dict[Jaxpr, str] = {}
    taken = Counter()
    for inner, count in counts.items():
        if count > 1:
            base = bases[inner]
            names[inner] = f"{base}{taken[base]}" if taken[base] else base
            taken[base] += 1
    return names


def format_jaxpr(jaxpr: Jaxpr) -> str:
    names = _Names()
    names.shared = _shared_jaxprs(jaxpr)
    used = {x for eqn in jaxpr.eqns for x in eqn.invars}.union(jaxpr.outvars)
    names.names = {v: "_" for eqn in jaxpr.eqns for v in eqn.outvars if v not in used}
    docs = [["let ", name, " = ", _lambda_doc(inner, names), " in", Break()]
            for inner, name in names.shared.items()]  # fmt: skip
    return format_doc([docs, _lambda_doc(jaxpr, names)])


# What the user calls.


class ShapeDtypeStruct(Typed):
    """A shape and a dtype in the place of an array: for `eval_shape` and `make_jaxpr`.

    >>> ShapeDtypeStruct((2, 3), "float32")
    ShapeDtypeStruct(shape=(2, 3), dtype=float32)
    """

    __slots__ = ("aval",)

    def __init__(self, shape: Sequence[int], dtype: Any, *, weak_type: bool = False) -> None:
        if dtype is None:
            raise ValueError("ShapeDtypeStruct needs a dtype, and got None.")
        self.aval = ShapedArray(lax.canonicalize_shape(shape), np.dtype(dtype), weak_type)

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, ShapeDtypeStruct) and other.aval is self.aval

    def __hash__(self) -> int:
        return hash(self.aval)

    def __repr__(self) -> str:
        weak = ", weak_type=True" if self.weak_type else ""
        return f"ShapeDtypeStruct(shape={self.shape}, dtype={self.dtype}{weak})"


def abstractify(x: Any) -> ShapedArray:
    """The type of a value, or of what stands for one: anything with a shape and a dtype."""
    if is_array_like(x) or not hasattr(x, "dtype"):
        return typeof(x)
    shape, dtype = lax.canonicalize_shape(x.shape), canonicalize_dtype(x.dtype)
    return ShapedArray(shape, dtype, getattr(x, "weak_type", False))


def split_static(
    fun: Callable, args: tuple, kwargs: dict, argnums: Sequence[int], argnames: Sequence[str]
) -> tuple[Callable, tuple, dict, tuple]:
    """Takes the static arguments out of a call and into the function.

    Returns the function of the others, these others (args, kwargs), and the static ones.
    """
    static_nums = {i % len(args): args[i] for i in argnums if -len(args) <= i < len(args)}
    static_names = {name: kwargs[name] for name in argnames if name in kwargs}
    if not static_nums and not static_names:
        return fun, args, kwargs, ()

    @wraps(fun)
    def with_static(*dynamic: Any, **dynamic_kwargs: Any) -> Any:
        rest = iter(dynamic)
        all_args = [static_nums[i] if i in static_nums else next(rest) for i in range(len(args))]
        return fun(*all_args, **dynamic_kwargs, **static_names)

    dynamic_args = tuple(x for i, x in enumerate(args) if i not in static_nums)
    dynamic_kwargs = {name: x for name, x in kwargs.items() if name not in static_names}
    static = (*static_nums.items(), *static_names.items())
    return with_static, dynamic_args, dynamic_kwargs, static


def as_tuple(x: Any) -> tuple:
    """An int, a string or a sequence of them, as a tuple."""
    return () if x is None else (x,) if isinstance(x, int | str | np.integer) else tuple(x)


def stage(fun: Callable, args: Sequence[Any], kwargs: dict, info: DebugInfo | None) -> tuple:
    """(jaxpr, out_tree) of a function at the types of these arguments."""
    leaves, in_tree = tree_flatten((tuple(args), kwargs))
    flat_fun, out_tree = flatten_fun(fun, in_tree)
    check_args(leaves, info, abstractify)
    return trace_to_jaxpr(flat_fun, list(map(abstractify, leaves)), info), out_tree()


def make_jaxpr(
    fun: Callable, static_argnums: int | Sequence[int] = (), return_shape: bool = False
) -> Callable:
    """A function that returns the jaxpr of `fun` at the types of its arguments.

    With `return_shape`, it returns a pair, the second a pytree of ShapeDtypeStructs.

    >>> make_jaxpr(lambda x: x * x + 1)(2.0)
    { lambda ; a:f32[]. let b:f32[] = mul a a; c:f32[] = add b 1.0:f32[] in (c,) }
    """
    check_callable(fun, "make_jaxpr")

    @wraps(fun)
    def make_jaxpr_fun(*args: Any, **kwargs: Any) -> Any:
        *call, _ = split_static(fun, args, kwargs, as_tuple(static_argnums), ())
        closed, out_tree = stage(*call, debug_info("make_jaxpr", *call))
        if not return_shape:
            return closed
        return closed, tree_unflatten(out_tree, map(_shape_of, closed.out_avals))

    return make_jaxpr_fun


def _shape_of(aval: ShapedArray) -> ShapeDtypeStruct:
    return ShapeDtypeStruct(aval.shape, aval.dtype, weak_type=aval.weak_type)


def eval_shape(fun: Callable, *args: Any, **kwargs: Any) -> Any:
    """The shapes and dtypes that `fun` would return, without computing anything.

    >>> eval_shape(lambda x: x * 1.5, ShapeDtypeStruct((3,), "int32"))
    ShapeDtypeStruct(shape=(3,), dtype=float32, weak_type=True)
    """
    check_callable(fun, "eval_shape")
    closed, out_tree = stage(fun, args, kwargs, debug_info("eval_shape", fun, args, kwargs))
    return tree_unflatten(out_tree, map(_shape_of, closed.out_avals))
