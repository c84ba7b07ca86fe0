"""The arguments of a call: which of them are meant, and whether they will do."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minijax.core.arrays import as_array, as_number, is_array_like
from minijax.core.calls import check_args, debug_info
from minijax.core.dtypes import NARROW, canonicalize_dtype, extended, issubdtype
from minijax.core.errors import DebugInfo, JaxRuntimeError, safe_repr, wraps
from minijax.core.primitives import canonicalize_shape
from minijax.core.pytrees import (
    IsLeaf, PyTreeDef, difference, find_entry, is_marked, place_of, tree_flatten, tree_leaves,
    tree_structure,
)
from minijax.core.tracing import AbstractValue, ShapedArray, Typed, pytype_aval_mappings, typeof

# Which axes are mapped: a tree whose leaves stand for whole subtrees of another.


def flatten_axes(
    name: str, treedef: PyTreeDef, axis_tree: Any, is_leaf: IsLeaf = lambda x: x is None,
    parents: tuple = (),
) -> list[Any]:  # fmt: skip
    """A list with the axis, or None, that `axis_tree` gives each leaf of `treedef`.

    No tree is built: classes may insist on what they are made of. `name` says what `axis_tree`
    is, for the ValueError where it is no prefix of the structure.
    """
    marked = is_leaf is not None and is_marked(is_leaf(axis_tree))
    entry = None if marked else find_entry(type(axis_tree))
    if entry is None:
        return [axis_tree] * treedef.num_leaves
    children, aux = entry.flatten(axis_tree)
    children, axes = tuple(children), []
    if found := difference(treedef, type(axis_tree), aux, len(children)):
        raise ValueError(
            f"{name} does not fit the tree that it describes at {place_of(parents)}: {found}. "
            "Give it the same nodes, down to its leaves."
        )
    for i, (subdef, child) in enumerate(zip(treedef._children, children, strict=True)):
        axes += flatten_axes(name, subdef, child, is_leaf, (*parents, (axis_tree, i)))
    return axes


def mapped_size(info: DebugInfo, axis_size: int | None, vals: Sequence, axes: Sequence) -> int:
    """The one size of all mapped axes; ValueError where they differ or there is none."""

    def where(i: int | None) -> str:
        if i is None:
            return "axis_size"
        return f"axis {axes[i]} of {info.arg_name(i)}: {typeof(vals[i])}"

    first: dict[int, Any] = {}  # where each size was found first
    for i, (x, axis) in enumerate(zip(vals, axes, strict=True)):
        if axis is not None:
            shape = typeof(x).shape
            if not -len(shape) <= axis < len(shape):
                raise ValueError(
                    f"vmap was to map axis {axis} of {info.arg_name(i)}, which has the shape "
                    f"{shape}. Give the argument more axes, or None in in_axes."
                )
            first.setdefault(shape[axis], i)
    if axis_size is not None:
        first.setdefault(axis_size, None)
    if len(first) > 1:
        found = "; ".join(f"{safe_repr(size)} ({where(i)})" for size, i in first.items())
        way_out = "Give axes of one size, or None in in_axes."
        raise ValueError(f"vmap needs mapped axes of one size, and found {found}. {way_out}")
    if not first:
        raise ValueError("vmap has no axis to map: in_axes maps no array. Give one, or axis_size.")
    return next(iter(first))


def check_axes(name: str, axes: Any, kinds: Any, fun_name: str = "vmap") -> None:
    if not isinstance(axes, kinds) or not all(type(axis) is int for axis in tree_leaves(axes)):
        raise TypeError(
            f"{fun_name} takes {name} as an int, None, or a tuple of ints, None and containers of "
            f"them, one for each argument or result; got {safe_repr(axes)}. Give one of these."
        )


def check_num_axes(in_axes: Any, args: tuple) -> None:
    if isinstance(in_axes, tuple) and len(in_axes) != len(args):
        entries = f"vmap's in_axes {in_axes} has {len(in_axes)} entries"
        way_out = "Give one for each, or an int for all."
        raise ValueError(f"{entries}, for {len(args)} positional arguments. {way_out}")


# What may stand for an array while shapes alone are asked for.


class ShapeDtypeStruct(Typed):
    """A shape and a dtype in the place of an array: for `eval_shape` and `make_jaxpr`.

    `sharding`, if given, says how the array lies on devices.

    >>> ShapeDtypeStruct((2, 3), "float32")
    ShapeDtypeStruct(shape=(2, 3), dtype=float32)
    """

    __slots__ = ("_sharding", "aval")

    def __init__(
        self, shape: Sequence[int], dtype: Any, *, sharding: Any = None, weak_type: bool = False
    ) -> None:  # fmt: skip
        if dtype is None:
            raise ValueError("ShapeDtypeStruct got None as its dtype. Give one, such as 'float32'.")
        if sharding is not None and not hasattr(sharding, "shard_shape"):
            way_out = "Give one such as x.sharding."
            raise ValueError(f"ShapeDtypeStruct got the sharding {safe_repr(sharding)}. {way_out}")
        self.aval = ShapedArray(canonicalize_shape(shape), dtype, weak_type)
        self._sharding = sharding

    sharding = property(lambda self: self._sharding, doc="How it lies on devices, or None.")

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, ShapeDtypeStruct) and (
            other.aval is self.aval and other.sharding == self.sharding
        )

    def __hash__(self) -> int:
        return hash((self.aval, self.sharding))

    def __repr__(self) -> str:
        places = f", sharding={self.sharding}" if self.sharding is not None else ""
        weak = ", weak_type=True" if self.weak_type else ""
        return f"ShapeDtypeStruct(shape={self.shape}, dtype={self.dtype}{places}{weak})"


pytype_aval_mappings[ShapeDtypeStruct] = lambda x: abstractify(x)  # in a program without values


def abstractify(x: Any) -> Any:
    """The type of a value, or of what stands for one: anything with a shape and a dtype."""
    if not isinstance(x, ShapeDtypeStruct) and (is_array_like(x) or not hasattr(x, "dtype")):
        return typeof(x)
    if isinstance(x, AbstractValue) and x.mutable:
        return x
    shape, dtype = canonicalize_shape(x.shape), canonicalize_dtype(x.dtype)
    say = getattr(getattr(x, "sharding", None), "say_in_type", lambda aval: aval)
    return say(ShapedArray(shape, dtype, getattr(x, "weak_type", False)))


# Which arguments are static: not traced, but part of what is traced.


def as_tuple(x: Any) -> tuple:
    """One thing, as an int or a string, or a collection of them, as a tuple."""
    is_one = isinstance(x, str) or not hasattr(x, "__iter__")
    return () if x is None else (x,) if is_one else tuple(x)


def as_positions(name: str, argnums: Any) -> tuple:
    """The positions `argnums` as a tuple; TypeError, naming the function, where one is no int."""
    nums = as_tuple(argnums)
    if not all(hasattr(i, "__index__") for i in nums):
        way_out = "Count the positional arguments from 0."
        raise TypeError(f"{name} takes ints as argnums, and got {safe_repr(nums)}. {way_out}")
    return nums


def within(argnums: Sequence[int], num_args: int) -> list[int]:
    """The positions that a call with so many arguments has, counted from the front."""
    return [i % num_args for i in argnums if -num_args <= i < num_args]


def split_static(
    fun: Callable, args: tuple, kwargs: dict, argnums: Sequence[int], argnames: Sequence[str]
) -> tuple[Callable, tuple, dict, tuple]:
    """Takes the static arguments out of a call and into the function.

    Returns the function of the others, these others (args, kwargs), and the static ones.
    """
    static_nums = {i: args[i] for i in within(argnums, len(args))}
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


def static_key(static: tuple, fun: Callable) -> tuple:
    """The static arguments as part of a cache's key; ValueError where one can't be hashed."""
    for where, value in static:
        try:
            hash(value)
        except TypeError as error:
            name = getattr(fun, "__name__", type(fun).__name__)
            got = f"an array of {typeof(value)}" if is_array_like(value) else safe_repr(value)
            raise ValueError(
                f"{name}'s static argument {where} is {got}, which can't be hashed. "
                f"Give a hashable value, such as a tuple, or trace the argument."
            ) from error
    return tuple((where, value_key(value)) for where, value in static)


def by_equality(x: Any) -> tuple:
    return type(x), x


def value_key(x: Any, of_other: Callable = by_equality) -> Any:
    """A value as part of a cache's key: with it come only calls that depend on it alike.

    Of what Python calls equal, 1, 1.0 and True are told apart, and 0.0 and -0.0, within tuples too;
    NaN is like itself. `of_other` gives the key of what is no number, bool, string or None.
    """
    cls = type(x)
    if cls is int or cls is bool or cls is str or x is None:
        return cls, x
    if cls is tuple or cls is list:
        return (cls, *[value_key(item, of_other) for item in x])
    if cls is float or cls is complex or isinstance(x, np.generic):
        return cls, x if x == x else str(x), np.asarray(x).tobytes()
    return of_other(x)


def infer_args(fun: Callable, argnums: Any, argnames: Any) -> tuple[tuple, tuple]:
    """Arguments by number and by name: what is given one way is looked up the other."""
    nums, names = as_positions("jit", argnums), as_tuple(argnames)
    if not all(isinstance(name, str) for name in names):
        way_out, got = "Give positions as argnums.", safe_repr(names)
        raise TypeError(f"jit takes names of arguments as strings, and got {got}. {way_out}")
    try:
        parameters = list(inspect.signature(fun).parameters.values()) if nums or names else []
    except (TypeError, ValueError):  # Python does not know every function's parameters
        return nums, names
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters):
        return nums, names
    positional = [p.name for p in parameters if p.kind != p.KEYWORD_ONLY]
    size, known = len(positional), [p.name for p in parameters]
    lacking = tuple(i for i in nums if not -size <= i < size)
    lacking += tuple(name for name in names if name not in known)
    if lacking:
        fun_name, has = getattr(fun, "__name__", fun), ", ".join(known)
        raise ValueError(
            f"jit was told of arguments {lacking}, and {fun_name} has only: {has}. "
            f"Count them from 0, or name them."
        )
    if argnums is None:
        nums = tuple(positional.index(name) for name in names if name in positional)
    if argnames is None:
        names = tuple(positional[i] for i in nums)
    return nums, names


# Which arguments are donated: given away, to be deleted.


def donated_leaves(
    donate: tuple, args: tuple, kwargs: dict, static: tuple, leaves: Sequence[Any]
) -> tuple[bool, ...]:  # fmt: skip
    """For each of the leaves, those of the arguments that are not static, whether it is donated."""
    if not any(donate):
        return (False,) * len(leaves)
    donated_nums, static_nums = within(donate[0], len(args)), within(static[0], len(args))
    marks: list[bool] = []
    for i, x in enumerate(args):
        if i not in static_nums:
            marks += [i in donated_nums] * tree_structure(x).num_leaves
    for name in sorted(kwargs):
        if name not in static[1]:
            marks += [name in donate[1]] * tree_structure(kwargs[name]).num_leaves
    return tuple(marks)


def check_donated(operands: Sequence[Any], donated: Sequence[bool], name: str) -> None:
    times = Counter(map(id, operands))
    for x, donate in zip(operands, donated, strict=True):
        if donate and times[id(x)] > 1:
            raise JaxRuntimeError(f"jit({name}) was given one array of type {x.aval} twice, once to"
                                  f" donate it. Donate a copy: x.copy().")  # fmt: skip


def delete_donated(operands: Sequence[Any], donated: Sequence[bool], closed: Any) -> None:
    """Deletes each donated array whose place a result could take: as many items, as large."""
    used = {x for eqn in closed.eqns for x in eqn.invars}.union(closed.outvars)
    room = Counter((aval.size, aval.dtype.itemsize) for aval in closed.out_avals)
    for x, donate, v in zip(operands, donated, closed.invars, strict=True):
        if donate and v in used and not v.aval.mutable and room[x.size, x.itemsize] > 0:
            room[x.size, x.itemsize] -= 1
            x.delete()


# Which arguments a gradient is taken by, and what of.


def chosen_args(argnums: Any, args: tuple, name: str) -> tuple[int, ...]:
    """The arguments `argnums`, counted from the front, for `name`; an error if there are none."""
    nums = as_positions(name, argnums)
    if not nums or min(nums) < -len(args):
        raise ValueError(
            f"{name} needs argnums of {len(args)} positional arguments; got {nums}. "
            f"Give one at least, and count from 0."
        )
    places = tuple(dict.fromkeys(within(nums, len(args))))
    if len(places) != len(nums):
        raise TypeError(
            f"{name} was to differentiate by the arguments {nums} of a call with {len(args)} "
            f"positional ones. Count from 0, give each number once, and pass by position."
        )
    return places


def partial_on(fun: Callable, places: Sequence[int], args: tuple, kwargs: dict) -> Callable:
    """The function of only the arguments at `places`; the others are as given."""

    @wraps(fun)
    def partial_fun(*chosen: Any) -> Any:
        all_args = list(args)
        for i, x in zip(places, chosen, strict=True):
            all_args[i] = x
        return fun(*all_args, **kwargs)

    return partial_fun


def check_inputs(leaves: Sequence[Any], info: DebugInfo, allow: tuple, way_out: str) -> None:
    """TypeError, naming the argument, for what has another dtype than those of kinds `allow`."""
    check_args(leaves, info)
    for i, x in enumerate(leaves):
        if not issubdtype(typeof(x).dtype, *allow):
            got = f"{typeof(x)} for {info.arg_name(i)}"
            fix = "Give complex numbers" if allow == COMPLEX else as_float(x)
            raise TypeError(f"{info.traced_for} can't differentiate by {got}. {fix}, or {way_out}.")


def as_float(x: Any) -> str:
    """How to make a float of what is none, in words."""
    if issubdtype(typeof(x).dtype, extended):
        return "Choose by argnums what is no key"
    if issubdtype(typeof(x).dtype, np.complexfloating):
        return "Give real numbers"
    return f"Give {float(x)}" if type(x) in (bool, int) else "Convert it with x.astype(float)"


COMPLEX, NOT_COMPLEX = (np.complexfloating,), "leave out holomorphic=True"


def differentiable(allow_int: bool) -> tuple:
    """The kinds of inputs that a gradient is taken by."""
    return (np.inexact, np.integer, np.bool_, extended) if allow_int else (np.inexact,)


ALLOW_INT = "pass allow_int=True for a float0 gradient"


def call_by(
    fun: Callable, argnums: Any, args: tuple, kwargs: dict, name: str, allow: tuple,
    way_out: str = ALLOW_INT, holomorphic: bool = False,
) -> tuple[Callable, tuple, DebugInfo]:  # fmt: skip
    """The function of only the arguments `argnums`, these arguments, and what to say of them."""
    if holomorphic:
        allow, way_out = COMPLEX, NOT_COMPLEX
    places = chosen_args(argnums, args, name)
    info = debug_info(name, fun, args, kwargs, places)
    chosen = tuple(args[i] for i in places)
    check_inputs(tree_flatten(chosen)[0], info, allow, way_out)
    return partial_on(fun, places, args, kwargs), chosen, info


def check_output(x: Any, name: str, holomorphic: bool = False) -> None:
    dtype, kind = typeof(x).dtype, "complex" if holomorphic else "float"
    if not issubdtype(dtype, np.complexfloating if holomorphic else np.floating):
        way_out = f"Convert it: x.astype({kind})."
        if issubdtype(dtype, np.complexfloating):
            way_out = "Use vjp or jvp, or take its absolute value."
        got = f"the function returned {typeof(x)}"
        raise TypeError(f"{name} needs a {kind} result, and {got}. {way_out}")


def check_scalar(x: Any, name: str, holomorphic: bool = False) -> None:
    leaves, tree = tree_flatten(x)
    if len(leaves) != 1 or tree != tree_flatten(0)[1]:
        way_out = "With extra results, return a pair (number, extra) and pass has_aux=True."
        raise TypeError(
            f"{name} needs a function whose result is one number, and it returned "
            + ("None. Give it a return statement." if x is None else f"{tree}. {way_out}")
        )
    if typeof(x).shape:
        raise TypeError(
            f"{name} needs a function whose result is one number, and it returned {typeof(x)}. "
            f"Sum or average it first, or use jacrev."
        )
    check_output(x, name, holomorphic)

# Numbers keep the types that they have when they come in, whatever the settings inside a function.


class TypedFloat(float):
    """A number of Python's, and the type that it had."""

    aval: Any


pytype_aval_mappings[TypedFloat] = lambda x: x.aval


def with_type(x: Any) -> Any:
    """The argument; numbers whose type depends on the settings, with the type of today."""
    if type(x) is float:
        typed = TypedFloat(x)
        typed.aval = typeof(x)
        return typed
    if type(x) is complex or isinstance(x, np.ndarray | np.generic) and x.dtype in NARROW:
        return as_array(x) if np.ndim(x) else as_number(x)
    return x
