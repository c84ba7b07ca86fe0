"""The Laplacian of a function, in one forward pass: a transformation that is no part of minijax.

`laplacian(fun)(x)` is the sum of fun's second derivatives with respect to each number of x. Every
value carries its derivatives along all directions, and its Laplacian. All that this needs is in
`core/extend.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from minijax.core.extend import (
    AxisData, ClosedJaxpr, Primitive, Trace, Tracer, add, api_boundary, as_array, batch_flat,
    batched_aval, bdim_at_front, check_callable, choose, debug_info, derived, fill, flatten_fun,
    instantiate_zeros, is_nonzero, issubdtype, jaxpr_as_fun, jvp_flat, moveaxis, mul, new_trace,
    put_zeros, reduce_sum, register_exclusion, trace_ctx, trace_to_jaxpr, tree_flatten,
    tree_unflatten, typeof, zeros,
)

if __name__ != "__main__":  # as a module: equations and errors come from the lines that call it
    register_exclusion(__name__)

# What a value carries.


class Triple(NamedTuple):
    """A value; its derivative along each direction, one after the other along axis 0; and its
    Laplacian. A constant has None for both."""

    primal: Any
    tangents: Any = None
    laplacian: Any = None

    @property
    def moves(self) -> bool:
        return self.tangents is not None


Triples = Sequence[Triple]


class LaplacianTracer(Tracer):
    """A triple that looks like its value."""

    __slots__ = ("triple",)

    def __init__(self, trace: Trace, triple: Triple) -> None:
        super().__init__(trace)
        self.triple = triple

    @property
    def aval(self) -> Any:
        return typeof(self.triple.primal)

    def to_concrete_value(self) -> Any:
        primal = self.triple.primal
        return primal.to_concrete_value() if isinstance(primal, Tracer) else primal


class LaplacianTrace(Trace):
    """Runs every operation on triples. `size` says how many directions there are."""

    def __init__(self, parent: Trace, size: int, info: Any = None) -> None:
        self.parent, self.size, self.debug_info = parent, size, info

    def unbox(self, x: Any) -> Triple:
        mine = isinstance(x, LaplacianTracer) and x._trace is self
        return x.triple if mine else Triple(x)

    def box(self, triple: Triple) -> Any:
        return LaplacianTracer(self, triple) if triple.moves else triple.primal

    def process_primitive(self, primitive: Primitive, args: Sequence, params: dict) -> Any:
        triples = list(map(self.unbox, args))
        if not any(moves_of(triples)):
            return primitive.bind(*args, **params)
        rule = laplacian_rules.get(primitive.name, through_jvp)
        out = [self.box(triple) for triple in rule(primitive, self.size, triples, params)]
        return out if primitive.multiple_results else out[0]


def moves_of(triples: Triples) -> tuple[bool, ...]:
    return tuple(triple.moves for triple in triples)


def laplacian_flat(flat_fun: Callable, size: int, triples: Triples, info: Any = None) -> Triples:
    """The results of a function of lists of leaves, as triples."""
    with new_trace(LaplacianTrace(trace_ctx.trace, size, info)) as trace:
        return list(map(trace.unbox, flat_fun(*map(trace.box, triples))))


# A rule takes the primitive, how many directions there are, the operands as triples and
# the parameters, and returns the results as triples.


def along_each(fun: Callable, size: int, *stacks: Any) -> list[Any]:
    """The results of a function of lists, for each direction: stacked along axis 0, as what it is
    given."""
    out, dims = batch_flat(fun, AxisData(None, size), [0] * len(stacks), stacks)
    return [bdim_at_front(x, dim, size) for x, dim in zip(out, dims, strict=True)]


def through_jvp(primitive: Primitive, size: int, triples: Triples, params: dict) -> Triples:
    """For whatever has a JVP rule. Which results move is known once the rule has run: slopes are
    returned for these alone, and bends for those of them whose slope changes."""
    primals, stacks, laplacians = zip(*triples, strict=True)
    moves, avals = moves_of(triples), list(map(typeof, primals))
    slope_moves, bend_moves = [], []

    def results(*xs: Any) -> list[Any]:
        out = primitive.bind(*xs, **params)
        return out if primitive.multiple_results else [out]

    def slope_and_bend(*direction: Any) -> list[Any]:
        tangents = put_zeros(direction, moves, avals)

        def slope(*xs: Any) -> list[Any]:
            out_dot = jvp_flat(results, xs, tangents)[1]
            slope_moves[:] = map(is_nonzero, out_dot)
            return choose(out_dot, slope_moves)

        slopes, bends = jvp_flat(slope, primals, tangents)
        bend_moves[:] = map(is_nonzero, bends)
        return [*slopes, *choose(bends, bend_moves)]

    found = along_each(slope_and_bend, size, *choose(stacks, moves))
    out, drifts = jvp_flat(results, primals, put_zeros(choose(laplacians, moves), moves, avals))
    slopes, bends = iter(found[: sum(slope_moves)]), iter(found[sum(slope_moves) :])
    bent = iter([reduce_sum(next(bends), (0,)) if moved else None for moved in bend_moves])
    return [
        Triple(x, next(slopes), plus(drift, next(bent))) if moved else Triple(x)
        for x, drift, moved in zip(out, drifts, slope_moves, strict=True)
    ]


def plus(drift: Any, bend: Any) -> Any:
    drift = instantiate_zeros(drift)
    return drift if bend is None else add(drift, bend)


# What the user calls.


def value_and_laplacian(fun: Callable) -> Callable:
    """fun, with its Laplacian with respect to the first argument: (fun(x, ...), the Laplacian).

    That argument is a pytree of arrays of floats; others raise TypeError.

    >>> print(*value_and_laplacian(lambda x: x[0] ** 2 * x[1] ** 3)(np.float32([2, 1])))
    4.0 26.0
    """
    check_callable(fun, "laplacian")

    @api_boundary
    def laplacian_fun(x: Any, *args: Any) -> tuple[Any, Any]:
        leaves, in_tree = tree_flatten(((x, *args), {}))
        num_moving = len(tree_flatten(x)[0])
        flat_fun, out_tree = flatten_fun(fun, in_tree, "laplacian()")
        info = debug_info("laplacian", fun, (x, *args), {})
        size, triples = along_each_number(leaves[:num_moving])
        triples += map(Triple, map(array_or_tracer, leaves[num_moving:]))
        out = laplacian_flat(flat_fun, size, triples, info)
        laplacians = [written_out(triple, size).laplacian for triple in out]
        values = [triple.primal for triple in out]
        return tree_unflatten(out_tree(), values), tree_unflatten(out_tree(), laplacians)

    return laplacian_fun


def laplacian(fun: Callable) -> Callable:
    """fun's Laplacian with respect to the first argument, as `value_and_laplacian` has it."""
    both = value_and_laplacian(fun)
    return api_boundary(lambda *args: both(*args)[1])


def array_or_tracer(x: Any) -> Any:
    return x if isinstance(x, Tracer) else as_array(x)


def along_each_number(leaves: Sequence[Any]) -> tuple[int, list[Triple]]:
    """How many numbers the arrays hold, and the arrays as triples: each number is a direction."""
    leaves = list(map(array_or_tracer, leaves))
    for leaf in leaves:
        if not issubdtype(typeof(leaf).dtype, np.floating):
            raise TypeError(
                f"laplacian takes arrays of floats as its first argument, and got one of type "
                f"{typeof(leaf)}. Give it as an argument further right."
            )
    sizes = [typeof(leaf).size for leaf in leaves]
    columns = np.split(np.eye(sum(sizes)), np.cumsum(sizes)[:-1], axis=1) if leaves else []
    return sum(sizes), [
        Triple(leaf, as_array(part.reshape(-1, *aval.shape).astype(aval.dtype)), fill(aval, 0))
        for leaf, part, aval in zip(leaves, columns, map(typeof, leaves), strict=True)
    ]


def written_out(triple: Triple, size: int) -> Triple:
    """The triple, a constant's with zeros."""
    if triple.moves:
        return triple
    aval = typeof(triple.primal).to_tangent_aval()
    return Triple(triple.primal, zeros(batched_aval(aval, size, 0)), zeros(aval))


# What is cheaper by a rule of its own.


def elementwise(primitive: Primitive, size: int, triples: Triples, params: dict) -> Triples:
    """For y = p(x), element by element: the squares are added up before they are multiplied."""
    [(x, stack, x_laplacian)] = triples
    ones = [fill(typeof(x), 1)]

    def with_slope(x: Any) -> list[Any]:
        out, slope = jvp_flat(lambda x: [primitive.bind(x, **params)], [x], ones)
        return [*out, *map(instantiate_zeros, slope)]

    (out, slope), (_, bend) = jvp_flat(with_slope, [x], ones)
    [stack_out] = along_each(lambda t: [mul(slope, t)], size, stack)
    squares = reduce_sum(mul(stack, stack), (0,))
    bent = mul(instantiate_zeros(bend), squares)
    return [Triple(out, stack_out, add(mul(slope, x_laplacian), bent))]


def bilinear(primitive: Primitive, size: int, triples: Triples, params: dict) -> Triples:
    """For a product p(x, y), linear in each operand."""
    x, y = triples

    def product(x: Any, y: Any) -> list[Any]:
        return [primitive.bind(x, y, **params)]

    stacks, laplacians = [], []
    if x.moves:
        stacks += along_each(lambda t: product(t, y.primal), size, x.tangents)
        laplacians += product(x.laplacian, y.primal)
    if y.moves:
        stacks += along_each(lambda t: product(x.primal, t), size, y.tangents)
        laplacians += product(x.primal, y.laplacian)
    if x.moves and y.moves:
        [both] = along_each(product, size, x.tangents, y.tangents)
        half = reduce_sum(both, (0,))
        laplacians += [half, half]
    [out] = product(x.primal, y.primal)
    return [Triple(out, reduce(add, stacks), reduce(add, laplacians))]


def by_value(primitive: Primitive, size: int, triples: Triples, params: dict) -> Triples:
    """For what changes in jumps, or is there for its effect: the result is a constant."""
    out = primitive.bind(*(triple.primal for triple in triples), **params)
    return list(map(Triple, out if primitive.multiple_results else [out]))


# Programs: a list of triples as a list of values, and a program of values as one of triples.


def flatten(triples: Triples) -> list[Any]:
    """Three values for what moves, one for a constant, in the order of the triples."""
    return [x for triple in triples for x in triple[: 3 if triple.moves else 1]]


def unflatten(values: Sequence[Any], moves: Sequence[bool]) -> Triples:
    left = iter(values)
    return [Triple(*(next(left) for _ in range(3 if moved else 1))) for moved in moves]


@derived
def laplacian_jaxpr(
    closed: ClosedJaxpr, size: int, moves: tuple[bool, ...], forced: tuple[bool, ...]
) -> tuple[ClosedJaxpr, tuple[bool, ...]]:
    """The jaxpr from triples to triples, and which results move; those marked in `forced` do."""
    info, found = closed.jaxpr.debug_info, []

    def run(*args: Any) -> list[Any]:
        out = laplacian_flat(jaxpr_as_fun(closed), size, unflatten(args, moves), info)
        out = [written_out(x, size) if force else x for x, force in zip(out, forced, strict=True)]
        found.extend(moves_of(out))
        return flatten(out)

    avals = [
        Triple(aval, batched_aval(aval, size, 0), aval) if moved else Triple(aval)
        for aval, moved in zip(closed.in_avals, moves, strict=True)
    ]
    return trace_to_jaxpr(run, flatten(avals), info), tuple(found)


def through_jit(primitive: Primitive, size: int, triples: Triples, params: dict) -> Triples:
    closed, operands = params["jaxpr"], flatten(triples)
    nothing = (False,) * len(closed.out_avals)
    jaxpr, moves = laplacian_jaxpr(closed, size, moves_of(triples), nothing)
    donated = (False,) * len(operands)  # operands that the call may overwrite: none
    out = primitive.bind(*operands, **{**params, "jaxpr": jaxpr, "donated_invars": donated})
    return unflatten(out, moves)


def through_cond(primitive: Primitive, size: int, triples: Triples, params: dict) -> Triples:
    """What moves in one branch moves in all."""
    branches, moves = params["branches"], moves_of(triples[1:])
    forced = (False,) * len(branches[0].out_avals)
    of_each = [laplacian_jaxpr(branch, size, moves, forced)[1] for branch in branches]
    forced = tuple(map(any, zip(*of_each, strict=True)))
    branches = tuple(laplacian_jaxpr(branch, size, moves, forced)[0] for branch in branches)
    out = primitive.bind(*flatten(triples), **{**params, "branches": branches})
    return unflatten(out, forced)


def through_scan(primitive: Primitive, size: int, triples: Triples, params: dict) -> Triples:
    """The loop carries triples. A carry that one step moves, moves from the start."""
    closed, start = params["jaxpr"], params["num_consts"]
    end = start + params["num_carry"]
    consts, carry = triples[:start], list(triples[start:end])
    xs = [swapped(triple) for triple in triples[end:]]
    constant_ys = (False,) * (len(closed.out_avals) - len(carry))
    while True:
        marks = moves_of(carry)
        in_moves = moves_of([*consts, *carry, *xs])
        jaxpr, moves = laplacian_jaxpr(closed, size, in_moves, marks + constant_ys)
        if moves[: len(carry)] == marks:
            break
        moved = zip(carry, moves[: len(carry)], strict=True)
        carry = [written_out(triple, size) if moves else triple for triple, moves in moved]
    sizes = {"num_consts": len(flatten(consts)), "num_carry": len(flatten(carry))}
    out = primitive.bind(*flatten([*consts, *carry, *xs]), **{**params, "jaxpr": jaxpr, **sizes})
    out = unflatten(out, moves)
    return [*out[: len(carry)], *map(swapped, out[len(carry) :])]


def swapped(triple: Triple) -> Triple:
    """A loop's steps come before the directions, or after them again."""
    if not triple.moves:
        return triple
    return triple._replace(tangents=moveaxis(triple.tangents, 0, 1))


laplacian_rules: dict[str, Callable] = {
    **dict.fromkeys(
        ["exp", "exp2", "expm1", "log", "log1p", "sin", "cos", "tan", "tanh", "sinh", "cosh",
         "logistic", "sqrt", "rsqrt", "cbrt", "integer_pow", "square", "erf", "erfc", "atan",
         "asin", "acos", "asinh", "acosh", "atanh"], elementwise),
    **dict.fromkeys(["mul", "dot_general"], bilinear),
    **dict.fromkeys(
        ["eq", "ne", "lt", "le", "gt", "ge", "sign", "floor", "ceil", "round", "is_finite",
         "argmax", "argmin", "stop_gradient", "debug_callback", "debug_print"], by_value),
    "jit": through_jit, "cond": through_cond, "scan": through_scan,
}  # fmt: skip
