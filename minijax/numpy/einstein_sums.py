"""Sums of products, written with an index for each axis: `ij,jk->ik` is the matrix product.

Which two operands are brought together first is opt_einsum's business. Each pair is one
`dot_general`: an index that the result lacks is summed over.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import Any

import numpy as np

from minijax import lax
from minijax.compiler.dispatch.eager import by_types
from minijax.core.arguments import ShapeDtypeStruct
from minijax.core.arrays import result_aval_type
from minijax.core.dtypes import SymbolicDimension, is_constant_shape
from minijax.core.primitives import cast, zeros
from minijax.core.tracing import typeof
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.out_sharding import lying, with_axes
from minijax.numpy.arguments import check_arraylike, refuse_keys, refuse_out, user_dtype


@by_types
def einsum(
    subscripts: Any, /, *operands: Any, out: None = None, optimize: Any = "auto",
    precision: Any = None, preferred_element_type: Any = None,
    _dot_general: Callable = lax.dot_general, out_sharding: Any = None,
) -> Any:  # fmt: skip
    """The sum of products that the subscripts say: one letter for each axis of each operand, commas
    between operands, and the letters of the result behind an arrow.

    A letter that the result lacks is summed over; without an arrow, one that stands twice is.
    A letter twice in one operand takes its diagonal. `...` stands for any further axes, which are
    broadcast. Instead of text, operands and lists of integers may take turns.

    `optimize` is how opt_einsum looks for the order of products, or the order itself: a list of
    pairs of places; False for one after the other. The result has the dtype that the operands
    promote to, or `preferred_element_type`, and lies on devices as `out_sharding` says. Each
    product is one of `_dot_general`. ValueError for subscripts that do not fit.

    >>> einsum("ij,jk->ik", np.array([[1, 2]]), np.array([[3], [4]]))
    Array([[11]], dtype=int32)
    >>> einsum("ii", np.eye(3))
    Array(3., dtype=float32)
    """
    name = "jnp.einsum"
    refuse_out(name, out)
    left, steps = _steps(name, subscripts, operands, optimize)
    check_arraylike(name, *left)
    refuse_keys(name, *left)
    if preferred_element_type is None:
        dtype, weak_type = result_aval_type([typeof(x) for x in left])
    else:
        dtype, weak_type = user_dtype(name, preferred_element_type), False
    for step, (places, _, text, *_) in enumerate(steps, 1):
        names, result = text.split("->")
        terms = [_Term(left.pop(i), ix) for i, ix in zip(places, names.split(","), strict=True)]
        if len(terms) == 1:
            term = _summed(terms[0], result)
        elif len(terms) == 2:
            last = out_sharding if step == len(steps) else None
            dot = partial(_dot_general, precision=precision, preferred_element_type=dtype)
            term = _product(*terms, result, dot, last)
        else:
            raise NotImplementedError(
                f"{name} brings two operands together at a time, and optimize asks for "
                f"{len(terms)}.\nGive pairs of places."
            )
        left.append(lax.transpose(term.x, [term.names.index(n) for n in result]))
    return lying(name, cast(left[0], dtype, weak_type), out_sharding)


def einsum_path(
    subscripts: Any, /, *operands: Any, optimize: Any = "auto"
) -> tuple[list[tuple[int, ...]], Any]:
    """In which order `einsum` brings operands together, and opt_einsum's account of it.

    >>> einsum_path("i,i", np.ones(3), np.ones(3))[0]
    [(0, 1)]
    """
    import opt_einsum

    optimize = _order(subscripts, operands, optimize)
    return _read("jnp.einsum_path", opt_einsum.contract_path, subscripts, operands, optimize)


# What opt_einsum says.


def _order(subscripts: Any, operands: Sequence[Any], optimize: Any) -> Any:
    """`optimize` as opt_einsum takes it; False means the first two, again and again."""
    if isinstance(optimize, bool):
        count = len(operands) if isinstance(subscripts, str) else 1 + len(operands) // 2
        return "optimal" if optimize else [(0, 1)] * (count - 1) or [(0,)]
    return optimize


def _steps(
    fun_name: str, subscripts: Any, operands: Sequence[Any], optimize: Any
) -> tuple[list[Any], list[Any]]:
    """The operands, and for each step the places of those that it takes, counted from 0 among
    those that are left, and the subscripts; what it makes goes to the end."""
    import opt_einsum

    optimize = _order(subscripts, operands, optimize)
    shown_to_it = [_with_known_sizes(x) for x in operands]
    left, steps = _read(
        fun_name, opt_einsum.contract_path, subscripts, shown_to_it, optimize, einsum_call=True
    )
    of_stand_ins = {id(new): old for new, old in zip(shown_to_it, operands, strict=True)}
    return [of_stand_ins.get(id(x), x) for x in left], steps


def _with_known_sizes(x: Any) -> Any:
    """An operand, or what has 8 for each symbolic size of its shape: the order of products alone
    depends on these, and lax checks them."""
    shape = getattr(x, "shape", ())
    if not is_constant_shape(shape):
        sizes = [8 if isinstance(n, SymbolicDimension) else n for n in shape]
        return ShapeDtypeStruct(sizes, x.dtype)
    return x


def _read(
    fun_name: str, contract_path: Any, subscripts: Any, operands: Sequence[Any], optimize: Any,
    **options: Any,
) -> Any:  # fmt: skip
    try:
        return contract_path(subscripts, *operands, optimize=optimize, **options)
    except Exception as error:  # it asks for an operand's repr, which may raise
        kind = next((k for k in (TypeError, IndexError) if isinstance(error, k)), ValueError)
        shapes = [tuple(x.shape) for x in operands if hasattr(x, "shape")]
        raise kind(
            f"{fun_name} got {shown(subscripts)} for arrays of shapes {shapes}, and optimize="
            f"{shown(optimize)}.\nGive arrays, and a letter for each axis, of one size wherever it "
            f"stands, in the result once."
        ) from error


# One operand, and two.


class _Term:
    """An array, and a letter for each of its axes."""

    def __init__(self, x: Any, names: str) -> None:
        self.x, self.names = x, names

    def sizes(self) -> dict[str, int]:
        return dict(zip(self.names, typeof(self.x).shape, strict=True))


def _summed(term: _Term, kept: str) -> _Term:
    """The term with each letter once, and only those that are kept."""
    x, names = term.x, term.names
    repeated = {n for n in names if names.count(n) > 1}
    for name in sorted(repeated, key=names.index):
        places = [i for i, n in enumerate(names) if n == name]
        x = lax.select(_on_diagonal(typeof(x).shape, places), x, zeros(typeof(x)))
    # Of a letter that stands several times, the last place stays.
    gone = [i for i, n in enumerate(names) if n not in kept or n in names[i + 1 :]]
    if gone:
        x = (lax.reduce_or if typeof(x).dtype == np.bool_ else lax.reduce_sum)(x, gone)
    return _Term(x, "".join(n for i, n in enumerate(names) if i not in gone))


def _on_diagonal(shape: tuple[int, ...], places: Sequence[int]) -> Any:
    """Whether the indices along some axes are one number, as bools of a shape."""
    sizes = [shape[i] for i in places]
    counts = [lax.broadcasted_iota(np.uint32, sizes, d) for d in range(len(sizes))]
    pairs = zip(counts[:-1], counts[1:], strict=True)
    same = reduce(lax.bitwise_and, [lax.eq(a, b) for a, b in pairs])
    return same if len(places) == len(shape) else lax.broadcast_in_dim(same, shape, places)


def _product(x: _Term, y: _Term, result: str, dot: Callable, out_sharding: Any) -> _Term:
    """The sum of the products, with the letters of the result in some order."""
    x, y = _without_repeated(x, y), _without_repeated(y, x)
    x, y = _summed(x, result + y.names), _summed(y, result + x.names)
    shared = set(x.names) & set(y.names)
    batch = [n for n in result if n in shared]
    contracted = sorted(shared - set(batch))
    pairs = [(y, x), (x, y)]
    orders = ["".join(batch + [n for t in pair for n in t.names if n not in shared])
              for pair in pairs]  # fmt: skip
    # The operands as they came, where that gives the result's order.
    pair, names = (pairs[0], result) if orders[0] == result else (pairs[1], orders[1])
    axes = [tuple([t.names.index(n) for n in group] for t in pair) for group in (contracted, batch)]
    how = with_axes(out_sharding, [result.index(n) for n in names])
    said = {} if how is None else {"out_sharding": how}
    return _Term(dot(pair[0].x, pair[1].x, tuple(axes), **said), names)


def _without_repeated(x: _Term, y: _Term) -> _Term:
    """The term without the axes of size 1 that the other has in another size."""
    mine, others = x.sizes(), y.sizes()
    gone = [i for i, n in enumerate(x.names) if mine[n] == 1 and others.get(n, 1) != 1]
    names = "".join(n for i, n in enumerate(x.names) if i not in gone)
    return _Term(lax.squeeze(x.x, gone) if gone else x.x, names)
