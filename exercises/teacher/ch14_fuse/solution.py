"""The teacher's solutions of chapter 14."""

from collections.abc import Sequence

from minijax.compiler.kernels.elements import in_kernels, is_reduction
from minijax.compiler.passes.rewriting import Draft, forward
from minijax.core.extend import ClosedJaxpr, JaxprEqn, Var
from minijax.core.staging import Atom


def split_reductions(closed: ClosedJaxpr) -> ClosedJaxpr:
    """The program in which no reduction is left to NumPy because of its axes."""
    return forward(closed, _visit)


def _visit(draft: Draft, eqn: JaxprEqn) -> Sequence[Atom]:
    rows = last_taken(eqn) if is_reduction(eqn) and all(map(in_kernels, eqn.invars)) else []
    [x, *_], axes = eqn.invars or [None], eqn.params.get("axes", ())
    if not rows or all(x.aval.shape[d] == 1 for d in axes if d not in rows):
        return draft.write(eqn)
    shape = tuple(n for d, n in enumerate(x.aval.shape) if d not in rows)
    kept = [d for d in range(x.aval.ndim) if d not in rows]
    others = tuple(kept.index(d) for d in axes if d not in rows)
    one, two = ({**eqn.params, "axes": taken} for taken in (rows, others))
    first = draft.write(eqn._replace(outvars=[Var(x.aval.update(shape=shape))], params=one))
    return draft.write(eqn._replace(invars=first, params=two))


def last_taken(eqn: JaxprEqn) -> tuple[int, ...]:
    """The last axes that are taken in a row; those of size 1 are not asked."""
    shape, rows = eqn.invars[0].aval.shape, list[int]()
    for d in reversed(range(len(shape))):
        if d in eqn.params["axes"] and shape[d] != 1:
            rows.append(d)
        elif shape[d] != 1:
            break
    return tuple(sorted(rows))
