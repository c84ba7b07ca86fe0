"""Derivatives by differences, in NumPy: what minijax's derivatives are compared with.

Nothing here knows of minijax. A slope is taken with the five-point stencil, whose error falls
with the fourth power of the step: three slopes taken of one another in float64 still have about
seven good digits, and more where NumPy's long double is longer.
"""

from collections.abc import Callable

import numpy as np

STEP = 1 / 512


def slope(f: Callable[[float], np.ndarray]) -> np.ndarray:
    """The derivative of `f`, a function of one number, at zero."""
    near = f(STEP) - f(-STEP)
    far = f(2 * STEP) - f(-2 * STEP)
    return (8 * near - far) / (12 * STEP)


def directional(f: Callable, xs: list, vs: list) -> np.ndarray:
    """The derivative of `f(*xs)` as its arguments move along `vs`."""
    return slope(lambda t: f(*(x + t * v for x, v in zip(xs, vs, strict=True))))


def gradient(f: Callable, xs: list) -> list[np.ndarray]:
    """The gradient of `f(*xs)`, a number, with respect to every argument, number by number."""
    grads = [np.zeros_like(x) for x in xs]
    for position, x in enumerate(xs):
        for index in np.ndindex(np.shape(x)):
            unit = np.zeros_like(x)
            unit[index] = 1.0
            units = [unit if k == position else 0.0 for k in range(len(xs))]
            grads[position][index] = directional(f, xs, units)
    return grads
