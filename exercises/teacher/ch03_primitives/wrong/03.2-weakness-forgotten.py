"""Shape and dtype are compared, the weakness is not; and no axis is empty."""

import itertools

import numpy as np

from minijax.core.tracing import typeof

SIZES = (1, 2, 3)
SHAPES = [(), *itertools.product(SIZES), *itertools.product(SIZES, SIZES)]
DTYPES = ["bool", "int8", "uint8", "int32", "float16", "float32", "complex64"]


def counterexample(primitive, n):
    operands = [np.ones(shape, dtype) for shape in SHAPES for dtype in DTYPES]
    for row in itertools.product(operands, repeat=n):
        try:
            [promised] = primitive.out_avals([typeof(x) for x in row], {})
        except Exception:
            continue
        try:
            out = primitive.bind(*row)
        except Exception:
            return row
        if out.shape != promised.shape or out.dtype != promised.dtype:
            return row
    return None
