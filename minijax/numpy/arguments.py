"""What every function here does with its arguments first: checks, dtypes asked for, axes.

Each check is told the name that the user called, such as `jnp.sum`, for its message.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import partial
from itertools import zip_longest
from typing import Any

import numpy as np

from minijax import lax
from minijax.compiler.dispatch.eager import by_types
from minijax.core.arrays import ArrayImpl, is_array_like
from minijax.core.dtypes import ExtendedDType, dtype_registry, float0, issubdtype
from minijax.core.errors import warn
from minijax.core.forward import constant
from minijax.core.jitting import jit
from minijax.core.primitives import check_kind
from minijax.core.tracing import ShapedArray, typeof
from minijax.face.offers import ASK_FOR_DTYPES, taking_offers
from minijax.lax.elementwise.arithmetic import cast_for_user, dtype_for, shown
from minijax.lax.shapes.axes import known_axis, known_integer

Axis = int | Sequence[int] | None


def is_array(x: Any) -> bool:
    """Whether x is an array, a tracer of one or a number; a NumPy array of other things is none."""
    if type(x) is ArrayImpl:
        return True
    if not is_array_like(x):
        return False
    if isinstance(x, np.ndarray | np.generic):
        return x.dtype in dtype_registry and x.dtype != float0  # which holds nothing
    return isinstance(x, int | float | complex) or isinstance(typeof(x), ShapedArray)


def check_arraylike(fun_name: str, *args: Any, **named: Any) -> None:
    """TypeError unless every argument is an array, a tracer or a number."""
    if not (all(map(is_array, args)) and all(map(is_array, named.values()))):
        for place, x in [*enumerate(args), *named.items()]:
            if not is_array(x):
                refuse(fun_name, place, x)


def refuse(fun_name: str, place: int | str, x: Any) -> None:
    """TypeError for an argument that is no array; in most functions ValueError for one that offers
    an array, by `__jax_array__`, which only some functions ask for."""
    offers_one = hasattr(x, "__jax_array__")
    way_out = (
        "Wrap it: jnp.array(...)." if isinstance(x, list | tuple) or offers_one else
        "Convert it to numbers." if isinstance(x, np.ndarray) else "Give one of these."
    )  # fmt: skip
    raise (ValueError if offers_one and fun_name not in ASK_FOR_DTYPES else TypeError)(
        f"{fun_name} takes arrays and numbers, and argument {place} is {shown(x)}.\n{way_out}"
    )


def check_broadcast(fun_name: str, shapes: Sequence[Any], error: type[Exception]) -> None:
    """An error unless the shapes broadcast to one."""
    if len({*shapes} - {()}) > 1:
        columns = zip_longest(*(shape[::-1] for shape in shapes), fillvalue=1)
        if any(len({*sizes} - {1}) > 1 for sizes in columns):
            raise error(
                f"{fun_name} got the shapes {', '.join(map(str, shapes))}, which do not broadcast."
                f"\nGive axes of one size, or of size 1, counted from the right."
            )


def refuse_keys(fun_name: str, *args: Any, error: type[Exception] = TypeError) -> None:
    """An error when an argument is an array of keys: they are no numbers."""
    for x in args:
        if type(x) is not int and isinstance(typeof(x).dtype, ExtendedDType):
            raise error(
                f"{fun_name} takes numbers, and got {typeof(x)}.\n"
                f"Draw numbers from a key, as by random.bits."
            )


def check_alike(fun_name: str, *args: Any) -> None:
    """ValueError unless all arguments are numbers, or all of them keys."""
    dtypes = [typeof(x).dtype for x in args]
    if any(isinstance(dtype, ExtendedDType) for dtype in dtypes) and len(set(dtypes)) > 1:
        raise ValueError(
            f"{fun_name} got {', '.join(str(typeof(x)) for x in args[:3])}. Give numbers alone, or "
            f"keys alone."
        )


def refuse_kind(fun_name: str, accepts: Sequence[type], x: Any) -> None:
    """TypeError unless x is of one of the kinds of dtypes."""
    refuse_keys(fun_name, x)
    check_kind(fun_name, accepts, typeof(x).dtype)


def library_jit(fun: Callable | None = None, *, checked: bool = True, **params: Any) -> Callable:
    """`jit`, with its `params`, for a function of this library: an equation where it is traced;
    outside transformations NumPy, and no compiling.

    All arguments are arrays but the static ones, and None where it is the default. If `checked`,
    what is none is refused before anything is traced. Without `fun`, a decorator.
    """
    if fun is None:
        return partial(library_jit, checked=checked, **params)
    check = arrays_alone(fun, params.get("static_argnames", ())) if checked else None
    return taking_offers(by_types(jit(fun, **params), check=check))


def bound_arguments(
    name: str, signature: inspect.Signature, args: tuple, named: dict
) -> inspect.BoundArguments:  # fmt: skip
    """The arguments as a function takes them; TypeError, naming it, where they don't fit."""
    try:
        return signature.bind(*args, **named)
    except TypeError as error:
        known = ", ".join(signature.parameters)
        raise TypeError(f"{name} takes {known}, and this call doesn't fit: {error}. Give "
                        f"such arguments.") from error  # fmt: skip


# How a message names functions of other packages than jnp, by a part of their module's name.
_PACKAGES = {".nn.": "nn", ".numpy.linalg.": "jnp.linalg", ".scipy.linalg.": "scipy.linalg"}


def arrays_alone(fun: Callable, static: Sequence[str]) -> Callable:
    """What raises TypeError for arguments of `fun` that are no arrays."""
    names, optional = [], set()
    for position, parameter in enumerate(inspect.signature(fun).parameters.values()):
        if parameter.kind is not parameter.VAR_POSITIONAL:
            names.append(parameter.name)
        optional |= {position, parameter.name} if parameter.default is None else set()
    packages = (shown for part, shown in _PACKAGES.items() if part in fun.__module__)
    package = next(packages, "jnp")

    def check(*args: Any, **kwargs: Any) -> None:
        for place, x in [*enumerate(args), *kwargs.items()]:
            if not is_array(x) and not (x is None and place in optional):
                name = names[place] if isinstance(place, int) and place < len(names) else place
                if name not in static:
                    refuse(f"{package}.{fun.__name__}", name, x)

    return check


def user_dtype(fun_name: str, dtype: Any) -> np.dtype:
    """The dtype that a caller asked for by name; a warning where 64 bits are switched off."""
    canonical = dtype_for(fun_name, dtype)
    is_python = any(dtype is python for python in (int, float, complex))
    if not (is_python or isinstance(dtype, ExtendedDType)) and np.dtype(dtype) != canonical:
        warn(
            f"{fun_name} was asked for {np.dtype(dtype)} and gives {canonical}: 64-bit dtypes are "
            f"off. Switch them on with config.update('jax_enable_x64', True)."
        )
    return canonical


def refuse_out(fun_name: str, out: Any) -> None:
    """NotImplementedError when a caller asks for the result in an array of their own."""
    if out is not None:
        raise NotImplementedError(
            f"{fun_name} returns its result, and fills no array. Leave `out` out."
        )


def not_zero(fun_name: str, x: Any) -> Any:
    """Whether x is true, which is not to be zero: a bool as it is. TypeError for keys."""
    if isinstance(typeof(x).dtype, ExtendedDType):
        raise TypeError(
            f"{fun_name} got {typeof(x)}, and a key is neither true nor false. Compare it: x == y."
        )
    return x if typeof(x).dtype == np.bool_ else lax.ne(x, constant(x, 0))


def refuse_complex(fun_name: str, error: type[Exception], *args: Any) -> None:
    """An error when an argument is complex: such numbers have no order."""
    for x in args:
        if x is not None and issubdtype(typeof(x).dtype, np.complexfloating):
            raise error(
                f"{fun_name} needs an order, which complex numbers lack, and got {typeof(x)}. "
                f"Try abs(x)."
            )


def refuse_small(fun_name: str, x: Any) -> None:
    """NotImplementedError for floats of 8 bits and fewer, whose parts are not looked at."""
    if typeof(x).dtype.itemsize == 1:
        raise NotImplementedError(
            f"{fun_name} takes floats of 16 bits and more, and got {typeof(x)}.\n"
            f"Convert with x.astype('float32')."
        )


def is_several(x: Any) -> bool:
    """Whether x is a collection of integers, such as a list, a set or an array with an axis."""
    return np.iterable(x) and not isinstance(x, str | bytes)


def canonical_axes(
    fun_name: str, axis: Axis, ndim: int, read: Callable = known_integer
) -> tuple[int, ...]:
    """The axes that `axis` names (None: all of them), counted from the front.

    >>> canonical_axes("jnp.sum", (-1, 0), 3)
    (2, 0)
    """
    if axis is None:
        return tuple(range(ndim))
    given = list(axis) if is_several(axis) else [axis]
    axes = tuple(known_axis(fun_name, a, ndim, read=read) for a in given)
    if len(set(axes)) != len(axes):
        raise ValueError(f"{fun_name} was given an axis twice: {axis}. Name each once.")
    return axes


def typeof_number(x: Any) -> Any:
    """The type of x; an integer of any size has that of other integers."""
    return typeof(0 if type(x) is int else x)


def number_in(dtype: np.dtype, number: Any, weak_type: bool = False) -> Any:
    """A number as an array of `dtype`. Python's integers wrap round where they do not fit.

    >>> number_in(np.dtype("int8"), 300)
    Array(44, dtype=int8)
    """
    if type(number) is int:
        fits = -(2**63) <= number < 2**64
        if issubdtype(dtype, np.integer) and not fits:
            raise OverflowError(f"The integer {number} does not fit in 64 bits. Make it a float.")
        number = np.asarray(number if fits else float(number)).astype(dtype)[()]
    return cast_for_user(number, dtype, weak_type)
