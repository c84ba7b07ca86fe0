"""Layouts: in which order the elements of an array lie in memory. Here it is always row after row,
so a layout is read, and asked for only where it says that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import ml_dtypes
import numpy as np

from minijax.core.arrays import Array
from minijax.core.dtypes import ExtendedDType, issubdtype
from minijax.core.tracing import ShapedArray, typeof
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.shapes.axes import as_integers
from minijax.lax.sharding.shardings import Sharding


class AutoLayout:
    """What stands for a layout that the compiler chooses."""

    def __repr__(self) -> str:
        return "AUTO"


@dataclass(frozen=True)
class Layout:
    """The order of an array's axes in memory: `major_to_minor` begins with the one whose neighbours
    lie farthest apart. `Layout.AUTO` leaves it to the compiler. TypeError for axes that are no
    integers.

    >>> Layout((0, 1)).update(tiling=())
    Layout(major_to_minor=(0, 1), tiling=(), sub_byte_element_size_in_bits=0)
    """

    major_to_minor: Sequence[int]
    tiling: Sequence[Sequence[int]] | None = None
    sub_byte_element_size_in_bits: int = 0
    AUTO: ClassVar[AutoLayout] = AutoLayout()

    def __post_init__(self) -> None:
        order = as_integers("Layout", "major_to_minor", self.major_to_minor)
        tiling = self.tiling
        if tiling is not None:
            tiling = tuple(as_integers("Layout", "tiling", tile) for tile in tiling)
        vars(self).update(major_to_minor=order, tiling=tiling)

    def update(self, **changes: Any) -> Layout:
        """The same layout but for what is named."""
        return replace(self, **changes)


@dataclass(frozen=True)
class Format:
    """How an array lies in memory, and on which devices: a Layout or `Layout.AUTO`, and a sharding,
    or None for what is not said. TypeError for anything else, ValueError for a Layout alone.

    >>> Format(Layout.AUTO)
    Format(layout=AUTO, sharding=None)
    """

    layout: Layout | AutoLayout | None = None
    sharding: Sharding | None = None

    def __post_init__(self) -> None:
        if isinstance(self.layout, Layout) and self.sharding is None:
            raise ValueError(
                "Format got a layout and no sharding. Give that too, such as x.sharding."
            )
        kinds = ("layout", Layout | AutoLayout | None), ("sharding", Sharding | None)
        for name, kind in kinds:
            x = getattr(self, name)
            if not isinstance(x, kind):
                raise TypeError(f"Format takes a {name.capitalize()} or None as its {name}, and "
                                f"got {shown(x)}. Give one of these.")  # fmt: skip


def format_of(aval: ShapedArray, sharding: Sharding) -> Format:
    """How a compiled program takes or returns an array: a key as its words, and numbers of fewer
    than 8 bits with their size."""
    if isinstance(aval.dtype, ExtendedDType):
        return Format(Layout(range(aval.ndim + 1), ()), sharding)
    info = ml_dtypes.iinfo if issubdtype(aval.dtype, np.integer) else ml_dtypes.finfo
    bits = 8 if aval.dtype == np.bool_ else info(aval.dtype).bits
    return Format(Layout(range(aval.ndim), (), bits if bits < 8 else 0), sharding)


def format_of_array(x: Array) -> Format:
    """How the array lies in memory, in no way where it was deleted, and on which devices.
    AttributeError for keys."""
    if isinstance(x.dtype, ExtendedDType):
        raise AttributeError(f"x.format: {x.aval} holds no numbers. Give random.key_data(x).")
    return Format(None if x.is_deleted() else Layout(range(x.ndim), ()), x.sharding)


def check_layout(fun_name: str, layout: Layout, ndim: int) -> None:
    """ValueError for a layout of another number of axes, or that names one twice."""
    if sorted(layout.major_to_minor) != list(range(ndim)):
        raise ValueError(
            f"{fun_name} got a layout of the axes {layout.major_to_minor}, and the array has "
            f"{ndim} axes. Give each of these once."
        )


def without_layout(fun_name: str, given: Any, ndim: int) -> Any:
    """The sharding, or None, of a Format for an array of `ndim` axes; anything else as it is.

    ValueError for a layout that stands for itself, or is of other axes; NotImplementedError for
    one that is not row after row.
    """
    check_no_bare_layout(fun_name, given)
    if not isinstance(given, Format):
        return given
    layout = given.layout
    if isinstance(layout, Layout):
        check_layout(fun_name, layout, ndim)
        if layout.major_to_minor != tuple(range(ndim)) or layout.tiling:
            tiles = f" in tiles of {layout.tiling}" if layout.tiling else ""
            raise NotImplementedError(
                f"{fun_name} got a layout of the axes {layout.major_to_minor}{tiles}, and arrays "
                f"lie row after row here. Leave the layout out: Format(None, sharding)."
            )
    return given.sharding


def place_of_format(fun_name: str, given: Format, x: Any) -> Sharding | None:
    """The same for an array that is put somewhere: ValueError where nobody has chosen a layout."""
    if isinstance(given.layout, AutoLayout):
        raise ValueError(
            f"{fun_name} got {given}, and only jit can choose a layout. Leave it out: "
            f"Format(None, sharding)."
        )
    return without_layout(fun_name, given, typeof(x).ndim)


def check_no_bare_layout(fun_name: str, given: Any) -> None:
    """ValueError for a layout where a Format is to stand."""
    if isinstance(given, Layout | AutoLayout):
        raise ValueError(
            f"{fun_name} takes a Format, and got {given}. Make it one: Format(layout, sharding)."
        )
