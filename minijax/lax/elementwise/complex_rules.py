"""Complex arithmetic as arithmetic of parts, for compiled programs.

Infinities, NaN and zeros become in quotients, sizes, exponentials, logarithms and roots what they
do in NumPy's, and none of these leaves the range on the way to a result within it: quotients are
Smith's, sizes are scaled, or computed with twice the bits.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from minijax.compiler.special_cases.complex_pairs import Pair, part_dtype, register_pairs
from minijax.core.primitives import (
    add,
    add_any_p,
    add_p,
    broadcast_in_dim,
    broadcast_in_dim_p,
    broadcasting_shape,
    cast,
    convert_element_type_p,
    cos,
    cos_p,
    div,
    div_p,
    dot_general_p,
    eq,
    eq_p,
    exp,
    exp_p,
    fill,
    gt,
    gt_p,
    integer_pow_p,
    log,
    log_p,
    max,
    max_p,
    mul,
    mul_p,
    neg,
    neg_p,
    reduce_sum_p,
    reshape_p,
    select,
    select_n_p,
    sin,
    sin_p,
    sub,
    sub_p,
    transpose_p,
)
from minijax.core.tracing import Primitive
from minijax.lax.control_flow.conditionals import cond_p
from minijax.lax.control_flow.scan import scan_p
from minijax.lax.control_flow.while_loop import while_p
from minijax.lax.custom.barriers import optimization_barrier_p
from minijax.lax.elementwise.arithmetic import (
    abs,
    abs_p,
    copy_p,
    ge,
    ge_p,
    le_p,
    logistic_p,
    lt,
    lt_p,
    min,
    min_p,
    ne,
    ne_p,
    pow_p,
    rsqrt_p,
    sign_p,
    sqrt,
    sqrt_p,
    square_p,
    stop_gradient_p,
    tanh_p,
)
from minijax.lax.elementwise.bitcasts import bitcast_convert_type_p
from minijax.lax.elementwise.bits import bitwise_and, bitwise_not, bitwise_or
from minijax.lax.elementwise.clamping import clamp_p
from minijax.lax.elementwise.complex_numbers import complex_p, conj_p, imag_p, real_p
from minijax.lax.elementwise.floats import eq_to_p
from minijax.lax.elementwise.trigonometry import atan2, cosh, cosh_p, exp2_p, sinh, sinh_p, tan_p
from minijax.lax.indexing.combining_scatters import scatter_sub_p
from minijax.lax.indexing.dynamic_slicing import dynamic_slice_p, dynamic_update_slice_p
from minijax.lax.indexing.gather_scatter import gather_p, scatter_add_p, scatter_p
from minijax.lax.ragged_products import ragged_dot_general_p
from minijax.lax.reductions.cumulative import cumsum_p
from minijax.lax.shapes.axes import iota_p, rev_p, squeeze_p
from minijax.lax.shapes.slicing import concatenate_p, pad_p, slice_p, split_p
from minijax.lax.shapes.stacking import stack_p, tile_p, unstack_p
from minijax.lax.sorting import sort_p
from minijax.lax.special.error_functions import expm1, expm1_p, log1p, log1p_p

# Numbers, and questions.


def like(x: Any, number: float) -> Any:
    """The number, everywhere in an array of x's type."""
    return fill(x.aval, number)


def spread(*xs: Any) -> list[Any]:
    """All of them, repeated along each other's axes."""
    shape = broadcasting_shape("complex operands", [x.aval for x in xs])
    return [broadcast_in_dim(x, shape, range(x.aval.ndim)) for x in xs]


def spread_pairs(*pairs: Pair) -> list[Pair]:
    parts = iter(spread(*(part for pair in pairs for part in pair)))
    return [Pair(next(parts), next(parts)) for _ in pairs]


def is_inf(x: Any) -> Any:
    return eq(abs(x), like(x, np.inf))


def is_zero(x: Any) -> Any:
    return eq(x, like(x, 0))


def is_wild(x: Any) -> Any:
    """Whether it is infinite or NaN."""
    return ne(sub(x, x), like(x, 0))


# The four operations.


def both(fun: Callable) -> Callable:
    """The same of both parts."""
    return lambda *pairs: Pair(*map(fun, *pairs))


def product(x: Pair, y: Pair) -> Pair:
    re = sub(mul(x.re, y.re), mul(x.im, y.im))
    return Pair(re, add(mul(x.re, y.im), mul(x.im, y.re)))


def quotient(x: Pair, y: Pair) -> Pair:
    """Smith's: by the larger part of the divisor. A divisor 0 divides both parts."""
    x, y = spread_pairs(x, y)
    is_flat = ge(abs(y.re), abs(y.im))
    large, small = select(is_flat, y.re, y.im), select(is_flat, y.im, y.re)
    is_nothing = is_zero(large)
    ratio = div(small, select(is_nothing, like(large, 1), large))
    whole = add(large, mul(small, ratio))
    divisor = select(is_nothing, abs(whole), whole)
    re = add(select(is_flat, x.re, x.im), mul(select(is_flat, x.im, x.re), ratio))
    im = sub(
        select(is_flat, x.im, mul(x.im, ratio)), select(is_flat, mul(x.re, ratio), x.re)
    )
    re, im = select(is_nothing, x.re, re), select(is_nothing, x.im, im)
    return Pair(div(re, divisor), div(im, divisor))


def whole_power(x: Pair, *, y: int) -> Pair:
    """By squaring, the interpreter's products in its order."""
    one = Pair(like(x.re, 1), like(x.im, 0))
    result, power, n = None, x, y if y >= 0 else -y
    while n:
        if n % 2:
            result = power if result is None else product(result, power)
        n //= 2
        power = product(power, power) if n else power
    result = one if result is None else result
    return result if y >= 0 else quotient(one, result)


# Size and sign.


def absolute_square(x: Pair, *, is_exact: bool) -> Any:
    """|x|**2; where it is to be exact, infinite with one part, if the other is NaN too."""
    square = add(mul(x.re, x.re), mul(x.im, x.im))
    if not is_exact:
        return square
    return select(bitwise_or(is_inf(x.re), is_inf(x.im)), like(square, np.inf), square)


def scaled(x: Pair) -> tuple[Any, Any]:
    """The larger part's size, and the quotient of the smaller one's by it, from 0 to 1."""
    re, im = abs(x.re), abs(x.im)
    large, small = max(re, im), min(re, im)
    is_edge = bitwise_or(is_zero(large), is_inf(large))
    ratio = div(select(is_edge, like(large, 0), small), select(is_edge, like(large, 1), large))
    is_endless = bitwise_or(is_inf(x.re), is_inf(x.im))
    return select(is_endless, like(large, np.inf), large), select(is_endless, like(ratio, 0), ratio)


def size(x: Pair) -> Any:
    dtype = x.re.aval.dtype
    if dtype == np.float32:
        wide = Pair(*(cast(part, np.dtype(np.float64)) for part in x))
        return cast(sqrt(absolute_square(wide, is_exact=True)), dtype)
    large, ratio = scaled(x)
    return mul(large, sqrt(add(like(ratio, 1), mul(ratio, ratio))))


def direction(x: Pair) -> Pair:
    """x / |x|, and 0 of 0; of an infinite part beside a finite one, that part's."""
    length, zero, one = size(x), like(x.re, 0), like(x.re, 1)
    is_nothing, is_endless = is_zero(length), is_inf(length)
    is_both = bitwise_and(is_wild(x.re), is_wild(x.im))
    length = select(is_nothing, one, length)
    parts = []
    for part in x:
        end = select(is_inf(part), select(gt(part, zero), one, neg(one)), zero)
        end = select(is_both, like(part, np.nan), end)
        near = select(is_nothing, zero, div(part, length))
        parts.append(select(is_endless, end, near))
    return Pair(*parts)


# Exponentials, logarithms, roots, powers.


def exponential(x: Pair) -> Pair:
    """exp(re) in two halves, whose product with a small cosine may be in range."""
    half = exp(mul(x.re, like(x.re, 0.5)))
    is_real, is_wild_angle = is_zero(x.im), is_wild(x.im)
    re = mul(mul(half, cos(x.im)), half)
    im = select(is_real, x.im, mul(mul(half, sin(x.im)), half))
    is_vanishing = bitwise_and(is_wild_angle, eq(x.re, like(x.re, -np.inf)))
    is_growing = bitwise_and(is_wild_angle, eq(x.re, like(x.re, np.inf)))
    re = select(is_vanishing, like(re, 0), select(is_growing, like(re, np.inf), re))
    return Pair(re, select(is_vanishing, like(im, 0), im))


def exponential_less_1(x: Pair) -> Pair:
    """NumPy's: expm1(re) cos(im) - 2 sin(im / 2)**2, which keeps the digits of a small number."""
    c, s, half = cos(x.im), sin(x.im), sin(mul(x.im, like(x.im, 0.5)))
    root = exp(mul(x.re, like(x.re, 0.5)))  # as in `exponential`, where 1 is nothing
    near = sub(mul(expm1(x.re), c), mul(like(half, 2), mul(half, half)))
    re = select(gt(x.re, like(x.re, 40)), mul(mul(root, c), root), near)
    return Pair(re, mul(mul(root, s), root))


def power_of_2(x: Pair) -> Pair:
    return exponential(Pair(*(mul(part, like(part, np.log(2))) for part in x)))


def reciprocal(x: Pair) -> Pair:
    return quotient(Pair(like(x.re, 1), like(x.re, 0)), x)


def sigmoid(x: Pair) -> Pair:
    power = exponential(Pair(neg(x.re), neg(x.im)))
    return reciprocal(Pair(add(power.re, like(x.re, 1)), power.im))


def logarithm_of_1_plus(x: Pair) -> Pair:
    """In float64, near 0 from |1 + x|**2 - 1, which keeps the digits of a small number."""
    dtype = x.re.aval.dtype
    u, v = (cast(part, np.dtype(np.float64)) for part in x)
    one = like(u, 1)
    near = log1p(add(mul(u, add(u, like(u, 2))), mul(v, v)))
    whole = Pair(add(u, one), v)
    large, ratio = scaled(whole)
    far = add(mul(log(large), like(u, 2)), log1p(mul(ratio, ratio)))
    is_near = gt(like(u, 0.25), add(mul(u, u), mul(v, v)))
    re, im = mul(select(is_near, near, far), like(u, 0.5)), atan2(v, whole.re)
    re = select(ne(im, im), im, re)  # also where the other part is infinite
    return Pair(cast(re, dtype), cast(im, dtype))


def logarithm(x: Pair) -> Pair:
    large, ratio = scaled(x)
    rest = mul(like(ratio, 0.5), log1p(mul(ratio, ratio)))
    return Pair(add(log(large), rest), atan2(x.im, x.re))


def parts_of_root(x: Pair) -> tuple[Any, Any]:
    """The parts' sizes, the larger one first, of the root of a number whose size is in range."""
    twice = sqrt(mul(add(abs(x.re), size(x)), like(x.re, 2)))
    divisor = select(is_zero(twice), like(twice, 1), twice)
    return mul(twice, like(twice, 0.5)), div(abs(x.im), divisor)


def square_root(x: Pair) -> Pair:
    """Of a number that is scaled by a power of 4, so that no size leaves the range."""
    dtype = x.re.aval.dtype
    info, one = np.finfo(dtype), like(x.re, 1)
    larger = max(abs(x.re), abs(x.im))
    is_large, is_small = ge(larger, like(larger, info.max / 8)), bitwise_not(
        ge(larger, like(larger, info.tiny / info.eps))
    )
    up, down = 4.0 ** (info.nmant // 2 + 2), 2.0 ** -(info.nmant // 2 + 2)
    scale = select(is_large, like(one, 1 / 16), select(is_small, like(one, up), one))
    back = select(is_large, like(one, 4), select(is_small, like(one, down), one))
    z = Pair(mul(x.re, scale), mul(x.im, scale))
    root, other = (mul(part, back) for part in parts_of_root(z))
    is_left = bitwise_not(ge(x.re, like(one, 0)))
    re, im = select(is_left, other, root), select(is_left, root, other)
    # Along the edges: (inf, nan) and (-inf, nan) of a NaN beside infinity, inf of an infinite part.
    is_end, is_high, is_nan = is_inf(x.re), is_inf(x.im), ne(x.im, x.im)
    calm = select(is_nan, x.im, like(one, 0))
    re = select(is_end, select(is_left, calm, like(one, np.inf)), re)
    im = select(is_end, select(is_left, like(one, np.inf), calm), im)
    re, im = (select(is_high, like(one, np.inf), part) for part in (re, im))
    return Pair(re, with_sign(im, x.im))


def with_sign(x: Any, of: Any) -> Any:
    """A number that is not negative, with the sign of another, of zeros too."""
    is_negative = bitwise_or(
        ge(like(of, -np.finfo(of.aval.dtype).smallest_subnormal), of),
        bitwise_and(is_zero(of), eq(div(like(of, 1), of), like(of, -np.inf))),
    )
    return select(is_negative, neg(x), x)


def general_power(x: Pair, y: Any) -> Pair:
    """exp(y log(x)); x**0 is 1, and a power of 0 is 0 or NaN."""
    y = y if type(y) is Pair else Pair(cast(y, x.re.aval.dtype), like(cast(y, x.re.aval.dtype), 0))
    x, y = spread_pairs(x, y)
    out = exponential(product(y, logarithm(x)))
    of_zero, to_zero = (bitwise_and(is_zero(z.re), is_zero(z.im)) for z in (x, y))
    zero, one, nan = (like(x.re, number) for number in (0, 1, np.nan))
    at_zero = select(gt(y.re, zero), zero, nan)
    re, im = (select(of_zero, at_zero, part) for part in out)
    return Pair(select(to_zero, one, re), select(to_zero, zero, im))


# Circle and hyperbola.


def without_nan(x: Any, out: Any) -> Any:
    """A product with a factor that is 0 with x: x there, whatever the other factor is."""
    return select(is_zero(x), x, out)


def sine(x: Pair) -> Pair:
    re, im = mul(sin(x.re), cosh(x.im)), mul(cos(x.re), sinh(x.im))
    return Pair(without_nan(x.re, re), without_nan(x.im, im))


def cosine(x: Pair) -> Pair:
    one = like(x.re, 1)
    turn = select(bitwise_and(is_zero(x.im), is_wild(x.re)), one, sin(x.re))
    growth = select(bitwise_and(is_zero(x.re), is_wild(x.im)), one, sinh(x.im))
    return Pair(mul(cos(x.re), cosh(x.im)), neg(mul(turn, growth)))


def hyperbolic_tangent(x: Pair) -> Pair:
    """sinh(2 re) + i sin(2 im) over cosh(2 re) + cos(2 im): all over exp(2 |re|), and so in range.

    With p = exp(-2 |re|), the divisor is (1 - p)**2 + p (2 cos(im))**2: no digits cancel.
    """
    size, zero = abs(x.re), like(x.re, 0)
    # Beside an infinite part no angle counts.
    angle = select(bitwise_and(is_inf(x.re), is_wild(x.im)), zero, x.im)
    power = exp(mul(size, like(size, -2)))
    rest, c = expm1(mul(size, like(size, -2))), mul(cos(angle), like(size, 2))
    divisor = add(mul(rest, rest), mul(power, mul(c, c)))
    re = div(expm1(mul(size, like(size, -4))), divisor)
    re = select(gt(x.re, zero), neg(re), re)
    im = div(mul(mul(power, c), mul(sin(angle), like(size, 2))), divisor)
    return Pair(without_nan(x.re, re), without_nan(x.im, im))


def turned(fun: Callable, back: Callable) -> Callable:
    """A hyperbolic function by that of the circle, of i x."""
    return lambda x: back(fun(Pair(neg(x.im), x.re)))


# Comparing and converting.


def converted(x: Any, *, new_dtype: Any, weak_type: bool) -> Any:
    if not np.issubdtype(new_dtype, np.complexfloating):
        if new_dtype == np.bool_:
            return bitwise_or(ne(x.re, like(x.re, 0)), ne(x.im, like(x.im, 0)))
        return cast(x.re, new_dtype)
    dtype = np.zeros((), new_dtype).real.dtype
    if type(x) is Pair:
        return Pair(cast(x.re, dtype), cast(x.im, dtype))
    re = cast(x, dtype)
    return Pair(re, like(re, 0))


def conjugate(x: Any, *, input_dtype: Any) -> Pair:
    return Pair(x.re, neg(x.im)) if type(x) is Pair else Pair(x, neg(like(x, 0)))


def real_products(
    primitive: Primitive, x: Any, y: Any, *sizes: Any, preferred_element_type: Any, **params: Any
) -> Any:
    """A product of matrices, by groups or not, or a convolution, as four of floats."""
    kind = preferred_element_type and np.zeros((), preferred_element_type).real.dtype

    def dot(a: Any, b: Any) -> Any:
        return primitive.bind(a, b, *sizes, preferred_element_type=kind, **params)

    if type(x) is not Pair:
        return Pair(dot(x, y.re), dot(x, y.im))
    if type(y) is not Pair:
        return Pair(dot(x.re, y), dot(x.im, y))
    re = sub(dot(x.re, y.re), dot(x.im, y.im))
    return Pair(re, add(dot(x.re, y.im), dot(x.im, y.re)))


# Order: by the real parts, then by the imaginary ones.


def is_before(x: Pair, y: Pair) -> Any:
    return select(eq(x.re, y.re), lt(x.im, y.im), lt(x.re, y.re))


def chosen(is_first: Any, x: Pair, y: Pair) -> Pair:
    return Pair(*(select(is_first, *parts) for parts in zip(x, y, strict=True)))


def larger(x: Pair, y: Pair) -> Pair:
    """The second one, where neither is before the other."""
    x, y = spread_pairs(x, y)
    return chosen(is_before(y, x), x, y)


def smaller(x: Pair, y: Pair) -> Pair:
    x, y = spread_pairs(x, y)
    return chosen(is_before(x, y), x, y)


def clamped(low: Pair, x: Pair, high: Pair) -> Pair:
    return smaller(larger(low, x), high)


def in_order(*xs: Any, num_keys: int, **how: Any) -> list[Any]:
    """Both parts of a key are keys, and those of the others go along."""
    keys = sum(2 if type(x) is Pair else 1 for x in xs[:num_keys])
    flat = [part for x in xs for part in (x if type(x) is Pair else [x])]
    found = iter(sort_p.bind(*flat, num_keys=keys, **how))
    return [Pair(next(found), next(found)) if type(x) is Pair else next(found) for x in xs]


def counted(*, dtype: np.dtype, **how: Any) -> Pair:
    re = iota_p.bind(dtype=part_dtype(dtype), **how)
    return Pair(re, like(re, 0))


def part_of_number(x: Any, part: int) -> Any:
    return None if x is None else float((np.real(x), np.imag(x))[part])


# The table.

_arithmetic = {
    add_p: both(add), add_any_p: both(add), sub_p: both(sub), neg_p: both(neg), mul_p: product,
    div_p: quotient, integer_pow_p: whole_power, square_p: lambda x: product(x, x), abs_p: size,
    sign_p: direction, exp_p: exponential, log_p: logarithm, sqrt_p: square_root,
    pow_p: general_power, sin_p: sine, cos_p: cosine,
    sinh_p: turned(sine, lambda y: Pair(y.im, neg(y.re))), cosh_p: turned(cosine, lambda y: y),
    tanh_p: hyperbolic_tangent,
    tan_p: turned(hyperbolic_tangent, lambda y: Pair(y.im, neg(y.re))),
    expm1_p: exponential_less_1, exp2_p: power_of_2, logistic_p: sigmoid,
    log1p_p: logarithm_of_1_plus,
    rsqrt_p: lambda x: reciprocal(square_root(x)),
    eq_p: lambda x, y: bitwise_and(eq(x.re, y.re), eq(x.im, y.im)),
    ne_p: lambda x, y: bitwise_or(ne(x.re, y.re), ne(x.im, y.im)),
    real_p: lambda x: x.re, imag_p: lambda x: x.im, complex_p: lambda x, y: Pair(*spread(x, y)),
    conj_p: conjugate, convert_element_type_p: converted,
    dot_general_p: partial(real_products, dot_general_p),
    ragged_dot_general_p: partial(real_products, ragged_dot_general_p),
    bitcast_convert_type_p: lambda x, new_dtype: x, iota_p: counted, sort_p: in_order,
    max_p: larger, min_p: smaller, clamp_p: clamped,
    eq_to_p: lambda x, y: bitwise_and(*map(eq_to_p.bind, *spread_pairs(x, y))),
}  # fmt: skip
for _primitive, _rule in _arithmetic.items():
    register_pairs(_primitive, arithmetic=_rule)
for _primitive in [
    exp_p, log_p, sqrt_p, pow_p, sin_p, cos_p, sinh_p, cosh_p, tanh_p, tan_p, expm1_p, exp2_p,
    logistic_p, log1p_p, rsqrt_p,
]:  # fmt: skip
    register_pairs(_primitive, costly=True)
for _primitive in [dot_general_p, ragged_dot_general_p, sort_p, iota_p]:
    register_pairs(_primitive, only_in_loops=True)
register_pairs(abs_p, size_squared=absolute_square)
register_pairs(square_p, squares=True)
for _primitive, _asks_less in {lt_p: True, le_p: True, gt_p: False, ge_p: False}.items():
    register_pairs(_primitive, asks_less=_asks_less)
for _primitive in [
    broadcast_in_dim_p, reshape_p, transpose_p, select_n_p, reduce_sum_p, copy_p, stop_gradient_p,
    slice_p, squeeze_p, rev_p, concatenate_p, pad_p, split_p, stack_p, unstack_p, tile_p, cumsum_p,
    scatter_p, dynamic_slice_p, dynamic_update_slice_p, optimization_barrier_p,
]:  # fmt: skip
    register_pairs(_primitive, each_part={})
register_pairs(gather_p, each_part={"fill_value": part_of_number})
for _primitive in [scatter_add_p, scatter_sub_p]:
    register_pairs(_primitive, each_part={"update_jaxpr": None})
register_pairs(scan_p, operand_counts=("num_consts", "num_carry"))
register_pairs(while_p, operand_counts=("cond_nconsts", "body_nconsts"))
register_pairs(cond_p, operand_counts=())
