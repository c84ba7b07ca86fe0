"""Only sums are seen, of whatever dtype, and each axis of size 1 is taken for a loop."""

from minijax.compiler.passes.rewriting import forward
from minijax.core.extend import Var
from minijax.core.primitives import reduce_sum_p


def split_reductions(closed):
    def visit(draft, eqn):
        if eqn.primitive is not reduce_sum_p:
            return draft.write(eqn)
        [x], axes, shape = eqn.invars, eqn.params["axes"], eqn.invars[0].aval.shape
        rows = []
        while len(shape) - 1 - len(rows) in axes:
            rows.insert(0, len(shape) - 1 - len(rows))
        rest = tuple(d for d in axes if d not in rows)
        if not rows or not rest:
            return draft.write(eqn)
        v = Var(x.aval.update(shape=shape[: len(shape) - len(rows)]))
        draft.write(eqn._replace(outvars=[v], params={**eqn.params, "axes": tuple(rows)}))
        return draft.write(eqn._replace(invars=[v], params={**eqn.params, "axes": rest}))

    return forward(closed, visit)
