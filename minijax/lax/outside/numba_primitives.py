"""A function of whole arrays that Numba compiles, as a primitive: inside compiled loops too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import numpy as np

from minijax.compiler.kernel_functions import add_name, why_not
from minijax.compiler.kernels.row_major import row_major
from minijax.compiler.lowerings import register_lowering
from minijax.core.arrays import as_array
from minijax.core.batching import moveaxis, not_mapped, primitive_batchers
from minijax.core.staging import JaxprEqn
from minijax.core.tracing import Primitive, ShapedArray, Tracer, typeof
from minijax.lax.control_flow.fori import map as map_examples
from minijax.lax.kernel_parts import Part, position
from minijax.lax.primitive_makers import numpy_primitive_several

_numbers = count()


def numba_primitive(fun: Callable, result_types: Callable, name: str | None = None) -> Callable:
    """A function of arrays whose implementation is `fun`, an `@njit` function, or one to be.

    `fun` is called with NumPy arrays in row-major order that it must not write to; where an
    operand has no axes, with a number. It returns an array for each result, or a number for one
    without axes, which becomes one of its dtype; several in a tuple. It runs without Python's lock.

    `result_types` is called with the operands' types, which have `shape` and `dtype`. It returns
    the result's type, anything with these two, such as a `ShapeDtypeStruct`; or a tuple of them.

    Under `jit` it is a call between kernels, and in a compiled loop a call in the kernel. Under
    `vmap` it runs for one example after the other. It has no derivative: wrap it in `custom_jvp` or
    `custom_vjp`. `name` is what the primitive is called in a jaxpr: `fun`'s name.

    TypeError at a call for operands that Numba can't compile `fun` for, and for a result of
    another type than `result_types` says.

    >>> import numba, minijax as jax, minijax.numpy as jnp
    >>> @numba.njit
    ... def heights(x):
    ...     out = np.empty_like(x)
    ...     top = -np.inf
    ...     for i in range(x.size):
    ...         top = max(top, x[i])
    ...         out[i] = top
    ...     return out
    >>> heights = numba_primitive(heights, lambda x: x)
    >>> jax.jit(lambda x: heights(x) * 2)(jnp.array([1.0, 3.0, 2.0]))
    Array([2., 6., 6.], dtype=float32)
    """
    from numba import njit

    python = getattr(fun, "py_func", fun)
    compiled = njit(nogil=True)(python)
    in_kernels = f"users_function{next(_numbers)}"
    add_name(in_kernels, compiled)
    name = python.__name__ if name is None else name

    def type_rule(*avals: ShapedArray) -> list[ShapedArray]:
        found = several(result_types(*avals))
        return [ShapedArray(tuple(x.shape), np.dtype(x.dtype)) for x in found]

    def implementation(*arrays: np.ndarray) -> tuple:
        avals = type_rule(*[ShapedArray(x.shape, x.dtype) for x in arrays])
        return checked_results(name, called(name, compiled, arrays), avals)

    primitive = numpy_primitive_several(name, type_rule, implementation)
    register_lowering(primitive, source=lambda eqn: call_part(eqn, in_kernels))
    primitive_batchers[primitive] = lambda args, dims: one_by_one(primitive, args, dims)

    def bind(*operands: Any) -> Any:
        operands = tuple(map(as_operand, operands))
        out = primitive.bind(*operands)
        is_several = isinstance(result_types(*map(typeof, operands)), tuple)
        return tuple(out) if is_several else out[0]

    bind.__name__ = bind.__qualname__ = name
    return bind


def several(x: Any) -> tuple:
    return x if isinstance(x, tuple) else (x,)


def as_operand(x: Any) -> Any:
    """An array of a number or a NumPy array; a tracer as it is."""
    return x if isinstance(x, Tracer) else as_array(x)


# On NumPy.


def called(name: str, compiled: Callable, arrays: Sequence[np.ndarray]) -> tuple:
    """The results, for arrays in row-major order; an operand without axes is a number."""
    from numba import NumbaError

    given = [x[()] if x.ndim == 0 else np.ascontiguousarray(x) for x in arrays]
    try:
        return several(compiled(*given))
    except NumbaError as error:
        types = ", ".join(f"{x.dtype}{list(x.shape)}" for x in arrays)
        raise TypeError(
            f"Numba can't compile {name} for ({types}): {why_not(error)}\n"
            f"Let {name} do only what Numba knows, for operands of these types."
        ) from None


def checked_results(name: str, results: tuple, avals: Sequence[ShapedArray]) -> list[np.ndarray]:
    """The results as arrays; TypeError where they are not what the primitive's types say.

    A number gets the dtype that they say: Python, to which Numba returns it, has one for all.
    """
    out = [np.asarray(x) if isinstance(x, np.ndarray) or k >= len(avals)
           else np.asarray(x, avals[k].dtype) for k, x in enumerate(results)]  # fmt: skip
    found = [ShapedArray(x.shape, x.dtype) for x in out]
    if found != list(avals):
        got, wanted = (", ".join(x.str_short() for x in types) for types in (found, avals))
        raise TypeError(
            f"{name} returned {got}, and its result_types say {wanted}. Make the two agree."
        )
    return out


# In a kernel, and for many examples.

# Of a kernel, in which no name of the user's may stand.
WRONG = "A numba_primitive returned an array of another shape than its result_types say."


def call_part(eqn: JaxprEqn, function: str) -> Any:
    """The call inside of a loop that is compiled whole: arrays lie there in a row."""
    part, names = Part(eqn), [f"r{k}" for k in range(len(eqn.outvars))]
    operands = [
        part.number(x) if not x.aval.shape else f"{part.array(x)}.reshape({x.aval.shape})"
        for x in eqn.invars
    ]
    part.emit(f"{', '.join(names)} = {function}({', '.join(operands)})")
    for k, (name, v) in enumerate(zip(names, eqn.outvars, strict=True)):
        if not v.aval.shape:
            part.emit(f"y{k}[0] = {name}")
            continue
        with part.block(f"if {name}.shape != {v.aval.shape}:"):
            part.emit(f"raise TypeError({WRONG!r})")
        counters = [f"i{d}" for d in range(v.aval.ndim)]
        at = position(0, list(zip(counters, row_major(v.aval.shape), strict=True)))
        with part.loops(*zip(counters, v.aval.shape, strict=True)):
            part.emit(f"y{k}[{at}] = {name}[{', '.join(counters)}]")
    return part.finished()


def one_by_one(primitive: Primitive, args: Sequence[Any], dims: Sequence[Any]) -> Any:
    """vmap's rule: the function of one example after the other."""
    mapped = [k for k, d in enumerate(dims) if d is not not_mapped]
    stacked = [moveaxis(args[k], dims[k], 0) for k in mapped]

    def of_example(examples: Sequence[Any]) -> list[Any]:
        operands = list(args)
        for k, x in zip(mapped, examples, strict=True):
            operands[k] = x
        return primitive.bind(*operands)

    out = map_examples(of_example, stacked)
    return out, [0] * len(out)
