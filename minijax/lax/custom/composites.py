"""A composite: an operation with a name of its own, and a program that says what it computes.

A compiler that knows the name has code for it. Ours knows none, and writes the program out.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import Any, NoReturn

import numpy as np

from minijax.compiler.lowerings import register_lowering
from minijax.core.calls import check_callable
from minijax.core.errors import UnexpectedTracerError, api_boundary, describe, safe_repr
from minijax.core.forward import primitive_jvps
from minijax.core.printing import pp_by_letters
from minijax.core.pytrees import tree_flatten, tree_unflatten
from minijax.core.reverse import primitive_transposes
from minijax.core.staging import ClosedJaxpr, JaxprEqn, convert_constvars_jaxpr, jaxpr_as_fun, stage
from minijax.core.tracing import Primitive, Tracer, typeof
from minijax.lax.typechecks import INTEGER, PROGRAM, TEXT, TUPLE, called, def_typecheck

composite_p = Primitive("composite")
composite_p.multiple_results = True


@composite_p.def_impl
def _composite_impl(*args: Any, jaxpr: ClosedJaxpr, **params: Any) -> list[Any]:
    return jaxpr_as_fun(jaxpr)(*args)


@composite_p.def_abstract_eval
def _composite_rule(
    *avals: Any, jaxpr: ClosedJaxpr, name: str, version: int, attributes: tuple
) -> list[Any]:  # fmt: skip
    return called("composite", jaxpr, avals)[0]


def_typecheck(composite_p, jaxpr=PROGRAM, name=TEXT, version=INTEGER, attributes=TUPLE)


def _written_out(eqn: JaxprEqn) -> tuple:
    """The program. Its name is one that compilers take, so that others can compile it too."""
    from minijax.compiler.stablehlo.tensor_types import check_composite_name

    check_composite_name(eqn.params["name"])
    return eqn.params["jaxpr"], eqn.invars


register_lowering(composite_p, call=_written_out)
pp_by_letters.add(composite_p)


def _no_derivative(*args: Any, name: str, **params: Any) -> NoReturn:
    """What the compiler has for the name, only the caller can know the derivative of."""
    raise ValueError(
        f"The composite {name!r} has no derivative. Call it in a function with a jax.custom_jvp or "
        f"jax.custom_vjp rule."
    )


primitive_jvps[composite_p] = primitive_transposes[composite_p] = _no_derivative


class HashableArray:
    """An array among the attributes: a copy, which can be compared."""

    __slots__ = ("val",)

    def __init__(self, val: np.ndarray) -> None:
        self.val = val.copy()
        self.val.setflags(write=False)

    def _key(self) -> tuple:
        return self.val.shape, self.val.dtype, self.val.tobytes()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HashableArray) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return f"HashableArray({self.val!r})"


def _attribute(name: str, value: Any) -> tuple:
    """A keyword argument as a parameter: its name, its leaves and their tree."""
    leaves, tree = tree_flatten(value)
    return name, tuple(HashableArray(x) if isinstance(x, np.ndarray) else x for x in leaves), tree


def _refuse_tracer(x: Any, what: str, name: str) -> None:
    if isinstance(x, Tracer):
        error = UnexpectedTracerError(x)
        error.args = (
            f"{what} of the composite {name!r} is {describe(x)}. Give it as an argument by "
            f"position.",
        )
        raise error


def composite(decomposition: Callable, name: str, version: int = 0) -> Callable:
    """A function that is one operation, by a name, where programs are printed and transformed.

    `decomposition` says what it computes. What is given by position are operands; what is given by
    keyword are attributes, which it gets as they are. The operation has no derivative and no
    batching rule (ValueError and NotImplementedError); UnexpectedTracerError where an attribute
    is traced, or the function closes over a value that is. A name that is compiled has two parts or
    more, as in "my.norm"; ValueError for others.

    >>> from functools import partial
    >>> import minijax
    >>> import minijax.numpy as jnp
    >>> @partial(composite, name="my.scaled")
    ... def scaled(x, /, *, by):
    ...     return x * by
    >>> scaled(jnp.ones(2), by=3)
    Array([3., 3.], dtype=float32)
    >>> minijax.make_jaxpr(lambda x: scaled(x, by=3))(1.0)
    { lambda ; a:f32[]. let
        b:f32[] = composite[
          attributes=(('by', (3,), PyTreeDef(*)),)
          jaxpr={ lambda ; c:f32[]. let d:f32[] = mul c 3.0:f32[] in (d,) }
          name=my.scaled
          version=0
        ] a
      in (b,) }
    """
    check_callable(decomposition, "lax.composite")
    for what, value, kind in (("name", name, str), ("version", version, int)):
        if not isinstance(value, kind):
            raise TypeError(
                f"lax.composite got the {what} {safe_repr(value)}. Give a {kind.__name__}."
            )

    @api_boundary
    @wraps(decomposition)
    def composed(*args: Any, **kwargs: Any) -> Any:
        for value in kwargs.values():
            _refuse_tracer(value, "An attribute", name)
        fun = partial(decomposition, **kwargs) if kwargs else decomposition
        staged, leaves = stage(fun, args, {}, "composite", aval_of=typeof)
        consts = staged.closed.consts
        for x in consts:
            _refuse_tracer(x, "A value that is closed over by the function", name)
        program = ClosedJaxpr(convert_constvars_jaxpr(staged.closed.jaxpr), [])
        attributes = tuple(_attribute(*pair) for pair in kwargs.items())
        out = composite_p.bind(
            *consts, *leaves, jaxpr=program, name=name, version=version, attributes=attributes
        )
        return tree_unflatten(staged.out_tree, out)

    return composed
