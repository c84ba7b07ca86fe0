"""What kernels are written with, besides references and `minijax.numpy`."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from minijax.compiler.kernels.row_major import row_major
from minijax.core.arrays import as_array
from minijax.core.errors import api_boundary
from minijax.core.primitives import add, broadcast_in_dim, cast, div, fill, mul, sub
from minijax.core.pytrees import tree_map
from minijax.core.staging import ShapeDtypeStruct
from minijax.core.tracing import ShapedArray, Tracer, typeof
from minijax.lax.control_flow.fori import fori_loop
from minijax.lax.control_flow.switches import cond
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.outside import checks
from minijax.lax.outside.debugging import debug_print as print_values
from minijax.lax.pallas.block_specs import MemoryRef, MemorySpace
from minijax.lax.pallas.grid_programs import unwritten
from minijax.lax.references.operations import freeze, new_ref

# Choices and loops, whose bodies return nothing: they write into references.


def when(condition: Any, /) -> Callable[[Callable[[], None]], None]:
    """A decorator that runs a function, or leaves it out, at once: if the condition holds.

    The condition is a bool or a number, traced or not; TypeError for anything else.

    >>> @when(2 > 1)
    ... def _():
    ...     print("it is")
    it is
    """

    def decide(fun: Callable[[], None]) -> None:
        def run() -> None:
            fun()

        if isinstance(condition, bool | np.bool_):
            return run() if condition else None
        return cond(condition, run, lambda: None)

    return decide


def loop(
    lower: Any, upper: Any, *, init_carry: Any = None, step: Any = 1,
    unroll: int | bool | None = None,
) -> Callable[[Callable], Any]:  # fmt: skip
    """A decorator that runs a function at once for i = lower, lower + step, ... below `upper`.

    Without `init_carry` it is called with i and returns nothing. With it, a pytree of arrays, it is
    called with i and what it returned for the i before; the last of these takes the name.

    >>> @loop(0, 10, step=2, init_carry=0)
    ... def total(i, so_far):
    ...     return so_far + i
    >>> total
    Array(20, dtype=int32, weak_type=True)
    """

    if not _are_known(lower, upper, step):
        lower, upper, step = (cast(x, np.dtype("int32")) for x in (lower, upper, step))
        turns = cdiv(sub(upper, lower), step)
    else:
        turns = cdiv(upper - lower, step)

    def decide(fun: Callable) -> Any:
        def body(k: Any, carry: Any) -> Any:
            i = add(lower, mul(k, step))
            return fun(i) if init_carry is None else fun(i, carry)

        return fori_loop(0, turns, body, init_carry, unroll=unroll)

    return decide


def _are_known(*numbers: Any) -> bool:
    return all(isinstance(x, int | np.integer) for x in numbers)


def run_scoped(f: Callable, *types: Any, collective_axes: Any = (), **kw_types: Any) -> Any:
    """f(*refs, **kw_refs), with memory of a kernel's own of these types: `pl.ANY(shape, dtype)`.

    TypeError for a type that isn't one.
    """

    def made(x: Any) -> Any:
        if not isinstance(x, MemoryRef):
            raise TypeError(f"run_scoped got the type {shown(x)}. Give pl.ANY(shape, dtype).")
        return new_ref(fill(x.inner_aval, unwritten(x.inner_aval.dtype)))

    return f(*tree_map(made, types), **tree_map(made, kw_types))


def with_scoped(*types: Any, collective_axes: Any = (), **kw_types: Any) -> Callable:
    """A decorator: the function, called with its first arguments, runs as `run_scoped` runs it.

    >>> @with_scoped(MemorySpace.ANY((2,), "float32"))
    ... def doubled(x, ref):
    ...     ref[...] = x
    ...     return ref[...] * 2
    >>> doubled(np.ones(2, np.float32))
    Array([2., 2.], dtype=float32)
    """

    def decorate(f: Callable) -> Callable:
        def scoped(*args: Any) -> Any:
            return run_scoped(partial(f, *args), *types, **kw_types)

        return scoped

    return decorate


def run_state(f: Callable[[Any], None]) -> Callable[[Any], Any]:
    """A function from a pytree of arrays to what is in references to them once f had these.

    ValueError where f returns something.

    >>> def swap_first(refs):
    ...     x, y = refs
    ...     x[0], y[0] = y[0], x[0]
    >>> run_state(swap_first)((np.zeros(2, np.float32), np.ones(2, np.float32)))
    (Array([1., 0.], dtype=float32), Array([0., 1.], dtype=float32))
    """

    @api_boundary
    def state(args: Any) -> Any:
        refs = tree_map(new_ref, args)
        out = f(refs)
        if out is not None:
            raise ValueError(
                f"run_state's function returned {shown(out)}. Write it into a reference, "
                f"ref[...] = x, and return nothing."
            )
        return tree_map(freeze, refs)

    return state


def empty_ref_like(x: Any) -> Any:
    """A new reference, inside of a program, for what `x` says: a `MemoryRef`, as `pl.ANY(shape,
    dtype)`, or a `jax.ShapeDtypeStruct`; ValueError for anything else. Zeros are in it."""
    if not isinstance(x, MemoryRef | ShapeDtypeStruct):
        raise ValueError(
            f"empty_ref_like got {shown(x)}. Give a jax.ShapeDtypeStruct or pl.ANY(shape, dtype)."
        )
    space = x.memory_space if isinstance(x, MemoryRef) else MemorySpace.ANY
    return new_ref(empty_like(x), memory_space=space)


def debug_print(fmt: str, *args: Any) -> None:
    """Prints `fmt.format(*args)` wherever the program runs; the values alone where the text has no
    place for them. TypeError for a text that is none.

    >>> debug_print("at {}:", 3)
    at 3:
    >>> debug_print("it is", 3)
    it is 3
    """
    if isinstance(fmt, str) and args and "{" not in fmt:
        fmt = " ".join([fmt, *["{}"] * len(args)])
    print_values(fmt, *args)


# Numbers: of blocks, of rows.


def cdiv(a: Any, b: Any) -> Any:
    """How many blocks of `b` it takes for `a`: the quotient, rounded up.

    For b from 1. Of integers it is one; of traced ones, the quotient is traced.

    >>> cdiv(10, 4), cdiv(8, 4)
    (3, 2)
    """
    if _are_known(a, b):
        return (a + b - 1) // b
    return div(add(a, b - 1), b)


def align_to(a: Any, alignment: Any) -> Any:
    """The next multiple of `alignment` from `a` on.

    >>> align_to(10, 4)
    12
    """
    blocks = cdiv(a, alignment)
    return blocks * alignment if _are_known(a, alignment) else mul(blocks, alignment)


def next_power_of_2(x: int) -> int:
    """The first power of two from `x` on, 1 at least; ValueError for negative numbers.

    >>> next_power_of_2(9)
    16
    """
    x = operator.index(x)
    if x < 0:
        raise ValueError(f"next_power_of_2 got {x}. Give a number from 0.")
    return 1 << max(x - 1, 0).bit_length()


def strides_from_shape(shape: Sequence[int]) -> tuple[int, ...]:
    """How far a step along each axis goes, in an array whose rows lie one after the other.

    >>> strides_from_shape((2, 3, 4))
    (12, 4, 1)
    """
    return tuple(row_major(shape))


def multiple_of(x: Any, values: Sequence[int] | int) -> Any:
    """x, of which the caller knows that it is a multiple of these: here nothing is made of that."""
    return x


def reciprocal(x: Any, *, approx: bool = False, full_range: bool = True) -> Any:
    """1 / x. The options are for accelerators, and change nothing here.

    >>> reciprocal(np.float32(4))
    Array(0.25, dtype=float32)
    """
    return div(fill(typeof(x), 1), x)


def empty_like(x: Any) -> Any:
    """Arrays of the shapes and dtypes of a pytree of such, whose values do not matter: zeros."""
    return tree_map(lambda leaf: fill(ShapedArray(leaf.shape, leaf.dtype), 0), x)


def broadcast_to(a: Any, shape: Sequence[int]) -> Any:
    """The array, repeated along new axes in front and those of size 1. ValueError where it can't.

    >>> broadcast_to(np.ones((2, 1), np.float32), (2, 3)).shape
    (2, 3)
    """
    x, shape = as_array(a) if not isinstance(a, Tracer) else a, tuple(shape)
    new_axes = len(shape) - x.ndim
    pairs = zip(x.shape, shape[max(new_axes, 0) :], strict=False)
    if new_axes < 0 or any(n not in (1, m) for n, m in pairs):
        raise ValueError(f"broadcast_to got {typeof(x)} for the shape {shape}. Give one it fits.")
    return broadcast_in_dim(x, shape, tuple(range(new_axes, len(shape))))


def debug_check(condition: Any, message: str) -> None:
    """A check that `jax.experimental.checkify` sees, and that otherwise does nothing."""
    checks.debug_check(condition, message)
