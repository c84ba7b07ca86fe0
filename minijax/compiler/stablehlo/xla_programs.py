"""XLA runs a program: jaxlib compiles its text, for the first of the machine's platforms."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from minijax.compiler.passes.simplify import prune
from minijax.compiler.stablehlo.modules import module_text
from minijax.compiler.stablehlo.tensor_types import TOKEN, is_key, numpy_of, type_of
from minijax.core.arrays import Array, as_array
from minijax.core.dtypes import float0
from minijax.core.prng import keys_of
from minijax.core.staging import ClosedJaxpr
from minijax.core.tracing import ShapedArray


class XlaProgram:
    """A program that XLA has compiled: called with arrays, it returns a list of arrays.

    NotImplementedError where it has a primitive that StableHLO lacks, such as a callback.
    """

    binds = False  # it runs no primitive of ours

    def __init__(self, closed: ClosedJaxpr, name: str) -> None:
        closed = prune(closed)
        self.avals, self.out_avals, self.name = closed.in_avals, closed.out_avals, name
        self.text = module_text(closed, f"jit_{name}")
        self.client = client()
        self.loaded = compiled(self.client, self.text)
        self.device = self.client.local_devices()[0]

    def __call__(self, *args: Any) -> list[Any]:
        from jaxlib import xla_client

        given = [
            self.client.buffer_from_pyval(np.ascontiguousarray(numpy_of(x, aval)), self.device)
            for x, aval in zip(args, self.avals, strict=True)
        ]
        results = self.loaded.execute(given)
        del xla_client
        return [array_of(x, aval) for x, aval in zip(results, self.out_avals, strict=True)]

    run = __call__

    def as_text(self) -> str:
        """The program's StableHLO."""
        return self.text

    def hlo_text(self) -> str:
        """What XLA made of it."""
        return self.loaded.hlo_modules()[0].to_string()


def array_of(buffer: Any, aval: Any) -> Any:
    """A result of XLA's as an array of this type."""
    if not isinstance(aval, ShapedArray):
        from minijax.core.tracing import Tracer

        return Tracer
    value = np.asarray(buffer)
    if is_key(aval):
        return Array(keys_of(value), aval)
    if aval.dtype == float0:
        return np.zeros(aval.shape, float0)
    return Array(np.array(value), aval)


@cache
def client() -> Any:
    """The client of JAX's default platform, where JAX is installed; else of the CPU."""
    from jaxlib import xla_client

    return xla_client.make_cpu_client()


def compiled(client: Any, text: str) -> Any:
    from jaxlib import xla_client

    return client.compile_and_load(text, client.local_devices(), xla_client.CompileOptions())


__all__ = ["TOKEN", "Sequence", "as_array", "type_of"]
