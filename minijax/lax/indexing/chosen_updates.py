"""A choice between an array and an update of it, which is an update, of numbers that are chosen.

Such choices are what vmap makes of loops in which each example stops when it likes. Element by
element every turn would look at the whole array; so it looks at what the update writes, and the
update can be made in place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from minijax.compiler.passes.rewriting import Draft, maker_of
from minijax.compiler.passes.simplify import RULES
from minijax.compiler.special_cases.other_types import put
from minijax.compiler.special_cases.shape_identities import unspread
from minijax.core.primitives import (
    broadcast_in_dim,
    broadcast_in_dim_p,
    remaining,
    reshape,
    select_n_p,
)
from minijax.core.staging import Atom, JaxprEqn
from minijax.core.tracing import Primitive, typeof
from minijax.lax.indexing.dynamic_slicing import dynamic_slice_p, dynamic_update_slice_p
from minijax.lax.indexing.gather_scatter import gather_back, scatter_p

WORTH = 8  # times as many numbers as are written: else it is no less work

# Of an update: which operand has what is written; what reads what is there; and for an axis of the
# array the axis of what is written, where this goes together with the other all along.


def _slice_there(update: JaxprEqn, x: Any, new: Any, *starts: Any) -> Any:
    return dynamic_slice_p.bind(x, *starts, slice_sizes=typeof(new).shape)


def _whole_axes(update: JaxprEqn) -> dict[int, int]:
    x, new, *_ = (v.aval for v in update.invars)
    return {d: d for d, (n, m) in enumerate(zip(x.shape, new.shape, strict=True)) if n == m}


def _windows_there(update: JaxprEqn, x: Any, indices: Any, new: Any) -> Any:
    numbers, mode = update.params["dimension_numbers"], update.params["mode"]
    return gather_back(x, indices, numbers, typeof(new).shape, mode=mode)


def _batch_axes(update: JaxprEqn) -> dict[int, int]:
    """Those of examples, and those of which a window has all."""
    x, _, new = (v.aval for v in update.invars)
    window, inserted, _, batch, of_indices = update.params["dimension_numbers"]
    others = [d for d in range(new.ndim) if d not in window]
    of_windows = zip(remaining(x.ndim, inserted, batch), window, strict=True)
    whole = {d: k for d, k in of_windows if x.shape[d] == new.shape[k]}
    return {**whole, **{d: others[k] for d, k in zip(batch, of_indices, strict=True)}}


_UPDATES: dict[Primitive, tuple[int, Callable, Callable]] = {
    dynamic_update_slice_p: (1, _slice_there, _whole_axes),
    scatter_p: (2, _windows_there, _batch_axes),
}


def chosen_update(draft: Draft, eqn: JaxprEqn) -> list[Atom] | None:
    """Between an array and an update of it, the numbers that are written are chosen."""
    if eqn.primitive is not select_n_p or len(eqn.invars) != 3:
        return None
    which, *cases = eqn.invars
    for k, old in ((1, cases[0]), (0, cases[1])):
        update = draft.made_by.get(cases[k])
        if update is None or update.primitive not in _UPDATES or update.invars[0] is not old:
            continue
        place, read, axes_of = _UPDATES[update.primitive]
        new = update.invars[place].aval
        if new.size * WORTH > old.aval.size:
            continue
        found = _choice_for(draft, which, axes_of(update), new.shape)
        if found is not None:
            program = partial(_chosen, update, k, place, read, found[1])
            return put(draft, program, found[0], *update.invars)
    return None


def _choice_for(
    draft: Draft, which: Atom, axes: dict[int, int], shape: Sequence[int]
) -> tuple[Atom, Callable] | None:
    """What is repeated to choose by, and what repeats it for the numbers that are written; None
    where two of these that belong together may be chosen otherwise."""
    one = unspread(draft, which)
    if not one.aval.shape:
        return one, lambda x: x
    spread = maker_of(draft, which, broadcast_in_dim_p)
    if spread is None:
        return None
    [one], dims = spread.invars, spread.params["broadcast_dimensions"]
    kept = [(n, d) for n, d in zip(one.aval.shape, dims, strict=True) if n != 1]
    if any(d not in axes for _, d in kept):
        return None
    places = [axes[d] for _, d in kept]
    if places != sorted(places):
        return None
    sizes = [n for n, _ in kept]
    return one, lambda x: broadcast_in_dim(reshape(x, sizes), shape, places)


def _chosen(
    update: JaxprEqn, k: int, place: int, read: Callable, spread: Callable, which: Any,
    *operands: Any,
) -> list[Any]:  # fmt: skip
    there, new = read(update, *operands), operands[place]
    chosen = select_n_p.bind(spread(which), *((there, new) if k else (new, there)))
    operands = (*operands[:place], chosen, *operands[place + 1 :])
    return [update.primitive.bind(*operands, **update.params)]


RULES.append(chosen_update)
