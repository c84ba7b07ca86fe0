"""Windows inside of compiled loops: reduced, row after row of the result; or searched.

A place in a window is an element only for some windows: along each axis for those in a row, since
the operand has two ends. So the loops run over what is there, and nothing is padded.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from typing import Any, NamedTuple

import numpy as np

from minijax.compiler.kernel_functions import unknown_functions
from minijax.compiler.kernels.elements import KERNEL_DTYPES, literal_text, typed_template
from minijax.compiler.kernels.row_major import row_major
from minijax.compiler.lowerings import lowerings
from minijax.core.staging import JaxprEqn
from minijax.core.tracing import Primitive
from minijax.lax.kernel_parts import Part, position
from minijax.lax.windows.window_shapes import Windows


class WindowAxis(NamedTuple):
    """One axis: its counters are i{d}, over the windows, and k{d}, over the places in one."""

    d: int
    size: int  # of the operand
    count: int  # of windows
    window: int
    stride: int
    dilation: int
    low: int
    high: int
    step: int  # from one element to the next
    out_step: int  # from one result to the next

    @property
    def is_trivial(self) -> bool:
        """Whether each window is one element, and each element has a window."""
        return self.window == self.stride == 1 and not self.low and not self.high

    @property
    def may_miss(self) -> bool:
        """Whether a window may see what is no element."""
        return self.low > 0 or self.high > 0

    @property
    def turns(self) -> str:
        """The range of k that are elements, in the window i."""
        if not self.may_miss:
            return str(self.window)
        begin = f"(i{self.d} * {self.stride} - {self.low})"
        last = f"({self.size - 1} - {begin}) // {self.dilation}"
        return f"max(0, -({begin} // {self.dilation})), min({self.window}, {last} + 1)"


def window_axes(shape: Sequence[int], windows: Windows) -> list[WindowAxis]:
    counts = windows.counts(shape)
    steps, out_steps = row_major(shape), row_major(counts)
    return [
        WindowAxis(
            d, n, counts[d], windows.window_dimensions[d], windows.window_strides[d],
            windows.window_dilation[d], *windows.padding[d], steps[d], out_steps[d],
        )
        for d, n in enumerate(shape)
    ]  # fmt: skip


@contextmanager
def over_windows(part: Part, axes: Sequence[WindowAxis], is_split: bool) -> Iterator[None]:
    counters = [(f"i{axis.d}", axis.count) for axis in axes]
    with part.loops(*counters, is_split=is_split and bool(counters)):
        yield


@contextmanager
def over_places(part: Part, axes: Sequence[WindowAxis]) -> Iterator[None]:
    """Loops over the elements that the window sees, in their order."""
    with ExitStack() as opened:
        for axis in axes:
            if axis.window > 1 or axis.may_miss:
                opened.enter_context(part.block(f"for k{axis.d} in range({axis.turns}):"))
            else:
                part.emit(f"k{axis.d} = 0")
        yield


def element(axes: Sequence[WindowAxis]) -> str:
    """Where in the operand the element at the places k of the windows i is."""
    terms = [
        term for axis in axes
        for term in [(f"i{axis.d}", axis.stride * axis.step),
                     (f"k{axis.d}", axis.dilation * axis.step)]
    ]  # fmt: skip
    start = -sum(axis.low * axis.step for axis in axes)
    return position(start or 0, terms)


def result(axes: Sequence[WindowAxis]) -> str:
    return position(0, [(f"i{axis.d}", axis.out_step) for axis in axes])


# Reduced: a row of the result takes in one row of the operand after the other.


def reduce_window_part(eqn: JaxprEqn, combine: Primitive, neutral: Callable) -> Any:
    """`combine` has the template; the result of nothing is `neutral(dtype)`."""
    [x], [out], windows = eqn.invars, eqn.outvars, Windows(**eqn.params)
    dtype = x.aval.dtype
    template = dtype in KERNEL_DTYPES and typed_template(
        lowerings[combine].template, [dtype, dtype], dtype
    )
    if not template or unknown_functions(template) or max(windows.base_dilation, default=1) > 1:
        return None
    part, axes = Part(eqn), window_axes(x.aval.shape, windows)
    if not out.aval.size:
        return part.finished()
    array, start = part.array(x), literal_text(np.array(neutral(dtype), dtype))
    outer, row, unit = row_of(axes)
    length = unit * (row.count if row else 1)
    with over_windows(part, outer, is_split=True):
        part.emit(f"p = {result(outer)}", f"y = y0[p:p + {length}]")
        with part.loops(("j", length)):
            part.emit(f"y[j] = {start}")
        with over_places(part, outer):
            part.emit(f"q = {element(outer)}")
            place = f"b + j * {row.stride}" if row and unit == 1 else "b + j"
            total = template.format("y[a + j]", f"{array}[{place}]")
            with row_turns(part, row, unit):
                part.emit(f"y[a + j] = {total}")
    return part.finished(out.aval.size * math.prod(windows.window_dimensions))


def row_of(axes: Sequence[WindowAxis]) -> tuple[list[WindowAxis], WindowAxis | None, int]:
    """The axes of the outer loops, that along which rows lie, and how many numbers each of its
    windows gives.

    The last axes are one number if no window joins theirs. If windows of that axis lie side by
    side, they are a row together with these; else these numbers are the rows, if there are some.
    """
    last = max((axis.d for axis in axes if not axis.is_trivial), default=-1)
    unit = math.prod(axis.count for axis in axes[last + 1 :])
    if last < 0:
        return [], None, unit
    if axes[last].stride == 1 or unit == 1:
        return list(axes[:last]), axes[last], unit
    return list(axes[: last + 1]), None, unit


@contextmanager
def row_turns(part: Part, row: WindowAxis | None, unit: int) -> Iterator[None]:
    """Loops over the row's windows that see an element at a place: a is the first one in the row,
    b where its element is."""
    if row is None:
        part.emit("a = 0", "b = q", f"n = {unit}")
        with part.block("for j in range(n):"):
            yield
        return
    with part.block(f"for k{row.d} in range({row.window}):"):
        at = f"k{row.d} * {row.dilation} - {row.low}"
        if row.may_miss:
            part.emit(f"e = {at}", f"f = max(0, -(e // {row.stride}))")
            part.emit(f"n = min({row.count}, ({row.size - 1} - e) // {row.stride} + 1) - f")
        else:
            part.emit(f"e = {at}", "f = 0", f"n = {row.count}")
        part.emit(f"a = f * {unit}", f"b = q + (e + f * {row.stride}) * {unit}", f"n = n * {unit}")
        with part.block("for j in range(n):"):  # (written as a number, it would be a short loop)
            yield


# Searched: place after place, and what is seen beyond the operand counts as an element.


def _is_inside(axes: Sequence[WindowAxis]) -> str:
    """Whether the place is an element, of windows that may miss."""
    tests = []
    for axis in axes:
        if axis.may_miss:
            at = f"i{axis.d} * {axis.stride} + k{axis.d} * {axis.dilation} - {axis.low}"
            tests.append(f"({at} >= 0) & ({at} < {axis.size})")
    return " & ".join(tests)


def _keeps(select_prim: Primitive, dtype: np.dtype) -> str | None:
    """Whether the number `a` stays chosen over `b`."""
    template = typed_template(lowerings[select_prim].template, [dtype, dtype], np.dtype(bool))
    return template and template.format("a", "b")


def gather_part(eqn: JaxprEqn, beyond: Callable) -> Any:
    """`c` is the tangent of the number chosen so far, which is none to begin with."""
    (tangents, x), [out], params = eqn.invars, eqn.outvars, dict(eqn.params)
    select_prim, dtype = params.pop("select_prim"), x.aval.dtype
    windows, keeps = Windows(**params), _keeps(select_prim, dtype)
    if dtype not in KERNEL_DTYPES or not keeps or max(windows.base_dilation, default=1) > 1:
        return None
    part, axes = Part(eqn), window_axes(x.aval.shape, windows)
    if not out.aval.size:
        return part.finished()
    changes, array = part.array(tangents), part.array(x)
    with over_windows(part, axes, is_split=True):
        part.emit(f"a = {literal_text(np.array(beyond(select_prim, dtype), dtype))}")
        part.emit(f"c = {literal_text(np.zeros((), dtype))}")
        with over_places(part, axes):
            part.emit(f"q = {element(axes)}", f"b = {array}[q]")
            with part.block(f"if not ({keeps}):"):
                part.emit("a = b", f"c = {changes}[q]")
        part.emit(f"y0[{result(axes)}] = c")
    return part.finished(out.aval.size * math.prod(windows.window_dimensions))


def scatter_part(eqn: JaxprEqn, windows: Windows, beyond: Callable) -> Any:
    """`n` is where the number chosen so far stands, -1 where it is beyond the operand."""
    (source, x), select_prim = eqn.invars, eqn.params["select_prim"]
    dtype = x.aval.dtype
    keeps = _keeps(select_prim, dtype)
    if dtype not in KERNEL_DTYPES or dtype == np.bool_ or not keeps:
        return None
    part, axes = Part(eqn), window_axes(x.aval.shape, windows)
    outside, inside = literal_text(np.array(beyond(select_prim, dtype), dtype)), _is_inside(axes)
    changes, array = part.array(source), part.array(x)
    apart = axes[:1] if axes and axes[0].is_trivial else []  # whose turns write to places apart
    zero = literal_text(np.zeros((), dtype))
    total = typed_template("{0} + {1}", [dtype, dtype], dtype)
    everywhere = [axis._replace(low=0, high=0) for axis in axes]
    with over_windows(part, apart, is_split=True):
        begin = position(0, [(f"i{axis.d}", axis.step) for axis in apart])
        with part.loops(("j", apart[0].step if apart else x.aval.size)):
            part.emit(f"y0[{begin} + j] = {zero}")
        with over_windows(part, axes[len(apart) :], is_split=False):
            part.emit(f"a = {outside}", "n = -2")
            with over_places(part, everywhere):
                part.emit(f"b = {outside}", "q = -1")
                with part.block(f"if {inside}:") if inside else nullcontext():
                    part.emit(f"q = {element(axes)}", f"b = {array}[q]")
                with part.block(f"if (n == -2) | (not ({keeps})):"):
                    part.emit("a = b", "n = q")
            with part.block("if n >= 0:"):
                part.emit(f"y0[n] = {total.format('y0[n]', f'{changes}[{result(axes)}]')}")
    return part.finished(source.aval.size * math.prod(windows.window_dimensions))
