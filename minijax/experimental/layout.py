"""How arrays lie in memory, under the names of `jax.experimental.layout`. Here all lie one way: row
after row. So this is for reading, from `Compiled.input_formats` and `output_formats`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import ml_dtypes
import numpy as np

from minijax.core.dtypes import ExtendedDType, issubdtype
from minijax.core.tracing import ShapedArray
from minijax.face.boundaries import guard
from minijax.face.planned import missing_names, shown_names
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.shapes.axes import as_integers
from minijax.sharding import SingleDeviceSharding

__all__ = ["Format", "Layout"]
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)


@dataclass(frozen=True)
class Layout:
    """The order of an array's axes in memory: `major_to_minor` begins with the one whose neighbours
    lie farthest apart. TypeError for axes that are no integers.

    >>> Layout((0, 1)).update(tiling=())
    Layout(major_to_minor=(0, 1), tiling=(), sub_byte_element_size_in_bits=0)
    """

    major_to_minor: Sequence[int]
    tiling: Sequence[Sequence[int]] | None = None
    sub_byte_element_size_in_bits: int = 0

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
    """How an array lies in memory, and on which device: a Layout and a sharding, or None for what
    is not said. TypeError for anything else, ValueError for a layout alone.

    >>> Format()
    Format(layout=None, sharding=None)
    """

    layout: Layout | None = None
    sharding: SingleDeviceSharding | None = None

    def __post_init__(self) -> None:
        if isinstance(self.layout, Layout) and self.sharding is None:
            raise ValueError(
                "Format got a layout and no sharding. Give that too, such as x.sharding."
            )
        for name, kind in (("layout", Layout), ("sharding", SingleDeviceSharding)):
            x = getattr(self, name)
            if x is not None and not isinstance(x, kind):
                raise TypeError(f"Format takes a {kind.__name__} or None as its {name}, and got "
                                f"{shown(x)}. Give one of these.")  # fmt: skip


def format_of(aval: ShapedArray, sharding: SingleDeviceSharding) -> Format:
    """How a compiled program takes or returns an array: a key as its words, and numbers of fewer
    than 8 bits with their size."""
    if isinstance(aval.dtype, ExtendedDType):
        return Format(Layout(range(aval.ndim + 1), ()), sharding)
    info = ml_dtypes.iinfo if issubdtype(aval.dtype, np.integer) else ml_dtypes.finfo
    bits = 8 if aval.dtype == np.bool_ else info(aval.dtype).bits
    return Format(Layout(range(aval.ndim), (), bits if bits < 8 else 0), sharding)


guard(sys.modules[__name__], Format, Layout)
