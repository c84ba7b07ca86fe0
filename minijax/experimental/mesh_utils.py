"""Grids of devices for `jax.sharding.Mesh`, under the name of `jax.experimental.mesh_utils`."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np

from minijax.face.boundaries import guard
from minijax.face.planned import missing_names, shown_names
from minijax.lax.sharding.meshes import Device, all_devices, grid_of, known_mesh_sizes

__all__ = ["create_device_mesh"]
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)


def create_device_mesh(
    mesh_shape: Sequence[int],
    devices: Sequence[Device] | None = None,
    *,
    contiguous_submeshes: bool = False,
    allow_split_physical_axes: bool = False,
) -> np.ndarray:
    """The devices, all that there are unless given, in a grid of these sizes, row by row.

    TypeError for sizes that are no sequence, ValueError for others than positive integers, and
    where they don't multiply to the number of devices. The last two arguments mean nothing here.

    >>> create_device_mesh((1, 1))
    array([[CpuDevice(id=0)]], dtype=object)
    """
    sizes = known_mesh_sizes("create_device_mesh", mesh_shape)
    found = all_devices() if devices is None else tuple(devices)
    if int(np.prod(sizes)) != len(found) or not sizes:
        raise ValueError(
            f"create_device_mesh got {len(found)} devices for a grid of the sizes {sizes}. Give as "
            f"many devices as it has places."
        )
    return grid_of(sizes, found)


guard(sys.modules[__name__])
