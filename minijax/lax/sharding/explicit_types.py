"""Types that say how arrays lie on a mesh with Explicit axes: `float32[8@x,4@y]`.

What an operation gives is cut as its operands are, along the letters that they share with it: by
the rule that the partitioner has for one equation. A type says this as far as it is plain; where
operands differ, nothing is said of the axis, and the partitioner decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minijax.compiler.passes.cuts import Cut, Cuts
from minijax.compiler.passes.factors import carried, placed
from minijax.compiler.passes.propagate import pass_through
from minijax.core import tracing
from minijax.core.dtypes import float0
from minijax.core.printing import programs_in_params
from minijax.core.staging import JaxprEqn, Var
from minijax.core.tracing import AbstractValue, Primitive, ShapedArray, no_effects
from minijax.lax.sharding.axes_alike import cut_of  # and fills the rules' tables
from minijax.lax.sharding.meshes import AbstractMesh, empty_abstract_mesh
from minijax.lax.sharding.partition_specs import NamedSharding, P
from minijax.lax.sharding.shard_map import shard_map_p
from minijax.lax.sharding.sharded_arrays import ShardedArray


class ExplicitArray(ShapedArray):
    """The type of an array that is cut along some axis of a mesh: never along none.

    Another shape is of another array, of which nothing is said; and types match whatever they say.

    >>> from minijax.lax.sharding.meshes import make_mesh
    >>> mesh = make_mesh((1, 1), ("x", "y")).abstract_mesh
    >>> ExplicitArray((8, 4), "float32", cut=(("x",), ()), mesh=mesh)
    ShapedArray(float32[8@x,4])
    """

    __slots__ = ("cut", "mesh")
    cut: Cut
    mesh: AbstractMesh

    def __new__(
        cls, shape: Sequence[int], dtype: Any, weak_type: bool = False, *, cut: Cut, mesh: Any
    ) -> Any:
        plain = ShapedArray(shape, dtype, weak_type)
        if not any(cut) or plain.dtype == float0:
            return plain
        aval = object.__new__(cls)
        aval.shape, aval.dtype, aval.weak_type = plain.shape, plain.dtype, plain.weak_type
        aval.cut, aval.mesh = cut, mesh
        with tracing._interning:
            key = (aval.shape, aval.dtype, aval.weak_type, cut, mesh)
            return tracing._interned.setdefault(key, aval)

    def update(self, **changes: Any) -> Any:
        old = {"shape": self.shape, "dtype": self.dtype, "weak_type": self.weak_type}
        new = {**old, **changes}
        if tuple(new["shape"]) != self.shape:
            return ShapedArray(**new)
        return ExplicitArray(**new, cut=self.cut, mesh=self.mesh)

    def strip_weak_type(self) -> ShapedArray:
        return ShapedArray(self.shape, self.dtype)

    def str_short(self, short_dtypes: bool = False) -> str:
        name = super().str_short(short_dtypes).partition("[")[0]
        sizes = (f"{n}{_at(names)}" for n, names in zip(self.shape, self.cut, strict=True))
        return f"{name}[{','.join(sizes)}]"

    def __reduce__(self) -> tuple:
        return _unpickled, (self.shape, self.dtype, self.weak_type, self.cut, self.mesh)


def _at(names: Sequence[str]) -> str:
    if not names:
        return ""
    return f"@{names[0]}" if len(names) == 1 else f"@({','.join(map(str, names))})"


def _unpickled(shape: tuple, dtype: Any, weak_type: bool, cut: Cut, mesh: Any) -> Any:
    return ExplicitArray(shape, dtype, weak_type, cut=cut, mesh=mesh)


def sharding_of(aval: ShapedArray) -> NamedSharding:
    """How such an array lies: on no mesh, where nothing is known of one."""
    if type(aval) is not ExplicitArray:
        return NamedSharding(empty_abstract_mesh, P(*[None] * aval.ndim))
    partitions = (names[0] if len(names) == 1 else names or None for names in aval.cut)
    return NamedSharding(aval.mesh, P(*partitions))


# The types of arrays, and of results.


def type_of(x: ShardedArray) -> ShapedArray:
    """That of an array on a mesh with Explicit axes."""
    return cut_type(x.aval, cut_of(x.sharding.spec, x.aval.ndim), x.sharding.mesh.abstract_mesh)


_typed_before = tracing.Rules.typed


def _typed(
    primitive: Primitive, avals: Sequence, params: dict, out: Any, effects: Any = ()
) -> tuple[Any, frozenset]:
    out, effects = _typed_before(primitive, avals, params, out, effects)
    if primitive is shard_map_p:
        return _as_out_specs(params, out), effects
    if next(programs_in_params(params), None) is not None:
        return out, effects  # its programs' types say it
    mesh = next((aval.mesh for aval in avals if type(aval) is ExplicitArray), None)
    if mesh is None:
        return out, effects
    outs = list(out) if primitive.multiple_results else [out]
    typed = _with_cuts(primitive, avals, params, outs, mesh)
    return typed if primitive.multiple_results else typed[0], effects


def _as_out_specs(params: dict, outs: Sequence) -> Sequence:
    """The results of a shard_map along all axes lie as it says."""
    mesh = params["mesh"]
    if not mesh.are_all_axes_explicit or params["newly_manual_axes"] != {*mesh.axis_names}:
        return outs
    pairs = zip(outs, params["out_specs"], strict=True)
    return [cut_type(aval, cut_of(spec, aval.ndim), mesh.abstract_mesh) for aval, spec in pairs]


def _with_cuts(
    primitive: Primitive, avals: Sequence, params: dict, outs: list, mesh: AbstractMesh
) -> list:
    outvars = [Var(_plain(aval)) for aval in outs]
    invars = [Var(aval) for aval in avals]
    eqn = JaxprEqn(invars, outvars, primitive, params, no_effects, None)  # type: ignore[arg-type]
    cuts = Cuts(mesh.shape)
    for v in invars:
        cuts.give(v, v.aval.cut if type(v.aval) is ExplicitArray else None)
    if primitive in placed:
        wanted = placed[primitive](eqn) or ()
        cuts.grow(outvars[0], tuple(names or () for names in wanted))
    elif primitive not in carried:
        pass_through(eqn, cuts)
    cuts.fit()
    return [cut_type(v.aval, cuts[v], mesh) for v in outvars]


def _plain(aval: AbstractValue) -> AbstractValue:
    if type(aval) is not ExplicitArray:
        return aval
    return ShapedArray(aval.shape, aval.dtype, aval.weak_type)


def cut_type(aval: Any, cut: Cut, mesh: AbstractMesh) -> Any:
    """A plain type of arrays with what is known of how they are cut."""
    if type(aval) not in (ShapedArray, ExplicitArray):
        return aval
    return ExplicitArray(aval.shape, aval.dtype, aval.weak_type, cut=cut, mesh=mesh)


tracing.Rules.typed = staticmethod(_typed)
