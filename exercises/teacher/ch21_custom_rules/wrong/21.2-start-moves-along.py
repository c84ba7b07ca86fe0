"""The start's tangent is added to the solution's, and numbers alone are taken for arguments."""

from functools import partial

import minijax as jax
import minijax.numpy as jnp
from minijax import lax


@partial(jax.custom_jvp, nondiff_argnums=(0,))
def solve(f, start, *args):
    def far(state):
        x, before, count = state
        return (jnp.abs(x - before) > 1e-6 * (1 + jnp.abs(before))) & (count < 50)

    def newton(state):
        x, _, count = state
        return x - f(x, *args) / jax.grad(f)(x, *args), x, count + 1

    return lax.while_loop(far, newton, newton((start, start, 0)))[0]


@solve.defjvp
def solve_jvp(f, primals, tangents):
    (_, *args), (start_dot, *dots) = primals, tangents
    x = solve(f, *primals)
    slopes = jax.grad(f, tuple(range(len(args) + 1)))(x, *args)
    moved = sum(slope * dot for slope, dot in zip(slopes[1:], dots, strict=True))
    return x, start_dot - moved / slopes[0]
