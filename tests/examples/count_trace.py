"""A trace of one's own, outside the package, that sees into all operations that carry programs.

`count_operations(fun)(*args)` returns fun's result and how many operations it took to compute it.
The count is itself computed by operations, since only they can tell how often a `while` runs. All
that this needs of minijax is in `core/extend.py`; primitives are found by their names.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minijax.core.extend import (
    ClosedJaxpr,
    Primitive,
    ShapedArray,
    Trace,
    api_boundary,
    as_array,
    cast,
    dce_closed_jaxpr,
    debug_info,
    derived,
    flatten_fun,
    jaxpr_as_fun,
    jaxprs_in_params,
    new_trace,
    register_exclusion,
    trace_ctx,
    trace_to_jaxpr,
    typeof,
)
from minijax.tree_util import tree_flatten, tree_unflatten

register_exclusion(__name__)  # equations and errors come from the lines that call this

COUNT = ShapedArray((), np.int32)


class CountTrace(Trace):
    """Hands every operation on, and counts it. It boxes nothing, so what is no operation on arrays,
    as `x + 1.0` on Python's floats, is not seen."""

    def __init__(self, parent: Trace, info: Any = None) -> None:
        self.parent, self.debug_info, self.count = parent, info, 0

    def process_primitive(self, primitive: Primitive, args: Sequence, params: dict) -> Any:
        """The parent is in charge here, so what the rules bind is not counted."""
        if primitive.name in count_rules:
            out, count = count_rules[primitive.name](primitive, args, **params)
        elif any(jaxprs_in_params(params)) or "call_jaxpr" in params:
            raise NotImplementedError(f"{primitive} carries a program. Add it to count_rules.")
        else:
            out, count = primitive.bind(*args, **params), 1
        self.count = self.count + count
        return out


def run_counting(fun: Callable, args: Sequence, info: Any = None) -> tuple[Any, Any]:
    """The results of a function of lists, and the count."""
    with new_trace(CountTrace(trace_ctx.trace, info)) as trace:
        out = fun(*args)
    return out, cast(trace.count, COUNT.dtype)


# First step: from a program to one with one more result, the count.


@derived
def counted_jaxpr(closed: ClosedJaxpr) -> ClosedJaxpr:
    def run(*args: Any) -> list:
        out, count = run_counting(jaxpr_as_fun(closed), args)
        return [*out, count]

    return trace_to_jaxpr(run, closed.in_avals, closed.jaxpr.debug_info)


def count_alone(closed: ClosedJaxpr, args: Sequence) -> Any:
    """How many operations the program takes on these arguments. For most programs this is a number,
    and nothing is computed."""
    counted = counted_jaxpr(closed)
    wanted = (False,) * len(closed.out_avals) + (True,)
    [count] = jaxpr_as_fun(dce_closed_jaxpr(counted, wanted, instantiate=True)[0])(*args)
    return count


# Second step: bind the operation with that program. A rule maps the primitive, its operands and its
# parameters to results and the count.


def count_jit(primitive, args, *, jaxpr, **params):
    *out, count = primitive.bind(*args, jaxpr=counted_jaxpr(jaxpr), **params)
    return out, count


def count_custom(primitive, args, *, call_jaxpr, **params):
    """The operation is bound as it is, so that the user's derivative stays with it. Outside `jit`
    its program is still a Python function, which the parameter `call_jaxpr` has as `fun`."""
    if not isinstance(call_jaxpr, ClosedJaxpr):
        count = run_counting(call_jaxpr.fun, args)[1]
    else:
        count = count_alone(call_jaxpr, args)
    return primitive.bind(*args, call_jaxpr=call_jaxpr, **params), count


def count_cond(primitive, args, *, branches, **params):
    *out, count = primitive.bind(*args, branches=tuple(map(counted_jaxpr, branches)), **params)
    return out, count


def count_scan(primitive, args, *, jaxpr, num_consts, num_carry, **params):
    """The loop carries the count along."""
    end = num_consts + num_carry

    def step(*args: Any) -> list:
        *out, count = jaxpr_as_fun(counted_jaxpr(jaxpr))(*args[:end], *args[end + 1 :])
        return [*out[:num_carry], args[end] + count, *out[num_carry:]]

    in_avals = [*jaxpr.in_avals[:end], COUNT, *jaxpr.in_avals[end:]]
    new_jaxpr = trace_to_jaxpr(step, in_avals, jaxpr.jaxpr.debug_info)
    operands = [*args[:end], np.int32(0), *args[end:]]
    params |= {"jaxpr": new_jaxpr, "num_consts": num_consts, "num_carry": num_carry + 1}
    out = primitive.bind(*operands, **params)
    return [*out[:num_carry], *out[num_carry + 1 :]], out[num_carry]


def count_while(primitive, args, *, cond_jaxpr, cond_nconsts, body_jaxpr, body_nconsts):
    """The body counts the condition too, for each time that it held; it fails once more."""
    consts = cond_nconsts + body_nconsts
    cond_consts = args[:cond_nconsts]

    def cond(*args: Any) -> list:
        return jaxpr_as_fun(cond_jaxpr)(*args[:-1])

    def body(*args: Any) -> list:
        *args, total = args
        holds = count_alone(cond_jaxpr, [*args[:cond_nconsts], *args[consts:]])
        *out, count = jaxpr_as_fun(counted_jaxpr(body_jaxpr))(*args[cond_nconsts:])
        return [*out, total + holds + count]

    in_avals = [*map(typeof, cond_consts), *body_jaxpr.in_avals, COUNT]
    *out, total = primitive.bind(
        *cond_consts, *args, np.int32(0),
        cond_jaxpr=trace_to_jaxpr(cond, [*cond_jaxpr.in_avals, COUNT]), cond_nconsts=cond_nconsts,
        body_jaxpr=trace_to_jaxpr(body, in_avals), body_nconsts=consts,
    )  # fmt: skip
    return out, total + count_alone(cond_jaxpr, [*cond_consts, *out])


count_rules: dict[str, Callable] = {
    "jit": count_jit, "cond": count_cond, "scan": count_scan, "while": count_while,
    "custom_jvp_call": count_custom, "custom_vjp_call": count_custom,
}  # fmt: skip


# What the user calls.


def count_operations(fun: Callable) -> Callable:
    """fun, with how many operations its call took: (result, count)."""

    @api_boundary
    def counting_fun(*args: Any) -> tuple[Any, Any]:
        leaves, in_tree = tree_flatten((args, {}))
        flat_fun, out_tree = flatten_fun(fun, in_tree)
        info = debug_info("count_operations", fun, args, {})
        out, count = run_counting(flat_fun, list(map(as_array_or_tracer, leaves)), info)
        return tree_unflatten(out_tree(), out), count

    return counting_fun


def as_array_or_tracer(x: Any) -> Any:
    return x if hasattr(x, "aval") else as_array(x)
