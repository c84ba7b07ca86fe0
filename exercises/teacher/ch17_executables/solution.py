"""The teacher's solutions of chapter 17."""

import hashlib
import os
from collections.abc import Callable
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np


def facts(x: Any) -> tuple:
    """What a result depends on of an argument: of 0.0 and -0.0 `repr` tells."""
    if isinstance(x, np.ndarray):
        return "array", x.dtype.str, x.shape, np.ascontiguousarray(x).tobytes()
    return type(x).__name__, repr(x)


def read(path: Path) -> np.ndarray | None:
    """The array of a file; None where there is none, or not what was written."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    digest, payload = content[:32], content[32:]
    if hashlib.sha256(payload).digest() != digest:
        return None
    return np.load(BytesIO(payload), allow_pickle=False)


def write(path: Path, result: np.ndarray) -> None:
    buffer = BytesIO()
    np.save(buffer, result, allow_pickle=False)
    payload = buffer.getvalue()
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished.write_bytes(hashlib.sha256(payload).digest() + payload)
        os.replace(unfinished, path)
    except OSError:
        with suppress(OSError):
            unfinished.unlink()


def remember(fun: Callable[..., np.ndarray], text: str, folder: str) -> Callable[..., np.ndarray]:
    """A function that gives what `fun` gives, computed once for arguments of these bits."""

    def remembered(*args: Any) -> np.ndarray:
        key = hashlib.sha256(repr((text, *map(facts, args))).encode()).hexdigest()
        path = Path(folder) / f"{key}.kept"
        result = read(path)
        if result is None:
            result = np.array(fun(*args))
            write(path, result)
        return result

    return remembered
