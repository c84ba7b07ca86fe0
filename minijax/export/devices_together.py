"""What a file says that devices do together: a `shard_map`, and the collectives in its body.

Rules for types look at names of axes. Here it is seen, too, that sizes are those of the mesh, so
that no device is asked for a piece that there isn't.
"""

from __future__ import annotations

import math
from itertools import chain
from typing import Any

from minijax.core.printing import programs_in_params
from minijax.core.staging import JaxprEqn
from minijax.core.tracing import NamedAxisEffect, Primitive
from minijax.export.value_format import need
from minijax.lax.collectives.reducing import as_names
from minijax.lax.sharding.partition_specs import names_of
from minijax.lax.sharding.shard_map import shard_map_p
from minijax.lax.sharding.shardings import NamedSharding

# By the parameter in which each names its axes.
_AXES_IN = {
    "axes": "pmax pmin psum psum_invariant",
    "axis_name": """
        all_gather all_gather_invariant all_to_all axis_index pbroadcast ppermute reduce_scatter""",
}
collectives = {name: param for param, names in _AXES_IN.items() for name in names.split()}


def effects_of(primitive: Primitive, params: dict[str, Any]) -> frozenset:
    """The axes that an equation names: its own, and those of its programs; a `shard_map` ends
    those of its mesh."""
    own = as_names(params[collectives[primitive.name]]) if primitive.name in collectives else ()
    inside = (program.effects for program in programs_in_params(params))
    ended = params["newly_manual_axes"] if primitive is shard_map_p else ()
    return frozenset(map(NamedAxisEffect, own)).union(*inside) - set(map(NamedAxisEffect, ended))


def check_devices(eqn: JaxprEqn) -> None:
    """ValueError where the pieces of a `shard_map` are not those of its mesh."""
    if eqn.primitive is not shard_map_p:
        return
    params = eqn.params
    mesh, manual = params["mesh"], params["newly_manual_axes"]
    need(not params["check_vma"] and manual and manual <= {*mesh.axis_names}, "a mesh is none")
    for specs, atoms in ((params["in_specs"], eqn.invars), (params["out_specs"], eqn.outvars)):
        for spec, x in zip(specs, atoms, strict=True):
            is_cut = {*names_of(spec)} <= manual and not spec.unreduced and not spec.reduced
            need(is_cut, f"{spec} cuts along other axes than {sorted(manual)}")
            NamedSharding(mesh, spec).check_compatible_aval(x.aval.shape)
    _check_sizes(params["jaxpr"], {name: mesh.shape[name] for name in manual})


def _check_sizes(program: Any, sizes: dict[str, int]) -> None:
    for eqn in program.eqns:
        name, params = eqn.primitive.name, eqn.params
        if name in collectives:
            axes = as_names(params[collectives[name]])
            size = math.prod(sizes[axis] for axis in axes if axis in sizes)
            size = size if {*axes} <= sizes.keys() else 0  # another mesh around has the axis
            numbers = (params.get("source", 0), *chain(*params.get("perm", ())))
            fits = params.get("axis_size", size) == size and max(numbers) < size
            need(not size or fits, f"{name} is not of the {size} devices of its mesh")
        for inner in programs_in_params(params):
            _check_sizes(inner, sizes | _own_sizes(params))


def _own_sizes(params: dict[str, Any]) -> dict[str, int]:
    return {name: params["mesh"].shape[name] for name in params.get("newly_manual_axes", ())}
