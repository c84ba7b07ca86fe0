"""The walk is in a dict of its own, of which the caller sees nothing."""

from minijax.core.staging import Literal, enter_source, keep_source
from minijax.core.tracing import trace_ctx
from minijax.lax.references.discharge import discharged


def run_discharged(closed, env):
    env = dict(env)
    env.update(zip(closed.constvars, closed.consts, strict=True))
    outer = keep_source()
    try:
        for eqn in closed.eqns:
            enter_source(eqn, outer)
            operands = [x.val if type(x) is Literal else env[x] for x in eqn.invars]
            contents, out = discharged(eqn, operands)
            env.update(zip(eqn.outvars, out, strict=True))
            pairs = zip(eqn.invars, contents, strict=True)
            env.update((x, content) for x, content in pairs if content is not None)
    finally:
        trace_ctx.source, trace_ctx.name_stack = outer
    return [x.val if type(x) is Literal else env[x] for x in closed.outvars]
