"""A total that begins with 0.0 is a float64, and all that is added to it becomes one."""

import numpy as np

TEXT = """
def kernel(x0, y0, n1, lo, hi):
    for i0 in range(lo, hi):
        top = REAL(LOWEST)
        total = 0.0
        for i1 in range(n1):
            v = x0[i0 * n1 + i1]
            larger = v if v > top else top
            total = total * EXP(top - larger) + EXP(v - larger)
            top = larger
        for i1 in range(n1):
            y0[i0 * n1 + i1] = EXP(x0[i0 * n1 + i1] - top) / total
"""


def softmax_source(dtype):
    text = TEXT.strip().replace("REAL", dtype).replace("LOWEST", str(np.finfo(dtype).min))
    return text.replace("EXP", "exp_f" + dtype[-2:])
