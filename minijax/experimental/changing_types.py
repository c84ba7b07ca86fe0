"""What of a value's type may change while a program runs, as JAX's `hijax` has it."""

from __future__ import annotations

from typing import Any

from minijax.lax.elementwise.arithmetic import shown


def cur_qdd(x: Any) -> Any:
    """What an object says of its type now, by its method `cur_qdd`.

    Nothing in the package has one: it is for libraries' classes. AttributeError for other objects.

    >>> class Box:
    ...     def cur_qdd(self):
    ...         return "holds a float32"
    >>> cur_qdd(Box())
    'holds a float32'
    """
    if not hasattr(x, "cur_qdd"):
        raise AttributeError(
            f"cur_qdd got {shown(x)}, whose type never changes. Use jax.typeof(x)."
        )
    return x.cur_qdd()
