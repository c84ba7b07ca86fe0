"""What the approximations by which XLA computes float32 on a CPU are made of.

Kernels and NumPy compute with it alike. A polynomial's highest coefficient comes first.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def multiply_add(x: Any, y: Any, z: Any) -> Any:
    """x * y + z of numbers or arrays of one dtype, rounded once.

    Two float32 have a product that float64 holds. For float64 there is NumPy's longest float, which
    on some machines is no longer: there, results are off by a last place now and then.
    """
    dtype = np.result_type(x, y, z)
    wider = np.float64 if dtype == np.float32 else np.longdouble
    return (np.multiply(x, y, dtype=wider) + z).astype(dtype)


# Cephes' expf: exp(n * log(2) + r) is 2**n * (1 + r + r**2 * polynomial(r)).
EXP_SERIES = """
    1.9875691500E-4 1.3981999507E-3 8.3334519073E-3 4.1665795894E-2 1.6666665459E-1
    5.0000001201E-1"""

# Eigen's tanh: x times a fraction, of x**2; from some x on it stays as it is.
TANH_ABOVE = """
    -2.76076847742355e-16 2.00018790482477e-13 -8.60467152213735e-11 5.12229709037114e-08
    1.48572235717979e-05 6.37261928875436e-04 4.89352455891786e-03"""
TANH_BELOW = """
    1.19825839466702e-06 1.18534705686654e-04 2.26843463243900e-03 4.89352518554385e-03"""
TANH_BEGIN, TANH_END = 0.0004, 7.99881172180175781

# Cephes' logf: log(2**n * (1 + m)) is n * log(2) + m - m**2 / 2 + m**3 * polynomial(m), where
# 1 + m is between sqrt(1/2) and sqrt(2), and log(2) is the sum of a round number and the rest.
# XLA evaluates the polynomial in three strands, each in steps of m**3.
LOG_STRANDS = (
    "7.0376836292e-2 -1.1514610310e-1 1.1676998740e-1",
    "-1.2420140846e-1 1.4249322787e-1 -1.6668057665e-1",
    "2.0000714765e-1 -2.4999993993e-1 3.3333331174e-1",
)
LOG_2_HIGH, LOG_2_LOW = 0.693359375, -2.12194440e-4

# Cephes' log1p: x - x**2 / 2 + x**3 * fraction(x), near 0.
LOG1P_ABOVE = """
    4.5270000862445199635215E-5 4.9854102823193375972212E-1 6.5787325942061044846969E0
    2.9911919328553073277375E1 6.0949667980987787057556E1 5.7112963590585538103336E1
    2.0039553499201281259648E1"""
LOG1P_BELOW = """
    1.0 1.5062909083469192043167E1 8.3047565967967209469434E1 2.2176239823732856465394E2
    3.0909872225312059774938E2 2.1642788614495947685003E2 6.0118660497603843919306E1"""

# Giles, "Approximating the erfinv function" (GPU Computing Gems, Jade edition, 2011): erf_inv(x)/x
# in terms of w = -log(1 - x**2): of w - 2.5 where w is below 5, and of sqrt(w) - 3 from there on.
ERF_INV_NEAR = """
    2.81022636e-08 3.43273939e-07 -3.5233877e-06 -4.39150654e-06 0.00021858087
    -0.00125372503 -0.00417768164 0.246640727 1.50140941"""
ERF_INV_FAR = """
    -0.000200214257 0.000100950558 0.00134934322 -0.00367342844 0.00573950773
    -0.0076224613 0.00943887047 1.00167406 2.83297682"""
# For float64, with many more digits: of sqrt(w) - 5, where w is 16 and more.
ERF_INV_FARTHEST = """
    -2.7109920616438573243e-11 -2.5556418169965252055e-10 1.5076572693500548083e-09
    -3.7894654401267369937e-09 7.6157012080783393804e-09 -1.4960026627149240478e-08
    2.9147953450901080826e-08 -6.7711997758452339498e-08 2.2900482228026654717e-07
    -9.9298272942317002539e-07 4.5260625972231537039e-06 -1.9681778105531670567e-05
    7.5995277030017761139e-05 -0.00021503011930044477347 -0.00013871931833623122026
    1.0103004648645343977 4.8499064014085844221"""
