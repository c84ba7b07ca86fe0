"""One text of a function, and two functions of it: for float32 and for float64.

A kernel calls them by name (exp_f32, exp_f64) and has them inlined into its loop. A function here
is plain Python too: called from Python it computes with NumPy's scalars.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np


class Pair(NamedTuple):
    """One thing in both precisions: a number, a type, a function."""

    single: Any
    double: Any


functions: list[Callable] = []


def inlined(fun: Callable, fastmath: Iterable[str] = ("contract",)) -> Callable:
    """The function itself, which compiled functions may call from now on.

    Its code becomes part of theirs, with flags of its own: `contract` lets a product and a sum be
    one instruction, rounded once; sums are never reordered, whatever the caller allows.
    """
    fun.fastmath = frozenset(fastmath)
    functions.append(fun)
    return fun


real = Pair(np.float32, np.float64)
whole = Pair(np.int32, np.int64)


def floats(single: float, double: float) -> Pair:
    return Pair(np.float32(single), np.float64(double))


def integers(single: int, double: int) -> Pair:
    return Pair(np.int32(single), np.int64(double))


def member(value: Any, double: bool) -> Any:
    """What a text means by a Pair, or by a float, in one precision."""
    if isinstance(value, Pair):
        return value[double]
    return real[double](value) if type(value) is float else value


def version(fun: Callable, double: bool, fastmath: Iterable[str] = ("contract",)) -> Callable:
    """The function in one precision: what its text names is of that, and so are its literals."""
    code, known = fun.__code__, fun.__globals__
    used = [n for n in ("__name__", "__builtins__", *code.co_names) if n in known]
    names = {name: member(known[name], double) for name in used}
    code = code.replace(co_consts=tuple(member(value, double) for value in code.co_consts))
    one = inlined(FunctionType(code, names, fun.__name__), fastmath)
    one.real = real[double]  # what its literals are
    return one


def both(fun: Callable, fastmath: Iterable[str] = ("contract",)) -> Pair:
    """A decorator: the function in both precisions."""
    return Pair(version(fun, False, fastmath), version(fun, True, fastmath))


def polynomial(single: str, double: str | None = None) -> Pair:
    """The polynomials with these coefficients, that of the highest power first."""
    return Pair(horner(single, np.float32), horner(double or single, np.float64))


def horner(coefficients: str, dtype: type, step: str = "y * x + {}", **names: Any) -> Callable:
    """((c0 * x + c1) * x + c2) ..., a line for each."""
    numbers = {f"c{i}": dtype(c) for i, c in enumerate(coefficients.split())}
    steps = "".join(f"    y = {step.format(name)}\n" for name in list(numbers)[1:])
    source = f"def polynomial(x):\n    y = c0\n{steps}    return y\n"
    exec(source, names := {**names, **numbers})
    names["polynomial"].source = source
    return inlined(names["polynomial"])


def publish(names: dict[str, Any]) -> None:
    """Gives the functions of a module the names that kernels call: exp_f32 and exp_f64."""
    for name, value in list(names.items()):
        if isinstance(value, Pair) and isinstance(value.single, FunctionType):
            names[f"{name}_f32"], names[f"{name}_f64"] = value
