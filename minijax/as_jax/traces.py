"""`Trace`, of which libraries make classes of their own.

In JAX a call of a function with a forward rule comes to a trace by a method of its own. Here it is
a primitive like the others; a class that has that method is asked by it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from minijax.core.extend import Primitive, Trace
from minijax.custom_derivatives import custom_jvp_call_p
from minijax.extend.core.calls_with_rules import subfuns_of

__all__ = ["Trace"]


def _with_calls(process: Callable) -> Callable:
    @wraps(process)
    def process_primitive(
        self: Any, primitive: Primitive, args: Sequence[Any], params: dict
    ) -> Any:
        if primitive is not custom_jvp_call_p:
            return process(self, primitive, args, params)
        return self.process_custom_jvp_call(
            primitive, *subfuns_of(params), args, symbolic_zeros=params["symbolic_zeros"]
        )

    return process_primitive


def _of_library(cls: type) -> None:
    if "process_custom_jvp_call" in vars(cls):
        cls.process_primitive = _with_calls(cls.process_primitive)


Trace.__init_subclass__ = classmethod(_of_library)
