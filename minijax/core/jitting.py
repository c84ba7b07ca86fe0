"""jit: a function is traced once for each type of its arguments, then run as one primitive."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial, update_wrapper
from types import MethodType
from typing import Any, NamedTuple

from minijax.core.arguments import check_donated, delete_donated, donated_leaves, infer_args
from minijax.core.arrays import ArrayImpl, as_array, to_numpy
from minijax.core.calls import check_callable
from minijax.core.config import config, derived
from minijax.core.dtypes import float0
from minijax.core.errors import JaxprTypeError, api_boundary, leave, typematch
from minijax.core.printing import pp_aliased, pp_eqn_rules
from minijax.core.pytrees import tree_unflatten
from minijax.core.staging import (
    ClosedJaxpr, JaxprTrace, Staged, custom_staging_rules, eval_jaxpr, jaxpr_as_fun, out_info,
    own_handle, stage, staged_programs,
)
from minijax.core.tracing import AbstractValue, Primitive, ShapedArray, set_current_trace, typeof

# The primitive: one operation, whose parameter is a program.

jit_p = Primitive("jit")
jit_p.multiple_results = True


@jit_p.def_effectful_abstract_eval
def _jit_abstract_eval(
    *in_avals: AbstractValue, jaxpr: ClosedJaxpr, name: str, keep_unused: bool, inline: bool,
    donated_invars: tuple[bool, ...], backend: str | None = None,
) -> tuple[list, frozenset]:  # fmt: skip
    if len(in_avals) != len(jaxpr.in_avals) or not all(map(typematch, in_avals, jaxpr.in_avals)):
        raise JaxprTypeError(f"jit takes {jaxpr.in_avals}, and is given {list(in_avals)}.")
    return jaxpr.out_avals, jaxpr.effects


def _jit_staging(trace: JaxprTrace, args: Sequence[Any], params: dict) -> list[Any]:
    """An inlined function leaves no trace of itself: its equations are recorded instead."""
    if params["inline"]:
        with set_current_trace(trace):
            return eval_jaxpr(params["jaxpr"].jaxpr, params["jaxpr"].consts, *args)
    return trace.record(jit_p, args, params)


custom_staging_rules[jit_p] = _jit_staging


def _jit_pp_params(params: dict[str, Any]) -> dict[str, Any]:
    shown = {"name": params["name"], "jaxpr": params["jaxpr"]}
    if params["keep_unused"]:
        shown["keep_unused"] = True
    if any(params["donated_invars"]):
        shown["donated_invars"] = params["donated_invars"]
    return shown


pp_eqn_rules[jit_p] = _jit_pp_params
pp_aliased.add(jit_p)

# What runs it.


class CompileOptions(NamedTuple):
    """What a backend is told beside the program: its name; which arguments it may reuse, if any."""

    name: str
    donated: tuple[bool, ...]


class Backend:
    """Turns a closed jaxpr into a function from arrays to a list of arrays."""

    name = "interpreter"
    can_donate = True

    def compile(self, closed: ClosedJaxpr, options: CompileOptions) -> Callable:
        """The first backend: every primitive runs on NumPy, one after the other."""
        return jaxpr_as_fun(closed)

    def remember(self, fun: JitFunction, staged: Staged, args: tuple, kwargs: dict) -> None:
        """May give `fun` a fast path: a function of args and kwargs, which returns the result.

        NotImplemented says that these are not the arguments it was made for. Here there is none.
        """


class Running(threading.local):
    """The backend in use, where the compiler puts itself; and whether a program is being run."""

    backend = Backend()
    on_backend: Callable  # the name of a backend -> what makes a function that runs there
    in_use: Callable = nullcontext  # the name of a backend -> a context in which it runs programs
    on_shardings: Callable  # how arguments and results lie on devices -> what makes such a function
    elsewhere: list[Callable] = []  # noqa: RUF012  (who may run a program that no backend can)
    inside_program = False

    def run(
        self, closed: ClosedJaxpr, operands: Sequence[Any], name: str, donated: tuple = (),
        executable: Callable | None = None,
    ) -> list[Any]:  # fmt: skip
        executable = executable or compile_once(closed, self.backend, name, donated)()
        outer = self.inside_program
        self.inside_program = True
        try:
            return list(map(as_runtime_value, executable(*operands)))
        finally:
            self.inside_program = outer


running = Running()


@jit_p.def_impl
def _jit_impl(
    *args: Any, jaxpr: ClosedJaxpr, name: str, keep_unused: bool, inline: bool,
    donated_invars: tuple[bool, ...], backend: str | None = None,
) -> list[Any]:  # fmt: skip
    operands = list(map(as_runtime_value, args))
    with running.in_use(backend):
        if any(donated_invars) and running.backend.can_donate and not running.inside_program:
            return run_donating(jaxpr, operands, name, donated_invars)
        return running.run(jaxpr, operands, name)


def as_runtime_value(x: Any) -> Any:
    """A number or NumPy array, but of float0, as an array; RuntimeError if it is deleted."""
    if type(x) is ArrayImpl:
        to_numpy(x)
        return x
    aval = typeof(x)
    return as_array(x) if isinstance(aval, ShapedArray) and aval.dtype != float0 else x


@derived
def compile_once(
    closed: ClosedJaxpr, backend: Backend, name: str, donated: tuple[bool, ...]
) -> Callable:
    """Gives the compiled program: compiled once, however many threads ask at a time."""
    lock, compiled = threading.Lock(), list[Callable]()

    def executable() -> Callable:
        with lock:
            if not compiled:
                asked = (make(closed, backend, name, donated) for make in running.elsewhere)
                run = next(filter(None, asked), None)
                compiled.append(run or backend.compile(closed, CompileOptions(name, donated)))
        return compiled[0]

    return executable


# Calling is tracing, then running.


class JitFunction:
    """What jit returns: a function that traces once for each type of its arguments."""

    def __init__(self, fun: Callable, static: tuple, donate: tuple, params: dict) -> None:
        update_wrapper(self, fun)
        self.__name__ = getattr(fun, "__name__", type(fun).__name__)
        self._fun, self._static, self._donate, self._params = fun, static, donate, params
        self._cache, self._place = staged_programs.of(fun), f"calls: {static}, {donate}"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            for fast_path in self._cache.get(self._place, ()):
                if (out := fast_path(args, kwargs)) is not NotImplemented:
                    return out
            return self.cache_miss(args, kwargs)
        except (Exception, KeyboardInterrupt) as error:
            leave(error, self)
            raise

    def cache_miss(self, args: tuple, kwargs: dict) -> Any:
        """A call that is on no fast path."""
        if config.jax_disable_jit:
            return self._fun(*args, **kwargs)
        staged, leaves = stage(self._fun, args, kwargs, "jit", self._static, self._cache, typeof)
        marks = donated_leaves(self._donate, args, kwargs, self._static, leaves)
        params = {"jaxpr": staged.program, "donated_invars": staged.donated(marks)}
        out = jit_p.bind(*staged.operands(leaves), name=self.__name__, **params, **self._params)
        running.backend.remember(self, staged, args, kwargs)
        return tree_unflatten(staged.out_tree, out)

    @api_boundary
    def trace(self, *args: Any, **kwargs: Any) -> Traced:
        """The program that a call with such arguments would run. Shapes may stand for arrays."""
        staged, flat = stage(self._fun, args, kwargs, "jit", self._static, self._cache)
        return Traced(staged, self, donated_leaves(self._donate, args, kwargs, self._static, flat))

    def clear_cache(self) -> None:
        """Forgets what was traced, so that the function is traced anew."""
        self._cache.clear()

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __repr__(self) -> str:
        return f"<PjitFunction of {self._fun!r}>"


@api_boundary
def jit(
    fun: Callable | None = None, /, *, static_argnums: Any = None, static_argnames: Any = None,
    donate_argnums: Any = None, donate_argnames: Any = None, keep_unused: bool = False,
    inline: bool = False, backend: str | None = None, in_shardings: Any = None,
    out_shardings: Any = None, device: Any = None,
) -> Any:  # fmt: skip
    """`fun`, traced at its first call with arguments of each type and run as one program.

    Static arguments are given to `fun` as they are and must be hashable (else ValueError): for
    each of their values it is traced anew. Donated arguments are deleted where a result can take
    their place; using one afterwards is a RuntimeError. `inline` writes the function's equations
    into an enclosing jaxpr; `backend` says where it runs ("xla"), `in_shardings` and
    `out_shardings` how arguments and results lie on devices, `device` that all lie on that one.
    Without `fun`, a decorator.

    >>> double = jit(lambda x: 2 * x)
    >>> double(3.0)
    Array(6., dtype=float32, weak_type=True)
    """
    if fun is None:
        return partial(
            jit, static_argnums=static_argnums, static_argnames=static_argnames,
            donate_argnums=donate_argnums, donate_argnames=donate_argnames,
            keep_unused=keep_unused, inline=inline, backend=backend, in_shardings=in_shardings,
            out_shardings=out_shardings, device=device,
        )  # fmt: skip
    check_callable(fun, "jit")
    static = infer_args(fun, static_argnums, static_argnames)
    donate = infer_args(fun, donate_argnums, donate_argnames)
    if both := set(static[0]) & set(donate[0]) or set(static[1]) & set(donate[1]):
        raise ValueError(f"jit can't donate what is static. Name {sorted(both)} in one way.")
    make = JitFunction if backend is None else running.on_backend(backend)
    if any(x is not None for x in (in_shardings, out_shardings, device)):
        make = running.on_shardings(in_shardings, out_shardings, backend, device)
    return make(fun, static, donate, {"keep_unused": keep_unused, "inline": inline})


class Traced:
    """A function traced at the types of some arguments: what `jit(f).trace(*args)` returns.

    `jaxpr` is the program, `in_tree` and `out_tree` are the structures of the arguments that are
    not static (args, kwargs) and of the results, `out_info` has the results' shapes and dtypes,
    and `donated` marks leaves of the arguments.
    """

    def __init__(self, staged: Staged, fun: JitFunction, donated: tuple[bool, ...]) -> None:
        self.jaxpr, self.in_tree, self.out_tree = staged.closed, staged.in_tree, staged.out_tree
        self.fun, self.staged, self.donated = fun, staged, donated

    out_info = property(lambda self: out_info(self.staged))


# Donation: arguments that are given away, to be deleted.


def run_donating(
    closed: ClosedJaxpr, operands: Sequence[Any], name: str, donated: tuple[bool, ...],
    executable: Callable | None = None,
) -> list[Any]:  # fmt: skip
    """Runs a program, and deletes each donated operand whose place a result could take."""
    check_donated(operands, donated, name)
    out = running.run(closed, operands, name, donated, executable)
    # The result may be an operand: the user is to lose only what was given.
    out = [own_handle(x) if any(x is given for given in operands) else x for x in out]
    delete_donated(operands, donated, closed)
    return out
