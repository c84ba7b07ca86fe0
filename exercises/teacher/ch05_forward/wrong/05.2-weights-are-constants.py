"""The weights come from a primitive that is said not to move: right once, zero the second time."""

from functools import partial

import numpy as np

from minijax.core.forward import defjvp, primitive_jvps, zero_jvp
from minijax.core.primitives import naryop


def _numpy_smooth_max(x, y, sharpness):
    return np.maximum(x, y) + np.log1p(np.exp(-sharpness * np.abs(x - y))) / sharpness


def _numpy_weight(x, y, sharpness):
    with np.errstate(over="ignore"):
        return 1 / (1 + np.exp(-sharpness * (x - y)))


smooth_max_p = naryop("smooth_max", [np.floating], _numpy_smooth_max, params=["sharpness"])
weight_p = naryop("weight", [np.floating], _numpy_weight, params=["sharpness"])
primitive_jvps[weight_p] = partial(zero_jvp, weight_p)
defjvp(
    smooth_max_p,
    lambda g, x, y, sharpness: g * weight_p.bind(x, y, sharpness=sharpness),
    lambda g, x, y, sharpness: g * weight_p.bind(y, x, sharpness=sharpness),
)


def smooth_max(x, y, sharpness=1.0):
    return smooth_max_p.bind(x, y, sharpness=sharpness)
