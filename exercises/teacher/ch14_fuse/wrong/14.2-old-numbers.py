"""The second reduction takes the axes by the numbers that they had before the first."""

from minijax.compiler.kernels.elements import in_kernels, is_reduction
from minijax.compiler.passes.rewriting import forward
from minijax.core.extend import Var


def split_reductions(closed):
    def visit(draft, eqn):
        if not is_reduction(eqn) or not in_kernels(eqn.invars[0]):
            return draft.write(eqn)
        [x], shape = eqn.invars, eqn.invars[0].aval.shape
        axes = [d for d in eqn.params["axes"] if shape[d] != 1]
        long = [d for d, n in enumerate(shape) if n != 1]
        first = [d for d in axes if set(range(d, len(shape))) & set(long) <= set(axes)]
        rest = tuple(d for d in eqn.params["axes"] if d not in first)
        if not first or not any(shape[d] != 1 for d in rest):
            return draft.write(eqn)
        left = tuple(n for d, n in enumerate(shape) if d not in first)
        v = Var(x.aval.update(shape=left))
        params = {**eqn.params, "axes": tuple(first)}
        draft.write(eqn._replace(outvars=[v], params=params))
        return draft.write(eqn._replace(invars=[v], params={**eqn.params, "axes": rest}))

    return forward(closed, visit)
