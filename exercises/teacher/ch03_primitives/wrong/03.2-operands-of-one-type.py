"""Only operands of one type are tried together: what mixing does is never seen."""

import itertools

import numpy as np

from minijax.core.tracing import typeof

SIZES = (0, 1, 3)
SHAPES = [(), *itertools.product(SIZES), *itertools.product(SIZES, SIZES)]
DTYPES = ["bool", "int8", "uint8", "int32", "float16", "float32", "complex64"]


def is_broken(primitive, args):
    try:
        [promised] = primitive.out_avals([typeof(x) for x in args], {})
    except Exception:
        return False
    try:
        return typeof(primitive.bind(*args)) is not promised
    except Exception:
        return True


def counterexample(primitive, n):
    operands = [np.ones(shape, dtype) for shape in SHAPES for dtype in DTYPES]
    return next(((x,) * n for x in operands if is_broken(primitive, (x,) * n)), None)
