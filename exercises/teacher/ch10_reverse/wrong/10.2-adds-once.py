"""Adds with out[places] += y, which NumPy does once for each place."""

import numpy as np

from minijax.core.forward import defjvp
from minijax.core.primitives import numpy_primitive
from minijax.core.reverse import primitive_transposes


def pick(x, places):
    return pick_p.bind(x, places)


def put_back(y, places, size):
    return put_back_p.bind(y, places, size=size)


def check_places(places):
    if not np.issubdtype(places.dtype, np.integer):
        raise TypeError(f"Places are integers, and these are {places}.")


def pick_rule(x, places):
    check_places(places)
    return x.update(shape=places.shape)


def put_back_rule(y, places, *, size):
    check_places(places)
    return y.update(shape=(size,))


def put_back_numpy(y, places, size):
    out = np.zeros(size, y.dtype)
    out[places] += y
    return out


pick_p = numpy_primitive("pick", pick_rule, lambda x, places: x[places])
put_back_p = numpy_primitive("put_back", put_back_rule, put_back_numpy)
defjvp(pick_p, lambda g, x, places: pick(g, places), None)
defjvp(put_back_p, lambda g, y, places, size: put_back(g, places, size), None)


def pick_transpose(ct, x, places):
    return [put_back(ct, places, x.aval.shape[0]), None]


def put_back_transpose(ct, y, places, size):
    return [pick(ct, places), None]


primitive_transposes[pick_p] = pick_transpose
primitive_transposes[put_back_p] = put_back_transpose
