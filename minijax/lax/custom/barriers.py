"""A barrier: values pass through it unchanged, and no program may be simplified across it.

When the passes have ended it has done its work in a loop or a branch, and goes: to a kernel its
results are its operands. Between kernels it stays, so that none computes what comes behind it with
what comes before it, and keeps that in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from minijax.compiler.executable import CALLERS, PASSES
from minijax.compiler.lowerings import lowerings, register_lowering
from minijax.compiler.passes.rewriting import Draft, forward
from minijax.compiler.special_cases.other_types import holds, with_programs
from minijax.core.arrays import is_array_like
from minijax.core.batching import primitive_batchers
from minijax.core.config import derived
from minijax.core.forward import instantiate_zeros, primitive_jvps
from minijax.core.jitting import as_runtime_value
from minijax.core.pytrees import tree_flatten, tree_unflatten
from minijax.core.reverse import primitive_transposes
from minijax.core.staging import Atom, ClosedJaxpr, Jaxpr, JaxprEqn, Var
from minijax.core.tracing import Primitive
from minijax.lax.elementwise.arithmetic import shown

optimization_barrier_p = Primitive("optimization_barrier")
optimization_barrier_p.multiple_results = True
optimization_barrier_p.def_impl(lambda *args: list(map(as_runtime_value, args)))
optimization_barrier_p.def_abstract_eval(lambda *avals: list(avals))


def _barrier_jvp(primals: Sequence[Any], tangents: Sequence[Any]) -> tuple:
    """Tangents have a barrier of their own."""
    tangents = list(map(instantiate_zeros, tangents))
    return optimization_barrier_p.bind(*primals), optimization_barrier_p.bind(*tangents)


def _barrier_transpose(cts: Sequence[Any], *primals: Any) -> list[Any]:
    return optimization_barrier_p.bind(*map(instantiate_zeros, cts))


def _barrier_batcher(args: Sequence[Any], dims: Sequence[Any]) -> tuple:
    return optimization_barrier_p.bind(*args), dims


primitive_jvps[optimization_barrier_p] = _barrier_jvp
primitive_transposes[optimization_barrier_p] = _barrier_transpose
primitive_batchers[optimization_barrier_p] = _barrier_batcher


# In compiled programs.


def _one_by_one(eqn: JaxprEqn) -> tuple | None:
    """A barrier of several operands as one of each, whatever their dtypes."""
    if len(eqn.invars) == 1:
        return None
    pairs = [([Var(x.aval)], [Var(x.aval)]) for x in eqn.invars]
    eqns = [eqn._replace(invars=before, outvars=behind) for before, behind in pairs]
    invars, outvars = [[v for pair in pairs for v in pair[k]] for k in (0, 1)]
    return ClosedJaxpr(Jaxpr([], invars, outvars, eqns), []), eqn.invars


def _of_words(words: Any) -> Any:
    return optimization_barrier_p.bind(words)[0]


register_lowering(
    optimization_barrier_p, opaque=True, call=_one_by_one, on_words=_of_words, on_halves="moved"
)


@derived
def _without_barriers(closed: ClosedJaxpr) -> ClosedJaxpr:
    """The program, and those that it carries, without barriers."""

    def visit(draft: Draft, eqn: JaxprEqn) -> Sequence[Atom]:
        if eqn.primitive is optimization_barrier_p:
            return eqn.invars
        return draft.write(eqn._replace(params=with_programs(eqn.params, _without_barriers)))

    return forward(closed, visit) if holds(closed.jaxpr, optimization_barrier_p) else closed


def without_inner_barriers(closed: ClosedJaxpr) -> ClosedJaxpr:
    """The program without the barriers in its loops and branches."""

    def visit(draft: Draft, eqn: JaxprEqn) -> Sequence[Atom]:
        if eqn.effects or not lowerings[eqn.primitive].loop:
            return draft.write(eqn)
        return draft.write(eqn._replace(params=with_programs(eqn.params, _without_barriers)))

    return forward(closed, visit) if holds(closed.jaxpr, optimization_barrier_p) else closed


def _as_they_are(*operands: Any) -> Sequence[Any]:
    return operands


def _between_kernels(eqn: JaxprEqn) -> Callable | None:
    return _as_they_are if eqn.primitive is optimization_barrier_p else None


PASSES.append(without_inner_barriers)
CALLERS.insert(0, _between_kernels)


def optimization_barrier(operand: Any) -> Any:
    """The pytree, unchanged. No compiler merges operations before the barrier with ones after it.

    >>> optimization_barrier((1.0, 2))
    (Array(1., dtype=float32, weak_type=True), Array(2, dtype=int32, weak_type=True))
    """
    leaves, tree = tree_flatten(operand)
    for x in leaves:
        if not is_array_like(x):
            raise TypeError(
                f"lax.optimization_barrier takes arrays and numbers, and got {shown(x)}. Leave "
                f"it out."
            )
    return tree_unflatten(tree, optimization_barrier_p.bind(*leaves))
