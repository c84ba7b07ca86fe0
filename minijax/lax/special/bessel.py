"""Bessel functions of an imaginary number, I0 and I1, times exp(-abs(x)): so they stay small."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from minijax.core.forward import defjvp2
from minijax.core.primitives import add, cast, fill, gt, integer_pow, mul, select, sub
from minijax.core.tracing import typeof
from minijax.lax.elementwise.arithmetic import abs, sign
from minijax.lax.special.error_functions import special_function, through_float64
from minijax.lax.special.xla_float32 import coefficients_of

# Cephes (Moshier, 1989, i0.c and i1.c): Chebyshev series, the highest term first. Up to 8 in terms
# of x / 2 - 2: I0(x) exp(-x), and I1(x) exp(-x) / x. Above in terms of 32 / x - 2, times sqrt(x).

_I0_NEAR = coefficients_of("""
    -4.41534164647933937950E-18 3.33079451882223809783E-17 -2.43127984654795469359E-16
    1.71539128555513303061E-15 -1.16853328779934516808E-14 7.67618549860493561688E-14
    -4.85644678311192946090E-13 2.95505266312963983461E-12 -1.72682629144155570723E-11
    9.67580903537323691224E-11 -5.18979560163526290666E-10 2.65982372468238665035E-9
    -1.30002500998624804212E-8 6.04699502254191894932E-8 -2.67079385394061173391E-7
    1.11738753912010371815E-6 -4.41673835845875056359E-6 1.64484480707288970893E-5
    -5.75419501008210370398E-5 1.88502885095841655729E-4 -5.76375574538582365885E-4
    1.63947561694133579842E-3 -4.32430999505057594430E-3 1.05464603945949983183E-2
    -2.37374148058994688156E-2 4.93052842396707084878E-2 -9.49010970480476444210E-2
    1.71620901522208775349E-1 -3.04682672343198398683E-1 6.76795274409476084995E-1""")
_I0_FAR = coefficients_of("""
    -7.23318048787475395456E-18 -4.83050448594418207126E-18 4.46562142029675999901E-17
    3.46122286769746109310E-17 -2.82762398051658348494E-16 -3.42548561967721913462E-16
    1.77256013305652638360E-15 3.81168066935262242075E-15 -9.55484669882830764870E-15
    -4.15056934728722208663E-14 1.54008621752140982691E-14 3.85277838274214270114E-13
    7.18012445138366623367E-13 -1.79417853150680611778E-12 -1.32158118404477131188E-11
    -3.14991652796324136454E-11 1.18891471078464383424E-11 4.94060238822496958910E-10
    3.39623202570838634515E-9 2.26666899049817806459E-8 2.04891858946906374183E-7
    2.89137052083475648297E-6 6.88975834691682398426E-5 3.36911647825569408990E-3
    8.04490411014108831608E-1""")
_I1_NEAR = coefficients_of("""
    2.7779141127610464e-18 -2.111421214358166e-17 1.5536319577362005e-16 -1.1055969477353862e-15
    7.6006842947354077e-15 -5.0421855047279118e-14 3.2237933659455748e-13 -1.9839743977649436e-12
    1.1736186298890901e-11 -6.6634897235020271e-11 3.6255902815521172e-10 -1.8872497517228294e-09
    9.3815373864957726e-09 -4.4450591287963281e-08 2.0032947535521353e-07 -8.5687202646954547e-07
    3.4702513081376785e-06 -1.3273163656039436e-05 4.7815651075500542e-05 -0.00016176081582589674
    0.00051228595616857576 -0.0015135724506312532 0.0041564229443128882 -0.010564084894626197
    0.024726449030626516 -0.052945981208094989 0.10264365868984709 -0.17641651835783406
    0.25258718644363365""")
_I1_FAR = coefficients_of("""
    7.5172963108421052e-18 4.4143483230717077e-18 -4.6503053684893586e-17 -3.2095259219934238e-17
    2.96262899764595e-16 3.3082023109209285e-16 -1.8803547755107825e-15 -3.8144030724370075e-15
    1.0420276984128802e-14 4.272440016711951e-14 -2.1015418427726643e-14 -4.0835511110921974e-13
    -7.1985517762459084e-13 2.0356285441470896e-12 1.4125807436613782e-11 3.2526035830154884e-11
    -1.8974958123505413e-11 -5.5897434621965838e-10 -3.835380385964237e-09 -2.6314688468895196e-08
    -2.5122362378702088e-07 -3.8825648088776906e-06 -0.00011058893876262371 -0.0097610974913614687
    0.77857623501828011""")


def _chebyshev(coefficients: tuple[float, ...], x: np.ndarray) -> np.ndarray:
    """The sum of c_n T_n(x / 2), half of c_0. (Clenshaw, 1955.)"""
    last = before = current = np.zeros_like(x)
    for c in coefficients:
        last, before = before, current
        current = x * before - last + c
    return (current - last) / 2


def _numpy_i0e(x: np.ndarray) -> np.ndarray:
    size = np.abs(x)
    near, far = _chebyshev(_I0_NEAR, size / 2 - 2), _chebyshev(_I0_FAR, 32 / size - 2)
    return np.where(size <= 8, near, far / np.sqrt(size))


def _numpy_i1e(x: np.ndarray) -> np.ndarray:
    size = np.abs(x)
    near, far = size * _chebyshev(_I1_NEAR, size / 2 - 2), _chebyshev(_I1_FAR, 32 / size - 2)
    return np.sign(x) * np.where(size <= 8, near, far / np.sqrt(size))


bessel_i0e_p, bessel_i0e = special_function(
    "bessel_i0e", through_float64(_numpy_i0e), "exp(-abs(x)) * I0(x), of floats."
)
bessel_i1e_p, bessel_i1e = special_function(
    "bessel_i1e", through_float64(_numpy_i1e), "exp(-abs(x)) * I1(x), of floats."
)

# I0' is I1, and I1' is I0 - I1 / x (DLMF 10.29), which is 1/2 at 0; exp(-abs(x)) adds its share.


def _i0e_jvp(g: Any, ans: Any, x: Any) -> Any:
    return mul(g, sub(bessel_i1e(x), mul(sign(x), ans)))


def _i1e_jvp(g: Any, ans: Any, x: Any) -> Any:
    dtype = typeof(x).dtype
    tiny = ml_dtypes.finfo(dtype).eps
    is_known = gt(cast(abs(x), dtype), tiny)
    safe = select(is_known, x, fill(typeof(x), tiny))
    slope = sub(bessel_i0e(safe), mul(ans, add(sign(safe), integer_pow(safe, -1))))
    return mul(g, select(is_known, slope, fill(typeof(x), 0.5)))


defjvp2(bessel_i0e_p, _i0e_jvp)
defjvp2(bessel_i1e_p, _i1e_jvp)
