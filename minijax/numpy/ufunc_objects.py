"""Functions of single numbers as objects: they are called, and go along arrays by their methods."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, update_wrapper
from typing import Any

from minijax.core.errors import api_boundary, leave
from minijax.face.boundaries import guarded
from minijax.face.lazily import call_lazily, put_lazily
from minijax.face.offers import arrays_of_nodes
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.shapes.axes import as_integer


class ufunc(partial):
    """A function of numbers that is applied element by element, with NumPy's methods for such.

    `nin` and `nout` are the numbers of its operands and results; `identity` is what changes nothing
    when it is an operand, or None.
    """

    # A `partial` that has no arguments is called by C at once, a class with __call__ by Python.

    nin: int
    nout: int
    identity: Any

    def __new__(
        cls, func: Callable, /, nin: int, nout: int, *, name: str | None = None,
        identity: Any = None, call: Callable | None = None,
    ) -> ufunc:  # fmt: skip
        """`call` does what a call comes to; without it, `func` is mapped over its operands."""
        self = super().__new__(cls, _without_options(call or _mapped(func), name or func.__name__))
        update_wrapper(self, func)
        self.__name__ = self.__name__ if name is None else name
        self.nin, self.nout, self.identity = nin, nout, identity
        return self

    nargs = property(lambda self: self.nin, doc="The number of operands.")

    def __repr__(self) -> str:
        return f"<jnp.ufunc {self.__name__!r}>"

    def __reduce__(self) -> str:
        """It is pickled by its name, as a function is."""
        return self.__name__


ufunc.__module__ = "minijax.numpy"
for _name in ("accumulate", "at", "outer", "reduce", "reduceat"):
    put_lazily(ufunc, _name, f"minijax.numpy.ufunc_methods.{_name}", guarded)


# It is in a module that imports ufuncs.
_call_vectorized = call_lazily("minijax.numpy.ufunc_methods._call_vectorized")


def _without_options(call: Callable, name: str) -> Callable:
    """The call, which refuses NumPy's `out` and `where`."""

    def call_of_operands(*operands: Any, out: Any = None, where: Any = None) -> Any:
        try:
            if out is not None or where is not None:
                raise NotImplementedError(
                    f"jnp.{name} fills no array, and computes all elements. Leave `out` and "
                    f"`where` out, and use\njnp.where(mask, result, other)."
                )
            return call(*operands)
        except (Exception, KeyboardInterrupt) as error:
            instead = arrays_of_nodes(error, operands, {})
            if instead is None:
                leave(error, call)
                raise
        return api_boundary(call)(*instead[0])

    return call_of_operands


def _mapped(func: Callable) -> Callable:
    return api_boundary(lambda *args: _call_vectorized(func, *args))


def ufunc_of(nin: int, identity: Any = None) -> Callable:
    """A decorator that makes a function of so many operands a ufunc with one result."""
    return lambda fun: ufunc(fun, nin, 1, identity=identity, call=fun)


@api_boundary
def frompyfunc(func: Callable, /, nin: int, nout: int, *, identity: Any = None) -> ufunc:
    """A function of `nin` numbers, with `nout` results, as a ufunc.

    >>> hypotenuse = frompyfunc(lambda x, y: (x * x + y * y) ** 0.5, 2, 1)
    >>> import numpy as np
    >>> hypotenuse(3.0, np.array([4.0]))
    Array([5.], dtype=float32)
    >>> frompyfunc(lambda x, y: 10 * x + y, 2, 1).reduce(np.array([1, 2, 3]))
    Array(123, dtype=int32)
    """
    if not callable(func):
        raise AttributeError(f"jnp.frompyfunc takes a function, and got {shown(func)}. Give one.")
    nin, nout = as_integer("jnp.frompyfunc", "nin", nin), as_integer("jnp.frompyfunc", "nout", nout)
    return ufunc(func, nin, nout, identity=identity)
