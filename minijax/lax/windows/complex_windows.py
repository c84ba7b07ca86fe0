"""Complex numbers in windows, in compiled loops: as pairs of floats."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from minijax.compiler.special_cases.complex_pairs import Pair, register_pairs
from minijax.core.primitives import fill
from minijax.lax.elementwise.complex_rules import larger, real_products, smaller
from minijax.lax.shapes.slicing import pad
from minijax.lax.shapes.slicing import slice as lax_slice
from minijax.lax.windows.convolutions import conv_general_dilated_p
from minijax.lax.windows.window_reductions import (
    reduce_window_max_p,
    reduce_window_min_p,
    reduce_window_sum_p,
)
from minijax.lax.windows.window_shapes import Windows


def _extreme(x: Pair, *, combine: Callable, start: float, **params: Any) -> Pair:
    """Place by place: each step goes on with what all windows see at one of theirs."""
    windows, shape = Windows(**params), x.re.aval.shape
    counts, numbers = windows.counts(shape), (start, 0.0)
    around = [fill(x.re.aval.update(shape=()), number) for number in numbers]
    parts = [pad(part, edge, windows.edges) for part, edge in zip(x, around, strict=True)]
    total = Pair(*(fill(x.re.aval.update(shape=counts), number) for number in numbers))
    for offset in windows.offsets():
        starts, limits = zip(*windows.ends(offset, counts), strict=True) if counts else ((), ())
        seen = (lax_slice(part, starts, limits, windows.window_strides) for part in parts)
        total = combine(total, Pair(*seen))
    return total


# A convolution is four of floats.
register_pairs(
    conv_general_dilated_p, arithmetic=partial(real_products, conv_general_dilated_p),
    only_in_loops=True,
)  # fmt: skip
register_pairs(reduce_window_sum_p, each_part={})
for _primitive, _combine, _start in (
    (reduce_window_max_p, larger, -np.inf), (reduce_window_min_p, smaller, np.inf),
):  # fmt: skip
    _rule = partial(_extreme, combine=_combine, start=_start)
    register_pairs(_primitive, arithmetic=_rule, only_in_loops=True)
