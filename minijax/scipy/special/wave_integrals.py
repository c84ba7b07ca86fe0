"""Integrals of sines and cosines, over their argument or of its square."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minijax import lax, numpy
from minijax.lax.custom.derivatives import custom_jvp
from minijax.scipy.special.operands import fraction, special_function


@special_function(refuses_complex=ValueError, keeps_weak_type=False)
def sici(x: Any) -> tuple:
    """The integrals of sin(t) / t from 0 to x, and of cos(t) / t from infinity to abs(x).

    >>> si, ci = sici(1.0)
    >>> round(float(si), 5), round(float(ci), 5)
    (0.94608, 0.3374)
    """
    return _sici(x)


# Cephes' sici (Moshier, 1989): of z = 1 / x**2, f(x) and g(x) with Si(x) = pi / 2 - f cos - g sin
# and Ci(x) = f sin - g cos; fractions for x from 4 to 8, and from 8 on.
_F_4 = (
    """4.23612862892216586994E0 5.45937717161812843388E0 1.62083287701538329132E0
    1.67006611831323023771E-1 6.81020132472518137426E-3 1.08936580650328664411E-4
    5.48900223421373614008E-7""",
    """1.0 8.16496634205391016773E0 7.30828822505564552187E0 1.86792257950184183883E0
    1.78792052963149907262E-1 7.01710668322789753610E-3 1.10034357153915731354E-4
    5.48900252756255700982E-7""",
)
_F_8 = (
    """4.55880873470465315206E-1 7.13715274100146711374E-1 1.60300158222319456320E-1
    1.16064229408124407915E-2 3.49556442447859055605E-4 4.86215430826454749482E-6
    3.20092790091004902806E-8 9.41779576128512936592E-11 9.70507110881952024631E-14""",
    """1.0 9.17463611873684053703E-1 1.78685545332074536321E-1 1.22253594771971293032E-2
    3.58696481881851580297E-4 4.92435064317881464393E-6 3.21956939101046018377E-8
    9.43720590350276732376E-11 9.70507110881952025725E-14""",
)
_G_4 = (
    """8.71001698973114191777E-2 6.11379109952219284151E-1 3.97180296392337498885E-1
    7.48527737628469092119E-2 5.38868681462177273157E-3 1.61999794598934024525E-4
    1.97963874140963632189E-6 7.82579040744090311069E-9""",
    """1.0 1.64402202413355338886E0 6.66296701268987968381E-1 9.88771761277688796203E-2
    6.22396345441768420760E-3 1.73221081474177119497E-4 2.02659182086343991969E-6
    7.82579218933534490868E-9""",
)
_G_8 = (
    """6.97359953443276214934E-1 3.30410979305632063225E-1 3.84878767649974295920E-2
    1.71718239052347903558E-3 3.48941165502279436777E-5 3.47131167084116673800E-7
    1.70404452782044526189E-9 3.85945925430276600453E-12 3.14040098946363334640E-15""",
    """1.0 1.68548898811011640017E0 4.87852258695304967486E-1 4.67913194259625806320E-2
    1.90284426674399523638E-3 3.68475504442561108162E-5 3.57043223443740838771E-7
    1.72693748966316146736E-9 3.87830166023954706752E-12 3.14040098946363335242E-15""",
)


def _alternating(square: Any, start: int, count: int) -> Any:
    """The sum of (-square)**k / ((2k + start)! (2k + start)), its first term 1 / start."""
    total = lax.full_like(square, 0)
    for k in range(count, -1, -1):
        place = 2 * k + start
        total = 1 / place - total * square / ((place + 1) * (place + 2))
    return total


@custom_jvp
def _sici(x: Any) -> tuple:
    """Power series up to 4, DLMF 6.6.5 and 6.6.6."""
    size = numpy.abs(x)
    near = numpy.minimum(size, 4)
    square = near * near
    si = near * _alternating(square, 1, 15)
    is_0 = size == 0
    log = numpy.log(numpy.where(is_0, 1, near))
    ci = np.euler_gamma + log - square / 2 * _alternating(square, 2, 15)
    far = numpy.where((size > 4) & (size < math.inf), size, 4)
    z = 1 / far / far
    f = numpy.where(far < 8, fraction(z, _F_4), fraction(z, _F_8)) / far
    g = numpy.where(far < 8, fraction(z, _G_4), fraction(z, _G_8)) * z
    sine, cosine = numpy.sin(far), numpy.cos(far)
    si = numpy.where(size > 4, math.pi / 2 - f * cosine - g * sine, si)
    si = numpy.where(size == math.inf, math.pi / 2, si)
    ci = numpy.where(size > 4, f * sine - g * cosine, numpy.where(is_0, -math.inf, ci))
    ci = numpy.where(size == math.inf, numpy.where(x > 0, 0, math.nan), ci)
    return numpy.copysign(si, x), ci


@_sici.defjvp
def _sici_jvp(primals: tuple, tangents: tuple) -> tuple:
    (x,), (g,) = primals, tangents
    is_0 = x == 0
    safe = numpy.where(is_0, 1, x)
    si_slope = numpy.where(is_0, 1, numpy.sin(safe) / safe)
    return _sici(x), (g * si_slope, g * numpy.cos(x) / x)


@special_function(refuses_complex=NotImplementedError, keeps_weak_type=False)
def fresnel(x: Any) -> tuple:
    """Fresnel's integrals of sin(pi/2 t**2) and of cos(pi/2 t**2) from 0 to x.

    >>> s, c = fresnel(1.0)
    >>> round(float(s), 5), round(float(c), 5)
    (0.43826, 0.77989)
    """
    return _fresnel(x)


# In Cephes' fresnl (Moshier, 1989), of u = 1 / (pi x**2)**2, f = 1 - u * the first fraction and
# g = the second / (pi x**2).
_FRESNEL_F = (
    """4.21543555043677546506E-1 1.43407919780758885261E-1 1.15220955073585758835E-2
    3.45017939782574027900E-4 4.63613749287867322088E-6 3.05568983790257605827E-8
    1.02304514164907233465E-10 1.72010743268161828879E-13 1.34283276233062758925E-16
    3.76329711269987889006E-20""",
    """1.0 7.51586398353378947175E-1 1.16888925859191382142E-1 6.44051526508858611005E-3
    1.55934409164153020873E-4 1.84627567348930545870E-6 1.12699224763999035261E-8
    3.60140029589371370404E-11 5.88754533621578410010E-14 4.52001434074129701496E-17
    1.25443237090011264384E-20""",
)
_FRESNEL_G = (
    """5.04442073643383265887E-1 1.97102833525523411709E-1 1.87648584092575249293E-2
    6.84079380915393090172E-4 1.15138826111884280931E-5 9.82852443688422223854E-8
    4.45344415861750144738E-10 1.08268041139020870318E-12 1.37555460633261799868E-15
    8.36354435630677421531E-19 1.86958710162783235106E-22""",
    """1.0 1.47495759925128324529E0 3.37748989120019970451E-1 2.53603741420338795122E-2
    8.14679107184306179049E-4 1.27545075667729118702E-5 1.04314589657571990585E-7
    4.60680728146520428211E-10 1.10273215066240270757E-12 1.38796531259578871258E-15
    8.39158816283118707363E-19 1.86958710162783236342E-22""",
)


def _series_of_fourths(fourth: Any, start: int) -> Any:
    """The sum of (-(pi / 2)**2 x**4)**k over (2k + start)! (4k + 2 start + 1), by rising k."""
    scaled = fourth * (math.pi / 2) ** 2
    total = lax.full_like(fourth, 0)
    for k in range(14, -1, -1):
        place = 2 * k + start
        total = 1 / (2 * place + 1) - total * scaled / ((place + 1) * (place + 2))
    return total


@custom_jvp
def _fresnel(x: Any) -> tuple:
    """Power series up to 1.6, DLMF 7.6.4 and 7.6.6."""
    size = numpy.abs(x)
    is_far = size > 1.6
    near = numpy.where(is_far, 1, size)
    fourth = near**4
    s = near**3 * (math.pi / 2) * _series_of_fourths(fourth, 1)
    c = near * _series_of_fourths(fourth, 0)
    far = numpy.where(is_far & (size < 1e8), size, 1.6)
    square = far * far
    t = math.pi * square
    u = 1 / (t * t)
    f, g = 1 - u * fraction(u, _FRESNEL_F), fraction(u, _FRESNEL_G) / t
    angle = numpy.mod(square, 4) * (math.pi / 2)
    sine, cosine, width = numpy.sin(angle), numpy.cos(angle), math.pi * far
    s = numpy.where(is_far, 0.5 - (f * cosine + g * sine) / width, s)
    c = numpy.where(is_far, 0.5 + (f * sine - g * cosine) / width, c)
    s, c = (numpy.where(size >= 1e8, 0.5, part) for part in (s, c))
    return tuple(numpy.where(numpy.isnan(x), x, numpy.copysign(part, x)) for part in (s, c))


@_fresnel.defjvp
def _fresnel_jvp(primals: tuple, tangents: tuple) -> tuple:
    (x,), (g,) = primals, tangents
    angle = numpy.mod(x * x, 4) * (math.pi / 2)
    return _fresnel(x), (g * numpy.sin(angle), g * numpy.cos(angle))
