"""A primitive with a program of its own, outside the package: `repeat[n, jaxpr]`.

`repeat(n, f, x)` is f(f(...f(x))), n times, where f is written down only once. The jaxpr takes
the constants of f, then x, and returns the next x. All that this needs is in `core/extend.py`.
"""

from collections.abc import Callable, Sequence
from typing import Any

from minijax.core.extend import (
    ClosedJaxpr,
    JaxprEqn,
    Primitive,
    add_tangents,
    as_array,
    batch_jaxpr,
    bdim_at_front,
    cast,
    choose,
    dce_closed_jaxpr,
    dce_rules,
    derived,
    fancy_primitive_batchers,
    force_nonzero,
    has_effect,
    instantiate_zeros,
    is_nonzero,
    is_undefined_primal,
    jaxpr_as_fun,
    jit_p,
    jvp_jaxpr,
    linearize_jaxpr,
    pp_eqn_rules,
    primitive_jvps,
    primitive_linearizations,
    primitive_transposes,
    put_zeros,
    stage,
    trace_to_jaxpr,
    transpose_jaxpr,
    typematch,
    typeof,
    zeros,
)
from minijax.tree_util import tree_flatten, tree_map, tree_unflatten

repeat_p = Primitive("repeat")
repeat_p.multiple_results = True


def repeat(n: int, fun: Callable, init: Any) -> Any:
    """fun applied n times, first to the pytree `init`; TypeError unless it returns such a pytree.

    >>> repeat(3, lambda x: 2 * x, 1.0)
    Array(8., dtype=float32)
    """

    def strong(x: Any) -> Any:
        return cast(x, typeof(x).dtype)

    def step(x: Any) -> Any:
        return tree_map(strong, fun(x))

    init = tree_map(strong, init)
    staged, leaves = stage(step, (init,), {}, "repeat")
    avals = list(map(typeof, leaves))
    if staged.closed.out_avals != avals or staged.out_tree != tree_flatten(init)[1]:
        raise TypeError(f"repeat needs a function that returns what it takes: it takes {avals}, "
                        f"and returned {staged.closed.out_avals}.")  # fmt: skip
    out = repeat_p.bind(
        *staged.consts, *leaves, n=n, jaxpr=staged.program, num_consts=len(staged.consts)
    )
    return tree_unflatten(staged.out_tree, out)


@repeat_p.def_impl
def _repeat_impl(*args: Any, n: int, jaxpr: ClosedJaxpr, num_consts: int) -> list[Any]:
    consts, carry = args[:num_consts], list(map(as_array, args[num_consts:]))
    for _ in range(n):
        carry = jaxpr_as_fun(jaxpr)(*consts, *carry)
    return carry


@repeat_p.def_effectful_abstract_eval
def _repeat_abstract_eval(*avals: Any, n: int, jaxpr: ClosedJaxpr, num_consts: int) -> tuple:
    if len(avals) != len(jaxpr.in_avals) or not all(map(typematch, avals, jaxpr.in_avals)):
        raise TypeError(f"repeat takes {jaxpr.in_avals}, and is given {list(avals)}.")
    return jaxpr.out_avals, jaxpr.effects


# A tangent that becomes non-zero in some step is non-zero from then on: a fixed point.


def _fixed_point(derivative: Callable, jaxpr: ClosedJaxpr, nonzeros: tuple, num_consts: int):
    """Which operands have tangents, if those in `nonzeros` do; and `derivative` for these."""
    result = derivative(jaxpr, nonzeros, instantiate=nonzeros[num_consts:])
    found = (*nonzeros[:num_consts], *result[-1])
    if found == nonzeros:
        return found, result
    return _fixed_point(derivative, jaxpr, found, num_consts)


def _repeat_jvp(
    primals: Sequence, tangents: Sequence, *, n: int, jaxpr: ClosedJaxpr, num_consts: int
) -> tuple:
    nonzeros = tuple(map(is_nonzero, tangents))
    nonzeros, (jvp, _) = _fixed_point(jvp_jaxpr, jaxpr, nonzeros, num_consts)
    operands = [*primals, *choose(force_nonzero(tangents, nonzeros), nonzeros)]
    num_dots = sum(nonzeros[:num_consts])
    # The constants come first, here too: those of the primals, then those of the tangents.
    consts = [*range(num_consts), *range(len(primals), len(primals) + num_dots)]
    order = (*consts, *(i for i in range(len(operands)) if i not in consts))
    out = repeat_p.bind(
        *(operands[i] for i in order), n=n, jaxpr=_reordered(jvp, order), num_consts=len(consts)
    )
    size = len(jaxpr.out_avals)
    return out[:size], put_zeros(out[size:], nonzeros[num_consts:], jaxpr.out_avals)


@derived
def _reordered(closed: ClosedJaxpr, order: tuple[int, ...]) -> ClosedJaxpr:
    jaxpr = closed.jaxpr.replace(invars=[closed.invars[i] for i in order])
    return ClosedJaxpr(jaxpr, closed.consts)


primitive_jvps[repeat_p] = _repeat_jvp

# Linearized, it runs n steps forward, and then n linear ones on what these have left behind.
# Where no step leaves anything of its own behind, it stays one repeat, and so does its derivative.


def _step(name: str, jaxpr: ClosedJaxpr, *args: Any) -> list[Any]:
    donated = (False,) * len(args)
    return jit_p.bind(
        *args, jaxpr=jaxpr, name=name, keep_unused=False, inline=False, donated_invars=donated
    )


def _repeat_linearize(
    nonzeros: Sequence[bool], *primals: Any, n: int, jaxpr: ClosedJaxpr, num_consts: int
) -> tuple:
    nonzeros, split = _fixed_point(linearize_jaxpr, jaxpr, tuple(nonzeros), num_consts)
    consts, carry = primals[:num_consts], primals[num_consts:]
    alike = all(kind == "const" or (kind == "arg" and i < num_consts) for kind, i in split.sources)
    steps: list[list] = []  # the residuals of each
    if alike:
        carry = repeat_p.bind(*primals, n=n, jaxpr=jaxpr, num_consts=num_consts)
        steps = [split.residuals(consts, [])]
    else:
        for _ in range(n):
            out = _step("repeat_step", split.forward, *consts, *carry)
            steps.append(split.residuals([*consts, *carry], out))
            carry = out[: len(carry)]

    def linearized(steps: list[list], *tangents: Any) -> list[Any]:
        given = choose(force_nonzero(tangents, nonzeros), nonzeros)
        num_dots = sum(nonzeros[:num_consts])
        dots, carry = given[:num_dots], given[num_dots:]
        if alike:
            consts = [*steps[0], *dots]
            carry = repeat_p.bind(
                *consts, *carry, n=n, jaxpr=split.linear, num_consts=len(consts)
            )
        else:
            for residuals in steps:
                carry = _step("repeat_linear_step", split.linear, *residuals, *dots, *carry)
        return put_zeros(carry, nonzeros[num_consts:], jaxpr.out_avals)

    return carry, nonzeros[num_consts:], steps, linearized


primitive_linearizations[repeat_p] = _repeat_linearize

# Backwards: what is carried is the cotangent of what was carried, and for each constant that the
# program is linear in, the sum of the cotangents so far.


@derived
def _transposed_step(closed: ClosedJaxpr, linear: tuple[bool, ...]) -> ClosedJaxpr:
    """The step from known constants, sums and cotangents to sums and cotangents."""
    num_carried, num_sums = len(closed.out_avals), sum(linear)
    carried = (True,) * num_carried
    transposed, _ = transpose_jaxpr(closed, linear + carried, carried, instantiate=True)

    def step(*args: Any) -> list[Any]:
        known, cts = args[: -num_sums - num_carried], args[len(args) - num_carried :]
        sums = args[len(known) : len(args) - num_carried]
        found = jaxpr_as_fun(transposed)(*known, *cts)
        return [*map(add_tangents, sums, found), *found[num_sums:]]

    avals = closed.in_avals[: len(linear)]
    known = [aval for aval, lin in zip(avals, linear, strict=True) if not lin]
    in_avals = [*known, *choose(avals, linear), *closed.out_avals]
    return trace_to_jaxpr(step, in_avals, closed.jaxpr.debug_info)


def _repeat_transpose(
    cts: Sequence, *args: Any, n: int, jaxpr: ClosedJaxpr, num_consts: int
) -> list[Any]:
    """All that is carried counts as linear: what is known of it are zeros, where it starts."""
    linear = tuple(map(is_undefined_primal, args[:num_consts]))
    known = [x for x in args[:num_consts] if not is_undefined_primal(x)]
    sums = [zeros(x.aval) for x in args[:num_consts] if is_undefined_primal(x)]
    found = iter(repeat_p.bind(
        *known, *sums, *map(instantiate_zeros, cts), n=n, jaxpr=_transposed_step(jaxpr, linear),
        num_consts=len(known),
    ))  # fmt: skip
    of_consts = [next(found) if lin else None for lin in linear]
    return of_consts + [
        ct if is_undefined_primal(x) else None
        for x, ct in zip(args[num_consts:], found, strict=True)
    ]


primitive_transposes[repeat_p] = _repeat_transpose

# What becomes batched in some step is batched from then on, with its batch axis in front.


def _repeat_batcher(
    axis_data: Any, vals: Sequence, dims: Sequence, *, n: int, jaxpr: ClosedJaxpr, num_consts: int
) -> tuple:
    consts, found = tuple(dims[:num_consts]), dims[num_consts:]
    carried = None
    while found != carried:
        carried = tuple(None if d is None else 0 for d in found)
        batched, found = batch_jaxpr(jaxpr, axis_data, consts + carried, dims_out=carried)
    carry = [
        x if new is None else bdim_at_front(x, old, axis_data.size)
        for x, old, new in zip(vals[num_consts:], dims[num_consts:], carried, strict=True)
    ]
    out = repeat_p.bind(
        *vals[:num_consts], *carry, n=n, jaxpr=batched, num_consts=num_consts
    )
    return out, carried


fancy_primitive_batchers[repeat_p] = _repeat_batcher

# What a step needs of its input is used by the step before.


def _repeat_dce(used_outputs: Sequence[bool], eqn: JaxprEqn) -> tuple[list, JaxprEqn | None]:
    num_consts, used, found = eqn.params["num_consts"], None, tuple(used_outputs)
    while found != used:
        used = found
        keep = (False,) * num_consts + used
        jaxpr, needed = dce_closed_jaxpr(eqn.params["jaxpr"], used, instantiate=keep)
        found = needed[num_consts:]
    params = {**eqn.params, "jaxpr": jaxpr, "num_consts": sum(needed[:num_consts])}
    new_eqn = eqn._replace(
        invars=choose(eqn.invars, needed), outvars=choose(eqn.outvars, used), params=params,
        effects=jaxpr.effects,
    )  # fmt: skip
    return list(needed), new_eqn if new_eqn.outvars or has_effect(new_eqn) else None


dce_rules[repeat_p] = _repeat_dce
pp_eqn_rules[repeat_p] = lambda params: {"n": params["n"], "jaxpr": params["jaxpr"]}
