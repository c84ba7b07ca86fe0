"""The maximum begins with minus infinity: where the first number is that too, their
difference is NaN."""

TEXT = """
def kernel(x0, y0, n1, lo, hi):
    for i0 in range(lo, hi):
        top = REAL(-np.inf)
        total = REAL(0.0)
        for i1 in range(n1):
            v = x0[i0 * n1 + i1]
            larger = v if v > top else top
            total = total * EXP(top - larger) + EXP(v - larger)
            top = larger
        for i1 in range(n1):
            y0[i0 * n1 + i1] = EXP(x0[i0 * n1 + i1] - top) / total
"""


def softmax_source(dtype):
    text = TEXT.strip().replace("REAL", dtype)
    return text.replace("EXP", "exp_f" + dtype[-2:])
