"""Solvers as black boxes: the derivative comes from the equation that the solution satisfies.

Of F(m, x) = 0 follows dF/dm dm + dF/dx dx = 0, the implicit function theorem: whatever found x, its
derivative is one linear solve more, at the solution.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from minijax.compiler.lowerings import register_lowering
from minijax.core.batching import AxisData, bdim_at_front, fancy_primitive_batchers
from minijax.core.errors import JaxprTypeError, typematch
from minijax.core.forward import (
    Zero,
    add_tangents,
    instantiate_zeros,
    is_nonzero,
    jvp_flat,
    primitive_jvps,
)
from minijax.core.jitting import as_runtime_value, running
from minijax.core.linearization import linearize
from minijax.core.primitives import neg
from minijax.core.printing import pp_eqn_rules
from minijax.core.programs import batch_jaxpr, transpose_jaxpr
from minijax.core.pytrees import PyTreeDef, tree_flatten, tree_structure, tree_unflatten
from minijax.core.reverse import is_undefined_primal, primitive_transposes
from minijax.core.staging import ClosedJaxpr, JaxprEqn, jaxpr_as_fun
from minijax.core.tracing import Primitive, typeof
from minijax.lax.control_flow.bodies import Body, check_functions, flatten_operands, trace_body
from minijax.lax.custom.derivatives import custom_jvp, from_rule
from minijax.lax.typechecks import NATURAL, PROGRAM, Kind, called, def_typecheck

# The functions that a user passes must return the unknown's structure and types.


def _check_like(
    name: str, title: str, body: Body, tree: PyTreeDef, avals: Sequence[Any], dtypes: bool = True
) -> None:
    """TypeError for another structure or dtype, ValueError for other shapes."""
    got = tree_unflatten(body.out_tree, map(str, body.jaxpr.out_avals))
    problem = f"{name}'s {title} must return what is like its argument"
    expected = f"{tree_unflatten(tree, map(str, avals))}, and it returned {got}"
    if body.out_tree != tree:
        raise TypeError(f"{problem}, {expected}. Return the same structure.")
    pairs = list(zip(body.jaxpr.out_avals, avals, strict=True))
    if any(out.shape != aval.shape for out, aval in pairs):
        raise ValueError(f"{problem}, {expected}. Return the same shapes.")
    if dtypes and any(out.dtype != aval.dtype for out, aval in pairs):
        raise TypeError(f"{problem}, {expected}. Return the same dtypes: x.astype(dtype).")


def _without_aux(name: str, title: str, body: Body, has_aux: bool) -> Body:
    """The body as if it returned the solution alone; ValueError where it returns no pair."""
    if not has_aux:
        return body
    if len(body.out_tree._children) != 2:
        raise ValueError(
            f"{name} with has_aux=True needs a {title} that returns a pair (solution, aux), and "
            f"it returned {body.out_tree}. Return the pair, or leave has_aux out."
        )
    tree = body.out_tree._children[0]
    jaxpr = body.jaxpr.jaxpr
    main = jaxpr.replace(outvars=jaxpr.outvars[: tree.num_leaves])
    return body._replace(jaxpr=ClosedJaxpr(main, []), out_tree=tree)


# A linear equation, as a primitive: it is linear in the right-hand side.


class _LinearSolveTuple(NamedTuple):
    """One thing for each function of a solve: a program, how many constants it has, these."""

    matvec: Any
    vecmat: Any
    solve: Any
    transpose_solve: Any

    def transpose(self) -> _LinearSolveTuple:
        return _LinearSolveTuple(self.vecmat, self.matvec, self.transpose_solve, self.solve)


def _split(values: Sequence[Any], const_lengths: _LinearSolveTuple) -> tuple:
    """The constants of each function, and what belongs to the right-hand side."""
    parts, start = [], 0
    for size in const_lengths:
        parts.append(list(values[start : start + size]))
        start += size
    return _LinearSolveTuple(*parts), list(values[start:])


linear_solve_p = Primitive("custom_linear_solve")
linear_solve_p.multiple_results = True
PROGRAMS = Kind(
    "four programs; those of the transpose may be None",
    lambda x, n: isinstance(x, _LinearSolveTuple)
    and all(PROGRAM.holds(program, n) for program in (x.matvec, x.solve))
    and all(program is None or PROGRAM.holds(program, n) for program in x),
)  # fmt: skip
LENGTHS = Kind(
    "four integers from 0",
    lambda x, n: isinstance(x, _LinearSolveTuple) and all(NATURAL.holds(size, n) for size in x),
)
def_typecheck(linear_solve_p, const_lengths=LENGTHS, jaxprs=PROGRAMS)


@linear_solve_p.def_effectful_abstract_eval
def _linear_solve_abstract_eval(
    *avals: Any, const_lengths: _LinearSolveTuple, jaxprs: _LinearSolveTuple
) -> tuple[list, frozenset]:
    consts, b = _split(avals, const_lengths)
    for given, program in zip(consts, jaxprs, strict=True):
        if program is not None:
            out, _ = called("custom_linear_solve", program, [*given, *b])
            if len(out) < len(b) or not all(map(typematch, b, out)):
                raise JaxprTypeError(
                    f"custom_linear_solve has a function from {b} to {out}. Make them agree."
                )
    return [*b, *jaxprs.solve.out_avals[len(b) :]], jaxprs.solve.effects


@linear_solve_p.def_impl
def _linear_solve_impl(*args, const_lengths, jaxprs):
    consts, b = _split(list(map(as_runtime_value, args)), const_lengths)
    return running.run(jaxprs.solve, [*consts.solve, *b], "custom_linear_solve")


def _linear_solve_call(eqn: JaxprEqn) -> tuple:
    """Compiled, it is a call of the program that solves."""
    consts, b = _split(eqn.invars, eqn.params["const_lengths"])
    return eqn.params["jaxprs"].solve, [*consts.solve, *b]


register_lowering(linear_solve_p, call=_linear_solve_call)


def _linear_solve_jvp(primals, tangents, **params):
    """A x = b, so A dx = db - dA x."""
    x = linear_solve_p.bind(*primals, **params)
    consts, b = _split(primals, params["const_lengths"])
    const_dots, rhs = _split(tangents, params["const_lengths"])
    if any(map(is_nonzero, const_dots.matvec)):
        matvec, at_x = jaxpr_as_fun(params["jaxprs"].matvec), x[: len(b)]
        zeros = map(Zero.from_primal_value, at_x)
        _, dots = jvp_flat(matvec, [*consts.matvec, *at_x], [*const_dots.matvec, *zeros])
        dots = [neg(t) if is_nonzero(t) else t for t in dots]
        rhs = list(map(add_tangents, rhs, dots))
    if not any(map(is_nonzero, rhs)):
        return x, list(map(Zero.from_primal_value, x))
    operands = [*(c for part in consts for c in part), *map(instantiate_zeros, rhs)]
    x_dot = linear_solve_p.bind(*operands, **params)
    return x, [*x_dot[: len(b)], *map(Zero.from_primal_value, x[len(b) :])]


def _linear_solve_transpose(cts, *args, const_lengths, jaxprs):
    """A^T y = ct, by the other solve. What is known of the right-hand side is zeros."""
    if jaxprs.transpose_solve is None:
        raise TypeError(
            "lax.custom_linear_solve has no transpose_solve, which reverse mode (jax.grad) needs.\n"
            "Give it transpose_solve, or symmetric=True where the matrix is symmetric."
        )
    consts, b = _split(args, const_lengths)
    out = linear_solve_p.bind(
        *(c for part in consts.transpose() for c in part), *map(instantiate_zeros, cts[: len(b)]),
        const_lengths=const_lengths.transpose(), jaxprs=jaxprs.transpose(),
    )  # fmt: skip
    found = [
        ct if is_undefined_primal(x) else None for x, ct in zip(b, out[: len(b)], strict=True)
    ]
    return [None] * sum(const_lengths) + found


def _linear_solve_batcher(axis_data: AxisData, vals, dims, *, const_lengths, jaxprs):
    """If any operand is batched, all of the unknown is."""
    if all(d is None for d in dims) and axis_data.name is None:
        out = linear_solve_p.bind(*vals, const_lengths=const_lengths, jaxprs=jaxprs)
        return out, [None] * len(out)
    size = axis_data.size
    consts, b = _split(list(zip(vals, dims, strict=True)), const_lengths)
    flat = [x if d is None else bdim_at_front(x, d, size) for part in consts for x, d in part]
    b = [bdim_at_front(x, d, size) for x, d in b]

    def batch(jaxpr: ClosedJaxpr | None, part: list[tuple]) -> ClosedJaxpr | None:
        if jaxpr is None:
            return None
        dims = *(None if d is None else 0 for _, d in part), *[0] * len(b)
        return batch_jaxpr(jaxpr, axis_data, dims, (0,) * len(jaxpr.out_avals))[0]

    batched = _LinearSolveTuple(*map(batch, jaxprs, consts))
    out = linear_solve_p.bind(*flat, *b, const_lengths=const_lengths, jaxprs=batched)
    return out, [0] * len(out)


primitive_jvps[linear_solve_p] = _linear_solve_jvp
primitive_transposes[linear_solve_p] = _linear_solve_transpose
fancy_primitive_batchers[linear_solve_p] = _linear_solve_batcher
pp_eqn_rules[linear_solve_p] = lambda params: {k: str(v) for k, v in params.items()}


def custom_linear_solve(
    matvec: Callable, b: Any, solve: Callable, transpose_solve: Callable | None = None,
    symmetric: bool = False, has_aux: bool = False,
) -> Any:  # fmt: skip
    """The x of `matvec(x) = b` that `solve(matvec, b)` finds, with the derivative of such an x.

    `matvec` is linear, from and to pytrees like `b`, and `solve` need not have a derivative.
    Reverse mode solves with the transpose: `transpose_solve(vecmat, b)`; with `symmetric`, it is
    `solve`. With `has_aux`, the solves return (x, aux), and so does this. TypeError for results of
    another structure or dtype than b's, ValueError for other shapes.

    >>> import minijax
    >>> solve = lambda a: custom_linear_solve(lambda x: a * x, 6.0, lambda f, b: b / f(1.0))
    >>> solve(3.0), minijax.jvp(solve, (3.0,), (1.0,))[1]
    (Array(2., dtype=float32, weak_type=True), Array(-0.6666667, dtype=float32, weak_type=True))
    """
    name = "lax.custom_linear_solve"
    if transpose_solve is None and symmetric:
        transpose_solve = solve
    funs = {"matvec": matvec, "solve": solve}
    given = {} if transpose_solve is None else {"transpose_solve": transpose_solve}
    check_functions(name, funs | given)
    leaves, in_tree = flatten_operands(name, matvec, (b,))
    tree, avals = tree_structure(b), list(map(typeof, leaves))

    def trace(title: str, fun: Callable, is_solve: bool = False) -> Body:
        body = trace_body(f"custom_linear_solve {title}", fun, in_tree, avals)
        _check_like(name, title, _without_aux(name, title, body, is_solve and has_aux), tree, avals)
        return body

    product = trace("matvec", matvec)
    solver = trace("solve", partial(solve, matvec), True)
    vecmat = transpose_solver = None
    if transpose_solve is not None:
        transposed = matvec if symmetric else _transposed(product, tree)
        vecmat = product if symmetric else trace("matvec", transposed)
        transpose_solver = trace("transpose_solve", partial(transpose_solve, transposed), True)
    bodies = _LinearSolveTuple(product, vecmat, solver, transpose_solver)
    consts = [list(body.consts) if body else [] for body in bodies]
    out = linear_solve_p.bind(
        *(c for part in consts for c in part), *leaves,
        const_lengths=_LinearSolveTuple(*map(len, consts)),
        jaxprs=_LinearSolveTuple(*(body and body.jaxpr for body in bodies)),
    )  # fmt: skip
    return tree_unflatten(solver.out_tree, out)


def _transposed(product: Body, tree: PyTreeDef) -> Callable:
    """The function that multiplies by the transpose."""
    size, num_consts = tree.num_leaves, len(product.consts)
    linear = (*[False] * num_consts, *[True] * size)

    def vecmat(y: Any) -> Any:
        transposed, _ = transpose_jaxpr(product.jaxpr, linear, (True,) * size, linear)
        return tree_unflatten(
            tree, jaxpr_as_fun(transposed)(*product.consts, *tree_flatten(y)[0])
        )

    return vecmat


# A root of any equation.


def custom_root(
    f: Callable, initial_guess: Any, solve: Callable, tangent_solve: Callable,
    has_aux: bool = False,
) -> Any:  # fmt: skip
    """The x of `f(x) = 0` that `solve(f, initial_guess)` finds, with the derivative of such an x.

    The derivative is in what `f` closes over. It takes `tangent_solve(g, y)`, the x of g(x) = y,
    where g is linear: f's derivative at the root. Both functions map pytrees like `initial_guess`
    to such, and `solve` need not have a derivative. With `has_aux`, it returns (x, aux), and so
    does this. TypeError for results of another structure, ValueError for other shapes.

    >>> import minijax
    >>> def sqrt(a):
    ...     step = lambda f, x: (x + a / x) / 2
    ...     solve = lambda f, x: step(f, step(f, step(f, step(f, x))))
    ...     return custom_root(lambda x: x * x - a, 1.0, solve, lambda g, y: y / g(1.0))
    >>> sqrt(4.0), minijax.grad(sqrt)(4.0)
    (Array(2., dtype=float32, weak_type=True), Array(0.25, dtype=float32, weak_type=True))
    """
    name = "lax.custom_root"
    check_functions(name, {"f": f, "solve": solve, "tangent_solve": tangent_solve})
    leaves, _ = flatten_operands(name, f, (initial_guess,))
    tree, avals = tree_structure(initial_guess), list(map(typeof, leaves))

    def linearize_and_solve(x: Any, y: Any) -> Any:
        return tangent_solve(linearize(f, x)[1], y)

    def trace(title: str, fun: Callable, *args: Any) -> Body:
        """The program of a function of `args`, which are types like the unknown's."""
        in_avals, in_tree = tree_flatten(args)
        body = trace_body(f"custom_root {title}", fun, in_tree, in_avals)
        main = _without_aux(name, title, body, has_aux and title == "solve")
        _check_like(name, title, main, tree, avals, dtypes=False)
        return body

    x = tree_unflatten(tree, avals)
    bodies = (
        trace("f", f, x), trace("solve", partial(solve, f), x),
        trace("tangent_solve", linearize_and_solve, x, x),
    )  # fmt: skip
    consts = tuple(tuple(body.consts) for body in bodies)
    jaxprs = tuple(body.jaxpr for body in bodies)
    out = _custom_root(jaxprs, len(leaves), consts, leaves)
    return tree_unflatten(bodies[1].out_tree, out)


@partial(custom_jvp, nondiff_argnums=(0, 1))
def _custom_root(jaxprs: tuple, size: int, consts: tuple, guess: list[Any]) -> list[Any]:
    return jaxpr_as_fun(jaxprs[1])(*consts[1], *guess)


@_custom_root.defjvp
def _root_jvp(jaxprs: tuple, size: int, primals: tuple, tangents: tuple) -> tuple:
    """dF/dx dx = -dF, where dF is what F changes by with its constants, at the root."""
    (f_consts, _, tangent_consts), _ = primals
    (f_dots, *_), _ = tangents
    out = _custom_root(jaxprs, size, *primals)
    root, zeros = out[:size], list(map(Zero.from_primal_value, out))
    operands, dots = [*f_consts, *root], [*map(from_rule, f_dots), *zeros[:size]]
    _, change = jvp_flat(jaxpr_as_fun(jaxprs[0]), operands, dots)
    rhs = list(map(instantiate_zeros, change))
    root_dot = jaxpr_as_fun(jaxprs[2])(*tangent_consts, *root, *rhs)
    return out, [*map(neg, root_dot), *map(instantiate_zeros, zeros[size:])]
