"""Functions in Python that compute for a program: what they return goes on in it.

A pure one is an operation like any other: it may be left out, and be run once more. One with an
effect of its own, such as reading a file, is called where it is written. Neither has a derivative.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from traceback import walk_tb
from typing import Any

import numpy as np

from minijax.compiler.lowerings import register_lowering
from minijax.compiler.special_cases.python_calls import run_by_python
from minijax.core.arrays import Array, is_array_like
from minijax.core.batching import moveaxis, not_mapped, primitive_batchers
from minijax.core.dtypes import canonicalize_dtype
from minijax.core.errors import JaxRuntimeError, is_ours, place
from minijax.core.forward import primitive_jvps
from minijax.core.jitting import as_runtime_value
from minijax.core.primitives import cast
from minijax.core.pytrees import PyTreeDef, tree_flatten, tree_leaves, tree_unflatten
from minijax.core.reverse import primitive_transposes
from minijax.core.tracing import Effect, Primitive, ShapedArray, no_effects, typeof
from minijax.lax.control_flow.fori import map as map_examples
from minijax.lax.control_flow.scan_calls import scan
from minijax.lax.control_flow.while_loop import counted_effects, ordered_effects
from minijax.lax.custom.recomputation import once_only
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.shapes.axes import broadcast


def strong(x: Any) -> Array:
    """A value as an array that is not weak."""
    return cast(as_runtime_value(x), typeof(x).dtype)


@dataclass(frozen=True)
class _FlatCallback:
    """A function of a call's leaves, equal for equal functions."""

    callback_func: Callable
    in_tree: PyTreeDef  # of (args, kwargs)

    def __call__(self, name: str, operands: Sequence[Any]) -> Any:
        """Called for a primitive of this name, with arrays, which are strong."""
        leaves = map(strong, operands)
        what = function_of(name, self.callback_func)
        return call_users(what, self.callback_func, *tree_unflatten(self.in_tree, leaves))


def function_of(name: str, fun: Callable) -> str:
    """A function of the user's, as a message names it."""
    return f"{name}'s function {getattr(fun, '__name__', None) or type(fun).__name__}"


def call_users(what: str, fun: Callable, args: Sequence[Any], kwargs: dict) -> Any:
    """What a function of the user's returns; JaxRuntimeError, from its own error, where it fails.

    Ctrl-C and the like pass. `what` names the function.
    """
    try:
        return fun(*args, **kwargs)
    except Exception as error:
        lines = [(frame.f_code, line) for frame, line in walk_tb(error.__traceback__)
                 if not is_ours(frame)]  # fmt: skip
        at = f"\n  raised at: {place(*lines[-1])}" if lines else ""
        said = f"{type(error).__name__}: {error}"
        # A line that begins with a space stays whole: whoever catches it may look for the text.
        said = f" {said}" if len(what) + len(said) < 60 else f"\n  {said}"
        raise JaxRuntimeError(
            f"{what} raised{said}{at}\nMake it return, or catch JaxRuntimeError around the program."
        ) from error


def _results(name: str, out: Any, avals: Sequence[ShapedArray]) -> list[Array]:
    """What a function returned, as arrays; JaxRuntimeError where it is not of the types given."""
    leaves = [np.asarray(x) for x in tree_leaves(out)]
    got = [(x.shape, canonicalize_dtype(x.dtype)) for x in leaves if x.dtype.kind in "biufcV"]
    if len(got) != len(leaves) or got != [(aval.shape, aval.dtype) for aval in avals]:
        types = ", ".join(f"{x.dtype}{list(x.shape)}" for x in leaves) or "nothing"
        wanted = ", ".join(aval.str_short() for aval in avals) or "nothing"
        raise JaxRuntimeError(
            f"{name}'s function returned {types}, and result_shape_dtypes says {wanted}. Make the "
            f"two agree."
        )
    return [Array(np.array(x, aval.dtype), aval) for x, aval in zip(leaves, avals, strict=True)]


def _refusing(name: str, what: str, way_out: str) -> Callable:
    def refuse(*args: Any, **params: Any) -> Any:
        raise ValueError(f"{name}'s function has no {what}. {way_out}")

    return refuse


def _calling_primitive(name: str, type_rule: Callable, batcher: Callable) -> Any:
    """A primitive that calls a function in Python."""
    primitive = Primitive(name, inert={"sharding": None})
    primitive.multiple_results = primitive.says_what_varies = True
    primitive.def_effectful_abstract_eval(type_rule)
    primitive.def_impl(
        lambda *operands, callback, result_avals, **params:
            _results(name, callback(name, operands), result_avals)
    )  # fmt: skip
    rule = "Give the function that calls it a rule: custom_jvp or custom_vjp."
    primitive_jvps[primitive] = _refusing(name, "derivative", rule)
    primitive_transposes[primitive] = _refusing(name, "transpose", rule)
    primitive_batchers[primitive] = batcher
    run_by_python.add(primitive)
    return primitive


def _bound(
    primitive: Primitive, callback: Callable, types: Any, args: tuple, kwargs: dict, **params: Any
) -> Any:
    """The results of a call, in the structure of `types`."""
    name = primitive.name
    if not callable(callback):
        raise TypeError(f"{name} takes a function first, and got {shown(callback)}. Give one.")
    operands, in_tree = tree_flatten((args, kwargs))
    for x in operands:
        if not is_array_like(x):
            raise TypeError(
                f"{name} gives its function arrays, and got {shown(x)}. Give these, and close over "
                f"what is none."
            )
    leaves, out_tree = tree_flatten(types)
    for x in leaves:
        if not (hasattr(x, "shape") and hasattr(x, "dtype")):
            raise AttributeError(
                f"{name} takes result_shape_dtypes with shapes and dtypes, and got {shown(x)}. "
                f"Give ShapeDtypeStructs."
            )
        if canonicalize_dtype(x.dtype) != x.dtype:
            raise ValueError(
                f"{name} got {np.dtype(x.dtype)} in result_shape_dtypes, which has 64 bits. "
                f"Give one of 32, or switch on jax_enable_x64."
            )
    avals = tuple(ShapedArray(tuple(x.shape), np.dtype(x.dtype)) for x in leaves)
    out = primitive.bind(
        *operands, callback=_FlatCallback(callback, in_tree), result_avals=avals, **params
    )
    return tree_unflatten(out_tree, out)


def _in_front(args: Sequence[Any], dims: Sequence[Any]) -> tuple[list[Any], list[bool]]:
    """The operands with their batch axis in front, and which have one."""
    moved = [x if d is not_mapped else moveaxis(x, d, 0) for x, d in zip(args, dims, strict=True)]
    return moved, [d is not not_mapped for d in dims]


def _example_by_example(
    loop: Callable, primitive: Primitive, args: Sequence[Any], mapped: Sequence[bool], params: dict
) -> tuple:
    """A call for each example: `loop` maps a function over the mapped operands."""

    def of_example(example: Sequence[Any]) -> list[Any]:
        given = iter(example)
        operands = [next(given) if m else x for x, m in zip(args, mapped, strict=True)]
        return primitive.bind(*operands, **params)

    out = loop(of_example, [x for x, m in zip(args, mapped, strict=True) if m])
    return out, [0] * len(out)


# A pure function.

_VMAP_METHODS = (
    "sequential", "sequential_unrolled", "expand_dims", "broadcast_all", "legacy_vectorized",
)  # fmt: skip


def _pure_rule(
    *avals: ShapedArray, callback: _FlatCallback, result_avals: tuple, vmap_method: str | None
) -> tuple:
    return list(result_avals), no_effects


def _pure_batcher(args: Sequence[Any], dims: Sequence[Any], **params: Any) -> tuple:
    """By `vmap_method`: a call for each example, or one of all."""
    method = params["vmap_method"]
    if method is None:
        raise NotImplementedError(
            f"pure_callback was mapped by vmap, and has no vmap_method. Give one of "
            f"{', '.join(_VMAP_METHODS)}."
        )
    args, mapped = _in_front(args, dims)
    size = next(typeof(x).shape[0] for x, m in zip(args, mapped, strict=True) if m)
    if method.startswith("sequential"):
        def loop(fun: Callable, xs: Any) -> Any:
            unroll = method == "sequential_unrolled"
            return scan(lambda _, x: ((), fun(x)), (), xs, unroll=unroll)[1]

        return _example_by_example(loop, pure_callback_p, args, mapped, params)
    if method != "legacy_vectorized":
        copies = size if method == "broadcast_all" else 1
        args = [x if m else broadcast(x, (copies,)) for x, m in zip(args, mapped, strict=True)]
    avals = tuple(aval.update(shape=(size, *aval.shape)) for aval in params["result_avals"])
    out = pure_callback_p.bind(*args, **{**params, "result_avals": avals})
    return out, [0] * len(out)


pure_callback_p = _calling_primitive("pure_callback", _pure_rule, _pure_batcher)
register_lowering(pure_callback_p, opaque=True)  # nobody is called while a program is compiled


def pure_callback(
    callback: Callable, result_shape_dtypes: Any, *args: Any, sharding: Any = None,
    vmap_method: str | None = None, **kwargs: Any,
) -> Any:  # fmt: skip
    """What `callback(*args, **kwargs)` returns, a function in Python that is given arrays.

    `result_shape_dtypes` is a pytree of what has shapes and dtypes, such as ShapeDtypeStructs, and
    the result has its structure. The function has no effect: nobody says how often it is called.

    `vmap_method` says how it is mapped: "sequential", by a call for each example; "expand_dims", by
    one call in which each operand has an axis more in front, that of the examples or one of size 1;
    "broadcast_all", likewise with the operands repeated. NotImplementedError under `vmap` without
    one, ValueError for another one, and for a derivative; JaxRuntimeError for a result that
    `result_shape_dtypes` does not describe, and from whatever the function raises.

    >>> import minijax as jax
    >>> def f(x):
    ...     out = jax.ShapeDtypeStruct.like(x)
    ...     return pure_callback(np.round, out, x, vmap_method="sequential")
    >>> jax.vmap(f)(np.float32([0.4, 1.7]))
    Array([0., 2.], dtype=float32)
    """
    if vmap_method not in (None, *_VMAP_METHODS):
        raise ValueError(
            f"pure_callback knows no vmap_method {shown(vmap_method)}. Give one of "
            f"{', '.join(_VMAP_METHODS)}."
        )
    return _bound(
        pure_callback_p, callback, result_shape_dtypes, args, kwargs,
        sharding=sharding, vmap_method=vmap_method,
    )  # fmt: skip


# A function with an effect.


class IOEffect(Effect):
    """A function does something beside what it returns."""

    def __repr__(self) -> str:
        return "IO"


class OrderedIOEffect(IOEffect):
    """It does so in the program's order."""

    def __repr__(self) -> str:
        return "OrderedIO"


ordered_effects.append(OrderedIOEffect)
counted_effects.append(IOEffect)
once_only.append(IOEffect)
_EFFECTS = {False: frozenset([IOEffect()]), True: frozenset([OrderedIOEffect()])}


def _io_rule(
    *avals: ShapedArray, callback: _FlatCallback, result_avals: tuple, ordered: bool
) -> tuple:
    return list(result_avals), _EFFECTS[ordered]


def _io_batcher(args: Sequence[Any], dims: Sequence[Any], **params: Any) -> tuple:
    """A call for each example, unless their order is the program's."""
    if params["ordered"]:
        raise ValueError(
            "io_callback was mapped by vmap, and ordered: examples have no order. Leave ordered "
            "out, or loop with lax.scan."
        )
    return _example_by_example(map_examples, io_callback_p, *_in_front(args, dims), params)


io_callback_p = _calling_primitive("io_callback", _io_rule, _io_batcher)


def io_callback(
    callback: Callable, result_shape_dtypes: Any, *args: Any, sharding: Any = None,
    ordered: bool = False, **kwargs: Any,
) -> Any:  # fmt: skip
    """Like `pure_callback`, of a function that has an effect: it is called where it is written.

    Calls come in the program's order. Under `vmap` there is one for each example, and ValueError
    for those that are `ordered`.

    >>> import minijax as jax
    >>> numbers = iter([0.5, 0.25])
    >>> number = jax.ShapeDtypeStruct((), "float32")
    >>> f = jax.jit(lambda x: x + io_callback(lambda: next(numbers), number))
    >>> f(1.0), f(1.0)
    (Array(1.5, dtype=float32), Array(1.25, dtype=float32))
    """
    return _bound(
        io_callback_p, callback, result_shape_dtypes, args, kwargs,
        sharding=sharding, ordered=bool(ordered),
    )  # fmt: skip
