"""Optimistix: a root, a fixed point, a least squares problem and a minimum."""

import jax
import jax.numpy as jnp
import optimistix as optx

root = optx.root_find(lambda y, args: y - jnp.tanh(y + args), optx.Newton(1e-6, 1e-6), 0.0, 1.0)
print(root.value)
fixed = optx.fixed_point(lambda y, args: jnp.cos(y), optx.FixedPointIteration(1e-5, 1e-5), 1.0)
print(fixed.value, fixed.stats["num_steps"])

times = jnp.linspace(0.0, 2.0, 16)
observed = 3.0 * jnp.exp(-1.5 * times)


def residuals(y, args):
    return y["height"] * jnp.exp(-y["rate"] * times) - observed


start = {"height": jnp.array(1.0), "rate": jnp.array(1.0)}
print(optx.least_squares(residuals, optx.LevenbergMarquardt(1e-5, 1e-5), start).value)


def rosenbrock(y, args):
    return (1 - y[0]) ** 2 + args * (y[1] - y[0] ** 2) ** 2


minimum = optx.minimise(rosenbrock, optx.BFGS(1e-4, 1e-4), jnp.array([-1.0, 1.0]), 10.0)
print(minimum.value.round(3), minimum.result == optx.RESULTS.successful)


@jax.jit
@jax.grad
def slope(offset):
    solver = optx.Bisection(1e-6, 1e-6)
    options = {"lower": 0.0, "upper": 2.0}
    return optx.root_find(lambda y, a: y**3 - a, solver, 1.0, offset, options=options).value


print(slope(2.0))
