"""Special functions: integrals that have names, and logarithms near 1. Each primitive with all its
rules.

XLA's algorithms on a CPU are followed so far that results agree to a few units in the last place;
float64 is left to the C library where XLA does that."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from minijax.compiler.lowerings import register_lowering
from minijax.compiler.maths.xla_numbers import (
    ERF_ABOVE,
    ERF_BELOW,
    ERF_INV_FAR,
    ERF_INV_FARTHEST,
    ERF_INV_NEAR,
    ERF_IS_ONE,
)
from minijax.core.batching import defvectorized
from minijax.core.dtypes import issubdtype
from minijax.core.forward import constant, defjvp, defjvp2
from minijax.core.primitives import add, div, exp, mul, naryop, neg, through_float32, unary
from minijax.core.tracing import Primitive
from minijax.lax.elementwise.arithmetic import float_function, square
from minijax.lax.special.xla_float32 import coefficients_of, horner
from minijax.lax.special.xla_float32 import log1p as numpy_log1p


def special_function(name: str, numpy_fun: Callable, doc: str) -> tuple[Primitive, Callable]:
    """A primitive of one operand, of floats, whose JVP rule is still to come; and its function."""
    primitive = naryop(name, [np.floating], through_float32(numpy_fun))
    defvectorized(primitive)
    return primitive, unary(primitive, doc)


def no_derivative(
    name: str, parameter: str, error: type[Exception] = NotImplementedError
) -> Callable:  # fmt: skip
    """The JVP rule, for one operand, of a function that has no derivative by it."""

    def rule(*args: Any) -> Any:
        raise error(
            f"{name} has no derivative by {parameter}.\n"
            f"Use lax.stop_gradient({parameter}) where that is constant."
        )

    return rule


def through_float64(numpy_fun: Callable) -> Callable:
    """Computes floats with 64 bits, and complex numbers with twice 64, and rounds once."""

    def fun(*args: np.ndarray) -> np.ndarray:
        dtype = args[0].dtype
        wide = np.complex128 if issubdtype(dtype, np.complexfloating) else np.float64
        return np.asarray(numpy_fun(*(x.astype(wide) for x in args))).astype(dtype)

    return fun


# Near 1 a logarithm is small, and so is what an exponential adds to 1: both keep their digits.


def _numpy_log1p(x: np.ndarray) -> np.ndarray:
    """Of a complex number u + iv, half the log of |1 + u + iv|**2 = 1 + u * (2 + u) + v**2."""
    if not issubdtype(x.dtype, np.complexfloating):
        return numpy_log1p(x)
    wide = x.astype(np.complex128)
    u, v = wide.real, wide.imag
    near = np.log1p(u * (2 + u) + v * v) / 2
    size = np.where(np.abs(wide) < 0.5, near, np.log(np.hypot(1 + u, v)))
    return size + 1j * np.arctan2(v, 1 + u)


log1p_p, log1p = float_function("log1p", _numpy_log1p, "log(1 + x), exact for a small x too.")
defjvp(log1p_p, lambda g, x: div(g, add(x, constant(x, 1))))

expm1_p, expm1 = float_function(
    "expm1", through_float64(np.expm1), "exp(x) - 1, exact for a small x too."
)
defjvp2(expm1_p, lambda g, ans, x: mul(g, add(ans, constant(x, 1))))

# The inverse of the error function, erf(y) = 2 / sqrt(pi) * the integral of exp(-t**2) from 0 to y.


# Giles, "Approximating the erfinv function" (GPU Computing Gems, Jade edition, 2011): erf_inv(x)/x
# in terms of w = -log(1 - x**2). For w below a bound, a shift and the coefficients, the highest
# first. The first piece is a polynomial in w - shift, the others in sqrt(w) - shift.
_PIECES = {
    np.dtype(np.float32): (
        (5.0, 2.5, coefficients_of(ERF_INV_NEAR)),
        (np.inf, 3.0, coefficients_of(ERF_INV_FAR)),
    ),
    np.dtype(np.float64): (
        (6.25, 3.125, coefficients_of("""
            -3.6444120640178196996e-21 -1.685059138182016589e-19 1.2858480715256400167e-18
            1.115787767802518096e-17 -1.333171662854620906e-16 2.0972767875968561637e-17
            6.6376381343583238325e-15 -4.0545662729752068639e-14 -8.1519341976054721522e-14
            2.6335093153082322977e-12 -1.2975133253453532498e-11 -5.4154120542946279317e-11
            1.051212273321532285e-09 -4.1126339803469836976e-09 -2.9070369957882005086e-08
            4.2347877827932403518e-07 -1.3654692000834678645e-06 -1.3882523362786468719e-05
            0.0001867342080340571352 -0.00074070253416626697512 -0.0060336708714301490533
            0.24015818242558961693 1.6536545626831027356""")),
        (16.0, 3.25, coefficients_of("""
            2.2137376921775787049e-09 9.0756561938885390979e-08 -2.7517406297064545428e-07
            1.8239629214389227755e-08 1.5027403968909827627e-06 -4.013867526981545969e-06
            2.9234449089955446044e-06 1.2475304481671778723e-05 -4.7318229009055733981e-05
            6.8284851459573175448e-05 2.4031110387097893999e-05 -0.0003550375203628474796
            0.00095328937973738049703 -0.0016882755560235047313 0.0024914420961078508066
            -0.0037512085075692412107 0.005370914553590063617 1.0052589676941592334
            3.0838856104922207635""")),
        (np.inf, 5.0, coefficients_of(ERF_INV_FARTHEST)),
    ),
}  # fmt: skip


def _numpy_erf_inv(x: np.ndarray) -> np.ndarray:
    """Of float32 or float64: a few units in the last place are wrong, and more where x * x, which
    is rounded here as in XLA, is nearly 1."""
    w = np.atleast_1d(-numpy_log1p(-x * x))
    (bound, shift, coefficients), *tails = _PIECES[x.dtype]
    factor = horner(w - x.dtype.type(shift), coefficients)
    for next_bound, shift, coefficients in tails:
        far = w >= bound
        factor[far] = horner(np.sqrt(w[far]) - x.dtype.type(shift), coefficients)
        bound = next_bound
    return np.where(np.abs(x) == 1, x * np.inf, factor.reshape(x.shape) * x)


def _erf_inv_jvp(g: Any, ans: Any, x: Any) -> Any:
    """erf'(y) is 2 / sqrt(pi) * exp(-y**2), and this is 1 over that."""
    return mul(constant(x, math.sqrt(math.pi) / 2), mul(g, exp(square(ans))))


erf_inv_p, erf_inv = special_function(
    "erf_inv", _numpy_erf_inv, "The y with erf(y) = x, of floats: infinity at -1 and 1, NaN beyond."
)
defjvp2(erf_inv_p, _erf_inv_jvp)
register_lowering(erf_inv_p, template="erf_inv_{t}({0})")

# The error function itself, and what is left of 1.

_erf_above, _erf_below = map(coefficients_of, (ERF_ABOVE, ERF_BELOW))
_libm_erf = np.vectorize(math.erf, otypes=[np.float64])
_libm_erfc = np.vectorize(math.erfc, otypes=[np.float64])


def _numpy_erf(x: np.ndarray) -> np.ndarray:
    if x.dtype == np.float64:
        return _libm_erf(x)
    square = x * x
    fraction = x * horner(square, _erf_above) / horner(square, _erf_below)
    is_one = np.abs(x) >= np.float32(ERF_IS_ONE)
    return np.where(is_one, np.copysign(np.float32(1), x), fraction)


def _erf_jvp(slope: float) -> Callable:
    """erf'(x) is 2 / sqrt(pi) * exp(-x**2), and erfc'(x) is minus that."""
    return lambda g, x: mul(constant(x, slope), mul(g, exp(neg(square(x)))))


erf_p, erf = special_function(
    "erf", _numpy_erf,
    "2 / sqrt(pi) times the integral of exp(-t**2) for t from 0 to x, of floats.",
)  # fmt: skip
defjvp(erf_p, _erf_jvp(2 / math.sqrt(math.pi)))
register_lowering(erf_p, template="erf_{t}({0})")

erfc_p, erfc = special_function(
    "erfc", through_float64(_libm_erfc), "1 - erf(x), of floats, exact where that is small too."
)
defjvp(erfc_p, _erf_jvp(-2 / math.sqrt(math.pi)))
register_lowering(erfc_p, template="erfc_{t}({0})")
