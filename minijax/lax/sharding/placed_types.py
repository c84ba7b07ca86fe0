"""Types that say along which axes of a mesh a value varies: `f32[2,1]{V:(x,y)}`.

Inside of a `shard_map` each device computes with its own values. What all devices along an axis
have alike does not vary along it; what may differ does. `psum` over an axis ends the variation,
`pvary` begins it. The transpose of the one is the other, so a gradient is right only where each
stands where it belongs: types say where that is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from minijax.core.dtypes import float0
from minijax.core.extend import Primitive, ShapedArray, primitive_batchers, trace_ctx, typeof
from minijax.core.printing import programs_in_params
from minijax.core.tracing import interned

# The types.


class PlacedArray(ShapedArray):
    """The type of an array that varies along some axes of a mesh: never along none.

    `names` has all of the mesh's axes, in its order, and `vma` those along which it varies.

    >>> PlacedArray((2, 1), "float32", vma=("y", "x"), names=("x", "y"))
    ShapedArray(float32[2,1]{V:(x,y)})
    """

    __slots__ = ("varying", "names")
    varying: tuple
    names: tuple

    def __new__(
        cls, shape: Sequence[int], dtype: Any, weak_type: bool = False, *, vma: Any, names: tuple
    ) -> Any:
        plain = ShapedArray(shape, dtype, weak_type)
        varying = tuple(name for name in names if name in vma)
        if not varying or plain.dtype == float0:
            return plain
        aval = object.__new__(cls)
        aval.shape, aval.dtype, aval.weak_type = plain.shape, plain.dtype, plain.weak_type
        aval.varying, aval.names = varying, names
        return interned(aval, varying, names)

    vma = property(lambda self: frozenset(self.varying))  # type: ignore[assignment]

    def update(self, **changes: Any) -> Any:
        old = {"shape": self.shape, "dtype": self.dtype, "weak_type": self.weak_type}
        return PlacedArray(**{**old, "vma": self.varying, "names": self.names, **changes})

    def placed(self, x: Any) -> Any:
        return pvary(x, self.varying)

    def str_short(self, short_dtypes: bool = False) -> str:
        varying = ",".join(map(str, self.varying))
        varying = f"({varying})" if len(self.varying) > 1 else varying
        return f"{super().str_short(short_dtypes)}{{V:{varying}}}"

    def __reduce__(self) -> tuple:
        return _unpickled, (self.shape, self.dtype, self.weak_type, self.varying, self.names)


def _unpickled(shape: tuple, dtype: Any, weak_type: bool, vma: tuple, names: tuple) -> Any:
    return PlacedArray(shape, dtype, weak_type, vma=vma, names=names)


class ManualAxisType(NamedTuple):
    """Along which axes of a mesh values vary; no sum is left to be made here."""

    varying: frozenset
    unreduced: frozenset = frozenset()
    reduced: frozenset = frozenset()


ShapedArray.manual_axis_type = property(  # type: ignore[attr-defined]
    lambda self: ManualAxisType(self.vma), doc="Along which axes of a mesh it varies."
)


def vma_of(aval: Any) -> frozenset:
    """The axes along which values of a type vary."""
    return aval.vma if isinstance(aval, ShapedArray) else frozenset()


def with_vma(aval: Any, vma: Any, names: tuple) -> Any:
    """The type, varying along these axes of a mesh whose axes are `names`, and no others."""
    if not isinstance(aval, ShapedArray):
        return aval
    return PlacedArray(aval.shape, aval.dtype, aval.weak_type, vma=vma, names=names)


def without_vma(aval: Any) -> Any:
    """The type, as programs know it that know of no devices."""
    return with_vma(aval, (), ())


# What runs a body: all devices along the manual axes of a mesh, each on its own.


class Manual(NamedTuple):
    """A mesh, which of its axes are manual, and whether types say what varies."""

    mesh: Any
    axes: tuple
    checked: bool

    names = property(lambda self: self.mesh.axis_names)

    def vary(self, primitive: Primitive, args: Sequence[Any], params: dict) -> Sequence[Any]:
        """The operands, made to vary alike: an operation's all do, or none does."""
        if not self.checked or len(args) < 2 or primitive.name == "reduce":
            return args
        if says_its_own(primitive, params):
            return args
        found = [typeof(x) for x in args]
        joined = frozenset().union(*map(vma_of, found))
        return [
            pvary(x, joined) if isinstance(aval, ShapedArray) and aval.vma != joined else x
            for x, aval in zip(args, found, strict=True)
        ]

    def varies(self, axes: Sequence) -> frozenset:
        """The manual ones among some axes, where types say what varies."""
        return frozenset(axes).intersection(self.axes) if self.checked else frozenset()


@contextmanager
def manual(context: Manual | None, sizes: dict) -> Iterator[None]:
    """What is traced inside is run by many devices, along axes of these names and sizes."""
    outer = trace_ctx.manual, trace_ctx.axis_sizes
    trace_ctx.manual, trace_ctx.axis_sizes = context, {**outer[1], **sizes}
    try:
        yield
    finally:
        trace_ctx.manual, trace_ctx.axis_sizes = outer


# Types of results. A primitive's rule knows nothing of variation: its results vary as its operands
# do. Those that begin or end it say so, and of what carries programs these say it; but for those
# whose program combines two numbers.

_OF_NUMBERS = {"reduce", "scatter", "select_and_scatter", "reduce_window"}


def says_its_own(primitive: Primitive, params: dict) -> bool:
    if primitive.says_what_varies:
        return True
    carries = next(programs_in_params(params), None) is not None
    return carries and primitive.name.partition("-")[0] not in _OF_NUMBERS


def refines_types(rule: Callable) -> Callable:
    """Registers a rule that knows more of types: (primitive, avals, params, out) -> out."""

    def refine(primitive: Any, avals: Any, params: Any, out: Any, effects: Any) -> tuple:
        return rule(primitive, avals, params, out), effects

    Primitive.refinements.append(refine)
    return rule


@refines_types
def _varying(primitive: Primitive, avals: Sequence, params: dict, out: Any) -> Any:
    placed = [aval for aval in avals if type(aval) is PlacedArray]
    if not placed or says_its_own(primitive, params):
        return out
    vma, names = frozenset().union(*(aval.varying for aval in placed)), placed[0].names
    if primitive.multiple_results:
        return [with_vma(aval, vma, names) for aval in out]
    return with_vma(out, vma, names)


# The operation that begins it.

pvary_p = Primitive("pvary")
pvary_p.says_what_varies = True


@pvary_p.def_abstract_eval
def _pvary_rule(x: ShapedArray, *, axes: tuple) -> ShapedArray:
    context = trace_ctx.manual
    names = x.names if isinstance(x, PlacedArray) else context.names if context else axes
    return with_vma(x, vma_of(x).union(axes), names)


@pvary_p.def_impl
def _pvary_impl(x: Any, *, axes: tuple) -> Any:
    """On one device there is nothing to do."""
    return x


def pvary(x: Any, axes: Any) -> Any:
    """x as a value that varies along some mesh axes, too."""
    context = trace_ctx.manual
    if context is None or not context.checked:
        return x
    new = context.varies(axes) - vma_of(typeof(x))
    return pvary_p.bind(x, axes=in_order(new)) if new else x


def in_order(axes: Any) -> tuple:
    """Axes in their mesh's order."""
    return tuple(name for name in trace_ctx.manual.names if name in axes)


primitive_batchers[pvary_p] = lambda args, dims, *, axes: (pvary_p.bind(*args, axes=axes), dims[0])
