"""The count is made in the operand's dtype, which refuses one that is too large for it; and axes
of size 1 are thought to be axes that are kept."""

import math

import numpy as np

from minijax.compiler.passes.rewriting import changed, maker_of
from minijax.core.extend import Array, Literal, Var, issubdtype
from minijax.core.primitives import broadcast_in_dim_p, mul_p


def sum_of_repeated(draft, eqn):
    axes, [total] = eqn.params["axes"], eqn.outvars
    maker = maker_of(draft, eqn.invars[0], broadcast_in_dim_p)
    if maker is None or not issubdtype(total.aval.dtype, np.integer):
        return None
    [y], shape = maker.invars, maker.params["shape"]
    dims = maker.params["broadcast_dimensions"]
    if set(dims) & set(axes):
        return None
    count = np.array(math.prod(shape[d] for d in axes), total.aval.dtype)
    product = eqn._replace(outvars=[Var(y.aval)])
    [x] = draft.write(changed(product, mul_p, y, Literal(Array(count))))
    left = [d for d in range(len(shape)) if d not in axes]
    places = tuple(left.index(d) for d in dims)
    return changed(eqn, broadcast_in_dim_p, x, shape=total.aval.shape, broadcast_dimensions=places)
