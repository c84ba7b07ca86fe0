"""Identities of shapes: repeated numbers are computed with once, and two reshapes are one."""

from __future__ import annotations

import numpy as np

from minijax.compiler.kernels.elements import is_reduction, scalar_template
from minijax.compiler.lowerings import lowerings
from minijax.compiler.passes.identities import Found, is_float, same
from minijax.compiler.passes.rewriting import Draft, changed, maker_of
from minijax.compiler.passes.simplify import rewrite_eqn
from minijax.core.arrays import Array
from minijax.core.dtypes import issubdtype
from minijax.core.primitives import (
    add_p, broadcast_in_dim_p, broadcasting_shape, elementwise, remaining, reshape_p, transpose_p,
)
from minijax.core.staging import Atom, JaxprEqn, Literal, Var

# Repeated numbers.


def unspread(draft: Draft, x: Atom) -> Atom:
    """The scalar that it repeats, where it does, and else the operand."""
    eqn = maker_of(draft, x, broadcast_in_dim_p)
    return x if eqn is None or eqn.invars[0].aval.shape else eqn.invars[0]


def on_scalars(draft: Draft, eqn: JaxprEqn) -> Found:
    """What works element by element takes the scalars themselves where its operands repeat them,
    and where its result is smaller by that, it is computed once and then repeated."""
    if eqn.primitive not in elementwise or not eqn.outvars[0].aval.shape:
        return None
    operands = [unspread(draft, x) for x in eqn.invars]
    if operands == eqn.invars:
        return None
    eqn, [v] = eqn._replace(invars=operands), eqn.outvars
    shape = broadcasting_shape(eqn.primitive.name, [x.aval for x in operands])
    if shape == v.aval.shape:
        return eqn
    [x] = rewrite_eqn(draft, eqn._replace(outvars=[Var(v.aval.update(shape=shape))]))
    return x


# Two in a row are one.


def one_broadcast(draft: Draft, eqn: JaxprEqn) -> Found:
    first = maker_of(draft, eqn.invars[0], broadcast_in_dim_p)
    if first is None:
        return same(draft, eqn)
    dimensions = eqn.params["broadcast_dimensions"]
    places = tuple(dimensions[d] for d in first.params["broadcast_dimensions"])
    params = {**eqn.params, "broadcast_dimensions": places}
    return eqn._replace(invars=first.invars, params=params)


def one_transpose(draft: Draft, eqn: JaxprEqn) -> Found:
    [x], permutation = eqn.invars, eqn.params["permutation"]
    if permutation == tuple(range(x.aval.ndim)):
        return x
    first = maker_of(draft, x, transpose_p)
    if first is None:
        return None
    both = tuple(first.params["permutation"][d] for d in permutation)
    return eqn._replace(invars=first.invars, params={**eqn.params, "permutation": both})


def reshaped(draft: Draft, eqn: JaxprEqn) -> Found:
    """Of an operation that only counts the axes anew: what did so before it is not needed."""
    [x], v = eqn.invars, eqn.outvars[0]
    if x.aval.shape == v.aval.shape or unspread(draft, x) is not x:
        return unspread(draft, x)
    first = draft.made_by.get(x)
    if first is None or not lowerings[first.primitive].same_order or not x.aval.size:
        return None
    [start] = first.invars
    same_size = start.aval.size == x.aval.size
    return changed(eqn, reshape_p, start, new_sizes=v.aval.shape) if same_size else None


def sum_of_one(draft: Draft, eqn: JaxprEqn) -> Found:
    """Over axes of size 1: such a sum starts at 0.0, which makes 0.0 of -0.0."""
    [x], [v] = eqn.invars, eqn.outvars
    if v.aval.size != x.aval.size or issubdtype(x.aval.dtype, np.complexfloating):
        return None
    if is_float(x):
        zero = Literal(Array(np.zeros((), x.aval.dtype)))
        [x] = draft.write(changed(eqn._replace(outvars=[Var(x.aval)]), add_p, x, zero))
    return changed(eqn, reshape_p, x, new_sizes=v.aval.shape)


def in_rows(draft: Draft, eqn: JaxprEqn) -> Found:
    """A reduction along the last axis and others, but not those between, as one along the last axes
    of the transposed operand: kernels take rows together, or columns."""
    if not is_reduction(eqn) or scalar_template(eqn) is None:
        return None
    [x], axes = eqn.invars, sorted(eqn.params["axes"])
    long = [d for d, n in enumerate(x.aval.shape) if n != 1]
    taken = [d for d in long if d in axes]
    takes_columns = long[-1] not in taken and not lowerings[eqn.primitive].finish
    if takes_columns or taken == long[len(long) - len(taken) :]:
        return None
    order = (*remaining(x.aval.ndim, axes), *axes)
    turned = Var(x.aval.update(shape=[x.aval.shape[d] for d in order]))
    draft.write(changed(eqn._replace(outvars=[turned]), transpose_p, x, permutation=order))
    last = tuple(range(len(order) - len(axes), len(order)))
    return eqn._replace(invars=[turned], params={**eqn.params, "axes": last})
