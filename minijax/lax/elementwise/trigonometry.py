"""Trigonometric and hyperbolic functions, each with its inverse; and exp2 and cbrt.

The inverses' derivatives are algebraic: roots, and quotients of polynomials.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minijax.compiler.lowerings import register_lowering
from minijax.core.batching import defbroadcasting, defvectorized
from minijax.core.forward import constant, defjvp, defjvp2
from minijax.core.primitives import (
    add,
    binary,
    div,
    integer_pow,
    log,
    mul,
    naryop,
    neg,
    sub,
    through_float32,
    unary,
)
from minijax.core.printing import hide_none, pp_eqn_rules
from minijax.core.tracing import Primitive
from minijax.lax.elementwise.accuracies import with_accuracy
from minijax.lax.elementwise.arithmetic import float_function, reciprocal, rsqrt, square


def _one(x: Any) -> Any:
    return constant(x, 1)


def _function(name: str, numpy_fun: Callable, rule: Callable, doc: str) -> tuple:
    """A primitive of floats and complex numbers with its rules, and the function."""
    primitive = naryop(name, [np.inexact], through_float32(numpy_fun))
    defvectorized(primitive)
    register_lowering(primitive, template=f"{name}_{{t}}({{0}})")
    defjvp(primitive, rule)
    return primitive, unary(primitive, doc)


# Of the circle.

tan_p, tan = float_function("tan", np.tan, "The tangent of floats or complex numbers, in radians.")
defjvp2(tan_p, lambda g, ans, x: mul(g, add(_one(x), square(ans))))


def _within_one(numpy_fun: Callable) -> Callable:
    """Beyond 1, XLA's NaN, with a sign; NumPy's has one on some processors."""
    def fun(x: np.ndarray) -> np.ndarray:
        y = numpy_fun(x)
        if y.dtype.kind == "c":
            return y
        return np.where(abs(x) > 1, np.copysign(y, -1), y)

    return fun


asin_p, asin = _function(
    "asin", _within_one(np.arcsin), lambda g, x: mul(g, rsqrt(sub(_one(x), square(x)))),
    "The angle whose sine is x: from -pi/2 to pi/2, NaN beyond 1.",
)  # fmt: skip
acos_p, acos = _function(
    "acos", _within_one(np.arccos), lambda g, x: mul(g, neg(rsqrt(sub(_one(x), square(x))))),
    "The angle whose cosine is x: from 0 to pi, NaN beyond 1.",
)  # fmt: skip
atan_p, atan = _function(
    "atan", np.arctan, lambda g, x: div(g, add(_one(x), square(x))),
    "The angle whose tangent is x: from -pi/2 to pi/2.",
)  # fmt: skip


def _numpy_atan2(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Of complex numbers, -i log((y + i x) / sqrt(x**2 + y**2))."""
    if x.dtype.kind == "c":
        return -1j * np.log((y + 1j * x) / np.sqrt(x * x + y * y))
    return np.arctan2(x, y)


atan2_p = naryop("atan2", [np.inexact], through_float32(_numpy_atan2))
defjvp(
    atan2_p,
    lambda g, x, y: mul(g, div(y, add(square(x), square(y)))),
    lambda g, x, y: mul(g, div(neg(x), add(square(x), square(y)))),
)
defbroadcasting(atan2_p)
register_lowering(atan2_p, template="atan2_{t}({0}, {1})")
atan2 = binary(atan2_p, "The angle of the point (y, x), from -pi to pi: that of x / y, and more.")

# Of the hyperbola.

sinh_p, sinh = _function(
    "sinh", np.sinh, lambda g, x: mul(g, cosh(x)), "(exp(x) - exp(-x)) / 2, the hyperbolic sine."
)
cosh_p, cosh = _function(
    "cosh", np.cosh, lambda g, x: mul(g, sinh(x)), "(exp(x) + exp(-x)) / 2, the hyperbolic cosine."
)
asinh_p, asinh = _function(
    "asinh", np.arcsinh, lambda g, x: mul(g, rsqrt(add(square(x), _one(x)))),
    "The number whose hyperbolic sine is x.",
)  # fmt: skip
acosh_p, acosh = _function(
    "acosh", np.arccosh, lambda g, x: mul(g, rsqrt(sub(square(x), _one(x)))),
    "The number, not below 0, whose hyperbolic cosine is x; NaN where x is below 1.",
)  # fmt: skip
atanh_p, atanh = _function(
    "atanh", np.arctanh,
    lambda g, x: mul(reciprocal(add(_one(x), x)), div(g, sub(_one(x), x))),
    "The number whose hyperbolic tangent is x; NaN beyond 1.",
)  # fmt: skip

# Powers and roots of the same kind.

exp2_p, exp2 = float_function("exp2", np.exp2, "2 to the power of x.")
defjvp2(exp2_p, lambda g, ans, x: mul(log(constant(x, 2)), mul(g, ans)))


def _cube_root() -> tuple[Primitive, Callable]:
    primitive = naryop("cbrt", [np.floating], through_float32(np.cbrt), inert={"accuracy": None})
    defvectorized(primitive)
    pp_eqn_rules[primitive] = hide_none("accuracy")
    return primitive, with_accuracy(primitive, "The number whose third power is x, for floats.")


cbrt_p, cbrt = _cube_root()
register_lowering(cbrt_p, template="cbrt_{t}({0})")
defjvp2(cbrt_p, lambda g, ans, x: mul(g, mul(constant(x, 1 / 3), integer_pow(ans, -2))))
