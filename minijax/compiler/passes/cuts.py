"""How arrays are cut, each value of a program, on a mesh of devices; and along which letters a cut
goes on to other arrays.

A mesh is here what it is to a device: names, and how many devices each counts. A cut has for each
axis of an array the names along which it is cut, the outermost first: with x=4 and y=2, of an array
f32[8,6] cut (("x",), ("y",)) each device has f32[2,3].
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from minijax.compiler.passes.factors import Axes, Factors, Letter
from minijax.core.staging import Atom, Literal, Var
from minijax.core.tracing import ShapedArray

Mesh = Mapping[str, int]
Names = tuple[str, ...]
Cut = tuple[Names, ...]


class Cuts:
    """How the variables of a program are cut. A cut that is given stays; any other may grow."""

    def __init__(self, mesh: Mesh) -> None:
        self.mesh = mesh
        self.of: dict[Atom, Cut] = {}
        self.given: set[Atom] = set()

    def __getitem__(self, x: Atom) -> Cut:
        return self.of.get(x) or whole(x)

    def give(self, x: Atom, cut: Cut | None) -> None:
        if cut is not None and type(x) is Var and x not in self.given:
            self.of[x] = cut
            self.given.add(x)

    def grow(self, x: Atom, cut: Cut) -> bool:
        """Takes a cut for a variable whose own wasn't given; whether that is news."""
        if type(x) is Literal or x in self.given or self[x] == cut:
            return False
        self.of[x] = cut
        return True

    def fit(self) -> None:
        """Leaves out the names that an axis can't be cut by. They were passed on all the same: what
        a slice is too short for may fit what is made of it."""
        for x, cut in self.of.items():
            if x not in self.given:
                self.of[x] = self.fitted(x.aval.shape, cut)

    def fitted(self, shape: Sequence[int], cut: Cut) -> Cut:
        if 0 in shape:
            return ((),) * len(shape)
        return tuple(fitting(names, n, self) for names, n in zip(cut, shape, strict=True))

    def parts(self, names: Sequence[str]) -> int:
        return math.prod(self.mesh[name] for name in names)

    def local_shape(self, shape: Sequence[int], cut: Cut) -> tuple[int, ...]:
        return tuple(n // self.parts(names) for n, names in zip(shape, cut, strict=True))


def local_aval(aval: Any, cut: Cut, cuts: Cuts) -> Any:
    """The type of a part."""
    if not isinstance(aval, ShapedArray):
        return aval
    return ShapedArray(cuts.local_shape(aval.shape, cut), aval.dtype, aval.weak_type)


def whole(x: Atom) -> Cut:
    return ((),) * len(getattr(x.aval, "shape", ()))


def fitting(names: Names, size: int, cuts: Cuts) -> Names:
    """The first of the names, as many as an axis of this size can be cut by."""
    while names and size % cuts.parts(names):
        names = names[:-1]
    return names


def agreed(a: Names, b: Names) -> Names:
    """The longer of two, where one goes on as the other begins; else what they have in common."""
    shorter = min(len(a), len(b))
    pairs = enumerate(zip(a, b, strict=False))
    common = next((i for i, (x, y) in pairs if x != y), shorter)
    return max(a, b, key=len) if common == shorter else a[:common]


def merged(a: Cut, b: Cut) -> Cut:
    """a, with b's names where these go on from a's and no other axis has them."""
    out = list(a)
    for d, names in enumerate(b):
        elsewhere = {name for e, other in enumerate(out) for name in other if e != d}
        if names[: len(out[d])] == out[d] and elsewhere.isdisjoint(names):
            out[d] = names
    return tuple(out)


# Between the axes of an array and the letters of an equation.


def spelled(axes: Axes, cut: Cut, found: Factors, cuts: Cuts) -> Iterator[tuple[Letter, Names]]:
    """The names that belong to each letter of an array. Several letters of one axis take them in
    turn, each as many as its length can be cut by."""
    for letters, names in zip(axes, cut, strict=True):
        for letter in letters:
            length = found.lengths.get(letter)
            taken = names if length is None else fitting(names, length, cuts)
            if taken:
                yield letter, taken
            names = names[len(taken) :]
            if length is not None and cuts.parts(taken) < length:
                break


def joined(
    letters: Sequence[Letter], names: Mapping[Letter, Names], found: Factors, cuts: Cuts
) -> Names:
    """The names of an axis. A letter can be cut if those outside of it are cut to pieces of one."""
    out: Names = ()
    for letter in letters:
        out += names.get(letter, ())
        if cuts.parts(names.get(letter, ())) < found.lengths.get(letter, math.inf):
            break
    return out
