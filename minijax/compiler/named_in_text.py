"""What stands in generated text: numbers of Python's own, and names of these functions.

What a reader is to recognise is spelled with harmless letters (`readable`, in core/printing.py).
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from minijax.core.arrays import Array, ArrayImpl
from minijax.core.config import derived
from minijax.core.errors import check_types
from minijax.core.jitting import as_runtime_value
from minijax.core.staging import ClosedJaxpr, JaxprEqn, enter_source, keep_source
from minijax.core.tracing import Primitive, trace_ctx, typeof


@derived
def with_plain_numbers(closed: ClosedJaxpr) -> ClosedJaxpr:
    """The program, whose parameters' integers are Python's own: others print as they like."""
    return ClosedJaxpr(closed.jaxpr.replace(eqns=list(map(_plain_eqn, closed.eqns))), closed.consts)


def _plain_eqn(eqn: JaxprEqn) -> JaxprEqn:
    if {bool, int, float, str, type(None)}.issuperset(map(type, eqn.params.values())):
        return eqn
    return eqn._replace(params={name: _plain(x) for name, x in eqn.params.items()})


def _plain(x: Any) -> Any:
    if isinstance(x, int) and type(x) is not bool:
        return operator.index(x)
    if isinstance(x, tuple):
        items = map(_plain, x)
        return type(x)(*items) if hasattr(x, "_fields") else tuple(items)
    return with_plain_numbers(x) if type(x) is ClosedJaxpr else x


# What its names stand for.


def array_of(value: np.ndarray, aval: Any) -> Array:
    """What `Array(value, aval)` is, sooner."""
    value.setflags(False)
    if isinstance(value.base, np.ndarray):
        value.base.setflags(False)
    array = object.__new__(ArrayImpl)
    array._value = value
    array.aval = aval
    return array


def contiguous(x: Array) -> np.ndarray:
    """The elements of an array in row-major order, copied where they lie otherwise."""
    value = x._value
    return value if value.flags.c_contiguous else np.ascontiguousarray(value)


def typed(x: Any, aval: Any) -> Any:
    """The same array, with this type: weak, or not."""
    return array_of(x._value, aval) if isinstance(x, Array) and x.aval is not aval else x


def caller(eqn: JaxprEqn) -> Callable:
    """Runs an equation on arrays. What carries programs is told the line that it came from."""
    bind, is_own = partial(eqn.primitive.bind, **eqn.params), is_ours(eqn.primitive)
    if is_own and not eqn.primitive.multiple_results and not eqn.effects:
        return bind

    def call(*args: Any) -> Any:
        outer = keep_source()
        try:
            enter_source(eqn, outer)
            out = bind(*args)
        finally:
            trace_ctx.source, trace_ctx.name_stack = outer
        return out if is_own else as_declared(eqn, out)

    return call


_known = WeakKeyDictionary[Primitive, bool]()


def is_ours(primitive: Primitive) -> bool:
    """Whether a module of this package has it. A user's may have any name, and be computed by a
    function of ours."""
    if primitive not in _known:
        modules = [m for name, m in list(sys.modules.items()) if name.startswith("minijax.")]
        found = [x for m in modules for x in list(vars(m).values()) if isinstance(x, Primitive)]
        _known.update(dict.fromkeys(found, True))
    return _known.setdefault(primitive, False)


def as_declared(eqn: JaxprEqn, out: Any) -> Any:
    """What a user's implementation gave, as arrays; JaxprTypeError where their types are not those
    that the rule for types gave: kernels rely on these."""
    outs = list(map(as_runtime_value, out if eqn.primitive.multiple_results else [out]))
    expected = [v.aval for v in eqn.outvars]
    check_types(eqn.primitive, "implementation", list(map(typeof, outs)), expected)
    return outs if eqn.primitive.multiple_results else outs[0]
