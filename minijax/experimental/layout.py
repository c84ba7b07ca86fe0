"""How arrays lie in memory, under the names of `jax.experimental.layout`. Here all lie one way: row
after row. So this is for reading, from `x.format` and the `input_formats` of compiled programs, and
for programs that say what JAX is to do."""

from __future__ import annotations

import sys
from typing import Any

from minijax.core.arguments import flatten_axes
from minijax.core.arrays import Array
from minijax.core.pytrees import tree_flatten
from minijax.core.tracing import Tracer, typeof
from minijax.face.boundaries import guard
from minijax.face.planned import missing_names, shown_names
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.sharding.layouts import Format, Layout, check_layout

__all__ = ["Format", "Layout", "with_layout_constraint"]
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)


def with_layout_constraint(x: Any, layouts: Any) -> Any:
    """The pytree as it is. In JAX its arrays would lie as `layouts` says from here on: a Layout, or
    a tree of these that is a prefix of `x`. Here they keep lying row after row, and a jaxpr has no
    equation for it.

    ValueError for what is no Layout, for one that has other axes than its array, for a tree that
    doesn't fit and, outside of jit, for NumPy arrays and numbers. TypeError for what is no array.

    >>> import minijax.numpy as jnp
    >>> with_layout_constraint(jnp.arange(2), Layout((0,)))
    Array([0, 1], dtype=int32)
    """
    name = "with_layout_constraint"
    leaves, treedef = tree_flatten(x)
    for leaf, layout in zip(leaves, flatten_axes(f"{name}'s layouts", treedef, layouts),
                            strict=True):  # fmt: skip
        if not isinstance(layout, Layout):
            raise ValueError(f"{name} takes layouts, and got {shown(layout)}. Give a Layout.")
        aval = typeof(leaf)
        if not isinstance(leaf, Array | Tracer):
            raise ValueError(f"{name} takes arrays, and got {shown(leaf)}. Make it one: jnp.array.")
        check_layout(name, layout, aval.ndim)
    return x


guard(sys.modules[__name__], Format, Layout)
