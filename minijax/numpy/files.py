"""Arrays from bytes, text, files, and other libraries."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from minijax.core.dtypes import bfloat16
from minijax.lax.elementwise.arithmetic import dtype_for, shown
from minijax.numpy.creation import asarray

save, savez = np.save, np.savez


def load(file: Any, *args: Any, **kwargs: Any) -> Any:
    """The array that a file holds, as NumPy's `load` reads it, with its arguments.

    An archive, which has several, and an array of anything but numbers stay NumPy's.

    >>> import io
    >>> file = io.BytesIO()
    >>> save(file, np.arange(3))
    >>> _ = file.seek(0)
    >>> load(file)
    Array([0, 1, 2], dtype=int32)
    """
    found = np.load(file, *args, **kwargs)
    if not isinstance(found, np.ndarray):
        return found
    if found.dtype == "V2":  # a file has no name for bfloat16
        found = found.view(bfloat16)
    try:
        return asarray(found)
    except TypeError:
        return found


def frombuffer(buffer: Any, dtype: Any = float, count: int = -1, offset: int = 0) -> Any:
    """The numbers that bytes hold, `count` of them or all, from the byte `offset` on.

    >>> frombuffer(bytes([1, 2]), "uint8")
    Array([1, 2], dtype=uint8)
    """
    return asarray(_by_numpy("jnp.frombuffer", np.frombuffer, buffer, dtype, count, offset))


def fromstring(string: str, dtype: Any = float, count: int = -1, *, sep: str) -> Any:
    """The numbers that a text holds, with `sep` between them.

    >>> fromstring("1 2", int, sep=" ")
    Array([1, 2], dtype=int32)
    """
    return asarray(_by_numpy("jnp.fromstring", np.fromstring, string, dtype, count, sep=sep))


def _by_numpy(
    fun_name: str, fun: Callable, given: Any, dtype: Any, *args: Any, **kwargs: Any
) -> np.ndarray:
    dtype_for(fun_name, dtype)  # a TypeError, for what is none
    try:
        with warnings.catch_warnings():  # older NumPys warn, and give what lies in memory
            warnings.simplefilter("error", DeprecationWarning)
            return fun(given, dtype, *args, **kwargs)
    except (ValueError, TypeError, DeprecationWarning) as error:
        error_class = TypeError if isinstance(error, TypeError) else ValueError
        raise error_class(
            f"{fun_name} cannot read {shown(given)} so. Give another dtype, count or offset."
        ) from error


def _not_pure(fun_name: str) -> NoReturn:
    raise NotImplementedError(
        f"jnp.{fun_name} would read something else at each call, which no trace could repeat.\n"
        f"Use jnp.asarray(np.{fun_name}(...))."
    )


def fromfile(*args: Any, **kwargs: Any) -> Any:
    """NotImplementedError, as in JAX: what it reads would change under a trace."""
    _not_pure("fromfile")


def fromiter(*args: Any, **kwargs: Any) -> Any:
    """NotImplementedError, as in JAX: what it reads would change under a trace."""
    _not_pure("fromiter")


# Other libraries.


def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> Any:
    """The array of another library, which speaks DLPack.

    >>> from_dlpack(np.arange(3.0, dtype=np.float32))
    Array([0., 1., 2.], dtype=float32)
    """
    if not (hasattr(x, "__dlpack__") and hasattr(x, "__dlpack_device__")):
        raise TypeError(
            f"jnp.from_dlpack takes an array with __dlpack__ and __dlpack_device__, and got "
            f"{shown(x)}.\nUse jnp.asarray(x)."
        )
    return asarray(np.from_dlpack(x), copy=copy)


def to_dlpack(
    self: Any, *, stream: Any = None, max_version: Any = None, dl_device: Any = None,
    copy: bool | None = None,
) -> Any:  # fmt: skip
    """An array for another library, which speaks DLPack: `x.__dlpack__`.

    What doesn't ask for a version that knows arrays which must not be written to gets a copy.
    """
    value = np.asarray(self)
    if max_version is None:
        return np.array(value).__dlpack__(stream=stream)
    return value.__dlpack__(
        stream=stream, max_version=max_version, dl_device=dl_device, copy=copy
    )


def dlpack_device(self: Any) -> tuple[int, int]:
    """Where the array is, as DLPack counts devices: (1, 0), the CPU."""
    return np.asarray(self).__dlpack_device__()
