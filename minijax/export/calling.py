"""A call of an exported function, as an operation: to whoever calls, its program is closed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import compress
from typing import Any

import numpy as np

from minijax.compiler.lowerings import register_lowering
from minijax.core.arrays import Array, raw_value
from minijax.core.batching import primitive_batchers
from minijax.core.config import bounded_cache
from minijax.core.dtypes import float0
from minijax.core.jitting import as_runtime_value, jit_p, running
from minijax.core.linearization import has_tangent
from minijax.core.primitives import broadcast_in_dim, zeros
from minijax.core.reverse import vjp
from minijax.core.staging import ClosedJaxpr, JaxprEqn, trace_to_jaxpr
from minijax.core.tracing import Primitive, typeof
from minijax.export.call_checks import argument_name, check_types
from minijax.export.dimensions import is_symbolic
from minijax.export.logical_devices import check_count
from minijax.export.refining import refined
from minijax.export.safety_checks import check_platforms
from minijax.export.self_contained import replacements
from minijax.lax.custom.derivatives import custom_vjp
from minijax.lax.sharding.constraints import named_meshes
from minijax.lax.sharding.current_mesh import get_concrete_mesh
from minijax.lax.sharding.explicit_rules import rules as explicit_rules
from minijax.lax.sharding.partitioned_calls import calls_on_devices
from minijax.lax.typechecks import Kind, def_typecheck
from minijax.placement import default_backend

call_exported_p = Primitive("call_exported")
call_exported_p.multiple_results = True
def_typecheck(
    call_exported_p, exported=Kind("an Exported", lambda x, n: hasattr(x, "module_kept_var_idx"))
)


@call_exported_p.def_abstract_eval
def _call_exported_rule(*in_avals: Any, exported: Any) -> tuple:
    return _out_avals(exported, _program_for(exported, in_avals))


def _program_for(exported: Any, in_avals: Sequence[Any]) -> ClosedJaxpr:
    """The program for arguments of these types; ValueError where they don't fit."""
    check_types(exported, in_avals)
    if not any(map(is_symbolic, exported.in_avals)):
        return exported.jaxpr
    return refined(exported.jaxpr, in_avals, partial(argument_name, exported))


def _out_avals(exported: Any, program: ClosedJaxpr) -> tuple:
    """The types of the results: weak or not as was written, of the program's sizes."""
    pairs = zip(program.out_avals, exported.out_avals, strict=True)
    return tuple(aval if aval == written else aval.update(weak_type=written.weak_type)
                 for aval, written in pairs)  # fmt: skip


def _check_platforms(exported: Any, platforms: Sequence[str]) -> None:
    check_platforms(
        exported.fun_name, exported.platforms, platforms, exported.disabled_safety_checks
    )


@call_exported_p.def_impl
def _call_exported_impl(*args: Any, exported: Any) -> list[Any]:
    operands = list(map(as_runtime_value, args))
    program = _program_for(exported, list(map(typeof, operands)))
    _check_platforms(exported, (default_backend(),))
    if exported.nr_devices > 1:
        check_count(exported, get_concrete_mesh().size or 1)
        return jit_p.bind(*operands, jaxpr=_program_of_call(exported, tuple(map(typeof, operands))),
                          donated_invars=(False,) * len(operands), name=exported.fun_name,
                          keep_unused=False, inline=False)  # fmt: skip
    out = running.run(program, operands, f"call_{exported.fun_name}")
    return [x if typeof(x) is aval else Array(raw_value(x), aval)
            for x, aval in zip(out, _out_avals(exported, program), strict=True)]  # fmt: skip


@bounded_cache
def _program_of_call(exported: Any, in_avals: tuple) -> ClosedJaxpr:
    return trace_to_jaxpr(lambda *xs: call_exported_p.bind(*xs, exported=exported), in_avals)


def _refuse_vmap(*args: Any, exported: Any) -> Any:
    raise NotImplementedError(
        f"vmap can't map Exported.call: {exported.fun_name} was exported for one example. Give "
        f"export the mapped function, jax.jit(jax.vmap(f))."
    )


def _written_out(
    eqn: JaxprEqn, platforms: Sequence[str], devices: int
) -> tuple[ClosedJaxpr, list[Any]]:
    """In a compiled program, and in one that is exported itself, its equations stand for it."""
    exported = eqn.params["exported"]
    _check_platforms(exported, platforms)
    check_count(exported, devices)
    return _program_for(exported, [x.aval for x in eqn.invars]), eqn.invars


def _written_out_here(eqn: JaxprEqn, devices: int = 1) -> tuple[ClosedJaxpr, list[Any]]:
    return _written_out(eqn, (default_backend(),), devices)


primitive_batchers[call_exported_p] = _refuse_vmap
register_lowering(call_exported_p, call=_written_out_here)
replacements[call_exported_p] = _written_out
calls_on_devices[call_exported_p] = lambda eqn, number: _written_out_here(eqn, number)[0]


def _mesh_set(params: dict) -> Any:
    """A program for several devices runs on those of the mesh that is set."""
    mesh = get_concrete_mesh()
    return mesh if params["exported"].nr_devices > 1 and not mesh.empty else None


named_meshes[call_exported_p] = _mesh_set
# Along Explicit axes results lie as the types say that were exported.
explicit_rules[call_exported_p] = lambda eqn, cuts: [
    getattr(aval, "cut", ((),) * aval.ndim) for aval in eqn.params["exported"].out_avals
]

# Its derivative is another exported function, the pullback: who calls need not know what is inside.


def flat_call(exported: Any) -> custom_vjp:
    """The call as a function of leaves."""

    @custom_vjp
    def f_flat(*args_flat: Any) -> list[Any]:
        return call_exported_p.bind(*args_flat, exported=exported)

    def f_flat_vjp_fwd(*args_flat: Any) -> tuple:
        return f_flat(*args_flat), args_flat

    def f_flat_vjp_bwd(args_flat: tuple, cts: list[Any]) -> tuple:
        pullback = exported.vjp()
        types = pullback.in_avals[len(args_flat) :]
        given = [zeros(aval.update(shape=typeof(ct).shape)) if aval.dtype == float0 else ct
                 for ct, aval in zip(cts, types, strict=True)]  # fmt: skip
        return pullback.call(*args_flat, *given)

    f_flat.defvjp(f_flat_vjp_fwd, f_flat_vjp_bwd)
    return f_flat


def pulled_back(fun: Callable, args: Sequence[Any], cts: Sequence[Any]) -> tuple:
    """The cotangent of each argument of a function of leaves, from those of its results. What has
    no tangent gets one of float0, for which the program has an equation: its size may be unknown.
    """
    varies = [has_tangent(typeof(x)) for x in args]

    def of_varying(*xs: Any) -> Any:
        given = iter(xs)
        return fun(*(next(given) if v else x for v, x in zip(varies, args, strict=True)))

    _, pullback = vjp(of_varying, *compress(args, varies))
    found = iter(pullback(list(cts)))
    nothing = np.zeros((), float0)
    return tuple(next(found) if v else broadcast_in_dim(nothing, typeof(x).shape, ())
                 for v, x in zip(varies, args, strict=True))  # fmt: skip
