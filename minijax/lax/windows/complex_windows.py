"""Complex numbers in windows, in compiled loops: a convolution is four of floats."""

from __future__ import annotations

from functools import partial

from minijax.compiler.special_cases.complex_pairs import register_pairs
from minijax.lax.elementwise.complex_rules import real_products
from minijax.lax.windows.convolutions import conv_general_dilated_p
from minijax.lax.windows.window_reductions import reduce_window_sum_p

register_pairs(
    conv_general_dilated_p, arithmetic=partial(real_products, conv_general_dilated_p),
    only_in_loops=True,
)  # fmt: skip
register_pairs(reduce_window_sum_p, each_part={})
