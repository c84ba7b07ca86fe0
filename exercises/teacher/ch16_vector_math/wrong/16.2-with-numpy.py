"""NumPy's power: right in Python, and in a loop a call of the C library for each number."""

import numpy as np

from minijax.compiler.maths.precisions import both, real


@both
def exp10(x):
    return np.power(real(10.0), x)
