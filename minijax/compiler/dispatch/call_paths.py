"""Calls of jitted functions: for each type of the arguments, one function of Python's is written.

It takes the arguments apart, seeing on the way that they are what it was written for; it runs the
executable, and puts the results together. No structure is made, no key, no primitive is bound.

What a path compares is what `call_keys.py` says of each argument, and what a program is run with:
the settings and named axes, and the backend.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minijax.compiler.dispatch.call_keys import (
    COUNTS, MEANINGS, SEQUENCES, NoPath, differs, settings, value_differs,
)
from minijax.compiler.dispatch.eager import tree_text
from minijax.compiler.fallbacks import fall_back
from minijax.compiler.generated_text import TextWriter
from minijax.compiler.named_in_text import array_of
from minijax.core.arguments import within
from minijax.core.arrays import Array, ArrayImpl
from minijax.core.config import quietly
from minijax.core.jitting import Backend, JitFunction, as_runtime_value, compile_once, running
from minijax.core.pytrees import difference, find_entry, tree_structure
from minijax.core.staging import Staged
from minijax.core.tracing import eval_trace, trace_ctx, typeof
from minijax.face.nan_checks import is_searching
from minijax.face.transfer_guards import is_guarding

MOST_PATHS = 4  # of one function that are tried, one after the other
MOST_LEAVES = 1000  # of a call: a longer path takes Python too long to compile

missing = object()  # what an argument that isn't there is equal to

# The first half of a path: the arguments are checked and taken apart.


class Arguments:
    """Writes that half. `leaves` are the names of the operands."""

    def __init__(self, text: TextWriter) -> None:
        self.text, self.leaves = text, list[str]()

    def refuse_if(self, condition: str) -> None:
        self.text.emit(f"if {condition}: return NotImplemented")

    def several(self, items: Sequence[Any], expression: str) -> list[str]:
        """New names for the items of what an expression gives."""
        names = [self.text.new() for _ in items]
        if names:
            self.text.emit(f"{', '.join(names)}, = {expression}")
        return names

    def leaf(self, name: str) -> None:
        self.leaves.append(name)
        if len(self.leaves) > MOST_LEAVES:
            raise NoPath


def same(path: Arguments, x: Any, name: str) -> None:
    """An argument that is to be equal."""
    path.refuse_if(value_differs(path.text, x, name))


def traced(path: Arguments, x: Any, name: str) -> None:
    """An argument, or a part of one, of which all that counts is to be as it is here.

    The leaves are met in the order of `tree_flatten`.
    """
    cls = type(x)
    if isinstance(x, Array) and cls is not ArrayImpl:  # a tracer, or on other devices
        raise NoPath
    if cls not in COUNTS and find_entry(cls) is not None:
        return node(path, x, name)
    is_deleted = f" or {name}._value is None" if cls is ArrayImpl else ""  # the long way says so
    path.refuse_if(differs(path.text, x, name) + is_deleted)
    if cls in SEQUENCES:
        items(path, x, name)
    elif cls is dict:
        for key in sorted(x):
            value = path.text.assign(f"{name}.get({path.text.name(key)}, missing)")
            traced(path, x[key], value)
    elif cls is ArrayImpl:
        path.leaf(name)
    elif cls is np.ndarray:
        aval, wanted = path.text.name(typeof(x)), path.text.name(typeof(x).dtype)
        copy = f"quietly(array, {name}, {wanted})"
        path.leaf(path.text.assign(f"array_of({copy}, {aval})"))
    elif x is not None:
        path.leaf(path.text.assign(f"as_runtime_value({name})"))


def items(path: Arguments, x: Sequence[Any], name: str) -> None:
    for item, part in zip(x, path.several(x, name), strict=True):
        traced(path, item, part)


def node(path: Arguments, x: Any, name: str) -> None:
    """A node of a class that was registered: what counts is said by its function."""
    cls, flatten = path.text.name(type(x)), find_entry(type(x)).flatten
    path.refuse_if(f"type({name}) is not {cls}")
    children, aux = path.several(("items", "aux"), f"{path.text.name(flatten)}({name})")
    name, treedef = path.text.assign(f"tuple({children})"), tree_structure(x)
    path.refuse_if(f"difference({path.text.name(treedef)}, {cls}, {aux}, len({name}))")
    items(path, tuple(flatten(x)[0]), name)


def all_of_call(path: Arguments, args: tuple, kwargs: dict, static: tuple) -> None:
    """All arguments of a call."""
    path.refuse_if(f"len(args) != {len(args)} or len(kwargs) != {len(kwargs)}")
    static_nums = within(static[0], len(args))
    for i, name in enumerate(path.several(args, "args")):
        (same if i in static_nums else traced)(path, args[i], name)
    for key in sorted(kwargs):
        name = path.text.assign(f"kwargs.get({path.text.name(key)}, missing)")
        (same if key in static[1] else traced)(path, kwargs[key], name)


# The whole of it.


def write_path(
    staged: Staged, args: tuple, kwargs: dict, static: tuple, name: str
) -> Callable:  # fmt: skip
    """The path of calls with arguments like these, to the program as the backend compiled it.

    NoPath where there is an argument that paths are not made for. An executable says by `binds` if
    it may bind primitives, and so run other programs inside.
    """
    executable = compile_once(staged.program, running.backend, name, ())()
    text = TextWriter(
        ArrayImpl=ArrayImpl, array=np.array, array_of=array_of, as_runtime_value=as_runtime_value,
        backend=running.backend, difference=difference, eval_trace=eval_trace, missing=missing,
        options=settings(), quietly=quietly, running=running, settings=settings,
        trace_ctx=trace_ctx, executable=getattr(executable, "run", executable), **MEANINGS,
    )  # fmt: skip
    arguments = Arguments(text)
    arguments.refuse_if("trace_ctx.trace is not eval_trace or trace_ctx.axis_sizes")
    arguments.refuse_if("running.backend is not backend or settings() != options")
    all_of_call(arguments, args, kwargs, static)
    outputs = [text.new() for _ in staged.closed.outvars]
    values = [f"{y} if type({y}) is ArrayImpl else as_runtime_value({y})" for y in outputs]
    given = [*arguments.leaves, *(text.name(x, "held") for x in staged.held)]
    run = f"[{', '.join(outputs)}] = executable({', '.join(given)})"
    if getattr(executable, "binds", True):
        text.emit("outer, running.inside_program = running.inside_program, True")
        with text.block("try:"):
            text.emit(run)
        with text.block("finally:"):
            text.emit("running.inside_program = outer")
    else:
        text.emit(run)
    text.emit(f"return {tree_text(text, staged.out_tree, iter(values))}")
    return text.function("path", "args, kwargs")


def remember(_: Backend, jitted: JitFunction, staged: Staged, args: tuple, kwargs: dict) -> None:
    """Puts a path in front for such a call, if it is the second that was on no path.

    Or the fourth, the eighth, ...: where there are more types than paths, few are written.
    """
    if trace_ctx.trace is not eval_trace:
        return
    staged.calls += 1
    if any(jitted._donate) or is_searching() or is_guarding():
        return
    is_due = staged.calls > 1 and not staged.calls & (staged.calls - 1)
    if is_due and not staged.consts:
        try:
            path = write_path(staged, args, kwargs, jitted._static, jitted.__name__)
        except (NoPath, SyntaxError, RecursionError) as error:
            fall_back("jitted call", error)
            return
        others = jitted._cache.get(jitted._place, ())
        jitted._cache[jitted._place] = (path, *others[: MOST_PATHS - 1])
