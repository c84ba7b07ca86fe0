"""Stages: a jitted function's way to a compiled program, step by step and ahead of time.

`jit(f).trace(*args)` is a `Traced`, its `lower()` a `Lowered`, and `compile()` of that a
`Compiled`: a function of arguments of these very types, which says what it does and what it costs.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

from minijax.compiler.fallbacks import has_numba
from minijax.core.arguments import ShapeDtypeStruct, abstractify, split_static
from minijax.core.arrays import Array, ArrayImpl, raw_value
from minijax.core.config import config
from minijax.core.dtypes import is_constant_shape
from minijax.core.errors import JaxRuntimeError, api_boundary
from minijax.core.jitting import (
    JitFunction,
    Traced,
    as_runtime_value,
    compile_once,
    jit,
    jit_p,
    run_donating,
    running,
)
from minijax.core.pytrees import tree_flatten, tree_leaves, tree_map, tree_unflatten
from minijax.core.staging import ClosedJaxpr
from minijax.core.tracing import ShapedArray, Tracer, typeof
from minijax.face.donations import Calls, calls_of
from minijax.face.lazily import call_lazily
from minijax.face.nan_checks import is_searching, look_at
from minijax.face.planned import shown_names
from minijax.lax.elementwise.arithmetic import shown
from minijax.placement import SingleDeviceSharding, devices

__all__ = ["ArgInfo", "Compiled", "CompilerOptions", "Lowered", "Traced", "Wrapped"]
__dir__ = shown_names(__name__)

CompilerOptions = dict[str, str | bool]
_XLAS = ("xla_", "exec_time_optimization_effort")  # how the names of XLA's options begin


@runtime_checkable
class Wrapped(Protocol):
    """What jit returns: it can be called, traced and lowered."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

    def trace(self, *args: Any, **kwargs: Any) -> Traced: ...

    def lower(self, *args: Any, **kwargs: Any) -> Lowered: ...


@dataclasses.dataclass(frozen=True)
class ArgInfo:
    """An argument that is not static: its shape and dtype, and whether it is donated."""

    _aval: ShapedArray
    donated: bool

    shape = property(lambda self: self._aval.shape)
    dtype = property(lambda self: self._aval.dtype)


def args_info(traced: Traced) -> Any:
    """A tree of ArgInfo, like the arguments that are not static: (args, kwargs)."""
    return tree_unflatten(traced.in_tree, map(ArgInfo, traced.jaxpr.in_avals, traced.donated))


def donate_argnums(traced: Traced) -> tuple[int, ...]:
    """Which leaves of the arguments are donated."""
    return tuple(i for i, donated in enumerate(traced.donated) if donated)


def in_avals(traced: Traced) -> Any:
    """A tree of types, like the arguments that are not static: (args, kwargs)."""
    return tree_unflatten(traced.in_tree, traced.jaxpr.in_avals)


def out_avals(traced: Traced) -> Any:
    return tree_unflatten(traced.out_tree, traced.jaxpr.out_avals)


def fun_name(traced: Traced) -> str:
    """What the function is called."""
    return traced.fun.__name__


def _out_types(traced: Traced) -> Any:
    """A tree of shapes and dtypes, like the results: what has run no longer knows weak types."""
    types = [ShapeDtypeStruct(aval.shape, aval.dtype) for aval in traced.jaxpr.out_avals]
    return tree_unflatten(traced.out_tree, types)


class Stage:
    """What a stage knows from the one before."""

    def __init__(self, traced: Traced) -> None:
        self._traced = traced

    args_info = property(lambda self: args_info(self._traced))
    donate_argnums = property(lambda self: donate_argnums(self._traced))
    in_tree = property(lambda self: self._traced.in_tree)
    out_tree = property(lambda self: self._traced.out_tree)
    in_avals = property(lambda self: self._traced.in_avals)
    out_info = property(lambda self: _out_types(self._traced))


def _how_called(traced: Traced) -> tuple[ClosedJaxpr, tuple[bool, ...], str, bool]:
    """A program, which of its arguments are donated, its name, and if it keeps unused ones."""
    donated = traced.staged.donated(traced.donated)
    return traced.staged.program, donated, traced.fun_name, traced.fun._params["keep_unused"]


class Lowered(Stage):
    """A program as the backend takes it in, to be read or to be compiled."""

    def __init__(self, traced: Traced, given: Sequence[Any] = ()) -> None:
        super().__init__(traced)
        self._given = given  # the arguments, where they are known
        self._backend = getattr(traced.fun, "backend", running.backend)
        if traced.staged.tracers:
            raise TypeError(
                f"{traced.fun_name} uses a traced value of the function around it, and can't be "
                "compiled ahead of time. Pass that value as an argument."
            )
        if not any(map(_lies_elsewhere, given)):
            calls_of(*_how_called(traced))  # it warns

    @cached_property
    def _program(self) -> ClosedJaxpr:
        if not _is_compiled(self._backend):
            return self._traced.jaxpr
        from minijax.compiler.passes.simplify import simplify

        return simplify(self._traced.jaxpr)

    def as_text(self, dialect: str | None = None, *, debug_info: bool = False) -> str:
        """The program as a text: by default as StableHLO, which XLA takes, in MLIR.

        With `debug_info` each of its operations has the line of the user's code that it came from.
        `dialect` may also be "hlo", where jaxlib is installed (else ImportError); "jaxpr", the
        program, simplified if it is to be compiled; or "minijax", that and the steps that it will
        take, under a line that says of what types. ValueError for any other; NotImplementedError
        where StableHLO lacks a primitive.

        >>> print(jit(lambda x: x * 2).lower(1.0).as_text("minijax").splitlines()[0])
        # <lambda>(x: f32[]) -> f32[]
        """
        from minijax.stages.texts import text_of_lowered

        return text_of_lowered(self, dialect, debug_info)

    def compiler_ir(self, dialect: str | None = None) -> Any:
        """The program as an object: of jaxlib's for "stablehlo", the default, and "hlo"
        (ImportError where it is not installed); a jaxpr for "jaxpr" and "minijax"."""
        from minijax.stages.texts import object_of_lowered

        return object_of_lowered(self, dialect)

    def cost_analysis(self) -> dict[str, float]:
        """What the equations cost if each is run by itself: keys as those of `Compiled`."""
        from minijax.stages import costs

        return costs.cost_analysis(costs.plan_of(None, self._program))

    @api_boundary
    def compile(self, compiler_options: CompilerOptions | None = None) -> Compiled:
        """The program, compiled. There are no options yet: those of XLA's mean nothing here, and
        any other is a JaxRuntimeError."""
        others = [name for name in compiler_options or () if not str(name).startswith(_XLAS)]
        if others:
            got = f"compile has no options yet, and got {shown(others)}"
            raise JaxRuntimeError(f"{got}. Leave them out.")
        for aval in self._traced.jaxpr.in_avals:
            if not is_constant_shape(getattr(aval, "shape", ())):
                raise ValueError(
                    f"compile makes programs for fixed sizes, and {self._traced.fun_name} was "
                    f"lowered for {aval}.\nUse jax.export.export, or lower it for fixed sizes."
                )
        return Compiled(self)


def _is_compiled(backend: Any) -> bool:
    return backend.name == "numba" and has_numba()


_places = call_lazily("minijax.lax.sharding.compiled_places.places")


def _lies_elsewhere(x: Any) -> bool:
    """Whether an array is on devices that somebody chose, where its program is to run, too."""
    return isinstance(x, ArrayImpl) and type(x) is not ArrayImpl


class Compiled(Stage):
    """A compiled program, called with arguments of the types that it was compiled for."""

    def __init__(self, lowered: Lowered) -> None:
        super().__init__(lowered._traced)
        traced, backend = lowered._traced, lowered._backend
        can_donate = any(traced.donated) and backend.can_donate
        program, donated, self._name, keep_unused = _how_called(traced)
        self._calls = Calls(program, donated if can_donate else (), self._name, keep_unused)
        self._given = lowered._given
        self._donated = self._calls.donated if self._calls.donates else ()
        self._executable = compile_once(program, backend, self._name, self._donated)()

    @api_boundary
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The function's result. TypeError where an argument has another type or is traced."""
        if config.jax_disable_jit:
            raise ValueError(
                f"{self._name} is compiled, and jax_disable_jit is on. Call the function itself."
            )
        leaves, in_tree = tree_flatten((args, kwargs))
        if in_tree != self.in_tree:
            raise TypeError(
                f"{self._name} was compiled for arguments (args, kwargs) of the structure "
                f"{self.in_tree}, and got {in_tree}. Give such arguments, without static ones."
            )
        living = self._calls.begin(leaves)
        out = self._run(self._traced.staged.operands(self._operands(living)))
        self._calls.end(leaves)
        return tree_unflatten(self.out_tree, out)

    def _operands(self, leaves: Sequence[Any]) -> list[Any]:
        """The arguments as arrays of exactly the types that were compiled for."""
        closed, operands = self._traced.jaxpr, []
        for i, (x, aval) in enumerate(zip(leaves, closed.in_avals, strict=True)):
            name = closed.jaxpr.debug_info.arg_name(i)
            if isinstance(x, Tracer):
                raise TypeError(
                    f"{self._name} is compiled, and got a traced {x.aval} as {name}. "
                    "Call or transform the jitted function instead."
                )
            if (typeof(x).shape, typeof(x).dtype) != (aval.shape, aval.dtype):
                raise TypeError(
                    f"{self._name} was compiled for {name} of the type {aval}, and got {typeof(x)}."
                    " Convert the argument, or lower the function for its type too."
                )
            value = as_runtime_value(x)
            keep = value.aval is aval or self._traced.donated[i]  # who donates loses their own
            keep |= _lies_elsewhere(value)
            operands.append(value if keep else Array(raw_value(value), aval))
        return operands

    def _run(self, operands: list[Any]) -> list[Any]:
        run = run_donating if self._donated else running.run
        program = self._traced.staged.program
        if any(map(_lies_elsewhere, operands)):
            donated = self._donated or (False,) * len(operands)
            how = {"name": self._name, "keep_unused": False, "inline": False}
            return jit_p.bind(*operands, jaxpr=program, donated_invars=donated, **how)
        out = run(program, operands, self._name, self._donated, self._executable)
        if is_searching():
            called = {"jaxpr": program, "name": self._name, "donated_invars": self._donated}
            look_at(jit_p, operands, {**called, "keep_unused": False, "inline": False}, out)
        return out

    @cached_property
    def _plan(self) -> Any:
        from minijax.stages.costs import plan_of

        return plan_of(self._executable, self._traced.jaxpr)

    def as_text(self) -> str:
        """The program as a function of Python's and its kernels, or of the interpreter as a jaxpr,
        under a line that says of what types it is; on XLA, what XLA made of it."""
        from minijax.stages.texts import text_of_compiled

        return text_of_compiled(self)

    def cost_analysis(self) -> dict[str, float]:
        """What the steps compute ("flops", "transcendentals") and move ("bytes accessed")."""
        from minijax.stages.costs import cost_analysis

        return cost_analysis(self._plan)

    def memory_analysis(self) -> Any:
        """The bytes of arguments, results and what is allocated in between: `*_size_in_bytes`."""
        from minijax.stages.costs import memory_analysis

        return memory_analysis(self._plan)

    @property
    def input_shardings(self) -> Any:
        """A tree, like the arguments that are not static, of where each lies.
        None for those that the program does not read, unless they are kept (jit's keep_unused)."""
        from minijax.compiler.passes.simplify import prune

        jaxpr, keeps = prune(self._traced.jaxpr).jaxpr, self._traced.fun._params["keep_unused"]
        read = {x for eqn in jaxpr.eqns for x in eqn.invars} | set(jaxpr.outvars)
        ins, _ = self._places or ([SingleDeviceSharding(devices()[0])] * len(jaxpr.invars), None)
        places = [x if keeps or v in read else None
                  for v, x in zip(jaxpr.invars, ins, strict=True)]  # fmt: skip
        return tree_unflatten(self.in_tree, places)

    @property
    def input_formats(self) -> Any:
        """A tree, like the arguments that are not static, of how each lies in memory, and where: a
        `jax.experimental.layout.Format`, which says neither of what the program does not read."""
        from minijax.lax.sharding.layouts import Format, format_of

        places = self.in_tree.flatten_up_to(self.input_shardings)
        avals = self._traced.jaxpr.in_avals
        return tree_unflatten(self.in_tree, [
            Format() if place is None else format_of(aval, place)
            for aval, place in zip(avals, places, strict=True)
        ])  # fmt: skip

    @property
    def output_shardings(self) -> Any:
        """A tree, like the results, of where each lies."""
        if self._places is not None:
            return tree_unflatten(self.out_tree, self._places[1])
        return tree_map(lambda _: SingleDeviceSharding(devices()[0]), out_avals(self._traced))

    @cached_property
    def _places(self) -> tuple | None:
        """How arguments and results lie on a mesh; None where they are on one device."""
        if len(devices()) == 1:
            return None
        closed = self._traced.jaxpr
        given = [getattr(x, "sharding", None) for x in self._given]
        return _places(closed, given or [None] * len(closed.in_avals))

    @property
    def output_formats(self) -> Any:
        """A tree, like the results, of how each lies in memory, and where."""
        from minijax.lax.sharding.layouts import format_of

        return tree_map(format_of, out_avals(self._traced), self.output_shardings)

    def runtime_executable(self) -> Any:
        """What the backend made: a function from arrays to a list of arrays."""
        return self._executable


def explain(fun: Callable) -> Callable:
    """A function of `fun`'s arguments that shows what jit makes of it, stage by stage.

    It returns an object that prints as a text, and as HTML in a notebook, where it lights what came
    of what: the lines of `fun`, the jaxpr, simplified; the steps and each kernel's source, with the
    instructions of its busiest loop; what was left to NumPy, and why; the buffers. `show` chooses
    among these. Of arrays on many devices, also how each value is cut, and what moves. Nothing is
    run. `fun` may be jitted, with static arguments. ImportError where Numba can't be imported.
    """
    jitted = fun if isinstance(fun, Wrapped) else jit(fun)

    @api_boundary
    def explained(*args: Any, **kwargs: Any) -> Any:
        if not has_numba():
            raise ImportError(
                "minijax.explain shows what the compiler makes, and Numba can't be imported.\n"
                "Install it (pip install numba), or use jax.make_jaxpr(fun)."
            )
        from minijax.stages.explaining_devices import explanation

        traced = Lowered(jitted.trace(*args, **kwargs))._traced
        _, *of_call, _ = split_static(jitted._fun, args, kwargs, *jitted._static)
        return explanation(traced, tree_leaves(of_call))

    return explained


# How a function and a trace come to the next stage: methods of theirs.


@api_boundary
def updated_struct(self: ShapeDtypeStruct, **kwargs: Any) -> ShapeDtypeStruct:
    """The same with another `shape`, `dtype`, `sharding` or `weak_type`; other changes mean nothing
    here."""
    names = ("shape", "dtype", "sharding", "weak_type")
    return ShapeDtypeStruct(**{name: kwargs.get(name, getattr(self, name)) for name in names})


@api_boundary
def lower_traced(self: Traced) -> Lowered:
    """The program as the backend in use takes it in."""
    return Lowered(self)


@api_boundary
def lower(self: JitFunction, *args: Any, **kwargs: Any) -> Lowered:
    """The program that a call with such arguments would run, as the backend takes it in."""
    traced, given = self.trace(*args, **kwargs), tree_leaves((args, kwargs))
    return Lowered(traced, given if len(given) == len(traced.jaxpr.in_avals) else ())


@api_boundary
def struct_like(cls: type[ShapeDtypeStruct], x: Any) -> ShapeDtypeStruct:
    """That of an array, a tracer or a number, or of what stands for one.

    >>> ShapeDtypeStruct.like(2.0)
    ShapeDtypeStruct(shape=(), dtype=float32, weak_type=True)
    """
    aval = abstractify(x)
    sharding = x.sharding if isinstance(x, ShapeDtypeStruct) else None
    return cls(aval.shape, aval.dtype, sharding=sharding, weak_type=aval.weak_type)


@api_boundary
def cache_size(self: JitFunction) -> int:
    """How many programs calls of the function have run: one for each type of its arguments."""
    entries = [entry() for key, entry in list(self._cache.items()) if type(key) is tuple]
    return sum(staged is not None and staged.calls > 0 for staged in entries)


def signature(self: JitFunction) -> inspect.Signature:
    """What arguments the function takes, for who doesn't look at what it wraps."""
    return inspect.signature(self._fun)


def eval_shape(self: JitFunction, *args: Any, **kwargs: Any) -> Any:
    """The shapes and dtypes that a call with such arguments would return."""
    return self.trace(*args, **kwargs).out_info
