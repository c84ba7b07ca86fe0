"""`jax.ds`: a slice by its start, which may be traced, and its size, which is known."""

from __future__ import annotations

import operator
from typing import Any

from minijax.core.pytrees import register_pytree_node
from minijax.core.tracing import Tracer
from minijax.lax.elementwise.arithmetic import shown


class Slice:
    """`size` elements from `start` on, each `stride` behind the one before. As a node of a pytree
    it has for children what of start and size is no known integer."""

    __slots__ = ("size", "start", "stride")

    def __init__(self, start: Any, size: Any, stride: int = 1) -> None:
        if stride < 0:
            raise ValueError(f"ds got the stride {stride}. Give one from 0, and reverse: x[::-1].")
        self.start, self.size, self.stride = start, size, stride

    is_dynamic_start = property(lambda self: not _is_known(self.start), doc="Whether it may move.")
    is_dynamic_size = property(lambda self: not _is_known(self.size), doc="Whether it may change.")

    def __eq__(self, other: Any) -> Any:
        if type(other) is not Slice:
            return NotImplemented
        both = ((x.start, x.size, x.stride) for x in (self, other))
        return next(both) == next(both)

    __hash__ = None  # as of any class that can be changed

    def __repr__(self) -> str:
        return f"Slice(start={self.start!r}, size={self.size!r}, stride={self.stride!r})"


def _is_known(x: Any) -> bool:
    if isinstance(x, Tracer) and x.to_concrete_value() is None:
        return False
    try:
        operator.index(x)
    except Exception:
        return False
    return True


def _flatten(x: Slice) -> tuple:
    pairs = [(None, n) if _is_known(n) else (n, None) for n in (x.start, x.size)]
    return tuple(child for child, _ in pairs), (*(known for _, known in pairs), x.stride)


def _unflatten(aux: tuple, children: tuple) -> Slice:
    pairs = zip(children, aux[:2], strict=True)
    return Slice(*(known if child is None else child for child, known in pairs), aux[2])


register_pytree_node(Slice, _flatten, _unflatten)


def ds(start: Any, size: Any = None, stride: int | None = None) -> slice | Slice:
    """The slice start : start + size : stride for an index; of one number, : start; of None, all.

    `start` may be traced, where a slice of Python's must be known. ValueError for a stride that is
    no integer, or negative.

    >>> import minijax
    >>> x = minijax.numpy.arange(10)
    >>> minijax.jit(lambda i: x[ds(i, 3)])(4)
    Array([4, 5, 6], dtype=int32)
    """
    if start is None:
        return slice(None)
    stride = 1 if stride is None else stride
    if not isinstance(stride, int):
        raise ValueError(f"ds takes a known integer as its stride, and got {shown(stride)}.\n"
                         f"Give an int.")  # fmt: skip
    return Slice(0, start, stride) if size is None else Slice(start, size, stride)
