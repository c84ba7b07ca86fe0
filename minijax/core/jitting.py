"""jit: a function is traced once for each type of its arguments, then run as one primitive."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import partial, update_wrapper
from types import MethodType
from typing import Any
from weakref import WeakKeyDictionary

import minijax.core.forward as ad
import minijax.core.staging as pe
from minijax.core.arrays import as_array, config
from minijax.core.batching import AxisData, batch_flat, fancy_primitive_batchers
from minijax.core.pytrees import tree_flatten, tree_unflatten
from minijax.core.staging import ClosedJaxpr, JaxprEqn
from minijax.core.tracing import (
    DebugInfo,
    Primitive,
    ShapedArray,
    Tracer,
    eval_trace,
    set_current_trace,
    typeof,
)

# The primitive, and what runs it.

jit_p = Primitive("jit")
jit_p.multiple_results = True


def interpret(jaxpr: ClosedJaxpr) -> Callable:
    """The first backend: every primitive runs on NumPy, one after the other."""
    return pe.jaxpr_as_fun(jaxpr)


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
    with set_current_trace(eval_trace):
        return list(map(as_array, _executable(jaxpr)(*map(as_array, args))))


@jit_p.def_abstract_eval
def _jit_abstract_eval(*in_avals: ShapedArray, jaxpr: ClosedJaxpr, **_: Any) -> list[ShapedArray]:
    if not all(map(pe.same_type, in_avals, jaxpr.in_avals)):
        raise pe.JaxprTypeError(f"jit takes {jaxpr.in_avals}, and is given {list(in_avals)}.")
    return jaxpr.out_avals


# Its rules so far: each makes a jaxpr from the jaxpr, and binds jit_p again.


@cached_by_jaxpr
def jvp_jaxpr(closed: ClosedJaxpr, nonzeros: tuple[bool, ...]) -> tuple[ClosedJaxpr, list[bool]]:
    """The jaxpr from primals and non-zero tangents to results and non-zero tangents of these."""
    avals = closed.in_avals
    tangent_avals = [aval for aval, nonzero in zip(avals, nonzeros, strict=True) if nonzero]
    out_nonzeros = []

    def jvp_fun(*args: Any) -> list[Any]:
        primals, given = args[: len(avals)], args[len(avals) :]
        tangents = ad.put_zeros(given, nonzeros, avals)
        out, out_dot = ad.jvp_flat(pe.jaxpr_as_fun(closed), primals, tangents)
        out_nonzeros.extend(map(ad.is_nonzero, out_dot))
        return [*out, *filter(ad.is_nonzero, out_dot)]

    in_avals = [*avals, *tangent_avals]
    return pe.trace_to_jaxpr(jvp_fun, in_avals, closed.jaxpr.debug_info), out_nonzeros


def _jit_jvp(primals: Sequence, tangents: Sequence, jaxpr: ClosedJaxpr, **params: Any) -> tuple:
    nonzeros = tuple(map(ad.is_nonzero, tangents))
    new_jaxpr, out_nonzeros = jvp_jaxpr(jaxpr, nonzeros)
    given = filter(ad.is_nonzero, tangents)
    out = jit_p.bind(*primals, *given, jaxpr=new_jaxpr, **params)
    size = len(out_nonzeros)
    return out[:size], ad.put_zeros(out[size:], out_nonzeros, jaxpr.out_avals)


ad.primitive_jvps[jit_p] = _jit_jvp


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
        vals_out, out = batch_flat(pe.jaxpr_as_fun(closed), axis_data, dims, vals)
        dims_out.extend(out)
        return vals_out

    in_avals = list(map(batched, closed.in_avals, dims))
    return pe.trace_to_jaxpr(batch_fun, in_avals, closed.jaxpr.debug_info), dims_out


def _jit_batcher(
    axis_data: AxisData, vals: Sequence, dims: Sequence, jaxpr: ClosedJaxpr, **params: Any
) -> tuple[list[Any], list[int | None]]:
    new_jaxpr, dims_out = batch_jaxpr(jaxpr, axis_data, tuple(dims))
    return jit_p.bind(*vals, jaxpr=new_jaxpr, **params), dims_out


fancy_primitive_batchers[jit_p] = _jit_batcher


def _jit_staging(trace: pe.JaxprTrace, args: Sequence[Any], params: dict) -> list[Any]:
    """An inlined function leaves no trace of itself: its equations are recorded instead."""
    if params["inline"]:
        return pe.eval_jaxpr(params["jaxpr"].jaxpr, params["jaxpr"].consts, *args)
    return trace.record(jit_p, args, params)


pe.custom_staging_rules[jit_p] = _jit_staging


@cached_by_jaxpr
def dce_closed_jaxpr(closed: ClosedJaxpr, used: tuple[bool, ...]) -> tuple[ClosedJaxpr, list[bool]]:
    jaxpr, used_inputs = pe.dce_jaxpr(closed.jaxpr, used)
    return ClosedJaxpr(jaxpr, closed.consts), used_inputs


def _jit_dce(used_outputs: list[bool], eqn: JaxprEqn) -> JaxprEqn:
    jaxpr, used_inputs = dce_closed_jaxpr(eqn.params["jaxpr"], tuple(used_outputs))
    params = {**eqn.params, "jaxpr": jaxpr}
    invars = [x for x, used in zip(eqn.invars, used_inputs, strict=True) if used]
    outvars = [v for v, used in zip(eqn.outvars, used_outputs, strict=True) if used]
    return eqn._replace(invars=invars, outvars=outvars, params=params)


def _jit_pp_params(params: dict[str, Any]) -> dict[str, Any]:
    shown = {"name": params["name"], "jaxpr": params["jaxpr"]}
    return {**shown, "keep_unused": True} if params["keep_unused"] else shown


pe.dce_rules[jit_p] = _jit_dce
pe.pp_eqn_rules[jit_p] = _jit_pp_params
pe.pp_aliased.add(jit_p)

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
    nums, names = pe.as_tuple(argnums), pe.as_tuple(argnames)
    try:
        parameters = list(inspect.signature(fun).parameters.values()) if nums or names else []
    except (TypeError, ValueError):
        return nums, names
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    positional = [p.name for p in parameters if p.kind in kinds]
    size = len(positional)
    if not all(isinstance(name, str) for name in names):
        raise TypeError(f"jit takes names of arguments as strings, and got {names}.")
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters):
        return nums, names
    if any(not -size <= i < size for i in nums) or not set(names) <= {p.name for p in parameters}:
        raise ValueError(f"jit was told of arguments {(*nums, *names)} that {fun} does not have.")
    if argnums is None:
        nums = tuple(positional.index(name) for name in names if name in positional)
    if argnames is None:
        names = tuple(positional[i] for i in nums)
    return nums, names


def _static_key(static: tuple, name: str) -> tuple:
    for where, value in static:
        try:
            hash(value)
        except TypeError as error:
            way_out = "Pass a hashable value, such as a tuple, or trace the argument."
            raise ValueError(f"{name}'s static argument {where} is {value!r}. {way_out}") from error
    return tuple((where, type(value), value) for where, value in static)


class JitFunction:
    """What jit returns: a function that traces once for each type of its arguments."""

    def __init__(self, fun: Callable, static: tuple[tuple, tuple], params: dict) -> None:
        update_wrapper(self, fun)
        self.__name__ = getattr(fun, "__name__", type(fun).__name__)
        self._fun, self._static, self._params = fun, static, params
        self._cache = _cache_of(fun)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if config.jax_disable_jit:
            return self._fun(*args, **kwargs)
        *call, static = pe.split_static(self._fun, args, kwargs, *self._static)
        leaves, in_tree = tree_flatten(tuple(call[1:]))
        try:
            avals = tuple(map(typeof, leaves))
        except TypeError:
            ad.check_args(leaves, self._debug_info(call, static))
            raise
        key = (in_tree, avals, _static_key(static, self.__name__), config.jax_enable_x64,
               config.jax_numpy_dtype_promotion)  # fmt: skip
        traced = self._cache.get(key)
        if traced is None:
            info = self._debug_info(call, static)
            flat_fun, out_tree = ad.flatten_fun(call[0], in_tree)
            jaxpr, hoisted = hoist_tracers(pe.trace_to_jaxpr(flat_fun, avals, info))
            out_tree = out_tree()
            if not hoisted:
                self._cache[key] = jaxpr, out_tree
        else:
            (jaxpr, out_tree), hoisted = traced, []
        out = jit_p.bind(*hoisted, *leaves, jaxpr=jaxpr, name=self.__name__, **self._params)
        return tree_unflatten(out_tree, out)

    def _debug_info(self, call: Sequence[Any], static: tuple) -> DebugInfo:
        """A static argument stands as None: a tree with no leaf, so it takes no leaf's name."""
        nones, rest = {where: None for where, _ in static}, iter(call[1])
        size = len(call[1]) + sum(isinstance(where, int) for where in nones)
        args = [nones[i] if i in nones else next(rest) for i in range(size)]
        names = {where: None for where in nones if isinstance(where, str)}
        return ad.debug_info("jit", self._fun, args, {**call[2], **names})

    def clear_cache(self) -> None:
        """Forgets what was traced, so that the function is traced anew."""
        self._cache.clear()

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __repr__(self) -> str:
        return f"<PjitFunction of {self._fun!r}>"


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
    ad.check_callable(fun, "jit")
    static = _infer_static(fun, static_argnums, static_argnames)
    _infer_static(fun, donate_argnums, donate_argnames)  # checks them; nothing is destroyed
    return JitFunction(fun, static, {"keep_unused": keep_unused, "inline": inline})


def disable_jit(disable: bool = True) -> Any:
    """A context in which jitted functions run as plain Python, operation by operation.

    >>> with disable_jit():
    ...     jit(lambda x: x)(3)
    3
    """
    return config.override("jax_disable_jit", disable)
