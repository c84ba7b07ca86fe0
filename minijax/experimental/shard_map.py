"""`jax.shard_map` under the name that it had before, and with the arguments of that time."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from minijax.face.boundaries import guard
from minijax.face.planned import missing_names, shown_names
from minijax.lax.sharding import shard_map_calls
from minijax.lax.sharding.meshes import AbstractMesh, Mesh

__all__ = ["shard_map"]
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)


def shard_map(
    f: Callable, mesh: Mesh | AbstractMesh, in_specs: Any, out_specs: Any, check_rep: bool = True
) -> Callable:
    """`jax.shard_map` over all axes of a mesh; what `check_vma` is there is `check_rep` here.

    It raises what `jax.shard_map` does.

    >>> import minijax as jax
    >>> mesh = jax.make_mesh((1,), "x", jax.sharding.AxisType.Auto)
    >>> shard_map(lambda x: 2 * x, mesh, jax.P("x"), jax.P("x"))(jax.numpy.arange(3))
    Array([0, 2, 4], dtype=int32)
    """
    return shard_map_calls.shard_map(
        f, mesh=mesh, in_specs=in_specs, out_specs=out_specs, check_vma=check_rep
    )


guard(sys.modules[__name__])
