"""Calls of jitted functions: for each type of the arguments, one function of Python's is written.

It takes the arguments apart, seeing on the way that they are what it was written for; it runs the
executable, and puts the results together. No structure is made, no key, no primitive is bound.

What a path compares is `stage`'s key, part by part: the settings and named axes, the arguments'
structure, `typeof` of each operand, `value_key` of what is static; and the class of an operand that
is no Array, which says how its value is taken out. A test tries calls that differ in one of these.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minijax.compiler.dispatch.eager import NoPath, settings
from minijax.compiler.dispatch.path_text import Text, tree_text
from minijax.compiler.fallbacks import fall_back
from minijax.compiler.generated_text import array_of
from minijax.core.arguments import value_key, within
from minijax.core.arrays import Array
from minijax.core.config import quietly
from minijax.core.jitting import Backend, JitFunction, as_runtime_value, compile_once, running
from minijax.core.pytrees import difference, find_entry, tree_structure
from minijax.core.staging import Staged
from minijax.core.tracing import Tracer, eval_trace, trace_ctx, typeof

MOST_PATHS = 4  # of one function that are tried, one after the other
MOST_LEAVES = 1000  # of a call: a longer path takes Python too long to compile

missing = object()  # what an argument that isn't there is equal to

# The first half of a path: the arguments are checked and taken apart.


class Arguments:
    """Writes that half. `leaves` are the names of the operands."""

    def __init__(self, text: Text) -> None:
        self.text, self.leaves = text, list[str]()

    def refuse_if(self, condition: str) -> None:
        self.text.lines.append(f"if {condition}: return NotImplemented")

    def several(self, items: Sequence[Any], expression: str) -> list[str]:
        """New names for the items of what an expression gives."""
        names = [self.text.new() for _ in items]
        if names:
            self.text.lines.append(f"{', '.join(names)}, = {expression}")
        return names

    def leaf(self, name: str) -> None:
        self.leaves.append(name)
        if len(self.leaves) > MOST_LEAVES:
            raise NoPath


def same(path: Arguments, x: Any, name: str) -> None:
    """An argument that is to be equal."""
    value, key = path.text.name(x), path.text.name(value_key(x))
    path.refuse_if(f"{name} is not {value} and value_key({name}) != {key}")


def traced(path: Arguments, x: Any, name: str) -> None:
    """An argument, or a part of one, that is to have this structure, and leaves of these types.

    The leaves are met in the order of `tree_flatten`.
    """
    cls = type(x)
    if cls is Array:
        is_other = f"type({name}) is not Array or {name}.aval is not {path.text.name(x.aval)}"
        path.refuse_if(f"{is_other} or {name}._value is None")  # if deleted: it says so
        path.leaf(name)
    elif cls is dict:
        path.refuse_if(f"type({name}) is not dict or len({name}) != {len(x)}")
        for key in sorted(x):
            value = path.text.assign(f"{name}.get({path.text.name(key)}, missing)")
            traced(path, x[key], value)
    elif x is None:
        path.refuse_if(f"{name} is not None")
    elif find_entry(cls) is not None:
        node(path, x, name)
    elif isinstance(x, Tracer):
        raise NoPath
    elif cls is np.ndarray:
        dtype, shape = path.text.name(x.dtype), path.text.name(x.shape)
        is_other = f"type({name}) is not ndarray or {name}.dtype != {dtype}"
        path.refuse_if(f"{is_other} or {name}.shape != {shape}")
        aval, wanted = path.text.name(typeof(x)), path.text.name(typeof(x).dtype)
        copy = f"quietly(array, {name}, {wanted})"
        path.leaf(path.text.assign(f"array_of({copy}, {aval})"))
    else:
        of_class, aval = path.text.name(cls), path.text.name(typeof(x))
        path.refuse_if(f"type({name}) is not {of_class} or typeof({name}) is not {aval}")
        path.leaf(path.text.assign(f"as_runtime_value({name})"))


def node(path: Arguments, x: Any, name: str) -> None:
    """A tuple, a list, or a node of a class that was registered."""
    cls, flatten = path.text.name(type(x)), find_entry(type(x)).flatten
    items, aux = flatten(x)
    items = tuple(items)
    if type(x) is tuple or type(x) is list:
        path.refuse_if(f"type({name}) is not {cls} or len({name}) != {len(items)}")
    else:
        path.refuse_if(f"type({name}) is not {cls}")
        children, aux = path.several(("items", "aux"), f"{path.text.name(flatten)}({name})")
        name, treedef = path.text.assign(f"tuple({children})"), tree_structure(x)
        path.refuse_if(f"difference({path.text.name(treedef)}, {cls}, {aux}, len({name}))")
    for item, part in zip(items, path.several(items, name), strict=True):
        traced(path, item, part)


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
    text = Text(
        Array=Array, array=np.array, array_of=array_of, as_runtime_value=as_runtime_value,
        backend=running.backend, difference=difference, eval_trace=eval_trace, missing=missing,
        ndarray=np.ndarray, options=settings(), quietly=quietly, running=running, settings=settings,
        trace_ctx=trace_ctx, typeof=typeof, value_key=value_key,
        executable=getattr(executable, "run", executable),
    )  # fmt: skip
    arguments = Arguments(text)
    arguments.refuse_if("trace_ctx.trace is not eval_trace or trace_ctx.axis_sizes")
    arguments.refuse_if("running.backend is not backend or settings() != options")
    all_of_call(arguments, args, kwargs, static)
    outputs = [text.new() for _ in staged.closed.outvars]
    values = [f"{y} if type({y}) is Array else as_runtime_value({y})" for y in outputs]
    run = f"[{', '.join(outputs)}] = executable({', '.join(arguments.leaves)})"
    text.lines += [run] if not getattr(executable, "binds", True) else [
        "outer, running.inside_program = running.inside_program, True",
        "try:",
        f"    {run}",
        "finally:",
        "    running.inside_program = outer",
    ]  # fmt: skip
    text.lines.append(f"return {tree_text(text, staged.out_tree, iter(values))}")
    return text.function("path", "args, kwargs")


def remember(_: Backend, jitted: JitFunction, staged: Staged, args: tuple, kwargs: dict) -> None:
    """Puts a path in front for such a call, if it is the second that was on no path.

    Or the fourth, the eighth, ...: where there are more types than paths, few are written.
    """
    if trace_ctx.trace is not eval_trace or any(jitted._donate):
        return
    staged.calls += 1
    is_due = staged.calls > 1 and not staged.calls & (staged.calls - 1)
    if is_due and not staged.tracers:
        try:
            path = write_path(staged, args, kwargs, jitted._static, jitted.__name__)
        except (NoPath, SyntaxError, RecursionError) as error:
            fall_back("jitted call", error)
            return
        others = jitted._cache.get(jitted._place, ())
        jitted._cache[jitted._place] = (path, *others[: MOST_PATHS - 1])
