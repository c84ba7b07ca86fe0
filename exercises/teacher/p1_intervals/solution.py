"""Interval arithmetic as a trace."""

import math

import minijax.numpy as jnp
from minijax import lax
from minijax.core.extend import (
    Trace,
    Tracer,
    jaxpr_as_fun,
    jit_p,
    new_trace,
    set_current_trace,
    trace_ctx,
    typeof,
    unzip2,
)  # fmt: skip


class IntervalTracer(Tracer):
    def __init__(self, trace, low, high):
        super().__init__(trace)
        self.low, self.high = low, high

    aval = property(lambda self: typeof(self.low))


class IntervalTrace(Trace):
    def __init__(self, parent):
        self.parent = parent

    def unbox(self, x):
        if isinstance(x, Tracer) and x._trace is self:
            return x.low, x.high
        return x, x

    def process_primitive(self, primitive, args, params):
        if primitive is jit_p:
            with set_current_trace(self):
                return jaxpr_as_fun(params["jaxpr"])(*args)
        intervals = list(map(self.unbox, args))
        if not any(isinstance(x, Tracer) and x._trace is self for x in args):
            return primitive.bind(*args, **params)
        if primitive in alike:
            lows, highs = unzip2(intervals)
            ends = primitive.bind(*lows, **params), primitive.bind(*highs, **params)
        elif primitive in rules:
            ends = rules[primitive](*intervals, **params)
        else:
            raise NotImplementedError(f"no rule for intervals of {primitive}")
        return IntervalTracer(self, *ends)


def corners(operation, x, y):
    values = [operation(a, b) for a in x for b in y]
    low, high = values[0], values[0]
    for value in values[1:]:
        low, high = jnp.minimum(low, value), jnp.maximum(high, value)
    return low, high


def power(x, y):
    low, high = lax.integer_pow(x[0], y), lax.integer_pow(x[1], y)
    if y % 2:
        return low, high
    inside = (x[0] <= 0) & (x[1] >= 0)
    least = jnp.minimum(low, high)
    return jnp.where(inside, jnp.zeros_like(least), least), jnp.maximum(low, high)


def sine(x, **_):
    ends = jnp.sin(x[0]), jnp.sin(x[1])

    def reaches(place):
        turns = [(end - place) / (2 * math.pi) for end in x]
        return jnp.floor(turns[1]) > jnp.floor(turns[0])

    low = jnp.where(reaches(-math.pi / 2), -1.0, jnp.minimum(*ends))
    high = jnp.where(reaches(math.pi / 2), 1.0, jnp.maximum(*ends))
    return low, high


def cosine(x, **_):
    return sine((x[0] + math.pi / 2, x[1] + math.pi / 2))


alike = {
    lax.add_p, lax.exp_p, lax.log_p, lax.tanh_p, lax.logistic_p, lax.max_p, lax.min_p,
    lax.reshape_p, lax.transpose_p, lax.broadcast_in_dim_p, lax.reduce_sum_p,
    lax.convert_element_type_p, lax.slice_p, lax.squeeze_p,
}  # fmt: skip
rules = {
    lax.neg_p: lambda x, **_: (-x[1], -x[0]),
    lax.sub_p: lambda x, y, **_: (x[0] - y[1], x[1] - y[0]),
    lax.mul_p: lambda x, y, **_: corners(lax.mul, x, y),
    lax.div_p: lambda x, y, **_: corners(lax.div, x, y),
    lax.square_p: lambda x, **_: power(x, 2),
    lax.integer_pow_p: lambda x, y, **_: power(x, y),
    lax.sin_p: sine,
    lax.cos_p: cosine,
}


def bounds(fun, low, high):
    """Between which numbers fun(x) lies, for every x between low and high."""
    with new_trace(IntervalTrace(trace_ctx.trace)) as trace:
        return trace.unbox(fun(IntervalTracer(trace, low, high)))
