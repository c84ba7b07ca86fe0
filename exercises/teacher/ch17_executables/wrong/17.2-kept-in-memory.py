"""A dictionary of results, that everybody is given; nothing is found by another process, or by
another function for the same text."""

import numpy as np


def remember(fun, text, folder):
    results = {}

    def remembered(*args):
        key = tuple(
            (x.dtype.str, x.shape, x.tobytes()) if isinstance(x, np.ndarray) else x for x in args
        )
        if key not in results:
            results[key] = fun(*args)
        return results[key]

    return remembered
