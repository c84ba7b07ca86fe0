"""The mesh that is meant where none is given: inside of `with set_mesh(mesh):`, or from then on."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from minijax.core.tracing import trace_ctx
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.sharding.meshes import AbstractMesh, Mesh, empty_abstract_mesh


class _Current(threading.local):
    mesh: Mesh | None = None
    abstract: AbstractMesh | None = None


_current = _Current()


class set_mesh:
    """Makes a mesh the one that is meant, in this thread: from now on, or in a `with` block.

    TypeError for what is no Mesh, ValueError inside of a function that is traced.

    >>> from minijax.lax.sharding.meshes import make_mesh
    >>> with set_mesh(make_mesh((1,), "x")):
    ...     get_mesh()
    Mesh(axis_sizes=(1,), axis_names=('x',), axis_types=(Explicit,))
    """

    def __init__(self, mesh: Mesh) -> None:
        if not isinstance(mesh, Mesh):
            raise TypeError(f"set_mesh takes a Mesh, and got {shown(mesh)}. jax.make_mesh makes one.")
        self.outer, _current.mesh = _current.mesh, mesh

    def __enter__(self) -> Mesh | None:
        return self.outer

    def __exit__(self, *exception: Any) -> None:
        _current.mesh = self.outer


@contextmanager
def use_abstract_mesh(mesh: AbstractMesh) -> Iterator[None]:
    """A context in which a mesh without devices is the one that is meant."""
    if not isinstance(mesh, AbstractMesh):
        got = shown(mesh)
        raise ValueError(f"use_abstract_mesh takes an AbstractMesh, and got {got}. Use set_mesh.")
    outer, _current.abstract = _current.abstract, mesh
    try:
        yield
    finally:
        _current.abstract = outer


def get_mesh() -> Mesh:
    """The mesh that set_mesh was given, or one without axes."""
    return _current.mesh or Mesh(np.empty((), object), ())


def get_abstract_mesh() -> AbstractMesh:
    """The mesh that is meant, without its devices. Inside of a shard_map, it is that one's, whose
    axes are Manual there."""
    if trace_ctx.manual is not None:
        return trace_ctx.manual.mesh
    if _current.abstract is not None:
        return _current.abstract
    return _current.mesh.abstract_mesh if _current.mesh else empty_abstract_mesh
