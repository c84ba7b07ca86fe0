"""Each reduction is taken apart, axis by axis: also what one kernel can do."""

from minijax.compiler.kernels.elements import in_kernels, is_reduction
from minijax.compiler.passes.rewriting import forward
from minijax.core.extend import Var


def split_reductions(closed):
    def visit(draft, eqn):
        if not is_reduction(eqn) or not in_kernels(eqn.invars[0]):
            return draft.write(eqn)
        [x] = eqn.invars
        *others, last = reversed(eqn.params["axes"])
        for d in others:
            v = Var(x.aval.update(shape=x.aval.shape[:d] + x.aval.shape[d + 1 :]))
            params = {**eqn.params, "axes": (d,)}
            [x] = draft.write(eqn._replace(invars=[x], outvars=[v], params=params))
        return draft.write(eqn._replace(invars=[x], params={**eqn.params, "axes": (last,)}))

    return forward(closed, visit)
