"""What changes what types say of the axes of a mesh: casts, and the collectives that take or give
something else than values that vary.

Each device along an axis may have a term of a sum: what varies is such terms as soon as its type
says so, `{U:x}`, and `psum`, or `psum_scatter`, adds them up. The cotangent of such a sum is the
same on all devices, and its own cotangents are the terms of a sum: it is a reduced array, `{R:x}`.
So the transpose of each of these is another of them.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from minijax.core.primitives import mul
from minijax.core.pytrees import tree_map
from minijax.core.reverse import deflinear2
from minijax.core.tracing import Primitive, ShapedArray, trace_ctx, typeof
from minijax.lax.collectives.meetings import gathered, meets, scattered, summed, take_part
from minijax.lax.collectives.moving import (
    all_gather_rule,
    collective,
    gather_along,
    scatter_along,
    scatter_rule,
)
from minijax.lax.collectives.reducing import (
    AxisName,
    as_names,
    axis_effects,
    axis_index,
    check_bound,
)
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.indexing.dynamic_slicing import dynamic_slice_in_dim
from minijax.lax.shapes.axes import squeeze
from minijax.lax.sharding.placed_types import (
    ManualAxisType,
    cast_of_types,
    in_order,
    pvary,
    pvary_p,
    said_of,
    state_of,
    with_said,
)

# Casts.

preduced_p = cast_of_types("preduced", "reduced")
vary_unreduced_cast_p = cast_of_types("vary_unreduced_cast_p", "unreduced")
reduced_vary_cast_p = cast_of_types("reduced_vary_cast_p", "varying")
deflinear2(vary_unreduced_cast_p, lambda ct, x, *, axes: [reduced_vary_cast_p.bind(ct, axes=axes)])
deflinear2(reduced_vary_cast_p, lambda ct, x, *, axes: [vary_unreduced_cast_p.bind(ct, axes=axes)])

# From what values are along the axes, and are to be -> the cast.
_casts = {
    ("invarying", "varying"): pvary_p, ("invarying", "reduced"): preduced_p,
    ("varying", "unreduced"): vary_unreduced_cast_p, ("reduced", "varying"): reduced_vary_cast_p,
}  # fmt: skip


def pcast(x: Any, axis_name: AxisName, *, to: str) -> Any:
    """The pytree, whose types say something else of axes of a mesh; no value changes.

    Inside of a shard_map, what each device has alike can be mixed with what differs only where
    types agree: `to="varying"` says that it may differ, as for the first carry of a loop. What
    differs is the terms of a sum with `to="unreduced"`, which `psum` adds up. What is alike has
    such terms as its cotangents with `to="reduced"`. ValueError for any other change.
    """
    axes = as_names(axis_name)
    check_bound(axes)
    if to not in ("varying", "unreduced", "reduced"):
        raise ValueError(
            f"lax.pcast can't make x {shown(to)}. Give to='varying', 'unreduced' or 'reduced'."
        )

    def cast(leaf: Any) -> Any:
        aval = typeof(leaf)
        found = state_of("lax.pcast", aval, axes)
        if (found, to) not in _casts:
            raise ValueError(
                f"lax.pcast got a value of type {aval}, which is {found} along "
                f"{', '.join(map(str, axes))}, and can't be made {to}. Leave that out of axis_name."
            )
        context = trace_ctx.manual
        if context is None or not context.checked:
            return leaf  # no type says it
        return _casts[found, to].bind(leaf, axes=in_order(axes))

    return tree_map(cast, x)


def said_of_sums(x: Any, said: ManualAxisType) -> Any:
    """A value that all devices have alike, as an unreduced sum and reduced along axes."""
    if said.reduced:
        x = preduced_p.bind(x, axes=in_order(said.reduced))
    axes = in_order(said.unreduced)
    return vary_unreduced_cast_p.bind(pvary(x, axes), axes=axes) if axes else x


# The terms, added up: for all devices, or a part of the sum for each. And where all devices get
# everybody's values, of which the cotangents are such terms.

unreduced_psum_p = Primitive("unreduced_psum")


@unreduced_psum_p.def_effectful_abstract_eval
def _unreduced_psum_rule(x: ShapedArray, *, axes: tuple) -> tuple[ShapedArray, frozenset]:
    said = said_of(x).along(axes, "invarying")
    return with_said(x, said, getattr(x, "names", axes)), axis_effects(axes)


@unreduced_psum_p.def_impl
def _unreduced_psum_impl(x: Any, *, axes: tuple) -> Any:
    check_bound(axes)
    return take_part(unreduced_psum_p, x, axes)


meets(unreduced_psum_p, summed)
deflinear2(unreduced_psum_p, lambda ct, x, *, axes: [preduced_p.bind(ct, axes=axes)])
deflinear2(preduced_p, lambda ct, x, *, axes: [unreduced_psum_p.bind(ct, axes=axes)])


def sum_of_terms(x: Any, axes: tuple) -> Any:
    """`lax.psum` of an unreduced sum."""
    return unreduced_psum_p.bind(x, axes=axes)


all_gather_reduced_p = collective(
    "all_gather_reduced", partial(all_gather_rule, axis_index_groups=None),
    partial(gather_along, axis_index_groups=None),
    lambda ct, *, all_gather_dimension, **params: unreduced_reduce_scatter_p.bind(
        ct, scatter_dimension=all_gather_dimension, **params
    ),
    gathered, ["all_gather_dimension"], state="reduced",
)  # fmt: skip
unreduced_reduce_scatter_p = collective(
    "unreduced_reduce_scatter", partial(scatter_rule, axis_index_groups=None),
    partial(scatter_along, axis_index_groups=None),
    lambda ct, *, scatter_dimension, **params: all_gather_reduced_p.bind(
        ct, all_gather_dimension=scatter_dimension, **params
    ),
    scattered, ["scatter_dimension"], state="varying",
)  # fmt: skip


def _slice_transpose(
    ct: Any, *, all_gather_dimension: int, axis_name: Any, axis_size: int, tiled: bool
) -> Any:
    """Each device takes its own part of what all have alike."""
    d = all_gather_dimension
    size = typeof(ct).shape[d] // axis_size
    part = dynamic_slice_in_dim(ct, mul(axis_index(axis_name), np.int32(size)), size, d)
    return part if tiled else squeeze(part, [d])


all_gather_invariant_p = collective(
    "all_gather_invariant", partial(all_gather_rule, axis_index_groups=None),
    partial(gather_along, axis_index_groups=None), _slice_transpose, gathered,
    ["all_gather_dimension"], state="invarying",
)  # fmt: skip


def gathered_to(
    state: str, x: Any, names: tuple, groups: Any, d: int, size: int, tiled: bool
) -> Any:
    """`lax.all_gather` to a reduced array, or to what does not vary any more. ValueError where
    what is to be reduced does not vary."""
    _refuse_groups("all_gather", groups)
    params = {"all_gather_dimension": d, "axis_name": names, "axis_size": size, "tiled": tiled}
    if state == "invarying":
        return all_gather_invariant_p.bind(pvary(x, names), **params)
    if state_of("lax.all_gather", typeof(x), names) != "varying":
        raise ValueError(
            f"lax.all_gather to='reduced' takes what varies along {', '.join(map(str, names))}, "
            f"and got {typeof(x)}. Use lax.pcast(x, axis_name, to='varying') first."
        )
    return all_gather_reduced_p.bind(x, **params)


def scattered_terms(x: Any, names: tuple, groups: Any, d: int, size: int, tiled: bool) -> Any:
    """`lax.psum_scatter` of an unreduced sum."""
    _refuse_groups("psum_scatter", groups)
    return unreduced_reduce_scatter_p.bind(
        x, axis_name=names, axis_size=size, scatter_dimension=d, tiled=tiled
    )


def _refuse_groups(fun_name: str, groups: Any) -> None:
    if groups is not None:
        raise NotImplementedError(
            f"lax.{fun_name} takes no axis_index_groups where more changes than what varies. Leave "
            f"them out."
        )
