"""auto_axes, explicit_axes: functions inside of which axes of the mesh are Auto, or Explicit."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import Any

from minijax.core.arguments import flatten_axes
from minijax.core.calls import check_callable
from minijax.core.pytrees import tree_flatten, tree_map, tree_unflatten
from minijax.core.tracing import Tracer
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.sharding.constraints import with_sharding_constraint
from minijax.lax.sharding.current_mesh import (
    get_abstract_mesh,
    get_concrete_mesh,
    use_abstract_mesh,
)
from minijax.lax.sharding.explicit_types import ExplicitArray
from minijax.lax.sharding.meshes import AbstractMesh, AxisType
from minijax.lax.sharding.partition_specs import UNCONSTRAINED, P
from minijax.lax.sharding.resharding import moved, reshard, reshard_p
from minijax.lax.sharding.sharded_arrays import ShardedArray
from minijax.lax.sharding.shardings import NamedSharding


def auto_axes(
    f: Callable | None = None, /, *, axes: str | tuple[str, ...] | None = None,
    out_sharding: Any = None,
) -> Callable:  # fmt: skip
    """`f`, inside of which `axes` of the mesh that is set (all, if none are named) are Auto: the
    compiler chooses how values lie. Its results lie as `out_sharding` says, which may be given at
    the call. TypeError where neither does. Without `f`, a decorator.

    >>> import minijax as jax
    >>> with jax.set_mesh(jax.make_mesh((1,), "x")):
    ...     auto_axes(lambda x: x + 1, out_sharding=jax.P("x"))(jax.numpy.zeros(2)).sharding.spec
    P('x',)
    """
    if f is None:
        return partial(auto_axes, axes=axes, out_sharding=out_sharding)
    check_callable(f, "auto_axes")

    @wraps(f)
    def with_auto_axes(*args: Any, out_sharding: Any = out_sharding, **kwargs: Any) -> Any:
        target = _needed("auto_axes", "out_sharding", out_sharding)
        mesh = _with_modes("auto_axes", axes, AxisType.Auto)
        args, kwargs = tree_map(partial(as_on, mesh=mesh), (args, kwargs))
        with use_abstract_mesh(mesh):
            out = f(*args, **kwargs)
        return (reshard if _outer_mesh().explicit_axes else with_sharding_constraint)(out, target)

    return with_auto_axes


def explicit_axes(
    f: Callable | None = None, /, *, axes: str | tuple[str, ...] | None = None,
    in_sharding: Any = None,
) -> Callable:  # fmt: skip
    """`f`, inside of which `axes` of the mesh that is set (all, if none are named) are Explicit.
    Its arguments are brought to `in_sharding`, which may be given at the call. TypeError where
    neither does. Without `f`, a decorator.

    >>> import minijax as jax
    >>> with jax.set_mesh(jax.make_mesh((1,), "x", axis_types=(jax.sharding.AxisType.Auto,))):
    ...     explicit_axes(lambda x: x + 1, in_sharding=jax.P("x"))(jax.numpy.zeros(2)).shape
    (2,)
    """
    if f is None:
        return partial(explicit_axes, axes=axes, in_sharding=in_sharding)
    check_callable(f, "explicit_axes")

    @wraps(f)
    def with_explicit_axes(*args: Any, in_sharding: Any = in_sharding, **kwargs: Any) -> Any:
        target = _needed("explicit_axes", "in_sharding", in_sharding)
        outer = get_abstract_mesh()
        with use_abstract_mesh(_with_modes("explicit_axes", axes, AxisType.Explicit)):
            leaves, treedef = tree_flatten(args)
            given = flatten_axes("explicit_axes' in_sharding", treedef, target)
            placed = [moved("explicit_axes", *pair) for pair in zip(leaves, given, strict=True)]
            out = f(*tree_unflatten(treedef, placed), **kwargs)
        return tree_map(partial(as_on, mesh=outer), out)

    return with_explicit_axes


def _needed(fun_name: str, keyword: str, given: Any) -> Any:
    if given is None:
        raise TypeError(f"{fun_name} needs {keyword}, and got none. Give it {keyword}=P(...).")
    return given


def _outer_mesh() -> AbstractMesh:
    mesh = get_abstract_mesh()
    return get_concrete_mesh().abstract_mesh if mesh.empty else mesh


def _with_modes(fun_name: str, axes: Any, mode: AxisType) -> AbstractMesh:
    """The mesh, whose axes have another mode. ValueError for axes that it hasn't."""
    mesh = _outer_mesh()
    names = mesh.axis_names if axes is None else axes if isinstance(axes, tuple) else (axes,)
    if not set(names) <= set(mesh.axis_names):
        raise ValueError(
            f"{fun_name} got axes {shown(axes)}, and the mesh has {mesh.axis_names}. Name some of "
            f"these."
        )
    return mesh.update_axis_types(dict.fromkeys(names, mode))


def as_on(x: Any, *, mesh: AbstractMesh) -> Any:
    """x, which lies as it did, as a value on its mesh with axes of other modes."""
    if type(x) is ShardedArray and isinstance(x.sharding, NamedSharding):
        on = x.sharding.mesh
        if on.shape_tuple != mesh.shape_tuple or on.axis_types == mesh.axis_types:
            return x
        sharding = x.sharding.update(mesh=on.update(axis_types=mesh.axis_types))
        return ShardedArray(x.shards(), sharding, x.aval, x.committed)
    aval = x.aval if isinstance(x, Tracer) else None
    if type(aval) is not ExplicitArray or aval.mesh.shape_tuple != mesh.shape_tuple:
        return x
    if aval.mesh.axis_types == mesh.axis_types:
        return x
    explicit = [tuple(name for name in names if name in mesh.explicit_axes) for names in aval.cut]
    spec = P(*(
        kept or (UNCONSTRAINED if names else None)
        for kept, names in zip(explicit, aval.cut, strict=True)
    ))  # fmt: skip
    return reshard_p.bind(x, dst_sharding=NamedSharding(mesh, spec), concrete_mesh=None)
