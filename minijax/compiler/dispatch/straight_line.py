"""A program as straight-line Python: a line of NumPy for each equation, and nothing in between."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from operator import methodcaller
from typing import Any, NamedTuple

import numpy as np
from ml_dtypes import iinfo

from minijax.compiler.fallbacks import fall_back, instead
from minijax.compiler.generated_text import TextWriter
from minijax.compiler.lowerings import lowerings, register_lowering
from minijax.compiler.named_in_text import array_of
from minijax.compiler.passes.simplify import prune, simplify
from minijax.core.arrays import raw_value
from minijax.core.config import bounded_cache, config, quiet
from minijax.core.dtypes import ExtendedDType, float0, is_narrow, issubdtype
from minijax.core.jitting import Backend, CompileOptions
from minijax.core.primitives import (
    broadcast_in_dim_p, broadcast_numpy, convert_element_type_p, convert_numpy, div_p,
    dot_general_p, eq_p, remaining, reshape_p, select_n_p,
)
from minijax.core.staging import Atom, ClosedJaxpr, Jaxpr, JaxprEqn, Literal, Var

# Which function computes an equation. A `shortcut` gives one that does what `primitive.numpy_fun`
# does, to the bit, for operands of some types: one of NumPy's ufuncs, or a function that makes an
# array of the result's dtype.


def same(x: np.ndarray) -> np.ndarray:
    return x


def _convert(x: Any, new_dtype: Any, weak_type: bool) -> Callable | None:
    if x.dtype == new_dtype:
        return same
    if issubdtype(x.dtype, np.floating) and issubdtype(new_dtype, np.integer):
        return _to_integers(new_dtype)
    narrows = [(np.complexfloating, np.floating), (np.inexact, np.integer), (np.generic, np.bool_)]
    if any(issubdtype(x.dtype, old) and issubdtype(new_dtype, new) for old, new in narrows):
        return None
    if x.dtype.isbuiltin == new_dtype.isbuiltin == 2:
        return None
    return methodcaller("astype", new_dtype)


def _to_integers(dtype: np.dtype) -> Callable:
    bottom, top = float(iinfo(dtype).min) - 1, float(iinfo(dtype).max)

    def convert(x: np.ndarray) -> np.ndarray:
        are_inside = np.all((x > bottom) & (x < top))
        return x.astype(dtype) if are_inside else convert_numpy(x, dtype)

    return convert


def _broadcast(x: Any, shape: tuple, broadcast_dimensions: tuple) -> Callable | None:
    if not x.shape and math.prod(shape) < 1000:
        return lambda x: np.full(shape, x)
    if x.size == math.prod(shape):
        return methodcaller("reshape", shape)
    is_numpys = getattr(x.dtype, "isbuiltin", 0) == 1  # a key's type isn't, nor a bfloat16's
    return _repeated(x, shape, broadcast_dimensions) if is_numpys else None


def _repeated(x: Any, shape: tuple, broadcast_dimensions: tuple) -> Callable:
    """What `np.broadcast_to` gives, sooner: an axis along which nothing moves in memory."""
    strides, stride = [0] * len(shape), x.dtype.itemsize
    for size, d in zip(reversed(x.shape), reversed(broadcast_dimensions), strict=True):
        strides[d] = stride if size > 1 else 0
        stride *= size

    def repeat(x: np.ndarray) -> np.ndarray:
        if type(x) is not np.ndarray or not x.flags.c_contiguous:
            return broadcast_numpy(x, shape, broadcast_dimensions)
        view = np.ndarray(shape, x.dtype, x, 0, strides)
        view.setflags(False)  # several elements are one
        return view

    return repeat


def _dot_general(
    x: Any, y: Any, dimension_numbers: tuple, preferred_element_type: Any, precision: Any = None
) -> Callable | None:  # fmt: skip
    """Of one dtype, the product that `np.matmul` knows, its axes laid out beforehand."""
    (x_contract, y_contract), (x_batch, y_batch) = dimension_numbers
    size = math.prod(x.shape[d] for d in x_contract)
    if len({x.dtype, y.dtype, preferred_element_type or x.dtype}) > 1 or is_narrow(x.dtype):
        return None
    if size == 1 or issubdtype(x.dtype, np.bool_) or x.dtype.isbuiltin != 1:
        return None
    from minijax.compiler.maths.blas import by_size

    stack = math.prod(x.shape[d] for d in x_batch)
    product = by_size(np.matmul, x.size * y.size // max(size * stack * stack, 1))  # of a matrix
    if dimension_numbers == (((x.ndim - 1,), (0,)), ((), ())) and max(x.ndim, y.ndim) < 3:
        return product
    x_free, y_free = remaining(x.ndim, x_contract, x_batch), remaining(y.ndim, y_contract, y_batch)
    batch, rows, columns = [
        tuple(a.shape[d] for d in axes) for a, axes in ((x, x_batch), (x, x_free), (y, y_free))
    ]  # fmt: skip
    lay_x = _laid_out(x, (*x_batch, *x_free, *x_contract), (*batch, math.prod(rows), size))
    lay_y = _laid_out(y, (*y_batch, *y_contract, *y_free), (*batch, size, math.prod(columns)))
    shape = (*batch, *rows, *columns)
    return lambda x, y: product(lay_x(x), lay_y(y)).reshape(shape)


def _laid_out(x: Any, axes: tuple, shape: tuple) -> Callable:
    """A function that gives an array of x's type with its axes in this order, and in this shape."""
    if axes == tuple(range(x.ndim)):
        return same if shape == x.shape else methodcaller("reshape", shape)
    if shape == tuple(x.shape[d] for d in axes):
        return methodcaller("transpose", axes)
    return lambda x: x.transpose(axes).reshape(shape)


def _select_n(which: Any, *cases: Any) -> Callable | None:
    return _choose if which.dtype == np.bool_ and len(cases) == 2 else None


def _choose(which: np.ndarray, on_false: np.ndarray, on_true: np.ndarray) -> np.ndarray:
    return np.where(which, on_true, on_false)


for _primitive, _rule in {
    broadcast_in_dim_p: _broadcast, convert_element_type_p: _convert, dot_general_p: _dot_general,
    div_p: lambda x, y: np.divide if issubdtype(x.dtype, np.inexact) else None,
    eq_p: lambda x, y: np.equal, select_n_p: _select_n,
    reshape_p: lambda x, new_sizes: methodcaller("reshape", new_sizes),
}.items():  # fmt: skip
    register_lowering(_primitive, shortcut=_rule)


class Call(NamedTuple):
    """A function with its parameters, and whether it gives an array of the result's dtype."""

    fun: Callable
    params: dict[str, Any]
    is_exact: bool


def numpy_call(eqn: JaxprEqn) -> Call:
    """How NumPy computes an equation; NotStraight where it can't alone."""
    in_avals, fun = [x.aval for x in eqn.invars], eqn.primitive.numpy_fun
    if fun is None:
        raise NotStraight(f"{eqn.primitive} is no function of NumPy's.")
    [out] = eqn.outvars
    for aval in (*in_avals, out.aval):
        if isinstance(aval.dtype, ExtendedDType) or aval.dtype == float0:
            raise NotStraight(f"{aval.dtype} is no dtype of NumPy's.")
    params = eqn.primitive.active(eqn.params)
    rule = lowerings[eqn.primitive].shortcut
    shortcut = rule(*in_avals, **params) if rule else None
    if shortcut is not None:
        fun, params = shortcut, {}
    elif in_avals and not is_narrow(in_avals[0].dtype):
        fun = getattr(fun, "of_wide", fun)
    if not isinstance(fun, np.ufunc):
        return Call(fun, params, is_exact=shortcut is not None)
    has_axes = bool(out.aval.shape)  # else it gives a scalar of NumPy's
    dtypes = fun.resolve_dtypes((*(aval.dtype for aval in in_avals), None))
    return Call(fun, params, is_exact=has_axes and dtypes[-1] == out.aval.dtype)


# Values, as the lines refer to them.


class Number(NamedTuple):
    """The name of a number of Python's, and the type that it has as an array."""

    name: str
    aval: Any


Value = str | Number  # str: an array's name


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
    """name = expression, which reads these names."""

    name: str
    expression: str
    reads: list[str]


class StraightLine:
    """Writes the steps of a program."""

    def __init__(self) -> None:
        self.text, self.steps = TextWriter(asarray=np.asarray), list[Step]()
        self.numbers: dict[tuple, str] = {}  # that are arrays, by name and dtype

    def add(self, expression: str, reads: Sequence[str]) -> str:
        self.steps.append(Step(self.text.new(), expression, list(reads)))
        return self.steps[-1].name

    def equation(self, eqn: JaxprEqn, given: Sequence[Value]) -> Value:
        """Adds the step of an equation, if it needs one; returns its result."""
        call, [out] = numpy_call(eqn), [v.aval for v in eqn.outvars]
        if eqn.primitive is convert_element_type_p and isinstance(given[0], Number):
            return self.array(given[0], out.dtype)
        operands = list(map(self.array, given))
        if call.fun is same:
            return operands[0]
        fun = partial(call.fun, **call.params) if call.params else call.fun
        expression = f"{self.text.name(fun)}({', '.join(operands)})"
        if not call.is_exact:
            expression = f"asarray({expression}, {self.text.name(out.dtype)})"
        return self.add(expression, operands)

    def array(self, x: Value, dtype: np.dtype | None = None) -> str:
        """The name of a value as an array; of a number, in `dtype`, if that is given."""
        if isinstance(x, str):
            return x
        key = x.name, dtype or x.aval.dtype
        if key not in self.numbers:
            own, wanted = self.text.name(x.aval.dtype), self.text.name(key[1])
            number = f"{self.text.name(number_array)}({x.name}, {own}, {wanted})"
            self.numbers[key] = self.add(number, [])
        return self.numbers[key]


def program_steps(
    line: StraightLine, closed: ClosedJaxpr, operands: Sequence[Value]
) -> list[Value]:
    """Adds the steps of a program, and returns its results."""
    values: dict[Atom, Value] = dict(zip(closed.invars, operands, strict=True))
    for v, x in zip(closed.constvars, closed.consts, strict=True):
        values[v] = line.text.name(raw_value(x))

    def read(x: Atom) -> Value:
        return line.text.name(raw_value(x.val)) if isinstance(x, Literal) else values[x]

    for eqn in closed.eqns:
        values[eqn.outvars[0]] = line.equation(eqn, list(map(read, eqn.invars)))
    return list(map(read, closed.outvars))


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
    line = StraightLine()
    results = list(map(line.array, program_steps(line, simplify(closed), operands)))
    used = {name for name, _ in line.numbers}
    for x in operands:
        if isinstance(x, Number) and x.name not in used:
            line.array(x)  # which raises where an integer does not fit
    text, steps = line.text, line.steps
    if len(steps) == 1 and [steps[0].name] == results:
        fun, _, rest = steps[0].expression.partition("(")
        if rest == f"{', '.join(names)})" and fun in text.meanings:
            return text.meanings[fun]  # the program is one call: nothing needs to be written
    last = {x: step for step in steps for x in step.reads if x.startswith("v")}
    for step in steps:
        text.emit(f"{step.name} = {step.expression}")
        if dead := sorted(x for x in {*step.reads} - {*results} if last.get(x) is step):
            text.emit(f"del {', '.join(dead)}")
    text.emit(f"return {', '.join(results) or '()'}")
    return text.function("program", ", ".join(names))


# A backend of lines: the interpreter's results, to the bit, with less between them.


def run_text(
    text: TextWriter, closed: ClosedJaxpr, operands: Sequence[str], values: Sequence[str],
    are_numbers: Sequence[bool], wrap: Callable = array_of,
) -> tuple[list[str], str]:  # fmt: skip
    """The texts of a program's results as Arrays, and the line that computes them.

    Operands are named as they came in, for results that are operands, and by their values.
    """
    names = [f"x{i}" for i, _ in enumerate(values)]
    program = text.name(straight_line(closed, names, are_numbers))
    given = {v: x for v, x, n in zip(closed.invars, operands, are_numbers, strict=True) if not n}
    outputs = [text.new("y") for _ in closed.outvars]
    call = f"{text.name(quiet)}.context.run({', '.join([program, *values])})"
    wrapped = [
        given.get(v) or f"{text.name(wrap)}({y}, {text.name(v.aval)})"
        for y, v in zip(outputs, closed.outvars, strict=True)
    ]
    return wrapped, f"{', '.join(outputs) or '()'} = {call}"


def straight_call(eqn: JaxprEqn) -> Callable | None:
    """A function of the operands, as Arrays, that is a line of NumPy; None where that won't do.

    Operands that are numbers come as Arrays too.
    """
    if eqn.primitive.numpy_fun is None or config.jax_enable_checks:
        return None
    invars = [Var(x.aval) for x in eqn.invars]
    jaxpr = Jaxpr([], invars, list(eqn.outvars), [eqn._replace(invars=invars)])
    names = [f"x{i}" for i, _ in enumerate(invars)]
    try:
        text = TextWriter()
        [out], line = run_text(text, ClosedJaxpr(jaxpr, []), names, [f"{x}._value" for x in names],
                               [False] * len(names))  # fmt: skip
    except NotStraight as error:
        return fall_back("step", error)
    text.emit(line)
    text.emit(f"return {out}")
    return text.function("step", ", ".join(names))


def or_else(text: TextWriter, line: str, result: str, failure: str) -> None:
    """Writes the end of a function: the line, then the result; where it fails, `instead`."""
    with text.block("try:"):
        text.emit(line)
    with text.block("except Exception as error:"):
        text.emit("failed = error.with_traceback(None)")
    with text.block("else:"):
        text.emit(f"return {result}")
    text.emit(f"return instead({failure})")


class StraightBackend(Backend):
    """Runs programs as straight-line NumPy; equation by equation, as `Backend` does, those that
    need more than NumPy, and all while `jax_enable_checks` is on."""

    name = "numpy"

    def compile(self, closed: ClosedJaxpr, options: CompileOptions) -> Callable:
        # Pruned in any case: what `optimize_remat` runs depends on it.
        interpret = super().compile(prune(closed), options)
        if config.jax_enable_checks:
            return interpret
        names = [f"x{i}" for i, _ in enumerate(closed.invars)]
        text = TextWriter(interpret=interpret, instead=instead)
        try:
            values = [f"{name}._value" for name in names]
            outs, line = run_text(text, closed, names, values, [False] * len(names))
        except NotStraight as error:
            fall_back("program", error)
            return interpret
        given = ", ".join(["'run'", "failed", "interpret", *names])
        or_else(text, line, f"[{', '.join(outs)}]", given)
        run = text.function("run", ", ".join(names))
        run.binds = False
        return run
