"""What a function costs, counted off its program, for a `CostEstimate`.

A rule is a line in a table; equations that have none count as nothing, loops and branches too.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

from minijax.core.printing import jaxprs_in_params
from minijax.core.staging import Jaxpr, JaxprEqn, make_jaxpr
from minijax.lax.pallas.block_specs import CostEstimate

# An operation for each number of the result; and those of a library of mathematics.
ONE_EACH = frozenset("add and ceil div floor max min mul neg not or round sub xor".split())
TRANSCENDENTAL = frozenset(
    "acos asin atan cos cosh exp log logistic sin sinh sqrt tan tanh".split()
)
CARRYING = frozenset(["custom_vjp_call", "jit"])  # whose programs count


def _of_product(eqn: JaxprEqn) -> int:
    (summed, _), _ = eqn.params["dimension_numbers"]
    return 2 * eqn.outvars[0].aval.size * math.prod(eqn.invars[0].aval.shape[d] for d in summed)


def _of_power(eqn: JaxprEqn) -> int:
    """By squaring: a square for each binary digit but the first, a product for each that is 1."""
    y = abs(eqn.params["y"])
    return eqn.outvars[0].aval.size * (y.bit_length() - 1 + y.bit_count() if y > 1 else 0)


FLOPS: dict[str, Callable[[JaxprEqn], int]] = {
    "dot_general": _of_product,
    "integer_pow": _of_power,
    **dict.fromkeys(ONE_EACH, lambda eqn: eqn.outvars[0].aval.size),
}


def costs_of(jaxpr: Jaxpr) -> tuple[int, int]:
    """The operations, and the transcendental functions, of a program."""
    flops = transcendentals = 0
    for eqn in jaxpr.eqns:
        name = eqn.primitive.name
        if name in CARRYING:
            inner = costs_of(next(jaxprs_in_params(eqn.params)))
            flops, transcendentals = flops + inner[0], transcendentals + inner[1]
        flops += FLOPS[name](eqn) if name in FLOPS else 0
        transcendentals += eqn.outvars[0].aval.size if name in TRANSCENDENTAL else 0
    return flops, transcendentals


def estimate_cost(fun: Callable, *args: Any, **kwargs: Any) -> CostEstimate:
    """What `fun` costs at arguments of these types: arrays, or `jax.ShapeDtypeStruct`s.

    Bytes are those of its arguments and results. `kwargs` are given to it as they are.

    >>> estimate_cost(lambda x: x * 2 + 1, 3.0).flops
    2
    """
    closed = make_jaxpr(partial(fun, **kwargs))(*args)
    flops, transcendentals = costs_of(closed.jaxpr)
    avals = (*closed.in_avals, *closed.out_avals)
    bytes_accessed = sum(aval.size * aval.dtype.itemsize for aval in avals)
    return CostEstimate(int(flops), int(transcendentals), int(bytes_accessed))
