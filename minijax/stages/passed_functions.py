"""What the function is called that was passed: a lambda has a line, and `vmap(grad(f))` is no f."""

from __future__ import annotations

from functools import partial
from typing import Any

from minijax.core.errors import place

_INNER = "_fun"  # how a transformation calls the function that it returns: vmap_fun


def name_passed(fun: Any) -> str:
    """A function's name, with the transformations around it; of a lambda, its place too.

    >>> from minijax.core.batching import vmap
    >>> from minijax.core.reverse import grad
    >>> def loss(x): return x * x
    >>> name_passed(vmap(grad(loss))), name_passed(partial(loss, 1.0))
    ('vmap(grad(loss))', 'partial(loss)')
    """
    around, layers = list[str](), 0
    while layers < 100:  # (a function that wraps itself has no end)
        layers += 1
        if isinstance(fun, partial):
            around.append("partial")
            fun = fun.func
            continue
        code = getattr(fun, "__code__", None)
        name = code.co_name if code else ""
        if is_own(fun) and name.endswith(_INNER):
            around.append(name.removesuffix(_INNER))
        if not hasattr(fun, "__wrapped__"):
            break
        fun = fun.__wrapped__
    own = getattr(fun, "__name__", None) or type(fun).__name__
    code = getattr(fun, "__code__", None)
    where = f" ({place(code, code.co_firstlineno)})" if own == "<lambda>" and code else ""
    return "".join(f"{name}(" for name in around) + str(own) + ")" * len(around) + where


def is_own(fun: Any) -> bool:
    return str(getattr(fun, "__globals__", {}).get("__name__", "")).startswith("minijax.")
