"""Products of matrices, convolutions, Fourier transforms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from minijax.compiler.stablehlo.elementwise_operations import Outs, is_complex, pair, part
from minijax.compiler.stablehlo.operation_rules import rule
from minijax.compiler.stablehlo.tensor_types import (
    BOOL, FLOAT32, INT32, TensorType, integers, integers_nested,
)
from minijax.compiler.stablehlo.text_builder import Builder, Value
from minijax.core.dtypes import is_narrow
from minijax.core.primitives import product_dtype, remaining

# Of matrices.


@rule("dot_general")
def _dot_general(
    b: Builder, outs: Outs, x: Value, y: Value, *, dimension_numbers: tuple,
    preferred_element_type: Any, precision: Any = None,
) -> Value:  # fmt: skip
    """Operands of one dtype are converted after the product, where that is more precise; others to
    begin with. Narrow floats are added up as float32."""
    [out] = outs
    wide = product_dtype(x.dtype, out.dtype) if x.dtype == y.dtype else out.dtype
    wide = FLOAT32 if is_narrow(wide) else INT32 if wide == BOOL else wide
    found = product(b, b.convert(x, wide), b.convert(y, wide), dimension_numbers, precision)
    if out.dtype == BOOL:
        return b.compare("NE", found, b.full_like(found, 0))
    return b.convert(found, out.dtype)


def product(
    b: Builder, x: Value, y: Value, dimension_numbers: tuple, precision: Any = None
) -> Value:
    """That of two operands of one dtype."""
    (x_contract, y_contract), (x_batch, y_batch) = dimension_numbers
    shape = [x.shape[d] for d in x_batch]
    shape += [x.shape[d] for d in remaining(x.ndim, x_contract, x_batch)]
    shape += [y.shape[d] for d in remaining(y.ndim, y_contract, y_batch)]
    batch = f"batching_dims = {integers(x_batch)} x {integers(y_batch)}, " if x_batch else ""
    attributes = f", {batch}contracting_dims = {integers(x_contract)} x {integers(y_contract)}"
    attributes += f", precision = [{', '.join(precisions(precision))}]"
    return b.shaped("dot_general", x, y, out=x.type.shaped(shape), attributes=attributes)


def precisions(precision: Any) -> tuple[str, str]:
    """The words for the operands' precisions. An algorithm is for machines with matrix units."""
    if not isinstance(precision, tuple) or len(precision) != 2:
        precision = (precision, precision)
    names = [getattr(p, "name", "DEFAULT") for p in precision]
    first, second = (name if name in ("HIGH", "HIGHEST") else "DEFAULT" for name in names)
    return first, second


@rule("ragged_dot_general")
def _ragged_dot_general(
    b: Builder, outs: Outs, x: Value, y: Value, sizes: Value, *, ragged_dot_dimension_numbers: Any,
    precision: Any, preferred_element_type: Any, group_offset: None, out_sharding: Any = None,
) -> Value:  # fmt: skip
    """A product for each group, of the rows of lhs that are in it; the other rows are zeros."""
    [out] = outs
    numbers, [ragged], group = ragged_dot_dimension_numbers
    (x_contract, y_contract), (x_batch, y_batch) = numbers
    wide = product_dtype(x.dtype, out.dtype) if x.dtype == y.dtype else out.dtype
    wide = FLOAT32 if is_narrow(wide) else INT32 if wide == BOOL else wide
    x, y, sizes = b.convert(x, wide), b.convert(y, wide), b.convert(sizes, INT32)
    count = sizes.shape[-1]
    plain = numbers
    if group:
        shift = lambda axes: tuple(d - (d > group[0]) for d in axes)  # noqa: E731
        plain = (x_contract, shift(y_contract)), (x_batch, shift(y_batch))
    stops = _running_sums(b, sizes)
    starts = b.op("subtract", stops, sizes)
    found: list[Value] = []
    for g in range(count):
        rows = _rows_of_group(b, x, ragged, x_batch, b.word(starts, g), b.word(stops, g))
        mine = b.select(rows, x, b.full_like(x, 0))
        matrix = y
        if group:
            shape = [n for d, n in enumerate(y.shape) if d != group[0]]
            matrix = b.reshape(b.index(y, group[0], g, g + 1), shape)
        found.append(product(b, mine, matrix, plain, precision))
    if ragged in x_contract:
        parts = [b.reshape(each, (1, *each.shape)) for each in found]
        return b.convert(b.concatenate(parts, 0), out.dtype)
    total = found[0] if found else b.full(out.of(wide), 0)
    for each in found[1:]:
        total = b.op("add", total, each)
    return b.convert(total, out.dtype)


def _running_sums(b: Builder, sizes: Value) -> Value:
    """Where each group stops."""
    axis, step, zero = sizes.ndim - 1, 1, b.constant(0, INT32)
    while step < sizes.shape[axis]:
        edges = [(0, 0, 0)] * axis + [(step, -step, 0)]
        sizes = b.op("add", sizes, b.pad(sizes, zero, edges))
        step *= 2
    return sizes


def _rows_of_group(
    b: Builder, x: Value, ragged: int, x_batch: Sequence[int], start: Value, stop: Value
) -> Value:
    """Which elements of x are in a group; where sizes have an axis, it is the first batch axis."""
    index = b.iota(x.type.of(INT32), ragged)
    dims = x_batch[: start.ndim]
    start, stop = (b.broadcast(z, x.shape, dims) for z in (start, stop))
    return b.op("and", b.compare("GE", index, start), b.compare("LT", index, stop))


@rule("symmetric_product")
def _symmetric_product(
    b: Builder, outs: Outs, a: Value, c: Value, *, alpha: float, beta: float
) -> Value:
    batch = tuple(range(a.ndim - 2))
    last = (a.ndim - 1,)
    found = product(b, a, a, ((last, last), (batch, batch)))
    scaled = (b.op("multiply", b.full_like(z, k), z) for z, k in ((found, alpha), (c, beta)))
    return b.op("add", *scaled)


# Convolutions.


@rule("conv_general_dilated")
def _convolution(
    b: Builder, outs: Outs, x: Value, y: Value, *, window_strides: tuple, padding: tuple,
    lhs_dilation: tuple, rhs_dilation: tuple, dimension_numbers: Any, feature_group_count: int,
    batch_group_count: int, precision: Any, preferred_element_type: Any,
) -> Value:  # fmt: skip
    """Of complex numbers, four of their parts."""
    [out] = outs
    wide = FLOAT32 if is_narrow(out.dtype) else out.dtype
    numbers = _conv_numbers(dimension_numbers)
    lists = {"stride": window_strides, "lhs_dilate": lhs_dilation, "rhs_dilate": rhs_dilation}
    window = ", ".join(f"{name} = {integers(values)}" for name, values in lists.items())
    window += f", pad = {integers_nested(padding)}"
    attributes = (
        f"batch_group_count = {batch_group_count} : i64, "
        f"feature_group_count = {feature_group_count} : i64, precision_config = "
        f"[{', '.join(f'#stablehlo<precision {name}>' for name in precisions(precision))}]"
    )

    def of_reals(x: Value, y: Value) -> Value:
        type_ = TensorType(out.shape, x.dtype)
        return b.put(
            f"stablehlo.convolution({x.name}, {y.name}) dim_numbers = {numbers}, "
            f"window = {{{window}}} {{{attributes}}} : ({x.type}, {y.type}) -> {type_}", type_,
        )  # fmt: skip

    x, y = b.convert(x, wide), b.convert(y, wide)
    found = of_complex(b, of_reals, x, y) if is_complex(x) else of_reals(x, y)
    return b.convert(found, out.dtype)


def of_complex(b: Builder, of_reals: Callable, x: Value, y: Value) -> Value:
    """(a + bi) (c + di), for any product."""
    (x_real, x_imag), (y_real, y_imag) = (
        [part(b, name, z) for name in ("real", "imag")] for z in (x, y)
    )
    real = b.op("subtract", of_reals(x_real, y_real), of_reals(x_imag, y_imag))
    imag = b.op("add", of_reals(x_real, y_imag), of_reals(x_imag, y_real))
    return pair(b, real, imag)


def _conv_numbers(numbers: Any) -> str:
    """[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]"""

    def named(spec: Sequence[int], letters: str) -> str:
        names = dict(zip(spec, [*letters, *range(len(spec) - 2)], strict=True))
        return f"[{', '.join(str(names[d]) for d in range(len(spec)))}]"

    lhs, rhs, out = numbers
    return f"{named(lhs, 'bf')}x{named(rhs, 'oi')}->{named(out, 'bf')}"


# Fourier transforms.


@rule("fft")
def _fft(b: Builder, outs: Outs, x: Value, *, fft_type: Any, fft_lengths: tuple) -> Value:
    if 0 in x.shape or 0 in outs[0].shape:
        return b.full(outs[0], 0)
    name = ("FFT", "IFFT", "RFFT", "IRFFT")[int(getattr(fft_type, "value", fft_type))]
    attributes = f", type =  {name}, length = {integers(fft_lengths)}"
    return b.shaped("fft", x, out=outs[0], attributes=attributes)

