"""The device that arrays are made on, where nothing says another.

As long as another than the first is asked for, an interpreter stands in for the ground floor: it
computes there, and puts on this device what would have been on the first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from minijax.core.arrays import ArrayImpl, to_numpy
from minijax.core.config import config
from minijax.core.tracing import (
    Primitive,
    Trace,
    TraceContext,
    eval_trace,
    set_current_trace,
    trace_ctx,
)
from minijax.face.option_contexts import reusable
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.sharding.meshes import Device, first_device
from minijax.lax.sharding.partition_specs import SingleDeviceSharding
from minijax.lax.sharding.sharded_arrays import place

OPTION = "jax_default_device"


def known_device(device: Any) -> Device:
    """The device that the option names. ValueError for what is neither a device nor a platform."""
    if device in (None, "cpu"):
        return first_device
    if isinstance(device, Device):
        return device
    raise ValueError(
        f"default_device takes a device, and got {shown(device)}. Give one of minijax.devices()."
    )


class DeviceTrace(Trace):
    """The ground floor on another device than the first."""

    is_ground = True

    def __init__(self, device: Device) -> None:
        self.sharding = SingleDeviceSharding(device)

    def process_primitive(self, primitive: Primitive, args: Sequence[Any], params: dict) -> Any:
        out = eval_trace.process_primitive(primitive, args, params)
        return list(map(self.move, out)) if primitive.multiple_results else self.move(out)

    def move(self, x: Any) -> Any:
        """An array that is on the first device, on this one; whatever else, as it is."""
        if type(x) is not ArrayImpl:
            return x
        return place(to_numpy(x), self.sharding, x.aval, committed=False)


def ground_of(device: Device) -> Trace:
    """The interpreter that computes for itself and puts what it makes on a device."""
    return eval_trace if device is first_device else DeviceTrace(device)


def is_ground(trace: Trace) -> bool:
    """Whether nothing is traced."""
    return trace is eval_trace or isinstance(trace, DeviceTrace)


def set_for_all(option: Any) -> None:
    """What is to be done when the option is set: the ground floor of all threads is another."""
    TraceContext.trace = ground_of(known_device(option))
    if is_ground(trace_ctx.trace):
        trace_ctx.trace = TraceContext.trace


def on_default_device(x: Any) -> Any:
    """An array that was made without an operation, on the device where arrays are made."""
    return trace_ctx.trace.move(x) if isinstance(trace_ctx.trace, DeviceTrace) else x


@reusable
def default_device(new_val: Any) -> Any:
    """A context in which arrays are made on a device, unless they are made of others' elsewhere.

    ValueError for what is neither a device nor None nor "cpu".

    >>> from minijax.lax.sharding.meshes import first_device
    >>> with default_device(first_device):
    ...     pass
    """
    return _made_on(known_device(new_val), new_val)


@contextmanager
def _made_on(device: Device, option: Any) -> Iterator[None]:
    outer = trace_ctx.trace
    new = ground_of(device) if is_ground(outer) else outer
    before = vars(config).get(OPTION)
    vars(config)[OPTION] = option
    try:
        with set_current_trace(new):
            yield
    finally:
        vars(config).pop(OPTION)
        if before is not None:
            vars(config)[OPTION] = before
