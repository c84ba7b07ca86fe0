"""Function texts: what a function of maths/ says, how much it computes, and who may call it.

A loop inlines the functions that it computes with. A heavy one calls some of them instead
(`called_functions`): those of which it has the same bits then.
"""

from __future__ import annotations

import ast
import linecache
import sys
from collections.abc import Callable, Mapping
from functools import cache
from itertools import takewhile
from typing import Any

import numpy as np

from minijax.compiler.native.scalars import Refused

LIGHT = 20  # a function that is always inlined
LONG = 1000  # computed in a turn (`weight_of`), from which on a loop is long


@cache
def tree_of(fun: Callable) -> ast.FunctionDef:
    """A function's text, as Python's parser sees it."""
    return ast.parse(getattr(fun, "source", None) or text_of(fun)).body[0]


def text_of(fun: Callable) -> str:
    """A function's lines, from its file: up to the next line that begins at the margin.

    Refused where there is no file to be read; in an archive, its module's loader reads it.
    """
    code, module = fun.__code__, sys.modules.get(fun.__module__)
    lines = linecache.getlines(code.co_filename, vars(module) if module else None)
    lines = lines[code.co_firstlineno - 1 :]
    begin = next((k for k, line in enumerate(lines) if line.startswith("def ")), None)
    if begin is None:
        raise Refused(f"{fun.__name__}, whose source can't be read")
    body = takewhile(lambda line: line[0] in " \n", lines[begin + 1 :])
    return "".join([lines[begin], *body])


# How much there is to compute.


def functions_called(tree: ast.AST, names: Mapping[str, Any]) -> list[Callable]:
    """The functions of maths/ that a text calls, once for each call."""
    found = [names.get(name_called(x)) for x in ast.walk(tree) if isinstance(x, ast.Call)]
    return [fun for fun in found if hasattr(fun, "fastmath")]


def name_called(call: ast.Call) -> str:
    return getattr(call.func, "id", "")


@cache
def weight(fun: Callable) -> int:
    """About how many instructions a function of maths/ has, with those of what it calls."""
    tree = tree_of(fun)
    return operations(tree) + sum(map(weight, functions_called(tree, fun.__globals__)))


def operations(tree: ast.AST) -> int:
    """How many operators, choices and calls a text has."""
    kinds = ast.operator | ast.unaryop | ast.cmpop | ast.IfExp | ast.Call
    return sum(isinstance(x, kinds) for x in ast.walk(tree))


# Which functions a loop may call.


@cache
def last_choice(fun: Callable) -> ast.IfExp | None:
    """The result of a function of maths/, if that is a choice between a constant and a value.

    Of `c * log(x) + y`, LLVM multiplies that constant beforehand: a product is chosen, and the sum
    rounded by itself. So a loop that calls log has other bits, unless it makes the choice too.
    """
    result = tree_of(fun).body[-1].value
    arms = [result.body, result.orelse] if isinstance(result, ast.IfExp) else []
    found = [*arms, *(fun.__globals__.get(getattr(x, "id", "")) for x in arms)]
    is_one = any(isinstance(x, ast.Constant | float | np.floating) for x in found)
    return result if is_one else None


@cache
def value_chosen(fun: Callable) -> str:
    """The variable that the last choice may give; "" where it depends on further ones."""
    choice = last_choice(fun)
    names = [x for x in ast.walk(tree_of(fun)) if isinstance(x, ast.Name)]
    computed = {x.id for x in names if isinstance(x.ctx, ast.Store)}
    read = {x.id for x in ast.walk(choice) if isinstance(x, ast.Name)} & computed
    arms = {getattr(x, "id", "") for x in (choice.body, choice.orelse)}
    return read.pop() if len(read) == 1 and read <= arms else ""


@cache
def is_callable(fun: Callable, in_long_loop: bool = False) -> bool:
    """Whether a heavy loop calls a function of maths/, and has the bits of one that inlines it.

    To call a function whose last choice is to be repeated costs more than it does to inline it. In
    a long loop that is little, and LLVM takes much longer for what is inlined.
    """
    if weight(fun) <= LIGHT:
        return False
    return last_choice(fun) is None or (in_long_loop and value_chosen(fun) != "")
