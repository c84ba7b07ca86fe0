"""The smallest trace of one's own, to copy: how many operations lie between an input and a result.

`depth(fun)(x)` is that number. A depth is not made of derivatives, so no fallback sees into a
program: what carries one and has no rule is refused. A rule for `jit`, and the wrapping that takes
pytrees apart, are in `forward_laplacian.py`.
"""

from collections.abc import Callable, Sequence
from typing import Any

from minijax.core.extend import (
    Primitive,
    Trace,
    Tracer,
    debug_info,
    jaxprs_in_params,
    new_trace,
    register_exclusion,
    trace_ctx,
    typeof,
)

register_exclusion(__name__)  # equations and errors come from the lines that call this


class DepthTracer(Tracer):
    __slots__ = ("depth", "value")

    def __init__(self, trace: Trace, value: Any, depth: int) -> None:
        super().__init__(trace)
        self.value, self.depth = value, depth

    @property
    def aval(self) -> Any:
        return typeof(self.value)

    def to_concrete_value(self) -> Any:
        """What Python's `if x > 0` sees. Without this method it fails, as it does under `jit`."""
        return self.value.to_concrete_value() if isinstance(self.value, Tracer) else self.value


class DepthTrace(Trace):
    """A trace whose function returns auxiliary results (has_aux=True) needs a method `lower` too,
    which unboxes them."""

    def __init__(self, parent: Trace, info: Any = None) -> None:
        self.parent = parent
        self.debug_info = info  # what messages call the function; without it they name none

    def unbox(self, x: Any) -> tuple[Any, int]:
        mine = isinstance(x, DepthTracer) and x._trace is self
        return (x.value, x.depth) if mine else (x, 0)

    def process_primitive(self, primitive: Primitive, args: Sequence, params: dict) -> Any:
        rule = depth_rules.get(primitive.name)
        if rule is None and (any(jaxprs_in_params(params)) or "call_jaxpr" in params):
            raise NotImplementedError(f"{primitive} carries a program. Add it to depth_rules.")
        return (rule or one_more)(self, primitive, args, params)


def one_more(trace: DepthTrace, primitive: Primitive, args: Sequence, params: dict) -> Any:
    """One operation more than the deepest operand. The trace's parent is in charge here."""
    pairs = list(map(trace.unbox, args))
    depth = 1 + max((depth for _, depth in pairs), default=0)
    out = primitive.bind(*(value for value, _ in pairs), **params)
    if primitive.multiple_results:
        return [DepthTracer(trace, x, depth) for x in out]
    return DepthTracer(trace, out, depth)


# What carries a program only to say how two numbers are combined is one operation.
depth_rules: dict[str, Callable] = dict.fromkeys(
    ["scatter-add", "scatter-mul", "scatter-min", "scatter-max"], one_more
)


def depth(fun: Callable) -> Callable:
    """fun of one array, as how many operations lie between it and the result."""

    def depth_of(x: Any) -> int:
        info = debug_info("depth", fun, (x,), {})
        with new_trace(DepthTrace(trace_ctx.trace, info)) as trace:
            return trace.unbox(fun(DepthTracer(trace, x, 0)))[1]

    return depth_of
