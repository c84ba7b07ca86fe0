"""Only a repeated scalar is seen: an array's rows, repeated, are still made and added up."""

import math

import numpy as np

from minijax.compiler.passes.rewriting import changed
from minijax.compiler.special_cases.shape_identities import unspread
from minijax.core.extend import Array, Literal, Var, issubdtype
from minijax.core.primitives import broadcast_in_dim_p, mul_p


def sum_of_repeated(draft, eqn):
    [x], [total] = eqn.invars, eqn.outvars
    one = unspread(draft, x)
    if one is x or not issubdtype(total.aval.dtype, np.integer):
        return None
    count = np.array(math.prod(x.aval.shape[d] for d in eqn.params["axes"]))
    number = Literal(Array(count.astype(total.aval.dtype)))
    [product] = draft.write(changed(eqn._replace(outvars=[Var(one.aval)]), mul_p, one, number))
    return changed(eqn, broadcast_in_dim_p, product, shape=total.aval.shape,
                   broadcast_dimensions=())  # fmt: skip
