"""jit: a function is traced once for each type of its arguments, then run as one primitive."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import partial, update_wrapper
from types import MethodType
from typing import Any
from weakref import WeakKeyDictionary

from minijax.core.arrays import as_array, config
from minijax.core.batching import AxisData, batch_flat, fancy_primitive_batchers
from minijax.core.forward import (
    Zero,
    check_callable,
    debug_info,
    jvp_flat,
    primitive_jvps,
)
from minijax.core.pytrees import tree_flatten, tree_unflatten
from minijax.core.staging import (
    ClosedJaxpr,
    JaxprEqn,
    JaxprTrace,
    JaxprTypeError,
    as_tuple,
    custom_staging_rules,
    dce_jaxpr,
    dce_rules,
    eval_jaxpr,
    eval_shape,
    jaxpr_as_fun,
    pp_aliased,
    pp_eqn_rules,
    split_static,
    trace_to_jaxpr,
)
from minijax.core.tracing import Primitive, ShapedArray, Tracer, typeof

# The primitive, and what runs it.

jit_p = Primitive("jit")
jit_p.multiple_results = True


def interpret(jaxpr: ClosedJaxpr) -> Callable:
    """The first backend: every primitive runs on NumPy, one after the other."""
    return jaxpr_as_fun(jaxpr)


class Backend:
    """Turns a closed jaxpr into a function of arrays. The compiler puts itself here."""

    compile: Callable[[ClosedJaxpr], Callable] = staticmethod(interpret)


def cached_by_jaxpr(fun: Callable) -> Callable:
    """Remembers fun(closed_jaxpr, *key) for as long as the jaxpr lives."""
    memory: WeakKeyDictionary = WeakKeyDictionary()

    def cached(closed: ClosedJaxpr, *key: Any) -> Any:
        results = memory.setdefault(closed, {})
        full_key = (*key, config.jax_enable_x64)
        if full_key not in results:
            results[full_key] = fun(closed, *key)
        return results[full_key]

    return cached


@cached_by_jaxpr
def _executable(closed: ClosedJaxpr) -> Callable:
    return Backend.compile(closed)


@jit_p.def_impl
def _jit_impl(*args: Any, jaxpr: ClosedJaxpr, **_: Any) -> list[Any]:
    return _executable(jaxpr)(*map(as_array, args))


@jit_p.def_abstract_eval
def _jit_abstract_eval(*in_avals: ShapedArray, jaxpr: ClosedJaxpr, **_: Any) -> list[ShapedArray]:
    expected = [(aval.shape, aval.dtype) for aval in jaxpr.in_avals]
    if [(aval.shape, aval.dtype) for aval in in_avals] != expected:
        raise JaxprTypeError(f"jit takes {jaxpr.in_avals}, and is given {list(in_avals)}.")
    return jaxpr.out_avals


def bind_jit(jaxpr: ClosedJaxpr, args: Sequence[Any], params: dict[str, Any]) -> list[Any]:
    """Binds jit_p to a jaxpr that a rule made, with the other parameters kept."""
    return jit_p.bind(*args, **{**params, "jaxpr": jaxpr, "donated_invars": (False,) * len(args)})


# Its rules so far: each makes a jaxpr from the jaxpr, and binds jit_p again.


@cached_by_jaxpr
def jvp_jaxpr(closed: ClosedJaxpr, nonzeros: tuple[bool, ...]) -> tuple[ClosedJaxpr, list[bool]]:
    """The jaxpr from primals and non-zero tangents to results and non-zero tangents of these."""
    avals = closed.in_avals
    tangent_avals = [
        aval.to_tangent_aval() for aval, nonzero in zip(avals, nonzeros, strict=True) if nonzero
    ]
    out_nonzeros = []

    def jvp_fun(*args: Any) -> list[Any]:
        primals, given = args[: len(avals)], iter(args[len(avals) :])
        tangents = [
            next(given) if nonzero else Zero(aval.to_tangent_aval())
            for aval, nonzero in zip(avals, nonzeros, strict=True)
        ]
        out, out_dot = jvp_flat(jaxpr_as_fun(closed), primals, tangents)
        out_nonzeros.extend(type(t) is not Zero for t in out_dot)
        return [*out, *(t for t in out_dot if type(t) is not Zero)]

    return trace_to_jaxpr(jvp_fun, [*avals, *tangent_avals], closed.jaxpr.debug_info), out_nonzeros


def _jit_jvp(primals: Sequence, tangents: Sequence, jaxpr: ClosedJaxpr, **params: Any) -> tuple:
    nonzeros = tuple(type(t) is not Zero for t in tangents)
    new_jaxpr, out_nonzeros = jvp_jaxpr(jaxpr, nonzeros)
    given = [t for t in tangents if type(t) is not Zero]
    out = bind_jit(new_jaxpr, [*primals, *given], params)
    primals_out, rest = out[: len(out_nonzeros)], iter(out[len(out_nonzeros) :])
    return primals_out, [
        next(rest) if nonzero else Zero.from_primal_value(x)
        for x, nonzero in zip(primals_out, out_nonzeros, strict=True)
    ]


primitive_jvps[jit_p] = _jit_jvp


@cached_by_jaxpr
def batch_jaxpr(
    closed: ClosedJaxpr, axis_data: AxisData, dims: tuple[int | None, ...]
) -> tuple[ClosedJaxpr, list[int | None]]:
    """The jaxpr for all examples at once, and the batch dimensions of its results."""

    def batched(aval: ShapedArray, dim: int | None) -> ShapedArray:
        if dim is None:
            return aval
        return aval.update(shape=(*aval.shape[:dim], axis_data.size, *aval.shape[dim:]))

    dims_out = []

    def batch_fun(*vals: Any) -> list[Any]:
        vals_out, out = batch_flat(jaxpr_as_fun(closed), axis_data, dims, vals)
        dims_out.extend(out)
        return vals_out

    in_avals = list(map(batched, closed.in_avals, dims))
    return trace_to_jaxpr(batch_fun, in_avals, closed.jaxpr.debug_info), dims_out


def _jit_batcher(
    axis_data: AxisData, vals: Sequence, dims: Sequence, jaxpr: ClosedJaxpr, **params: Any
) -> tuple[list[Any], list[int | None]]:
    new_jaxpr, dims_out = batch_jaxpr(jaxpr, axis_data, tuple(dims))
    return bind_jit(new_jaxpr, vals, params), dims_out


fancy_primitive_batchers[jit_p] = _jit_batcher


def _jit_staging(trace: JaxprTrace, args: Sequence[Any], params: dict) -> list[Any]:
    """An inlined function leaves no trace of itself: its equations are recorded instead."""
    if params["inline"]:
        return eval_jaxpr(params["jaxpr"].jaxpr, params["jaxpr"].consts, *args)
    return trace.record(jit_p, args, params)


custom_staging_rules[jit_p] = _jit_staging


@cached_by_jaxpr
def dce_closed_jaxpr(closed: ClosedJaxpr, used: tuple[bool, ...]) -> tuple[ClosedJaxpr, list[bool]]:
    jaxpr, used_inputs = dce_jaxpr(closed.jaxpr, used)
    return ClosedJaxpr(jaxpr, closed.consts), used_inputs


def _jit_dce(used_outputs: list[bool], eqn: JaxprEqn) -> JaxprEqn:
    jaxpr, used_inputs = dce_closed_jaxpr(eqn.params["jaxpr"], tuple(used_outputs))
    donated = zip(eqn.params["donated_invars"], used_inputs, strict=True)
    params = {**eqn.params, "jaxpr": jaxpr, "donated_invars": tuple(d for d, use in donated if use)}
    invars = [x for x, used in zip(eqn.invars, used_inputs, strict=True) if used]
    outvars = [v for v, used in zip(eqn.outvars, used_outputs, strict=True) if used]
    return eqn.replace(invars=invars, outvars=outvars, params=params)


def _jit_pp_params(params: dict[str, Any]) -> dict[str, Any]:
    shown = {"name": params["name"], "jaxpr": params["jaxpr"]}
    if any(params["donated_invars"]):
        shown["donated_invars"] = params["donated_invars"]
    return {**shown, "keep_unused": True} if params["keep_unused"] else shown


dce_rules[jit_p] = _jit_dce
pp_eqn_rules[jit_p] = _jit_pp_params
pp_aliased.add(jit_p)

# Tracing once: the cache.


def hoist_tracers(closed: ClosedJaxpr) -> tuple[ClosedJaxpr, list[Tracer]]:
    """The jaxpr with the tracers among its consts as first arguments, and these tracers."""
    pairs = list(zip(closed.constvars, closed.consts, strict=True))
    hoisted = [(v, x) for v, x in pairs if isinstance(x, Tracer)]
    kept = [(v, x) for v, x in pairs if not isinstance(x, Tracer)]
    jaxpr = closed.jaxpr.replace(
        constvars=[v for v, _ in kept], invars=[*(v for v, _ in hoisted), *closed.invars]
    )
    return ClosedJaxpr(jaxpr, [x for _, x in kept]), [x for _, x in hoisted]


_traced_functions: WeakKeyDictionary = WeakKeyDictionary()  # function -> {key: (jaxpr, out_tree)}


def _cache_of(fun: Callable) -> dict:
    """Where the jaxprs of a function are kept; functions that can't be keys share nothing."""
    try:
        return _traced_functions.setdefault(fun, {})
    except TypeError:
        return {}


def _infer_static(fun: Callable, argnums: Any, argnames: Any) -> tuple[tuple, tuple]:
    """Static arguments by number and by name: what is given one way is looked up the other."""
    nums, names = as_tuple(argnums), as_tuple(argnames)
    try:
        parameters = list(inspect.signature(fun).parameters.values()) if nums or names else []
    except (TypeError, ValueError):
        return nums, names
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    positional = [p.name for p in parameters if p.kind in kinds]
    if argnums is None:
        nums = tuple(positional.index(name) for name in names if name in positional)
    if argnames is None:
        size = len(positional)
        names = tuple(positional[i] for i in nums if -size <= i < size)
    return nums, names


def _static_key(static: tuple, name: str) -> tuple:
    for where, value in static:
        try:
            hash(value)
        except TypeError as error:
            raise ValueError(
                f"{name}: the static argument {where} is {value!r} of type {type(value).__name__}, "
                f"which is not hashable. Static arguments are compared from call to call: pass "
                f"a tuple instead of a list, or make the argument a traced one."
            ) from error
    return tuple((where, type(value), value) for where, value in static)


class JitFunction:
    """What jit returns: a function that traces once for each type of its arguments."""

    def __init__(self, fun: Callable, static: tuple[tuple, tuple], donated: tuple, params: dict):
        update_wrapper(self, fun)
        self.__name__ = getattr(fun, "__name__", type(fun).__name__)
        self._fun, self._static, self._donated, self._params = fun, static, donated, params
        self._cache = _cache_of(fun)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if config.jax_disable_jit:
            return self._fun(*args, **kwargs)
        call = split_static(self._fun, args, kwargs, *self._static)
        leaves, in_tree = tree_flatten((call.args, call.kwargs))
        avals = self._check(leaves, call.args, call.kwargs)
        static = _static_key(call.static, self.__name__) if call.static else ()
        key = (in_tree, avals, static, config.jax_enable_x64, config.jax_numpy_dtype_promotion)
        traced = self._cache.get(key)
        if traced is None:
            jaxpr, out_tree, hoisted = self._trace(call, leaves, in_tree, avals)
            if not hoisted:
                self._cache[key] = jaxpr, out_tree
        else:
            (jaxpr, out_tree), hoisted = traced, []
        donated = self._donated_invars(call.args, len(hoisted), len(leaves))
        params = {"jaxpr": jaxpr, "name": self.__name__, "donated_invars": donated, **self._params}
        out = jit_p.bind(*hoisted, *leaves, **params)
        return tree_unflatten(out_tree, out)

    def _check(self, leaves: Sequence[Any], args: tuple, kwargs: dict) -> tuple[ShapedArray, ...]:
        try:
            return tuple(map(typeof, leaves))
        except TypeError:
            info = debug_info("jit", self._fun, args, kwargs)
            for i, leaf in enumerate(leaves):
                _check_type(leaf, f"{self.__name__} was called under jit with {info.arg_name(i)} =")
            raise

    def _trace(self, call: Any, leaves: Sequence, in_tree: Any, avals: Sequence) -> tuple:
        info = debug_info("jit", call.fun, call.args, call.kwargs)
        out_trees = []

        def flat_fun(*flat_args: Any) -> list[Any]:
            args, kwargs = tree_unflatten(in_tree, flat_args)
            out, out_tree = tree_flatten(call.fun(*args, **kwargs))
            out_trees.append(out_tree)
            for x in out:
                _check_type(x, f"{self.__name__}, under jit, returned")
            return out

        closed, hoisted = hoist_tracers(trace_to_jaxpr(flat_fun, avals, info))
        return closed, out_trees[-1], hoisted

    def _donated_invars(self, args: tuple, num_hoisted: int, num_leaves: int) -> tuple[bool, ...]:
        if not self._donated:
            return (False,) * (num_hoisted + num_leaves)
        marks = [i in self._donated for i, arg in enumerate(args) for _ in tree_flatten(arg)[0]]
        marks = [False] * num_hoisted + marks
        return tuple(marks + [False] * (num_hoisted + num_leaves - len(marks)))

    def eval_shape(self, *args: Any, **kwargs: Any) -> Any:
        """The shapes and dtypes of the results, as ShapeDtypeStructs."""
        call = split_static(self._fun, args, kwargs, *self._static)
        return eval_shape(call.fun, *call.args, **call.kwargs)

    def clear_cache(self) -> None:
        """Forgets what was traced, so that the function is traced anew."""
        self._cache.clear()

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __repr__(self) -> str:
        return f"<PjitFunction of {self._fun!r}>"


def _check_type(x: Any, sentence: str) -> None:
    try:
        typeof(x)
    except TypeError as error:
        raise TypeError(
            f"{sentence} {x!r} of type {type(x).__name__}, which is neither an array nor a number "
            f"nor a container of these. Constants may be static arguments (static_argnums) or "
            f"closed over."
        ) from error


def jit(
    fun: Callable | None = None, /, *, static_argnums: Any = None, static_argnames: Any = None,
    donate_argnums: Any = None, donate_argnames: Any = None, keep_unused: bool = False,
    inline: bool = False,
) -> Any:  # fmt: skip
    """`fun`, traced at its first call with arguments of each type and run as one program.

    Static arguments are given to `fun` as they are and must be hashable (else ValueError): for
    each of their values it is traced anew. Donated arguments are accepted and not destroyed.
    `inline` writes the function's equations into an enclosing jaxpr. Without `fun`, a decorator.

    >>> double = jit(lambda x: 2 * x)
    >>> double(3.0)
    Array(6., dtype=float32, weak_type=True)
    """
    if fun is None:
        return partial(
            jit, static_argnums=static_argnums, static_argnames=static_argnames,
            donate_argnums=donate_argnums, donate_argnames=donate_argnames,
            keep_unused=keep_unused, inline=inline,
        )  # fmt: skip
    check_callable(fun, "jit")
    static = _infer_static(fun, static_argnums, static_argnames)
    donated, _ = _infer_static(fun, donate_argnums, donate_argnames)
    return JitFunction(fun, static, donated, {"keep_unused": keep_unused, "inline": inline})


def disable_jit(disable: bool = True) -> Any:
    """A context in which jitted functions run as plain Python, operation by operation.

    >>> with disable_jit():
    ...     jit(lambda x: x)(3)
    3
    """
    return config.override("jax_disable_jit", disable)
