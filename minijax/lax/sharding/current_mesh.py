"""The mesh that is meant where none is named: a thread has one, or none.

Inside a `shard_map` some axes of the abstract one are Manual. Programs depend on all of this, so it
is part of every cache's key.
"""

from __future__ import annotations

import threading
import warnings
from typing import Any, NamedTuple

import numpy as np

from minijax.core.config import config
from minijax.core.staging import JaxprTrace
from minijax.core.tracing import eval_trace, trace_ctx
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.sharding.meshes import (
    AbstractMesh,
    Mesh,
    all_devices,
    empty_abstract_mesh,
    empty_concrete_mesh,
)
from minijax.lax.sharding.partition_specs import PartitionSpec
from minijax.lax.sharding.shardings import NamedSharding


class CurrentMesh(NamedTuple):
    """What is set: the devices' mesh, the abstract one, and that of a `with mesh:`."""

    concrete: Mesh = empty_concrete_mesh
    abstract: AbstractMesh = empty_abstract_mesh
    entered: Mesh = empty_concrete_mesh


NO_MESH = CurrentMesh()


def current_mesh() -> CurrentMesh:
    """This thread's."""
    return config.current_mesh or NO_MESH


def swap_mesh(new: CurrentMesh) -> CurrentMesh:
    """Sets this thread's, and returns what was set before."""
    before = current_mesh()
    if new == NO_MESH:
        vars(config).pop("current_mesh", None)
    else:
        vars(config)["current_mesh"] = new
    return before


def get_concrete_mesh() -> Mesh:
    """The devices' mesh that is set, or the empty one."""
    return current_mesh().concrete


def get_abstract_mesh() -> AbstractMesh:
    """The abstract mesh that is set, or the empty one.

    >>> get_abstract_mesh()
    AbstractMesh((), axis_types=())
    """
    return current_mesh().abstract


def as_set(mesh: Any) -> Any:
    """A mesh with the devices of the one that is set, if that is no other; else as it is."""
    concrete = get_concrete_mesh()
    is_set = concrete.shape_tuple == mesh.shape_tuple
    return concrete.update(axis_types=mesh.axis_types) if is_set else mesh


def with_devices(mesh: AbstractMesh) -> Mesh:
    """The mesh that is set, if it is this one; else one of the first devices."""
    found = as_set(mesh)
    if isinstance(found, Mesh):
        return found
    devices = np.array(all_devices()[: mesh.size], dtype=object)
    return Mesh(devices.reshape(mesh.axis_sizes), mesh.axis_names, mesh.axis_types)


def on_the_mesh_set(
    fun_name: str, spec: PartitionSpec, error: type[Exception] = ValueError
) -> NamedSharding:  # fmt: skip
    """A spec with the mesh that is set; an `error` where none is."""
    mesh = get_concrete_mesh()
    if mesh.empty:
        raise error(
            f"{fun_name} got {spec}, and no mesh is set. Give a NamedSharding, or use jax.set_mesh."
        )
    return NamedSharding(mesh, spec)


def get_mesh() -> Mesh:
    """The mesh that `set_mesh` has set, or the empty one. ValueError under a transformation.

    >>> get_mesh()
    Mesh(axis_sizes=(), axis_names=())
    """
    _refuse_traced("get_mesh", "jax.sharding.get_abstract_mesh()")
    return get_concrete_mesh()


def is_traced() -> bool:
    """Whether a function is traced, or transformed, now."""
    return trace_ctx.trace is not eval_trace and not hasattr(trace_ctx.trace, "is_ground")


def is_staged() -> bool:
    """Whether what is computed now becomes a program's."""
    trace = trace_ctx.trace
    while trace.parent is not None:
        trace = trace.parent
    return isinstance(trace, JaxprTrace)


def _refuse_traced(fun_name: str, instead: str) -> None:
    if is_traced():
        raise ValueError(f"{fun_name} was called inside a traced function. Use {instead}.")


class set_mesh:
    """Sets this thread's mesh: from now on, or for a block, as `with set_mesh(mesh):`.

    None stands for none. ValueError for what is no mesh, for one with Manual axes, and inside a
    traced function.

    >>> from minijax.lax.sharding.meshes import make_mesh
    >>> with set_mesh(make_mesh((1,), "x")):
    ...     get_mesh()
    Mesh(axis_sizes=(1,), axis_names=('x',), axis_types=(Explicit,))
    """

    __slots__ = ("before",)

    def __init__(self, mesh: Mesh | None) -> None:
        if not (mesh is None or isinstance(mesh, Mesh)):
            got = shown(mesh)
            raise ValueError(
                f"set_mesh takes a Mesh, and got {got}. jax.make_mesh makes one. Use that."
            )
        _refuse_traced("set_mesh", "it outside, round the call")
        if mesh is not None and mesh.manual_axes:
            raise ValueError(f"set_mesh got {mesh}, which has Manual axes. Give one without.")
        mesh = empty_concrete_mesh if mesh is None else mesh
        new = current_mesh()._replace(concrete=mesh, abstract=mesh.abstract_mesh)
        self.before = swap_mesh(new)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: Any) -> None:
        swap_mesh(self.before)


class use_abstract_mesh:
    """A context in which programs are traced for a mesh without devices.

    ValueError for what is no AbstractMesh, and for one of another size than one that is set.
    """

    __slots__ = ("before", "mesh")

    def __init__(self, mesh: AbstractMesh) -> None:
        if not isinstance(mesh, AbstractMesh):
            got = shown(mesh)
            raise ValueError(
                f"use_abstract_mesh takes an AbstractMesh, and got {got}. Use mesh.abstract_mesh."
            )
        self.mesh = mesh

    def __enter__(self) -> None:
        outer = get_abstract_mesh()
        if not outer.empty and not self.mesh.empty and outer.size != self.mesh.size:
            raise ValueError(
                f"use_abstract_mesh got a mesh of {self.mesh.size} devices, "
                f"{dict(self.mesh.shape)}, where one of {outer.size} is set, "
                f"{dict(outer.shape)}. Give one of the same size."
            )
        self.before = swap_mesh(current_mesh()._replace(abstract=self.mesh))

    def __exit__(self, *exception: Any) -> None:
        swap_mesh(self.before)


# `with mesh:`, as it was written before there was `set_mesh`.

_entered = threading.local()


def _enter(self: Mesh) -> Mesh:
    if config.jax_disallow_mesh_context_manager:
        raise RuntimeError(
            "jax_disallow_mesh_context_manager is on. Use `with jax.set_mesh(mesh)`."
        )
    message = "`with mesh:` is deprecated. Use `with jax.set_mesh(mesh):` instead."
    warnings.warn(message, DeprecationWarning, stacklevel=2)
    befores = vars(_entered).setdefault("befores", [])
    befores.append(swap_mesh(current_mesh()._replace(entered=self)))
    return self


def _leave(self: Mesh, *exception: Any) -> None:
    swap_mesh(_entered.befores.pop())


Mesh.__enter__, Mesh.__exit__ = _enter, _leave  # type: ignore[attr-defined]
