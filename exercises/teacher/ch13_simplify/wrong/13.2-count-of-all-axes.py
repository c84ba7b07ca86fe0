"""The count is that of all axes along which the operand was repeated, summed or not; and the
product is taken of what was repeated, so that the large array is made all the same."""

import numpy as np

from minijax.compiler.passes.rewriting import changed, maker_of
from minijax.core.extend import Array, Literal, Var, issubdtype
from minijax.core.primitives import broadcast_in_dim_p, mul_p


def sum_of_repeated(draft, eqn):
    axes, [x], [total] = eqn.params["axes"], eqn.invars, eqn.outvars
    maker = maker_of(draft, x, broadcast_in_dim_p)
    if maker is None or not issubdtype(total.aval.dtype, np.integer):
        return None
    [y], dims = maker.invars, maker.params["broadcast_dimensions"]
    if set(dims) & set(axes):
        return None
    count = np.array(x.aval.size // max(1, y.aval.size)).astype(total.aval.dtype)
    product = eqn._replace(outvars=[Var(y.aval)])
    [x] = draft.write(changed(product, mul_p, y, Literal(Array(count))))
    left = [d for d in range(len(maker.params["shape"])) if d not in axes]
    places = tuple(left.index(d) for d in dims)
    return changed(eqn, broadcast_in_dim_p, x, shape=total.aval.shape, broadcast_dimensions=places)
