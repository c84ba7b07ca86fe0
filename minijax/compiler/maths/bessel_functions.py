"""Bessel functions of an imaginary number, I0 and I1, times exp(-abs(x)).

In float64 they are the sums that lax/special/bessel.py has NumPy compute, to the bit. NumPy's
float32 is float64 that is rounded at the end: then few terms count, and a polynomial has them all.
Errors are described as in gamma_functions.py.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType

import numpy as np

from minijax.compiler.maths.precisions import Pair, horner, inlined, publish, version
from minijax.compiler.maths.special import in_double
from minijax.compiler.maths.xla_numbers import I0_FAR, I0_NEAR, I1_FAR, I1_NEAR

# Float64, each operation rounded by itself.


def step_by_step(fun: Callable) -> Callable:
    """A decorator for what is computed in float64 only."""
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
    """Errors: 0 ulp."""
    size = abs(x)
    near, far = i0_near(0.5 * size - 2.0), i0_far(32.0 / size - 2.0)
    return near if size <= 8.0 else far / np.sqrt(size)


@step_by_step
def i1e_double(x):
    """Errors: 0 ulp."""
    size = abs(x)
    near, far = size * i1_near(0.5 * size - 2.0), i1_far(32.0 / size - 2.0)
    value = near if size <= 8.0 else far / np.sqrt(size)
    return value if x > 0.0 else (-value if x < 0.0 else 0.0 * value)


# Float32.


def in_powers(coefficients: str) -> Callable:
    """The same sum, as a polynomial: of the terms that may count in float32."""
    terms = [c for c in map(float, coefficients.split()) if abs(c) > 1e-10]
    last = before = current = np.zeros(len(terms) + 1)
    for c in terms:
        last, before = before, current
        current = np.roll(before, 1) - last  # x times a polynomial: all its powers are one higher
        current[0] += c
    return horner(" ".join(map(repr, map(float, (current - last)[-2::-1] / 2))), np.float64)


i0_few_near, i0_few_far, i1_few_near, i1_few_far = map(
    in_powers, (I0_NEAR, I0_FAR, I1_NEAR, I1_FAR)
)


@in_double
def i0e_single(x):
    """Errors: 1 ulp."""
    size = abs(np.float64(x))
    part = 1.0 / size
    near, far = i0_few_near(0.5 * size - 2.0), i0_few_far(32.0 * part - 2.0)
    return np.float32(near if size <= 8.0 else far * np.sqrt(part))


@in_double
def i1e_single(x):
    """Errors: 1 ulp."""
    size = abs(np.float64(x))
    part = 1.0 / size
    near, far = size * i1_few_near(0.5 * size - 2.0), i1_few_far(32.0 * part - 2.0)
    value = np.float32(near if size <= 8.0 else far * np.sqrt(part))
    return value if x > 0.0 else (-value if x < 0.0 else np.float32(0.0) * value)


bessel_i0e, bessel_i1e = Pair(i0e_single, i0e_double), Pair(i1e_single, i1e_double)

publish(globals())
