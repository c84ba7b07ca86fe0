"""vmap by the user's rule: a function, and what to do with all its examples at once.

A rule on leaves maps (axis size, which leaves are mapped, leaves) to the leaves of the results
and which of these are mapped. What is mapped has its axis in front.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, update_wrapper
from typing import Any

from minijax.compiler.lowerings import register_lowering
from minijax.core.batching import batch_flat
from minijax.core.calls import check_callable, check_results
from minijax.core.extend import (
    AxisData,
    ClosedJaxpr,
    Primitive,
    api_boundary,
    bdim_at_front,
    choose,
    convert_constvars_jaxpr,
    example_aval,
    fancy_primitive_batchers,
    instantiate_zeros,
    jaxpr_as_fun,
    jvp_flat,
    jvp_jaxpr,
    moveaxis,
    primitive_jvps,
    put_zeros,
    stage,
    typeof,
)
from minijax.core.linearization import has_tangent
from minijax.core.pytrees import (
    PyTreeDef,
    tree_flatten,
    tree_leaves,
    tree_map,
    tree_structure,
    tree_unflatten,
)
from minijax.lax.control_flow import fori
from minijax.lax.custom.rule_calls import (
    function_name,
    inner_method,
    resolve_positions,
    without_address,
)
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.typechecks import FUNCTION, PROGRAM, TREE, called, def_typecheck


class CustomVmapPrimitive(Primitive):
    """The rule may return another dtype than the function, so types are not compared."""

    has_types = False


custom_vmap_p = CustomVmapPrimitive("custom_vmap_call")
custom_vmap_p.multiple_results = True


@custom_vmap_p.def_impl
def _custom_vmap_impl(*args: Any, call: ClosedJaxpr, **params: Any) -> list[Any]:
    return jaxpr_as_fun(call)(*args)


@custom_vmap_p.def_effectful_abstract_eval
def _custom_vmap_abstract_eval(*in_avals: Any, call: ClosedJaxpr, **params: Any) -> tuple:
    return called("custom_vmap_call", call, in_avals)


def_typecheck(custom_vmap_p, call=PROGRAM, rule=FUNCTION, in_tree=TREE, out_tree=TREE)


register_lowering(custom_vmap_p, call=lambda eqn: (eqn.params["call"], eqn.invars))


class UserRule:
    """The user's rule, on leaves; what the function closes over comes first."""

    def __init__(self, rule: Callable, in_tree: PyTreeDef, out_tree: PyTreeDef) -> None:
        self.rule, self.in_tree, self.out_tree = rule, in_tree, out_tree

    def __call__(self, size: int, mapped: Sequence[bool], args: Sequence[Any]) -> tuple:
        name = function_name(self.rule)
        consts_mapped, marks = tree_unflatten(self.in_tree, mapped)
        if any(consts_mapped):
            raise AssertionError(
                f"A custom_vmap function closes over a value that is mapped, and its rule {name} "
                f"is not given it. Make the value an argument."
            )
        pair = self.rule(size, list(marks), *tree_unflatten(self.in_tree, args)[1])
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise ValueError(
                f"The custom_vmap rule {name} must return a pair: the results, and which of them "
                f"are mapped. It returned {shown(pair)}. Return both."
            )
        (out, tree), (out_mapped, mapped_tree) = tree_flatten(pair[0]), tree_flatten(pair[1])
        if tree != self.out_tree or mapped_tree != self.out_tree:
            raise ValueError(
                f"The custom_vmap rule {name} returned results of structure {tree}, marked as "
                f"{mapped_tree}. Give both the structure of the function's result, "
                f"{self.out_tree}."
            )
        check_results(self.rule, out)
        return out, list(map(bool, out_mapped))

    def __str__(self) -> str:
        return without_address(self.rule)


def _custom_vmap_batcher(
    axis_data: AxisData, vals: Sequence[Any], dims: Sequence[int | None], *, call: ClosedJaxpr,
    rule: Callable, **params: Any,
) -> tuple:  # fmt: skip
    mapped, size = [d is not None for d in dims], axis_data.size
    if not any(mapped):
        out = custom_vmap_p.bind(*vals, call=call, rule=rule, **params)
        return out, [None] * len(out)
    front = [x if d is None else moveaxis(x, d, 0) for x, d in zip(vals, dims, strict=True)]
    out, out_mapped = rule(size, mapped, front)
    for x, is_mapped, aval in zip(out, out_mapped, call.out_avals, strict=True):
        got = typeof(x)
        fits = not is_mapped or got.shape[:1] == (size,)
        if not fits or example_aval(got, 0 if is_mapped else None).shape != aval.shape:
            raise ValueError(
                f"A custom_vmap rule returned {got.str_short()}, marked as "
                f"{'mapped' if is_mapped else 'not mapped'}, over {size} examples of "
                f"{aval.str_short()}. Give a mapped result an axis of that size in front."
            )
    return out, [0 if is_mapped else None for is_mapped in out_mapped]


fancy_primitive_batchers[custom_vmap_p] = _custom_vmap_batcher


def _custom_vmap_jvp(primals, tangents, *, call, rule, in_tree, out_tree):
    """A call of the derivative: its rule is the derivative of the rule."""
    floats = tuple(has_tangent(typeof(x)) for x in primals)
    out_floats = tuple(map(has_tangent, call.out_avals))
    dots = choose([instantiate_zeros(t) for t in tangents], floats)
    num_in, num_out = len(primals), len(call.out_avals)

    def jvp_rule(size: int, mapped: Sequence[bool], args: Sequence[Any]) -> tuple:
        """If no primal is mapped together with its tangent, the rule sees single examples.

        Otherwise a primal and its tangent are both mapped if one of them is.
        """
        marks = iter(mapped[num_in:])
        pairs = [(m, f and next(marks)) for m, f in zip(mapped, floats, strict=False)]
        if not any(map(all, pairs)):
            dims = [0 if is_mapped else None for is_mapped in mapped]
            one = partial(jvp_of_rule, size, [False] * num_in)
            out, found = batch_flat(lambda *xs: one(xs)[0], AxisData(None, size), dims, args)
            moves = zip(out, found, strict=True)
            out = [x if d is None else moveaxis(x, d, 0) for x, d in moves]
            return out, [d is not None for d in found]
        both = list(map(any, pairs))
        wanted = [*both, *choose(both, floats)]
        args = [
            bdim_at_front(x, None, size) if want and not is_mapped else x
            for x, is_mapped, want in zip(args, mapped, wanted, strict=True)
        ]
        return jvp_of_rule(size, both, args)

    def jvp_of_rule(size: int, marks: Sequence[bool], args: Sequence[Any]) -> tuple:
        found: list[Sequence[bool]] = []

        def fun(*xs: Any) -> list[Any]:
            out, out_mapped = rule(size, marks, xs)
            found.append(out_mapped)
            return out

        avals = list(map(typeof, args[:num_in]))
        out, out_dot = jvp_flat(fun, args[:num_in], put_zeros(args[num_in:], floats, avals))
        out_dot = choose(list(map(instantiate_zeros, out_dot)), out_floats)
        return [*out, *out_dot], [*found[0], *choose(found[0], out_floats)]

    jvp, _ = jvp_jaxpr(call, floats, out_floats)
    out = custom_vmap_p.bind(
        *primals, *dots, call=jvp, rule=jvp_rule, in_tree=_pair_of(in_tree, floats),
        out_tree=_pair_of(out_tree, out_floats),
    )  # fmt: skip
    return out[:num_out], put_zeros(out[num_out:], out_floats, call.out_avals)


def _pair_of(tree: PyTreeDef, floats: Sequence[bool]) -> PyTreeDef:
    """The structure of primals and those tangents that there are."""
    parts = [0] * len(floats), [0 if f else None for f in floats]
    return tree_structure(tuple(tree_unflatten(tree, part) for part in parts))


primitive_jvps[custom_vmap_p] = _custom_vmap_jvp

# The decorators.


class custom_vmap:  # noqa: N801
    """A function with a rule for vmap: `def_vmap` is told it. The function is always traced.

    Raises AttributeError at a call without a rule. It can be differentiated forwards, by the
    derivative of the rule; for gradients, give it a rule for these too: custom_vjp(custom_vmap(f)).

    >>> import numpy as np
    >>> import minijax
    >>> f = custom_vmap(lambda x: x * x)
    >>> @f.def_vmap
    ... def rule(axis_size, in_batched, x):
    ...     return 100 * x, True
    >>> f(2.0), minijax.vmap(f)(np.arange(3.0))
    (Array(4., dtype=float32, weak_type=True), Array([  0., 100., 200.], dtype=float32))
    """

    def __init__(self, fun: Callable) -> None:
        update_wrapper(self, fun)
        self.fun, self.vmap_rule = fun, None

    def __getattr__(self, name: str) -> Any:
        """The function inside may have rules of its own: `custom_vmap(custom_jvp(f)).defjvp`."""
        return inner_method(self, name)

    def def_vmap(self, vmap_rule: Callable) -> Callable:
        """The rule: (axis_size, in_batched, *args) to a pair (result, out_batched).

        `in_batched` is a list with a tree of bools for each argument, `out_batched` has the
        structure of the result. What is batched has its axis in front.
        """
        self.vmap_rule = vmap_rule
        return vmap_rule

    @api_boundary
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        check_callable(self.fun, "custom_vmap")
        name = function_name(self.fun)
        args = resolve_positions(self.fun, args, kwargs)
        if not self.vmap_rule:
            raise AttributeError(f"{name} has no rule for vmap. Give it one: {name}.def_vmap.")
        staged, leaves = stage(self.fun, args, {}, "custom_vmap")
        call = ClosedJaxpr(convert_constvars_jaxpr(staged.closed.jaxpr), [])
        consts = staged.closed.consts
        in_tree = tree_structure((consts, args))
        rule = UserRule(self.vmap_rule, in_tree, staged.out_tree)
        out = custom_vmap_p.bind(
            *consts, *leaves, call=call, rule=rule, in_tree=in_tree, out_tree=staged.out_tree
        )
        return tree_unflatten(staged.out_tree, out)


def sequential_vmap(f: Callable) -> custom_vmap:
    """A function for which vmap is a loop: one example after the other, by lax.map.

    >>> import numpy as np
    >>> import minijax
    >>> minijax.vmap(sequential_vmap(lambda x: x * x))(np.arange(3.0))
    Array([0., 1., 4.], dtype=float32)
    """
    f = custom_vmap(f)

    @f.def_vmap
    def rule(axis_size: int, in_batched: list[Any], *args: Any) -> tuple:
        leaves, tree = tree_flatten(args)
        mapped = tree_leaves(in_batched)

        def one(examples: list[Any]) -> Any:
            given = iter(examples)
            xs = [next(given) if m else x for x, m in zip(leaves, mapped, strict=True)]
            return f(*tree_unflatten(tree, xs))

        out = fori.map(one, choose(leaves, mapped))
        return out, tree_map(lambda _: True, out)

    return f
