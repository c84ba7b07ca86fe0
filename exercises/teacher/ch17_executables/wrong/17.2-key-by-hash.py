"""Python's hash names the file: it is another one in the next process, and takes 1 for 1.0."""

from pathlib import Path

import numpy as np


def remember(fun, text, folder):

    def remembered(*args):
        parts = [
            (x.dtype.str, x.shape, x.tobytes()) if isinstance(x, np.ndarray) else x for x in args
        ]
        path = Path(folder) / f"{hash((text, *parts))}.npy"
        try:
            return np.load(path)
        except (OSError, ValueError, EOFError):
            result = np.array(fun(*args))
        try:
            Path(folder).mkdir(parents=True, exist_ok=True)
            np.save(path, result)
        except OSError:
            pass
        return result

    return remembered
