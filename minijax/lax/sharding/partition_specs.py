"""How an array is cut: a `PartitionSpec` names, for each axis of the array, the axes of a mesh that
divide it.

>>> P("x", ("y", "z"), None)
P('x', ('y', 'z'), None)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from minijax.core.errors import api_boundary
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.sharding.meshes import Unchanging, interned

# What is said of each axis of an array.


class _Unconstrained:
    """Says of an axis that the compiler may divide it as it likes."""

    def __repr__(self) -> str:
        return "UNCONSTRAINED"

    def __reduce__(self) -> str:
        return "UNCONSTRAINED"


UNCONSTRAINED = _Unconstrained()


class P(Unchanging):
    """For each axis of an array, the axes of the mesh that divide it: a name, several, or None.

    `PartitionSpec` is its longer name.

    Axes at the end that nothing is said of are whole. Equal specs are one object, and no pytree.
    `unreduced` has axes along which the devices hold parts of a sum that is still to be made,
    `reduced` those along which the array is equal and its cotangent will be such parts. TypeError
    where these are no sets, ValueError where one name is said twice among the three.

    >>> P("x", None, ("y", "z"))
    P('x', None, ('y', 'z'))
    """

    __slots__ = ("partitions", "unreduced", "reduced", "__weakref__")
    UNCONSTRAINED = UNCONSTRAINED
    partitions: tuple[Any, ...]
    unreduced: frozenset
    reduced: frozenset

    @api_boundary
    def __new__(
        cls, *partitions: Any, unreduced: Any = frozenset(), reduced: Any = frozenset()
    ) -> P:
        sets = {"unreduced": _as_names("unreduced", unreduced)}
        sets["reduced"] = _as_names("reduced", reduced)
        known = tuple(map(_known_partition, partitions))
        _check_disjoint(known, **sets)
        return interned(cls, partitions=known, **sets)

    def __init_subclass__(cls) -> None:
        raise TypeError("PartitionSpec has no subclasses. Call P(...) instead.")

    def _alone(self) -> tuple[Any, ...]:
        if self.unreduced or self.reduced:
            raise ValueError(f"{self} says more than its axes do. Use its `.partitions`.")
        return self.partitions

    def __iter__(self) -> Iterator[Any]:
        return iter(self._alone())

    def __getitem__(self, i: Any) -> Any:
        return self._alone()[i]

    def __len__(self) -> int:
        return len(self.partitions)

    def __add__(self, other: Any) -> P:
        if isinstance(other, P):
            return P(*self.partitions, *other.partitions,
                     unreduced=self.unreduced | other.unreduced,
                     reduced=self.reduced | other.reduced)  # fmt: skip
        return P(*self._beside(other), *other)

    def __radd__(self, other: Any) -> P:
        mine = self._beside(other)
        return P(*other, *mine)

    def _beside(self, other: Any) -> tuple[Any, ...]:
        if not isinstance(other, tuple):
            got = shown(other)
            raise NotImplementedError(
                f"{self} + {got}: give another PartitionSpec, or a tuple. Use P({got})."
            )
        if self.unreduced or self.reduced:
            raise TypeError(f"{self} and the tuple {other} don't add up. Make it a P(...) first.")
        return self.partitions

    def index(self, value: Any) -> int:
        """The first axis that is divided so. ValueError where none is."""
        return self.partitions.index(_known_partition(value))

    def count(self, value: Any) -> int:
        """How many axes are divided so."""
        return self.partitions.count(_known_partition(value))

    def update(self, partitions: Any = None, unreduced: Any = None, reduced: Any = None) -> P:
        """A spec that differs in what is given."""
        return P(
            *(self.partitions if partitions is None else partitions),
            unreduced=self.unreduced if unreduced is None else unreduced,
            reduced=self.reduced if reduced is None else reduced,
        )

    def to_tangent_spec(self) -> P:
        """How a tangent of such an array lies: likewise."""
        return self

    def to_ct_spec(self) -> P:
        """How a cotangent lies: where the array is equal, it is the parts of a sum."""
        return self.update(unreduced=self.reduced, reduced=self.unreduced)

    def __repr__(self) -> str:
        axes = repr(self.partitions)[1:-1]
        sets = [
            f"{name}={set(names)!r}"
            for name, names in (("unreduced", self.unreduced), ("reduced", self.reduced)) if names
        ]  # fmt: skip
        if not sets:
            return f"P({axes})"
        gap = "" if not axes else " " if axes.endswith(",") else ", "
        return f"P({axes}{gap}{', '.join(sets)})"

    def __reduce__(self) -> tuple:
        return _spec, (self.partitions, self.unreduced, self.reduced)


PartitionSpec = P


def _spec(partitions: tuple, unreduced: frozenset, reduced: frozenset) -> P:
    return P(*partitions, unreduced=unreduced, reduced=reduced)


def _known_partition(given: Any) -> Any:
    """A name where one name stands in a tuple, None where none does."""
    names = tuple(given) if isinstance(given, tuple | list) else (given,)
    return (None, names[0] if names else None, names)[min(len(names), 2)]


def names_in(partition: Any) -> tuple[Any, ...]:
    """The axes of a mesh that divide an axis of an array.

    >>> names_in(("x", "y")), names_in("x"), names_in(None)
    (('x', 'y'), ('x',), ())
    """
    if partition is None or partition is UNCONSTRAINED:
        return ()
    return partition if isinstance(partition, tuple) else (partition,)


def names_of(spec: P) -> tuple[Any, ...]:
    """All the axes of a mesh that divide some axis of an array, in order."""
    return tuple(name for partition in spec.partitions for name in names_in(partition))


# What is refused.


def _as_names(argument: str, given: Any) -> frozenset:
    if not isinstance(given, set | frozenset):
        got = shown(given)
        raise TypeError(f"{argument} of PartitionSpec is {got}. Give a set of names of axes.")
    if None in given:
        raise ValueError(f"{argument} of PartitionSpec has None. Give names of a mesh's axes.")
    return frozenset(given)


def _check_disjoint(partitions: tuple, unreduced: frozenset, reduced: frozenset) -> None:
    used = {name for partition in partitions for name in names_in(partition)} if (
        unreduced or reduced
    ) else frozenset()  # fmt: skip
    for name in sorted((unreduced & reduced) | (used & (unreduced | reduced)), key=str):
        raise ValueError(
            f"PartitionSpec names {shown(name)} twice, as dividing, unreduced or reduced. Name "
            f"it once."
        )
