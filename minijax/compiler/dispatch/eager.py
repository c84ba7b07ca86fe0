"""Operations outside jit: what a call with operands of these types comes to, worked out once.

The first call of a function goes the long way: it checks, promotes, binds primitives. What it finds
depends on the types of the operands alone. So it is traced once for each of them, and written down
as a path: straight-line NumPy between unwrapping and wrapping. Later calls look for the path of
their types. Nothing is compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import partial, wraps
from inspect import CO_VARARGS, CO_VARKEYWORDS
from itertools import chain
from typing import Any

import numpy as np

from minijax.compiler.dispatch.call_keys import NUMBERS, NoPath, operand_key, settings, static_value
from minijax.compiler.dispatch.straight_line import or_else, run_text
from minijax.compiler.fallbacks import instead
from minijax.compiler.generated_text import TextWriter
from minijax.compiler.named_in_text import array_of
from minijax.core.arguments import split_static, static_key, value_key
from minijax.core.arrays import Array, ArrayImpl, as_array, is_number, raw_value
from minijax.core.config import BoundedDict, Config, config, register_cache
from minijax.core.errors import leave, warned
from minijax.core.jitting import JitFunction
from minijax.core.primitives import check_value
from minijax.core.pytrees import PyTreeDef, entry_of, tree_map
from minijax.core.staging import stage
from minijax.core.tracing import eval_trace, trace_ctx
from minijax.face.nan_checks import call_as_one, is_searching
from minijax.face.transfer_guards import guarded_call, is_guarding


def holds_array(x: Any) -> bool:
    if type(x) is tuple or type(x) is list:
        return any(map(holds_array, x))
    return type(x) is ArrayImpl


# Paths: Python that is written for one key.


def checked_array_of(value: np.ndarray, aval: Any) -> Array:
    """`array_of` with `jax_enable_checks`: JaxprTypeError for a value of another type."""
    check_value("a call", "path", value, aval)
    return array_of(value, aval)


def array_wrapper() -> Callable:
    """What a path makes its results with, under the settings of now."""
    return checked_array_of if config.jax_enable_checks else array_of


def leaf_texts(x: Any, text: str) -> Iterator[tuple[str, Any]]:
    """The leaves of an argument, with the expressions that take them out of it."""
    if isinstance(x, tuple | list):
        for i, item in enumerate(x):
            yield from leaf_texts(item, f"{text}[{i}]")
    elif x is not None:
        yield text, x


class Paths(BoundedDict):
    """The paths of a function, by the types of its operands.

    `static` names the arguments whose value counts, by position and by keyword; None: all that
    hold no array. A path is written at the second call, or at the first where `check` is given,
    which raises for arguments that will not do.
    """

    def __init__(
        self, fun: Callable, static: Collection[Any] | None, long_way: Callable,
        check: Callable | None = None,
    ) -> None:  # fmt: skip
        super().__init__(limit=512)
        register_cache(self.clear)
        self.fun, self.static, self.long_way, self.check = fun, static, long_way, check

    def is_static(self, place: Any, x: Any) -> bool:
        """Whether the value of an argument counts: then it is in the key, and in the path."""
        return not holds_array(x) if self.static is None else place in self.static

    def key(self, args: tuple, kwargs: dict) -> tuple:
        """The settings, and for each argument its value or its type; NoPath where it has none."""
        types, static = [settings(), *kwargs], self.static
        for place, x in chain(enumerate(args), kwargs.items()):
            if type(x) is ArrayImpl and (static is None or place not in static):
                types.append(x.aval)
            elif self.is_static(place, x):
                types.append(static_value(x))
            else:
                types.append(operand_key(x))
        return tuple(types)

    def call(self, args: tuple, kwargs: dict) -> Any:
        """The function's result, on the path of these types if there is one."""
        try:
            key = self.key(args, kwargs)
        except NoPath:
            return self.long_way(*args, **kwargs)
        path = self.get(key)
        return new_call(self, key, args, kwargs) if path is None else path(*args, **kwargs)

    def write(self, args: tuple, kwargs: dict) -> Callable:
        """The path of calls with arguments of these types; NoPath where there can't be one."""
        return path_of(self, args, kwargs)


def new_call(paths: Paths, key: tuple, args: tuple, kwargs: dict) -> Any:
    """A call whose types are here for the first or the second time."""
    if config.jax_disable_jit:
        return paths.long_way(*args, **kwargs)
    if is_searching():
        return call_as_one(paths.long_way, args, kwargs)
    if is_guarding():
        return guarded_call(paths.long_way, args, kwargs, is_operation(paths))
    if paths.check or key in paths:
        try:
            path = paths.write(args, kwargs)
        except Exception as error:
            failed = error.with_traceback(None)  # which holds this frame
        else:
            paths[key] = path
            return path(*args, **kwargs)
        paths[key] = paths.long_way
        return instead("path", failed, paths.long_way, *args, **kwargs)
    before = warned.times
    out = paths.long_way(*args, **kwargs)
    has_path = warned.times == before and out is not NotImplemented
    paths[key] = None if has_path else paths.long_way
    return out


def is_operation(paths: Paths) -> bool:
    """Whether all arguments are operands, and none says how to compute."""
    return type(paths.fun) is not JitFunction and number_of_operands(paths.fun) > 0


def path_of(paths: Paths, args: tuple, kwargs: dict) -> Callable:
    """The path to the program of such a call, as `stage` has it; NoPath where it won't do."""
    nums = tuple(i for i, x in enumerate(args) if paths.is_static(i, x))
    names = tuple(name for name, x in kwargs.items() if paths.is_static(name, x))
    fun, *operands_alone, static = split_static(paths.fun, args, kwargs, nums, names)
    if paths.check:
        paths.check(*args, **kwargs)
        static_key(static, paths.fun)  # ValueError where jit raises it
    try:
        staged, _ = stage(fun, *operands_alone, "jit", cache={})  # kept by the path's own key
    except (TypeError, IndexError) as error:
        raise NoPath("the function needs the values in an array") from error
    if staged.tracers or staged.closed.effects:
        raise NoPath("what a path can't do")
    operands = [(f"p{i}", x) for i, x in enumerate(args) if i not in nums]
    text = TextWriter(long_way=paths.long_way, instead=instead)
    operands += [(f"named[{text.name(k)}]", kwargs[k]) for k in sorted(kwargs) if k not in names]
    leaves = [leaf for name, x in operands for leaf in leaf_texts(x, name)]
    parameters = [f"p{i}" for i in range(len(args))] + ["**named"] * bool(kwargs)
    return write_path(text, staged, leaves, parameters)


def write_path(text: TextWriter, staged: Any, leaves: list, parameters: list[str]) -> Callable:
    """A function that unwraps the leaves, runs the program, and wraps its results.

    Where an array was deleted, or anything fails, it goes the long way, which says so.
    """
    names = [f"x{i}" for i, _ in enumerate(leaves)]
    forms = {ArrayImpl: "{}._value", **dict.fromkeys(NUMBERS, "{}")}
    for name, (expression, x) in zip(names, leaves, strict=True):
        form = forms.get(type(x), text.name(raw_value) + "({})")
        text.emit(f"{name} = {form.format(expression)}")
    arrays = [name for name, (_, x) in zip(names, leaves, strict=True) if type(x) is ArrayImpl]
    are_numbers = [type(x) in NUMBERS for _, x in leaves]
    operands = [expression if type(x) is ArrayImpl else "" for expression, x in leaves]
    outs, line = run_text(text, staged.closed, operands, names, are_numbers, array_wrapper())
    given = ", ".join(parameters)
    if arrays:
        text.emit(f"if {' or '.join(f'{x} is None' for x in arrays)}: return long_way({given})")
    result = tree_text(text, staged.out_tree, iter(outs))
    or_else(text, line, result, f"'call', failed, long_way, {given}")
    return text.function("path", ", ".join(parameters))


def tree_text(text: TextWriter, treedef: PyTreeDef, leaves: Iterator[str]) -> str:
    """The expression for a tree, from those of its leaves."""
    cls, aux = treedef._type, treedef._aux
    if cls is None:
        return next(leaves)
    if cls is type(None):
        return "None"
    children = [f"{tree_text(text, child, leaves)}, " for child in treedef._children]
    if cls is list:
        return f"[{''.join(children)}]"
    if cls is dict:
        pairs = zip(map(text.name, aux), children, strict=True)
        return "{" + "".join(f"{key}: {child}" for key, child in pairs) + "}"
    together = f"({''.join(children)})"
    if cls is tuple:
        return together
    return f"{text.name(entry_of(cls).unflatten)}({text.name(aux)}, {together})"


# What puts paths in front of a function. Under a transformation there are none.


def by_types(
    fun: Callable | None = None, *, static: Collection[Any] | None = None,
    by_value: bool | None = None, check: Callable | None = None,
) -> Callable:  # fmt: skip
    """`fun`, a function of arrays whose program depends on its arguments' types alone.

    Its calls outside transformations go by `Paths`; each is written when its types come again.
    `static` names the arguments whose value counts. Without it, `by_value` says whether the value
    of all counts that hold no array, as the divisor's in x % 2; it does unless all arguments are
    given by position alone, as operands are. `check` raises for arguments that will not do. A
    jitted function is not compiled then, and has its own static arguments. Without `fun`, a
    decorator.
    """
    if fun is None:
        return partial(by_types, static=static, by_value=by_value, check=check)
    if type(fun) is JitFunction:
        paths = jitted_paths(fun, check or (lambda *args, **kwargs: None))
        call = any_call(paths)
    else:
        operands = number_of_operands(fun)
        by_value = not operands if by_value is None else by_value
        paths = Paths(fun, None if static is None and by_value else static or (), fun, check)
        short = {1: unary_call, 2: binary_call} if static is None else {}
        call = short.get(operands, any_call)(paths)
    call.is_boundary, call.paths = True, paths
    return wraps(paths.fun)(call)


def number_of_operands(fun: Callable) -> int:
    """How many arguments a function takes, by position alone; 0 if it may take others, or less."""
    code = fun.__code__
    others = code.co_argcount - code.co_posonlyargcount + code.co_kwonlyargcount
    others += code.co_flags & (CO_VARARGS | CO_VARKEYWORDS)
    return 0 if others or fun.__defaults__ else code.co_argcount


def jitted_paths(jitted: JitFunction, check: Callable) -> Paths:
    """The paths of a jitted function, whose long way is a call of it."""
    static = {*jitted._static[0], *jitted._static[1]}

    def operand(place: Any, x: Any) -> Any:
        return x if place in static else tree_map(_array_of_number, x)

    def checked(*args: Any, **kwargs: Any) -> Any:
        check(*args, **kwargs)
        if config.jax_disable_jit:  # then the function gets no tracers, and counts on arrays
            args = tuple(operand(place, x) for place, x in enumerate(args))
            kwargs = {name: operand(name, x) for name, x in kwargs.items()}
        return jitted(*args, **kwargs)

    return Paths(jitted._fun, static, checked, check)


def _array_of_number(x: Any) -> Any:
    return as_array(x) if is_number(x) or isinstance(x, np.ndarray) else x


# Calls: of any arguments, and shorter, of one operand and of two.


def any_call(paths: Paths) -> Callable:
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            if trace_ctx.trace is eval_trace:
                return paths.call(args, kwargs)
            return paths.long_way(*args, **kwargs)
        except (Exception, KeyboardInterrupt) as error:
            leave(error, paths.fun)
            raise

    return call


def unary_call(paths: Paths) -> Callable:
    of_other = partial(value_key, of_other=type) if paths.static is None else type

    def call(x: Any, /) -> Any:
        try:
            if trace_ctx.trace is not eval_trace:
                return paths.long_way(x)
            settings = config.trace_key() if config.__dict__ else Config.process_key
            path = paths.get((settings, x.aval if type(x) is ArrayImpl else of_other(x)))
            return paths.call((x,), {}) if path is None else path(x)
        except (Exception, KeyboardInterrupt) as error:
            leave(error)
            raise

    return call


def binary_call(paths: Paths) -> Callable:
    of_other = partial(value_key, of_other=type) if paths.static is None else type

    def call(x: Any, y: Any, /) -> Any:
        try:
            if trace_ctx.trace is not eval_trace:
                return paths.long_way(x, y)
            key = (
                config.trace_key() if config.__dict__ else Config.process_key,
                x.aval if type(x) is ArrayImpl else of_other(x),
                y.aval if type(y) is ArrayImpl else of_other(y),
            )  # fmt: skip
            path = paths.get(key)
            return paths.call((x, y), {}) if path is None else path(x, y)
        except (Exception, KeyboardInterrupt) as error:
            leave(error)
            raise

    return call
