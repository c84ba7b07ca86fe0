"""The rule gets a Zero for a result that nobody used, and can't compute with it."""

from minijax.core.extend import is_nonzero, typeof
from minijax.lax.custom.derivatives import custom_lin_p, note_types
from minijax.lax.custom.rule_calls import from_rule


def _custom_vjp_jvp(primals, tangents, *, call_jaxpr, fwd_jaxpr_thunk, bwd, num_consts,
                    symbolic_zeros):  # fmt: skip
    nonzeros = list(map(is_nonzero, tangents))
    out, residuals, backward = fwd_jaxpr_thunk(primals, nonzeros)
    note_types(call_jaxpr, map(typeof, out))
    out_dot = custom_lin_p.bind(
        *residuals, *filter(is_nonzero, tangents), num_res=len(residuals), bwd=backward,
        in_zeros=[not nonzero for nonzero in nonzeros], symbolic_zeros=symbolic_zeros,
        out_avals=[typeof(x).to_tangent_aval() for x in out],
    )  # fmt: skip
    return out, list(map(from_rule, out_dot))


def _custom_lin_transpose(cts, *args, num_res, bwd, in_zeros, symbolic_zeros, out_avals):
    cts_in = map(from_rule, bwd(args[:num_res], cts))
    kept = [ct for ct, zero in zip(cts_in, in_zeros, strict=True) if not zero]
    return [None] * num_res + kept
