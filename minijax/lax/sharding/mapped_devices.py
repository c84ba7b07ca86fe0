"""A device for each example, as `vmap` has it: `pmap`, and `smap` along one axis of a mesh.

Both are shard_map, in which a device's piece is one example, or some of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial, wraps
from typing import Any

from minijax.core.arguments import (
    as_positions,
    check_axes,
    donated_leaves,
    flatten_axes,
    split_static,
    static_key,
)
from minijax.core.arrays import Array, to_numpy
from minijax.core.calls import check_callable, flatten_fun
from minijax.core.config import FunctionCache, config
from minijax.core.errors import api_boundary
from minijax.core.jitting import jit
from minijax.core.primitives import expand_dims
from minijax.core.pytrees import tree_flatten, tree_map, tree_unflatten
from minijax.core.staging import own_handle
from minijax.core.tracing import eval_trace, trace_ctx, typeof
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.shapes.axes import squeeze
from minijax.lax.sharding.meshes import Device, Mesh, all_devices
from minijax.lax.sharding.partition_specs import P
from minijax.lax.sharding.shard_map_calls import Infer, shard_map
from minijax.lax.sharding.sharded_arrays import ShardedArray, place
from minijax.lax.sharding.shardings import IndivisibleError, NamedSharding

mapped_programs = FunctionCache()


def _spec(axis_name: Any, axis: int | None) -> P:
    """An axis of vmap's as a spec."""
    return P() if axis is None else P(*[None] * axis, axis_name)


def _specs(axis_name: Any, axes: Any) -> Any:
    return tree_map(partial(_spec, axis_name), axes, is_leaf=lambda x: x is None)


@api_boundary
def pmap(
    fun: Callable, axis_name: Any = None, *, in_axes: Any = 0, out_axes: Any = 0,
    static_broadcasted_argnums: int | Iterable[int] = (),
    devices: Sequence[Device] | None = None, backend: str | None = None,
    axis_size: int | None = None, donate_argnums: int | Iterable[int] = (),
) -> Callable:  # fmt: skip
    """`fun` on all slices of its arguments along `in_axes`, each on a device of its own.

    It is jitted. As with vmap, collectives call the axis `axis_name`, and results are stacked along
    `out_axes`; they stay on the devices. The first devices are taken unless `devices` says others.
    Static arguments are given to `fun` as they are; donated ones are deleted, as by jit, unless
    they have to be cut. TypeError for other axes than ints and None; ValueError where no argument
    is mapped, for another size than `axis_size`, and where there are not as many devices as slices.

    >>> import numpy as np
    >>> pmap(lambda x: 2 * x)(np.arange(3.0).reshape(1, 3))
    Array([[0., 2., 4.]], dtype=float32)
    """
    check_callable(fun, "pmap")
    check_axes("in_axes", in_axes, int | tuple | list | dict | None, "pmap")
    check_axes("out_axes", out_axes, object, "pmap")
    static, donated = (
        as_positions("pmap", which) for which in (static_broadcasted_argnums, donate_argnums)
    )
    name = "_internal_pmap_axis_name" if axis_name is None else axis_name
    cache, this_one = mapped_programs.of(fun), object()

    @api_boundary
    @wraps(fun)
    def pmap_fun(*args: Any, **kwargs: Any) -> Any:
        if static and max(static) >= len(args):
            raise ValueError(
                f"pmap got static_broadcasted_argnums={static}, and a call with {len(args)} "
                f"positional arguments. Pass static arguments by position."
            )
        given = args, kwargs
        call_fun, args, kwargs, statics = split_static(fun, *given, static, ())
        axes = tuple(in_axes) if isinstance(in_axes, list) else in_axes
        if isinstance(axes, tuple) and statics:
            axes = tuple(axis for i, axis in enumerate(axes) if i not in static)
        leaves, in_tree = tree_flatten((args, kwargs))
        axes_flat = flatten_axes("pmap in_axes", tree_flatten(args)[1], axes)
        axes_flat += [0] * (len(leaves) - len(axes_flat))  # those of keyword arguments
        mesh = _mesh(leaves, axes_flat, axis_size, devices, name)
        known = static_key(statics, fun) if statics else ()
        key = this_one, in_tree, tuple(axes_flat), mesh, known, config.trace_key()
        mapped = cache.get(key)
        if mapped is None:
            marks = donated_leaves((donated, ()), *given, (static, ()), leaves)
            mapped = _mapped(call_fun, in_tree, axes_flat, out_axes, mesh, name, marks)
            cache[key] = mapped
        # What is cut for several devices is copied, so nothing is gained by deleting it.
        out = mapped(*(map(own_handle, leaves) if mesh.size > 1 else leaves))
        if trace_ctx.trace is not eval_trace:
            return out
        results, out_tree = tree_flatten(out)
        specs = flatten_axes("pmap out_axes", out_tree, _specs(name, out_axes))
        return tree_unflatten(out_tree, [
            _kept(x, NamedSharding(mesh, spec)) for x, spec in zip(results, specs, strict=True)
        ])  # fmt: skip

    pmap_fun.lower = jit(pmap_fun, static_argnums=static, donate_argnums=donated).lower
    return pmap_fun


def _mesh(
    leaves: Sequence, axes: Sequence, axis_size: int | None, devices: Any, name: Any
) -> Mesh:
    """A mesh of as many devices as there are slices."""
    mapped = [(x, axis) for x, axis in zip(leaves, axes, strict=True) if axis is not None]
    mapped = [(typeof(x), axis) for x, axis in mapped if typeof(x).shape]
    if not mapped:
        raise ValueError(
            "pmap needs an argument that is mapped, and got none. Give an array with an axis, or "
            "use jit."
        )
    for aval, axis in mapped:
        if not 0 <= axis < aval.ndim:
            raise ValueError(
                f"pmap was to map axis {axis} of {aval}. Give one from 0 to {aval.ndim - 1}."
            )
    sizes = {aval.shape[axis]: aval for aval, axis in mapped}
    size = next(iter(sizes))
    if axis_size not in (None, size):
        got = shown(axis_size)
        raise ValueError(f"pmap got axis_size={got}, and {size} slices. Leave it out.")
    if len(sizes) > 1:
        got = ", ".join(map(str, sizes.values()))
        raise IndivisibleError(
            f"pmap got mapped arguments {got}. Give one size along their mapped axes."
        )
    found = tuple(all_devices() if devices is None else devices)
    if len(found) < size:
        raise IndivisibleError(
            f"pmap got {size} slices, and there are {len(found)} devices. Use vmap, or more "
            f"devices: jax.config.update('jax_num_cpu_devices', {size}), first of all."
        )
    return Mesh(found[:size], (name,))


def _mapped(
    fun: Callable, in_tree: Any, axes: Sequence, out_axes: Any, mesh: Mesh, name: Any,
    donated: Sequence[bool],
) -> Callable:  # fmt: skip
    """The jitted function of leaves."""
    flat_fun, out_tree = flatten_fun(fun, in_tree)

    def _fun(*pieces: Any) -> Any:
        examples = [x if d is None else squeeze(x, [d]) for x, d in zip(pieces, axes, strict=True)]
        results = flat_fun(*examples)
        out_flat = flatten_axes("pmap out_axes", out_tree(), out_axes)
        pairs = zip(results, out_flat, strict=True)
        return tree_unflatten(
            out_tree(), [x if d is None else expand_dims(x, [d]) for x, d in pairs]
        )

    on_mesh = shard_map(
        _fun, mesh=mesh, in_specs=tuple(_spec(name, d) for d in axes),
        out_specs=_specs(name, out_axes), check_vma=False,
    )  # fmt: skip
    return jit(on_mesh, donate_argnums=tuple(i for i, mark in enumerate(donated) if mark))


def _kept(x: Any, sharding: NamedSharding) -> Any:
    """A result, on the devices where it was made."""
    if not isinstance(x, Array) or (type(x) is ShardedArray and x.sharding == sharding):
        return x
    return place(to_numpy(x), sharding, x.aval)


@api_boundary
def smap(
    f: Callable | None = None, /, *, in_axes: Any = Infer, out_axes: Any, axis_name: Any
) -> Any:
    """`f`, run by the devices along one axis of the mesh that is set: each has a piece of the
    arguments, along `in_axes`, and results are joined along `out_axes`.

    TypeError for other axes than ints and None, or several names. Without `f`, a decorator.
    """
    if f is None:
        return partial(smap, in_axes=in_axes, out_axes=out_axes, axis_name=axis_name)
    if isinstance(axis_name, list | tuple):
        raise TypeError(f"smap takes one axis_name, and got {shown(axis_name)}. Give one name.")
    if in_axes is not Infer:
        check_axes("in_axes", in_axes, int | tuple | None, "smap")
    check_axes("out_axes", out_axes, object, "smap")

    return shard_map(
        f, in_specs=in_axes if in_axes is Infer else _specs(axis_name, in_axes),
        out_specs=_specs(axis_name, out_axes), axis_names={axis_name},
    )  # fmt: skip
