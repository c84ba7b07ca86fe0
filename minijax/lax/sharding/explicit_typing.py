"""Who says how results lie on Explicit axes: the rules for types, further than they know.

It is a refinement of theirs, and begins to work with the first array whose type says something.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from minijax.compiler.passes.cuts import Cut, Cuts
from minijax.compiler.passes.factors import carried, placed
from minijax.compiler.passes.propagate import pass_through
from minijax.core import reverse
from minijax.core.batching import BatchTrace
from minijax.core.forward import Zero
from minijax.core.primitives import broadcast_in_dim_p, dot_general_p, reduce_sum_p, reshape_p
from minijax.core.pytrees import tree_unflatten
from minijax.core.staging import JaxprEqn, JaxprTrace, Var, custom_staging_rules, trace_to_jaxpr
from minijax.core.tracing import AbstractValue, Primitive, ShapedArray, no_effects, typeof
from minijax.lax.control_flow.scan import scan_p
from minijax.lax.references.indexers import read_at
from minijax.lax.references.operations import get_p, swap_p
from minijax.lax.shapes.axes import iota_p
from minijax.lax.sharding.axes_alike import cut_of  # and fills the rules' tables
from minijax.lax.sharding.constraints import named_meshes, with_axis
from minijax.lax.sharding.current_mesh import get_abstract_mesh, is_traced, with_devices
from minijax.lax.sharding.explicit_rules import ShardingTypeError, cuts_of_results
from minijax.lax.sharding.explicit_sums import names_summed_over, sums_of_result, terms_of_product
from minijax.lax.sharding.explicit_types import ExplicitArray
from minijax.lax.sharding.partition_specs import P
from minijax.lax.sharding.placed_types import refines_types, says_its_own
from minijax.lax.sharding.resharding import brought, reshard_p
from minijax.lax.sharding.shard_map import shard_map_p
from minijax.lax.sharding.sharded_arrays import ShardedArray
from minijax.lax.sharding.shardings import NamedSharding


def begin() -> None:
    """Has types say how arrays lie from now on, as soon as this module has been imported."""


# From how an array lies.


def explicit_type(aval: Any, sharding: NamedSharding) -> Any:
    """The type of an array that lies so. Along axes that are not Explicit a type says nothing."""
    if type(aval) not in (ShapedArray, ExplicitArray):
        return aval
    mesh, spec = sharding.mesh.abstract_mesh, sharding.spec
    explicit = mesh.explicit_axes
    cut = tuple(tuple(name for name in names if name in explicit)
                for names in cut_of(spec, aval.ndim))  # fmt: skip
    return ExplicitArray(
        aval.shape, aval.dtype, aval.weak_type, cut=cut, mesh=mesh,
        unreduced=spec.unreduced, reduced=spec.reduced,
    )  # fmt: skip


def type_of(x: ShardedArray) -> ShapedArray:
    """That of an array on a mesh with Explicit axes."""
    return explicit_type(x.aval, x.sharding)


# From the operands, or from what the program says.

dot_general_p.laid = reduce_sum_p.laid = "out_sharding"
reshape_p.laid = broadcast_in_dim_p.laid = iota_p.laid = "sharding"


def _mesh_said(laid: str, params: dict) -> Any:
    """The mesh on which a result is to lie, as a program on no devices yet is to run there."""
    said = params.get(laid)
    return None if said is None else with_devices(said.mesh)


named_meshes |= {
    p: partial(_mesh_said, p.laid)
    for p in (dot_general_p, reduce_sum_p, reshape_p, broadcast_in_dim_p, iota_p)
}


@refines_types
def _refined(primitive: Primitive, avals: Sequence, params: dict, out: Any) -> Any:
    if primitive is shard_map_p:
        return _as_out_specs(params, out)
    if primitive is scan_p:
        _check_steps(avals, params)
    if primitive is reshard_p or says_its_own(primitive, params):
        return out  # its own rule, or its programs' types, say it
    if getattr(out, "mutable", False) or any(aval.mutable for aval in avals):
        return _of_contents(primitive, avals, params, out)
    said = None if primitive.laid is None else params.get(primitive.laid)
    mesh = _one_mesh(primitive, avals)
    if primitive is broadcast_in_dim_p and (wanted := _wanted_of(out)) is not None:
        return wanted
    if mesh is None and said is None:
        return out
    outs = [_plain(aval) for aval in (out if primitive.multiple_results else [out])]
    eqn = JaxprEqn([*map(Var, avals)], [*map(Var, outs)], primitive, params, no_effects, None)  # type: ignore[arg-type]
    if said is not None:
        if primitive in (dot_general_p, reduce_sum_p):
            terms_of_product(eqn, said)
        return explicit_type(outs[0], said)
    sums = _sums_of(primitive, avals)
    cuts = _cuts_of(eqn, mesh)
    if deriving.cotangents is not None and primitive is dot_general_p:
        terms = frozenset().union(*(getattr(a, "unreduced", ()) for a in deriving.cotangents))
        sums = {"unreduced": names_summed_over(eqn) & terms}
    typed = [_typed(aval, cut, mesh, sums) for aval, cut in zip(outs, cuts, strict=True)]
    return typed if primitive.multiple_results else typed[0]


def _of_contents(primitive: Primitive, avals: Sequence, params: dict, out: Any) -> Any:
    """The result of an operation on a reference: a part of what is in it is cut as reading says."""
    if primitive not in (get_p, swap_p) or type(avals[0].inner_aval) is not ExplicitArray:
        return out
    leaves = avals[1 + (primitive is swap_p) :]

    def read(content: Any, *leaves: Any) -> list[Any]:
        return [read_at(content, tree_unflatten(params["tree"], leaves))]

    is_part = bool(tree_unflatten(params["tree"], leaves))
    return trace_to_jaxpr(read, [avals[0].inner_aval, *leaves]).out_avals[0] if is_part else out


def _check_steps(avals: Sequence, params: dict) -> None:
    """One step of a loop after the other is on all devices."""
    xs = avals[params["num_consts"] + params["num_carry"] :]
    for aval in xs if deriving.cotangents is None else ():
        if type(aval) is ExplicitArray and aval.cut[0]:
            raise ValueError(
                f"scan got xs of type {aval}, whose first axis, that of the steps, is cut. Use "
                f"jax.reshard to have all steps on each device."
            )


def _one_mesh(primitive: Primitive, avals: Sequence) -> Any:
    explicit = [aval for aval in avals if type(aval) is ExplicitArray]
    if len({aval.mesh for aval in explicit}) > 1:
        meshes = " and ".join(f"{aval} on {dict(aval.mesh.shape)}" for aval in explicit)
        raise ValueError(f"{primitive} got {meshes}. Use jax.reshard to bring them to one mesh.")
    return explicit[0].mesh if explicit else None


def _sums_of(primitive: Primitive, avals: Sequence) -> dict[str, frozenset]:
    try:
        return sums_of_result(primitive, avals)
    except ShardingTypeError:
        if deriving.cotangents is None:
            raise
    return {}


def _cuts_of(eqn: JaxprEqn, mesh: Any) -> list[Cut]:
    """By the rules; of cotangents, which then are made to lie as primals do, as far as is plain."""
    cuts = Cuts(mesh.shape)
    for v in eqn.invars:
        cuts.give(v, v.aval.cut if type(v.aval) is ExplicitArray else None)  # type: ignore[union-attr]
    try:
        return cuts_of_results(eqn, cuts)
    except (ShardingTypeError, ValueError):
        if deriving.cotangents is None:
            raise
    if eqn.primitive not in carried and eqn.primitive not in placed:
        pass_through(eqn, cuts)
    cuts.fit()
    return [cuts[v] for v in eqn.outvars]


def _typed(aval: Any, cut: Cut, mesh: Any, sums: dict[str, frozenset]) -> Any:
    if type(aval) is not ShapedArray:
        return aval
    return ExplicitArray(aval.shape, aval.dtype, aval.weak_type, cut=cut, mesh=mesh, **sums)


def _plain(aval: AbstractValue) -> AbstractValue:
    if type(aval) is not ExplicitArray:
        return aval
    return ShapedArray(aval.shape, aval.dtype, aval.weak_type)


def _as_out_specs(params: dict, outs: Sequence) -> Sequence:
    """The results of a shard_map along all axes lie as it says."""
    mesh = params["mesh"]
    if not mesh.are_all_axes_explicit or params["newly_manual_axes"] != {*mesh.axis_names}:
        return outs
    pairs = zip(outs, params["out_specs"], strict=True)
    return [explicit_type(aval, NamedSharding(mesh, spec)) for aval, spec in pairs]


# Cotangents: their types are made of the primals'.


class _Deriving(threading.local):
    """The types that cotangents are to have which are computed, or None."""

    cotangents: Sequence | None = None


deriving = _Deriving()


def _wanted_of(aval: Any) -> Any:
    """The type that is wanted of an array of this shape."""
    shapes = ((a, (a.shape, a.dtype)) for a in deriving.cotangents or () if hasattr(a, "cut"))
    return next((a for a, shape in shapes if shape == (aval.shape, aval.dtype)), None)


@contextmanager
def _cotangents(avals: Sequence) -> Iterator[None]:
    outer, deriving.cotangents = deriving.cotangents, avals
    try:
        yield
    finally:
        deriving.cotangents = outer


def leniently() -> Any:
    """A context in which what differs, or is not said, is left to the partitioner."""
    return _cotangents(())


def cotangent_type(aval: Any) -> Any:
    """The type of the cotangents of values of a type."""
    return aval.to_tangent_aval().to_ct_aval()


def _lying_as_primals(transpose_eqn: Callable) -> Callable:
    """Transposed equations, whose results are brought to lie as cotangents of the operands do."""

    def transposed(eqn: JaxprEqn, cts_out: list[Any], read: Callable) -> Sequence[Any]:
        avals = [x.aval for x in eqn.invars]
        known = [
            aval for aval in (*avals, *map(_type_of_ct, cts_out)) if type(aval) is ExplicitArray
        ]
        if not known:
            return transpose_eqn(eqn, cts_out, read)
        with _cotangents([*map(cotangent_type, avals)]):
            cts_in = transpose_eqn(eqn, cts_out, read)
        return [_moved(ct, aval, known[0].mesh) for ct, aval in zip(cts_in, avals, strict=True)]

    return transposed


def _type_of_ct(ct: Any) -> Any:
    return ct.aval if type(ct) is Zero else typeof(ct)


def _moved(ct: Any, primal: Any, mesh: Any) -> Any:
    if ct is None or type(ct) is Zero:
        return ct
    aval, wanted = typeof(ct), cotangent_type(primal)
    if lies_as(aval, wanted):
        return ct
    return reshard_p.bind(ct, dst_sharding=_sharding(wanted, mesh), concrete_mesh=None)


def lies_as(aval: Any, other: Any) -> bool:
    """Whether two types say the same of how arrays lie."""
    return _said(aval) == _said(other)


def _said(aval: Any) -> Any:
    return (aval.cut, aval.unreduced, aval.reduced) if type(aval) is ExplicitArray else None


def _sharding(aval: Any, mesh: Any) -> NamedSharding:
    if type(aval) is ExplicitArray:
        return aval.said_sharding
    return NamedSharding(mesh, P(*[None] * aval.ndim))


def _on_the_mesh(fill: Callable) -> Callable:
    """What makes the cotangent that a gradient begins with: a number on the mesh that is set."""

    def filled(aval: ShapedArray, number: Any) -> Any:
        mesh, x = get_abstract_mesh(), fill(aval, number)
        if aval.shape or mesh.empty or not mesh.are_all_axes_explicit or not is_traced():
            return x
        return reshard_p.bind(x, dst_sharding=NamedSharding(mesh, P()), concrete_mesh=None)

    return filled


reverse.transpose_eqn = _lying_as_primals(reverse.transpose_eqn)
reverse.fill = _on_the_mesh(reverse.fill)

# An equation that was derived says how its result lies, since its operands need not.


def _stage_saying_it(primitive: Primitive, trace: JaxprTrace, args: Sequence, params: dict) -> Any:
    out = trace.record(primitive, args, params)
    laid, eqns = primitive.laid, trace.frame.eqns
    if deriving.cotangents is None or params.get(laid) is not None:
        return out
    avals = (x.aval for x in (*eqns[-1].invars, *eqns[-1].outvars))
    known = next((aval for aval in avals if type(aval) is ExplicitArray), None)
    if known is not None:
        said = _sharding(out.aval, known.mesh)
        eqns[-1] = eqns[-1]._replace(params={**eqns[-1].params, laid: said})
    return out


custom_staging_rules |= {
    p: partial(_stage_saying_it, p) for p in (dot_general_p, reshape_p, broadcast_in_dim_p)
}

# Many examples at once: what is said of one's result holds for all, whose axis is whole.


def _saying_it_of_all(process: Callable) -> Callable:
    def process_primitive(
        self: BatchTrace, primitive: Primitive, args: Sequence[Any], params: dict
    ) -> Any:
        said = None if primitive.laid is None else params.get(primitive.laid)
        if said is None:
            return process(self, primitive, args, params)
        with leniently():
            out = process(self, primitive, args, {**params, primitive.laid: None})
        x, d = self.to_batch_info(out)
        spec = said.spec if d is None else with_axis(said, d, None, typeof(x).ndim).spec
        return self.box(brought(x, said.mesh, spec), d)

    return process_primitive


BatchTrace.process_primitive = _saying_it_of_all(BatchTrace.process_primitive)  # type: ignore[method-assign]
