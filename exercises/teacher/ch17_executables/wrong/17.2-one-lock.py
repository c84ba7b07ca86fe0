"""One lock for all results, taken by hand: who computes another waits, and after an exception
everybody does."""

import hashlib
import os
import threading
from pathlib import Path

import numpy as np


def facts(x):
    if isinstance(x, np.ndarray):
        return "array", x.dtype.str, x.shape, x.tobytes()
    return type(x).__name__, repr(x)


def remember(fun, text, folder):
    lock = threading.Lock()

    def remembered(*args):
        key = hashlib.sha256(repr((text, *map(facts, args))).encode()).hexdigest()
        path = Path(folder) / key
        lock.acquire()
        try:
            content = path.read_bytes()
        except OSError:
            content = b""
        head, _, data = content[64:].partition(b"\n")
        if hashlib.sha256(content[64:]).hexdigest().encode() == content[:64]:
            dtype, shape = head.decode().split(" ", 1)
            result = np.frombuffer(data, dtype).reshape(eval(shape)).copy()
        else:
            result = np.array(fun(*args))
            payload = f"{result.dtype.str} {result.shape}\n".encode() + result.tobytes()
            try:
                os.makedirs(folder, exist_ok=True)
                unfinished = path.with_suffix(f".{os.getpid()}")
                unfinished.write_bytes(hashlib.sha256(payload).hexdigest().encode() + payload)
                os.replace(unfinished, path)
            except OSError:
                pass
        lock.release()
        return result

    return remembered
