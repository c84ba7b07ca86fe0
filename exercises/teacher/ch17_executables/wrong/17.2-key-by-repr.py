"""The key is how the arguments print: of arrays without most digits, without the dtype, and of
large ones without their middle."""

import hashlib
import os
from pathlib import Path

import numpy as np


def remember(fun, text, folder):

    def remembered(*args):
        key = hashlib.sha256((text + ", ".join(map(str, args))).encode()).hexdigest()
        path = Path(folder) / f"{key}.npy"
        if os.path.exists(path):
            return np.load(path)
        result = fun(*args)
        os.makedirs(folder, exist_ok=True)
        np.save(path, result)
        return np.load(path)

    return remembered
