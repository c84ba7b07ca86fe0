"""One `try` around all: where `fun` raises an OSError, it is called again. And what is being
written stands in the folder under its own name."""

import hashlib
from pathlib import Path

import numpy as np


def facts(x):
    if isinstance(x, np.ndarray):
        return "array", x.dtype.str, x.shape, np.ascontiguousarray(x).tobytes()
    return type(x).__name__, repr(x)


def read(path):
    content = path.read_bytes()
    if hashlib.sha256(content[32:]).digest() != content[:32]:
        raise OSError("not what was written")
    dtype, shape, data = content[32:].split(b"\n", 2)
    shape = [int(n) for n in shape.split()]
    return np.frombuffer(data, dtype.decode()).reshape(shape).copy()


def write(path, result):
    shape = " ".join(map(str, result.shape))
    content = f"{result.dtype.str}\n{shape}\n".encode() + result.tobytes()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(hashlib.sha256(content).digest() + content)


def remember(fun, text, folder):
    def remembered(*args):
        key = hashlib.sha256(repr((text, *map(facts, args))).encode()).hexdigest()
        path = Path(folder) / key
        try:
            return read(path)
        except OSError:
            pass
        try:
            result = np.array(fun(*args))
            write(path, result)
        except OSError:
            return np.array(fun(*args))
        return result

    return remembered
