"""set_xla_metadata: what XLA is told of operations, as `frontend_attributes`, for its own tools.

It changes no result. Told of a value, it is an identity equation, which gives its attributes to the
operation before it. Told of a block, every equation recorded there has it among its scopes, so
those that a derivative makes of it have it too. It is part of every cache's key: a program that was
traced elsewhere has other attributes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import update_wrapper, wraps
from typing import Any

from minijax.compiler.lowerings import register_lowering
from minijax.compiler.passes.factors import elementwise, factors
from minijax.compiler.passes.identities import same
from minijax.compiler.stablehlo.frontend_attributes import FrontendAttributes
from minijax.compiler.stablehlo.operation_rules import rule
from minijax.core.arrays import as_array
from minijax.core.batching import defvectorized
from minijax.core.config import config
from minijax.core.errors import api_boundary
from minijax.core.pytrees import tree_map
from minijax.core.reverse import deflinear2
from minijax.core.staging import JaxprTrace
from minijax.core.tracing import Primitive
from minijax.lax.elementwise.arithmetic import shown

# Of a value.

xla_metadata_value_p = Primitive("xla_metadata_value")
xla_metadata_value_p.def_impl(lambda x, *, xla_metadata_kvs: as_array(x))
xla_metadata_value_p.def_abstract_eval(lambda x, *, xla_metadata_kvs: x)
defvectorized(xla_metadata_value_p)
deflinear2(xla_metadata_value_p, lambda ct, x, **params: [ct])
register_lowering(xla_metadata_value_p, identity=same)
factors[xla_metadata_value_p] = elementwise


@rule("xla_metadata_value", keys=True)
def _xla_metadata_value(b: Any, outs: Sequence, x: Any, *, xla_metadata_kvs: tuple) -> Any:
    b.tell([x], dict(xla_metadata_kvs))
    return x


# Of a block.


def _recording(record: Callable) -> Callable:
    """What records equations: in a block, each has the block's attributes as its inmost scope."""

    @wraps(record)
    def recorded(self: JaxprTrace, primitive: Primitive, args: Sequence, params: dict) -> Any:
        out = record(self, primitive, args, params)
        if config.xla_metadata is not None:
            eqn = self.frame.eqns[-1]
            names = (*eqn.source_info.name_stack, config.xla_metadata)
            self.frame.eqns[-1] = eqn._replace(
                source_info=eqn.source_info._replace(name_stack=names)
            )
        return out

    return recorded


_put_in: list[Callable] = []


def _checked(told: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """The names with their values, in order; TypeError for one that no cache's key can have."""
    for name, value in told.items():
        try:
            hash(value)
        except TypeError:
            raise TypeError(
                f"set_xla_metadata got {shown(value)} as {name}, which can't be hashed. Give a "
                f"number, a bool or a text."
            ) from None
    return tuple(sorted(told.items()))


class XlaMetadataContextManager:
    """A block, or a function that it decorates, whose operations XLA is told something of."""

    def __init__(self, updates: Mapping[str, Any]) -> None:
        self.updates, self.outer = dict(_checked(updates)), list[Any]()

    def __enter__(self) -> None:
        if not _put_in:  # whoever tells XLA nothing pays nothing
            _put_in.append(JaxprTrace.record)
            JaxprTrace.record = _recording(JaxprTrace.record)  # type: ignore[method-assign]
        outer = config.xla_metadata
        self.outer.append(outer)
        told = (outer.told if outer is not None else {}) | self.updates
        told = {name: value for name, value in told.items() if value is not None}
        vars(config)["xla_metadata"] = FrontendAttributes(told) if told else None

    def __exit__(self, *exception: Any) -> None:
        outer = self.outer.pop()
        if outer is None:
            vars(config).pop("xla_metadata", None)
        else:
            vars(config)["xla_metadata"] = outer

    @api_boundary
    def __call__(self, fun: Callable) -> Callable:
        if not callable(fun):
            raise TypeError(
                f"set_xla_metadata, without a value, decorates a function, and got {shown(fun)}. "
                f"Give the value as its first argument, to tell XLA of that."
            )
        return _InBlock(fun, self)


class _InBlock:
    """A function, and its methods (`lower`, of a jitted one), called in a block."""

    def __init__(self, fun: Callable, block: XlaMetadataContextManager) -> None:
        self._fun, self._block = fun, block
        update_wrapper(self, fun, updated=())

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        with self._block:
            return self._fun(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._fun, name)
        return _InBlock(found, self._block) if callable(found) else found


def set_xla_metadata(x: Any = None, **kwargs: Any) -> Any:
    """Tells XLA something of operations, by name, as `mhlo.frontend_attributes` of StableHLO.

    With a pytree of arrays, it returns it, and tells of the operations that gave its leaves.
    Without, it is a context, and a decorator: it tells of all operations in it, and of those of
    their derivatives; None takes back what a context around has told.

    >>> from minijax.core.jitting import jit
    >>> import minijax.stages  # for lower
    >>> def f(x):
    ...     return set_xla_metadata(x * 2.0, breakpoint=True)
    >>> print(jit(f).lower(1.0).as_text().splitlines()[3].strip())
    %0 = stablehlo.multiply %arg0, %cst {mhlo.frontend_attributes = {breakpoint = "true"}} : tensor<f32>
    """  # noqa: E501
    if x is None:
        return XlaMetadataContextManager(kwargs)
    told = _checked(kwargs)
    return tree_map(lambda leaf: xla_metadata_value_p.bind(leaf, xla_metadata_kvs=told), x)
