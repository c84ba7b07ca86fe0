"""Where arrays are: on the CPU, the one device that there is, and ready at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from minijax.core.arrays import Array, Device, as_array
from minijax.core.pytrees import tree_map


def default_backend() -> str:
    """The platform on which arrays are made: "cpu"."""
    return Device.platform


def device_put(x: Any, device: Device | None = None) -> Any:
    """The pytree with its numbers and NumPy arrays as arrays on a device, of which there is one.

    TypeError for leaves that can't be arrays, ValueError for what is no device.

    >>> device_put({"w": np.zeros(2)})
    {'w': Array([0., 0.], dtype=float32)}
    """
    if not (device is None or isinstance(device, Device)):
        raise ValueError(f"device_put takes one of minijax.devices(), and got {device!r}.")
    return tree_map(lambda leaf: leaf if isinstance(leaf, Array) else as_array(leaf), x)


def device_get(x: Any) -> Any:
    """The pytree with its arrays as NumPy arrays; all other leaves stay as they are.

    >>> device_get([device_put(1.0), "text"])
    [array(1., dtype=float32), 'text']
    """
    return tree_map(lambda leaf: np.asarray(leaf) if type(leaf) is Array else leaf, x)


def block_until_ready(x: Any) -> Any:
    """The same pytree: minijax computes before it answers, so there is nothing to wait for.

    >>> block_until_ready([1.0])
    [1.0]
    """
    return x
