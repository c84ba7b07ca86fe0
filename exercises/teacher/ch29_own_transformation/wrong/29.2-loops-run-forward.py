"""A loop in reverse is taken for one that runs forward."""

import numpy as np

import minijax.numpy as jnp
from minijax.core.extend import (
    Trace,
    Tracer,
    eval_trace,
    jaxpr_as_fun,
    new_trace,
    set_current_trace,
    trace_ctx,
    trace_to_jaxpr,
    typeof,
    unzip2,
)


class MaskTracer(Tracer):
    def __init__(self, trace, value, mask):
        super().__init__(trace)
        self.value, self.mask = value, mask

    aval = property(lambda self: typeof(self.value))


class MaskTrace(Trace):
    def __init__(self, parent, size):
        self.parent, self.size = parent, size

    def unbox(self, x):
        if isinstance(x, MaskTracer) and x._trace is self:
            return x.value, x.mask
        return x, np.zeros((*typeof(x).shape, self.size), bool)

    def process_primitive(self, primitive, args, params):
        values, masks = unzip2(map(self.unbox, args))
        out = primitive.bind(*values, **params)
        results = out if primitive.multiple_results else [out]
        rule = rules.get(primitive.name, mixed)
        found = rule(primitive, masks, list(map(typeof, results)), params)
        boxed = [MaskTracer(self, x, mask) for x, mask in zip(results, found, strict=True)]
        return boxed if primitive.multiple_results else boxed[0]


def run_masked(fun, values, masks):
    """The results of a function of lists, and their masks."""
    with new_trace(MaskTrace(trace_ctx.trace, masks[0].shape[-1])) as trace:
        boxed = [MaskTracer(trace, x, mask) for x, mask in zip(values, masks, strict=True)]
        return unzip2(map(trace.unbox, fun(*boxed)))


def masks_of(closed, masks):
    """The masks of a program's results."""
    found = []

    def run(*values):
        out, out_masks = run_masked(jaxpr_as_fun(closed), values, masks)
        found.extend(out_masks)
        return out

    if masks:
        trace_to_jaxpr(run, closed.in_avals)
    return found


def mixed(primitive, masks, avals, params):
    size = masks[0].shape[-1] if masks else 0
    each = [mask.reshape(-1, size).any(0) for mask in masks]
    return [np.broadcast_to(np.any(each, axis=0), (*aval.shape, size)) for aval in avals]


def elementwise(primitive, masks, avals, params):
    [aval] = avals
    shape = (*aval.shape, masks[0].shape[-1])
    return [np.logical_or.reduce([np.broadcast_to(mask, shape) for mask in masks])]


def linear(primitive, masks, avals, params):
    """Each number of x marks what it is in, and the marks go where the primitive takes them."""
    columns = []
    with set_current_trace(eval_trace):
        for k in range(masks[0].shape[-1]):
            marks = [mask[..., k].astype(np.float32) for mask in masks]
            columns.append(np.asarray(primitive.bind(*marks, **params)) > 0)
    return [np.stack(columns, axis=-1)]


def bilinear(primitive, masks, avals, params):
    all_of = [np.ones_like(mask) for mask in masks]
    [left] = linear(primitive, [masks[0], all_of[1]], avals, params)
    [right] = linear(primitive, [all_of[0], masks[1]], avals, params)
    return [left | right]


def through_jit(primitive, masks, avals, params):
    return masks_of(params["jaxpr"], masks)


def through_scan(primitive, masks, avals, params):
    start, num_carry = params["num_consts"], params["num_carry"]
    end = start + num_carry
    consts, carry, xs = masks[:start], masks[start:end], masks[end:]
    steps = range(params["length"])
    rows = {}
    for i in steps:
        out = masks_of(params["jaxpr"], [*consts, *carry, *(mask[i] for mask in xs)])
        carry, rows[i] = out[:num_carry], out[num_carry:]
    stacked = [np.stack(masks) for masks in zip(*(rows[i] for i in steps), strict=True)]
    return [*carry, *stacked]


rules = {
    **dict.fromkeys(
        ["add", "sub", "mul", "div", "max", "min", "neg", "sin", "cos", "tanh", "exp", "log",
         "abs", "sign", "floor", "square", "integer_pow", "pow", "sqrt", "gt", "lt", "ge", "le",
         "eq", "ne", "select_n", "convert_element_type", "add_any", "copy", "stop_gradient"],
        elementwise),
    **dict.fromkeys(
        ["reshape", "transpose", "broadcast_in_dim", "reduce_sum", "slice", "squeeze", "rev",
         "concatenate", "stack", "pad", "cumsum"], linear),
    "dot_general": bilinear, "jit": through_jit, "scan": through_scan,
}  # fmt: skip


def dependence(fun):
    """A function of an array: which numbers of the result depend on which numbers of x."""

    def which(x):
        x = jnp.asarray(x)
        start = np.eye(x.size, dtype=bool).reshape(*x.shape, x.size)
        _, [mask] = run_masked(lambda x: [jnp.asarray(fun(x))], [x], [start])
        return mask.reshape(*mask.shape[:-1], *x.shape)

    return which
