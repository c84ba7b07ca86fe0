"""Types that say along which axes of a mesh a value varies: `f32[2,1]{V:(x,y)}`.

Inside of a `shard_map` each device computes with its own values. What all devices along an axis
have alike does not vary along it; what may differ does. `psum` over an axis ends the variation,
`pvary` begins it. The transpose of the one is the other, so a gradient is right only where each
stands where it belongs: types say where that is.

Devices may also have the terms of a sum that nobody has added up yet: `f32[2]{U:x}` is an unreduced
sum along x. Its cotangent is what all have alike, and it is told apart from other such values: it
is a reduced array, `f32[2]{R:x}`, and a reduced array's cotangent is an unreduced sum.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from minijax.core.dtypes import float0
from minijax.core.extend import Primitive, ShapedArray, primitive_batchers, trace_ctx, typeof
from minijax.core.printing import programs_in_params
from minijax.core.tracing import interned
from minijax.face.lazily import call_lazily

# The types.


class ManualAxisType(NamedTuple):
    """Along which axes of a mesh values vary, are terms of a sum, and are reduced."""

    varying: frozenset
    unreduced: frozenset = frozenset()
    reduced: frozenset = frozenset()

    def state(self, axis: Any) -> str:
        """What values are along an axis."""
        named = zip(self._fields, self, strict=True)
        return next((state for state, axes in named if axis in axes), "invarying")

    def along(self, axes: Any, state: str) -> ManualAxisType:
        """What is said where values are in this state along these axes."""
        named = zip(self._fields, self, strict=True)
        return ManualAxisType(*(
            own.union(axes) if name == state else own.difference(axes) for name, own in named
        ))  # fmt: skip


NOTHING_SAID = ManualAxisType(frozenset())


class PlacedArray(ShapedArray):
    """The type of an array of which something is said along an axis of a mesh.

    `names` has all of the mesh's axes, in its order, and `vma` those along which it varies;
    `unreduced` those along which it is a term, and `reduced` those along which its cotangents are.

    >>> PlacedArray((2, 1), "float32", vma=("y", "x"), names=("x", "y"))
    ShapedArray(float32[2,1]{V:(x,y)})
    >>> PlacedArray((2, 1), "float32", vma=("y",), unreduced=("x",), names=("x", "y"))
    ShapedArray(float32[2,1]{V:y, U:x})
    """

    __slots__ = ("said", "names")
    said: ManualAxisType
    names: tuple

    def __new__(
        cls, shape: Sequence[int], dtype: Any, weak_type: bool = False, *, vma: Any = (),
        names: tuple, unreduced: Any = (), reduced: Any = (),
    ) -> Any:  # fmt: skip
        plain = ShapedArray(shape, dtype, weak_type)
        said = ManualAxisType(*map(frozenset, (vma, unreduced, reduced)))
        if said == NOTHING_SAID or plain.dtype == float0:
            return plain
        aval = object.__new__(cls)
        aval.shape, aval.dtype, aval.weak_type = plain.shape, plain.dtype, plain.weak_type
        aval.said, aval.names = said, names
        return interned(aval, said, names)

    vma = property(lambda self: self.said.varying)  # type: ignore[assignment]
    unreduced = property(lambda self: self.said.unreduced)
    reduced = property(lambda self: self.said.reduced)

    @property
    def _fields(self) -> dict[str, Any]:
        return {
            "shape": self.shape, "dtype": self.dtype, "weak_type": self.weak_type, "vma": self.vma,
            "unreduced": self.unreduced, "reduced": self.reduced, "names": self.names,
        }  # fmt: skip

    def update(self, **changes: Any) -> Any:
        return PlacedArray(**{**self._fields, **changes})

    def placed(self, x: Any) -> Any:
        if self.unreduced or self.reduced:
            x = _said_of_sums(x, self.said)
        return pvary(x, tuple(self.vma - vma_of(typeof(x))))

    def to_ct_aval(self) -> Any:
        return self.update(unreduced=self.reduced, reduced=self.unreduced)

    def str_short(self, short_dtypes: bool = False) -> str:
        return super().str_short(short_dtypes) + text_of_said("VUR", self.said, self.names)

    def __reduce__(self) -> tuple:
        return _unpickled, (self._fields,)


_said_of_sums = call_lazily("minijax.lax.collectives.type_changes.said_of_sums")


def _unpickled(fields: dict) -> Any:
    return PlacedArray(**fields)


def text_of_said(letters: str, said: Sequence[frozenset], names: Sequence) -> str:
    """What a type says of axes, each kind of them under its letter; `names` are the mesh's axes.

    >>> text_of_said("UR", [frozenset("yx"), frozenset()], ("x", "y"))
    '{U:(x,y)}'
    """
    kinds = [
        f"{letter}:{listed([name for name in names if name in axes])}"
        for letter, axes in zip(letters, said, strict=True) if axes
    ]  # fmt: skip
    return f"{{{', '.join(kinds)}}}" if kinds else ""


def listed(names: Sequence) -> str:
    return str(names[0]) if len(names) == 1 else f"({','.join(map(str, names))})"


def said_of(aval: Any) -> ManualAxisType:
    """What a type says of the axes of a mesh."""
    return aval.said if type(aval) is PlacedArray else NOTHING_SAID


ShapedArray.mat = ShapedArray.manual_axis_type = property(  # type: ignore[attr-defined]
    said_of, doc="Along which axes of a mesh it varies, and is a term of a sum, or reduced."
)


def vma_of(aval: Any) -> frozenset:
    """The axes along which values of a type vary."""
    return said_of(aval).varying


def with_said(aval: Any, said: ManualAxisType, names: tuple) -> Any:
    """The type, of which this is said along the axes of a mesh, which are `names`."""
    if not isinstance(aval, ShapedArray):
        return aval
    vma, unreduced, reduced = said
    return PlacedArray(
        aval.shape, aval.dtype, aval.weak_type, vma=vma, unreduced=unreduced, reduced=reduced,
        names=names,
    )  # fmt: skip


def with_vma(aval: Any, vma: Any, names: tuple) -> Any:
    """The type, varying along these axes of a mesh whose axes are `names`, and no others."""
    return with_said(aval, said_of(aval)._replace(varying=frozenset(vma)), names)


def without_vma(aval: Any) -> Any:
    """The type, as programs know it that know of no devices."""
    return with_said(aval, NOTHING_SAID, ())


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
            varying_like(x, aval, joined)
            if isinstance(aval, ShapedArray) and aval.vma != joined else x
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
    said, names = ManualAxisType(frozenset().union(*map(vma_of, placed))), placed[0].names
    if any(aval.unreduced or aval.reduced for aval in placed):
        said = said._replace(**_sums_of_result(primitive, avals))
    if primitive.multiple_results:
        return [with_said(aval, said, names) for aval in out]
    return with_said(out, said, names)


_sums_of_result = call_lazily("minijax.lax.sharding.explicit_sums.sums_of_result")


# Casts: only types change.

casts: set[Primitive] = set()


def cast_of_types(name: str, state: str) -> Primitive:
    """A primitive by whose types values are in a state along `axes`."""
    primitive = Primitive(name)
    primitive.says_what_varies = True
    casts.add(primitive)

    @primitive.def_abstract_eval
    def type_rule(x: ShapedArray, *, axes: tuple) -> ShapedArray:
        context = trace_ctx.manual
        names = x.names if isinstance(x, PlacedArray) else context.names if context else axes
        return with_said(x, said_of(x).along(axes, state), names)

    primitive.def_impl(lambda x, *, axes: x)
    primitive_batchers[primitive] = lambda args, dims, *, axes: (
        primitive.bind(*args, axes=axes), dims[0]
    )  # fmt: skip
    return primitive


pvary_p = cast_of_types("pvary", "varying")


def state_of(fun_name: str, aval: Any, axes: Sequence) -> str:
    """What values of a type are along axes. ValueError where it is not the same along all."""
    states = {said_of(aval).state(axis) for axis in axes}
    if len(states) > 1:
        raise ValueError(
            f"{fun_name} got a value of type {aval}, which along {', '.join(map(str, axes))} is "
            f"{' and '.join(sorted(states))}. Name axes along which it is one of these."
        )
    return states.pop()


def check_no_sums(fun_name: str, aval: Any, axes: Any) -> None:
    """ValueError for an unreduced sum, or a reduced array, along some of the axes."""
    said = said_of(aval)
    if along := (said.unreduced | said.reduced).intersection(axes):
        raise ValueError(
            f"{fun_name} got {aval}, which is unreduced or reduced along "
            f"{', '.join(sorted(map(str, along)))}. Use lax.psum, or lax.pcast(x, axis_name, "
            f"to='varying'), first."
        )


def pvary(x: Any, axes: Any) -> Any:
    """x as a value that varies along some mesh axes, too."""
    context = trace_ctx.manual
    if context is None or not context.checked:
        return x
    new = context.varies(axes) - vma_of(typeof(x))
    check_no_sums("pvary", typeof(x), new)
    return pvary_p.bind(x, axes=in_order(new)) if new else x


def varying_like(x: Any, aval: Any, joined: frozenset) -> Any:
    """An operand, of this type, as a value that varies along all of these axes."""
    said = said_of(aval)
    if said.reduced and said.reduced == joined - said.varying:
        return _pcast(x, in_order(said.reduced), to="varying")
    return pvary(x, tuple(joined))


_pcast = call_lazily("minijax.lax.collectives.type_changes.pcast")


def in_order(axes: Any) -> tuple:
    """Axes in their mesh's order."""
    return tuple(name for name in trace_ctx.manual.names if name in axes)

