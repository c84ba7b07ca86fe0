"""Gradients that are added to references: `f_vjp.with_refs(ref)(ct)`.

For each argument the caller says what is to become of its gradient: a value, an addition to a
reference, or nothing. What is not wanted is not computed: the linear program is run backwards
without the equations that lead from there alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from minijax.core.errors import api_boundary
from minijax.core.forward import Zero, instantiate_zeros
from minijax.core.linearization import VJP, LinearizedCall, Partial, has_tangent
from minijax.core.primitives import add_any_p
from minijax.core.programs import choose
from minijax.core.pytrees import PyTreeDef, register_pytree_node, tree_flatten
from minijax.core.reverse import UndefinedPrimal, apply_transpose
from minijax.core.staging import ClosedJaxpr, Literal, trace_to_jaxpr
from minijax.core.tracing import typeof
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.references.types import Ref

# What is asked for, and what stands in the result where no value is.


class GradValue:
    """A gradient is wanted as a value."""

    def __repr__(self) -> str:
        return "GradValue()"


class DontWant:
    """A gradient is not wanted."""

    def __repr__(self) -> str:
        return "DontWant()"


class _InPlace:
    """Stands in a result, without leaves."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self)

    def __hash__(self) -> int:
        return hash(type(self))


class GradRef(_InPlace):
    """In the place of a gradient that was added to a reference."""


class DidntWant(_InPlace):
    """In the place of a gradient that was not wanted."""


for _cls in (GradRef, DidntWant):
    register_pytree_node(_cls, lambda x: ((), None), lambda _, children, cls=_cls: cls())

# The linear program, without the inputs that are not wanted.


def without_inputs(closed: ClosedJaxpr, wanted: Sequence[bool]) -> ClosedJaxpr:
    """A linear program that uses the inputs marked, and in which the others are zero.

    An equation of zeros alone gives zeros, and a sum with zeros is its other term. Elsewhere zeros
    are written out: so they are known, and no cotangent of them is asked for.

    >>> import minijax as jax
    >>> closed = jax.make_jaxpr(lambda x, y: (2 * x, 3 * y))(1.0, 1.0)
    >>> without_inputs(closed, [True, False])
    { lambda ; a:f32[] b:f32[]. let c:f32[] = mul 2.0:f32[] a in (c, 0.0:f32[]) }
    """

    def fun(*args: Any) -> list[Any]:
        env: dict[Any, Any] = dict(zip(closed.constvars, closed.consts, strict=True))
        env |= {v: x if wants else Zero(v.aval)
                for v, x, wants in zip(closed.invars, args, wanted, strict=True)}  # fmt: skip
        live = {*choose(closed.invars, wanted)}

        def read(x: Any) -> Any:
            return x.val if type(x) is Literal else env[x]

        for eqn in closed.eqns:
            operands, is_live = list(map(read, eqn.invars)), not live.isdisjoint(eqn.invars)
            is_zero = [type(x) is Zero for x in operands]
            live |= {*eqn.outvars} if is_live else set()
            if any(is_zero) and not is_live:
                out = [Zero(v.aval) for v in eqn.outvars]
            elif any(is_zero) and eqn.primitive is add_any_p:
                out = [operands[is_zero.index(False)]]
            else:
                out = eqn.primitive.bind(*map(instantiate_zeros, operands), **eqn.params)
                out = out if eqn.primitive.multiple_results else [out]
            env |= zip(eqn.outvars, out, strict=True)
        return list(map(instantiate_zeros, map(read, closed.outvars)))

    return trace_to_jaxpr(fun, closed.in_avals, closed.jaxpr.debug_info)


# What the user calls.


@api_boundary
def with_refs(f_vjp: VJP, *places: Any) -> Partial:
    """The vjp function with a place for each gradient: for each leaf of the arguments a reference,
    which it is added to; `GradValue()`, a value as always; or `DontWant()`.

    In the result `GradRef()` and `DidntWant()` stand for those. When it is called, ValueError for
    places of another structure than the arguments have, or of another shape or dtype.

    >>> import minijax as jax
    >>> _, f_vjp = jax.vjp(jax.numpy.sin, 0.0)
    >>> ref = jax.new_ref(1.0)
    >>> f_vjp.with_refs(ref)(2.0), ref
    ((GradRef(),), Ref(3., dtype=float32, weak_type=True))
    """
    leaves, tree = tree_flatten((places, {}))
    for x in leaves:
        if not isinstance(x, Ref | GradValue | DontWant):
            raise TypeError(
                f"with_refs takes references, jax.ad.GradValue() and jax.ad.DontWant(), and got "
                f"{shown(x)}. Give one of these for each argument."
            )
    kinds = tuple(Ref if isinstance(x, Ref) else type(x) for x in leaves)
    refs = [x for x in leaves if isinstance(x, Ref)]
    return Partial(partial(run_with_places, f_vjp.func, kinds, tree), *f_vjp.args, refs)


def run_with_places(
    run_later: Callable, kinds: tuple, tree: PyTreeDef, residuals: list, refs: list, *out_cts: Any
) -> tuple:
    given = iter(refs)
    places = [next(given) if kind is Ref else kind() for kind in kinds]
    return run_later(residuals, *out_cts, apply=partial(transpose_into, places, tree))


def transpose_into(
    places: list, tree: PyTreeDef, call: LinearizedCall, residuals: list, *out_cts: Any
) -> tuple:
    if not places:
        places = [GradValue()] * len(call.in_avals)
    elif tree != call.in_tree:
        raise ValueError(
            f"with_refs got places of the structure {tree}, for arguments of {call.in_tree}. Give "
            f"one for each leaf."
        )
    for place, aval in zip(places, call.in_avals, strict=True):
        if isinstance(place, Ref) and (place.shape, place.dtype) != (aval.shape, aval.dtype):
            raise ValueError(
                f"with_refs got a {typeof(place)} for the gradient by an argument of {aval}. Give "
                f"one of its shape and dtype."
            )
    of_inputs = choose(places, map(has_tangent, call.in_avals))
    wanted = [type(place) is not DontWant for place in of_inputs]
    if not all(wanted):
        closed = without_inputs(ClosedJaxpr(call.jaxpr, residuals), wanted)
        call, residuals = call._replace(jaxpr=closed.jaxpr), closed.consts
    args = [
        UndefinedPrimal(v.aval, place if isinstance(place, Ref) else None) if wants else None
        for v, place, wants in zip(call.jaxpr.invars, of_inputs, wanted, strict=True)
    ]

    each = iter(places)

    def end(ct: Any) -> Any:
        if isinstance(place := next(each), Ref):
            return GradRef()
        return DidntWant() if type(place) is DontWant else instantiate_zeros(ct)

    return apply_transpose(call, residuals, *out_cts, args=args, end=end)
