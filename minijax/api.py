"""Functions made of the transformations: Jacobians, Hessians, transposes, closed functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial, wraps
from typing import Any

import numpy as np

from minijax import lax
from minijax.core.arguments import as_positions, call_by, check_output, differentiable, partial_on
from minijax.core.batching import vmap
from minijax.core.calls import check_callable, flatten_fun, split_aux
from minijax.core.dtypes import float0, issubdtype
from minijax.core.errors import api_boundary, typematch
from minijax.core.forward import instantiate_zeros, jvp_flat
from minijax.core.jitting import jit
from minijax.core.linearization import Partial, linearize_call
from minijax.core.primitives import cast, zeros
from minijax.core.pytrees import tree_flatten, tree_map, tree_structure, tree_unflatten
from minijax.core.reverse import UndefinedPrimal, apply_transpose, backward_pass, vjp
from minijax.core.staging import eval_jaxpr, stage
from minijax.core.tracing import (
    Primitive,
    Trace,
    Tracer,
    eval_trace,
    named_scope,
    new_trace,
    set_current_trace,
    trace_ctx,
    typeof,
)
from minijax.lax.elementwise.arithmetic import shown

# Backward passes apart from their forward ones.


def fwd_and_bwd(
    fun: Callable, argnums: int | Sequence[int], has_aux: bool = False, jitted: bool = True
) -> tuple[Callable, Callable]:
    """(fwd, bwd): `fwd(*args)` returns the value and residuals, and with `has_aux`, of a `fun` that
    returns (out, aux), aux third; `bwd(residuals, cotangent)` the cotangents of the arguments
    `argnums`, a tuple, or the one of an integer. Jitted, each is compiled once.

    >>> fwd, bwd = fwd_and_bwd(lambda x, y: x * y, 0)
    >>> out, residuals = fwd(2.0, 3.0)
    >>> bwd(residuals, 1.0)
    Array(3., dtype=float32, weak_type=True)
    """
    check_callable(fun, "fwd_and_bwd")
    is_one = isinstance(argnums, int | np.integer)

    @api_boundary
    def fwd(*args: Any, **kwargs: Any) -> tuple:
        places = as_positions("fwd_and_bwd", argnums)
        if not all(-len(args) <= i < len(args) for i in places):
            raise ValueError(
                f"fwd_and_bwd has argnums {argnums}, and fwd was called with {len(args)} "
                f"positional arguments. Give the others by position, too."
            )
        places = [i % len(args) for i in places]
        partial_fun = partial_on(fun, places, args, kwargs)
        return vjp(partial_fun, *(args[i] for i in places), has_aux=has_aux)

    @api_boundary
    def bwd(residuals: Callable, cotangent: Any) -> Any:
        cotangents = residuals(cotangent)
        return cotangents[0] if is_one else cotangents

    return (jit(fwd), jit(bwd)) if jitted else (fwd, bwd)


# Jacobians: vmap over a basis of directions.


def _standard_basis(leaves: Sequence[Any]) -> list[Any]:
    """For each leaf, all directions stacked: the i-th changes the i-th number of all leaves."""
    sizes = [typeof(x).size for x in leaves]
    total, start, basis = sum(sizes), 0, []
    iota = partial(lax.broadcasted_iota, np.int32, (total, total))
    identity = lax.eq(iota(0), iota(1))
    for x, size in zip(leaves, sizes, strict=True):
        part = lax.slice_in_dim(identity, start, start + size, axis=1)
        part = lax.reshape(part, (total, *typeof(x).shape))
        basis.append(cast(part, typeof(x).dtype, typeof(x).weak_type))
        start += size
    return basis


def _in_type_of(x: Any, like: Any) -> Any:
    """A derivative in the type of what it belongs to; for an integer, zeros of its type."""
    aval = typeof(like).update(shape=typeof(x).shape)
    if typeof(x).dtype == float0:
        return zeros(aval)
    return cast(x, aval.dtype, aval.weak_type)


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

    @api_boundary
    @wraps(fun)
    def jacfwd_fun(*args: Any, **kwargs: Any) -> Any:
        allow = (np.floating,)
        call = call_by(fun, argnums, args, kwargs, "jacfwd", allow, "use jvp", holomorphic)
        partial_fun, chosen, info = call
        main_fun, aux = split_aux(partial_fun, "jacfwd") if has_aux else (partial_fun, lambda: None)
        leaves, in_tree = tree_flatten((chosen, {}))
        flat_fun, out_tree = flatten_fun(main_fun, in_tree)

        def push(*directions: Any) -> Any:
            outs, tangents = jvp_flat(flat_fun, leaves, directions, info)
            return outs, list(map(instantiate_zeros, tangents)), aux()

        outs, columns, aux_out = vmap(push, out_axes=(None, -1, None))(*_standard_basis(leaves))
        for y in outs if holomorphic else ():
            check_output(y, "jacfwd", holomorphic)
        like = chosen[0] if isinstance(argnums, int | np.integer) else chosen
        jacobian = tree_unflatten(out_tree(), [
            tree_unflatten(
                tree_structure(like),
                _split_axis(_in_type_of(column, out), leaves, typeof(out).ndim),
            )
            for out, column in zip(outs, columns, strict=True)
        ])  # fmt: skip
        return (jacobian, aux_out) if has_aux else jacobian

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

    @api_boundary
    @wraps(fun)
    def jacrev_fun(*args: Any, **kwargs: Any) -> Any:
        allow = differentiable(allow_int)
        call = call_by(fun, argnums, args, kwargs, "jacrev", allow, holomorphic=holomorphic)
        partial_fun, chosen, info = call
        ans, f_vjp, *aux = linearize_call(partial_fun, chosen, has_aux, info, apply_transpose)
        outs, out_tree = tree_flatten(ans)
        for y in outs:
            check_output(y, "jacrev", holomorphic)
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


jacobian = jacrev


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

    The new function takes the arguments of `fun`, then the items of the list. TypeError for others
    than the examples in structure.

    >>> converted, consts = closure_convert(lambda x: 2 * x, 1.0)
    >>> converted(3.0, *consts)
    Array(6., dtype=float32, weak_type=True)
    """
    check_callable(fun, "closure_convert")
    staged, _ = stage(fun, example_args, {}, "closure_convert")
    closed, out_tree = staged.closed, staged.out_tree
    hoisted = [x for x in closed.consts if isinstance(x, Tracer)]

    def converted_fun(*args_and_consts: Any) -> Any:
        num_args = len(args_and_consts) - len(hoisted)
        args, values = args_and_consts[:num_args], iter(args_and_consts[num_args:])
        consts = [next(values) if isinstance(x, Tracer) else x for x in closed.consts]
        leaves, tree = tree_flatten((args, {}))
        if tree != staged.in_tree:
            raise TypeError(
                f"The function from closure_convert takes arguments of the structure "
                f"{tree_structure(example_args)},\nand got {tree_structure(args)}.\n"
                f"Give these, and then the {len(hoisted)} values that it closed over."
            )
        return tree_unflatten(out_tree, eval_jaxpr(closed.jaxpr, consts, *leaves))

    return converted_fun, hoisted


def linear_transpose(fun: Callable, *primals: Any, reduce_axes: Sequence = ()) -> Callable:
    """The transpose of a linear function: from a cotangent of its result to a tuple of cotangents
    of the arguments, without evaluating `fun` anywhere.

    `primals` say the arguments' shapes and dtypes: arrays, or ShapeDtypeStructs. TypeError for
    dtypes that do not fit each other, and where the cotangent is not like the result.

    >>> linear_transpose(lambda x: 3 * x, 1.0)(2.0)
    (Array(6., dtype=float32, weak_type=True),)
    """
    check_callable(fun, "linear_transpose")
    if reduce_axes:
        raise NotImplementedError(
            f"linear_transpose takes no reduce_axes, and got {shown(reduce_axes)}. Leave "
            f"them out, and use lax.psum."
        )
    staged, _ = stage(fun, primals, {}, "linear_transpose")
    jaxpr, consts = staged.closed.jaxpr, staged.closed.consts
    avals_in, avals_out = staged.closed.in_avals, staged.closed.out_avals
    _check_linear_dtypes([a.dtype for a in avals_in], [a.dtype for a in avals_out])

    @api_boundary
    def transposed_fun(consts: list, out_cotangent: Any) -> Any:
        cts, tree = tree_flatten(out_cotangent)
        if tree != staged.out_tree or not all(map(typematch, map(typeof, cts), avals_out)):
            raise TypeError(
                f"The function from linear_transpose takes a cotangent like the result, of the "
                f"structure {staged.out_tree} and the types {avals_out}. Give it that, not "
                f"{list(map(typeof, cts))} in {tree}."
            )
        cts_in = backward_pass(jaxpr, consts, list(map(UndefinedPrimal, avals_in)), cts)
        args, _ = tree_unflatten(staged.in_tree, map(instantiate_zeros, cts_in))
        return args

    return Partial(transposed_fun, consts)


def _check_linear_dtypes(dtypes_in: list, dtypes_out: list) -> None:
    dtypes = [*dtypes_in, *dtypes_out]
    for kind in (np.inexact, np.integer):
        if all(issubdtype(dtype, kind) for dtype in dtypes):
            return
    raise TypeError(
        f"linear_transpose takes functions from floats and complex numbers to such, or from "
        f"integers to integers, and got one from {list(map(str, dtypes_in))} to "
        f"{list(map(str, dtypes_out))}. Convert with x.astype(float)."
    )


# What is computed when, and what it is called.


class _FoldingTrace(Trace):
    """Computes at once what has only known operands; the rest is its parent's."""

    def __init__(self, parent: Trace) -> None:
        self.parent = parent

    def process_primitive(self, primitive: Primitive, args: Sequence[Any], params: dict) -> Any:
        if any(isinstance(x, Tracer) for x in args):
            return primitive.bind(*args, **params)
        with set_current_trace(eval_trace):
            return primitive.bind(*args, **params)


@contextmanager
def ensure_compile_time_eval() -> Iterator[None]:
    """A context in which operations on known values are done while a function is traced, and
    leave no equation: Python may then ask for their results.

    >>> from minijax.core.staging import make_jaxpr
    >>> def f(x):
    ...     with ensure_compile_time_eval():
    ...         positive = lax.gt(lax.sin(1.0), 0.0)
    ...     return x if positive else -x
    >>> make_jaxpr(f)(2.0)
    { lambda ; a:f32[]. let  in (a,) }
    """
    with new_trace(_FoldingTrace(trace_ctx.trace)):
        yield


def named_call(fun: Callable, *, name: str | None = None) -> Callable:
    """`fun`, whose equations carry `name`, or else its own name, in their name stack."""
    check_callable(fun, "named_call")
    return wraps(fun)(named_scope(name or getattr(fun, "__name__", type(fun).__name__))(fun))
