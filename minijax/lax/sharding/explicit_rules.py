"""How results are cut along Explicit axes: as the operands are, or the program has to say it.

Letters (`compiler/passes/factors.py`) say which axes of operands and results are one. An axis of a
result is cut as the operands' axes of its letter are. Where these differ, where one name would cut
a result twice, or where an operation takes an axis whole, nothing is chosen in silence: that is a
ShardingTypeError, which says what to write.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NoReturn

from minijax.compiler.passes.cuts import Cut, Cuts, Names
from minijax.compiler.passes.factors import Axes, Letter, letters_of
from minijax.core.primitives import dot_general_p, remaining, reshape_p
from minijax.core.staging import JaxprEqn
from minijax.core.tracing import Primitive
from minijax.lax.elementwise.bitcasts import bitcast_convert_type_p
from minijax.lax.elementwise.clamping import clamp_p
from minijax.lax.fourier import fft_p
from minijax.lax.indexing.combining_scatters import (
    scatter_max_p,
    scatter_min_p,
    scatter_mul_p,
    scatter_sub_p,
)
from minijax.lax.indexing.dynamic_slicing import dynamic_slice_p, dynamic_update_slice_p
from minijax.lax.indexing.gather_scatter import gather_p, scatter_add_p, scatter_p
from minijax.lax.reductions.by_operation import reduce_p
from minijax.lax.shapes.axes import rev_p
from minijax.lax.shapes.slicing import concatenate_p, pad_p, slice_p, split_p
from minijax.lax.shapes.stacking import stack_p, unstack_p
from minijax.lax.windows.convolutions import conv_general_dilated_p
from minijax.lax.windows.window_folds import reduce_window_p
from minijax.lax.windows.window_reductions import (
    reduce_window_max_p,
    reduce_window_min_p,
    reduce_window_sum_p,
)


class ShardingTypeError(Exception):
    """An operation's result could lie in several ways, or its operands do not lie alike."""


def refuse(eqn: JaxprEqn, why: str, instead: str) -> NoReturn:
    operands = ", ".join(str(x.aval) for x in eqn.invars)
    raise ShardingTypeError(f"{eqn.primitive} got {operands}: {why}. {instead}")


MOVE = "Use jax.reshard on an operand, or jax.sharding.auto_axes."
SAY = "Say how with out_sharding=P(...), or use jax.reshard on an operand."


def _named(names: Names) -> str:
    return "whole" if not names else f"cut by {', '.join(map(repr, names))}"


# The rules: (equation, cuts of its operands) -> cuts of its results.

Rule = Callable[[JaxprEqn, Cuts], list[Cut]]
rules: dict[Primitive, Rule] = {}


def cuts_of_results(eqn: JaxprEqn, cuts: Cuts) -> list[Cut]:
    """ShardingTypeError where the operands don't say it."""
    out = rules.get(eqn.primitive, by_letters)(eqn, cuts)
    for v, cut in zip(eqn.outvars, out, strict=True):
        names = [name for names in cut for name in names]
        for name in names:
            if names.count(name) > 1:
                refuse(eqn, f"{name!r} would cut its result twice", SAY)
        for size, each in zip(getattr(v.aval, "shape", ()), cut, strict=True):
            if size % cuts.parts(each):
                parts = cuts.parts(each)
                refuse(
                    eqn, f"an axis of size {size} in its result has no {parts} equal parts", MOVE
                )
    return out


def by_letters(eqn: JaxprEqn, cuts: Cuts, keeps: bool = False) -> list[Cut]:
    """Most rules. `keeps`: along the axes on which it works, too, results are cut."""
    found = letters_of(eqn)
    if found is None:
        return of_whole_operands(eqn, cuts)
    in_results = {x for axes in found.results for letters in axes for x in letters}
    names: dict[Letter, Names] = {}
    for x, axes in zip(eqn.invars, found.operands, strict=True):
        for d, (letters, cut) in enumerate(zip(axes, cuts[x], strict=True)):
            if not cut:
                continue
            if not letters or (letters[0] in found.whole & in_results and not keeps):
                refuse(eqn, f"it works along axis {d} of {x.aval}, which is cut", MOVE)
            if names.setdefault(letters[0], cut) != cut:
                differ(eqn, names[letters[0]], cut)
    return [cut_by_names(axes, names) for axes in found.results]


def cut_by_names(axes: Axes, names: dict[Letter, Names]) -> Cut:
    return tuple(names.get(letters[0], ()) if letters else () for letters in axes)


def differ(eqn: JaxprEqn, one: Names, other: Names) -> NoReturn:
    refuse(eqn, f"along one axis, one is {_named(one)} and another {_named(other)}", MOVE)


def of_whole_operands(eqn: JaxprEqn, cuts: Cuts) -> list[Cut]:
    """Of operations of which no letters are known."""
    for x in eqn.invars:
        if any(cuts[x]):
            refuse(eqn, f"it takes whole arrays, and {x.aval} is cut", MOVE)
    return [((),) * len(getattr(v.aval, "shape", ())) for v in eqn.outvars]


def alike(rule: Rule) -> Rule:
    """Operands, but for numbers, are all cut alike."""

    def checked(eqn: JaxprEqn, cuts: Cuts) -> list[Cut]:
        arrays = [x for x in eqn.invars if getattr(x.aval, "shape", ())]
        for x in arrays:
            for one, other in zip(cuts[arrays[0]], cuts[x], strict=True):
                if one != other:
                    differ(eqn, one, other)
        return rule(eqn, cuts)

    return checked


_keeping = partial(by_letters, keeps=True)
rules |= dict.fromkeys(
    [rev_p, fft_p, slice_p, dynamic_slice_p, pad_p, split_p, reduce_window_max_p,
     reduce_window_min_p, reduce_window_sum_p], _keeping,
)  # fmt: skip
rules |= dict.fromkeys([concatenate_p, dynamic_update_slice_p], alike(_keeping))
rules[stack_p] = alike(by_letters)


def _as_operand(eqn: JaxprEqn, cuts: Cuts, which: int = 0) -> list[Cut]:
    """As one operand is; a result's further axes are whole."""
    ndim = len(eqn.outvars[0].aval.shape)
    return [(*cuts[eqn.invars[which]], *[()] * ndim)[:ndim]]


def _reduce(eqn: JaxprEqn, cuts: Cuts) -> list[Cut]:
    """Operands, and as many first values; a function of two numbers makes one of many."""
    kept = remaining(len(cuts[eqn.invars[0]]), eqn.params["dimensions"])
    return [tuple(cuts[x][d] for d in kept) for x in eqn.invars[: len(eqn.outvars)]]


def _unstack(eqn: JaxprEqn, cuts: Cuts) -> list[Cut]:
    (x,), axis = eqn.invars, eqn.params["axis"]
    if cuts[x][axis]:
        refuse(eqn, f"it works along axis {axis} of {x.aval}, which is cut", MOVE)
    return [(*cuts[x][:axis], *cuts[x][axis + 1 :])] * len(eqn.outvars)


rules |= {reduce_p: _reduce, unstack_p: _unstack, reduce_window_p: _as_operand}
rules[clamp_p] = partial(_as_operand, which=1)
rules[bitcast_convert_type_p] = _as_operand

# Products.


def _product(eqn: JaxprEqn, cuts: Cuts) -> list[Cut]:
    """Where one operand alone is cut along an axis that is summed over, it is gathered."""
    (x, y), ((x_sum, y_sum), (x_batch, y_batch)) = eqn.invars, eqn.params["dimension_numbers"]
    for d, e in zip(x_sum, y_sum, strict=True):
        if (one := cuts[x][d]) and (other := cuts[y][e]):
            if one == other:
                both = f"both are {_named(one)} along an axis that is summed over"
                refuse(eqn, f"{both}, and the result may lie in several ways", SAY)
            differ(eqn, one, other)
    for d, e in zip(x_batch, y_batch, strict=True):
        if cuts[x][d] and cuts[y][e] and cuts[x][d] != cuts[y][e]:
            differ(eqn, cuts[x][d], cuts[y][e])
    free = (side[d] for side, *used in ((cuts[x], x_sum, x_batch), (cuts[y], y_sum, y_batch))
            for d in remaining(len(side), *used))  # fmt: skip
    return [(*(cuts[x][d] for d in x_batch), *free)]


def _convolution(eqn: JaxprEqn, cuts: Cuts) -> list[Cut]:
    """Images may be cut, and the axes along which windows move; features and kernels are whole."""
    (x, kernel), numbers = eqn.invars, eqn.params["dimension_numbers"]
    batch, feature, *space = numbers.lhs_spec
    if any(cuts[kernel]):
        refuse(eqn, f"the kernel, {kernel.aval}, is cut", MOVE)
    if cuts[x][feature]:
        refuse(eqn, f"{x.aval} is cut along its features, which are summed over", MOVE)
    out: list[Names] = [()] * len(cuts[x])
    for d, e in zip((batch, *space), (numbers.out_spec[0], *numbers.out_spec[2:]), strict=True):
        out[e] = cuts[x][d]
    return [tuple(out)]


rules |= {dot_general_p: _product, conv_general_dilated_p: _convolution}

# Windows at indices.


def _whole_where_indexed(eqn: JaxprEqn, cuts: Cuts, of_windows: Sequence[int]) -> None:
    """Indices are whole, and so are the operand's axes along which a window is smaller."""
    (x, indices), numbers = eqn.invars[:2], eqn.params["dimension_numbers"]
    batching = numbers.operand_batching_dims
    for d, (n, size) in enumerate(zip(x.aval.shape, of_windows, strict=True)):
        if cuts[x][d] and size != n and d not in batching:
            refuse(eqn, f"it looks for places along axis {d} of {x.aval}, which is cut", _AT)
    for d, names in enumerate(cuts[indices]):
        if names and d not in _batching_of_indices(numbers):
            refuse(eqn, f"the indices, {indices.aval}, are cut", _AT)


_AT = "Say how the result lies, as in x.at[i].get(out_sharding=P(...)), or use jax.reshard."


def _batching_of_indices(numbers: Any) -> Sequence[int]:
    name = "start_indices_batching_dims"
    return getattr(numbers, name, None) or getattr(numbers, "scatter_indices_batching_dims", ())


def _gather(eqn: JaxprEqn, cuts: Cuts) -> list[Cut]:
    _whole_where_indexed(eqn, cuts, eqn.params["slice_sizes"])
    return _keeping(eqn, cuts)


def _scatter(eqn: JaxprEqn, cuts: Cuts) -> list[Cut]:
    """As the operand is; updates are cut as it is, or whole."""
    x, _, updates = eqn.invars
    found = letters_of(eqn)
    assert found is not None
    of_operand, _, of_updates = found.operands
    sizes = {axes: n for axes, n in zip(of_updates, updates.aval.shape, strict=True)}
    _whole_where_indexed(eqn, cuts, [sizes.get(axes, 1) for axes in of_operand])
    for axes, names in zip(of_updates, cuts[updates], strict=True):
        of_x = cuts[x][of_operand.index(axes)] if axes in of_operand else ()
        if names and names != of_x:
            raise ValueError(
                f"{eqn.primitive} got updates {updates.aval} for {x.aval}, which is "
                f"{_named(of_x)} along the same axis. Use jax.reshard to make them alike."
            )
    return [cuts[x]]


rules[gather_p] = _gather
rules |= dict.fromkeys(
    [scatter_p, scatter_add_p, scatter_max_p, scatter_min_p, scatter_mul_p, scatter_sub_p], _scatter
)

# Other shapes: an axis is split, or axes are joined, never both.


def _reshape(eqn: JaxprEqn, cuts: Cuts) -> list[Cut]:
    (x,), (v,) = eqn.invars, eqn.outvars
    old, new = x.aval.shape, v.aval.shape
    out: list[Names] = [()] * len(new)
    for ours, theirs in _groups(old, new):
        names = [cuts[x][d] for d in ours]
        if len(theirs) == 1 and (None not in names) and _come_first(names):
            out[theirs[0]] = sum(names, ())
        elif len(ours) == 1 and (parts := _spread(names[0], [new[d] for d in theirs], cuts)):
            for d, taken in zip(theirs, parts, strict=True):
                out[d] = taken
        elif any(names):
            sizes = [tuple(shape[d] for d in axes) for shape, axes in ((old, ours), (new, theirs))]
            refuse(eqn, f"axes of sizes {sizes[0]}, cut so, can't become such of {sizes[1]}", SAY)
    return [tuple(out)]


def _groups(old: Sequence[int], new: Sequence[int]) -> list[tuple[list[int], list[int]]]:
    """Axes of the one shape and those that they become: the least groups of as many elements."""
    groups: list[tuple[list[int], list[int]]] = []
    olds, news = ([d for d, n in enumerate(shape) if n != 1] for shape in (old, new))
    while olds and news:
        ours, theirs = [olds.pop(0)], [news.pop(0)]
        n, m = old[ours[0]], new[theirs[0]]
        while n != m and (olds if n < m else news):
            if n < m:
                ours.append(olds.pop(0))
                n *= old[ours[-1]]
            else:
                theirs.append(news.pop(0))
                m *= new[theirs[-1]]
        groups.append((ours, theirs))
    return groups


def _come_first(names: Sequence[Names]) -> bool:
    """Whether no axis that is cut stands behind one that is whole."""
    return all(names[: sum(map(bool, names))])


def _spread(names: Names, sizes: Sequence[int], cuts: Cuts) -> list[Names] | None:
    """An axis's names for the axes into which it is split: an outer one takes all, or as many as it
    has places for. None where that leaves some."""
    out: list[Names] = []
    for n in sizes:
        taken = names
        while taken and n % cuts.parts(taken):
            taken = taken[:-1]
        names = names[len(taken) :]
        if names and cuts.parts(taken) != n:
            return None
        out.append(taken)
    return out


rules[reshape_p] = _reshape
