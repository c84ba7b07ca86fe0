"""The teacher's solutions of chapter 15."""

import numpy as np

TEXT = """
def kernel(x0, y0, n1, lo, hi):
    for i0 in range(lo, hi):
        x0_1 = x0[i0 * n1:i0 * n1 + n1]
        y0_1 = y0[i0 * n1:i0 * n1 + n1]
        top = LOWEST
        total = REAL(0.0)
        for i1 in range(n1):
            v = x0_1[i1]
            larger = v if v > top else top
            total = total * EXP(top - larger) + EXP(v - larger)
            top = larger
        for i1 in range(n1):
            y0_1[i1] = EXP(x0_1[i1] - top) / total
"""


def softmax_source(dtype: str) -> str:
    """The text of a kernel that computes the softmax of each row, in two passes over it.

    `top` begins with the lowest finite number: minus infinity less minus infinity would be NaN.
    """
    lowest = f"{dtype}({np.finfo(dtype).min})"
    text = TEXT.strip().replace("LOWEST", lowest).replace("REAL", dtype)
    return text.replace("EXP", "exp_f" + dtype[-2:])
