"""Operations on elements, as StableHLO has them: a table of names, and short functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from minijax.compiler.stablehlo.operation_rules import rule, rules
from minijax.compiler.stablehlo.tensor_types import BOOL, FLOAT32, TensorType
from minijax.compiler.stablehlo.text_builder import Builder, Value
from minijax.core.dtypes import is_narrow, issubdtype

Outs = Sequence[TensorType]

# One operation for one primitive.

SAME = {
    "add": "add", "add_any": "add", "sub": "subtract", "mul": "multiply", "div": "divide",
    "rem": "remainder", "neg": "negate", "and": "and", "or": "or", "xor": "xor", "not": "not",
    "shift_left": "shift_left", "shift_right_logical": "shift_right_logical",
    "shift_right_arithmetic": "shift_right_arithmetic", "population_count": "popcnt",
    "clz": "count_leading_zeros", "sin": "sine", "cos": "cosine", "tan": "tan", "tanh": "tanh",
    "exp": "exponential", "log": "log", "log1p": "log_plus_one", "expm1": "exponential_minus_one",
    "sqrt": "sqrt", "rsqrt": "rsqrt", "cbrt": "cbrt", "logistic": "logistic", "floor": "floor",
    "ceil": "ceil", "is_finite": "is_finite", "real": "real", "imag": "imag",
    "complex": "complex", "atan2": "atan2", "abs": "abs",
}  # fmt: skip
CHLO = {
    name: name for name in (
        "acos", "acosh", "asin", "asinh", "atan", "atanh", "cosh", "sinh", "digamma", "erf",
        "erf_inv", "erfc", "lgamma", "polygamma", "zeta", "bessel_i1e",
    )
}  # fmt: skip
COMPARISONS = {"eq": "EQ", "ne": "NE", "lt": "LT", "le": "LE", "gt": "GT", "ge": "GE"}
TOTAL_ORDER = {"eq_to": "EQ", "le_to": "LE", "lt_to": "LT"}


def spread(b: Builder, xs: Sequence[Value], shape: Sequence[int]) -> list[Value]:
    """The operands in the shape of the result: scalars, and axes of size 1, are repeated."""
    return [b.broadcast(x, shape, range(x.ndim)) for x in xs]


def _same(name: str, b: Builder, outs: Outs, *xs: Value, **_: Any) -> Value:
    return b.op(name, *spread(b, xs, outs[0].shape), out=outs[0])


def in_float32(b: Builder, xs: Sequence[Value], write: Callable) -> Value:
    """What `write` makes of the operands, for narrow floats rounded once, at the end."""
    dtype = xs[0].dtype
    if not is_narrow(dtype):
        return write(*xs)
    return b.convert(write(*(b.convert(x, FLOAT32) for x in xs)), dtype)


def _chlo(name: str, b: Builder, outs: Outs, *xs: Value, **_: Any) -> Value:
    return in_float32(b, spread(b, xs, outs[0].shape), partial(b.chlo, name))


def _compared(how: str, kind: str, b: Builder, outs: Outs, *xs: Value) -> Value:
    x, y = spread(b, xs, outs[0].shape)
    return b.compare(how, x, y, kind if issubdtype(x.dtype, np.floating) else "")


rules |= {name: partial(_same, operation) for name, operation in SAME.items()}
rules |= {name: partial(_chlo, operation) for name, operation in CHLO.items()}
rules |= {name: partial(_compared, how, "") for name, how in COMPARISONS.items()}
rules |= {name: partial(_compared, how, "TOTALORDER") for name, how in TOTAL_ORDER.items()}


@rule("eq_to")
def _eq_to(b: Builder, outs: Outs, *xs: Value) -> Value:
    """Of complex numbers, both parts."""
    x, y = spread(b, xs, outs[0].shape)
    if not is_complex(x):
        return b.compare("EQ", x, y, "TOTALORDER" if issubdtype(x.dtype, np.floating) else "")
    parts = [b.compare("EQ", part(b, name, x), part(b, name, y), "TOTALORDER")
             for name in ("real", "imag")]  # fmt: skip
    return b.op("and", *parts)


# The same value again.


@rule("copy", "stop_gradient", "name", "random_clone")
def _itself(b: Builder, outs: Outs, x: Value, **_: Any) -> Value:
    return x


@rule("device_put")
def _themselves(b: Builder, outs: Outs, *xs: Value, **_: Any) -> list[Value]:
    return list(xs)


@rule("optimization_barrier")
def _barrier(b: Builder, outs: Outs, *xs: Value) -> list[Value]:
    if not xs:
        return []
    names, types = ", ".join(x.name for x in xs), ", ".join(str(x.type) for x in xs)
    found = b.put(f"stablehlo.optimization_barrier {names} : {types}", *outs)
    return [found] if len(outs) == 1 else found


@rule("dce_sink")
def _sink(b: Builder, outs: Outs, x: Value, **_: Any) -> list[Value]:
    return []


@rule("create_token")
def _create_token(b: Builder, outs: Outs) -> Value:
    return b.put("stablehlo.after_all  : !stablehlo.token", outs[0])


@rule("after_all")
def _after_all(b: Builder, outs: Outs, *tokens: Value) -> Value:
    names = ", ".join(x.name for x in tokens)
    return b.put(f"stablehlo.after_all {names} : !stablehlo.token", outs[0])


# Complex numbers.


def is_complex(x: Value) -> bool:
    return issubdtype(x.dtype, np.complexfloating)


def real_type(x: Value) -> TensorType:
    return x.type.of(f"float{4 * x.dtype.itemsize}")


def part(b: Builder, name: str, x: Value) -> Value:
    """The "real" or the "imag" part."""
    return b.op(name, x, out=real_type(x))


def pair(b: Builder, x: Value, y: Value) -> Value:
    return b.op("complex", x, y, out=x.type.of(f"complex{16 * x.dtype.itemsize}"))


@rule("conj")
def _conj(b: Builder, outs: Outs, x: Value, **_: Any) -> Value:
    if not is_complex(x):
        return pair(b, x, b.full_like(x, 0))
    return pair(b, part(b, "real", x), b.op("negate", part(b, "imag", x)))


# Choosing.


def comes_first(b: Builder, how: str, x: Value, y: Value) -> Value:
    """Whether x is less (LT) or greater (GT) than y; of complex numbers, by real parts first."""
    if not is_complex(x):
        return b.compare(how, x, y)
    (x_real, x_imag), (y_real, y_imag) = (
        [part(b, name, z) for name in ("real", "imag")] for z in (x, y)
    )
    tied = b.compare("EQ", x_real, y_real)
    return b.select(tied, b.compare(how, x_imag, y_imag), b.compare(how, x_real, y_real))


def extreme(b: Builder, how: str, x: Value, y: Value) -> Value:
    """The larger or the smaller of two."""
    if is_complex(x):
        return b.select(comes_first(b, "GT" if how == "maximum" else "LT", x, y), x, y)
    return b.op(how, x, y)


@rule("max")
def _max(b: Builder, outs: Outs, *xs: Value) -> Value:
    return extreme(b, "maximum", *spread(b, xs, outs[0].shape))


@rule("min")
def _min(b: Builder, outs: Outs, *xs: Value) -> Value:
    return extreme(b, "minimum", *spread(b, xs, outs[0].shape))


@rule("clamp")
def _clamp(b: Builder, outs: Outs, low: Value, x: Value, high: Value) -> Value:
    if is_complex(x):
        low, high = spread(b, [low, high], x.shape)
        return extreme(b, "minimum", extreme(b, "maximum", low, x), high)
    return b.shaped("clamp", low, x, high, out=x.type)


@rule("select_n")
def _select_n(b: Builder, outs: Outs, which: Value, *cases: Value) -> Value:
    """Of more than two cases the k-th where `which` is k or more, for k from 1 on."""
    if which.dtype == BOOL:
        return b.select(which, cases[-1], cases[0])
    chosen = cases[0]
    for k, case in enumerate(cases[1:], 1):
        is_this = b.compare("GE", which, b.full_like(which, k))
        chosen = b.select(is_this, case, chosen)
    return chosen


# Conversions.


@rule("convert_element_type")
def _convert(b: Builder, outs: Outs, x: Value, *, new_dtype: Any, weak_type: bool) -> Value:
    [out] = outs
    if out.dtype == BOOL:
        return x if x.dtype == BOOL else b.compare("NE", x, b.full_like(x, 0))
    if is_complex(x) and not issubdtype(out.dtype, np.complexfloating):
        x = part(b, "real", x)
    return b.convert(x, out.dtype)


@rule("bitcast_convert_type")
def _bitcast(b: Builder, outs: Outs, x: Value, *, new_dtype: Any) -> Value:
    [out] = outs
    if x.dtype == BOOL:
        x = b.convert(x, np.dtype(np.uint8))
    if out.dtype == BOOL:
        bits = _cast_bits(b, x, out.of(np.uint8))
        return b.compare("NE", bits, b.full_like(bits, 0))
    return _cast_bits(b, x, out)


def _cast_bits(b: Builder, x: Value, out: TensorType) -> Value:
    return x if x.type == out else b.shaped("bitcast_convert", x, out=out)


@rule("reduce_precision")
def _reduce_precision(
    b: Builder, outs: Outs, x: Value, *, exponent_bits: int, mantissa_bits: int
) -> Value:
    return b.op("reduce_precision", x, attributes=f", format = e{exponent_bits}m{mantissa_bits}")


# Powers.


@rule("square")
def _square(b: Builder, outs: Outs, x: Value) -> Value:
    return b.op("multiply", x, x)


@rule("integer_pow")
def _integer_pow(b: Builder, outs: Outs, x: Value, *, y: int) -> Value:
    return in_float32(b, [x], lambda x: _repeated_squares(b, x, y))


def _repeated_squares(b: Builder, x: Value, y: int) -> Value:
    result, square, n = None, x, abs(y)
    while n:
        if n % 2:
            result = square if result is None else b.op("multiply", result, square)
        n //= 2
        square = b.op("multiply", square, square) if n else square
    one = b.full_like(x, 1)
    result = one if result is None else result
    return result if y >= 0 else b.op("divide", one, result)


@rule("pow")
def _pow(b: Builder, outs: Outs, *xs: Value) -> Value:
    x, y = spread(b, xs, outs[0].shape)
    return in_float32(b, [x, b.convert(y, x.dtype)], partial(b.op, "power"))


@rule("exp2")
def _exp2(b: Builder, outs: Outs, x: Value, **_: Any) -> Value:
    return in_float32(b, [x], lambda x: b.op("power", b.full_like(x, 2), x))


# The rest.


@rule("sign")
def _sign(b: Builder, outs: Outs, x: Value) -> Value:
    if not issubdtype(x.dtype, np.unsignedinteger):
        return b.op("sign", x)
    zero = b.full_like(x, 0)
    return b.select(b.compare("EQ", x, zero), zero, b.full_like(x, 1))


@rule("round")
def _round(b: Builder, outs: Outs, x: Value, *, rounding_method: Any) -> Value:
    return b.op(f"round_nearest_{('afz', 'even')[int(rounding_method)]}", x)


@rule("nextafter")
def _nextafter(b: Builder, outs: Outs, *xs: Value) -> Value:
    return b.chlo("next_after", *spread(b, xs, outs[0].shape))


@rule("mulhi")
def _mulhi(b: Builder, outs: Outs, *xs: Value) -> Value:
    """The upper half of a product: of one in 64 bits, or of four products of halves."""
    x, y = spread(b, xs, outs[0].shape)
    size, signed = 8 * x.dtype.itemsize, issubdtype(x.dtype, np.signedinteger)
    if size < 64:
        wide = np.dtype(f"{'int' if signed else 'uint'}64")
        product = b.op("multiply", b.convert(x, wide), b.convert(y, wide))
        shift = "shift_right_arithmetic" if signed else "shift_right_logical"
        return b.convert(b.op(shift, product, b.full_like(product, size)), x.dtype)
    unsigned = np.dtype(np.uint64)
    high = _unsigned_mulhi(b, b.convert(x, unsigned), b.convert(y, unsigned))
    if not signed:
        return high
    high, zero = b.convert(high, x.dtype), b.full_like(x, 0)
    for one, other in ((x, y), (y, x)):
        less = b.select(b.compare("LT", one, zero), other, zero)
        high = b.op("subtract", high, less)
    return high


def _unsigned_mulhi(b: Builder, x: Value, y: Value) -> Value:
    """Warren, Hacker's Delight, 8-2."""
    half, mask = b.full_like(x, 32), b.full_like(x, 0xFFFFFFFF)
    (x0, x1), (y0, y1) = (
        (b.op("and", z, mask), b.op("shift_right_logical", z, half)) for z in (x, y)
    )
    low = b.op("multiply", x0, y0)
    middle = b.op("multiply", x1, y0)
    middle = b.op("add", middle, b.op("shift_right_logical", low, half))
    rest = b.op("add", b.op("multiply", x0, y1), b.op("and", middle, mask))
    high = b.op("add", b.op("multiply", x1, y1), b.op("shift_right_logical", middle, half))
    return b.op("add", high, b.op("shift_right_logical", rest, half))
