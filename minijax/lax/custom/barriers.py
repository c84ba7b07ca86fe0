"""A barrier: values pass through it unchanged, and no program may be simplified across it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minijax.compiler.lowerings import register_lowering
from minijax.core.arrays import is_array_like
from minijax.core.batching import primitive_batchers
from minijax.core.forward import instantiate_zeros, primitive_jvps
from minijax.core.jitting import as_runtime_value
from minijax.core.pytrees import tree_flatten, tree_unflatten
from minijax.core.reverse import primitive_transposes
from minijax.core.tracing import Primitive
from minijax.lax.elementwise.arithmetic import shown

optimization_barrier_p = Primitive("optimization_barrier")
optimization_barrier_p.multiple_results = True
optimization_barrier_p.def_impl(lambda *args: list(map(as_runtime_value, args)))
optimization_barrier_p.def_abstract_eval(lambda *avals: list(avals))
register_lowering(optimization_barrier_p, opaque=True)


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
