"""Types that say how arrays lie on a mesh with Explicit axes: `float32[8@x,4@y]`.

An axis of an array is cut by names of the mesh. Along others the devices have the same; or, where
the array is an unreduced sum, each has a term of it, `{U:x}`. An array whose cotangents are to be
such sums is a reduced one, `{R:x}`, and lies as if nothing were said.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from minijax.compiler.passes.cuts import Cut
from minijax.core.dtypes import float0
from minijax.core.tracing import ShapedArray, interned, typeof
from minijax.face.lazily import call_lazily
from minijax.lax.sharding.current_mesh import get_abstract_mesh
from minijax.lax.sharding.meshes import AbstractMesh
from minijax.lax.sharding.partition_specs import P
from minijax.lax.sharding.placed_types import listed, text_of_said
from minijax.lax.sharding.shardings import NamedSharding


class AxisCut(NamedTuple):
    """How an axis is cut of which single examples know nothing."""

    names: tuple
    mesh: AbstractMesh

    def with_axis(self, aval: Any, d: int, size: int) -> Any:
        """The type of arrays with one axis more, which is cut so."""
        aval = aval.spliced(d, 0, size)
        if type(aval) not in (ShapedArray, ExplicitArray):
            return aval
        cut = list(getattr(aval, "cut", ((),) * aval.ndim))
        cut[d] = self.names
        said = {**getattr(aval, "_said", {"mesh": self.mesh}), "cut": tuple(cut)}
        return ExplicitArray(aval.shape, aval.dtype, aval.weak_type, **said)


class ExplicitArray(ShapedArray):
    """The type of an array of which something is said along some axis of a mesh.

    Another shape is of another array, of which nothing is said; and types match whatever they say.

    >>> from minijax.lax.sharding.meshes import make_mesh
    >>> mesh = make_mesh((1, 1), ("x", "y")).abstract_mesh
    >>> ExplicitArray((8, 4), "float32", cut=(("x",), ()), mesh=mesh, unreduced={"y"})
    ShapedArray(float32[8@x,4]{U:y})
    """

    __slots__ = ("cut", "mesh", "unreduced", "reduced")
    cut: Cut
    mesh: AbstractMesh
    unreduced: frozenset
    reduced: frozenset

    def __new__(
        cls, shape: Sequence[int], dtype: Any, weak_type: bool = False, *, cut: Cut, mesh: Any,
        unreduced: Any = frozenset(), reduced: Any = frozenset(),
    ) -> Any:  # fmt: skip
        plain = ShapedArray(shape, dtype, weak_type)
        if not (any(cut) or unreduced or reduced) or plain.dtype == float0:
            return plain
        aval = object.__new__(cls)
        aval.shape, aval.dtype, aval.weak_type = plain.shape, plain.dtype, plain.weak_type
        aval.cut, aval.mesh = cut, mesh
        aval.unreduced, aval.reduced = frozenset(unreduced), frozenset(reduced)
        return interned(aval, *aval._said.values())

    @property
    def _said(self) -> dict[str, Any]:
        return {
            "cut": self.cut, "mesh": self.mesh, "unreduced": self.unreduced,
            "reduced": self.reduced,
        }  # fmt: skip

    def update(self, **changes: Any) -> Any:
        old = {"shape": self.shape, "dtype": self.dtype, "weak_type": self.weak_type}
        new = {**old, **changes}
        if tuple(new["shape"]) != self.shape and "cut" not in changes:
            return ShapedArray(new["shape"], new["dtype"], new["weak_type"])
        return ExplicitArray(**{**self._said, **new})

    def spliced(self, d: int, count: int, *sizes: int) -> Any:
        shape = super().spliced(d, count, *sizes).shape
        cut = (*self.cut[:d], *[()] * len(sizes), *self.cut[d + count :])
        return self.update(shape=shape, cut=cut)

    def to_ct_aval(self) -> Any:
        return self.update(unreduced=self.reduced, reduced=self.unreduced)

    def cut_along(self, d: int) -> AxisCut | None:
        return AxisCut(self.cut[d], self.mesh) if self.cut[d] else None

    def placed(self, x: Any) -> Any:
        return _brought(x, self.mesh, self.spec) if typeof(x).shape == self.shape else x

    def strip_weak_type(self) -> ShapedArray:
        return ShapedArray(self.shape, self.dtype)

    @property
    def spec(self) -> P:
        """How such an array lies."""
        partitions = (names[0] if len(names) == 1 else names or None for names in self.cut)
        return P(*partitions, unreduced=self.unreduced, reduced=self.reduced)

    said_sharding = property(lambda self: NamedSharding(self.mesh, self.spec))

    def str_short(self, short_dtypes: bool = False) -> str:
        name = super().str_short(short_dtypes).partition("[")[0]
        sizes = (f"{n}{_at(names)}" for n, names in zip(self.shape, self.cut, strict=True))
        sums = text_of_said("UR", (self.unreduced, self.reduced), self.mesh.axis_names)
        return f"{name}[{','.join(sizes)}]{sums}"

    def __reduce__(self) -> tuple:
        return _unpickled, (self.shape, self.dtype, self.weak_type, self._said)


_brought = call_lazily("minijax.lax.sharding.resharding.brought")


def _at(names: Sequence) -> str:
    return f"@{listed(names)}" if names else ""


def _unpickled(shape: tuple, dtype: Any, weak_type: bool, said: dict) -> Any:
    return ExplicitArray(shape, dtype, weak_type, **said)


def sharding_of(aval: ShapedArray) -> NamedSharding:
    """How such an array lies: whole, on the mesh that is set, where its type says nothing."""
    if type(aval) is ExplicitArray:
        return aval.said_sharding
    return NamedSharding(get_abstract_mesh(), P(*[None] * aval.ndim))


_explicit_type = call_lazily("minijax.lax.sharding.explicit_typing.explicit_type")


def laid(aval: ShapedArray, sharding: Any) -> ShapedArray:
    """The type of arrays that lie so. Along axes that are not Explicit it says nothing."""
    says = isinstance(sharding, NamedSharding) and sharding.mesh.abstract_mesh.explicit_axes
    return _explicit_type(aval, sharding) if says else aval
