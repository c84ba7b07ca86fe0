"""scan as a user calls it: the arguments are checked, and the function is traced to a step."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from minijax.core.config import config, derived
from minijax.core.errors import api_boundary
from minijax.core.primitives import expand_dims
from minijax.core.programs import choose
from minijax.core.pytrees import PyTreeDef, tree_leaves, tree_map, tree_structure, tree_unflatten
from minijax.core.staging import ClosedJaxpr
from minijax.core.tracing import Tracer, typeof
from minijax.lax.control_flow import long_scans  # noqa: F401  (how long ones run)
from minijax.lax.control_flow.bodies import (
    Body,
    as_value,
    check_operands,
    check_same,
    first_name,
    flatten_operands,
    promote_weak,
    shown_node,
    split3,
    trace_body,
)
from minijax.lax.control_flow.scan import scan_p
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.shapes.axes import as_integer, known_integer, known_value
from minijax.lax.shapes.slicing import concatenate, index_in_dim


@api_boundary
def scan(
    f: Callable, init: Any, xs: Any = None, length: int | None = None, reverse: bool = False,
    unroll: int | bool = 1, _split_transpose: bool = False,
) -> tuple[Any, Any]:  # fmt: skip
    """The last carry, and the stacked ys, of `carry, y = f(carry, x)` for each slice x of `xs`.

    `init` is the first carry, and f returns carries of its structure, shapes and dtypes; `xs` and
    the ys are pytrees of arrays with one slice for each step, along axis 0. Without xs, `length`
    says how many steps there are. `reverse` goes from the last slice to the first. `unroll` says
    how many steps a compiler may write out. TypeError for a carry of another type, ValueError for
    lengths that differ.

    >>> scan(lambda total, x: (total + x, total), 0, np.arange(4))
    (Array(6, dtype=int32), Array([0, 0, 1, 3], dtype=int32, weak_type=True))
    """
    name = "lax.scan"
    flatten_operands(name, f, (init, xs))
    length = scan_length(name, tree_leaves(xs), length)
    unroll = steps_at_once(name, unroll, length)
    if isinstance(reverse, Tracer):
        raise TypeError(
            f"{name} got a traced `reverse`, {reverse}. Give True or False, or mark the argument "
            f"that it comes from static (jit's static_argnums)."
        )
    if config.jax_disable_jit:
        return python_scan(name, f, init, xs, length, reverse)
    return staged_scan(name, f, init, xs, length, bool(reverse), unroll)


def scan_length(name: str, xs: list[Any], length: Any) -> int:
    """How many steps there are: by `length`, and by the leading axes."""
    for x in xs:
        if not typeof(x).shape:
            raise (IndexError if hasattr(x, "shape") else ValueError)(
                f"{name} takes slices along axis 0 of xs, and got {shown(x)} in it. Give arrays "
                f"with an axis for the steps."
            )
    lengths = [typeof(x).shape[0] for x in xs]
    if length is None:
        if len(set(lengths)) == 1:
            return lengths[0]
        raise ValueError(
            f"{name} got xs whose leading axes have the sizes {lengths}. Give them one size." if xs
            else f"{name} got neither arrays in xs nor a length. Give length=10 for ten steps."
        )  # fmt: skip
    length = whole_length(name, known_value(name, "length", length))
    if length < 0 or set(lengths) - {length}:
        got = f" and xs whose leading axes have the sizes {lengths}" if length >= 0 else ""
        raise ValueError(f"{name} got length={length}{got}. Give the number of slices of xs.")
    return length


def whole_length(name: str, length: Any) -> Any:
    """A length as an integer: what follows a float's point is dropped, as by JAX."""
    if isinstance(length, float | np.floating) and math.isfinite(length):
        return int(length)
    return as_integer(name, "length", length)


def steps_at_once(name: str, unroll: Any, length: int) -> int:
    unroll = known_value(name, "unroll", unroll)
    if isinstance(unroll, bool):
        return max(length, 1) if unroll else 1
    unroll = known_integer(name, "unroll", unroll)
    if unroll < 0:
        raise ValueError(f"{name} got unroll={unroll}. Give an integer from 0, True or False.")
    return unroll


def python_scan(
    name: str, f: Callable, init: Any, xs: Any, length: int, reverse: bool
) -> tuple[Any, Any]:
    """Under `disable_jit` f runs as plain Python, step by step."""
    if not length:
        raise ValueError(
            f"{name} of no steps does not know the types of its results under disable_jit, as the "
            f"function never runs. Leave disable_jit off for it."
        )
    carry, ys, steps = init, [], range(length)
    for i in reversed(steps) if reverse else steps:
        x = tree_map(lambda x, i=i: index_in_dim(x, i, keepdims=False), xs)
        carry, y = f(carry, x)
        ys.append(y)
    if reverse:
        ys.reverse()
    return carry, tree_map(lambda *ys: concatenate([expand_dims(y, [0]) for y in ys], 0), *ys)


# A function becomes a step.


def staged_scan(
    name: str, f: Callable, init: Any, xs: Any, length: int, reverse: bool, unroll: int,
    cache: dict | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """(carry, ys) after `length` steps of `carry, y = f(carry, x)`; messages call it `name`.

    `cache` is as in `trace_body`.
    """
    leaves, in_tree = flatten_operands(name, f, (init, xs))
    num_carry = tree_structure(init).num_leaves
    carry, xs = leaves[:num_carry], leaves[num_carry:]
    carry, body = _trace_step(name, f, tree_structure(init), carry, in_tree, xs, cache)
    check_operands(name, body.consts, leaves)
    step, fixed, passed = _forwarded(body.jaxpr, len(body.consts), num_carry)
    kept, carry = choose(carry, fixed), choose(carry, map(operator.not_, fixed))
    out = iter(scan_p.bind(
        *kept, *body.consts, *carry, *xs, length=length, reverse=reverse, jaxpr=step,
        num_consts=len(kept) + len(body.consts), num_carry=len(carry), unroll=unroll,
    ))  # fmt: skip
    kept = iter(kept)
    results = [next(kept) if is_fixed else next(out) for is_fixed in fixed]
    for i in passed:
        results.append(next(out) if i is None else as_value(xs[i]))
    return tree_unflatten(body.out_tree, results)


def _trace_step(
    name: str, f: Callable, carry_tree: PyTreeDef, carry: list, in_tree: PyTreeDef, xs: list,
    cache: dict | None,
) -> tuple[list, Body]:  # fmt: skip
    """The first carry, promoted where it is weak and a step gives a wider type; and the step."""
    slices = [typeof(x).spliced(0, 1) for x in xs]
    body = trace_body(name, f, in_tree, [*map(typeof, carry), *slices], cache)
    if len(body.out_tree._children) != 2:
        way_out = "Return None as y where there is nothing to stack."
        if body.out_tree == tree_structure(None):
            way_out = "Give it a return statement, such as `return carry, None`."
        returned = tree_unflatten(body.out_tree, body.jaxpr.out_avals)
        raise TypeError(
            f"{name} takes a function that returns a pair (carry, y), and "
            f"{getattr(f, '__name__', type(f).__name__)} returned "
            f"{shown_node(body.out_tree, returned)}. {way_out}"
        )
    out_tree, out_avals = body.out_tree._children[0], body.jaxpr.out_avals
    if out_tree.num_leaves == len(carry):
        promoted = promote_weak(carry, out_avals[: len(carry)])
        if any(map(operator.is_not, promoted, carry)):
            carry = promoted
            body = trace_body(name, f, in_tree, [*map(typeof, carry), *slices], cache)
            out_tree, out_avals = body.out_tree._children[0], body.jaxpr.out_avals
    check_same(
        f"{name} carries one type through all of its steps", partial(first_name, f, 2),
        (carry_tree, list(map(typeof, carry))), (out_tree, out_avals[: out_tree.num_leaves]),
        ("at the start", "after a step"), "Return a carry of the type that the function takes.",
    )  # fmt: skip
    return carry, body


@derived
def _forwarded(
    closed: ClosedJaxpr, num_consts: int, num_carry: int
) -> tuple[ClosedJaxpr, tuple[bool, ...], tuple[int | None, ...]]:
    """The step without values that it only passes on: a carry that never changes becomes a
    constant, and a y that is an x is not stacked again. With the step come flags for those carries,
    and for each y the number of the x that it is, or None.
    """
    consts, carry, xs = split3(closed.invars, num_consts, num_carry)
    carry_out, ys = closed.outvars[:num_carry], closed.outvars[num_carry:]
    fixed = tuple(map(operator.is_, carry, carry_out))
    passed = tuple(xs.index(y) if y in xs else None for y in ys)
    changes = list(map(operator.not_, fixed))
    jaxpr = closed.jaxpr.replace(
        invars=[*choose(carry, fixed), *consts, *choose(carry, changes), *xs],
        outvars=[*choose(carry_out, changes), *choose(ys, [i is None for i in passed])],
    )
    return ClosedJaxpr(jaxpr, closed.consts), fixed, passed
