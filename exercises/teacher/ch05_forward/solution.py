"""The teacher's solutions of chapter 05."""

import numpy as np

from minijax import lax
from minijax.core.extend import Primitive, defjvp

softplus_p = Primitive("softplus")


@softplus_p.def_impl
def _softplus_impl(x):
    return lax.max(x, lax.full_like(x, 0)) + lax.log1p(lax.exp(-lax.abs(x)))


softplus_p.def_abstract_eval(lambda x: x)
defjvp(softplus_p, lambda g, x: g * lax.logistic(x))


def softplus(x):
    """log(1 + exp(x)), for numbers of any size."""
    return softplus_p.bind(np.float32(x) if isinstance(x, float) else x)
