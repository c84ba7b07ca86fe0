"""Diffrax: an oscillator solved with steps that adapt, its gradient, and a stochastic equation."""

import jax
import jax.numpy as jnp
from diffrax import (
    ControlTerm,
    Dopri5,
    Euler,
    MultiTerm,
    ODETerm,
    PIDController,
    SaveAt,
    Tsit5,
    VirtualBrownianTree,
    diffeqsolve,
)


def field(t, y, stiffness):
    position, speed = y
    return jnp.array([speed, -stiffness * position])


def solve(stiffness):
    return diffeqsolve(
        ODETerm(field), Tsit5(), t0=0.0, t1=3.0, dt0=0.1, y0=jnp.array([1.0, 0.0]),
        args=stiffness, saveat=SaveAt(ts=jnp.linspace(0.0, 3.0, 4)),
        stepsize_controller=PIDController(rtol=1e-4, atol=1e-5),
    )  # fmt: skip


solution = solve(2.0)
print(solution.ys, solution.stats["num_accepted_steps"])
print(jax.jit(jax.grad(lambda stiffness: solve(stiffness).ys[-1, 0]))(2.0))
decay = diffeqsolve(ODETerm(lambda t, y, args: -y), Dopri5(), 0.0, 1.0, 0.1, jnp.array(1.0))
print(decay.ys)

noise = VirtualBrownianTree(0.0, 1.0, tol=0.05, shape=(), key=jax.random.key(0))
terms = MultiTerm(ODETerm(lambda t, y, args: -y), ControlTerm(lambda t, y, args: 0.1, noise))
print(diffeqsolve(terms, Euler(), 0.0, 1.0, dt0=0.05, y0=1.0, saveat=SaveAt(ts=[0.5, 1.0])).ys)
