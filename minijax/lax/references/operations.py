"""What is done with references: seven primitives, and the functions that bind them.

`swap` puts a value in and gives what was there; to write is a swap whose result nobody uses.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minijax.core.arrays import Array, ArrayImpl, as_array, is_array_like
from minijax.core.errors import api_boundary
from minijax.core.primitives import add_jaxvals, cast
from minijax.core.printing import Names, pp_forms, vars_doc
from minijax.core.pytrees import PyTreeDef, tree_flatten, tree_unflatten
from minijax.core.staging import JaxprEqn, own_handle
from minijax.core.tracing import Primitive, ShapedArray, Tracer, typeof
from minijax.face.lazily import call_lazily
from minijax.lax.custom.derivatives import custom_jvp_call_p, custom_lin_p, custom_vjp_call_p
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.references.indexers import (
    NDIndexer,
    add_to_part,
    parse,
    read_at,
    shown_index,
    update_at,
    write_part,
)
from minijax.lax.references.types import ACCUMULATE, READ, WRITE, AbstractRef, Ref, takes_refs

# A reference is made of a value, and at the end the value is taken out.

new_ref_p, freeze_p = Primitive("new_ref"), Primitive("freeze")


@new_ref_p.def_abstract_eval
def _new_ref_rule(x: ShapedArray, *, memory_space: Any, kind: Any) -> AbstractRef:
    return AbstractRef(x, memory_space, kind)


@new_ref_p.def_impl
def _new_ref_impl(x: Any, *, memory_space: Any, kind: Any) -> Ref:
    if memory_space is not None:
        raise NotImplementedError(
            f"new_ref got memory_space={shown(memory_space)}, and outside of programs there is one "
            f"memory. Leave it out, or call new_ref inside jit."
        )
    x = own_handle(as_array(x))
    return Ref(x, AbstractRef(typeof(x), memory_space, kind))


@freeze_p.def_effectful_abstract_eval
def _freeze_rule(ref: AbstractRef, /) -> tuple:
    return ref.inner_aval, READ


@freeze_p.def_impl
def _freeze_impl(ref: Ref) -> Array:
    return own_handle(cast(ref._value, ref.dtype, ref.aval.weak_type))


# Reading, writing and adding, at an index. The traced parts of the index are operands; `tree` has
# the rest: it is the structure of a tuple of indexers, each of the part that the one before means.

get_p, swap_p, addupdate_p = Primitive("get"), Primitive("swap"), Primitive("addupdate")
addupdate_p.multiple_results = True


def indexed_shape(ref: AbstractRef, indexers: Sequence[NDIndexer]) -> tuple[int, ...]:
    return indexers[-1].get_indexer_shape() if indexers else ref.shape


def check_value(name: str, ref: AbstractRef, x: ShapedArray, indexers: Sequence) -> None:
    """ValueError for a value of another shape or dtype than what it is put into."""
    if x.shape != (shape := indexed_shape(ref, indexers)):
        raise ValueError(
            f"{name} got a value of the shape {x.shape} for a part of the shape {shape} of a {ref}."
            f" Give that shape: jnp.broadcast_to(x, {shape})."
        )
    if x.dtype != ref.dtype:
        raise ValueError(
            f"{name} got a value of {x.dtype} for a {ref}. Convert it: x.astype('{ref.dtype}')."
        )


@get_p.def_effectful_abstract_eval
def _get_rule(ref: AbstractRef, *leaves: Any, tree: PyTreeDef) -> tuple:
    return ref.inner_aval.update(shape=indexed_shape(ref, tree_unflatten(tree, leaves))), READ


@swap_p.def_effectful_abstract_eval
def _swap_rule(ref: AbstractRef, x: ShapedArray, *leaves: Any, tree: PyTreeDef) -> tuple:
    check_value("swap", ref, x, tree_unflatten(tree, leaves))
    return ref.inner_aval.update(shape=x.shape), WRITE


@addupdate_p.def_effectful_abstract_eval
def _addupdate_rule(ref: AbstractRef, x: ShapedArray, *leaves: Any, tree: PyTreeDef) -> tuple:
    check_value("addupdate", ref, x, tree_unflatten(tree, leaves))
    return [], ACCUMULATE


def put(x: Any, indexers: Sequence[NDIndexer], value: Any) -> Any:
    """x with a value in the place of a part, or of all of it."""
    return update_at(write_part, x, indexers, value) if indexers else value


def added(x: Any, indexers: Sequence[NDIndexer], value: Any) -> Any:
    """x with a value added to a part, or to all of it."""
    return update_at(add_to_part, x, indexers, value) if indexers else add_jaxvals(x, value)


@get_p.def_impl
def _get_impl(ref: Ref, *leaves: Any, tree: PyTreeDef) -> Array:
    value = read_at(ref._value, tree_unflatten(tree, leaves))
    return own_handle(cast(value, ref.dtype, ref.aval.weak_type))


@swap_p.def_impl
def _swap_impl(ref: Ref, x: Any, *leaves: Any, tree: PyTreeDef) -> Array:
    indexers = tree_unflatten(tree, leaves)
    check_value("swap", ref.aval, typeof(x), indexers)
    old = cast(read_at(ref._value, indexers), ref.dtype, ref.aval.weak_type)
    set_content(ref, put(ref._value, indexers, x))
    return old


@addupdate_p.def_impl
def _addupdate_impl(ref: Ref, x: Any, *leaves: Any, tree: PyTreeDef) -> list:
    indexers = tree_unflatten(tree, leaves)
    check_value("addupdate", ref.aval, typeof(x), indexers)
    set_content(ref, added(ref._value, indexers, x))
    return []


def set_content(ref: Ref, x: Any) -> None:
    """Puts a value into a reference outside of programs.

    What is in a reference is an `Array` that nobody else has: so who holds its numbers beside the
    reference can be counted (written_in_place.py). It stays on the devices where it was put.
    """
    x, old = as_array(x), ref._value
    if type(old) is not ArrayImpl and not x.sharding.is_equivalent_to(old.sharding, x.ndim):
        x = _beside(old, x)
    ref._value = own_handle(x)


_beside = call_lazily("minijax.lax.sharding.sharded_arrays.beside")


# One that begins with nothing in it, and one that nobody needs any more.

empty_ref_p, free_ref_p = Primitive("empty_ref"), Primitive("free_ref")
free_ref_p.multiple_results = True
takes_refs |= {get_p, swap_p, addupdate_p, freeze_p, free_ref_p}
takes_refs |= {custom_jvp_call_p, custom_vjp_call_p, custom_lin_p}


@empty_ref_p.def_abstract_eval
def _empty_ref_rule(*, ty: ShapedArray, memory_space: Any) -> AbstractRef:
    return AbstractRef(ty, memory_space)


@empty_ref_p.def_impl
def _empty_ref_impl(*, ty: ShapedArray, memory_space: Any) -> Ref:
    raise NotImplementedError(
        "empty_ref makes references inside of programs only. Call it inside jit, or use new_ref."
    )


@free_ref_p.def_effectful_abstract_eval
def _free_ref_rule(ref: AbstractRef, /) -> tuple:
    return [], WRITE


@free_ref_p.def_impl
def _free_ref_impl(ref: Ref) -> list:
    return []


# How they print: `b <- a[i]`, `a[i] <- b`, `a[i] += b`.


def part_shown(ref: Any, leaves: Sequence[Any], tree: PyTreeDef, names: Names) -> str:
    indexers = tree_unflatten(tree, leaves)
    brackets = [f"[{shown_index(indexer, names)}]" for indexer in indexers or (None,)]
    return names(ref) + "".join(brackets)


def _pp_get(eqn: JaxprEqn, names: Names) -> list:
    ref, *leaves = eqn.invars
    part = part_shown(ref, leaves, eqn.params["tree"], names)
    return [vars_doc(eqn.outvars, names, typed=True), " <- ", part]


def _pp_swap(eqn: JaxprEqn, names: Names) -> list:
    ref, x, *leaves = eqn.invars
    part, [old] = part_shown(ref, leaves, eqn.params["tree"], names), eqn.outvars
    if names(old) == "_":
        return [part, " <- ", names(x)]
    return [vars_doc([old], names, typed=True), f", {part} <- {part}, ", names(x)]


def _pp_addupdate(eqn: JaxprEqn, names: Names) -> list:
    ref, x, *leaves = eqn.invars
    return [part_shown(ref, leaves, eqn.params["tree"], names), " += ", names(x)]


pp_forms |= {get_p: _pp_get, swap_p: _pp_swap, addupdate_p: _pp_addupdate}

# What the user calls.


def new_ref(init_val: Any, *, memory_space: Any = None, kind: Any = None) -> Ref:
    """A reference with `init_val`, an array or a number, in it. TypeError for anything else.

    >>> ref = new_ref(1.5)
    >>> ref[...] = 2.0
    >>> ref
    Ref(2., dtype=float32)
    """
    if not is_array_like(init_val) or typeof(init_val).mutable:
        raise TypeError(
            f"new_ref takes an array or a number, and got {shown(init_val)}. Give jnp.array(...)."
        )
    return new_ref_p.bind(init_val, memory_space=memory_space, kind=kind)


def empty_ref(ty: Any, memory_space: Any = None) -> Ref:
    """A reference, inside of a program, to values of the shape and dtype that `ty` has: to be
    written before it is read."""
    if not hasattr(ty, "shape") or not hasattr(ty, "dtype"):
        raise TypeError(
            f"empty_ref takes a type, and got {shown(ty)}. Give jax.ShapeDtypeStruct(shape, dtype)."
        )
    return empty_ref_p.bind(ty=ShapedArray(ty.shape, ty.dtype), memory_space=memory_space)


def check_ref(name: str, ref: Any) -> None:
    if not isinstance(ref, Ref | TransformedRef):
        raise ValueError(f"{name} takes a reference, and got {shown(ref)}. Make one: new_ref(x).")


def freeze(ref: Ref) -> Array:
    """What is in a reference, at the end of its use.

    >>> freeze(new_ref(1.5))
    Array(1.5, dtype=float32, weak_type=True)
    """
    if not isinstance(ref, Ref):
        raise TypeError(f"freeze takes a reference, and got {shown(ref)}. Make one: new_ref(x).")
    return freeze_p.bind(ref)


def free_ref(ref: Ref) -> None:
    """Says that nobody needs a reference any more."""
    if not isinstance(ref, Ref):
        raise TypeError(f"free_ref takes a reference, and got {shown(ref)}. Make one: new_ref(x).")
    free_ref_p.bind(ref)


def located(name: str, ref: Any, index: Any) -> tuple[Any, list, PyTreeDef]:
    """The reference itself, and the index within it as operands and their structure."""
    check_ref(name, ref)
    outer = ref.indexers if type(ref) is TransformedRef else ()
    indexer = parse(index, ref.shape)
    leaves, tree = tree_flatten((*outer, *([] if indexer is None else [indexer])))
    return ref.ref if type(ref) is TransformedRef else ref, leaves, tree


def check_content(x: Any) -> Any:
    """The type of a value that is to be put into a reference; TypeError where it is none."""
    if (aval := typeof(x)).mutable:
        raise TypeError(f"A reference holds arrays, and got {aval}. Use what is in it: ref[...].")
    return aval


def get(ref: Any, idx: Any = None) -> Array:
    """`ref[idx]`: what is in it, or in a part of it. None means all.

    ValueError for what is no reference, and for an index that is known to be out of range.

    >>> get(new_ref(as_array(1.5)))
    Array(1.5, dtype=float32, weak_type=True)
    """
    ref, leaves, tree = located("get", ref, idx)
    return get_p.bind(ref, *leaves, tree=tree)


def swap(ref: Any, idx: Any, value: Any) -> Array:
    """Puts a value into a part of a reference, and returns what was there.

    ValueError for a value of another shape or dtype.
    """
    return _swap("swap", ref, idx, value)


def _swap(name: str, ref: Any, idx: Any, value: Any) -> Array:
    ref, leaves, tree = located(name, ref, idx)
    aval = check_content(value)
    value = cast(value, aval.dtype) if aval.weak_type else value
    return swap_p.bind(ref, value, *leaves, tree=tree)


def set(ref: Any, idx: Any, value: Any) -> None:
    """`ref[idx] = value`. ValueError for a value of another shape or dtype."""
    _swap("set", ref, idx, value)


def addupdate(ref: Any, idx: Any, x: Any) -> None:
    """Adds a value to a part of a reference. ValueError for a value of another shape or dtype.

    >>> ref = new_ref(1.5)
    >>> addupdate(ref, ..., 2.0)
    >>> ref[...]
    Array(3.5, dtype=float32, weak_type=True)
    """
    ref, leaves, tree = located("addupdate", ref, idx)
    check_content(x)
    addupdate_p.bind(ref, x, *leaves, tree=tree)


# Part of a reference, which is written to like a reference; and references that are written to
# like arrays.


class TransformedRef:
    """A part of a reference, `ref.at[index]`: reading and writing it is done to the reference."""

    __slots__ = ("indexers", "ref")

    def __init__(self, ref: Ref, indexers: tuple[NDIndexer, ...]) -> None:
        self.ref, self.indexers = ref, indexers

    shape = property(lambda self: indexed_shape(self.ref, self.indexers))
    dtype = property(lambda self: self.ref.dtype)
    ndim = property(lambda self: len(self.shape))
    at = property(lambda self: RefIndexer(self))

    def __repr__(self) -> str:
        return f"TransformedRef({self.ref!r}, {self.indexers})"


class RefIndexer:
    """ref.at: ref.at[index] is a part of the reference."""

    __slots__ = ("ref",)

    def __init__(self, ref: Any) -> None:
        self.ref = ref

    def __getitem__(self, index: Any) -> TransformedRef:
        whole = self.ref.ref if type(self.ref) is TransformedRef else self.ref
        outer = self.ref.indexers if type(self.ref) is TransformedRef else ()
        indexer = parse(index, self.ref.shape)
        return TransformedRef(whole, (*outer, *([] if indexer is None else [indexer])))


for _cls in (Ref, TransformedRef):
    _cls.__getitem__, _cls.__setitem__ = api_boundary(get), api_boundary(set)
for _cls in (Ref, TransformedRef, Tracer):
    _cls.addupdate = api_boundary(lambda ref, x, idx=...: addupdate(ref, idx, x))
TransformedRef.get = api_boundary(lambda ref: get(ref))
TransformedRef.set = api_boundary(lambda ref, value: set(ref, ..., value))
TransformedRef.swap = api_boundary(lambda ref, value: swap(ref, ..., value))
Ref.at = property(RefIndexer)
AbstractRef.new_ref, AbstractRef.getitem = staticmethod(new_ref), staticmethod(get)
AbstractRef.setitem, AbstractRef.at = staticmethod(set), staticmethod(RefIndexer)
