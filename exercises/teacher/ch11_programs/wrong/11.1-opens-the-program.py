"""Linearizes the program where it stands, as chapter 09 did: no jit is left."""

from minijax.core.config import derived
from minijax.core.forward import is_nonzero
from minijax.core.linearization import linearize_flat, put_zeros
from minijax.core.programs import (
    SplitJaxpr,
    as_flags,
    dce_closed_jaxpr,
    place_residuals,
    trace_with_aux,
)
from minijax.core.staging import ClosedJaxpr, convert_constvars_jaxpr, eval_jaxpr, jaxpr_as_fun


@derived
def linearize_jaxpr(closed, nonzeros, instantiate=False):
    fun, info = jaxpr_as_fun(closed), closed.jaxpr.debug_info
    forced = as_flags(instantiate, len(closed.out_avals))

    def forward_fun(*args):
        out, out_nonzeros, linear = linearize_flat(fun, args, nonzeros, info, forced)
        results, sources = place_residuals(args, out, linear.consts)
        return results, (linear.jaxpr, tuple(sources), tuple(out_nonzeros))

    forward, (jaxpr, *rest) = trace_with_aux(forward_fun, closed.in_avals, info)
    forward, _ = dce_closed_jaxpr(forward, (True,) * len(forward.out_avals), instantiate=True)
    return SplitJaxpr(forward, ClosedJaxpr(convert_constvars_jaxpr(jaxpr), []), *rest)


def _jit_linearize(nonzeros, *primals, jaxpr, donated_invars, **params):
    lin = linearize_flat(jaxpr_as_fun(jaxpr), primals, nonzeros)

    def linearized(residuals, *tangents):
        out = eval_jaxpr(lin.jaxpr.jaxpr, residuals, *filter(is_nonzero, tangents))
        return put_zeros(out, lin.out_nonzeros, jaxpr.out_avals)

    return lin.primals_out, lin.out_nonzeros, lin.jaxpr.consts, linearized
