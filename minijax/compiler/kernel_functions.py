"""What the text of a kernel may name, besides Python's own: the functions of maths/, NumPy's
scalars, and functions that a user registers.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Callable
from functools import cache
from keyword import iskeyword
from types import FunctionType
from typing import Any

import numpy as np

from minijax.compiler.kernels.elements import template_checks
from minijax.core.config import clear_caches

_SCALARS = ("bool_", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
            "float32", "float64")  # fmt: skip
# Modules whose functions kernels may call, each given by a function that imports it.
function_modules: list[Callable[[], Any]] = []


def _elementary() -> Any:
    from minijax.compiler.maths import elementary

    return elementary


function_modules.append(_elementary)


@cache
def kernel_names() -> dict[str, Any]:
    """What a kernel's text may name. To be read again when a module or a function is added."""
    functions = {name: f for module in function_modules for name, f in vars(module()).items()
                 if not name.startswith("_")}  # fmt: skip
    scalars = {name: getattr(np, name) for name in _SCALARS}
    return {**functions, **scalars, "inf": np.inf, "nan": np.nan, **registered}


_CALLED = re.compile(r"(?<![\w.])([^\W\d]\w*)\(")


def unknown_functions(text: str) -> list[str]:
    """The functions that a text calls by name, and that kernels don't have.

    >>> unknown_functions("exp_f32(v0) + max(v0, 1)"), unknown_functions("no_such_f32(v0)")
    ([], ['no_such_f32'])
    """
    names, called = kernel_names(), dict.fromkeys(_CALLED.findall(text))
    return [name for name in called if name not in names and not hasattr(builtins, name)]


template_checks.append(lambda text: not unknown_functions(text))


# Functions of the user's.

registered: dict[str, Callable] = {}
# What the texts of kernels call their own: arguments, variables, counters, parts.
_OURS = re.compile(r"[a-z](_?\d+)*|lo|hi|kernel|part\d*|range|min|max|abs|int|float|bool|np|math")


def add_name(name: str, fun: Callable) -> None:
    """Lets the texts of kernels call `fun` by a name. What called another by it is forgotten."""
    if registered.get(name, fun) is not fun:
        clear_caches()
    registered[name] = fun
    kernel_names.cache_clear()


def register_kernel_function(fun: Callable, name: str | None = None) -> Callable:
    """Lets kernels call a function of numbers, by its name or another; returns it.

    A template may then hold NAME({0}), or
    NAME_{t}({0}): that is the function in float32 or float64, where its literals are of the same
    precision. Numba has to be able to compile it; what it calls must be Numba's too, or registered.
    The same function has to be the primitive's implementation, on NumPy. What was compiled with an
    earlier function of this name is compiled again.

    ValueError for a name that is no Python name, or that kernels use; TypeError for what is no
    function written in Python, or closes over something.

    >>> @register_kernel_function
    ... def half(x):
    ...     return 0.5 * x
    >>> "half_f32" in kernel_names()
    True
    """
    from minijax.compiler.maths.precisions import both, inlined

    python = getattr(fun, "py_func", fun)  # of one that Numba has compiled already
    check_function(python)
    name = python.__name__ if name is None else name
    check_name(name)
    single, double = both(python)
    for suffix, one in (("", inlined(python)), ("_f32", single), ("_f64", double)):
        add_name(name + suffix, one)
    return fun


def check_function(fun: Any) -> None:
    """TypeError for what is no function written in Python, or closes over something."""
    if not isinstance(fun, FunctionType):
        raise TypeError(
            "register_kernel_function takes a function written in Python, and got "
            f"{type(fun).__name__}. Wrap it in one."
        )
    if fun.__closure__:
        raise TypeError(
            f"register_kernel_function got {fun.__name__}, which closes over "
            f"{', '.join(fun.__code__.co_freevars)}. Make these its arguments, or a module's."
        )


def check_name(name: str) -> None:
    """ValueError for a name that can't stand in a kernel's text, or stands for something else."""
    if not name.isidentifier() or iskeyword(name) or _OURS.fullmatch(name):
        raise ValueError(
            f"register_kernel_function got the name {name!r}, which is no name in Python, or which "
            "kernels use themselves. Give another as `name`."
        )
    if name in kernel_names() and name not in registered:
        raise ValueError(
            f"register_kernel_function got the name {name!r}, which one of minijax's own functions "
            "has. Give another as `name`."
        )


def users_functions(source: str) -> tuple[Callable, ...]:
    """The functions that a kernel's text may call and that are not this package's."""
    names = kernel_names()
    used = sorted({*re.findall(r"\w+", source)} & names.keys())
    return tuple(names[name] for name in used if name in registered
                 or isinstance(names[name], FunctionType)
                 and not str(names[name].__module__).startswith("minijax."))  # fmt: skip


def whose_fault(error: Exception, source: str) -> Exception:
    """What to raise where Numba can't compile a text: a function of the user's is to blame."""
    called = ", ".join(f.__name__ for f in users_functions(source))
    return error if not called else TypeError(
        f"Numba can't compile a kernel that calls {called}: {why_not(error)}\n"
        f"Let {called} do only what Numba knows, for numbers of these types."
    )  # fmt: skip


def why_not(error: Exception) -> str:
    """The first line of an error of Numba's that says what it could not do."""
    lines = re.sub(r"\x1b\[\d*m", "", str(error)).strip().splitlines()
    said = [line for line in lines if line.strip() and not line.startswith("Failed in ")]
    return said[0] if said else type(error).__name__
