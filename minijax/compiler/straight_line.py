"""A program as straight-line Python: a line of NumPy for each equation, and nothing in between."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from minijax.compiler.text import Text
from minijax.core.arrays import raw_value
from minijax.core.config import bounded_cache
from minijax.core.dtypes import ExtendedDType, bfloat16, float0, issubdtype
from minijax.core.jitting import jit_p
from minijax.core.primitives import convert_element_type_p, convert_numpy
from minijax.core.staging import Atom, ClosedJaxpr, JaxprEqn, Literal

# Numbers of Python's become arrays, in the dtype that they are used in.


class Number(NamedTuple):
    """The name of a number of Python's, and the type that it has as an array."""

    name: str
    aval: Any


def number_array(x: Any, own_dtype: np.dtype, dtype: np.dtype) -> np.ndarray:
    """A number of Python's as an array of a dtype, rounded once. OverflowError for an integer that
    does not fit the dtype of its own."""
    if type(x) is int:
        return _whole_number(x, own_dtype, dtype)
    if type(x) is float and dtype.char in "fd":
        return np.array(x, dtype)
    return convert_numpy(np.asarray(x), dtype)


@bounded_cache
def _whole_number(x: int, own_dtype: np.dtype, dtype: np.dtype) -> np.ndarray:
    np.array(x, own_dtype)
    value = np.array(convert_numpy(np.asarray(x), dtype))
    value.setflags(False)  # whoever asks next gets it too
    return value


# A step for each equation.


class NotStraight(Exception):
    """A program has an equation that is no function of NumPy's alone."""


class Step(NamedTuple):
    """name = expression, which reads the operands."""

    name: str
    expression: str
    operands: list[str]


Value = str | Number  # how a step refers to one


def straight_line(
    closed: ClosedJaxpr, names: Sequence[str], are_numbers: Sequence[bool]
) -> Callable:  # fmt: skip
    """A function from the operands, which have these names, to a tuple of the results; of one
    result, to that. Operands are NumPy arrays or, where marked, numbers of Python's.

    NotStraight where an equation needs more than NumPy.
    """
    operands = [
        Number(name, v.aval) if is_number else name
        for name, v, is_number in zip(names, closed.invars, are_numbers, strict=True)
    ]
    text, steps = Text(asarray=np.asarray), list[Step]()
    results = [array_text(text, x) for x in write_program(text, steps, closed, operands)]
    if [step.name for step in steps] == results:
        [step] = steps
        fun, _, rest = step.expression.partition("(")
        if rest == f"{', '.join(names)})" and fun in text.meanings:
            return text.meanings[fun]  # the program is one call: nothing needs to be written
    alive, lines = set(results), [f"return {', '.join(results)}"]
    for step in reversed(steps):
        dead = {x for x in step.operands if x[0] == "v"} - alive
        if dead:
            lines.append(f"del {', '.join(sorted(dead))}")
        lines.append(f"{step.name} = {step.expression}")
        alive |= dead
    text.lines = lines[::-1]
    return text.function("program", ", ".join(names))


def write_program(
    text: Text, steps: list[Step], closed: ClosedJaxpr, operands: Sequence[Value]
) -> list[Value]:  # fmt: skip
    """Adds the steps of a program, and returns its results."""
    values: dict[Atom, Value] = dict(zip(closed.invars, operands, strict=True))
    for v, x in zip(closed.constvars, closed.consts, strict=True):
        values[v] = _constant(text, x)

    def read(x: Atom) -> Value:
        return _constant(text, x.val) if isinstance(x, Literal) else values[x]

    for eqn in closed.eqns:
        given = list(map(read, eqn.invars))
        if eqn.primitive is jit_p:
            results = write_program(text, steps, eqn.params["jaxpr"], given)
        else:
            results = [_write_equation(text, steps, eqn, given)]
        values.update(zip(eqn.outvars, results, strict=True))
    return list(map(read, closed.outvars))


def _constant(text: Text, x: Any) -> str:
    check_dtype(x.aval)
    return text.name(raw_value(x))


def check_dtype(aval: Any) -> None:
    if isinstance(aval.dtype, ExtendedDType) or aval.dtype == float0:
        raise NotStraight(f"{aval.dtype} is no dtype of NumPy's.")


def array_text(text: Text, x: Value, dtype: np.dtype | None = None) -> str:
    """A value as an array; a number in `dtype`, if that is given."""
    if isinstance(x, str):
        return x
    own, wanted = text.name(x.aval.dtype), text.name(dtype or x.aval.dtype)
    return f"{text.name(number_array)}({x.name}, {own}, {wanted})"


def _write_equation(text: Text, steps: list[Step], eqn: JaxprEqn, given: list[Value]) -> Value:
    for x in (*eqn.invars, *eqn.outvars):
        check_dtype(x.aval)
    operands = [x for x in given if isinstance(x, str)]
    steps.append(Step(text.new(), equation_text(text, eqn, given), operands))
    return steps[-1].name


def equation_text(text: Text, eqn: JaxprEqn, given: Sequence[Value]) -> str:
    """The expression that computes an equation with one result."""
    fun, [out] = eqn.primitive.numpy_fun, [v.aval for v in eqn.outvars]
    in_dtypes = [x.aval.dtype for x in eqn.invars]
    if fun is None:
        raise NotStraight(f"{eqn.primitive} is no function of NumPy's.")
    if eqn.primitive is convert_element_type_p:
        if isinstance(given[0], Number):
            return array_text(text, given[0], out.dtype)
        if is_plain_cast(in_dtypes[0], out.dtype):
            return f"{given[0]}.astype({text.name(out.dtype)})"
    if in_dtypes and in_dtypes[0] not in (bfloat16, np.float16):
        fun = getattr(fun, "of_wide", fun)
    parts = [array_text(text, x) for x in given]
    parts += [f"{k}={text.name(x)}" for k, x in eqn.primitive.active(eqn.params).items()]
    expression = f"{text.name(fun)}({', '.join(parts)})"
    if out.shape and is_exact(fun, in_dtypes, out.dtype):
        return expression
    return f"asarray({expression}, {text.name(out.dtype)})"


def is_plain_cast(old: np.dtype, new: np.dtype) -> bool:
    """Whether `convert_numpy` does what NumPy's `astype` does."""
    narrows = [(np.complexfloating, np.floating), (np.inexact, np.integer)]
    loses = any(issubdtype(old, kind) and issubdtype(new, other) for kind, other in narrows)
    return not loses and new != np.bool_


def is_exact(fun: Callable, in_dtypes: Sequence[np.dtype], out_dtype: np.dtype) -> bool:
    """Whether NumPy's own function gives, of arrays with axes, arrays of just this dtype."""
    if not isinstance(fun, np.ufunc) or (fun.nin, fun.nout) != (len(in_dtypes), 1):
        return False
    return fun.resolve_dtypes((*in_dtypes, None))[-1] == out_dtype
