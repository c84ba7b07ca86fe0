"""x[index] and x.at[index].set(values) outside transformations: NumPy's own indexing.

For integers in range NumPy takes the same elements as the long way does. Out of range it raises
IndexError, before anything is written, and then the long way says what comes of it. So an integer
is an operand, whatever its value: a loop over x[i] goes by one path. Slices, None and `...` decide
the result's shape, and are part of the key.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import Any

import numpy as np

from minijax.compiler.dispatch.call_keys import NoPath, operand_key, settings, static_value
from minijax.compiler.dispatch.eager import Paths, array_wrapper, new_call
from minijax.compiler.fallbacks import instead
from minijax.core.arrays import Array, ArrayImpl, raw_value, to_numpy
from minijax.core.config import quietly
from minijax.core.dtypes import issubdtype
from minijax.core.errors import leave
from minijax.core.primitives import convert_numpy
from minijax.core.tracing import eval_trace, trace_ctx, typeof


def by_index(fun: Callable | None = None, update: Callable | None = None) -> Callable:
    """`fun(x, index)`, or `fun(x, index, values)`, by a path for each type of its arguments.

    The first returns x[index]; the second does update(a copy of x, index, values). Options are
    given by keyword. Without `fun`, a decorator.
    """
    if fun is None:
        return partial(by_index, update=update)
    paths = IndexPaths(fun, update)

    @wraps(fun)
    def call(x: Any, index: Any, *values: Any, **options: Any) -> Any:
        try:
            if trace_ctx.trace is not eval_trace or type(x) is not ArrayImpl:
                return fun(x, index, *values, **options)
            try:
                kind = int if type(index) is int else operand_key(index)
                key = (settings(), x.aval, kind, *map(operand_key, values))
                if options:
                    key = (*key, *options, *map(static_value, options.values()))
            except NoPath:
                return fun(x, index, *values, **options)
            path = paths.get(key)
            if path is None:
                return new_call(paths, key, (x, index, *values), options)
            return path(x, index, *values, **options)
        except (Exception, KeyboardInterrupt) as error:
            leave(error, fun)
            raise

    call.is_boundary = True
    return call


class IndexPaths(Paths):
    """The paths of a function of an array and an index: see `by_index`."""

    def __init__(self, fun: Callable, update: Callable | None) -> None:
        super().__init__(fun, (), fun)
        self.update = update

    def write(self, args: tuple, kwargs: dict) -> Callable:
        """The path of calls with arguments of these types, whose result has the type of this."""
        x, index, *values = args
        if kwargs.get("wrap_negative_indices", True) is not True:
            raise NoPath("a negative integer is out of range")
        places, wrap, aval = places_of(index), array_wrapper(), self.long_way(*args, **kwargs).aval
        if self.update is None:

            def carry_out(x: Any, index: Any) -> Any:
                return wrap(x._value[places(index)], aval)

        else:
            new, update = elements_of(x.dtype, *values), self.update

            def carry_out(x: Any, index: Any, values: Any) -> Any:
                out = x._value.copy()
                quietly(update, out, places(index), new(values))
                return wrap(out, aval)

        return or_else(carry_out, self.long_way)


def or_else(fun: Callable, long_way: Callable) -> Callable:
    """`fun`, and the long way where that fails, which moves integers inside or says what is wrong:
    an array was deleted, a number is too large."""

    def path(*args: Any, **options: Any) -> Any:
        try:
            return fun(*args)
        except Exception as error:
            failed = error.with_traceback(None)
        return instead("index", failed, long_way, *args, **options)

    return path


def places_of(index: Any) -> Callable:
    """What makes NumPy's index of one like this. It has `...`: so what it takes is an array.

    NoPath for an index that is more than integers, slices, None and `...`.
    """
    entries = index if type(index) is tuple else (index,)
    for entry in entries:
        check_entry(entry)
    rest = () if any(entry is Ellipsis for entry in entries) else (...,)
    if any(type(entry) is ArrayImpl for entry in entries):
        if type(index) is tuple:
            return lambda index: (*map(in_numpy, index), *rest)
        return lambda index: (to_numpy(index), *rest)
    return (lambda index: (*index, *rest)) if type(index) is tuple else lambda index: (index, *rest)


def in_numpy(entry: Any) -> Any:
    return to_numpy(entry) if type(entry) is ArrayImpl else entry


def check_entry(entry: Any) -> None:
    """NoPath for an entry that NumPy takes otherwise, or not at all."""
    if isinstance(entry, Array | np.ndarray | np.generic):
        # Of 64 bits without a sign, NumPy takes the largest as negative.
        if issubdtype(entry.dtype, np.integer) and entry.dtype != np.uint64:
            return
    elif entry is None or entry is Ellipsis or type(entry) in (int, slice):
        return
    raise NoPath(type(entry).__name__)


def elements_of(dtype: np.dtype, values: Any) -> Callable:
    """What makes an array of x's dtype of values like these."""
    if type(values) is tuple or type(values) is list or values is None:
        raise NoPath(type(values).__name__)
    if type(values) is int and issubdtype(dtype, np.integer):
        return lambda values: np.array(values, dtype)  # OverflowError where it does not fit
    if typeof(values).dtype == dtype:
        return raw_value
    return lambda values: quietly(convert_numpy, raw_value(values), dtype)
