"""What is true of integers is taken for true of floats: 0.1 * 10 has not the bits of the sum."""

import math

import numpy as np

from minijax.compiler.passes.rewriting import changed, maker_of
from minijax.core.extend import Array, Literal, Var
from minijax.core.primitives import broadcast_in_dim_p, mul_p, reshape_p


def sum_of_repeated(draft, eqn):
    axes, [total] = eqn.params["axes"], eqn.outvars
    maker = maker_of(draft, eqn.invars[0], broadcast_in_dim_p)
    if maker is None:
        return None
    [y], shape = maker.invars, maker.params["shape"]
    became = dict(zip(maker.params["broadcast_dimensions"], y.aval.shape, strict=True))
    if any(became.get(d, 1) != 1 for d in axes):
        return None
    count = np.array(math.prod(shape[d] for d in axes)).astype(total.aval.dtype)
    product = eqn._replace(outvars=[Var(y.aval)])
    [x] = draft.write(changed(product, mul_p, y, Literal(Array(count))))
    kept = [d for d in became if d not in axes]
    sizes = tuple(became[d] for d in kept)
    smaller = eqn._replace(outvars=[Var(y.aval.update(shape=sizes))])
    [x] = draft.write(changed(smaller, reshape_p, x, new_sizes=sizes))
    left = [d for d in range(len(shape)) if d not in axes]
    places = tuple(left.index(d) for d in kept)
    return changed(eqn, broadcast_in_dim_p, x, shape=total.aval.shape, broadcast_dimensions=places)
