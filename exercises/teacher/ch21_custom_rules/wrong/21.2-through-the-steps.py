"""No rule: a scan of 50 steps, through all of which the derivative goes."""

import minijax as jax
from minijax import lax


def solve(f, start, *args):
    def newton(x, _):
        return x - f(x, *args) / jax.grad(f)(x, *args), None

    return lax.scan(newton, start, None, length=50)[0]
