"""Bessel functions of an imaginary number, I0 and I1, times exp(-abs(x)): so they stay small."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from minijax.compiler.lowerings import register_lowering
from minijax.compiler.maths.xla_numbers import I0_FAR, I0_NEAR, I1_FAR, I1_NEAR
from minijax.compiler.simpler_programs import simpler_programs
from minijax.core.forward import defjvp2
from minijax.core.primitives import add, cast, fill, gt, integer_pow, mul, select, sub
from minijax.core.tracing import typeof
from minijax.lax.elementwise.arithmetic import abs, sign
from minijax.lax.special.error_functions import special_function, through_float64
from minijax.lax.special.incomplete_gamma import in_simpler
from minijax.lax.special.xla_float32 import coefficients_of


def _chebyshev(coefficients: str, x: np.ndarray) -> np.ndarray:
    """The sum of c_n T_n(x / 2), half of c_0. (Clenshaw, 1955.)"""
    last = before = current = np.zeros_like(x)
    for c in coefficients_of(coefficients):
        last, before = before, current
        current = x * before - last + c
    return (current - last) / 2


def _numpy_i0e(x: np.ndarray) -> np.ndarray:
    size = np.abs(x)
    near, far = _chebyshev(I0_NEAR, size / 2 - 2), _chebyshev(I0_FAR, 32 / size - 2)
    return np.where(size <= 8, near, far / np.sqrt(size))


def _numpy_i1e(x: np.ndarray) -> np.ndarray:
    size = np.abs(x)
    near, far = size * _chebyshev(I1_NEAR, size / 2 - 2), _chebyshev(I1_FAR, 32 / size - 2)
    return np.sign(x) * np.where(size <= 8, near, far / np.sqrt(size))


bessel_i0e_p, bessel_i0e = special_function(
    "bessel_i0e", through_float64(_numpy_i0e), "exp(-abs(x)) * I0(x), of floats."
)
register_lowering(bessel_i0e_p, template="bessel_i0e_{t}({0})")
simpler_programs[bessel_i0e_p] = in_simpler("bessel_i0e")
bessel_i1e_p, bessel_i1e = special_function(
    "bessel_i1e", through_float64(_numpy_i1e), "exp(-abs(x)) * I1(x), of floats."
)
register_lowering(bessel_i1e_p, template="bessel_i1e_{t}({0})")

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
