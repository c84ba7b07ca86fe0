"""Calls of functions with rules: made calls of functions of leaves, whose results are checked."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce, update_wrapper
from typing import Any

import numpy as np

from minijax.core.arguments import flatten_axes
from minijax.core.calls import check_args, check_results, debug_info
from minijax.core.dtypes import extended, float0, issubdtype
from minijax.core.errors import UnexpectedTracerError, describe, keystr, typematch
from minijax.core.forward import Zero, add_tangents, instantiate_zeros
from minijax.core.pytrees import (
    PyTreeDef,
    flatten_with_path,
    tree_flatten,
    tree_map,
    tree_unflatten,
)
from minijax.core.tracing import Tracer, Typed, typeof
from minijax.lax.elementwise.arithmetic import shown, stop_gradient

# A rule gets an array of zeros in place of a zero, unless it asks for symbolic zeros.


class SymbolicZero(Typed):
    """A tangent or cotangent that is known to be zero, as rules with symbolic_zeros get it.

    It has a shape and a dtype and no numbers.
    """

    __slots__ = ("aval",)

    def __init__(self, aval: Any) -> None:
        self.aval = aval

    def __repr__(self) -> str:
        return f"SymbolicZero({self.aval})"


def to_rule(x: Any, symbolic_zeros: bool) -> Any:
    if symbolic_zeros:
        return SymbolicZero(x.aval) if type(x) is Zero else x
    return instantiate_zeros(x)


def from_rule(x: Any) -> Any:
    if type(x) is SymbolicZero:
        return Zero(x.aval)
    return Zero(typeof(x)) if type(x) is not Zero and typeof(x).dtype == float0 else x


@dataclass(slots=True)
class CustomVJPPrimal:
    """A leaf of the arguments, as a forward rule with symbolic_zeros gets it: its value, and
    whether it is differentiated."""

    value: Any
    perturbed: bool


# The call.


def function_name(fun: Any) -> str:
    """A function's name in messages and equations. A partial has the name of its function."""
    fun = getattr(fun, "func", fun)
    return getattr(fun, "__name__", type(fun).__name__)


def without_address(fun: Any) -> str:
    """A function as it is printed in an equation, without its address."""
    return re.sub(" at 0x[0-9a-f]+", " at 0xXXXXXXXXXXXX", str(fun))


def name_like(wrapper: Callable, fun: Any) -> Callable:
    """The wrapper, with the name of the rule in it, which equations print."""
    wrapper.__name__ = function_name(fun)
    return wrapper


def resolve_positions(fun: Callable, args: tuple, kwargs: dict) -> tuple:
    """All arguments by position, defaults too: a rule gets no others."""
    name = function_name(fun)
    try:
        bound = inspect.signature(fun).bind(*args, **kwargs)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"{name}, which has a custom rule, got other arguments than it takes: {error}. "
            f"Call it as it is defined."
        ) from error
    bound.apply_defaults()
    given = [key for key in bound.kwargs if key in kwargs]
    if given:
        raise TypeError(
            f"{name} has a custom rule, and rules take arguments by position. "
            f"{given[0]!r} can only be given by name: make it a positional parameter."
        )
    return bound.args


def nondiff_positions(fun: Callable, argnums: Sequence[int], argnames: Sequence[str]) -> tuple:
    """The positions of the arguments that are not differentiated, in order."""
    if not isinstance(argnums, tuple | list | set | range):
        raise TypeError(
            f"nondiff_argnums of {function_name(fun)} is a tuple of positions, and got "
            f"{shown(argnums)}. Give ({shown(argnums)},)."
        )
    names = list(inspect.signature(fun).parameters) if argnames else []
    named = {names.index(name) for name in names if name in argnames}
    return tuple(sorted(named.union(argnums)))


def check_number(fun: Callable, rules: Sequence[Any], args: Sequence[Any]) -> None:
    if len(rules) != len(args):
        raise ValueError(
            f"defjvps of {function_name(fun)} was given {len(rules)} rules, and the call has "
            f"{len(args)} arguments. Give a rule for each, or None."
        )


def check_positions(fun: Callable, positions: Sequence[int], args: tuple) -> None:
    if positions and max(positions) >= len(args):
        raise IndexError(
            f"{function_name(fun)} has nondiff_argnums {tuple(positions)}, and was called with "
            f"{len(args)} arguments. Count them from 0."
        )


def keep_constant(x: Any) -> Any:
    """An argument that is not differentiated may be a tracer, and is then a constant."""
    return stop_gradient(x) if isinstance(x, Tracer) else x


def refuse_tracer(x: Any) -> Any:
    """The rules of a custom_vjp run later, so they may not close over tracers."""
    if isinstance(x, Tracer):
        error = UnexpectedTracerError(x)
        error.args = (
            f"An argument at nondiff_argnums of a custom_vjp function is {describe(x)}. Give a "
            f"value that is not traced there, or make it an argument with the cotangent None.",
        )
        raise error
    return x


class CustomVJPException(Exception):
    """A custom_vjp function was differentiated by something that it closes over."""

    def __init__(self) -> None:
        super().__init__(
            "A custom_vjp function closes over a value that is differentiated, and its rule says "
            "nothing about that. Make the value an argument, and give it a cotangent."
        )


def refuse_forward_mode(*args: Any, **params: Any) -> Any:
    raise TypeError(
        "A custom_vjp function has a backward rule only, and was differentiated forwards, by jvp "
        "or linearize. Use grad or vjp, or give it a custom_jvp rule."
    )


# The results of the function and of its rules.


class Outcome:
    """The structure and types of the results of a function, or of a rule that ran in its place."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.tree: PyTreeDef | None = None
        self.avals: list[Any] = []

    def flatten(self, out: Any, fun: Callable) -> list[Any]:
        """The leaves of a result of `fun`; TypeError where they differ from an earlier result."""
        leaves, tree = tree_flatten(out)
        check_results(fun, leaves)
        avals = list(map(typeof, leaves))
        if self.tree is not None:
            self.check(tree, avals, function_name(fun))
        self.tree, self.avals = tree, avals
        return leaves

    def check(self, tree: PyTreeDef, avals: Sequence[Any], rule: str) -> None:
        assert self.tree is not None
        if tree != self.tree or not all(map(typematch, avals, self.avals)):
            got, expected = (
                tree_unflatten(t, [aval.str_short() for aval in types])
                for t, types in ((tree, avals), (self.tree, self.avals))
            )
            raise TypeError(
                f"The rule {rule} returned {got} as the result of {self.name}, and {self.name} "
                f"itself returns {expected}. Return what it returns."
            )


def check_pair(pair: Any, rule: Callable, outcome: Outcome, second: str) -> tuple[Any, Any]:
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        raise TypeError(
            f"The rule {function_name(rule)} of {outcome.name} must return a pair: the result "
            f"of {outcome.name}, and {second}. It returned {shown(pair)}. Return both."
        )
    return pair[0], pair[1]


def aval_of(x: Any) -> Any:
    return x.aval if isinstance(x, SymbolicZero | Zero) else typeof(x)


def flatten_tangents(out: Any, rule: Callable, outcome: Outcome) -> list[Any]:
    """The leaves of the tangent that a rule returned, each like its primal result."""
    tangents, tree = tree_flatten(out)
    name = function_name(rule)
    if tree != outcome.tree:
        raise TypeError(
            f"The rule {name} of {outcome.name} returned a result of structure {outcome.tree} "
            f"and a tangent of {tree}. Give both the same."
        )
    for aval, tangent in zip(outcome.avals, tangents, strict=True):
        expected = aval.to_tangent_aval()
        try:
            got = aval_of(tangent)
        except TypeError as error:
            raise TypeError(f"The rule {name} returned a tangent that is none: {error}") from error
        if not typematch(got, expected):
            raise TypeError(
                f"The rule {name} of {outcome.name} returned a tangent of {got.str_short()} for a "
                f"result of {aval.str_short()}. Return one of {expected.str_short()}."
            )
    return tangents


def flatten_cotangents(
    out: Any, in_tree: PyTreeDef, avals: Sequence[Any], rule: Callable
) -> list[Any]:
    """A cotangent for each leaf of the arguments. None stands for zeros, for any part of them."""
    name, out = function_name(rule), tuple(out) if isinstance(out, list) else out
    what = f"The cotangents that the backward rule {name} returned"
    try:
        if not isinstance(out, tuple):
            raise ValueError(f"{what} are {shown(out)}.")
        cts = flatten_axes(what, in_tree, out)
    except ValueError as error:
        size = len(in_tree._children)
        raise TypeError(f"{error} Return a tuple of {size}, one for each argument.") from error
    paths: list[Any] = []
    flatten_with_path(tree_unflatten(in_tree, avals), (), paths)
    return [
        _check_cotangent(ct, aval, keystr(path), name)
        for ct, aval, (path, _) in zip(cts, avals, paths, strict=True)
    ]


def _check_cotangent(ct: Any, aval: Any, where: str, name: str) -> Any:
    expected = aval.to_tangent_aval().to_ct_aval()
    if ct is None or expected.dtype == float0:
        return Zero(expected)
    got = aval_of(ct)
    if got.vma < expected.vma:
        ct, got = expected.placed(ct), expected
    numbers = issubdtype(got.dtype, extended) or issubdtype(aval.dtype, np.inexact)
    alike = got.shape == expected.shape and got.vma == expected.vma
    if not typematch(got, expected) and not (alike and numbers):
        raise ValueError(
            f"The backward rule {name} returned a cotangent of {got.str_short()} at {where}, for "
            f"an argument of {aval.str_short()}. Give it that type, or None for zero."
        )
    return Zero(expected) if isinstance(ct, SymbolicZero) else ct


# The call as a whole.


def inner_method(outer: Any, name: str) -> Any:
    """The method that gives the function inside a rule; AttributeError for any other name."""
    if name.startswith("def") and "fun" in vars(outer):
        return getattr(outer.fun, name)
    raise AttributeError(f"{type(outer).__name__!r} object has no attribute {name!r}", name=name)


class CustomCall:
    """A function whose derivative is given by rules."""

    def __init__(
        self, fun: Callable, nondiff_argnums: Sequence[int] = (),
        nondiff_argnames: Sequence[str] = (),
    ) -> None:  # fmt: skip
        update_wrapper(self, fun)
        self.fun, self.symbolic_zeros = fun, False
        self.nondiff_argnums = nondiff_positions(fun, nondiff_argnums, nondiff_argnames)

    def __getattr__(self, name: str) -> Any:
        """The function inside may have rules of its own: `custom_vjp(custom_vmap(f)).def_vmap`."""
        return inner_method(self, name)

    def split(self, args: tuple, fix: Callable) -> tuple[list[Any], tuple, Callable]:
        """The arguments that are not differentiated, the others, and how both become a call.

        `fix` is applied to the leaves of the former.
        """
        check_positions(self.fun, self.nondiff_argnums, args)
        fixed = {i: tree_map(fix, args[i]) for i in self.nondiff_argnums}
        places = [i for i in range(len(args)) if i not in fixed]

        def join(given: Sequence[Any]) -> list[Any]:
            chosen = {**fixed, **dict(zip(places, given, strict=True))}
            return [chosen[i] for i in range(len(args))]

        return list(fixed.values()), tuple(args[i] for i in places), join

    def need(self, method: str, *rules: Any) -> None:
        """Raises an error unless the function has these rules."""
        name = function_name(self.fun)
        if not all(rules):
            raise AttributeError(
                f"{name} has no rule for its derivative. Give it one: {name}.{method}."
            )
        for rule in rules:
            if not callable(rule):
                got = shown(rule)
                raise TypeError(f"{name}.{method} takes functions, and got {got}. Give those.")

    def flatten(self, args: tuple, join: Callable, name: str) -> tuple:
        """The leaves of the arguments, their structure, the function of leaves, its outcome, and
        what to call it."""
        leaves, in_tree = tree_flatten(args)
        info = debug_info(name, self.fun, args, {})
        check_args(leaves, info)
        outcome = Outcome(function_name(self.fun))

        def flat_fun(*xs: Any) -> list[Any]:
            return outcome.flatten(self.fun(*join(tree_unflatten(in_tree, xs))), self.fun)

        return leaves, in_tree, flat_fun, outcome, info


def rule_of_parts(fun: Any, jvps: tuple) -> Callable:
    """One rule from a rule for each argument: the sum of their tangents."""

    def jvp(primals: tuple, tangents: tuple) -> tuple:
        check_number(fun.fun, jvps, primals)
        out = fun(*primals)
        zeros = tree_map(Zero.from_primal_value, out)
        parts = [
            rule(t, out, *primals) if rule else zeros
            for t, rule in zip(tangents, jvps, strict=True)
        ]
        return out, tree_map(lambda _, *ts: reduce(add_tangents, ts), out, *parts)

    return jvp
