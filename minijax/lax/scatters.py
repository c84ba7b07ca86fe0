"""Scatters that combine an update with what is there: by -, *, min, max, or a function."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from minijax.core.arrays import is_array_like
from minijax.core.batching import primitive_batchers
from minijax.core.forward import constant, defjvp, instantiate_zeros, primitive_jvps
from minijax.core.primitives import (
    Shape, add, cast, div, eq, fill, max, mul, neg, numpy_primitive, select, sub,
)
from minijax.core.reverse import is_undefined_primal, primitive_transposes
from minijax.core.tracing import Primitive, typeof
from minijax.lax.dimension_numbers import GatherScatterMode, ScatterDimensionNumbers
from minijax.lax.elementwise import min, rem, shown
from minijax.lax.indexing import (
    bind_scatter, gather_back, linear_scatter_jvp, scatter_add, scatter_add_p, scatter_batcher,
    scatter_p, scatter_primitive, ufunc_at,
)
from minijax.lax.shapes import full

scatter_sub_p = scatter_primitive("scatter-sub", ufunc_at(np.subtract))
scatter_mul_p = scatter_primitive("scatter-mul", ufunc_at(np.multiply))
scatter_min_p = scatter_primitive("scatter-min", ufunc_at(np.minimum))
scatter_max_p = scatter_primitive("scatter-max", ufunc_at(np.maximum))

for _primitive in [scatter_sub_p, scatter_mul_p, scatter_min_p, scatter_max_p]:
    primitive_batchers[_primitive] = partial(scatter_batcher, _primitive)
