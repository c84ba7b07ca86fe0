"""What has to be moved for an array to be cut in another way, and how many bytes each device gets.

Four ways: a part of what one has costs nothing; a gather brings the other parts; an exchange cuts
one axis and joins another; and of sums, one has all of it or one's own part.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from minijax.compiler.passes.cuts import Cut, Cuts, Names
from minijax.compiler.passes.factors import Factors
from minijax.core.staging import Atom, JaxprEqn


class Step(NamedTuple):
    """A collective: which, over which names, along which axes of the array; the bytes it brings."""

    kind: str
    names: Names
    axes: tuple[int, ...]
    bytes: int


def between(x: Atom, old: Cut, new: Cut, cuts: Cuts) -> Iterator[Step]:
    """The steps from one cut of x to another. Parts are taken as soon as they can be, since less is
    moved then; a name that goes from one axis to another is exchanged; what is left is gathered."""
    cut = list(old)
    yield from _parts(cut, new)
    for d in range(len(cut)):
        for e in range(len(cut)):
            if cut[e] and e != d and _is_next(cut[e][-1], cut[d], new[d]):
                name, size = cut[e][-1], part_bytes(x, cut, cuts)
                if name not in new[e] and _divides(x, cut, d, name, cuts):
                    cut[e], cut[d] = cut[e][:-1], (*cut[d], name)
                    yield Step("exchange", (name,), (e, d), size - size // cuts.mesh[name])
    for d, names in enumerate(new):
        while names[: len(cut[d])] != cut[d]:
            name, size = cut[d][-1], part_bytes(x, cut, cuts)
            cut[d] = cut[d][:-1]
            yield Step("gather", (name,), (d,), size * (cuts.mesh[name] - 1))
    yield from _parts(cut, new)


def _parts(cut: list[Names], new: Cut) -> Iterator[Step]:
    """Parts along the names that no axis is cut by so far."""
    for d, names in enumerate(new):
        while cut[d] != names and names[: len(cut[d])] == cut[d]:
            name = names[len(cut[d])]
            if any(name in others for others in cut):
                break
            cut[d] = (*cut[d], name)
            yield Step("part", (name,), (d,), 0)


def _is_next(name: str, cut: Names, new: Names) -> bool:
    return new[: len(cut) + 1] == (*cut, name)


def _divides(x: Atom, cut: list[Names], d: int, name: str, cuts: Cuts) -> bool:
    return x.aval.shape[d] % cuts.parts((*cut[d], name)) == 0


def after_sums(
    x: Atom, sums: Mapping[str, Names], old: Cut, new: Cut, cuts: Cuts
) -> Iterator[Step]:  # fmt: skip
    """The steps from what each device has added up to x, cut as it is to be."""
    cut = list(old)
    for kind, names in sums.items():
        left = []
        for name in names:
            wants = (d for d in range(len(cut)) if _is_next(name, cut[d], new[d]))
            d = next(wants, None) if kind == "psum" else None
            if d is None:
                left.append(name)
                continue
            size = part_bytes(x, cut, cuts)
            cut[d] = (*cut[d], name)
            yield Step("scatter", (name,), (d,), size - size // cuts.mesh[name])
        if left:
            size, n = part_bytes(x, cut, cuts), cuts.parts(left)
            yield Step(kind, tuple(left), (), 2 * (size - size // n))
    yield from between(x, tuple(cut), new, cuts)


def part_bytes(x: Atom, cut: list[Names] | Cut, cuts: Cuts) -> int:
    """The size of a device's part."""
    aval: Any = x.aval
    itemsize = getattr(getattr(aval, "dtype", None), "itemsize", 0)
    return itemsize * getattr(aval, "size", 0) // cuts.parts([n for names in cut for n in names])


def reason(eqn: JaxprEqn, found: Factors | None, cuts: Cuts) -> str:
    """Why an equation's operands are moved."""
    if found is None:
        return "it takes whole arrays"
    axes = [(letters, names) for x, axes in zip(eqn.invars, found.operands, strict=True)
            for letters, names in zip(axes, cuts[x], strict=True) if names]  # fmt: skip
    if any(not letters or found.whole.intersection(letters) for letters, _ in axes):
        return "it takes whole axes"
    alike = set(axes)
    used = [name for _, names in alike for name in names]
    if len(used) == len(set(used)):
        return "to move its result would cost no less"
    return "its operands are cut in different ways"
