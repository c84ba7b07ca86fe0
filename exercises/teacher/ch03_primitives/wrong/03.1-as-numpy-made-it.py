"""The array is of the type that NumPy made, not of the promised one."""

from functools import wraps

import numpy as np

from minijax.core.arrays import Array, raw_value
from minijax.core.config import bounded_cache, quietly
from minijax.core.tracing import Primitive, typeof


def numpy_primitive(name, type_rule, numpy_fun, inert=None):
    primitive = Primitive(name, inert)

    @bounded_cache
    def remembered(in_avals, params):
        return type_rule(*in_avals, **dict(params))

    @wraps(type_rule)
    def abstract_eval(*in_avals, **params):
        return remembered(in_avals, tuple(params.items()))

    def impl(*args, **params):
        remembered(tuple(map(typeof, args)), tuple(params.items()))
        values = list(map(raw_value, args))
        return Array(quietly(lambda: np.asarray(numpy_fun(*values, **params))))

    primitive.def_abstract_eval(abstract_eval)
    primitive.def_impl(impl)
    primitive.numpy_fun = numpy_fun
    return primitive
