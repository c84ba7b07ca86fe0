"""Functions made of the transformations: Jacobians, Hessians, and closures without tracers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, wraps
from typing import Any

import numpy as np

import minijax.core.primitives as lax
from minijax.core.batching import vmap
from minijax.core.forward import check_callable, debug_info, jvp, zeros_like_aval
from minijax.core.pytrees import tree_flatten, tree_map, tree_unflatten
from minijax.core.reverse import check_output, partial_on, refuse_holomorphic, vjp
from minijax.core.staging import eval_jaxpr, stage
from minijax.core.tracing import Tracer, float0, typeof
from minijax.lax.composed import broadcasted_iota

# Jacobians: vmap over a basis of directions.


def _standard_basis(leaves: Sequence[Any]) -> list[Any]:
    """For each leaf, all directions stacked: the i-th changes the i-th number of all leaves."""
    sizes = [typeof(x).size for x in leaves]
    total, start, basis = sum(sizes), 0, []
    iota = partial(broadcasted_iota, np.int32, (total, total))
    identity = lax.eq(iota(0), iota(1))
    for x, size in zip(leaves, sizes, strict=True):
        part = lax.slice_in_dim(identity, start, start + size, axis=1)
        part = lax.reshape(part, (total, *typeof(x).shape))
        basis.append(lax.convert_element_type(part, typeof(x).dtype, typeof(x).weak_type))
        start += size
    return basis


def _in_type_of(x: Any, like: Any) -> Any:
    """A derivative in the type of what it belongs to; for an integer, zeros of its type."""
    aval = typeof(like).update(shape=typeof(x).shape)
    if typeof(x).dtype == float0:
        return zeros_like_aval(aval)
    return lax.convert_element_type(x, aval.dtype, aval.weak_type)


def _split_axis(x: Any, like: Sequence[Any], axis: int) -> list[Any]:
    """One axis of x, which counts the numbers of all leaves of `like`, cut up leaf by leaf."""
    parts, start = [], 0
    shape = typeof(x).shape
    for leaf in like:
        aval = typeof(leaf)
        part = lax.slice_in_dim(x, start, start + aval.size, axis=axis)
        parts.append(lax.reshape(part, (*shape[:axis], *aval.shape, *shape[axis + 1 :])))
        start += aval.size
    return parts


def jacfwd(
    fun: Callable, argnums: int | Sequence[int] = 0, has_aux: bool = False,
    holomorphic: bool = False,
) -> Callable:  # fmt: skip
    """The Jacobian of `fun`, column by column: one jvp for each number that goes in.

    For a result of shape s and an argument of shape t, an array of shape (*s, *t); for pytrees,
    the result's structure, with the argument's in each leaf.

    >>> jacfwd(lambda x: x * x)(np.array([1.0, 2.0], np.float32))
    Array([[2., 0.],
           [0., 4.]], dtype=float32)
    """
    check_callable(fun, "jacfwd")
    refuse_holomorphic("jacfwd", holomorphic)

    @wraps(fun)
    def jacfwd_fun(*args: Any, **kwargs: Any) -> Any:
        partial_fun, chosen = partial_on(fun, argnums, args, kwargs, "jacfwd")
        single = isinstance(argnums, int | np.integer)
        leaves, in_tree = tree_flatten(chosen)

        def push(*directions: Any) -> Any:
            tangents = tree_unflatten(in_tree, directions)
            return jvp(partial_fun, chosen, tangents, has_aux=has_aux)

        push_all = vmap(push, out_axes=(None, -1, None)[: 2 + has_aux])
        ans, columns, *aux = push_all(*_standard_basis(leaves))
        inner = in_tree.children()[0] if single else in_tree

        def split(out: Any, column: Any) -> Any:
            parts = _split_axis(_in_type_of(column, out), leaves, typeof(out).ndim)
            return tree_unflatten(inner, parts)

        jacobian = tree_map(split, ans, columns)
        return (jacobian, *aux) if has_aux else jacobian

    return jacfwd_fun


def jacrev(
    fun: Callable, argnums: int | Sequence[int] = 0, has_aux: bool = False,
    holomorphic: bool = False, allow_int: bool = False,
) -> Callable:  # fmt: skip
    """The Jacobian of `fun`, row by row: one vjp for each number that comes out.

    The result is like that of `jacfwd`.

    >>> jacrev(lambda x: x * x)(np.array([1.0, 2.0], np.float32))
    Array([[2., 0.],
           [0., 4.]], dtype=float32)
    """
    check_callable(fun, "jacrev")
    refuse_holomorphic("jacrev", holomorphic)

    @wraps(fun)
    def jacrev_fun(*args: Any, **kwargs: Any) -> Any:
        partial_fun, chosen = partial_on(fun, argnums, args, kwargs, "jacrev", allow_int)
        ans, f_vjp, *aux = vjp(partial_fun, *chosen, has_aux=has_aux)
        outs, out_tree = tree_flatten(ans)
        for y in outs:
            check_output(y, "jacrev")
        pull = vmap(lambda *cts: f_vjp(tree_unflatten(out_tree, cts)))
        rows = tree_map(_in_type_of, pull(*_standard_basis(outs)), chosen)
        rows = rows[0] if isinstance(argnums, int | np.integer) else rows
        cells, in_tree = tree_flatten(rows)
        split = [_split_axis(x, outs, 0) for x in cells]
        jacobian = tree_unflatten(out_tree, [
            tree_unflatten(in_tree, [parts[i] for parts in split]) for i in range(len(outs))
        ])  # fmt: skip
        return (jacobian, *aux) if has_aux else jacobian

    return jacrev_fun


def hessian(
    fun: Callable, argnums: int | Sequence[int] = 0, has_aux: bool = False,
    holomorphic: bool = False,
) -> Callable:  # fmt: skip
    """The matrix of second derivatives of `fun`: forward mode over reverse mode.

    >>> hessian(lambda x: x[0] * x[1])(np.array([1.0, 2.0], np.float32))
    Array([[0., 1.],
           [1., 0.]], dtype=float32)
    """
    inner = jacrev(fun, argnums, has_aux=has_aux, holomorphic=holomorphic)
    return jacfwd(inner, argnums, has_aux=has_aux, holomorphic=holomorphic)


def closure_convert(fun: Callable, *example_args: Any) -> tuple[Callable, list[Any]]:
    """`fun` as a function that closes over no tracer, and the tracers as a list.

    The new function takes the arguments of `fun`, then the items of the list.

    >>> converted, consts = closure_convert(lambda x: 2 * x, 1.0)
    >>> converted(3.0, *consts)
    Array(6., dtype=float32, weak_type=True)
    """
    info = debug_info("closure_convert", fun, example_args, {})
    closed, out_tree = stage(fun, example_args, {}, info)
    hoisted = [x for x in closed.consts if isinstance(x, Tracer)]

    def converted_fun(*args_and_consts: Any) -> Any:
        num_args = len(args_and_consts) - len(hoisted)
        args, values = args_and_consts[:num_args], iter(args_and_consts[num_args:])
        consts = [next(values) if isinstance(x, Tracer) else x for x in closed.consts]
        leaves, _ = tree_flatten((args, {}))
        return tree_unflatten(out_tree, eval_jaxpr(closed.jaxpr, consts, *leaves))

    return converted_fun, hoisted
