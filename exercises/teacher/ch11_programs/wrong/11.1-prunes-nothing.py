"""Leaves in the forward program what was computed for tangents that nobody needs."""

from minijax.core.config import derived
from minijax.core.forward import is_nonzero
from minijax.core.jitting import jit_p
from minijax.core.linearization import linearize_flat, put_zeros
from minijax.core.programs import SplitJaxpr, as_flags, place_residuals, trace_with_aux
from minijax.core.staging import ClosedJaxpr, convert_constvars_jaxpr, jaxpr_as_fun


@derived
def linearize_jaxpr(closed, nonzeros, instantiate=False):
    fun, info = jaxpr_as_fun(closed), closed.jaxpr.debug_info
    forced = as_flags(instantiate, len(closed.out_avals))

    def forward_fun(*args):
        out, out_nonzeros, linear = linearize_flat(fun, args, nonzeros, info, forced)
        results, sources = place_residuals(args, out, linear.consts)
        return results, (linear.jaxpr, tuple(sources), tuple(out_nonzeros))

    forward, (jaxpr, *rest) = trace_with_aux(forward_fun, closed.in_avals, info)
    return SplitJaxpr(forward, ClosedJaxpr(convert_constvars_jaxpr(jaxpr), []), *rest)


def _jit_linearize(nonzeros, *primals, jaxpr, donated_invars, **params):
    split = linearize_jaxpr(jaxpr, tuple(nonzeros))
    needed = {which for kind, which in split.sources if kind == "arg"}
    donated = tuple(d and i not in needed for i, d in enumerate(donated_invars))
    out = jit_p.bind(*primals, jaxpr=split.forward, donated_invars=donated, **params)

    def linearized(residuals, *tangents):
        args = [*residuals, *filter(is_nonzero, tangents)]
        keep = (False,) * len(args)
        out_dot = jit_p.bind(*args, jaxpr=split.linear, donated_invars=keep, **params)
        return put_zeros(out_dot, split.out_nonzeros, jaxpr.out_avals)

    primals_out = out[: len(jaxpr.out_avals)]
    return primals_out, split.out_nonzeros, split.residuals(primals, out), linearized
