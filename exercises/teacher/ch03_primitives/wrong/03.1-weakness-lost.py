"""The dtype is the promised one, but the array is made without its type: never weak."""

from functools import wraps

import numpy as np

from minijax.core.arrays import Array, raw_value
from minijax.core.config import quietly
from minijax.core.dtypes import storage_dtype
from minijax.core.tracing import Primitive, typeof


def numpy_primitive(name, type_rule, numpy_fun, inert=None):
    primitive = Primitive(name, inert)

    @wraps(type_rule)
    def abstract_eval(*in_avals, **params):
        return type_rule(*in_avals, **params)

    def impl(*args, **params):
        aval = type_rule(*map(typeof, args), **params)
        values = list(map(raw_value, args))
        dtype = storage_dtype(aval.dtype)
        return Array(quietly(lambda: np.array(numpy_fun(*values, **params), dtype)))

    primitive.def_abstract_eval(abstract_eval)
    primitive.def_impl(impl)
    primitive.numpy_fun = numpy_fun
    return primitive
