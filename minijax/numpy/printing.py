"""How arrays are printed: NumPy's functions, since arrays are printed by NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

array_repr, array_str = np.array_repr, np.array_str


def get_printoptions() -> dict[str, Any]:
    """How arrays are printed, by the names of `set_printoptions`.

    >>> get_printoptions()["precision"]
    8
    """
    return np.get_printoptions()


def set_printoptions(*args: Any, **kwargs: Any) -> None:
    """Sets how arrays are printed, those of NumPy too; see NumPy's function of this name."""
    np.set_printoptions(*args, **kwargs)


def printoptions(*args: Any, **kwargs: Any) -> Any:
    """A context in which arrays are printed so; see NumPy's `set_printoptions`.

    >>> with printoptions(precision=2):
    ...     print(np.array([1.23456]))
    [1.23]
    """
    return np.printoptions(*args, **kwargs)
