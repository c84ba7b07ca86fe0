"""The teacher's solutions of chapter 03."""

import itertools

import numpy as np

from minijax.core.tracing import typeof

SIZES = (0, 1, 3)
SHAPES = [(), *itertools.product(SIZES), *itertools.product(SIZES, SIZES)]
DTYPES = ["bool", "int8", "uint8", "int32", "float16", "float32", "complex64"]


def is_broken(primitive, args):
    """Whether the rule promises a type of these operands, and another comes or none."""
    try:
        [promised] = primitive.out_avals([typeof(x) for x in args], {})
    except Exception:
        return False
    try:
        return typeof(primitive.bind(*args)) is not promised
    except Exception:
        return True


def counterexample(primitive, n):
    """A tuple of n NumPy arrays that break a primitive's promise; None where there are none."""
    operands = [np.ones(shape, dtype) for shape in SHAPES for dtype in DTYPES]
    rows = itertools.product(operands, repeat=n)
    return next((row for row in rows if is_broken(primitive, row)), None)
