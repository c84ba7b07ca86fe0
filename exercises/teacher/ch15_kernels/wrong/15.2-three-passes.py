"""The chapter's kernel, with three passes over a row."""

TEXT = """
def kernel(x0, y0, n1, lo, hi):
    for i0 in range(lo, hi):
        top = REAL(-np.inf)
        total = REAL(0.0)
        for i1 in range(n1):
            top = MAXIMUM(top, x0[i0 * n1 + i1])
        for i1 in range(n1):
            y0[i0 * n1 + i1] = EXP(x0[i0 * n1 + i1] - top)
            total = total + y0[i0 * n1 + i1]
        for i1 in range(n1):
            y0[i0 * n1 + i1] = y0[i0 * n1 + i1] / total
"""


def softmax_source(dtype):
    text = TEXT.strip().replace("REAL", dtype)
    text = text.replace("MAXIMUM", "maximum_f" + dtype[-2:])
    return text.replace("EXP", "exp_f" + dtype[-2:])
