"""The base primitives, one line for each use of one: what it computes, said again in NumPy.

Read by `core/test_numeric_rules.py`, which checks each line by itself, and by
`compositions/test_random_programs.py`, which strings the element-wise ones together.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

import minijax.numpy as jnp
from minijax import lax

FLOATS = ("float32", "float64", "bfloat16", "float16")
COMPLEX = ("complex64",)
INTS = ("int32", "uint8")
BOOL = ("bool",)
INEXACT = FLOATS + COMPLEX
NUMBERS = INEXACT + INTS
ORDERED = FLOATS + INTS + BOOL
EVERY = NUMBERS + BOOL

# Shapes of the arguments that an element-wise primitive is tried on.
ELEMENTWISE = ((), (4,), (2, 3), (0, 3))


class Rule(NamedTuple):
    """One use of a primitive.

    `function` takes minijax arrays. `reference` takes NumPy arrays: of the same numbers and
    dtypes, but float64 where the dtype is of sixteen bits; its answer is then rounded back.
    `shapes` lists what it is tried on: for each trial, the shapes of the arguments. Arguments
    are spread evenly over `domain`, no two numbers alike, so that no order between them changes
    in a small step. `smooth` is false for a primitive that has no derivative to compare with
    differences (comparisons, bits, roundings, `stop_gradient`); it is given equal numbers too.
    """

    name: str
    function: Callable
    reference: Callable
    shapes: tuple
    dtypes: tuple = INEXACT
    domain: tuple[float, float] = (-2.0, 2.0)
    smooth: bool = True


def unary(name, function, reference, dtypes=INEXACT, domain=(-2.0, 2.0), smooth=True) -> Rule:
    shapes = tuple((s,) for s in ELEMENTWISE)
    return Rule(name, function, reference, shapes, dtypes, domain, smooth)


def binary(name, function, reference, dtypes=NUMBERS, domain=(-2.0, 2.0), smooth=True) -> Rule:
    shapes = tuple((s, s) for s in ELEMENTWISE)
    return Rule(name, function, reference, shapes, dtypes, domain, smooth)


def truncated_division(x, y):
    """Division as `lax.div` has it: integers round towards zero."""
    if x.dtype.kind in "iu":
        return np.trunc(x / y).astype(x.dtype)
    return x / y


@np.vectorize(otypes=[float])
def inverse_of_erf(x):
    """The y with erf(y) = x, by Newton's method: from 0 the steps go one way, for erf is bent."""
    y = 0.0
    for _ in range(100):
        y += (x - math.erf(y)) * math.sqrt(math.pi) / 2 * math.exp(y * y)
    return y


@np.vectorize(otypes=[float])
def digamma(x):
    """The asymptotic series, of a number moved far to the right."""
    moved, y = 0.0, x
    while y < 20:
        moved, y = moved - 1 / y, y + 1
    v = 1 / (y * y)
    tail = v * (1 / 12 - v * (1 / 120 - v * (1 / 252 - v / 240)))
    return moved + math.log(y) - 0.5 / y - tail


@np.vectorize(otypes=[float])
def trigamma(x):
    """The sum of 1 / (x + n)**2, its end by an asymptotic series."""
    n, y = x + np.arange(30), x + 30
    tail = 1 / y + 1 / (2 * y**2) + 1 / (6 * y**3) - 1 / (30 * y**5) + 1 / (42 * y**7)
    return (1 / n**2).sum() + tail


def bessel_e(x, order):
    """exp(-abs(x)) times the mean of exp(x cos t) cos(order t) over a circle."""
    t = 2 * np.pi * np.arange(200) / 200
    waves = np.exp(np.multiply.outer(x, np.cos(t)) - np.abs(x)[..., None])
    return (waves * np.cos(order * t)).mean(axis=-1)


@np.vectorize(otypes=[float])
def lower_gamma(a, x):
    """The sum of x**(a + n) * exp(-x) / gamma(a + n + 1)."""
    return sum(x ** (a + n) * math.exp(-x) / math.gamma(a + n + 1) for n in range(60))


def as_dtype_of(function):
    """The function, its answer in its argument's dtype."""
    return lambda x: np.asarray(function(x)).astype(x.dtype)


def bits_of(x):
    """The bits of numbers, as unsigned integers of the same size."""
    return x.view(f"u{x.dtype.itemsize}")


def leading_zeros(x):
    """How many bits are zero before the first one: as many as shifts leave something."""
    bits = bits_of(np.array(x))
    return sum((bits >> bits.dtype.type(n) == 0).astype(int) for n in range(8 * x.itemsize))


def dot(contract, batch=((), ())) -> Callable:
    def function(x, y):
        return lax.dot_general(x, y, (contract, batch))

    return function


def stretch(shape, dimensions) -> Callable:
    return lambda x: lax.broadcast_in_dim(x, shape, dimensions)


def is_odd_place(shape) -> np.ndarray:
    """A mask that is true at every second element of an array of this shape."""
    return np.arange(np.prod(shape, dtype=int)).reshape(shape) % 2 == 1


# Windows of two columns of a row, by where they start in an array; the last is not inside.
STARTS = np.array([[2, 0], [0, 1], [2, 9]], np.int32)
READ = lax.GatherDimensionNumbers((1,), (0,), (0, 1))
WRITE = lax.ScatterDimensionNumbers((1,), (0,), (0, 1))
PLACES = [(2, slice(0, 2)), (0, slice(1, 3))]


def gather(mode) -> Callable:
    return lambda x: lax.gather(x, STARTS, READ, (1, 2), mode=mode, fill_value=1)


def filled(x):
    """What `gather` reads with mode "fill"."""
    return np.stack([*(x[place] for place in PLACES), np.ones_like(x[0, :2])])


def scatter(function, **how) -> Callable:
    return lambda x, y: function(x, STARTS, y, WRITE, **how)


def updated(function) -> Callable:
    """NumPy's x with each window replaced by `function` of it and an update."""

    def reference(x, y):
        x = x.copy()
        for place, update in zip(PLACES, y, strict=False):
            x[place] = function(x[place], update)
        return x

    return reference


def updated_slice(x, y):
    x = x.copy()
    x[1:2, 0:2] = y
    return x


# Windows of two by two, two columns apart, with a row above and a column behind.
BOXES = {"window_dimensions": (2, 2), "window_strides": (1, 2), "padding": ((1, 0), (0, 1))}
DENSE = {"base_dilation": (1, 1), "window_dilation": (1, 1)}


def boxes(x, beyond):
    """What they see, along the last axis."""
    x = np.pad(x, BOXES["padding"], constant_values=beyond)
    seen = np.lib.stride_tricks.sliding_window_view(x, (2, 2))[:, ::2]
    return seen.reshape(*seen.shape[:2], 4)


def bound(dtype, sign):
    """The largest number, or with the sign -1 the smallest."""
    if np.dtype(dtype).kind in "iu":
        info = np.iinfo(dtype)
        return info.max if sign > 0 else info.min
    return sign * np.inf


def reduced(operation, sign=0) -> Callable:
    def function(x):
        start = bound(x.dtype, sign) if sign else 0
        return lax.reduce_window(x, np.asarray(start, x.dtype), operation, **BOXES)

    return function


def of_largest(x, y):
    """In each box, the number of x where y has its largest."""
    place = boxes(y, -np.inf).argmax(-1)[..., None]
    return np.take_along_axis(boxes(x, 0), place, -1)[..., 0]


def to_largest(x, y):
    """Each number of x added up where y has the largest of a box; the edges are cut off."""
    out = np.zeros((y.shape[0] + 1, y.shape[1] + 1), x.dtype)
    for i, j in np.ndindex(x.shape):
        k = boxes(y, -np.inf)[i, j].argmax()
        out[i + k // 2, 2 * j + k % 2] += x[i, j]
    return out[1:, :-1]


def convolved(strides, pads, feature_group_count=1, **dilations) -> Callable:
    return lambda x, y: lax.conv_general_dilated(
        x, y, strides, pads, feature_group_count=feature_group_count, **dilations
    )


def sums_of_products(x, y, strides, pads, groups=1, spread=(1, 1), gaps=(1, 1)):
    """A convolution of two spatial axes, one number after the other."""
    padded = np.zeros((*x.shape[:2], *(
        (n - 1) * s + 1 + low + high
        for n, s, (low, high) in zip(x.shape[2:], spread, pads, strict=True))), x.dtype)
    inside = [slice(low, low + (n - 1) * s + 1, s)
              for n, s, (low, _) in zip(x.shape[2:], spread, pads, strict=True)]
    padded[:, :, inside[0], inside[1]] = x
    ends = [(n - (k - 1) * gap - 1) // stride + 1 for n, k, gap, stride in
            zip(padded.shape[2:], y.shape[2:], gaps, strides, strict=True)]
    out = np.zeros((x.shape[0], y.shape[0], *ends), x.dtype)
    for o, i, j in np.ndindex(y.shape[0], *ends):
        group = o * groups // y.shape[0]
        features = slice(group * y.shape[1], (group + 1) * y.shape[1])
        rows, columns = (slice(at * stride, at * stride + (k - 1) * gap + 1, gap) for
                         at, stride, k, gap in zip((i, j), strides, y.shape[2:], gaps, strict=True))
        seen = padded[:, features, rows, columns]
        out[:, o, i, j] = (seen * y[o]).sum((1, 2, 3), dtype=x.dtype)
    return out


POSITIVE = (0.3, 2.5)
OUTSIDE_ZERO = (0.4, 3.0)

RULES = (
    unary("neg", lax.neg, np.negative, NUMBERS),
    unary("sin", lax.sin, np.sin),
    unary("cos", lax.cos, np.cos),
    unary("tanh", lax.tanh, np.tanh, domain=(-1.2, 1.2)),
    unary("exp", lax.exp, np.exp),
    unary("log", lax.log, np.log, domain=POSITIVE),
    unary("sqrt", lax.sqrt, np.sqrt, domain=POSITIVE),
    unary("rsqrt", lax.rsqrt, lambda x: 1 / np.sqrt(x), domain=POSITIVE),
    unary("logistic", lax.logistic, lambda x: 1 / (1 + np.exp(-x))),
    unary("abs", lax.abs, np.abs, (*FLOATS, "int32")),
    unary("abs of complex", lax.abs, np.abs, COMPLEX, smooth=False),
    unary("sign", lax.sign, np.sign, FLOATS + INTS),
    unary("sign of complex", lax.sign, np.sign, COMPLEX, smooth=False),
    unary("floor", lax.floor, np.floor, FLOATS, smooth=False),
    unary("round", lambda x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN), np.round, FLOATS,
          smooth=False),
    unary("square", lax.square, np.square, NUMBERS),
    unary("integer_pow 3", lambda x: lax.integer_pow(x, 3), lambda x: x * x * x, NUMBERS),
    unary("integer_pow 0", lambda x: lax.integer_pow(x, 0), np.ones_like, NUMBERS),
    unary("integer_pow -2", lambda x: lax.integer_pow(x, -2), lambda x: 1 / (x * x),
          domain=POSITIVE),
    unary("copy", jnp.copy, np.copy, EVERY),
    unary("stop_gradient", lax.stop_gradient, np.copy, EVERY, smooth=False),
    unary("erf_inv", lax.erf_inv, lambda x: inverse_of_erf(x).astype(x.dtype), FLOATS,
          domain=(-0.9, 0.9)),
    unary("log1p", lax.log1p, np.log1p, FLOATS, domain=(-0.6, 2.0)),
    unary("log1p of complex", lax.log1p, np.log1p, COMPLEX, domain=(0.2, 2.0)),
    unary("expm1", lax.expm1, np.expm1),
    unary("erf", lax.erf, as_dtype_of(np.vectorize(math.erf, otypes=[float])), FLOATS),
    unary("erfc", lax.erfc, as_dtype_of(np.vectorize(math.erfc, otypes=[float])), FLOATS),
    unary("lgamma", lax.lgamma, as_dtype_of(np.vectorize(math.lgamma, otypes=[float])), FLOATS,
          domain=(3.0, 6.0)),
    unary("digamma", lax.digamma, as_dtype_of(digamma), FLOATS, domain=(2.0, 6.0)),
    unary("polygamma 1", lambda x: lax.polygamma(lax.full_like(x, 1), x), as_dtype_of(trigamma),
          FLOATS, domain=(2.0, 6.0)),
    unary("bessel_i0e", lax.bessel_i0e, as_dtype_of(lambda x: bessel_e(x, 0)), FLOATS,
          domain=POSITIVE),
    unary("bessel_i1e", lax.bessel_i1e, as_dtype_of(lambda x: bessel_e(x, 1)), FLOATS,
          domain=POSITIVE),
    unary("igamma by x", lambda x: lax.igamma(lax.full_like(x, 1.5), x),
          as_dtype_of(lambda x: lower_gamma(1.5, x)), FLOATS, domain=POSITIVE),
    unary("igammac by x", lambda x: lax.igammac(lax.full_like(x, 1.5), x),
          as_dtype_of(lambda x: 1 - lower_gamma(1.5, x)), FLOATS, domain=POSITIVE),
    unary("betainc by x",
          lambda x: lax.betainc(lax.full_like(x, 2.0), lax.full_like(x, 3.0), x),
          lambda x: x * x * (6 - 8 * x + 3 * x * x), FLOATS[1:], domain=(0.1, 0.9)),
    unary("bitcast_convert_type",
          lambda x: lax.bitcast_convert_type(x, f"u{x.dtype.itemsize}"), bits_of,
          ("float32", "float64", *INTS), smooth=False),
    Rule("bitcast_convert_type to parts", lambda x: lax.bitcast_convert_type(x, "uint8"),
         lambda x: bits_of(np.array(x)[..., None]).view("u1"), (((),), ((3,),), ((2, 0),)),
         ("float32", "float64", "int32"), smooth=False),
    Rule("bitcast_convert_type of parts", lambda x: lax.bitcast_convert_type(x, "int32"),
         lambda x: np.ascontiguousarray(x).view("i4")[..., 0], (((4,),), ((2, 3, 4),), ((0, 4),)),
         ("uint8",), smooth=False),
    unary("not", lax.bitwise_not, np.invert, INTS + BOOL, smooth=False),
    unary("to float32", lambda x: lax.convert_element_type(x, jnp.float32),
          lambda x: x.real.astype(np.float32), FLOATS + INTS + BOOL, smooth=False),
    unary("to bool", lambda x: lax.convert_element_type(x, jnp.bool_),
          lambda x: x != 0, EVERY, smooth=False),
    unary("to int32", lambda x: lax.convert_element_type(x, jnp.int32),
          lambda x: x.astype(np.int32), FLOATS + INTS + BOOL, smooth=False),
    binary("pow", lax.pow, np.power, INEXACT, domain=POSITIVE),
    binary("add", lax.add, np.add),
    binary("sub", lax.sub, np.subtract),
    binary("mul", lax.mul, np.multiply),
    binary("div", lax.div, truncated_division, domain=OUTSIDE_ZERO),
    binary("rem", lax.rem, np.fmod, ORDERED[:-1], domain=OUTSIDE_ZERO),
    binary("max", lax.max, np.maximum, ORDERED),
    binary("min", lax.min, np.minimum, ORDERED),
    binary("eq", lax.eq, np.equal, EVERY, smooth=False),
    binary("ne", lax.ne, np.not_equal, EVERY, smooth=False),
    binary("lt", lax.lt, np.less, ORDERED, smooth=False),
    binary("le", lax.le, np.less_equal, ORDERED, smooth=False),
    binary("gt", lax.gt, np.greater, ORDERED, smooth=False),
    binary("ge", lax.ge, np.greater_equal, ORDERED, smooth=False),
    binary("and", lax.bitwise_and, np.bitwise_and, INTS + BOOL, smooth=False),
    binary("or", lax.bitwise_or, np.bitwise_or, INTS + BOOL, smooth=False),
    binary("xor", lax.bitwise_xor, np.bitwise_xor, INTS + BOOL, smooth=False),
    binary("shift_left", lax.shift_left, np.left_shift, INTS, domain=(0, 8), smooth=False),
    binary("shift_right_arithmetic", lax.shift_right_arithmetic, np.right_shift, INTS[:-1],
           domain=(0, 8), smooth=False),
    binary("shift_right_logical", lax.shift_right_logical, np.right_shift, INTS,
           domain=(0, 8), smooth=False),
    binary("select_n", lambda x, y: lax.select_n(jnp.asarray(is_odd_place(x.shape)), x, y),
           lambda x, y: np.where(is_odd_place(x.shape), y, x), EVERY),
    binary("select_n by one number", lambda x, y: lax.select_n(jnp.asarray(True), x, y),
           lambda x, y: np.copy(y), EVERY),
    Rule("select_n of three",
         lambda x, y, z: lax.select_n(jnp.asarray([2, 0, 1, 2], jnp.int32), x, y, z),
         lambda x, y, z: np.choose([2, 0, 1, 2], [x, y, z]), (((4,), (4,), (4,)),), EVERY),
    Rule("broadcast_in_dim front", stretch((2, 4), (1,)),
         lambda x: np.broadcast_to(x, (2, 4)), (((4,),),), EVERY),
    Rule("broadcast_in_dim between", stretch((2, 5, 3), (0, 2)),
         lambda x: np.broadcast_to(x[:, None, :], (2, 5, 3)), (((2, 3),),), EVERY),
    Rule("broadcast_in_dim of ones", stretch((4, 3), (0, 1)),
         lambda x: np.broadcast_to(x, (4, 3)), (((1, 3),), ((4, 1),)), EVERY),
    Rule("broadcast_in_dim of a number", stretch((2, 0, 3), ()),
         lambda x: np.broadcast_to(x, (2, 0, 3)), (((),),), EVERY),
    Rule("reshape", lambda x: lax.reshape(x, (3, 2)), lambda x: x.reshape(3, 2),
         (((2, 3),), ((6,),), ((1, 2, 3),)), EVERY),
    Rule("reshape of nothing", lambda x: lax.reshape(x, (0,)), lambda x: x.reshape(0),
         (((0, 3),),), EVERY),
    Rule("squeeze", lambda x: lax.squeeze(x, (0, 2)), lambda x: x[0, :, 0],
         (((1, 3, 1),), ((1, 0, 1),), ((1, 2, 1, 2),)), EVERY),
    Rule("transpose", lambda x: lax.transpose(x, (2, 0, 1)), lambda x: x.transpose(2, 0, 1),
         (((2, 3, 4),), ((2, 0, 1),)), EVERY),
    Rule("reduce_sum all", lambda x: lax.reduce_sum(x, tuple(range(x.ndim))),
         lambda x: x.sum(dtype=x.dtype), tuple((s,) for s in ELEMENTWISE), NUMBERS),
    Rule("reduce_sum one", lambda x: lax.reduce_sum(x, (1,)), lambda x: x.sum(1, dtype=x.dtype),
         (((2, 3),), ((2, 0),), ((2, 3, 2),)), NUMBERS),
    Rule("reduce_max all", lambda x: lax.reduce_max(x, tuple(range(x.ndim))), np.max,
         (((),), ((4,),), ((2, 3),)), ORDERED),
    Rule("reduce_max one", lambda x: lax.reduce_max(x, (0,)), lambda x: x.max(0),
         (((4,),), ((2, 3),), ((2, 0),)), ORDERED),
    Rule("reduce_min all", lambda x: lax.reduce_min(x, tuple(range(x.ndim))), np.min,
         (((),), ((4,),), ((2, 3),)), ORDERED),
    Rule("reduce_min one", lambda x: lax.reduce_min(x, (-1 % x.ndim,)), lambda x: x.min(-1),
         (((4,),), ((2, 3),), ((0, 3),)), ORDERED),
    Rule("dot_general vectors", dot(((0,), (0,))), np.dot,
         (((4,), (4,)), ((0,), (0,))), NUMBERS),
    Rule("dot_general matrices", dot(((1,), (0,))), np.dot,
         (((2, 3), (3, 4)), ((2, 3), (3,)), ((2, 0), (0, 3)), ((0, 3), (3, 2))), NUMBERS),
    Rule("dot_general batched", dot(((2,), (1,)), ((0,), (0,))), np.matmul,
         (((2, 3, 4), (2, 4, 3)), ((2, 0, 3), (2, 3, 4))), NUMBERS),
    Rule("dot_general batch within", dot(((0,), (2,)), ((1,), (1,))),
         lambda x, y: np.einsum("kbi,jbk->bij", x, y), (((3, 2, 4), (2, 2, 3)),), NUMBERS),
    Rule("dot_general outer", dot(((), ())), np.multiply.outer, (((2,), (3,)), ((), (3,))),
         NUMBERS),
    Rule("dot_general two axes", dot(((0, 2), (1, 0))),
         lambda x, y: np.tensordot(x, y, ((0, 2), (1, 0))), (((2, 3, 4), (4, 2)),), NUMBERS),
    Rule("iota", lambda x: x * lax.broadcasted_iota(x.dtype, (2, 3), 1),
         lambda x: x * np.arange(3).astype(x.dtype), (((2, 3),),), NUMBERS),
    Rule("concatenate", lambda x, y: lax.concatenate([x, y], 0),
         lambda x, y: np.concatenate([x, y]), (((2,), (3,)), ((2, 3), (0, 3))), EVERY),
    Rule("concatenate of three", lambda x, y: lax.concatenate([x, y, x], 1),
         lambda x, y: np.concatenate([x, y, x], 1), (((2, 1), (2, 3)),), EVERY),
    Rule("slice", lambda x: lax.slice(x, (1, 0), (3, 2)), lambda x: x[1:3, 0:2],
         (((3, 4),),), EVERY),
    Rule("slice with strides", lambda x: lax.slice(x, (1,), (7,), (3,)), lambda x: x[1:7:3],
         (((8,),),), EVERY),
    Rule("rev", lambda x: lax.rev(x, (1,)), lambda x: x[:, ::-1],
         (((2, 3),), ((2, 0),), ((1, 2, 3),)), EVERY),
    Rule("pad", lambda x, y: lax.pad(x, lax.squeeze(y, (0,)), ((1, 2, 0),)),
         lambda x, y: np.pad(x, (1, 2), constant_values=y[0]), (((3,), (1,)), ((0,), (1,))), EVERY),
    Rule("pad between, and less at the ends",
         lambda x, y: lax.pad(x, lax.squeeze(y, (0,)), ((-1, -2, 2),)),
         lambda x, y: np.insert(x, np.repeat(np.arange(1, len(x)), 2), y[0])[1:-2],
         (((3,), (1,)), ((4,), (1,))), EVERY),
    Rule("dynamic_slice", lambda x: lax.dynamic_slice(x, (-1, 2), (2, 2)), lambda x: x[1:, 1:3],
         (((3, 3),),), EVERY),
    Rule("dynamic_update_slice", lambda x, y: lax.dynamic_update_slice(x, y, (1, -9)),
         updated_slice, (((3, 3), (1, 2)),), EVERY),
    Rule("gather", gather("clip"), lambda x: np.stack([x[2, :2], x[0, 1:], x[2, 1:]]),
         (((3, 3),),), EVERY),
    Rule("gather and fill", gather("fill"), filled, (((3, 3),),), EVERY),
    Rule("scatter", scatter(lax.scatter), updated(lambda x, y: y), (((3, 3), (3, 2)),), EVERY),
    Rule("scatter of unique", scatter(lax.scatter, unique_indices=True),
         updated(lambda x, y: y), (((3, 3), (3, 2)),), EVERY),
    Rule("scatter-add", scatter(lax.scatter_add), updated(np.add), (((3, 3), (3, 2)),), NUMBERS),
    Rule("scatter-sub", scatter(lax.scatter_sub), updated(np.subtract), (((3, 3), (3, 2)),),
         NUMBERS),
    Rule("scatter-mul", scatter(lax.scatter_mul, unique_indices=True), updated(np.multiply),
         (((3, 3), (3, 2)),), NUMBERS),
    Rule("scatter-min", scatter(lax.scatter_min), updated(np.minimum), (((3, 3), (3, 2)),),
         ORDERED),
    Rule("scatter-max", scatter(lax.scatter_max), updated(np.maximum), (((3, 3), (3, 2)),),
         ORDERED),
    Rule("slice to nothing", lambda x: lax.slice(x, (2,), (2,)), lambda x: x[2:2],
         (((4,),),), EVERY),
    # What is sorted is distinct, so that no order changes in a small step.
    Rule("sort", lambda x: lax.sort(x), lambda x: np.sort(x), (((4,),), ((2, 3),), ((0,),)), EVERY),
    Rule("sort along the first axis", lambda x: lax.sort(x, 0), lambda x: np.sort(x, 0),
         (((4,),), ((3, 2),), ((0, 2),)), EVERY),
    Rule("sort of values by keys", lambda x, y: lax.sort((x, y))[1],
         lambda x, y: np.take_along_axis(y, np.argsort(x, kind="stable"), -1),
         (((4,), (4,)), ((2, 3), (2, 3))), EVERY),
    Rule("approx_top_k", lambda x: lax.approx_max_k(x, 2)[0],
         lambda x: np.sort(x)[..., ::-1][..., :2], (((5,),), ((2, 3),)), FLOATS),
    Rule("ragged_dot_general", lambda x, y: lax.ragged_dot(x, y, np.array([1, 2])),
         lambda x, y: np.concatenate([x[:1] @ y[0], x[1:3] @ y[1], 0 * (x[3:] @ y[1])]),
         (((4, 3), (2, 3, 2)),)),
    Rule("top_k", lambda x: lax.top_k(x, 2)[0], lambda x: np.sort(x)[..., ::-1][..., :2],
         (((4,),), ((2, 3),), ((2, 2),)), ORDERED),
    Rule("cumsum", lambda x: lax.cumsum(x, 0), lambda x: np.cumsum(x, 0, x.dtype),
         (((4,),), ((3, 2),), ((0,),)), NUMBERS),
    Rule("cumsum from the end", lambda x: lax.cumsum(x, 1, reverse=True),
         lambda x: np.cumsum(x[:, ::-1], 1, x.dtype)[:, ::-1], (((2, 3),),), NUMBERS),
    Rule("cumprod", lambda x: lax.cumprod(x, 0), lambda x: np.cumprod(x, 0, x.dtype),
         (((4,),), ((3, 2),), ((0,),)), NUMBERS, POSITIVE),
    Rule("cummax", lambda x: lax.cummax(x, 0), lambda x: np.maximum.accumulate(x, 0),
         (((5,),), ((3, 2),), ((0,),)), FLOATS + INTS),
    Rule("cummin from the end", lambda x: lax.cummin(x, 1, reverse=True),
         lambda x: np.minimum.accumulate(x[:, ::-1], 1)[:, ::-1], (((2, 3),),), FLOATS + INTS),
    Rule("cumlogsumexp", lambda x: lax.cumlogsumexp(x), lambda x: np.logaddexp.accumulate(x),
         (((4,),), ((1,),)), FLOATS),
    Rule("cumlogsumexp from the end", lambda x: lax.cumlogsumexp(x, 0, reverse=True),
         lambda x: np.logaddexp.accumulate(x[::-1], 0, x.dtype)[::-1], (((3, 2),), ((0, 2),)),
         FLOATS),
    Rule("reduce_prod", lambda x: lax.reduce_prod(x, (0,)), lambda x: x.prod(0, dtype=x.dtype),
         (((4,),), ((3, 2),), ((0,),)), NUMBERS, POSITIVE),
    Rule("reduce_prod all", lambda x: lax.reduce_prod(x, (0, 1)), lambda x: x.prod(dtype=x.dtype),
         (((2, 3),), ((1, 1),)), NUMBERS, POSITIVE),
    Rule("reduce", lambda x: lax.reduce(x, x.dtype.type(0), lambda a, b: a + b, (1,)),
         lambda x: x.sum(1, dtype=x.dtype), (((2, 3),), ((2, 0),)), NUMBERS),
    *(Rule(f"reduce_{name}", function, lambda x, ufunc=ufunc: ufunc.reduce(x, 0, x.dtype),
           (((4,),), ((3, 2),), ((0,),)), INTS + BOOL, smooth=False)
      for name, ufunc, function in (
          ("and", np.bitwise_and, lambda x: lax.reduce_and(x, (0,))),
          ("or", np.bitwise_or, lambda x: lax.reduce_or(x, (0,))),
          ("xor", np.bitwise_xor, lambda x: lax.reduce_xor(x, (0,))))),
    Rule("reduce_window_sum", reduced(lax.add), lambda x: boxes(x, 0).sum(-1, dtype=x.dtype),
         (((2, 3),), ((3, 4),)), NUMBERS),
    Rule("reduce_window_max", reduced(lax.max, -1),
         lambda x: boxes(x, bound(x.dtype, -1)).max(-1), (((2, 3),), ((3, 4),)), FLOATS + INTS),
    Rule("reduce_window_min", reduced(lax.min, 1),
         lambda x: boxes(x, bound(x.dtype, 1)).min(-1), (((2, 3),), ((3, 4),)), FLOATS + INTS),
    Rule("reduce_window", lambda x: lax.reduce_window(x, np.ones((), x.dtype), lax.mul, **BOXES),
         lambda x: boxes(x, 1).prod(-1, dtype=x.dtype), (((2, 3),), ((3, 4),)), NUMBERS,
         smooth=False),
    Rule("select_and_gather_add", lambda x, y: lax.select_and_gather_add_p.bind(
        x, y, select_prim=lax.ge_p, **BOXES, **DENSE), of_largest, (((2, 3), (2, 3)),), FLOATS),
    Rule("select_and_scatter_add", lambda x, y: lax.select_and_scatter_add_p.bind(
        x, y, select_prim=lax.ge_p, **BOXES), to_largest, (((2, 2), (2, 3)),), FLOATS),
    Rule("conv_general_dilated", convolved((1, 2), ((1, 0), (0, 2))),
         lambda x, y: sums_of_products(x, y, (1, 2), ((1, 0), (0, 2))),
         (((1, 2, 2, 3), (2, 2, 2, 2)),), NUMBERS),
    Rule("conv_general_dilated in groups, spread out",
         convolved((2, 1), ((1, 1), (0, 1)), 2, lhs_dilation=(2, 1), rhs_dilation=(1, 2)),
         lambda x, y: sums_of_products(x, y, (2, 1), ((1, 1), (0, 1)), 2, (2, 1), (1, 2)),
         (((2, 2, 2, 2), (4, 1, 2, 2)),), FLOATS),
    Rule("argmax", lambda x: lax.argmax(x, 0, "int32"), lambda x: x.argmax(0).astype(np.int32),
         (((4,),), ((3, 2),)), ORDERED, smooth=False),
    Rule("argmin", lambda x: lax.argmin(x, 1, "uint8"), lambda x: x.argmin(1).astype(np.uint8),
         (((2, 3),),), ORDERED, smooth=False),
    Rule("split", lambda x: lax.split(x, (1, 2))[1], lambda x: x[1:], (((3,),), ((3, 2),)), EVERY),
    Rule("stack", lambda x, y: lax.stack([x, y], 1), lambda x, y: np.stack([x, y], 1),
         (((3,), (3,)), ((2, 3), (2, 3))), EVERY),
    Rule("unstack", lambda x: lax.unstack(x, 1)[0], lambda x: x[:, 0], (((2, 3),),), EVERY),
    Rule("tile", lambda x: lax.tile(x, (2, 3)), lambda x: np.tile(x, (2, 3)),
         (((2, 3),), ((0, 2),)), EVERY),
    Rule("clamp", lambda x, y: lax.clamp(lax.min(x, y), -x, lax.max(x, y)),
         lambda x, y: np.minimum(np.maximum(np.minimum(x, y), -x), np.maximum(x, y)),
         (((4,), (4,)), ((2, 3), (2, 3))), FLOATS),
    Rule("fft", lambda x: lax.fft(x, "FFT", x.shape[-1:]),
         lambda x: np.fft.fft(x).astype(x.dtype), (((4,),), ((2, 3),), ((0, 2),)), COMPLEX),
    Rule("fft and its inverse, of two axes", lambda x: lax.fft(x, "IFFT", (2, 3)),
         lambda x: np.fft.ifft2(x).astype(x.dtype), (((2, 3),), ((2, 2, 3),)), COMPLEX),
    Rule("fft of reals", lambda x: jnp.real(lax.fft(x, "RFFT", x.shape[-1:])),
         lambda x: np.fft.rfft(x).real.astype(x.dtype), (((4,),), ((2, 3),), ((0, 2),)),
         FLOATS[:2]),
    Rule("fft to reals", lambda x: lax.fft(x, "IRFFT", (2 * x.shape[-1] - 1,)),
         lambda x: np.fft.irfft(x, 2 * x.shape[-1] - 1).astype(x.dtype), (((3,),), ((2, 3),)),
         FLOATS[:2]),
    unary("tan", lax.tan, np.tan, domain=(-1.2, 1.2)),
    unary("asin", lax.asin, np.arcsin, FLOATS, domain=(-0.9, 0.9)),
    unary("acos", lax.acos, np.arccos, FLOATS, domain=(-0.9, 0.9)),
    unary("atan", lax.atan, np.arctan, FLOATS),
    unary("sinh", lax.sinh, np.sinh),
    unary("cosh", lax.cosh, np.cosh),
    unary("asinh", lax.asinh, np.arcsinh, FLOATS),
    unary("acosh", lax.acosh, np.arccosh, FLOATS, domain=(1.3, 3.0)),
    unary("atanh", lax.atanh, np.arctanh, FLOATS, domain=(-0.9, 0.9)),
    unary("exp2", lax.exp2, np.exp2),
    unary("cbrt", lax.cbrt, np.cbrt, FLOATS, domain=POSITIVE),
    binary("atan2", lax.atan2, np.arctan2, FLOATS, domain=POSITIVE),
    unary("ceil", lax.ceil, np.ceil, FLOATS, smooth=False),
    unary("is_finite", lax.is_finite, np.isfinite, FLOATS, smooth=False),
    unary("reduce_precision", lambda x: lax.reduce_precision(x, 5, 10),
          lambda x: x.astype(np.float16).astype(x.dtype), FLOATS, smooth=False),
    binary("nextafter", lax.nextafter, np.nextafter, FLOATS, smooth=False),
    unary("real", lambda x: lax.real(x), lambda x: x.real, COMPLEX, smooth=False),
    unary("imag", lambda x: lax.imag(x), lambda x: x.imag, COMPLEX, smooth=False),
    binary("complex", lax.complex, lambda x, y: (x + 1j * y).astype(np.complex64), ("float32",),
           smooth=False),
    unary("conj", lax.conj, np.conj, COMPLEX, smooth=False),
    unary("population_count", lax.population_count,
          lambda x: np.bitwise_count(bits_of(x)).astype(x.dtype), INTS, smooth=False),
    unary("clz", lax.clz, lambda x: leading_zeros(x).astype(x.dtype), INTS, smooth=False),
    binary("mulhi", lax.mulhi, lambda x, y: (x.astype("i8") * y >> 8 * x.itemsize).astype(x.dtype),
           INTS, smooth=False),
    binary("eq_to", lambda x, y: lax.eq_to_p.bind(x, y), np.equal, INTS + BOOL, smooth=False),
    binary("le_to", lambda x, y: lax.le_to_p.bind(x, y), np.less_equal, ORDERED, smooth=False),
    binary("lt_to", lambda x, y: lax.lt_to_p.bind(x, y), np.less, ORDERED, smooth=False),
)
# What loops are compiled whole with: these are a library's, or NumPy's, between kernels.
BETWEEN_KERNELS = ("fft",)
COMPILED = tuple(rule for rule in RULES if not rule.name.startswith(BETWEEN_KERNELS))
