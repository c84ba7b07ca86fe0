"""A reference is a place: what is in it changes, while whoever holds it holds the same place.

Its type, `AbstractRef`, says the type of what is in it. To look, to put something in and to add
something are effects, of which the order is kept. A reference is no array: nothing is computed of
it before it was read.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import Any, NoReturn

from minijax.core.arrays import Array, to_numpy
from minijax.core.primitives import zeros
from minijax.core.printing import programs_in_params
from minijax.core.tracing import (
    AbstractValue,
    Effect,
    Primitive,
    Tracer,
    Typed,
    pytype_aval_mappings,
)

# The type.

_interned: weakref.WeakValueDictionary[tuple, AbstractRef] = weakref.WeakValueDictionary()
_interning = threading.RLock()


class AbstractRef(AbstractValue):
    """The type of a reference to values of `inner_aval`. Equal types are one object.

    >>> from minijax.core.tracing import ShapedArray
    >>> AbstractRef(ShapedArray((3,), "float32"))
    Ref{float32[3]}
    """

    __slots__ = ("inner_aval", "kind", "memory_space", "__weakref__")
    inner_aval: Any
    memory_space: Any
    kind: Any
    mutable = True
    # What such a value does, of functions that are defined in other modules of this family.
    new_ref: Callable
    getitem: Callable
    setitem: Callable
    at: Callable
    check_operands: Callable
    check_call: Callable
    held_last: Callable
    vma: frozenset = frozenset()

    def __new__(cls, inner_aval: Any, memory_space: Any = None, kind: Any = None) -> AbstractRef:
        aval = object.__new__(cls)
        aval.inner_aval, aval.memory_space, aval.kind = inner_aval, memory_space, kind
        with _interning:
            return _interned.setdefault((inner_aval, memory_space, kind), aval)

    shape = property(lambda self: self.inner_aval.shape)
    dtype = property(lambda self: self.inner_aval.dtype)
    ndim = property(lambda self: self.inner_aval.ndim)
    size = property(lambda self: self.inner_aval.size)
    weak_type = property(lambda self: self.inner_aval.weak_type)

    def to(self, inner_aval: Any) -> AbstractRef:
        """The same kind of reference, to values of another type."""
        return AbstractRef(inner_aval, self.memory_space, self.kind)

    def of_zeros(self) -> Any:
        """A new reference of this type, with zeros in it."""
        return AbstractRef.new_ref(zeros(self.inner_aval))

    @property
    def placed(self) -> NoReturn:
        raise ValueError(
            f"The gradient by a {self} is added up in a reference. Give one, of zeros: use vjp, "
            f"and f_vjp.with_refs(ref)(ct)."
        )

    def update(self, **changes: Any) -> AbstractRef:
        return self.to(self.inner_aval.update(**changes))

    def strip_weak_type(self) -> AbstractRef:
        return self.to(self.inner_aval.strip_weak_type())

    def to_tangent_aval(self) -> AbstractRef:
        return self.to(self.inner_aval.to_tangent_aval())

    def str_short(self, short_dtypes: bool = False) -> str:
        space = "" if self.memory_space is None else f"<{self.memory_space}>"
        return f"Ref{space}{{{self.inner_aval.str_short(short_dtypes)}}}"

    def __repr__(self) -> str:
        return self.str_short()

    def __reduce__(self) -> tuple:
        return AbstractRef, (self.inner_aval, self.memory_space, self.kind)


# What is done to one.


class RefEffect(Effect):
    """Something is done to a reference."""

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self)

    def __hash__(self) -> int:
        return hash(type(self))

    def __repr__(self) -> str:
        return type(self).__name__


class ReadEffect(RefEffect):
    """Someone looks at what is in it."""


class WriteEffect(RefEffect):
    """Something takes the place of what was in it."""


class AccumEffect(RefEffect):
    """Something is added to what is in it."""


READ, WRITE = frozenset([ReadEffect()]), frozenset([WriteEffect()])
ACCUMULATE = frozenset([AccumEffect()])

# The reference itself, outside of programs.


class _RefMeta(type):
    """`isinstance(x, Ref)` is true of tracers that stand for references too."""

    def __instancecheck__(cls, x: Any) -> bool:
        return cls in type(x).__mro__ or isinstance(x, Tracer) and x.aval.mutable


class Ref(Typed, metaclass=_RefMeta):
    """A mutable array: `ref[...]` reads it, `ref[...] = x` writes it. `new_ref` makes one.

    The operations are put on this class by the module that defines them.
    """

    __slots__ = ("_value", "aval", "__weakref__")
    _value: Any  # the Array that is in it now
    aval: AbstractRef

    def __init__(self, value: Any, aval: AbstractRef) -> None:
        self._value, self.aval = value, aval

    sharding = property(lambda self: self._value.sharding)
    committed = property(lambda self: self._value.committed)

    def unsafe_buffer_pointer(self) -> int:
        """The address of its numbers."""
        return to_numpy(self._value).__array_interface__["data"][0]

    def block_until_ready(self) -> Ref:
        """Returns at once: minijax computes before it answers."""
        return self

    def __array__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise TypeError(f"A {self.aval} is no array. Use what is in it: ref[...].")

    def __bool__(self) -> NoReturn:
        raise TypeError(f"A {self.aval} is neither true nor false. Use bool(ref[...]).")

    def __repr__(self) -> str:
        return f"Ref{repr(self._value)[len('Array') :]}"


pytype_aval_mappings[Ref] = lambda ref: ref.aval
_is_array = type(Array).__instancecheck__


def _is_no_reference(cls: type, x: Any) -> bool:
    """`isinstance(x, Array)`, now that there are tracers that stand for references. (In the core,
    where a tracer need not know its type yet, all stand for arrays.)"""
    return _is_array(cls, x) and not (isinstance(x, Tracer) and x.aval.mutable)


type(Array).__instancecheck__ = _is_no_reference

# Operations on arrays refuse references: a program that carries programs takes them, and those that
# say so.

takes_refs: set[Any] = set()


def _of_references(primitive: Any, avals: Any, params: Any, out: Any, effects: Any) -> tuple:
    """Nobody sees from outside what a program does to references that it makes itself."""
    if not any(aval.mutable for aval in avals):
        return out, frozenset(e for e in effects if not isinstance(e, RefEffect))
    if primitive not in takes_refs and not any(programs_in_params(params)):
        raise ValueError(
            f"{primitive} takes arrays, and got a reference among {list(avals)}. Use what is in "
            f"it: ref[...]."
        )
    return out, effects


Primitive.refinements.append(_of_references)


def is_ref(x: Any) -> bool:
    """Whether x is a variable, or another thing with a type, of references."""
    return x.aval.mutable
