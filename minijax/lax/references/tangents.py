"""Derivatives of what is done with references.

Forwards, a reference has a tangent that is a reference: what is done to the one is done to the
other. Backwards, the tangent reference has a cotangent reference, which is used in reverse order:
where a value was read, its cotangent is added; where one was written, its cotangent is read, and
zeros are left there, since nothing that was in the place before came any further.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minijax.core.forward import Zero, instantiate_zeros, is_nonzero, jvps_of_zeros, primitive_jvps
from minijax.core.linearization import has_tangent, primitive_linearizations
from minijax.core.programs import linear_and_known
from minijax.core.pytrees import PyTreeDef, tree_structure
from minijax.core.reverse import UndefinedPrimal, primitive_transposes
from minijax.core.tracing import typeof
from minijax.lax.references.operations import (
    addupdate_p,
    empty_ref_p,
    free_ref_p,
    freeze_p,
    get_p,
    new_ref,
    new_ref_p,
    swap_p,
)

# Forwards. A new reference has a tangent from the start, if only of zeros: who knows what will be
# written to it.


def _new_ref_jvp(primals, tangents, **params):
    ref, [x_dot] = new_ref_p.bind(*primals, **params), tangents
    if not has_tangent(typeof(ref)):
        return ref, Zero.from_primal_value(ref)
    return ref, new_ref_p.bind(instantiate_zeros(x_dot), **params)


def _new_ref_linearize(nonzeros, x, **params):
    """The tangent reference is made by the linear program, anew each time that this runs."""
    ref, nonzero = new_ref_p.bind(x, **params), has_tangent(typeof(x))

    def linearized(residuals: list, x_dot: Any) -> Any:
        if not nonzero:
            return Zero.from_primal_value(ref)
        return new_ref_p.bind(instantiate_zeros(x_dot), **params)

    return ref, nonzero, [], linearized


def _empty_ref_jvp(primals, tangents, **params):
    ref = empty_ref_p.bind(**params)
    return ref, typeof(ref).to_tangent_aval().of_zeros()


def _empty_ref_linearize(nonzeros, **params):
    ref = empty_ref_p.bind(**params)
    return ref, True, [], lambda residuals: typeof(ref).to_tangent_aval().of_zeros()


def _get_jvp(primals, tangents, **params):
    value = get_p.bind(*primals, **params)
    ref_dot, leaves = tangents[0], primals[1:]
    if not is_nonzero(ref_dot):
        return value, Zero.from_primal_value(value)
    return value, get_p.bind(ref_dot, *leaves, **params)


def check_held(name: str, ref: Any, ref_dot: Any) -> None:
    if not is_nonzero(ref_dot):
        raise Exception(
            f"{name} puts a value that is differentiated into a {typeof(ref)} that is not. Make "
            f"the reference inside the differentiated function, give it as an argument to vjp, or "
            f"write lax.stop_gradient(x)."
        )


def _swap_jvp(primals, tangents, **params):
    (ref, x, *leaves), (ref_dot, x_dot, *_) = primals, tangents
    if is_nonzero(x_dot):
        check_held("swap", ref, ref_dot)
    old = swap_p.bind(ref, x, *leaves, **params)
    if not is_nonzero(ref_dot):
        return old, Zero.from_primal_value(old)
    return old, swap_p.bind(ref_dot, instantiate_zeros(x_dot), *leaves, **params)


def _addupdate_jvp(primals, tangents, **params):
    (ref, x, *leaves), (ref_dot, x_dot, *_) = primals, tangents
    if is_nonzero(x_dot):
        check_held("addupdate", ref, ref_dot)
    addupdate_p.bind(ref, x, *leaves, **params)
    if is_nonzero(x_dot):
        addupdate_p.bind(ref_dot, x_dot, *leaves, **params)
    return [], []


def _free_ref_jvp(primals, tangents):
    return [free_ref_p.bind(x) for x in (*primals, *tangents)][0], []


jvps_of_zeros |= {new_ref_p, empty_ref_p}
primitive_linearizations |= {new_ref_p: _new_ref_linearize, empty_ref_p: _empty_ref_linearize}
primitive_jvps |= {
    new_ref_p: _new_ref_jvp, empty_ref_p: _empty_ref_jvp, get_p: _get_jvp, swap_p: _swap_jvp,
    addupdate_p: _addupdate_jvp, free_ref_p: _free_ref_jvp,
    freeze_p: lambda primals, tangents: (freeze_p.bind(*primals), freeze_p.bind(*tangents)),
}  # fmt: skip

# Backwards.

WHOLE = tree_structure(())


def add_to(ref: UndefinedPrimal, ct: Any, leaves: Sequence[Any], tree: PyTreeDef) -> None:
    """Adds a cotangent to the cotangent reference, which begins with it if it is new."""
    if ref.held is None and tree == WHOLE:
        ref.held = new_ref(ct)
    else:
        addupdate_p.bind(held(ref), ct, *leaves, tree=tree)


def held(ref: UndefinedPrimal) -> Any:
    """The cotangent reference, of zeros if it is new."""
    linear_and_known([ref])
    return ref.held


def _get_transpose(ct, ref, *leaves, tree):
    if is_nonzero(ct):
        add_to(ref, ct, leaves, tree)
    return [None] * (1 + len(leaves))


def _swap_transpose(ct, ref, x, *leaves, tree):
    if not is_nonzero(ct) and ref.held is None:
        return [None] * (2 + len(leaves))
    ct_x = swap_p.bind(held(ref), instantiate_zeros(ct), *leaves, tree=tree)
    return [None, ct_x, *(None for _ in leaves)]


def _addupdate_transpose(cts, ref, x, *leaves, tree):
    ct_x = None if ref.held is None else get_p.bind(ref.held, *leaves, tree=tree)
    return [None, ct_x, *(None for _ in leaves)]


def _freeze_transpose(ct, ref):
    return _get_transpose(ct, ref, tree=WHOLE)


primitive_transposes |= {
    get_p: _get_transpose, swap_p: _swap_transpose, addupdate_p: _addupdate_transpose,
    freeze_p: _freeze_transpose,
    # What there is in the cotangent reference when the way back is at its beginning.
    new_ref_p: lambda ct, x, **params: [freeze_p.bind(ct) if is_nonzero(ct) else ct],
    empty_ref_p: lambda ct, **params: [],
    free_ref_p: lambda cts, ref: [None],
}
