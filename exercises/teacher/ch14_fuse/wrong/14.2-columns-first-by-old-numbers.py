"""The other axes are reduced first, and the last one by the number that it had: it is gone."""

from minijax.compiler.kernels.elements import in_kernels, is_reduction
from minijax.compiler.passes.rewriting import forward
from minijax.core.extend import Var


def split_reductions(closed):
    def visit(draft, eqn):
        if not is_reduction(eqn) or not in_kernels(eqn.invars[0]):
            return draft.write(eqn)
        [x], axes, shape = eqn.invars, eqn.params["axes"], eqn.invars[0].aval.shape
        last = len(shape) - 1
        if last not in axes or axes == tuple(range(len(shape) - len(axes), len(shape))):
            return draft.write(eqn)
        left = tuple(n for d, n in enumerate(shape) if d == last or d not in axes)
        v = Var(x.aval.update(shape=left))
        params = {**eqn.params, "axes": tuple(d for d in axes if d != last)}
        draft.write(eqn._replace(outvars=[v], params=params))
        return draft.write(eqn._replace(invars=[v], params={**eqn.params, "axes": (last,)}))

    return forward(closed, visit)
