"""The function that a user calls: what it is given is checked, the body is traced, and bound."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, wraps
from typing import Any

import numpy as np

from minijax.core.arguments import flatten_axes
from minijax.core.arrays import as_array
from minijax.core.calls import check_args, check_callable, debug_info, flatten_fun
from minijax.core.dtypes import float0
from minijax.core.errors import DebugInfo, api_boundary, keystr
from minijax.core.forward import JVPTracer
from minijax.core.pytrees import flatten_with_path, tree_flatten, tree_unflatten
from minijax.core.staging import DynamicJaxprTracer, trace_to_jaxpr
from minijax.core.tracing import Tracer, eval_trace, trace_ctx, typeof
from minijax.face.lazily import call_lazily
from minijax.lax.collectives.type_changes import pcast
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.sharding.current_mesh import get_abstract_mesh, get_concrete_mesh
from minijax.lax.sharding.cutting import cut, kept
from minijax.lax.sharding.device_programs import check_devices
from minijax.lax.sharding.eager_bodies import run_body_eagerly
from minijax.lax.sharding.hidden_bodies import on_devices_p  # noqa: F401  (programs have it)
from minijax.lax.sharding.meshes import AbstractMesh, Mesh
from minijax.lax.sharding.partition_specs import P, names_of
from minijax.lax.sharding.placed_types import in_order, pvary, said_of, without_vma
from minijax.lax.sharding.shard_map import (
    bind_body,
    devices_of,
    in_mesh_order,
    inside,
    number_of_pieces,
    piece_aval,
    whole_aval,
)
from minijax.lax.sharding.shardings import NamedSharding


class _Infer:
    """Stands for in_specs that are those of the arguments."""

    def __repr__(self) -> str:
        return "jax.sharding.Infer"

    def __reduce__(self) -> str:
        return "Infer"


Infer = _Infer()


@api_boundary
def shard_map(
    f: Callable | None = None, /, *, out_specs: Any, in_specs: Any = Infer,
    mesh: Mesh | AbstractMesh | None = None, axis_names: set | frozenset = frozenset(),
    check_vma: bool = True,
) -> Any:  # fmt: skip
    """`f`, run by each device of a mesh on its own piece of the arguments.

    `in_specs` and `out_specs` are PartitionSpecs, or pytrees of them that are a prefix of the
    arguments' tuple and of the result: how each argument is cut, and each result put together.
    With None instead of a spec, an argument is given to `f` as it is. Collectives such as lax.psum
    name axes of the mesh. `axis_names` are those along which devices have pieces, all unless said.
    Without `mesh`, it is the one of `set_mesh`. Without `f`, a decorator.

    With `check_vma`, types say along which axes values vary: ValueError where an out_spec leaves
    an axis out along which the result may vary. ValueError, too, for specs that do not fit the
    arguments or results, or name other axes; TypeError for what is no spec, or no mesh.

    >>> import minijax as jax
    >>> mesh = jax.make_mesh((1,), "x", jax.sharding.AxisType.Auto)
    >>> double = shard_map(lambda x: 2 * x, mesh=mesh, in_specs=P("x"), out_specs=P("x"))
    >>> double(jax.numpy.arange(3))
    Array([0, 2, 4], dtype=int32)
    """
    if f is None:
        return partial(
            shard_map, out_specs=out_specs, in_specs=in_specs, mesh=mesh, axis_names=axis_names,
            check_vma=check_vma,
        )  # fmt: skip
    check_callable(f, "shard_map")
    given = mesh

    @api_boundary
    @wraps(f)
    def shard_map_fun(*args: Any) -> Any:
        mesh = _known_mesh(given)
        axes = _known_axes(mesh, axis_names)
        _check_specs("in_specs", () if in_specs is Infer else in_specs, mesh, axes)
        _check_specs("out_specs", out_specs, mesh, axes)
        info = debug_info("shard_map", f, args, {})
        leaves, in_tree = tree_flatten(args)
        leaves = list(map(as_one_array, leaves))
        specs = _specs_of(in_specs, args, leaves, in_tree, mesh, axes, info)
        mapped = [x for x, spec in zip(leaves, specs, strict=True) if spec is not None]
        in_specs_flat = tuple(spec for spec in specs if spec is not None)
        params = {"mesh": mesh, "newly_manual_axes": axes, "check_vma": check_vma}

        def fun(*pieces: Any) -> Any:
            given = iter(pieces)
            both = zip(leaves, specs, strict=True)
            return f(*tree_unflatten(in_tree, [x if s is None else next(given) for x, s in both]))

        flat_fun, out_tree = flatten_fun(wraps(f)(fun), tree_flatten((tuple(mapped), {}))[1])
        found: list[tuple[P, ...]] = []

        def body(*pieces: Any) -> list[Any]:
            out = flat_fun(*pieces)
            specs = flatten_axes("shard_map's out_specs", out_tree(), out_specs, is_leaf=None)
            found.append(tuple(specs))
            if not check_vma:
                return out
            return [as_out_spec(x, spec) for x, spec in zip(out, found[0], strict=True)]

        avals = [
            piece_aval(mesh, spec, typeof(x), check_vma)
            for x, spec in zip(mapped, in_specs_flat, strict=True)
        ]
        devices = devices_of(mesh)
        is_here = not devices.is_multi_process
        if trace_ctx.trace is eval_trace and {*devices.axis_names} == axes and is_here:
            pieces = []
            for x, spec in zip(mapped, in_specs_flat, strict=True):
                check_devices(x, devices, spec)
                pieces.append(cut(x, spec, devices.shape, devices))
            with inside(**params):
                out = run_body_eagerly(body, devices, pieces, avals)
            _check_results(info, [aval for aval, _ in out], found[0], out_tree(), **params)
            return tree_unflatten(out_tree(), [
                kept(vals, NamedSharding(devices, spec),
                     without_vma(whole_aval(mesh, spec, aval, axes)))
                for (aval, vals), spec in zip(out, found[0], strict=True)
            ])  # fmt: skip
        with inside(**params):
            closed = trace_to_jaxpr(body, avals, info)
        _check_results(info, closed.out_avals, found[0], out_tree(), **params)
        out = bind_body(closed, mapped, in_specs_flat, out_specs=found[0], **params)
        return tree_unflatten(out_tree(), out)

    return shard_map_fun


def as_out_spec(x: Any, spec: P) -> Any:
    """A result, which varies along the axes that its spec names, and is a term where it says so."""
    x = pvary(x, names_of(spec))
    terms = spec.unreduced - said_of(typeof(x)).unreduced
    return pcast(x, in_order(terms), to="unreduced") if terms else x


def as_one_array(x: Any) -> Any:
    """A NumPy array as an Array: it is copied once, wherever it is used."""
    return as_array(x) if isinstance(x, np.ndarray) and x.dtype != float0 else x


# What is asked for.


def _known_mesh(mesh: Any) -> Mesh | AbstractMesh:
    context = get_abstract_mesh()
    if mesh is None:
        if context.empty:
            raise ValueError(
                "shard_map got no mesh, and none is set. Give mesh=, or call it in `with "
                "jax.set_mesh(mesh):`."
            )
        return context
    if not isinstance(mesh, Mesh | AbstractMesh):
        got = shown(mesh)
        raise TypeError(f"shard_map takes a Mesh as mesh, and got {got}. Use jax.make_mesh.")
    if mesh.empty:
        raise ValueError(f"shard_map got {mesh!r}, which has no devices. Give one that has.")
    others = get_concrete_mesh().flat_devices
    if others and isinstance(mesh, Mesh) and mesh.flat_devices != others:
        raise ValueError(
            f"shard_map got a mesh of the devices {[d.id for d in mesh.flat_devices]}, and "
            f"another, of {[d.id for d in others]}, is set. Leave `mesh` out, so that it is that "
            f"one."
        )
    if not context.empty and mesh.abstract_mesh is not context:
        raise ValueError(
            f"shard_map got a mesh of the axes {mesh.axis_names}, and another, of "
            f"{context.axis_names}, is set. Leave `mesh` out, so that it is that one."
        )
    return mesh


def _known_axes(mesh: Mesh | AbstractMesh, axis_names: Any) -> frozenset:
    """The axes that become manual: those that are not, of the ones named, if any are."""
    if not isinstance(axis_names, set | frozenset):
        got = shown(axis_names)
        raise TypeError(f"shard_map takes axis_names as a set, and got {got}. Give {{'x'}}, say.")
    free = frozenset(mesh.axis_names).difference(mesh.manual_axes)
    if not axis_names <= frozenset(mesh.axis_names):
        raise ValueError(
            f"shard_map got axis_names {shown(axis_names)}, and the mesh has the axes "
            f"{mesh.axis_names}. Give some of these."
        )
    return free.intersection(axis_names) if axis_names else free


def _check_specs(argument: str, specs: Any, mesh: Any, axes: frozenset) -> None:
    """TypeError for what is no spec, ValueError for one that names another axis, and for one of
    sums along axes that are not Explicit; NotImplementedError for one of sums where some axes of
    the mesh are left out."""
    pairs: list[tuple] = []
    flatten_with_path(specs, (), pairs)
    for path, spec in pairs:
        where = f"shard_map's {argument}{keystr(path)}"
        if not isinstance(spec, P):
            raise TypeError(f"{where} is {shown(spec)}. Give a PartitionSpec, such as jax.P('x').")
        if spec.unreduced or spec.reduced:
            _check_sums(where, spec, mesh, axes)
        for name in names_of(spec):
            if name not in axes:
                raise ValueError(
                    f"{where} is {spec}, and {shown(name)} is none of the axes that it may name, "
                    f"{in_mesh_order(mesh, axes)}. Name some of these, or add it to axis_names."
                )


def _check_sums(where: str, spec: P, mesh: Any, axes: frozenset) -> None:
    if axes != {*mesh.axis_names}:
        raise NotImplementedError(
            f"{where} is {spec}, and shard_map is over {in_mesh_order(mesh, axes)} alone of "
            f"{mesh.axis_names}. Name all axes of the mesh where `unreduced` or `reduced` is said."
        )
    if not spec.unreduced | spec.reduced <= {*mesh.explicit_axes}:
        raise ValueError(
            f"{where} is {spec}, and `unreduced` and `reduced` name axes that are Explicit. Of "
            f"{mesh.axis_names} these are {mesh.explicit_axes}. Name no others."
        )
    _begin_explicit_types()  # in which results of programs say so


_begin_explicit_types = call_lazily("minijax.lax.sharding.explicit_typing.begin")


def _specs_of(
    in_specs: Any, args: tuple, leaves: Sequence[Any], in_tree: Any, mesh: Any, axes: frozenset,
    info: DebugInfo,
) -> list[P | None]:  # fmt: skip
    """A spec for each leaf of the arguments; None for those that are given as they are."""
    if in_specs is Infer:
        if not axes <= {*mesh.explicit_axes}:
            raise TypeError(
                f"shard_map got no in_specs, and the axes {in_mesh_order(mesh, axes)} are not all "
                f"Explicit. Give in_specs, how each argument is cut."
            )
        specs: list = [spec_of(x) for x in leaves]
        if None in specs:
            raise TypeError(
                f"shard_map({info.func_name}) got no in_specs, and how "
                f"{info.arg_name(specs.index(None))} lies is not known here. Give in_specs."
            )
    else:
        specs = flatten_axes("shard_map's in_specs", in_tree, in_specs)
    mapped = [0 if spec is None else x for x, spec in zip(leaves, specs, strict=True)]
    check_args(mapped, info)
    for i, (x, spec) in enumerate(zip(mapped, specs, strict=True)):
        if spec is not None:
            where = f"shard_map({info.func_name}), argument {info.arg_name(i)}"
            _check_fits(where, x, spec, mesh, axes == {*mesh.explicit_axes} == {*mesh.axis_names})
    return specs


def spec_of(x: Any) -> P | None:
    """How an argument lies, where that is known."""
    aval = typeof(x)
    if isinstance(x, Tracer) and not hasattr(aval, "cut"):
        # Of a program's argument, a type that says nothing says that nothing is cut. Of a value
        # that is computed, it may be that nothing is known.
        return P() if is_argument(x) else None
    sharding = aval.sharding if hasattr(aval, "cut") else getattr(x, "sharding", None)
    return up_to_last_cut(getattr(sharding, "spec", P()))


def is_argument(x: Any) -> bool:
    """Whether a value, or the one that is differentiated, is an argument of the program that is
    being traced."""
    while isinstance(x, JVPTracer):
        x = x.primal
    return isinstance(x, DynamicJaxprTracer) and x.val in x._trace.frame.invars


def up_to_last_cut(spec: P) -> P:
    """The spec without the axes at the end that are whole."""
    size = max((i + 1 for i, names in enumerate(spec.partitions) if names), default=0)
    return spec.update(spec.partitions[:size])


def _check_fits(where: str, x: Any, spec: P, mesh: Any, are_types_explicit: bool) -> None:
    shape = typeof(x).shape
    lies, wanted = spec_of(x), up_to_last_cut(spec)
    if are_types_explicit and lies is not None and lies is not wanted:
        raise ValueError(
            f"{where}: its in_spec is {spec}, and on Explicit axes it lies as {lies} says. Move it "
            f"first: jax.device_put(x, {spec}), or give it a mesh of Auto axes."
        )
    if len(spec) > len(shape):
        raise ValueError(
            f"{where}: its in_spec {spec} speaks of {len(spec)} axes, and {typeof(x)} has "
            f"{len(shape)}. Give a spec with no more than that."
        )
    for axis, (size, names) in enumerate(zip(shape, spec.partitions, strict=False)):
        count = number_of_pieces(mesh, names)
        if size % count:
            raise ValueError(
                f"{where}: its in_spec {spec} cuts axis {axis} of {typeof(x)} into {count} pieces, "
                f"and {size} has no {count} equal ones. Give a multiple, or cut another axis."
            )


# What comes out.


def _check_results(
    info: DebugInfo, avals: Sequence[Any], specs: Sequence[P], tree: Any, *, mesh: Any,
    newly_manual_axes: frozenset, check_vma: bool,
) -> None:  # fmt: skip
    paths: list[tuple] = []
    flatten_with_path(tree_unflatten(tree, range(len(avals))), (), paths)
    for (path, _), aval, spec in zip(paths, avals, specs, strict=True):
        where = f"shard_map({info.func_name}), its result{keystr(path)} of type {aval}"
        if len(spec) > aval.ndim:
            raise ValueError(
                f"{where}: its out_spec {spec} speaks of {len(spec)} axes, and it has {aval.ndim}. "
                f"Give a spec with no more than that"
                + (", or return x[None]: pieces without axes can't be joined." * (not aval.ndim))
            )
        said = said_of(aval)
        more = in_mesh_order(mesh, (said.varying & newly_manual_axes).difference(names_of(spec)))
        if check_vma and said[1:] != (spec.unreduced, spec.reduced):
            raise ValueError(
                f"{where}: its out_spec {spec} says otherwise of the terms of sums. Name the same "
                f"axes as `unreduced` and `reduced`, or use lax.psum, or lax.pcast."
            )
        if more:
            raise ValueError(
                f"{where}: its out_spec {spec} leaves out {', '.join(map(repr, more))}, along "
                f"which it may vary. Name {'it' if len(more) == 1 else 'them'} there, or return "
                f"what is the same on all devices, such as lax.psum(x, {more[0]!r}); or, if you "
                f"know that it is, give check_vma=False."
            )
