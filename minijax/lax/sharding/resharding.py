"""reshard: along Explicit axes of a mesh arrays lie as the program says, and this moves them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minijax.compiler.lowerings import register_lowering
from minijax.compiler.passes.factors import elementwise, factors, placed
from minijax.compiler.passes.identities import same
from minijax.compiler.simpler_programs import simpler_programs
from minijax.core.arguments import flatten_axes
from minijax.core.arrays import raw_value
from minijax.core.batching import AxisData, fancy_primitive_batchers
from minijax.core.printing import pp_eqn_rules
from minijax.core.pytrees import tree_flatten, tree_unflatten
from minijax.core.reverse import deflinear2
from minijax.core.tracing import Primitive, ShapedArray, Tracer, typeof
from minijax.face.lazily import call_lazily
from minijax.lax.elementwise.arithmetic import copy_p, shown
from minijax.lax.sharding.constraints import (
    check_divides,
    constrained,
    cut_by,
    named_meshes,
    with_axis,
)
from minijax.lax.sharding.current_mesh import (
    NO_MESH,
    as_set,
    current_mesh,
    get_abstract_mesh,
    get_concrete_mesh,
    is_staged,
    is_traced,
    on_the_mesh_set,
    with_devices,
)
from minijax.lax.sharding.meshes import AbstractMesh, AxisType
from minijax.lax.sharding.partition_specs import UNCONSTRAINED, P, names_of
from minijax.lax.sharding.sharded_arrays import place
from minijax.lax.sharding.shardings import NamedSharding, in_short

reshard_p = Primitive("reshard")
_typing = "minijax.lax.sharding.explicit_typing"
_explicit_type, _lies_as = (
    call_lazily(f"{_typing}.{name}") for name in ("explicit_type", "lies_as")
)


@reshard_p.def_abstract_eval
def _reshard_rule(x: ShapedArray, *, dst_sharding: NamedSharding, concrete_mesh: Any) -> Any:
    dst_sharding.shard_shape(x.shape)  # refuses what has no equal parts
    return _explicit_type(ShapedArray(x.shape, x.dtype, x.weak_type), dst_sharding)


@reshard_p.def_impl
def _reshard_impl(x: Any, *, dst_sharding: NamedSharding, concrete_mesh: Any) -> Any:
    mesh = concrete_mesh or dst_sharding.mesh
    if isinstance(mesh, AbstractMesh):
        return x  # of no device: nobody has placed it
    sharding = with_all_axes(dst_sharding.update(mesh=mesh), typeof(x).ndim)
    return place(raw_value(x), sharding, typeof(x))


def with_all_axes(sharding: NamedSharding, ndim: int) -> NamedSharding:
    """Along Explicit axes JAX's specs speak of all of an array's."""
    partitions = (*sharding.spec.partitions, *[None] * ndim)[:ndim]
    return NamedSharding(sharding.mesh, sharding.spec.update(partitions=partitions))


def _reshard_batcher(
    axis_data: AxisData, args: Sequence, dims: Sequence, *, dst_sharding: Any, **params: Any
) -> tuple:
    (x,), (d,) = args, dims
    if d is not None:
        dst_sharding = with_axis(dst_sharding, d, getattr(axis_data, "spmd_name", None), x.ndim)
    return reshard_p.bind(x, dst_sharding=dst_sharding, **params), d


deflinear2(reshard_p, lambda ct, x, **params: [ct])
fancy_primitive_batchers[reshard_p] = _reshard_batcher
pp_eqn_rules[reshard_p] = lambda params: {}
register_lowering(reshard_p, identity=same)
simpler_programs[reshard_p] = lambda x, **params: copy_p.bind(x)  # for StableHLO
factors[reshard_p] = elementwise


def _mesh_named(params: dict) -> Any:
    """Where a program runs that moves an array so; nowhere of its own, if an axis is Auto."""
    mesh = params["concrete_mesh"] or params["dst_sharding"].mesh
    if isinstance(mesh, AbstractMesh):
        return with_devices(mesh) if mesh.are_all_axes_explicit else None
    return mesh


named_meshes[reshard_p] = _mesh_named


placed[reshard_p] = lambda eqn: cut_by(eqn.params["dst_sharding"], eqn.invars[0].aval.ndim)


def known_target(fun_name: str, given: Any, abstract: bool = False) -> NamedSharding:
    """A sharding along Explicit axes; a spec is for the mesh that is set.

    TypeError for what is no sharding, ValueError for other axes, and where no mesh is set.
    """
    if not isinstance(given, P | NamedSharding):
        raise TypeError(f"{fun_name} takes shardings, and got {shown(given)}. Give a P(...).")
    if isinstance(given, P) and current_mesh() == NO_MESH:
        on_the_mesh_set(fun_name, given)  # says that there is none
    mesh = _in_its_modes(None if isinstance(given, P) else given.mesh)
    if isinstance(mesh, AbstractMesh) and not abstract and not is_traced():
        if get_concrete_mesh().size != mesh.size:
            got = given if isinstance(given, P) else in_short(given)
            raise ValueError(f"{fun_name} got {got}, which is on no devices. Use a Mesh.")
        mesh = with_devices(mesh)
    spec = given if isinstance(given, P) else given.spec
    given = NamedSharding(mesh.abstract_mesh if abstract else mesh, spec)
    modes = dict(zip(mesh.axis_names, mesh.axis_types, strict=True))
    if any(modes[name] is not AxisType.Explicit for name in names_of(given.spec)) or (
        UNCONSTRAINED in given.spec.partitions
    ):
        raise ValueError(
            f"{fun_name} got {in_short(given)}, and moves arrays along axes that are Explicit. Use "
            f"jax.lax.with_sharding_constraint where the compiler chooses."
        )
    return given


def _in_its_modes(mesh: Any) -> Any:
    """A mesh, or the one that is set, with the modes that axes have here; with its devices, where
    it is no other than the devices' mesh."""
    around = get_abstract_mesh()
    mesh = around if mesh is None else mesh
    mesh = as_set(mesh) if isinstance(mesh, AbstractMesh) else mesh
    if mesh.shape_tuple == around.shape_tuple and mesh.axis_types != around.axis_types:
        mesh = mesh.update(axis_types=around.axis_types)
    return mesh


def moved(fun_name: str, x: Any, target: Any) -> Any:
    """An array that lies as a sharding says, or a spec for the mesh that is set."""
    sharding = known_target(fun_name, target)
    check_divides(fun_name, sharding, typeof(x).shape)
    if isinstance(x, Tracer) and _lies_as(typeof(x), _explicit_type(typeof(x), sharding)):
        return x
    mesh = sharding.mesh
    if not is_traced() or isinstance(mesh, AbstractMesh):
        return reshard_p.bind(x, dst_sharding=sharding, concrete_mesh=None)
    # A program runs where its arguments are; on the mesh, where these are nowhere in particular.
    sharding = sharding.update(mesh=mesh.abstract_mesh)
    return reshard_p.bind(x, dst_sharding=sharding, concrete_mesh=mesh)


def brought(x: Any, mesh: AbstractMesh, spec: P) -> Any:
    """An array that lies as a type says."""
    sharding = NamedSharding(as_set(mesh), spec)
    if _lies_as(typeof(x), _explicit_type(typeof(x), sharding)):
        return x
    return reshard_p.bind(x, dst_sharding=sharding, concrete_mesh=None)


def put_inside(x: Any, sharding: NamedSharding) -> Any:
    """`device_put` of a traced value. A program runs on these devices then, and on no others; along
    axes that are not Explicit it may lie there as the compiler likes."""
    if sharding.mesh.explicit_axes:
        return reshard_p.bind(x, dst_sharding=sharding, concrete_mesh=None)
    if is_staged():
        sharding = sharding.update(spec=P(*[UNCONSTRAINED] * typeof(x).ndim))
    return constrained(x, sharding)


def reshard(xs: Any, out_shardings: Any) -> Any:
    """The pytree, its arrays divided among devices as `out_shardings` says: a NamedSharding, a spec
    for the mesh that is set, or a tree of these that is a prefix of `xs`.

    TypeError for what is no sharding. ValueError for a spec where no mesh is set, for axes that are
    not Explicit, for a tree that doesn't fit, and for arrays that can't be divided so.

    >>> import numpy as np
    >>> from minijax.lax.sharding.meshes import make_mesh
    >>> reshard(np.zeros(2), NamedSharding(make_mesh((1,), "x"), P("x"))).sharding.spec
    P('x',)
    """
    leaves, treedef = tree_flatten(xs)
    given = flatten_axes("reshard's out_shardings", treedef, out_shardings)
    return tree_unflatten(
        treedef, [moved("reshard", x, target) for x, target in zip(leaves, given, strict=True)]
    )
