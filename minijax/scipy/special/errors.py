"""Error functions, and the normal distribution, whose share below a number is one of them."""

from __future__ import annotations

import math
from typing import Any

from minijax import lax, numpy
from minijax.core.forward import constant
from minijax.core.primitives import cast
from minijax.core.tracing import typeof
from minijax.lax.custom.derivatives import custom_jvp
from minijax.lax.shapes.axes import as_integer
from minijax.numpy.promotion import promote_args
from minijax.scipy.special.faddeeva import erfcx
from minijax.scipy.special.operands import check_wide, fraction, special_function, strong


@special_function
def erf(x: Any) -> Any:
    """The error function: 2 / sqrt(pi) * the integral of exp(-t**2)."""
    return lax.erf(x)


@special_function
def erfc(x: Any) -> Any:
    """1 - erf(x), without loss for large x."""
    return lax.erfc(x)


@special_function
def erfinv(x: Any) -> Any:
    """The y with erf(y) = x."""
    return lax.erf_inv(x)


# Of normal numbers with mean 0 and deviation 1.


def share_below(x: Any) -> Any:
    """How much of the normal distribution lies below x, a float.

    By erf in the middle and erfc outside, as Cephes' ndtr has it, so that no digits are lost.
    """
    t = cast(x, typeof(x).dtype)
    middle = constant(t, math.sqrt(0.5))
    t = lax.mul(t, middle)
    size = lax.abs(t)
    is_inside, inside = lax.lt(size, middle), lax.add(constant(t, 1), lax.erf(t))
    is_above, above = lax.gt(t, constant(t, 0)), lax.sub(constant(t, 2), lax.erfc(size))
    outside = lax.select(is_above, above, lax.erfc(size))
    return lax.mul(constant(t, 0.5), lax.select(is_inside, inside, outside))


@special_function(only_wide=True)
def ndtr(x: Any) -> Any:
    """How much of the normal distribution, with mean 0 and deviation 1, lies below x.

    >>> ndtr(0.0)
    Array(0.5, dtype=float32)
    """
    return share_below(x)


@special_function(only_wide=True, keeps_weak_type=False)
def ndtri(p: Any) -> Any:
    """The x below which p of the normal distribution lies: the inverse of `ndtr`.

    >>> ndtri(0.5)
    Array(0., dtype=float32)
    """
    return _ndtri(p)


# Cephes' ndtri (Moshier, 1989). In the middle, of w = p - 1/2, x is sqrt(2 pi) (w + w**3 R(w**2));
# near the ends, of z = sqrt(-2 log p), it is log(z) / z - z + R(1 / z) / z. R are fractions, which
# are written as the coefficients above and below.
_MIDDLE = (
    """-5.99633501014107895267E1 9.80010754185999661536E1 -5.66762857469070293439E1
    1.39312609387279679503E1 -1.23916583867381258016E0""",
    """1.0 1.95448858338141759834E0 4.67627912898881538453E0 8.63602421390890590575E1
    -2.25462687854119370527E2 2.00260212380060660359E2 -8.20372256168333339912E1
    1.59056225126211695515E1 -1.18331621121330003142E0""",
)
_NEAR_END = (  # z from 2 to 8
    """4.05544892305962419923E0 3.15251094599893866154E1 5.71628192246421288162E1
    4.40805073893200834700E1 1.46849561928858024014E1 2.18663306850790267539E0
    -1.40256079171354495875E-1 -3.50424626827848203418E-2 -8.57456785154685413611E-4""",
    """1.0 1.57799883256466749731E1 4.53907635128879210584E1 4.13172038254672030440E1
    1.50425385692907503408E1 2.50464946208309415979E0 -1.42182922854787788574E-1
    -3.80806407691578277194E-2 -9.33259480895457427372E-4""",
)
_AT_END = (  # z from 8 on
    """3.23774891776946035970E0 6.91522889068984211695E0 3.93881025292474443415E0
    1.33303460815807542389E0 2.01485389549179081538E-1 1.23716634817820021358E-2
    3.01581553508235416007E-4 2.65806974686737550832E-6 6.23974539184983293730E-9""",
    """1.0 6.02427039364744014255E0 3.67983563856160859403E0 1.37702099489081330271E0
    2.16236993594496635890E-1 1.34204006088543189037E-2 3.28014464682127739104E-4
    2.89247864745380683936E-6 6.79019408009981274425E-9""",
)


@custom_jvp
def _ndtri(p: Any) -> Any:
    end = math.exp(-2)
    is_upper, is_inside = p > 1 - end, (p > 0) & (p < 1)
    tail = numpy.where(is_upper, 1 - p, p)
    w = tail - 0.5
    square = w * w
    middle = math.sqrt(2 * math.pi) * (w + w * square * fraction(square, _MIDDLE))
    z = numpy.sqrt(-2 * numpy.log(numpy.where(is_inside, numpy.minimum(tail, end), end)))
    far = numpy.where(z < 8, fraction(1 / z, _NEAR_END), fraction(1 / z, _AT_END)) / z
    x = numpy.where(tail > end, middle, numpy.log(z) / z - z + far)
    x = numpy.where(is_upper, -x, x)
    edges = numpy.log(p) - numpy.log1p(-p)  # -inf at 0, inf at 1, NaN beyond
    return lax.select(is_inside, x, edges.astype(typeof(x).dtype))


_ndtri.defjvps(lambda g, ans, p: g * math.sqrt(2 * math.pi) * numpy.exp(ans * ans / 2))


def log_ndtr(x: Any, series_order: int = 3) -> Any:
    """log(ndtr(x)), without loss where `ndtr` is near 0 or 1.

    `series_order`, from 0 to 30, is JAX's, and means nothing here: no series is cut off.

    >>> log_ndtr(-100.0)
    Array(-5005.5244, dtype=float32)
    """
    order = as_integer("scipy.special.log_ndtr", "series_order", series_order)
    if not 0 <= order <= 30:
        raise ValueError(
            f"scipy.special.log_ndtr takes a series_order from 0 to 30, and got {order}. Leave it "
            f"out."
        )
    check_wide("scipy.special.log_ndtr", x)
    (x,) = promote_args("scipy.special.log_ndtr", x, inexact=True)
    return strong(_log_ndtr(x))


@custom_jvp
def _log_ndtr(x: Any) -> Any:
    """Below 0, erfc(t) is erfcx(t) * exp(-t**2)."""
    below = numpy.minimum(x, 0)
    scaled = erfcx(below * -math.sqrt(0.5))
    square = numpy.where(numpy.isinf(below), math.inf, below * below / 2)
    low = numpy.log(scaled / 2) - square
    high = numpy.log1p(-lax.erfc(numpy.maximum(x, 0) * math.sqrt(0.5)) / 2)
    return lax.select(x < 0, low, high)


_log_ndtr.defjvps(
    lambda g, ans, x: g * numpy.exp(-x * x / 2 - ans) / math.sqrt(2 * math.pi)
)  # fmt: skip
