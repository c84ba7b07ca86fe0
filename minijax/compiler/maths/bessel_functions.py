"""Bessel functions of an imaginary number, I0 and I1, times exp(-abs(x)).

What lax/special/bessel.py has NumPy compute, to the bit: the same sums of float64, in its order.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType

import numpy as np

from minijax.compiler.maths.precisions import Pair, inlined, publish, version
from minijax.compiler.maths.xla_numbers import I0_FAR, I0_NEAR, I1_FAR, I1_NEAR


def step_by_step(fun: Callable) -> Callable:
    """A decorator for what is computed in float64 only, each operation rounded by itself."""
    return version(fun, True, ())


def clenshaw(x):
    last, before, current = 0.0, 0.0, 0.0
    for c in coefficients:  # noqa: F821  (each series has its own)
        last, before = before, current
        current = x * before - last + c
    return 0.5 * (current - last)


def chebyshev(coefficients: str) -> Callable:
    """The sum of c_n T_n(x / 2), half of c_0, as a function of x. (Clenshaw, 1955.)"""
    names = {"__name__": __name__, "coefficients": np.array(coefficients.split(), float)}
    return inlined(FunctionType(clenshaw.__code__, names, "clenshaw"), ())


i0_near, i0_far, i1_near, i1_far = map(chebyshev, (I0_NEAR, I0_FAR, I1_NEAR, I1_FAR))


@step_by_step
def i0e_double(x):
    """exp(-abs(x)) I0(x). Errors: 0 ulp."""
    size = abs(x)
    near, far = i0_near(0.5 * size - 2.0), i0_far(32.0 / size - 2.0)
    return near if size <= 8.0 else far / np.sqrt(size)


@step_by_step
def i1e_double(x):
    """exp(-abs(x)) I1(x). Errors: 0 ulp."""
    size = abs(x)
    near, far = size * i1_near(0.5 * size - 2.0), i1_far(32.0 / size - 2.0)
    value = near if size <= 8.0 else far / np.sqrt(size)
    return value if x > 0.0 else (-value if x < 0.0 else 0.0 * value)


@step_by_step
def i0e_single(x):
    """The same, rounded once. Errors: 0 ulp."""
    return np.float32(i0e_double(np.float64(x)))


@step_by_step
def i1e_single(x):
    """The same, rounded once. Errors: 0 ulp."""
    return np.float32(i1e_double(np.float64(x)))


bessel_i0e, bessel_i1e = Pair(i0e_single, i0e_double), Pair(i1e_single, i1e_double)

publish(globals())
