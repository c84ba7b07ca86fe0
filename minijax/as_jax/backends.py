"""Which backends JAX's `xla_bridge` has made: the CPU's, once somebody has asked for devices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from minijax.lax.sharding.meshes import all_devices


class MadeBackends(Mapping[str, Any]):
    """The CPU's devices, which stand for its backend, by its name: from the moment on when their
    number is fixed."""

    def __getitem__(self, platform: str) -> Any:
        if platform not in iter(self):
            raise KeyError(platform)
        return all_devices()

    def __iter__(self) -> Iterator[str]:
        return iter(["cpu"] if all_devices.cache_info().currsize else [])

    def __len__(self) -> int:
        return sum(1 for _ in self)


_backends = MadeBackends()
