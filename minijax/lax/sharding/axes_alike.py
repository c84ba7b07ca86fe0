"""Which axes of lax's primitives are the same in operands and results: the table of partitions.

What works element by element, or reduces, is known by its template (`compiler/passes/factors.py`),
and has a row here only where it has none. An equation that has neither gets whole operands.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minijax.compiler.passes.factors import (
    Axes,
    Carried,
    Factors,
    Inside,
    along,
    carried,
    elementwise,
    factors,
    joined_by,
    leading,
    numbered,
    on_devices,
    reduction,
    same_axes,
)
from minijax.compiler.passes.partition import collectives
from minijax.core.config import bounded_cache
from minijax.core.primitives import mul, remaining
from minijax.core.prng import random_fold_in_p
from minijax.core.staging import JaxprEqn, jaxpr_as_fun
from minijax.core.tracing import typeof
from minijax.lax.collectives.moving import all_gather, all_to_all, psum_scatter
from minijax.lax.collectives.reducing import axis_index, axis_size, pmax, pmin, psum
from minijax.lax.control_flow.conditionals import cond_p
from minijax.lax.control_flow.scan import scan_p
from minijax.lax.control_flow.while_loop import while_p
from minijax.lax.custom.barriers import optimization_barrier_p
from minijax.lax.custom.checkpoint_policies import name_p
from minijax.lax.elementwise.complex_numbers import complex_p, conj_p, imag_p, real_p
from minijax.lax.fourier import fft_p
from minijax.lax.indexing.combining_scatters import (
    scatter_max_p,
    scatter_min_p,
    scatter_mul_p,
    scatter_sub_p,
)
from minijax.lax.indexing.dynamic_slicing import (
    dynamic_slice,
    dynamic_slice_p,
    dynamic_update_slice_p,
)
from minijax.lax.indexing.gather_scatter import gather_p, scatter_add_p, scatter_p
from minijax.lax.linalg.eigenvectors import eig_p, hessenberg_p, schur_p
from minijax.lax.linalg.gaussian import lu_p, lu_pivots_to_permutation_p
from minijax.lax.linalg.positive_definite import cholesky_p
from minijax.lax.linalg.reflections import geqrf_p, householder_product_p, ormqr_p, qr_p
from minijax.lax.linalg.singular_values import svd_p
from minijax.lax.linalg.symmetric import eigh_p, tridiagonal_p
from minijax.lax.linalg.triangular import triangular_solve_p
from minijax.lax.reductions.argminmax import argmax_p, argmin_p
from minijax.lax.reductions.cumulative import (
    cumlogsumexp_p,
    cummax_p,
    cummin_p,
    cumprod_p,
    cumsum_p,
)
from minijax.lax.reductions.extrema import reduce_max_p, reduce_min_p
from minijax.lax.shapes.axes import iota_p, rev_p, squeeze_p
from minijax.lax.shapes.slicing import concatenate_p, pad_p, slice_p, split_p
from minijax.lax.shapes.stacking import stack_p, tile_p
from minijax.lax.sharding.device_programs import has_body, plain_program
from minijax.lax.sharding.partition_specs import P, names_in
from minijax.lax.sharding.shard_map import shard_map_p
from minijax.lax.sorting import sort_p, top_k_p
from minijax.lax.windows.convolutions import conv_general_dilated_p
from minijax.lax.windows.window_reductions import (
    reduce_window_max_p,
    reduce_window_min_p,
    reduce_window_sum_p,
)


@bounded_cache
def cut_of(spec: P, ndim: int) -> tuple:
    """A spec as the partitioner writes it: names for each axis.

    >>> cut_of(P("x", ("y", "z")), 3)
    (('x',), ('y', 'z'), ())
    """
    return tuple(map(names_in, (*spec.partitions, *[None] * ndim)[:ndim]))


# By kind.

factors |= dict.fromkeys(
    [complex_p, conj_p, imag_p, real_p, name_p, optimization_barrier_p, random_fold_in_p],
    elementwise,
)
factors |= dict.fromkeys([reduce_max_p], joined_by("pmax"))
factors |= dict.fromkeys([reduce_min_p], joined_by("pmin"))
factors |= dict.fromkeys([argmax_p, argmin_p], reduction)
factors |= dict.fromkeys([cumlogsumexp_p, cummax_p, cummin_p, cumprod_p, cumsum_p], along("axis"))
factors |= {
    concatenate_p: along("dimension"), sort_p: along("dimension"), rev_p: along("dimensions"),
    top_k_p: along("axis"), split_p: along("axis"),
}  # fmt: skip
factors |= dict.fromkeys(
    [cholesky_p, eig_p, eigh_p, geqrf_p, hessenberg_p, householder_product_p, lu_p, ormqr_p, qr_p,
     schur_p, svd_p, triangular_solve_p, tridiagonal_p], leading(2)
)  # fmt: skip
factors[lu_pivots_to_permutation_p] = leading(1)

# Parts of axes. An axis that is taken whole can be cut; along others it is needed whole.


def _resized(eqn: JaxprEqn) -> list[int]:
    """The axes along which the second array, an operand or the result, has another size."""
    other = eqn.invars[1] if eqn.primitive is dynamic_update_slice_p else eqn.outvars[0]
    sizes = zip(eqn.invars[0].aval.shape, other.aval.shape, strict=True)
    return [d for d, (n, m) in enumerate(sizes) if n != m]


def _slice(eqn: JaxprEqn) -> Factors:
    letters = numbered(eqn.invars[0])
    return same_axes(eqn, _resized(eqn), sizes={"limit_indices": letters})


def _dynamic_slice(eqn: JaxprEqn) -> Factors:
    return same_axes(eqn, _resized(eqn), sizes={"slice_sizes": numbered(eqn.invars[0])})


def _pad(eqn: JaxprEqn) -> Factors:
    edges = enumerate(eqn.params["padding_config"])
    return same_axes(eqn, [d for d, edge in edges if tuple(edge) != (0, 0, 0)])


factors |= {
    slice_p: _slice, dynamic_slice_p: _dynamic_slice, pad_p: _pad,
    dynamic_update_slice_p: lambda eqn: same_axes(eqn, _resized(eqn)),
}  # fmt: skip

# Other axes in the result.


def _squeeze(eqn: JaxprEqn) -> Factors:
    letters = numbered(eqn.invars[0])
    kept = remaining(len(letters), eqn.params["dimensions"])
    return Factors((letters,), (tuple(letters[d] for d in kept),))


def _stack(eqn: JaxprEqn) -> Factors:
    letters, axis = numbered(eqn.invars[0]), eqn.params["axis"]
    return Factors((letters,) * len(eqn.invars), ((*letters[:axis], (), *letters[axis:]),))


def _tile(eqn: JaxprEqn) -> Factors:
    letters = tuple((d,) if n == 1 else () for d, n in enumerate(eqn.params["reps"]))
    return Factors((letters,), (letters,))


def _iota(eqn: JaxprEqn) -> Factors:
    letters = numbered(eqn.outvars[0])
    return Factors((), (letters,), sizes={"shape": letters}, counts=eqn.params["dimension"])


def _fft(eqn: JaxprEqn) -> Factors:
    ndim = len(eqn.invars[0].aval.shape)
    return same_axes(eqn, range(ndim - len(eqn.params["fft_lengths"]), ndim))


factors |= {squeeze_p: _squeeze, stack_p: _stack, tile_p: _tile, iota_p: _iota, fft_p: _fft}

# Windows at indices: an axis along which a window is as large as the operand, and those of indices.


def _window_axes(numbers: Sequence[Sequence[int]], ndim: int) -> list[int]:
    """The operand's axes that a window keeps, in order."""
    _, dropped, _, batching, _ = numbers
    return remaining(ndim, dropped, batching)


def _letters_of_windows(
    x: Any, indices: Any, windows: Any, numbers: Sequence[Sequence[int]]
) -> tuple[list, list, list]:
    """Letters of the operand, of the indices and of the array of windows."""
    offset, _, _, batching, indices_batching = numbers
    where = [("where", d) for d in range(len(indices.aval.shape) - 1)]
    inside = [("inside", d) for d in range(len(x.aval.shape))]
    for d, e in zip(batching, indices_batching, strict=True):
        inside[d] = where[e]
    kept, places = iter(_window_axes(numbers, len(inside))), iter(where)
    of_windows = [
        inside[next(kept)] if d in offset else next(places) for d in range(len(windows.aval.shape))
    ]
    return inside, where, of_windows


def _gather(eqn: JaxprEqn) -> Factors:
    x, indices = eqn.invars
    numbers, sizes = eqn.params["dimension_numbers"], eqn.params["slice_sizes"]
    inside, where, result = _letters_of_windows(x, indices, eqn.outvars[0], numbers)
    full = [n == m for n, m in zip(sizes, x.aval.shape, strict=True)]
    batching = numbers.operand_batching_dims
    whole = [inside[d] for d, is_full in enumerate(full) if not is_full and d not in batching]
    x_axes = _each(inside)
    slices = tuple(() if d in batching else axes for d, axes in enumerate(x_axes))
    return Factors(
        (x_axes, (*_each(where), ())), (_each(result),), frozenset(whole),
        sizes={"slice_sizes": slices},
    )  # fmt: skip


def _each(letters: Sequence[Any]) -> Axes:
    return tuple((letter,) for letter in letters)


def _scatter(eqn: JaxprEqn) -> Factors:
    """A device has all indices: some may say something of its part of the operand."""
    x, indices, updates = eqn.invars
    numbers = eqn.params["dimension_numbers"]
    inside, where, windows = _letters_of_windows(x, indices, updates, numbers)
    batching = [inside[d] for d in numbers.operand_batching_dims]
    sizes = dict(zip(windows, updates.aval.shape, strict=True))
    touched = [letter for letter, n in zip(inside, x.aval.shape, strict=True)
               if sizes.get(letter, 1) != n and letter not in batching]  # fmt: skip
    whole = [*touched, *(letter for letter in where if letter not in batching)]
    axes = _each(inside)
    return Factors((axes, (*_each(where), ()), _each(windows)), (axes,), frozenset(whole))


factors[gather_p] = _gather
factors |= dict.fromkeys(
    [scatter_p, scatter_add_p, scatter_max_p, scatter_min_p, scatter_mul_p, scatter_sub_p], _scatter
)


def _convolution(eqn: JaxprEqn) -> Factors:
    """A product of features, for each example; along the other axes windows move."""
    x, kernel, result = eqn.params["dimension_numbers"]
    grouped = eqn.params["feature_group_count"] * eqn.params["batch_group_count"] > 1

    def axes(spec: Sequence[int], *features: str, windows: bool = True) -> Axes:
        letters: list[tuple] = [()] * len(spec)
        for d, letter in zip(spec, features, strict=False):
            letters[d] = () if grouped else (letter,)
        for k, d in enumerate(spec[2:] if windows else ()):
            letters[d] = (k,)
        return tuple(letters)

    operands = axes(x, "n", "i"), axes(kernel, "o", "i", windows=False)
    moved = frozenset(range(len(x) - 2))
    sums = {} if grouped else {"i": "psum"}
    return Factors(operands, (axes(result, "n", "o"),), moved, sums)


factors[conv_general_dilated_p] = _convolution


def _windows(eqn: JaxprEqn) -> Factors:
    """Along axes with windows of one element nothing is reduced."""
    params, ndim = eqn.params, len(eqn.invars[0].aval.shape)
    whole = []
    for d in range(ndim):
        sizes = (params[name][d] for name in params if name.startswith("window_"))
        if any(n != 1 for n in sizes) or tuple(params["padding"][d]) != (0, 0):
            whole.append(d)
    return same_axes(eqn, [*whole, *(d for d, n in enumerate(params.get("base_dilation", ()))
                                     if n != 1)])  # fmt: skip


factors |= dict.fromkeys([reduce_window_max_p, reduce_window_min_p, reduce_window_sum_p], _windows)

# Loops and branches: what is carried is in one slot with what it was before and will be.


def _scan(eqn: JaxprEqn) -> Carried:
    params, count = eqn.params, len(eqn.invars)
    start, end = params["num_consts"], params["num_consts"] + params["num_carry"]
    stacked = range(count, count + len(eqn.outvars) - params["num_carry"])
    operands, results = range(count), [*range(start, end), *stacked]
    return Carried(
        operands, results, [(params["jaxpr"], operands, results)],
        lambda program: {**params, "jaxpr": program}, frozenset((*range(end, count), *stacked)),
    )  # fmt: skip


def _while(eqn: JaxprEqn) -> Carried:
    params, operands = eqn.params, range(len(eqn.invars))
    first = params["cond_nconsts"]
    carry = operands[first + params["body_nconsts"] :]
    programs = [(params["cond_jaxpr"], [*operands[:first], *carry], [None]),
                (params["body_jaxpr"], operands[first:], carry)]  # fmt: skip
    return Carried(
        operands, carry, programs,
        lambda cond, body: {**params, "cond_jaxpr": cond, "body_jaxpr": body},
    )  # fmt: skip


def _cond(eqn: JaxprEqn) -> Carried:
    operands = range(len(eqn.invars))
    results = range(len(eqn.invars), len(eqn.invars) + len(eqn.outvars))
    programs = [(branch, operands[1:], results) for branch in eqn.params["branches"]]
    return Carried(
        operands, results, programs, lambda *branches: {**eqn.params, "branches": branches}
    )


carried |= {scan_p: _scan, while_p: _while, cond_p: _cond}

# A shard_map is a program of one device. Along axes of the mesh that are not its own, devices have
# the same, and do the same.


def _shard_map(eqn: JaxprEqn, mesh: Any) -> Inside | None:
    params = eqn.params
    if dict(params["mesh"].shape) != dict(mesh) or has_body(params["jaxpr"]):
        return None

    def cuts(specs: Sequence[Any], atoms: Sequence[Any]) -> list[tuple]:
        pairs = zip(specs, atoms, strict=True)
        return [cut_of(spec, len(getattr(x.aval, "shape", ()))) for spec, x in pairs]

    return Inside(
        cuts(params["in_specs"], eqn.invars),
        cuts(params["out_specs"], eqn.outvars),
        jaxpr_as_fun(plain_program(params["jaxpr"])),
    )


on_devices[shard_map_p] = _shard_map

# What moves parts.


def _part(x: Any, names: Sequence[str], d: int) -> Any:
    """A device's own part of what it has, along an axis."""
    shape = typeof(x).shape
    size = shape[d] // axis_size(names)
    starts = [np.int32(0)] * len(shape)
    starts[d] = _start(names, size)
    return dynamic_slice(x, starts, (*shape[:d], size, *shape[d + 1 :]))


def _start(names: Sequence[str], size: int) -> Any:
    return mul(axis_index(names), np.int32(size))


collectives |= {
    "part": _part,
    "start": _start,
    "gather": lambda x, names, d: all_gather(x, names, axis=d, tiled=True),
    "exchange": lambda x, names, joined, cut: all_to_all(x, names, cut, joined, tiled=True),
    "scatter": lambda x, names, d: psum_scatter(x, names, scatter_dimension=d, tiled=True),
    "psum": psum,
    "pmax": pmax,
    "pmin": pmin,
}
