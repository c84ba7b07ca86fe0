"""Operations that carry programs: calls are functions, loops and choices have regions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from minijax.compiler.stablehlo.elementwise_operations import Outs
from minijax.compiler.stablehlo.operation_rules import rule
from minijax.compiler.stablehlo.program_text import function_of, write_closed, write_function
from minijax.compiler.stablehlo.tensor_types import (
    INT32, TensorType, check_composite_name, dense, element_type, number, quoted,
)
from minijax.compiler.stablehlo.text_builder import Builder, Value, signature
from minijax.core.arrays import Array
from minijax.core.errors import safe_repr
from minijax.core.pytrees import tree_unflatten
from minijax.core.staging import ClosedJaxpr


@rule("jit", keys=True)
def _jit(
    b: Builder, outs: Outs, *xs: Value, jaxpr: ClosedJaxpr, name: str, **_: Any
) -> list[Value]:
    return write_function(b, jaxpr, name, xs)


@rule("custom_jvp_call", "custom_vjp_call", "closed_call", keys=True)
def _custom_call(
    b: Builder, outs: Outs, *xs: Value, call_jaxpr: ClosedJaxpr, **_: Any
) -> list[Value]:
    return write_closed(b, call_jaxpr, xs)


@rule("composite", keys=True)
def _composite(
    b: Builder, outs: Outs, *xs: Value, jaxpr: ClosedJaxpr, name: str, version: int,
    attributes: tuple,
) -> list[Value]:  # fmt: skip
    """The operation by its name, and beside it the function that says what it computes."""
    function, types = function_of(b, jaxpr, check_composite_name(name), [x.type for x in xs])
    pairs = [(key, tree_unflatten(tree, leaves)) for key, leaves, tree in attributes]
    notes = [f"composite_attributes = {attribute(dict(pairs))}"] if pairs else []
    notes += [f"decomposition = @{function}"]
    notes += [f"version = {version} : i32"] if version else []
    head = f"stablehlo.composite {quoted(name)} {', '.join(x.name for x in xs)}"
    found = b.put(f"{head} {{{', '.join(notes)}}} : {signature(xs, types)}", *types)
    return [found] if len(types) == 1 else list(found)


def attribute(x: Any, is_item: bool = False) -> str:
    """A value as an attribute; items of a list don't say that they are i64 or f64.

    >>> attribute({"n": 3, "by": [0.5, "a"], "to": np.array([1])})
    '{n = 3 : i64, by = [5.000000e-01, "a"], to = dense<1> : tensor<1xi64>}'
    """
    x = getattr(x, "val", x)  # of an array that can be hashed
    if isinstance(x, dict):
        return f"{{{', '.join(f'{key_text(key)} = {attribute(y)}' for key, y in x.items())}}}"
    if isinstance(x, list | tuple):
        return f"[{', '.join(attribute(y, is_item=True) for y in x)}]"
    if isinstance(x, str):
        return quoted(x)
    if isinstance(x, np.dtype):
        return element_type(x)
    array = np.asarray(x)
    if array.dtype.kind not in "biufV" or array.dtype.names:
        raise TypeError(
            f"StableHLO has no text for the attribute {safe_repr(x)} of a composite. Give numbers, "
            f"strings, arrays, and lists and dicts of them."
        )
    if isinstance(x, np.ndarray | Array):
        return f"{dense(array)} : {TensorType(array.shape, array.dtype)}"
    text = number(array[()])
    is_known = array.dtype == bool or is_item and array.dtype in (np.int64, np.float64)
    return text if is_known else f"{text} : {element_type(array.dtype)}"


def key_text(key: Any) -> str:
    return key if re.fullmatch(r"[A-Za-z_]\w*", str(key), re.ASCII) else quoted(str(key))


@rule("remat2", keys=True)
def _remat(b: Builder, outs: Outs, *xs: Value, jaxpr: ClosedJaxpr, **how: Any) -> list[Value]:
    """Where it is computed a second time, what it starts from lies behind a barrier."""
    prevent_cse = how["prevent_cse"]
    flags = prevent_cse if isinstance(prevent_cse, tuple) else (prevent_cse,) * len(xs)
    if how["differentiated"] and any(flags):
        held = [x for x, flag in zip(xs, flags, strict=True) if flag]
        names, types = ", ".join(x.name for x in held), ", ".join(str(x.type) for x in held)
        found = b.put(f"stablehlo.optimization_barrier {names} : {types}", *(x.type for x in held))
        passed = iter([found] if len(held) == 1 else found)
        xs = tuple(next(passed) if flag else x for x, flag in zip(xs, flags, strict=True))
    return write_closed(b, jaxpr, xs)


@rule("cond", keys=True)
def _cond(
    b: Builder, outs: Outs, index: Value, *xs: Value, branches: Sequence[ClosedJaxpr], **_: Any
) -> list[Value]:
    """An index below 0 means the first branch here, and the last in StableHLO."""
    index = b.op("maximum", index, b.constant(0, INT32))
    regions = [([], lambda branch=branch: write_closed(b, branch, xs)) for branch in branches]
    return b.generic("case", [index], outs, (), regions)


@rule("platform_index")
def _platform_index(b: Builder, outs: Outs, *, platforms: tuple) -> Value:
    """The text is for CPUs."""
    for i, names in enumerate(platforms):
        if names is None or "cpu" in names:
            return b.constant(i, INT32)
    raise NotImplementedError(
        f"lax.platform_dependent has branches for {platforms}, and none for the platform 'cpu', "
        f"which StableHLO is written for. Give it cpu=function or default=function."
    )


@rule("while", keys=True)
def _while(
    b: Builder, outs: Outs, *xs: Value, cond_nconsts: int, cond_jaxpr: ClosedJaxpr,
    body_nconsts: int, body_jaxpr: ClosedJaxpr,
) -> list[Value]:  # fmt: skip
    """If each example has its own condition, examples whose condition fails stay as they are."""
    cond_consts, rest = xs[:cond_nconsts], xs[cond_nconsts:]
    body_consts, carry = rest[:body_nconsts], rest[body_nconsts:]

    def holds(*carry: Value) -> Value:
        [condition] = write_closed(b, cond_jaxpr, [*cond_consts, *carry])
        return condition

    def go_on(*carry: Value) -> Value:
        condition = holds(*carry)
        return b.reduce("or", condition, False, range(condition.ndim)) if condition.ndim else (
            condition)  # fmt: skip

    def step(*carry: Value) -> list[Value]:
        new = write_closed(b, body_jaxpr, [*body_consts, *carry])
        if not cond_jaxpr.out_avals[0].shape:
            return new
        condition = holds(*carry)
        return [chosen(b, condition, *pair) for pair in zip(new, carry, strict=True)]

    return b.loop(carry, go_on, step) if carry else []


def chosen(b: Builder, which: Value, new: Value, old: Value) -> Value:
    """Rows of `new` where `which` holds, of `old` elsewhere."""
    return b.select(b.broadcast(which, new.shape, range(which.ndim)), new, old)


@rule("scan", keys=True)
def _scan(
    b: Builder, outs: Outs, *xs: Value, length: int, reverse: bool, jaxpr: ClosedJaxpr,
    num_consts: int, num_carry: int, unroll: int,
) -> list[Value]:  # fmt: skip
    """A loop that counts. It carries also the results that are stacked, at first zeros."""
    consts, rest = xs[:num_consts], xs[num_consts:]
    carry, rows = rest[:num_carry], rest[num_carry:]
    stacks = [b.full(out, 0) for out in outs[num_carry:]]
    if not length:
        return [*carry, *stacks]

    def step(i: Value, *state: Value) -> list[Value]:
        place = b.op("subtract", b.constant(length - 1, INT32), i) if reverse else i
        x = [b.row(row, place) for row in rows]
        found = write_closed(b, jaxpr, [*consts, *state[:num_carry], *x])
        pairs = zip(state[num_carry:], found[num_carry:], strict=True)
        return [*found[:num_carry], *(b.with_row(stack, place, y) for stack, y in pairs)]

    return b.counted_loop(length, [*carry, *stacks], step)

