"""Integrals that stop half-way: the incomplete gamma and beta functions, and their derivatives.

Each is summed until no element changes any more, by a series where x is small and by a continued
fraction where it is large. The steps are rounded in the dtype of the operands, as in XLA."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minijax.compiler.lowerings import register_lowering
from minijax.compiler.maths.xla_numbers import multiply_add
from minijax.compiler.simpler_programs import simpler_programs
from minijax.core.batching import defbroadcasting
from minijax.core.forward import constant, defjvp
from minijax.core.primitives import add, binary, exp, log, mul, naryop, neg, sub, through_float32
from minijax.core.tracing import Primitive
from minijax.lax.special.error_functions import no_derivative
from minijax.lax.special.gammas import lgamma, numpy_digamma, numpy_lgamma
from minijax.lax.special.xla_float32 import log as numpy_log

State = tuple[np.ndarray, ...]


def iterate(step: Callable, state: State, active: np.ndarray, limit: int) -> State:
    """The state of each element when it stops: `step` says how it goes on, and whether to.

    An element that has stopped is left as it is.
    """
    count = 0
    while active.any() and count < limit:
        count += 1
        new, goes_on = step(count, *state)
        state = tuple(np.where(active, x, old) for x, old in zip(new, state, strict=True))
        active = active & goes_on
    return state


# With P = gamma(a, x) / gamma(a), the two sums below are, of P and of 1 - P, what is left after
# division by x**a exp(-x) / gamma(a); and the derivative of that by a. (Cephes, igam.c; the
# derivatives: Moore, "Algorithm AS 187", Applied Statistics, 1982.)


def _series(a: np.ndarray, x: np.ndarray, active: np.ndarray, slope: bool) -> tuple[Any, Any]:
    """The sum of x**n / ((a + 1) ... (a + n)), for P; DLMF 8.11.4. And its derivative by a."""
    number, eps = a.dtype.type, np.finfo(a.dtype).eps

    def step(count, r, term, total, term_dot, total_dot):
        r = r + number(1)
        term_dot = term_dot * (x / r) - (term * x) / (r * r)
        total_dot = total_dot + term_dot
        term = term * (x / r)
        total = total + term
        change = np.abs(term_dot / total_dot) if slope else term / total
        return (r, term, total, term_dot, total_dot), change > eps

    one, zero = np.ones_like(a), np.zeros_like(a)
    _, _, total, _, total_dot = iterate(step, (a, one, one, zero, zero), active, limit=2**18)
    return total, total_dot


def _fraction(a: np.ndarray, x: np.ndarray, active: np.ndarray, slope: bool) -> tuple[Any, Any]:
    """The continued fraction for 1 - P, DLMF 8.9.2, and its derivative by a.

    p / q are its convergents; all are made smaller together where they grow too large.
    """
    number, eps = a.dtype.type, np.finfo(a.dtype).eps
    y = number(1) - a
    z = x + y + number(1)

    def step(count, ans, dot, p1, q1, p2, q2, p1_dot, q1_dot, p2_dot, q2_dot):
        c, scale = number(count), z + number(2 * count)
        weight = (y + c) * c
        p, q = p1 * scale - p2 * weight, q1 * scale - q2 * weight
        p_dot = p1_dot * scale - p1 - p2_dot * weight + p2 * c
        q_dot = q1_dot * scale - q1 - q2_dot * weight + q2 * c
        usable = q != 0
        new = np.where(usable, p / q, ans)
        new_dot = np.where(usable, (p_dot - new * q_dot) / q, dot)
        change = np.abs(new_dot - dot) if slope else np.abs((ans - new) / new)
        goes_on = np.where(usable, change, number(1)) > eps
        factor = np.where(np.abs(p) > 1 / eps, eps, number(1))
        rest = (p, q, p1, q1, p_dot, q_dot, p1_dot, q1_dot)
        return (new, new_dot, *(value * factor for value in rest)), goes_on

    one, zero = np.ones_like(x), np.zeros_like(x)
    p, q, q_dot = x + number(1), z * x, -x
    ans = p / q
    state = (ans, (zero - ans * q_dot) / q, p, q, one, x, zero, q_dot, zero, zero)
    return iterate(step, state, active, limit=2000)[:2]


def _factor(a: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """x**a exp(-x) / gamma(a), and whether that is a number above zero."""
    log_factor = multiply_add(a, numpy_log(x), -x) - numpy_lgamma(a)
    return np.exp(log_factor), ~(log_factor < -np.log(np.finfo(a.dtype).max))


def _both(a: np.ndarray, x: np.ndarray, active: np.ndarray, far: np.ndarray) -> tuple[Any, Any]:
    """P, where it is not 0 or 1, and 1 - P: the one that is not summed is what is left of 1."""
    factor, _ = _factor(a, x)
    near = _series(a, x, active & ~far, slope=False)[0] * factor / a
    rest = _fraction(a, x, active & far, slope=False)[0] * factor
    one = a.dtype.type(1)
    return np.where(far, one - rest, near), np.where(far, rest, one - near)


def _is_wrong(a: np.ndarray, x: np.ndarray) -> np.ndarray:
    return (x < 0) | (a < 0) | ((a == 0) & (x == 0)) | np.isnan(a) | np.isnan(x)


def _numpy_igamma(a: np.ndarray, x: np.ndarray) -> np.ndarray:
    a, x = np.broadcast_arrays(a, x)
    wrong, is_inf = _is_wrong(a, x), x == np.inf
    active = _factor(a, x)[1] & ~wrong & ~is_inf & (x != 0)
    value, _ = _both(a, x, active, (x >= 1) & (x > a))
    value = np.where(is_inf, 1, np.where(x == 0, 0, value))
    return np.where(wrong, np.nan, value).astype(a.dtype)


def _numpy_igammac(a: np.ndarray, x: np.ndarray) -> np.ndarray:
    a, x = np.broadcast_arrays(a, x)
    wrong, is_nothing = _is_wrong(a, x), (x == np.inf) | (a == 0)
    active = _factor(a, x)[1] & ~wrong & ~is_nothing
    _, value = _both(a, x, active, ~((x < 1) | (x < a)))
    return np.where(wrong, np.nan, np.where(is_nothing, 0, value)).astype(a.dtype)


def _by_a(a: np.ndarray, x: np.ndarray, near_factor: Callable, far_factor: Callable) -> np.ndarray:
    """The derivative of P by a over a factor, which is given for either sum."""
    a, x = np.broadcast_arrays(a, x)
    factor, is_number = _factor(a, x)
    wrong = (x < 0) | (a <= 0) | np.isnan(a) | np.isnan(x)
    active, far = is_number & ~wrong & (x != 0), (x > 1) & (x > a)
    total, total_dot = _series(a, x, active & ~far, slope=True)
    near = near_factor(factor) * (
        total_dot + total * (np.log(x) - numpy_digamma(a + a.dtype.type(1)))
    )
    total, total_dot = _fraction(a, x, active & far, slope=True)
    rest = far_factor(factor) * (total_dot + total * (np.log(x) - numpy_digamma(a)))
    value = np.where(x == 0, 0, np.where(far, -rest, near))
    return np.where(wrong, np.nan, value).astype(a.dtype)


def _numpy_igamma_grad_a(a: np.ndarray, x: np.ndarray) -> np.ndarray:
    return _by_a(a, x, lambda factor: factor / a, lambda factor: factor)


def _numpy_random_gamma_grad(a: np.ndarray, x: np.ndarray) -> np.ndarray:
    """- (dP / da) / (dP / dx): how x must move for P(a, x) to stay where it is.

    (Figurnov, Mohamed and Mnih, "Implicit Reparameterization Gradients", NeurIPS 2018.)
    """
    return _by_a(a, x, lambda factor: -x / a, lambda factor: -x)


# The primitives.


def in_simpler(name: str) -> Callable:
    """The function of incomplete_programs.py, which is imported when it is called."""

    def program(*xs: Any) -> Any:
        from minijax.lax.special import incomplete_programs

        return getattr(incomplete_programs, name)(*xs)

    return program


def _binary(name: str, numpy_fun: Callable, doc: str) -> tuple[Primitive, Callable]:
    primitive = naryop(name, [np.floating], through_float32(numpy_fun))
    defbroadcasting(primitive)
    register_lowering(primitive, template=f"{name}_{{t}}({{0}}, {{1}})")
    simpler_programs[primitive] = in_simpler(name)
    return primitive, binary(primitive, doc)


igamma_p, igamma = _binary(
    "igamma", _numpy_igamma, "The lower incomplete gamma function, over the gamma function of a."
)
igammac_p, igammac = _binary(
    "igammac", _numpy_igammac, "The upper incomplete gamma function, over the gamma function of a."
)
igamma_grad_a_p, igamma_grad_a = _binary(
    "igamma_grad_a", _numpy_igamma_grad_a, "The derivative of igamma by a."
)
random_gamma_grad_p, random_gamma_grad = _binary(
    "random_gamma_grad", _numpy_random_gamma_grad,
    "The derivative by a of x, a number drawn from gamma's distribution with the parameter a.",
)  # fmt: skip


def _igamma_slope(g: Any, a: Any, x: Any) -> Any:
    """x**(a - 1) exp(-x) / gamma(a)."""
    exponent = add(neg(x), mul(sub(a, constant(a, 1)), log(x)))
    return mul(g, exp(sub(exponent, lgamma(a))))


defjvp(igamma_p, lambda g, a, x: mul(g, igamma_grad_a(a, x)), _igamma_slope)
defjvp(
    igammac_p,
    lambda g, a, x: neg(mul(g, igamma_grad_a(a, x))),
    lambda g, a, x: neg(_igamma_slope(g, a, x)),
)
for _primitive in [igamma_grad_a_p, random_gamma_grad_p]:
    _name = f"lax.{_primitive.name}"
    defjvp(_primitive, no_derivative(_name, "a"), no_derivative(_name, "x"))
