"""An unreduced sum is the array of its terms: one axis more, in front, cut along the names.

In this form any device's part of it is an array like others, and the partitioner need not know:
what is linear is done to each term, and `reshard` adds the terms up.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from minijax.compiler.passes.rewriting import Draft
from minijax.compiler.special_cases.other_types import finished, occurs, put, with_programs
from minijax.core.batching import moveaxis, vmap
from minijax.core.config import derived
from minijax.core.primitives import (
    broadcast_in_dim,
    cast,
    dot_general_p,
    eq,
    expand_dims,
    reduce_sum,
    reduce_sum_p,
    reshape,
    select,
)
from minijax.core.printing import programs_in_params
from minijax.core.staging import Atom, ClosedJaxpr, JaxprEqn, Var, jaxpr_as_fun, trace_to_jaxpr
from minijax.core.tracing import typeof
from minijax.lax.control_flow.scan import scan_p
from minijax.lax.shapes.axes import broadcasted_iota, squeeze
from minijax.lax.shapes.slicing import pad_p
from minijax.lax.sharding.device_programs import plain_program
from minijax.lax.sharding.explicit_sums import unreduced_of
from minijax.lax.sharding.explicit_types import ExplicitArray
from minijax.lax.sharding.explicit_typing import leniently
from minijax.lax.sharding.meshes import Mesh
from minijax.lax.sharding.partition_specs import P
from minijax.lax.sharding.resharding import brought, reshard_p
from minijax.lax.sharding.shard_map import bind_body, in_mesh_order, inside, piece_aval, shard_map_p
from minijax.lax.sharding.sharded_arrays import ShardedArray
from minijax.lax.sharding.shardings import NamedSharding

# The one form and the other.


def is_sum(aval: Any) -> bool:
    """Whether a type is that of an unreduced sum, outside of a shard_map's body."""
    return type(aval) is ExplicitArray and bool(aval.unreduced)


def names_of_terms(aval: ExplicitArray) -> tuple:
    """The names along which devices have terms, in the mesh's order."""
    return tuple(name for name in aval.mesh.axis_names if name in aval.unreduced)


def terms_type(aval: Any) -> Any:
    """The type of the terms of an unreduced sum; any other type is what it is."""
    if not is_sum(aval):
        return aval
    names = names_of_terms(aval)
    count = math.prod(aval.mesh.shape[name] for name in names)
    return aval.update(
        shape=(count, *aval.shape), cut=(names, *aval.cut), unreduced=(), reduced=()
    )  # fmt: skip


def terms_of(x: Any) -> Any:
    """The terms of an array, of which each device has one; any other value as it is."""
    aval = typeof(x) if type(x) is ShardedArray else None
    if not is_sum(aval):
        return x
    of_terms = terms_type(aval)
    sharding = x.sharding.update(spec=of_terms.spec)
    return ShardedArray([shard[None] for shard in x.shards()], sharding, of_terms, x.committed)


def sum_of(x: Any, aval: Any, mesh: Mesh) -> Any:
    """A result that lies as its type says, from its terms if it is an unreduced sum."""
    if type(x) is not ShardedArray:
        return x
    if type(aval) is not ExplicitArray:
        if x.sharding.mesh is mesh or x.sharding.mesh.are_all_axes_auto:
            return x
        return ShardedArray(x.shards(), NamedSharding(mesh, P(*[None] * x.ndim)), aval)
    shards = [shard[0] for shard in x.shards()] if aval.unreduced else x.shards()
    if not mesh.are_all_axes_explicit:  # along others it lies as the compiler liked
        found = x.sharding.spec.partitions[bool(aval.unreduced) :]
        return ShardedArray(shards, x.sharding.update(spec=aval.spec.update(found)), aval)
    own = Mesh(np.reshape(mesh.devices, aval.mesh.axis_sizes), aval.mesh.axis_names,
               aval.mesh.axis_types)  # fmt: skip
    return ShardedArray(shards, NamedSharding(own, aval.spec), aval, x.committed)


# Programs.


@derived
def with_terms(closed: ClosedJaxpr) -> ClosedJaxpr:
    """The program, whose arguments and results are terms where they were unreduced sums."""
    if not occurs(closed.jaxpr, lambda v: is_sum(v.aval)):
        return closed
    draft = Draft(closed)
    for v in (*closed.invars, *closed.constvars):
        if is_sum(v.aval):
            draft.stands_for[v] = Var(terms_type(v.aval))
    draft.consts = {draft.stands_for.get(v, v): terms_of(x) for v, x in draft.consts.items()}  # type: ignore[misc]
    for eqn in closed.eqns:
        if any(is_sum(x.aval) for x in (*eqn.invars, *eqn.outvars)):
            with leniently():
                atoms = _of_terms(draft, eqn, draft.read(eqn).invars)
            draft.stands_for.update(zip(eqn.outvars, atoms, strict=True))
        else:
            draft.write(draft.read(eqn)._replace(params=with_programs(eqn.params, with_terms)))
    invars, outvars = (
        [draft.stands_for.get(x, x) for x in atoms] for atoms in (closed.invars, closed.outvars)
    )
    return finished(closed.jaxpr, draft, outvars, invars)


def _of_terms(draft: Draft, eqn: JaxprEqn, operands: Sequence[Atom]) -> list[Atom]:
    """What an equation gives, of terms or to terms."""
    primitive, avals = eqn.primitive, [v.aval for v in eqn.outvars]
    are_sums = [is_sum(x.aval) for x in eqn.invars]
    if primitive is reshard_p:
        fun = partial(_resharded, eqn.invars[0].aval, avals[0])
    elif primitive is shard_map_p:
        fun = partial(_on_devices, eqn, are_sums)
    elif next(programs_in_params(eqn.params), None) is not None:
        return _with_programs(draft, eqn, operands)
    elif any(are_sums):
        fun = partial(_each_term, eqn, are_sums)
    elif primitive in (dot_general_p, reduce_sum_p) and (found := _cut_sum(eqn)):
        fun = partial(_each_chunk, eqn, found)
    else:
        fun = partial(_first_term_of, eqn)

    def lying(*xs: Any) -> list[Any]:
        outs = fun(*xs)
        return [_brought(x, terms_type(aval)) for x, aval in zip(outs, avals, strict=True)]

    return put(draft, lying, *operands)


def _brought(x: Any, aval: Any) -> Any:
    if type(aval) is ExplicitArray:
        return brought(x, aval.mesh, aval.spec)
    found = typeof(x)
    return brought(x, found.mesh, P(*[None] * found.ndim)) if hasattr(found, "mesh") else x


def _bound(eqn: JaxprEqn, *xs: Any) -> list[Any]:
    """The results of an equation, of which nobody says how they lie."""
    params = dict(eqn.params)
    if eqn.primitive.laid is not None:
        params[eqn.primitive.laid] = None
    out = eqn.primitive.bind(*xs, **params)
    return list(out) if eqn.primitive.multiple_results else [out]


def _each_term(eqn: JaxprEqn, are_sums: Sequence[bool], *xs: Any) -> list[Any]:
    axes = tuple(0 if is_sum else None for is_sum in are_sums)
    return vmap(partial(_bound, eqn), axes)(*xs)


def _first_term_of(eqn: JaxprEqn, *xs: Any) -> list[Any]:
    outs = _bound(eqn, *xs)
    return [
        _first_term(x, terms_type(v.aval).shape[0]) for x, v in zip(outs, eqn.outvars, strict=True)
    ]


def _first_term(x: Any, count: int) -> Any:
    """Terms, of which the first is x and others are zeros."""
    edges = ((0, count - 1, 0), *[(0, 0, 0)] * typeof(x).ndim)
    return pad_p.bind(expand_dims(x, [0]), cast(0, typeof(x).dtype), padding_config=edges)


def _resharded(old: Any, new: Any, x: Any) -> list[Any]:
    """Terms over the same names stay terms; others are added up."""
    if unreduced_of(old) != unreduced_of(new):
        if unreduced_of(old):
            x = reduce_sum(x, [0])
        if unreduced_of(new):
            x = _new_terms(x, old, new)
    return [x]


def _new_terms(x: Any, old: Any, new: Any) -> Any:
    """Terms of x: the devices' own parts, where it was cut by their names; else one has it all."""
    names, count = names_of_terms(new), terms_type(new).shape[0]
    for d, each in enumerate(getattr(old, "cut", ())):
        if each == names and not new.cut[d]:
            return _own_parts(x, d, count)
    return _first_term(x, count)


def _own_parts(x: Any, d: int, count: int) -> Any:
    """As many arrays as there are parts along an axis: of each one part, and else zeros."""
    shape = typeof(x).shape
    parts = reshape(x, (*shape[:d], count, shape[d] // count, *shape[d + 1 :]))
    sizes = (count, *typeof(parts).shape)
    mine, which = (broadcasted_iota(np.int32, sizes, e) for e in (0, d + 1))
    parts = broadcast_in_dim(parts, sizes, range(1, len(sizes)))
    nothing = broadcast_in_dim(cast(0, typeof(x).dtype), sizes, ())
    return reshape(select(eq(mine, which), parts, nothing), (count, *shape))


def _cut_sum(eqn: JaxprEqn) -> Sequence[int] | None:
    """The axis of each operand along which each device has a chunk, whose sum is its term."""
    names = names_of_terms(eqn.outvars[0].aval)
    if eqn.primitive is reduce_sum_p:
        pairs: Sequence[Sequence[int]] = [(d,) for d in eqn.params["axes"]]
    else:
        pairs = list(zip(*eqn.params["dimension_numbers"][0], strict=True))
    for axes in pairs:
        cuts = [getattr(x.aval, "cut", ((),) * x.aval.ndim) for x in eqn.invars]
        if all(cut[d] == names for cut, d in zip(cuts, axes, strict=True)):
            return axes
    return None


def _each_chunk(eqn: JaxprEqn, axes: Sequence[int], *xs: Any) -> list[Any]:
    count = terms_type(eqn.outvars[0].aval).shape[0]
    chunks = [_in_chunks(x, d, count) for x, d in zip(xs, axes, strict=True)]
    return vmap(partial(_bound, eqn))(*chunks)


def _in_chunks(x: Any, d: int, count: int) -> Any:
    shape = typeof(x).shape
    return moveaxis(reshape(x, (*shape[:d], count, shape[d] // count, *shape[d + 1 :])), d, 0)


def _with_programs(draft: Draft, eqn: JaxprEqn, operands: Sequence[Atom]) -> list[Atom]:
    """Programs take and give terms. A loop's steps are in front of these."""
    params, results = eqn.params, [terms_type(v.aval) for v in eqn.outvars]
    steps_in, steps_out = range(0), range(0)
    if eqn.primitive is scan_p:
        steps_in = range(params["num_consts"] + params["num_carry"], len(eqn.invars))
        steps_out = range(params["num_carry"], len(eqn.outvars))
    atoms = [
        put(draft, partial(_moved, 0, 1), x)[0] if i in steps_in and is_sum(old.aval) else x
        for i, (x, old) in enumerate(zip(operands, eqn.invars, strict=True))
    ]
    outvars = [
        Var(_steps_first(aval)) if i in steps_out and is_sum(v.aval) else Var(aval)
        for i, (aval, v) in enumerate(zip(results, eqn.outvars, strict=True))
    ]
    params = with_programs(params, with_terms)
    draft.write(eqn._replace(invars=atoms, outvars=outvars, params=params))
    return [
        put(draft, partial(_moved, 1, 0), v)[0] if v.aval is not aval else v
        for v, aval in zip(outvars, results, strict=True)
    ]


def _moved(source: int, target: int, x: Any) -> list[Any]:
    return [moveaxis(x, source, target)]


def _steps_first(aval: Any) -> Any:
    count, steps, *shape = aval.shape
    terms, of_steps, *cut = aval.cut
    return aval.update(shape=(steps, count, *shape), cut=(of_steps, terms, *cut))


def _on_devices(eqn: JaxprEqn, are_sums: Sequence[bool], *xs: Any) -> list[Any]:
    """A shard_map takes and gives terms: in its body each device has its own."""
    params, outs = {**eqn.params, "check_vma": False}, [is_sum(v.aval) for v in eqn.outvars]
    body, in_specs, out_specs = (params.pop(name) for name in ("jaxpr", "in_specs", "out_specs"))
    mesh = params["mesh"]

    def of_terms(*pieces: Any) -> list[Any]:
        given = [squeeze(x, [0]) if of else x for x, of in zip(pieces, are_sums, strict=True)]
        found = jaxpr_as_fun(plain_program(body))(*given)
        return [expand_dims(x, [0]) if of else x for x, of in zip(found, outs, strict=True)]

    ins, gives = (tuple(map(partial(_spec_of_terms, mesh), specs))
                  for specs in (in_specs, out_specs))  # fmt: skip
    avals = [piece_aval(mesh, spec, typeof(x), False) for x, spec in zip(xs, ins, strict=True)]
    with inside(**params):
        closed = trace_to_jaxpr(of_terms, avals, body.jaxpr.debug_info)
    return bind_body(closed, xs, ins, out_specs=gives, **params)


def _spec_of_terms(mesh: Any, spec: P) -> P:
    terms = in_mesh_order(mesh, spec.unreduced)
    return P(*[terms] * bool(terms), *spec.partitions)
