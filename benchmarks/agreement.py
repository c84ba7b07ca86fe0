"""Before anything is timed: do both libraries come to the same values?"""

import numpy as np

RELATIVE = 1e-3
OF_THE_LARGEST = 1e-4
MAY_DIFFER = 1e-3  # of an array's elements: where rounding decides a branch, as in Mandelbrot's set


def as_numbers(lib, x) -> np.ndarray:
    """A result as NumPy has it; of keys, their words."""
    if hasattr(x, "dtype") and lib.dtypes.issubdtype(x.dtype, lib.dtypes.prng_key):
        x = lib.random.key_data(x)
    return np.asarray(x)


def disagreement(libraries, results) -> str:
    """How two results, one of each library, differ: a phrase, empty where they agree.

    They agree when their trees have equally many leaves, each leaf the same shape and dtype, and
    all but a thousandth of its elements lie near each other. Correctness has tests of its own;
    this keeps a benchmark from comparing two different programs.
    """
    leaves = [lib.tree.leaves(result) for lib, result in zip(libraries, results, strict=True)]
    if len(leaves[0]) != len(leaves[1]):
        return f"{len(leaves[0])} results beside {len(leaves[1])}"
    for pair in zip(*leaves, strict=True):
        ours, theirs = map(as_numbers, libraries, pair)
        if (ours.shape, ours.dtype) != (theirs.shape, theirs.dtype):
            return f"{ours.dtype}{list(ours.shape)} beside {theirs.dtype}{list(theirs.shape)}"
        if not nearly_equal(ours, theirs):
            return "the values differ"
    return ""


def nearly_equal(ours: np.ndarray, theirs: np.ndarray) -> bool:
    ours, theirs = ours.astype(np.float64), theirs.astype(np.float64)
    finite = np.abs(theirs[np.isfinite(theirs)])
    atol = OF_THE_LARGEST * finite.max() if finite.size else 0.0
    near = np.isclose(ours, theirs, rtol=RELATIVE, atol=atol, equal_nan=True)
    return np.count_nonzero(~near) <= MAY_DIFFER * near.size
