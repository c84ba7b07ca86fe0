"""Functions of numbers, or of small arrays, made functions of arrays: each argument's further axes
are broadcast, and the function is mapped over them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from functools import wraps
from typing import Any

import numpy as np  # noqa: F401  (the examples use it)

from minijax import lax
from minijax.core.batching import vmap
from minijax.core.errors import api_boundary
from minijax.core.tracing import typeof
from minijax.face.offers import offered
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.shapes.axes import known_shape
from minijax.numpy.arguments import check_arraylike, check_broadcast, is_array
from minijax.numpy.creation import arange, asarray
from minijax.numpy.promotion import note_ranks
from minijax.numpy.shapes.reshaping import broadcast_shapes

_GROUP = r"\([^()]*\)"
_SIGNATURE = re.compile(f"^({_GROUP}(?:,{_GROUP})*)?->{_GROUP}(?:,{_GROUP})*$")
Dims = list[tuple[str, ...]]


@api_boundary
def vectorize(
    pyfunc: Callable, *, excluded: Collection[int | str] = frozenset(),
    signature: str | None = None,
) -> Callable:  # fmt: skip
    """`pyfunc`, mapped by vmap over all axes of its arguments, which are broadcast.

    With a `signature`, such as "(n,m),(m)->(n)", `pyfunc` takes arrays with the axes that stand in
    brackets, and gives such arrays; letters of one name are of one size. What is before these axes
    is broadcast. Arguments `excluded`, by position or name, are given to `pyfunc` as they are, and
    so is None.

    >>> matvec = vectorize(lambda a, x: a @ x, signature="(n,m),(m)->(n)")
    >>> matvec(np.ones((5, 2, 3)), np.ones(3)).shape
    (5, 2)
    """
    name = "jnp.vectorize"
    if not callable(pyfunc):
        raise TypeError(f"{name} takes a function, and got {shown(pyfunc)}. Give one.")
    _check_excluded(name, excluded)
    groups = None if signature is None else _parse(name, signature)

    @api_boundary
    @wraps(pyfunc)
    def vectorized(*args: Any, **kwargs: Any) -> Any:
        if other := [key for key in kwargs if key not in excluded]:
            raise TypeError(
                f"{name} maps over arguments that are given by position, and got {other[0]}=.\n"
                f"Give it by position, or name it in `excluded`."
            )
        mapped = [i for i, x in enumerate(args) if i not in excluded and x is not None]

        def fun(*chosen: Any) -> Any:
            every = list(args)
            for i, x in zip(mapped, chosen, strict=True):
                every[i] = x
            return pyfunc(*every, **kwargs)

        operands = [offered(args[i]) for i in mapped]
        check_arraylike(name, *operands)
        return _call(name, fun, list(map(asarray, operands)), groups)

    return vectorized


def _check_excluded(fun_name: str, excluded: Any) -> None:
    is_several = isinstance(excluded, Collection) and not isinstance(excluded, str)
    if not is_several or not all(isinstance(x, int | str) for x in excluded):
        raise TypeError(
            f"{fun_name} got excluded={shown(excluded)}. Give a set of positions and names."
        )
    if any(isinstance(x, int) and x < 0 for x in excluded):
        raise ValueError(
            f"{fun_name} counts positions from 0, and got excluded={shown(excluded)}. Give such."
        )


def _parse(fun_name: str, signature: str) -> tuple[Dims, Dims]:
    """The names of the axes of each argument, and of each result."""
    if not isinstance(signature, str):
        raise TypeError(f"{fun_name} got the signature {shown(signature)}. Give a text.")
    text = re.sub(r"\s", "", signature)
    if not _SIGNATURE.match(text):
        raise ValueError(
            f"{fun_name} cannot read the signature {signature!r}. Give one as '(n,m),(m)->(n)'."
        )
    sides = [re.findall(r"\(([^()]*)\)", side) for side in text.split("->")]
    ins, outs = [[tuple(filter(None, g.split(","))) for g in side] for side in sides]
    return ins, outs


def _call(fun_name: str, fun: Callable, args: list[Any], groups: tuple[Dims, Dims] | None) -> Any:
    ins, outs = groups or ([()] * len(args), None)
    if len(ins) != len(args):
        raise TypeError(
            f"{fun_name} has a signature for {len(ins)} arrays, and got {len(args)}. Give as many."
        )
    sizes: dict[str, int] = {}
    for i, (x, names) in enumerate(zip(args, ins, strict=True)):
        if x.ndim < len(names):
            raise ValueError(
                f"{fun_name} maps argument {i} with the axes {_shown_dims(names)}, and got "
                f"{typeof(x)}.\nGive at least as many."
            )
        _note_sizes(f"{fun_name}: argument {i}", x.shape[x.ndim - len(names) :], names, sizes)
    leading = [x.shape[: x.ndim - len(names)] for x, names in zip(args, ins, strict=True)]
    check_broadcast(fun_name, leading, ValueError)
    if len({len(shape) for shape in leading if shape}) > 1:
        note_ranks(fun_name, *args)
    common = broadcast_shapes(*leading)
    inner = fun if outs is None else _checked(fun_name, fun, outs, sizes)
    # Axes that are repeated are left out, and not mapped over.
    axes_of, squeezed = [], []
    for x, shape in zip(args, leading, strict=True):
        missing = len(common) - len(shape)
        once = [i for i, n in enumerate(shape) if n == 1 != common[missing + i]]
        axes_of.append([i >= missing and i - missing not in once for i in range(len(common))])
        squeezed.append(lax.squeeze(x, once) if once else x)
    for axis in reversed(range(len(common))):
        in_axes = [0 if axes[axis] else None for axes in axes_of]
        inner = vmap(inner, in_axes=tuple(in_axes), axis_size=common[axis])
    return inner(*squeezed)


def _shown_dims(names: Sequence[str]) -> str:
    return f"({','.join(names)})"


def _note_sizes(
    whose: str, shape: Sequence[int], names: Sequence[str], sizes: dict[str, int]
) -> None:  # fmt: skip
    """Holds the sizes of the axes to those that are known by name; new ones are known from now."""
    for name, n in zip(names, shape, strict=True):
        known = int(name) if name.isdigit() else sizes.setdefault(name, n)
        if known != n:
            raise ValueError(f"{whose} has the size {n} for {name}, which is {known}. Give that.")


def _checked(fun_name: str, fun: Callable, outs: Dims, sizes: dict[str, int]) -> Callable:
    """The function, whose results are held to the signature."""

    def checked(*args: Any) -> Any:
        out = fun(*args)
        if len(outs) > 1 and not isinstance(out, tuple):
            raise TypeError(
                f"{fun_name} has a signature with {len(outs)} results, and the function returned "
                f"{shown(out)}. Return a tuple."
            )
        results = out if len(outs) > 1 else (out,)
        if len(results) != len(outs):
            raise TypeError(
                f"{fun_name} has a signature with {len(outs)} results, and the function returned "
                f"{len(results)}. Return as many."
            )
        known = dict(sizes)
        for i, (x, names) in enumerate(zip(results, outs, strict=True)):
            if not is_array(x):
                raise TypeError(
                    f"{fun_name} maps a function that gives arrays, and it returned {shown(x)} as "
                    f"result {i}.\nReturn an array, or as many results as the signature has."
                )
            shape = typeof(x).shape
            if len(shape) != len(names):
                raise ValueError(
                    f"{fun_name} has a signature with {_shown_dims(names)} for result {i}, and the "
                    f"function returned the shape {shape}. Make them agree."
                )
            _note_sizes(f"{fun_name}: result {i}", shape, names, known)
        return out

    return checked


def fromfunction(function: Callable, shape: Any, *, dtype: Any = float, **kwargs: Any) -> Any:
    """The array that has function(i, j, ...) at the place (i, j, ...).

    The function is mapped: it gets numbers, in `dtype`, and not arrays as in NumPy; keyword
    arguments are mapped along their first axis, too.

    >>> fromfunction(lambda i, j: 10 * i + j, (2, 3), dtype=int)
    Array([[ 0,  1,  2],
           [10, 11, 12]], dtype=int32)
    """
    sizes = known_shape("jnp.fromfunction", shape)

    for axis in reversed(range(len(sizes))):
        in_axes = tuple(0 if i == axis else None for i in range(len(sizes)))
        function = vmap(function, in_axes=in_axes)
    return function(*(arange(n, dtype=dtype) for n in sizes), **kwargs)
