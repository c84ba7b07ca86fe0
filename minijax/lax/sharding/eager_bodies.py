"""A shard_map that is called for itself: its body runs operation by operation, on all devices.

A value in the body is one of each device, so that it can be looked at: `print(x)` shows them all.
Every operation is done for one device after the other; in a collective they all meet at once. What
carries a program with collectives in it is run by threads, as a compiled body is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from minijax.core.arrays import Array, raw_value, to_numpy
from minijax.core.extend import Primitive, Trace, Tracer, eval_trace, new_trace, set_current_trace
from minijax.core.jitting import as_runtime_value
from minijax.core.printing import programs_in_params
from minijax.core.tracing import trace_ctx, typeof
from minijax.lax.collectives.meetings import between
from minijax.lax.collectives.reducing import axis_index_p
from minijax.lax.custom.derivatives import PythonProgram
from minijax.lax.sharding.abreast import between_devices
from minijax.lax.sharding.cutting import places
from minijax.lax.sharding.device_programs import plain_params
from minijax.lax.sharding.device_threads import run_on_devices
from minijax.lax.sharding.meshes import Mesh
from minijax.lax.sharding.placed_types import NOTHING_SAID, casts, manual, said_of, without_vma
from minijax.lax.sharding.sharded_arrays import ShardedArray


class DeviceTracer(Tracer):
    """A value of each device, in the mesh's order."""

    __slots__ = ("aval", "vals")
    _trace: DeviceTrace
    aval: Any

    def __init__(self, trace: DeviceTrace, vals: Sequence[Any], aval: Any) -> None:
        super().__init__(trace)
        self.vals, self.aval = list(vals), aval

    def to_concrete_value(self) -> Any:
        """The value, where all devices have the same."""
        is_one = trace_ctx.manual.checked and said_of(self.aval) == NOTHING_SAID
        return self.vals[0] if is_one else None

    def __repr__(self) -> str:
        mesh, names = self._trace.mesh, ", ".join(map(str, self._trace.mesh.axis_names))
        return "\n".join(
            f"On {device} at mesh coordinates ({names},) = {tuple(place.values())}:\n{value}\n"
            for device, place, value in zip(
                mesh.flat_devices, places(mesh.shape), self.vals, strict=True
            )
        )


class DeviceTrace(Trace):
    """Does each operation for every device of a mesh."""

    def __init__(self, mesh: Mesh) -> None:
        self.mesh = mesh

    def values(self, x: Any) -> list[Any]:
        """Each device's value: of a constant, they all have it."""
        if isinstance(x, DeviceTracer) and x._trace is self:
            return x.vals
        x = Array(to_numpy(x), x.aval) if type(x) is ShardedArray else x
        return [x] * self.mesh.size

    def process_primitive(self, primitive: Primitive, args: Sequence[Any], params: dict) -> Any:
        if any(isinstance(value, PythonProgram) for value in params.values()):
            with set_current_trace(self):  # the function runs here
                return primitive.impl(*args, **primitive.active(params))
        operands = list(zip(*map(self.values, args), strict=True)) or [()] * self.mesh.size
        avals = primitive.out_avals(list(map(typeof, args)), params)
        with manual(None, dict(self.mesh.shape)):
            outs = self.run(primitive, operands, params)
        if not primitive.multiple_results:
            return DeviceTracer(self, outs, avals[0])
        return [
            DeviceTracer(self, vals, aval)
            for vals, aval in zip(zip(*outs, strict=True), avals, strict=True)
        ]

    def run(self, primitive: Primitive, operands: Sequence[tuple], params: dict) -> list[Any]:
        """The results on each device."""
        if primitive in casts:
            return [x for (x,) in operands]
        if primitive is axis_index_p or primitive in between:
            values = [as_runtime_value(given[0]) for given in operands if given]
            found = between_devices(
                primitive, values, primitive.active(params), dict(self.mesh.shape)
            )
            if found is not None:
                return list(map(as_runtime_value, found))
        if next(programs_in_params(params), None) is None:
            return [eval_trace.process_primitive(primitive, given, params) for given in operands]
        run = partial(primitive.bind, **plain_params(params))
        sizes = dict(self.mesh.shape)

        def on_device(*given: Any) -> Any:
            with manual(None, sizes):
                return run(*given)

        with set_current_trace(eval_trace):
            return run_on_devices(on_device, sizes, operands)


def run_body_eagerly(
    body: Callable, mesh: Mesh, pieces: Sequence[Sequence[Any]], avals: Sequence[Any]
) -> list[tuple[Any, list[Any]]]:
    """The types of a body's results, and each device's values of them."""
    with new_trace(DeviceTrace(mesh)) as trace:
        args = [DeviceTracer(trace, vals, aval) for vals, aval in zip(pieces, avals, strict=True)]
        return [(typeof(x), list(map(_plain, trace.values(x)))) for x in body(*args)]


def _plain(x: Any) -> Any:
    """A result, whose type says nothing of the mesh's axes."""
    x = as_runtime_value(x)
    if not isinstance(x, Array) or said_of(x.aval) == NOTHING_SAID:
        return x
    return Array(raw_value(x), without_vma(x.aval))
