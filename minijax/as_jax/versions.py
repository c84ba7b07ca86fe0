"""The version of JAX whose names are answered, for whoever asks which it is."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import Distribution
from pathlib import Path
from typing import Any

JAX_VERSION = "0.10.2"
JAX_VERSION_INFO = tuple(map(int, JAX_VERSION.split(".")))


class AnsweredDistribution(Distribution):
    """What `importlib.metadata` knows of jax, or jaxlib: a name and a version, and no files."""

    def __init__(self, name: str) -> None:
        self.answered = name

    def read_text(self, filename: str) -> str | None:
        if filename != "METADATA":
            return None
        return f"Metadata-Version: 2.1\nName: {self.answered}\nVersion: {JAX_VERSION}\n"

    def locate_file(self, path: Any) -> Path:
        return Path(path)


def find_distributions(name: str | None) -> Iterator[Distribution]:
    """Those of jax and jaxlib, or the one of this name."""
    for answered in ("jax", "jaxlib"):
        if name in (None, answered):
            yield AnsweredDistribution(answered)
