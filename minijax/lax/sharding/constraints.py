"""with_sharding_constraint: says inside a program how a value is to lie on devices.

The partitioner reads it (`placed`), forward and back. Outside of jit it puts the value there.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from minijax.compiler.lowerings import register_lowering
from minijax.compiler.passes.factors import elementwise, factors, placed
from minijax.compiler.passes.identities import same
from minijax.compiler.simpler_programs import simpler_programs
from minijax.compiler.special_cases.other_types import programs
from minijax.core.arguments import flatten_axes
from minijax.core.arrays import raw_value
from minijax.core.batching import AxisData, fancy_primitive_batchers
from minijax.core.config import derived
from minijax.core.jitting import Running
from minijax.core.printing import jaxprs_in_params, pp_eqn_rules
from minijax.core.pytrees import tree_flatten, tree_unflatten
from minijax.core.reverse import deflinear2
from minijax.core.staging import ClosedJaxpr, Jaxpr
from minijax.core.tracing import Primitive, ShapedArray, trace_ctx, typeof
from minijax.face.lazily import call_lazily
from minijax.lax.elementwise.arithmetic import copy_p, shown
from minijax.lax.sharding.current_mesh import (
    as_set,
    get_abstract_mesh,
    get_concrete_mesh,
    on_the_mesh_set,
)
from minijax.lax.sharding.layouts import without_layout
from minijax.lax.sharding.meshes import AbstractMesh, Mesh
from minijax.lax.sharding.partition_specs import UNCONSTRAINED, P, names_in, names_of
from minijax.lax.sharding.sharded_arrays import place
from minijax.lax.sharding.shardings import NamedSharding, Sharding, in_short

# The primitive.

sharding_constraint_p = Primitive("sharding_constraint", {"context_mesh": "Mesh()", "layout": None})


@sharding_constraint_p.def_abstract_eval
def _constraint_rule(
    x: ShapedArray, *, sharding: Sharding, unconstrained_dims: frozenset
) -> ShapedArray:
    sharding.check_compatible_aval(x.shape)  # an axis that has no equal parts is left whole
    return x


@sharding_constraint_p.def_impl
def _constraint_impl(x: Any, *, sharding: Sharding, unconstrained_dims: frozenset) -> Any:
    if isinstance(getattr(sharding, "mesh", None), AbstractMesh):
        return x  # of no device: nobody has placed it
    if unconstrained_dims:
        partitions = [None if p is UNCONSTRAINED else p for p in sharding.spec.partitions]
        sharding = sharding.update(spec=P(*partitions))
    return place(raw_value(x), sharding, typeof(x))


def _constraint_transpose(ct: Any, x: Any, **params: Any) -> list[Any]:
    return [sharding_constraint_p.bind(ct, **params)]


deflinear2(sharding_constraint_p, _constraint_transpose)


def _constraint_batcher(
    axis_data: AxisData, args: Sequence, dims: Sequence, *, sharding: Sharding, **params: Any
) -> tuple:
    """The axis of examples lies as the compiler likes, or along vmap's spmd_axis_name."""
    (x,), (d,) = args, dims
    if d is None:
        return sharding_constraint_p.bind(x, sharding=sharding, **params), None
    names = getattr(axis_data, "spmd_name", None) or UNCONSTRAINED
    return constrained(x, with_axis(sharding, d, names, x.ndim)), d


fancy_primitive_batchers[sharding_constraint_p] = _constraint_batcher


def with_axis(sharding: Sharding, d: int, names: Any, ndim: int) -> Sharding:
    """A sharding for arrays that have one more axis, `ndim` in all."""
    if not isinstance(sharding, NamedSharding):
        return sharding
    partitions = [*sharding.spec.partitions, *[None] * ndim][: ndim - 1]
    partitions.insert(d, names)
    return NamedSharding(sharding.mesh, P(*partitions))


def constrained(x: Any, sharding: Sharding) -> Any:
    """Binds the primitive."""
    partitions = sharding.spec.partitions if isinstance(sharding, NamedSharding) else ()
    free = frozenset(d for d, names in enumerate(partitions) if names is UNCONSTRAINED)
    return sharding_constraint_p.bind(x, sharding=sharding, unconstrained_dims=free)


def _shown(params: dict) -> dict:
    dims = ", ".join(map(str, sorted(params["unconstrained_dims"])))
    return {**params, "unconstrained_dims": f"frozenset({{{dims}}})"}


pp_eqn_rules[sharding_constraint_p] = _shown

# What the compiler is told: elsewhere than on many devices, there is nothing to do.

register_lowering(sharding_constraint_p, identity=same)
simpler_programs[sharding_constraint_p] = lambda x, **params: copy_p.bind(x)  # for StableHLO
factors[sharding_constraint_p] = elementwise


def cut_by(sharding: Sharding, ndim: int) -> tuple | None:
    """How the partitioner is to cut an array: None for an axis of which nothing is said, or for a
    sharding without a mesh."""
    if not isinstance(sharding, NamedSharding):
        return None
    partitions = (*sharding.spec.partitions, *[None] * ndim)[:ndim]
    return tuple(None if names is UNCONSTRAINED else names_in(names) for names in partitions)


placed[sharding_constraint_p] = lambda eqn: cut_by(eqn.params["sharding"], eqn.invars[0].aval.ndim)


# A program that says where values lie runs there, whatever its arguments are.


# Of primitives that name a mesh: their parameters -> the mesh.
named_meshes: dict[Primitive, Callable] = {
    sharding_constraint_p: lambda params: getattr(params["sharding"], "mesh", None)
}


@derived
def mesh_of(closed: ClosedJaxpr) -> Any:
    """The mesh that a program names first; None where it names none."""
    return next(_meshes(closed.jaxpr), None)


def _meshes(jaxpr: Jaxpr) -> Iterator[Any]:
    for eqn in jaxpr.eqns:
        named = named_meshes[eqn.primitive](eqn.params) if eqn.primitive in named_meshes else None
        if isinstance(named, Mesh):
            yield named
        for program in jaxprs_in_params(eqn.params):
            yield from _meshes(program)


@derived
def _devices_given(closed: ClosedJaxpr) -> frozenset:
    """The devices of meshes by which a program says where it runs."""
    given = (getattr(value, "mesh", value) for jaxpr in programs(closed.jaxpr)
             for eqn in jaxpr.eqns for name, value in eqn.params.items()
             if name != "concrete_mesh")  # fmt: skip
    return frozenset(x.flat_devices for x in given if isinstance(x, Mesh) and not x.empty)


def check_one_place(name: str, closed: ClosedJaxpr, beside: Sharding | None = None) -> None:
    """ValueError for a program that is to run on several sets of devices: its meshes', those of the
    mesh that is set, and those that its arguments are committed to, which lie `beside`."""
    around = get_concrete_mesh()
    places = _devices_given(closed).union([] if around.empty else [around.flat_devices])
    places |= {beside.device_assignment} if beside else set()
    if len(places) > 1:
        listed = "; ".join(sorted(", ".join(str(d.id) for d in devices) for devices in places))
        raise ValueError(
            f"{name} can't run on several sets of devices at once: its arguments and meshes, and "
            f"the mesh that is set, are on the devices {listed}. Move arrays first, outside of "
            f"jit: jax.device_put(x, sharding)."
        )


_calls = "minijax.lax.sharding.partitioned_calls"
_run_program, _cannot_be_cut = (
    call_lazily(f"{_calls}.{name}") for name in ("run_program", "cannot_be_cut")
)


def runner(closed: ClosedJaxpr, backend: Any, name: str, donated: tuple) -> Callable | None:
    """What runs a program that names a mesh."""
    mesh = mesh_of(closed)
    if mesh is not None:
        check_one_place(name, closed)
    if mesh is None or _cannot_be_cut(closed, mesh):
        return None
    return lambda *operands: _run_program(closed, mesh, operands)


Running.elsewhere.append(runner)

# What the user calls.


def known_sharding(fun_name: str, given: Any) -> Sharding:
    """A sharding as it is, or a spec for the mesh that is set.

    TypeError for what is neither, and for a mesh without devices that is not set; RuntimeError for
    a spec where no mesh is set, ValueError for an empty mesh.
    """
    if isinstance(given, P):
        around = get_abstract_mesh()
        if trace_ctx.manual is not None or (get_concrete_mesh().empty and not around.empty):
            return _check_not_manual(fun_name, NamedSharding(around, given))
        return on_the_mesh_set(fun_name, given, RuntimeError)
    if not isinstance(given, Sharding):
        raise TypeError(f"{fun_name} takes shardings, and got {shown(given)}. Give a P(...).")
    if isinstance(getattr(given, "mesh", None), AbstractMesh):
        given = _on_devices_set(fun_name, given)
    check_whole_values(fun_name, given)
    return _check_not_manual(fun_name, given)


def _on_devices_set(fun_name: str, given: NamedSharding) -> NamedSharding:
    """The sharding on the devices of the mesh that is set, if that is its own."""
    mesh = as_set(given.mesh)
    if mesh.empty or isinstance(mesh, AbstractMesh) and mesh != get_abstract_mesh():
        raise (ValueError if mesh.empty else TypeError)(
            f"{fun_name} got {in_short(given)}, which is on no devices. Use a Mesh."
        )
    return given.update(mesh=mesh)


def _check_not_manual(fun_name: str, sharding: Sharding) -> Sharding:
    """The sharding; inside of a shard_map one on no devices: each has a piece of its own there.
    ValueError where it names an axis along which they have."""
    if trace_ctx.manual is None or not isinstance(sharding, NamedSharding):
        return sharding
    if named := [name for name in names_of(sharding.spec) if name in trace_ctx.manual.axes]:
        raise ValueError(
            f"{fun_name} got {in_short(sharding)} inside of a shard_map, where devices have pieces "
            f"along {', '.join(map(str, named))}. Leave that out: the value is a piece already."
        )
    return sharding.update(mesh=get_abstract_mesh())


def check_whole_values(fun_name: str, sharding: Sharding) -> None:
    """NotImplementedError for a spec by which devices hold the terms of a sum."""
    spec = getattr(sharding, "spec", P())
    if spec.unreduced or spec.reduced:
        raise NotImplementedError(
            f"{fun_name} got {spec}: arrays of unreduced sums are not here yet. Leave `unreduced` "
            f"and `reduced` out."
        )


def check_divides(whose: str, sharding: Sharding, shape: Sequence[int]) -> None:
    """IndivisibleError where an axis has no equal parts, ValueError for too few axes."""
    try:
        sharding.shard_shape(shape)
    except ValueError as error:
        raise type(error)(f"{whose}: {error}") from None


def _beside_explicit(fun_name: str, x: Any, sharding: Sharding) -> Sharding:
    """How x is to lie along the other axes: along Explicit ones it lies as its type says.

    AssertionError where it is said to lie otherwise along these; ValueError where they are named,
    and the mesh that is set has others, too.
    """
    if not isinstance(sharding, NamedSharding) or not sharding.mesh.explicit_axes:
        return sharding
    explicit, is_typed = sharding.mesh.explicit_axes, get_abstract_mesh().are_all_axes_explicit
    given = [*sharding.spec.partitions, *[None] * typeof(x).ndim][: typeof(x).ndim]
    wanted = [tuple(name for name in names_in(names) if name in explicit) for names in given]
    found = typeof(x).sharding.spec.partitions
    if any(wanted) if not is_typed else any(map(operator.ne, wanted, map(names_in, found))):
        error = AssertionError if is_typed else ValueError
        raise error(
            f"{fun_name} got {in_short(sharding)} for {typeof(x)}, and along axes that are "
            f"Explicit a program says how arrays lie, not a constraint. Use jax.reshard."
        )
    return sharding.update(spec=P(*(old or new for old, new in zip(found, given, strict=True))))


def with_sharding_constraint(x: Any, shardings: Any) -> Any:
    """The pytree, its arrays divided among devices as `shardings` says: a sharding, a Format whose
    layout is row after row, a spec for the mesh that is set, or a tree of these that is a prefix
    of `x`.

    Inside jit the compiler divides what comes before and after as it fits this; an axis that is
    P.UNCONSTRAINED, as it likes. TypeError for what is no sharding, RuntimeError for a spec where
    no mesh is set, ValueError for a tree that doesn't fit and for arrays that can't be divided so.

    >>> import numpy as np
    >>> from minijax.lax.sharding.meshes import AxisType, make_mesh
    >>> mesh = make_mesh((1,), "x", axis_types=(AxisType.Auto,))
    >>> sharding = NamedSharding(mesh, P("x"))
    >>> with_sharding_constraint(np.zeros(2), sharding).sharding.spec
    P('x',)
    """
    name = "lax.with_sharding_constraint"
    leaves, treedef = tree_flatten(x)
    given = flatten_axes(f"{name}'s shardings", treedef, shardings)
    pairs = zip(leaves, given, strict=True)
    known = [known_sharding(name, without_layout(name, s, typeof(x).ndim)) for x, s in pairs]
    known = [_beside_explicit(name, *pair) for pair in zip(leaves, known, strict=True)]
    return tree_unflatten(treedef, list(map(constrained, leaves, known)))
