"""A file that can be read is taken for what was written, and it is written where it is read."""

import hashlib
from pathlib import Path

import numpy as np


def facts(x):
    if isinstance(x, np.ndarray):
        return "array", x.dtype.str, x.shape, x.tobytes()
    return type(x).__name__, repr(x)


def remember(fun, text, folder):

    def remembered(*args):
        key = hashlib.sha256(repr((text, *map(facts, args))).encode()).hexdigest()
        path = Path(folder) / f"{key}.npy"
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
