"""shard_map: one program for all devices of a mesh, each of which runs it on its own piece.

An `in_spec` says how an argument is cut into pieces, an `out_spec` how the pieces of a result are
put together. The program inside, the body, has the types of pieces: `f32[8,2]`, cut by P('x', 'y')
on 4 by 2 devices, is `f32[2,1]{V:(x,y)}` there. A type says, too, along which axes of the mesh
values vary; what an out_spec does not name, a result must not vary along.

As with jit, each transformation of the primitive makes another body.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from minijax.core.extend import (
    AxisData, ClosedJaxpr, JaxprEqn, JaxprTypeError, NamedAxisEffect, Primitive, Zero, batch_flat,
    batch_jaxpr, batched_aval, choose, convert_constvars_jaxpr, dce_closed_jaxpr, dce_rules,
    derived, fancy_primitive_batchers, fill, has_effect, is_nonzero, is_undefined_primal,
    jaxpr_as_fun, jvp_jaxpr, linearize_jaxpr, pp_eqn_rules, primitive_jvps,
    primitive_linearizations, primitive_transposes, put_zeros, trace_ctx, trace_to_jaxpr,
    transpose_jaxpr, typematch, typeof,
)
from minijax.core.primitives import broadcast_in_dim, div
from minijax.core.programs import Flags, SplitJaxpr, trace_with_aux
from minijax.core.staging import program_contexts
from minijax.lax.collectives.reducing import psum
from minijax.lax.shapes.axes import squeeze
from minijax.lax.sharding.constraints import named_meshes
from minijax.lax.sharding.current_mesh import current_mesh, get_concrete_mesh, swap_mesh
from minijax.lax.sharding.device_programs import run_body
from minijax.lax.sharding.meshes import AbstractMesh, AxisType, Mesh
from minijax.lax.sharding.partition_specs import P, names_in, names_of
from minijax.lax.sharding.placed_types import (
    Manual, ManualAxisType, manual, said_of, vma_of, with_said, with_vma, without_vma,
)
from minijax.lax.sharding.sharded_arrays import takes_shards

shard_map_p = Primitive("shard_map")
shard_map_p.multiple_results = True

Specs = tuple[P, ...]


def in_mesh_order(mesh: Mesh | AbstractMesh, names: Any) -> tuple:
    return tuple(name for name in mesh.axis_names if name in names)


@contextmanager
def inside(
    *, mesh: Any, newly_manual_axes: frozenset, check_vma: bool, **params: Any
) -> Iterator[None]:
    """A context in which bodies are traced: the mesh's manual axes can be named."""
    outer = trace_ctx.manual
    axes = in_mesh_order(mesh, {*newly_manual_axes, *(outer.axes if outer else ())})
    body_mesh = mesh.abstract_mesh.update_axis_types(dict.fromkeys(axes, AxisType.Manual))
    sizes = {name: mesh.shape[name] for name in in_mesh_order(mesh, newly_manual_axes)}
    before = swap_mesh(current_mesh()._replace(abstract=body_mesh))
    try:
        with manual(Manual(body_mesh, axes, check_vma), sizes):
            yield
    finally:
        swap_mesh(before)


program_contexts[shard_map_p] = lambda params: inside(**params)

# From the type of a whole to that of a piece, and back.


def number_of_pieces(mesh: Any, partition: Any) -> int:
    return math.prod(mesh.shape[name] for name in names_in(partition))


def _resized(aval: Any, spec: P, resize: Callable[[int, Any], int]) -> Any:
    partitions = (*spec.partitions, *[None] * aval.ndim)
    return aval.update(shape=[resize(*pair) for pair in zip(aval.shape, partitions, strict=False)])


def piece_aval(mesh: Any, spec: P, aval: Any, check_vma: bool) -> Any:
    """The type of a device's piece: it varies along the axes that the spec names; a term of an
    unreduced sum is one inside, too."""
    piece = _resized(aval, spec, lambda size, names: size // number_of_pieces(mesh, names))
    if not check_vma:
        return without_vma(piece) if spec.unreduced or spec.reduced else piece
    said = ManualAxisType(vma_of(aval).union(names_of(spec)), spec.unreduced, spec.reduced)
    return with_said(piece, said, mesh.axis_names)


def varying_too(aval: Any, axes: Any, mesh: Any) -> Any:
    """The type of what varies along these axes, too."""
    return with_vma(aval, vma_of(aval).union(axes), mesh.axis_names)


def whole_aval(mesh: Any, spec: P, aval: Any, newly_manual_axes: frozenset) -> Any:
    """The type of what pieces make, of which nothing is said along their axes any more."""
    whole = _resized(aval, spec, lambda size, names: size * number_of_pieces(mesh, names))
    said = ManualAxisType(*(axes - newly_manual_axes for axes in said_of(aval)))
    return with_said(whole, said, mesh.axis_names)


@shard_map_p.def_effectful_abstract_eval
def _shard_map_rule(
    *avals: Any, jaxpr: ClosedJaxpr, mesh: Mesh | AbstractMesh, in_specs: Specs, out_specs: Specs,
    check_vma: bool, newly_manual_axes: frozenset,
) -> tuple[list, frozenset]:  # fmt: skip
    pieces = [piece_aval(mesh, s, a, check_vma) for s, a in zip(in_specs, avals, strict=True)]
    if len(pieces) != len(jaxpr.in_avals) or not all(map(typematch, pieces, jaxpr.in_avals)):
        raise JaxprTypeError(
            f"shard_map's body takes {jaxpr.in_avals}, and is given {pieces}. Make them agree."
        )
    out = zip(out_specs, jaxpr.out_avals, strict=True)
    ended = {NamedAxisEffect(name) for name in newly_manual_axes}
    return [whole_aval(mesh, s, a, newly_manual_axes) for s, a in out], jaxpr.effects - ended


def devices_of(mesh: Mesh | AbstractMesh) -> Mesh:
    """The mesh with its devices: of an abstract one, those of the mesh that is set."""
    return mesh if isinstance(mesh, Mesh) else get_concrete_mesh()


@shard_map_p.def_impl
def _shard_map_impl(
    *args: Any, jaxpr: ClosedJaxpr, mesh: Mesh, in_specs: Specs, out_specs: Specs, check_vma: bool,
    newly_manual_axes: frozenset,
) -> list[Any]:  # fmt: skip
    sizes = {name: mesh.shape[name] for name in in_mesh_order(mesh, newly_manual_axes)}
    out = zip(out_specs, jaxpr.out_avals, strict=True)
    avals = [without_vma(whole_aval(mesh, s, a, newly_manual_axes)) for s, a in out]
    return run_body(jaxpr, devices_of(mesh), sizes, args, in_specs, out_specs, avals)


takes_shards.add(shard_map_p)
named_meshes[shard_map_p] = lambda params: params["mesh"]


def _shown_params(params: dict) -> dict:
    axes = in_mesh_order(params["mesh"], params["newly_manual_axes"])
    return {**params, "newly_manual_axes": f"frozenset({{{', '.join(map(repr, axes))}}})"}


pp_eqn_rules[shard_map_p] = _shown_params


def bind_body(
    closed: ClosedJaxpr, operands: Sequence[Any], in_specs: Specs, **params: Any
) -> list[Any]:
    """Binds the primitive. The body's constants become its first operands, whole on each device."""
    if closed.consts:
        operands, in_specs = [*closed.consts, *operands], (P(),) * len(closed.consts) + in_specs
        closed = _without_consts(closed)
    return shard_map_p.bind(*operands, jaxpr=closed, in_specs=in_specs, **params)


@derived
def _without_consts(closed: ClosedJaxpr) -> ClosedJaxpr:
    return ClosedJaxpr(convert_constvars_jaxpr(closed.jaxpr), [])


# Forwards: a tangent is cut as its primal is.


def _shard_map_jvp(primals, tangents, *, jaxpr, in_specs, out_specs, **params):
    nonzeros = tuple(map(is_nonzero, tangents))
    with inside(**params):
        new_jaxpr, out_nonzeros = jvp_jaxpr(jaxpr, nonzeros)
    out = bind_body(
        new_jaxpr, [*primals, *choose(tangents, nonzeros)],
        in_specs=(*in_specs, *choose(in_specs, nonzeros)),
        out_specs=(*out_specs, *choose(out_specs, out_nonzeros)), **params,
    )  # fmt: skip
    size = len(out_specs)
    return out[:size], put_zeros(out[size:], out_nonzeros, map(typeof, out[:size]))


primitive_jvps[shard_map_p] = _shard_map_jvp

# Linearized: a residual leaves the forward body, and comes back in the linear one. Each device
# keeps its own, so all of them are put together along a first axis; a number gets one.


def spec_of_residual(mesh: Any, aval: Any, check_vma: bool, newly_manual_axes: frozenset) -> P:
    said = said_of(aval) if check_vma else ManualAxisType(newly_manual_axes)
    varying, unreduced, reduced = (axes & newly_manual_axes for axes in said)
    cut = [in_mesh_order(mesh, varying)] if varying else []
    return P(*cut, unreduced=unreduced, reduced=reduced)


@derived
def split_body(closed: ClosedJaxpr, nonzeros: Flags) -> tuple[SplitJaxpr, tuple]:
    """`linearize_jaxpr`, of which `forward` returns the new residuals first, none of them without
    axes; and these residuals' types."""
    split, size = linearize_jaxpr(closed, nonzeros), len(closed.out_avals)
    info = closed.jaxpr.debug_info

    def forward(*args: Any) -> list[Any]:
        out = jaxpr_as_fun(split.forward)(*args)
        numbered = [broadcast_in_dim(x, (1,), ()) if not typeof(x).shape else x for x in out[size:]]
        return [*numbered, *out[:size]]

    are_new = [kind == "out" and i >= size for kind, i in split.sources]

    def linear(*args: Any) -> list[Any]:
        given = zip(args, split.linear.in_avals, [*are_new, *[False] * len(args)], strict=False)
        return jaxpr_as_fun(split.linear)(
            *[squeeze(x, [0]) if new and not aval.shape else x for x, aval, new in given]
        )

    new_forward = trace_to_jaxpr(forward, closed.in_avals, info)
    avals = [
        aval.update(shape=aval.shape or (1,)) if new else aval
        for aval, new in zip(split.linear.in_avals, are_new, strict=False)
    ] + split.linear.in_avals[len(are_new) :]
    new_linear = trace_to_jaxpr(linear, avals, info)
    new_avals = tuple(split.forward.out_avals[size:])
    return split._replace(forward=new_forward, linear=new_linear), new_avals


def _shard_map_linearize(nonzeros, *primals, jaxpr, in_specs, out_specs, **params):
    with inside(**params):
        split, new_avals = split_body(jaxpr, tuple(nonzeros))
    mesh, axes = params["mesh"], params["newly_manual_axes"]
    new = tuple(spec_of_residual(mesh, aval, params["check_vma"], axes) for aval in new_avals)
    out = bind_body(split.forward, primals, in_specs, out_specs=new + out_specs, **params)
    results = [*out[len(new) :], *out[: len(new)]]  # in the order of `sources`
    specs = {"arg": in_specs, "out": (*out_specs, *new)}
    kept = tuple(P() if kind == "const" else specs[kind][i] for kind, i in split.sources)
    residuals = split.residuals(primals, results)
    avals = list(map(typeof, results[: len(out_specs)]))

    def linearized(residuals, *tangents):
        out_dot = bind_body(
            split.linear, [*residuals, *filter(is_nonzero, tangents)],
            in_specs=kept + tuple(choose(in_specs, nonzeros)),
            out_specs=tuple(choose(out_specs, split.out_nonzeros)), **params,
        )  # fmt: skip
        return put_zeros(out_dot, split.out_nonzeros, avals)

    return results[: len(out_specs)], split.out_nonzeros, residuals, linearized


primitive_linearizations[shard_map_p] = _shard_map_linearize

# Backwards: a cotangent is cut as its result was. Where types say what varies, psum and pvary
# stand where they belong, and so do their transposes. Where they don't, a result that each device
# has whole may be anybody's: each gets its share of the cotangent, and shares are added up.


def _unnamed(spec: P, mesh: Any, newly_manual_axes: frozenset) -> tuple:
    return in_mesh_order(mesh, newly_manual_axes.difference(names_of(spec), spec.unreduced))


def _share(ct: Any, spec: P, mesh: Any, newly_manual_axes: frozenset) -> Any:
    count = math.prod(mesh.shape[name] for name in _unnamed(spec, mesh, newly_manual_axes))
    return ct if count == 1 else div(ct, fill(typeof(ct).update(shape=()), count))


@derived
def transposed_body(
    closed: ClosedJaxpr, linear: Flags, nonzero_cts: Flags, sums: tuple | None
) -> tuple[ClosedJaxpr, Flags]:
    """`transpose_jaxpr`, that takes cotangents first; `sums` has for each input the axes along
    which its cotangents are shares."""
    new_jaxpr, ct_nonzeros = transpose_jaxpr(closed, linear, nonzero_cts)
    num_known = len(linear) - sum(linear)
    if sums is None:
        known, cts = new_jaxpr.invars[:num_known], new_jaxpr.invars[num_known:]
        reordered = new_jaxpr.jaxpr.replace(invars=[*cts, *known])
        return ClosedJaxpr(reordered, new_jaxpr.consts), ct_nonzeros

    def summed(*args: Any) -> list[Any]:
        cts, known = args[: sum(nonzero_cts)], args[sum(nonzero_cts) :]
        out = jaxpr_as_fun(new_jaxpr)(*known, *cts)
        pairs = zip(out, choose(sums, ct_nonzeros), strict=True)
        return [psum(x, axes) if axes else x for x, axes in pairs]

    avals = new_jaxpr.in_avals[num_known:] + new_jaxpr.in_avals[:num_known]
    return trace_to_jaxpr(summed, avals, closed.jaxpr.debug_info), ct_nonzeros


def _shard_map_transpose(cts, *args, jaxpr, in_specs, out_specs, **params):
    linear, nonzero_cts = tuple(map(is_undefined_primal, args)), tuple(map(is_nonzero, cts))
    mesh, axes, sums = params["mesh"], params["newly_manual_axes"], None
    in_ct_specs, out_ct_specs = ([s.to_ct_spec() for s in specs] for specs in (in_specs, out_specs))
    given, ct_specs = choose(cts, nonzero_cts), choose(out_ct_specs, nonzero_cts)
    if not params["check_vma"]:
        given = [_share(ct, spec, mesh, axes) for ct, spec in zip(given, ct_specs, strict=True)]
        sums = tuple(_unnamed(spec, mesh, axes) for spec in in_ct_specs)
    with inside(**params):
        new_jaxpr, ct_nonzeros = transposed_body(jaxpr, linear, nonzero_cts, sums)
    known = [not lin for lin in linear]
    out = bind_body(
        new_jaxpr, [*given, *choose(args, known)], in_specs=(*ct_specs, *choose(in_specs, known)),
        out_specs=tuple(choose(in_ct_specs, ct_nonzeros)), **params,
    )  # fmt: skip
    found, avals = iter(out), [x.aval if lin else None for x, lin in zip(args, linear, strict=True)]
    return [
        next(found) if nonzero else Zero(aval.to_tangent_aval()) if aval else None
        for nonzero, aval in zip(ct_nonzeros, avals, strict=True)
    ]


primitive_transposes[shard_map_p] = _shard_map_transpose

# Many examples at once: theirs is one more axis, which is not cut; or it is cut along the mesh axes
# that vmap's spmd_axis_name names.


def batched_spec(spec: P, dim: int | None, names: Any = None) -> P:
    """The spec with one more axis, at `dim`."""
    if dim is None:
        return spec
    partitions = list(spec.partitions) + [None] * (dim - len(spec.partitions))
    return spec.update([*partitions[:dim], names, *partitions[dim:]])


def _shard_map_batcher(axis_data, vals, dims, *, jaxpr, in_specs, out_specs, **params):
    names_axis = NamedAxisEffect(axis_data.name) in jaxpr.effects
    if not names_axis and all(d is None for d in dims):
        out = bind_body(jaxpr, vals, in_specs, out_specs=out_specs, **params)
        return out, [None] * len(out_specs)
    names = getattr(axis_data, "spmd_name", None)
    with inside(**params):
        new_jaxpr, dims_out = batched_body(jaxpr, axis_data, tuple(dims), params["mesh"], names)
    in_specs, out_specs = (
        tuple(batched_spec(spec, d, names) for spec, d in zip(specs, found, strict=True))
        for specs, found in ((in_specs, dims), (out_specs, dims_out))
    )
    return bind_body(new_jaxpr, vals, in_specs, out_specs=out_specs, **params), dims_out


@derived
def batched_body(
    closed: ClosedJaxpr, axis_data: AxisData, dims: tuple, mesh: Any, names: Any
) -> tuple[ClosedJaxpr, tuple]:
    if names is None:
        return batch_jaxpr(closed, axis_data, dims)
    axis_data = axis_data._replace(size=axis_data.size // number_of_pieces(mesh, names))
    info = closed.jaxpr.debug_info

    def batch_fun(*vals: Any) -> tuple[list[Any], tuple]:
        out, dims_out = batch_flat(jaxpr_as_fun(closed), axis_data, dims, vals, info)
        return out, tuple(dims_out)

    cut = names_in(names) if trace_ctx.manual.checked else ()
    avals = [
        aval if d is None else varying_too(batched_aval(aval, axis_data.size, d), cut, mesh)
        for aval, d in zip(closed.in_avals, dims, strict=True)
    ]
    return trace_with_aux(batch_fun, avals, info)


fancy_primitive_batchers[shard_map_p] = _shard_map_batcher

# Without what nobody uses.


def _shard_map_dce(
    used_outputs: Sequence[bool], eqn: JaxprEqn
) -> tuple[Sequence[bool], JaxprEqn | None]:
    params = eqn.params
    with inside(**params):
        jaxpr, used_inputs = dce_closed_jaxpr(params["jaxpr"], tuple(used_outputs))
    specs = {
        "in_specs": tuple(choose(params["in_specs"], used_inputs)),
        "out_specs": tuple(choose(params["out_specs"], used_outputs)),
    }
    own = {NamedAxisEffect(name) for name in params["newly_manual_axes"]}
    effects = (eqn.effects & jaxpr.effects) - own
    new_eqn = eqn._replace(
        invars=choose(eqn.invars, used_inputs), outvars=choose(eqn.outvars, used_outputs),
        params={**params, "jaxpr": jaxpr, **specs}, effects=effects,
    )  # fmt: skip
    return used_inputs, new_eqn if new_eqn.outvars or has_effect(new_eqn) else None


dce_rules[shard_map_p] = _shard_map_dce
